/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of getri: A^-1 from getrf's factors, by solving for the identity.
 */
#include "batched/host/first_zero.h"

/* Moves the factors of one matrix away and puts the identity in their place; returns info. */
static int NAME(take)(int n, T *a, int64_t ld, T *lu, int64_t to)
{
  const int info = NAME(first_zero)(n, a, ld);
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      lu[i + j * to] = a[i + j * ld];
      a[i + j * ld] = i == j;
    }
  }
  return info;
}

static void NAME(put_back)(int n, T *a, int64_t ld, const T *lu, int64_t from)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) a[i + j * ld] = lu[i + j * from];
}

/* A^-1 = A \ I of matrix b; lu: memory for its factors. */
static int NAME(invert)(batched_ctx *ctx, const batched_variant *getrs, const batched_getri_args *p, int64_t b, T *lu)
{
  const batched_matrix a = batched_part(p->a, b, 1);
  const int64_t n = a.n;
  const batched_matrix factors = batched_make_strided(a.type, lu, a.n, a.n, a.n, n * n, 1);
  const batched_getrs_args solve = {BATCHED_NO_TRANS, batched_with_sizes(factors, a.ms, a.ns, NULL), a,
                                    p->ipiv + b * n};
  p->info[b] = NAME(take)(batched_rows(&a, 0), batched_at(&a, 0), batched_ld(&a, 0), lu, n);
  const int status = getrs->run(ctx, &solve);
  if (p->info[b]) NAME(put_back)(batched_rows(&a, 0), batched_at(&a, 0), batched_ld(&a, 0), lu, n);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of steqr: implicit QL and QR with Wilkinson's shifts, as LAPACK's steqr, and the order of the values.
 */
#include "batched/tridiagonal/host/ql_ref.h"

/* Ascending, vectors along. */
static void NAME(sort_values)(int n, R *d, int rows, R *z, int64_t ld)
{
  for (int i = 0; i < n; i++) {
    int best = i;
    for (int j = i + 1; j < n; j++)
      if (d[j] < d[best]) best = j;
    const R t = d[i];
    if (best == i) continue;
    d[i] = d[best];
    d[best] = t;
    if (z) NAME(exchange_real)(rows, z + i * ld, z + best * ld);
  }
}

/* d and e are in w, one after the other. */
static int NAME(solve_tridiagonal)(int n, R *w, R scale, int rows, R *z, int64_t ld)
{
  R *d = w, *e = w + n;
  int left = 0;
  for (int i = 0; i < 2 * n - 1; i++) w[i] *= scale;
  if (NAME(diagonalise)(n, d, e, rows, z, ld))
    NAME(sort_values)(n, d, rows, z, ld);
  else
    for (int i = 0; i < n - 1; i++) left += e[i] != 0;
  for (int i = 0; i < 2 * n - 1; i++) w[i] /= scale;
  return left;
}

static int NAME(steqr_one)(const batched_steqr_args *s, int64_t b, int n, R *w)
{
  R *d = batched_at(&s->d, b), *e = batched_at(&s->e, b);
  const int64_t incd = batched_increment(&s->d, b), ince = n > 1 ? batched_increment(&s->e, b) : 1;
  const bool vectors = s->job != BATCHED_VALUES;
  const int parts = sizeof(T) / sizeof(R);
  const int rows = vectors ? batched_rows(&s->z, b) : 0;
  const int64_t ld = vectors ? batched_ld(&s->z, b) : 1;
  T *z = vectors && rows > 0 ? batched_at(&s->z, b) : NULL;
  const R scale = NAME(scale_of)(n, d, incd, e, ince);
  if (scale == 0) {
    NAME(fill_vector)(n, d, incd, (R)__builtin_nan(""));
    NAME(fill_vector)(n - 1, e, ince, (R)__builtin_nan(""));
    if (z) NAME(fill_with)(rows, n, z, ld, NAME(nan)());
    return n;
  }
  for (int j = 0; s->job == BATCHED_VECTORS && j < n; j++)
    for (int i = 0; i < n; i++) z[i + j * ld] = i == j;
  for (int i = 0; i < n; i++) w[i] = d[i * incd];
  for (int i = 0; i < n - 1; i++) w[n + i] = e[i * ince];
  const int info = NAME(solve_tridiagonal)(n, w, scale, parts * rows, (R *)z, parts * ld);
  for (int i = 0; i < n; i++) d[i * incd] = w[i];
  for (int i = 0; i < n - 1; i++) e[i * ince] = w[n + i];
  return info;
}

static int NAME(steqr_ref)(batched_ctx *ctx, const batched_steqr_args *s)
{
  const size_t most = (size_t)batched_vector_bound(&s->d);
  R *w = batched_scratch_push(ctx, (2 * most + 1) * sizeof(R));
  if (!w) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < s->d.count; b++) {
    const int n = batched_vector_length(&s->d, b);
    s->info[b] = n > 0 ? NAME(steqr_one)(s, b, n, w) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

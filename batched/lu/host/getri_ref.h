/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of getri: A^-1 from getrf's factors, by solving for the identity.
 */

/* Moves the factors of one matrix away and puts the identity in their place; returns info. */
static int NAME(take)(int n, T *a, int64_t ld, T *lu, int64_t to)
{
  int info = 0;
  for (int j = n - 1; j >= 0; j--)
    if (a[j + j * ld] == 0) info = j + 1;
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

/* A^-1 = A \ I, for some of the matrices; lu: memory for their factors. */
static int NAME(invert)(batched_ctx *ctx, const batched_variant *getrs, const batched_getri_args *p, int64_t first,
                        int64_t count, T *lu)
{
  const int64_t n = p->a.n;
  for (int64_t b = 0; b < count; b++)
    p->info[first + b] = NAME(take)(batched_rows(&p->a, first + b), batched_at(&p->a, first + b),
                                    batched_ld(&p->a, first + b), lu + b * n * n, n);
  batched_matrix a = batched_part(p->a, first, count);
  batched_matrix factors = batched_make_strided(a.type, lu, a.n, a.n, a.n, n * n, count);
  batched_getrs_args solve = {BATCHED_NO_TRANS, batched_with_sizes(factors, a.ms, a.ns, NULL), a, p->ipiv + first * n};
  const int status = getrs->run(ctx, &solve);
  for (int64_t b = 0; b < count; b++)
    if (p->info[first + b]) NAME(put_back)
  (batched_rows(&a, b), batched_at(&a, b), batched_ld(&a, b), lu + b * n * n, n);
  return status;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gttrs: a tridiagonal matrix in each SIMD lane, with the exchanges of its own; right-hand sides four
 * (complex ones two) at a time.  A part of gtsv_simd.h.
 */

typedef struct NAME(line_factors) {
  int n;
  ELEM *dl, *d, *du, *du2;
  MASK *exchanged; /* rows k and k + 1 */
} NAME(line_factors);

ALWAYS_INLINE void NAME(solve_lines_plain)(int sides, const NAME(line_factors) * a, ELEM *y)
{
  const int n = a->n;
  ELEM x1[4], x2[4];
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) x1[j] = y[(int64_t)j * n];
  for (int k = 0; k < n - 1; k++)
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *x = y + k + (int64_t)j * n;
      const ELEM next = x[1], first = NAME(choose)(a->exchanged[k], next, x1[j]),
                 second = NAME(choose)(a->exchanged[k], x1[j], next);
      x[0] = first;
      x1[j] = NAME(fms)(second, a->dl[k], first, false, false);
    }
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) {
    y[n - 1 + (int64_t)j * n] = x1[j];
    x1[j] = x2[j] = NAME(make)((VEC){0});
  }
  for (int k = n - 1; k >= 0; k--) {
    const NAME(divisor) d = NAME(divisor_of)(a->d[k]);
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *x = y + k + (int64_t)j * n, sum = x[0];
      if (k < n - 1) sum = NAME(fms)(sum, a->du[k], x1[j], false, false);
      if (k < n - 2) sum = NAME(fms)(sum, a->du2[k], x2[j], false, false);
      x2[j] = x1[j];
      x[0] = x1[j] = NAME(divided)(sum, d);
    }
  }
}

ALWAYS_INLINE void NAME(solve_lines_transposed)(int sides, bool conj, const NAME(line_factors) * a, ELEM *y)
{
  const int n = a->n;
  ELEM x1[4], x2[4];
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) x1[j] = x2[j] = NAME(make)((VEC){0});
  for (int k = 0; k < n; k++) {
    const NAME(divisor) d = NAME(divisor_of)(conj ? NAME(conjugate)(a->d[k]) : a->d[k]);
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *x = y + k + (int64_t)j * n, sum = x[0];
      if (k > 0) sum = NAME(fms)(sum, a->du[k - 1], x1[j], conj, false);
      if (k > 1) sum = NAME(fms)(sum, a->du2[k - 2], x2[j], conj, false);
      x2[j] = x1[j];
      x[0] = x1[j] = NAME(divided)(sum, d);
    }
  }
  for (int k = n - 2; k >= 0; k--)
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *x = y + k + (int64_t)j * n;
      const ELEM first = NAME(fms)(x[0], a->dl[k], x1[j], conj, false);
      x[1] = NAME(choose)(a->exchanged[k], first, x1[j]);
      x[0] = x1[j] = NAME(choose)(a->exchanged[k], x1[j], first);
    }
}

ALWAYS_INLINE void NAME(solve_lines)(int sides, batched_trans trans, const NAME(line_factors) * a, ELEM *y)
{
  if (trans == BATCHED_NO_TRANS)
    NAME(solve_lines_plain)(sides, a, y);
  else if (trans == BATCHED_TRANS || !IS_COMPLEX)
    NAME(solve_lines_transposed)(sides, false, a, y);
  else
    NAME(solve_lines_transposed)(sides, true, a, y);
}

/* ipiv is k + 1 or k + 2. */
static void NAME(load_line_exchanges)(const batched_gttrs_args *p, const batched_group *g, int n, MASK *exchanged)
{
  for (int l = 0; l < W; l++) {
    const int *ipiv = batched_pivots_of_diagonal(&p->d, p->ipiv, g->index[l]);
    for (int k = 0; k < n; k++) exchanged[k][l] = -(ipiv[k] > k + 1);
  }
}

static int NAME(gttrs_simd)(batched_ctx *ctx, const batched_gttrs_args *p)
{
  const size_t n = (size_t)p->b.m;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->b, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, n * ((4 + NAME(SIDES)) * sizeof(ELEM) + sizeof(MASK))), *y = x + 4 * n;
  while (x && batched_groups_next(&groups, &g)) {
    const NAME(line_factors) a = {g.m, x, x + n, x + 2 * n, x + 3 * n, (MASK *)(y + NAME(SIDES) * n)};
    NAME(matrices) b;
    if (a.n == 0 || g.n == 0) continue;
    NAME(pack_line)(&p->dl, &g, a.n - 1, a.dl);
    NAME(pack_line)(&p->d, &g, a.n, a.d);
    NAME(pack_line)(&p->du, &g, a.n - 1, a.du);
    NAME(pack_line)(&p->du2, &g, a.n - 2, a.du2);
    NAME(load_line_exchanges)(p, &g, a.n, a.exchanged);
    NAME(matrices_of)(&p->b, &g, &b);
    for (int j = 0; j < g.n;) {
      const int sides = j + NAME(SIDES) <= g.n ? NAME(SIDES) : 1;
      NAME(pack)(&b, 0, j, a.n, sides, false, y);
      if (sides > 1)
        NAME(solve_lines)(NAME(SIDES), p->trans, &a, y);
      else
        NAME(solve_lines)(1, p->trans, &a, y);
      NAME(unpack)(&b, g.active, 0, j, a.n, sides, false, y);
      j += sides;
    }
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of trsv: x = op(A)^-1 x, a matrix per SIMD lane; each column of A is interleaved in registers on its
 * way, and read once.
 */
#include "batched/triangular/host/triangle_simd.h"

/* Elements of a column that make a vector for each matrix. */
#define RUN (IS_COMPLEX ? W / 2 : W)

/* `len` elements of a column of each matrix, interleaved, without a way through memory. */
ALWAYS_INLINE void NAME(load_run)(const NAME(matrices) * a, int64_t row, int64_t column, int len, ELEM e[])
{
  VEC t[SIMD(LANES)];
  const int reals = len * (int)(sizeof(T) / sizeof(R));
  NAME(load_rows)(a, row, column, 0, reals, t);
  SIMD(transpose)(t);
#if IS_COMPLEX
  for (int k = 0; k < RUN; k++) e[k] = (ELEM){t[2 * k], t[2 * k + 1]};
#else
  for (int k = 0; k < RUN; k++) e[k] = t[k];
#endif
}

/* Rows row .. row + len - 1 of column c: their part in the unknowns of those rows (x -= e xc), or in that of the column
 * (sum -= e x).  len and `dots` are constants. */
ALWAYS_INLINE void NAME(use_run)(int len, bool dots, bool conj, const ELEM *e, ELEM *x, ELEM xc, ELEM sum[2])
{
#pragma GCC unroll 16
  for (int k = 0; k < len; k++) {
    if (dots)
      sum[k % 2] = NAME(fms)(sum[k % 2], e[k], x[k], conj, false);
    else
      x[k] = NAME(fms)(x[k], e[k], xc, false, false);
  }
}

/* The triangles are read once, a column at a time, from the diagonal on: as multiples of unknowns (NO_TRANS) or as
 * factors of a dot product. */
ALWAYS_INLINE void NAME(solve_columns_of)(const NAME(matrices) * a, bool lower, bool dots, bool conj, bool unit, int n,
                                          ELEM *x)
{
  for (int step = 0; step < n; step++) {
    const int c = lower != dots ? step : n - 1 - step, height = lower ? n - c : c + 1;
    const int first = batched_min(height, RUN), row = lower ? c : c + 1 - first;
    ELEM e[SIMD(LANES)], sum[2] = {x[c], NAME(make)((VEC){0})};
    NAME(load_run)(a, row, c, first, e);
    const ELEM d = conj ? NAME(conjugate)(e[lower ? 0 : first - 1]) : e[lower ? 0 : first - 1];
    ELEM xc = x[c];
    if (!dots) x[c] = xc = unit ? xc : NAME(quotient)(xc, d);
    if (lower)
      for (int k = 1; k < first; k++) NAME(use_run)(1, dots, conj, e + k, x + row + k, xc, sum);
    else
      for (int k = 0; k < first - 1; k++) NAME(use_run)(1, dots, conj, e + k, x + row + k, xc, sum);
    for (int done = first; done < height; done += RUN) {
      const int len = batched_min(height - done, RUN), r = lower ? c + done : c + 1 - done - len;
      NAME(load_run)(a, r, c, len, e);
      if (len == RUN)
        NAME(use_run)(RUN, dots, conj, e, x + r, xc, sum);
      else
        for (int k = 0; k < len; k++) NAME(use_run)(1, dots, conj, e + k, x + r + k, xc, sum);
    }
    if (dots) {
      const ELEM total = NAME(plus)(sum[0], sum[1]);
      x[c] = unit ? total : NAME(quotient)(total, d);
    }
  }
}

static void NAME(solve_columns_any)(const NAME(matrices) * a, const batched_trsv_args *t, int n, ELEM *x)
{
  const bool lower = t->uplo == BATCHED_LOWER, unit = t->diag == BATCHED_UNIT;
  if (t->trans == BATCHED_NO_TRANS)
    NAME(solve_columns_of)(a, lower, false, false, unit, n, x);
  else if (t->trans == BATCHED_TRANS || !IS_COMPLEX)
    NAME(solve_columns_of)(a, lower, true, false, unit, n, x);
  else
    NAME(solve_columns_of)(a, lower, true, true, unit, n, x);
}

/* A shared triangle is interleaved once, for all groups. */
static void NAME(solve_shared)(const batched_trsv_args *t, const NAME(matrices) * a, int n, bool packed, ELEM *e,
                               NAME(triangle) * triangle, ELEM *x)
{
  if (!packed) {
    NAME(pack_triangle)(a, t->uplo, n, e);
    *triangle = NAME(triangle_of)(e, n, t->uplo, t->trans != BATCHED_NO_TRANS, t->trans == BATCHED_CONJ_TRANS,
                                  e + (int64_t)n * n);
    NAME(invert_diagonal)(n, t->diag == BATCHED_UNIT, triangle);
  }
  const bool backward = triangle->row + triangle->col < 0;
  NAME(solve_lanes)(triangle, n, 1, backward ? x + n - 1 : x, backward ? -1 : 1, n);
}

static int NAME(simd)(batched_ctx *ctx, const batched_trsv_args *t)
{
  const bool column = t->x.n == 1 && !t->x.ns;
  const bool shared = batched_is_shared(&t->a) && !batched_is_variable(&t->a) && !batched_is_variable(&t->x);
  const size_t most = (size_t)(column ? t->x.m : t->x.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &t->x, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (shared ? (most + 2) * most : most) * sizeof(ELEM));
  bool packed = false;
  NAME(triangle) triangle = {0};
  while (x && batched_groups_next(&groups, &g)) {
    const int n = column ? g.m : g.n;
    if (n == 0) continue;
    NAME(matrices) a, b;
    NAME(matrices_of)(&t->a, &g, &a);
    NAME(matrices_of)(&t->x, &g, &b);
    const bool dense = column || NAME(is_dense)(&b, 1);
    NAME(pack)(&b, 0, 0, column ? n : 1, column ? 1 : n, dense, x);
    if (shared)
      NAME(solve_shared)(t, &a, n, packed, x + most, &triangle, x);
    else
      NAME(solve_columns_any)(&a, t, n, x);
    packed = true;
    NAME(unpack)(&b, g.active, 0, 0, column ? n : 1, column ? 1 : n, dense, x);
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#undef RUN
#include "batched/host/lanes_end.h"

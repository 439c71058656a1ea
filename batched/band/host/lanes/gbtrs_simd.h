/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gbtrs: a matrix in each SIMD lane, with exchanges of its own.  L is a product of exchanges and
 * columns, each applied in its turn; of op(L) in the opposite order.
 */
#include "batched/band/host/lanes/exchange_simd.h"
#include "batched/band/host/lanes/substitute_simd.h"

/* rows[k] = distance from row k to the row below with which it is exchanged, k < n. */
static void NAME(load_exchanges)(const batched_gbtrs_args *p, const batched_group *g, int n, MASK *rows)
{
  const int *ipiv[SIMD(LANES)];
  for (int l = 0; l < W; l++) ipiv[l] = batched_pivots_of_band(&p->ab, p->ipiv, g->index[l]);
  for (int k = 0; k < n; k += W) {
    const int part = batched_min(W, n - k);
    VEC t[SIMD(LANES)];
    for (int l = 0; l < W; l++) {
      MASK numbers = {0};
      for (int i = 0; i < part; i++) numbers[i] = ipiv[l][k + i] - 1 - (k + i);
      t[l] = (VEC)numbers;
    }
    SIMD(transpose)(t);
    for (int i = 0; i < part; i++) rows[k + i] = (MASK)t[i];
  }
}

static void NAME(apply_lower)(NAME(triangle) * l, const MASK *rows, int nrhs, ELEM *y)
{
  NAME(fetch_ahead)(l, false);
  for (int first = 0; first < l->n - 1; first += NAME(COLUMNS)) {
    const int end = batched_min(first + NAME(COLUMNS), l->n - 1);
    NAME(load_triangle)(l, first, end - first);
    for (int k = first; k < end; k++) NAME(exchange_and_eliminate)
    (nrhs, NAME(reach)(l, k), rows[k], NAME(diagonal_of)(l, k, first), y + k, l->n);
  }
}

/* x[0] less the products of l and x[1 .. below], exchanged with x[row]; the same in `sides` columns ld apart. */
ALWAYS_INLINE void NAME(collect_and_exchange)(int sides, bool conj, int below, MASK row, const ELEM *l, ELEM *x,
                                              int64_t ld)
{
  ELEM sum[4], other[4];
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) other[j] = sum[j] = x[j * ld];
  for (int i = 1; i <= below; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      const ELEM low = x[i + j * ld];
      sum[j] = NAME(fms)(sum[j], l[i], low, conj, false);
      other[j] = NAME(choose)(here, low, other[j]);
    }
  }
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) x[j * ld] = NAME(choose)(row == 0, sum[j], other[j]);
  if (!SIMD(any)(row)) return;
  for (int i = 1; i <= below; i++) {
    const MASK here = row == i;
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) x[i + j * ld] = NAME(choose)(here, sum[j], x[i + j * ld]);
  }
}

static void NAME(apply_lower_transposed)(NAME(triangle) * l, bool conj, const MASK *rows, int nrhs, ELEM *y)
{
  NAME(fetch_ahead)(l, true);
  for (int end = l->n - 1, first; end > 0; end = first) {
    first = batched_max(0, end - NAME(COLUMNS));
    NAME(load_triangle)(l, first, end - first);
    for (int k = end - 1; k >= first; k--) {
      const int below = NAME(reach)(l, k);
      const ELEM *column = NAME(diagonal_of)(l, k, first);
      int j = 0;
      for (; j + NAME(SIDES) <= nrhs; j += NAME(SIDES))
        NAME(collect_and_exchange)(NAME(SIDES), conj, below, rows[k], column, y + k + (int64_t)j * l->n, l->n);
      for (; j < nrhs; j++)
        NAME(collect_and_exchange)(1, conj, below, rows[k], column, y + k + (int64_t)j * l->n, l->n);
    }
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_gbtrs_args *p)
{
  const int kl = p->kl.bound, kv = kl + p->ku.bound, ld = p->ab.ld;
  const int each = NAME(sides_at_once)(p->b.m, p->b.n);
  const bool conj = IS_COMPLEX && p->trans == BATCHED_CONJ_TRANS;
  const size_t columns = NAME(columns_size)(kv, ld), sides = (size_t)p->b.m * (size_t)each, order = (size_t)p->b.m;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->b, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (columns + sides) * sizeof(ELEM) + order * sizeof(MASK));
  ELEM *y = x + columns;
  MASK *rows = (MASK *)(y + sides);
  while (x && batched_groups_next(&groups, &g)) {
    const int n = g.m;
    NAME(matrices) a, b;
    if (n == 0 || g.n == 0) continue;
    NAME(matrices_of)(&p->ab, &g, &a);
    NAME(matrices_of)(&p->b, &g, &b);
    NAME(triangle)
    u = NAME(triangle_of)(&a, ld, true, false, n, kv, kv, x), l = NAME(triangle_of)(&a, ld, false, true, n, kl, kv, x);
    if (kl > 0) NAME(load_exchanges)(p, &g, n, rows);
    for (int j = 0; j < g.n; j += each) {
      const int nrhs = batched_min(each, g.n - j);
      NAME(pack)(&b, 0, j, n, nrhs, false, y);
      if (kl > 0 && p->trans == BATCHED_NO_TRANS) NAME(apply_lower)(&l, rows, nrhs, y);
      NAME(substitute_lanes)(&u, p->trans, nrhs, y);
      if (kl > 0 && p->trans != BATCHED_NO_TRANS) NAME(apply_lower_transposed)(&l, conj, rows, nrhs, y);
      NAME(unpack)(&b, g.active, 0, j, n, nrhs, false, y);
    }
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

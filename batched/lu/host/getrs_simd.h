/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of getrs: exchanges and two substitutions with getrf's factors, a matrix per SIMD lane, chunks of
 * right-hand sides.
 */
#include "batched/triangular/host/solve_simd.h"

/* Exchanges the rows of n x cols elements in each lane, in the order of the pivots or in the opposite one.  Few columns
 * at a time: n = 64 puts the elements of a row into the same set of the cache. */
static void NAME(exchange_rows)(const batched_getrs_args *p, const batched_group *g, int cols, ELEM *x)
{
  enum { COLUMNS = 4 };
  const int n = g->m;
  const int64_t column = (int64_t)n * (int64_t)(sizeof(ELEM) / sizeof(R));
  for (int j0 = 0; j0 < cols; j0 += COLUMNS, x += (int64_t)COLUMNS * n)
    for (int l = 0; l < W; l++) {
      const int *pivots = batched_pivots_of(&p->a, p->ipiv, g->index[l]), few = batched_min(COLUMNS, cols - j0);
      for (int step = 0; step < n; step++) {
        const int i = p->trans == BATCHED_NO_TRANS ? step : n - 1 - step;
        R *a = (R *)(x + i) + l, *b = (R *)(x + pivots[i] - 1) + l;
        if (a == b) continue;
        for (int j = 0; j < few; j++, a += column, b += column) {
          for (int q = 0; q <= IS_COMPLEX; q++) {
            const R t = a[q * W];
            a[q * W] = b[q * W];
            b[q * W] = t;
          }
        }
      }
    }
}

/* A^-1 = U^-1 L^-1 P^T; op(A)^-1 = P op(L)^-1 op(U)^-1: a forward solve, then a backward one in the same lanes. */
static void NAME(solve_group)(const void *args, const batched_group *g, ELEM *a, ELEM *inverse, ELEM *x)
{
  const batched_getrs_args *p = args;
  const int n = g->m;
  const bool plain = p->trans == BATCHED_NO_TRANS, conj = p->trans == BATCHED_CONJ_TRANS;
  NAME(triangle)
  forward = NAME(triangle_of)(a, n, plain ? BATCHED_LOWER : BATCHED_UPPER, !plain, conj, inverse);
  NAME(triangle)
  backward = NAME(triangle_of)(a, n, plain ? BATCHED_UPPER : BATCHED_LOWER, !plain, conj, inverse + n);
  NAME(matrices) b;
  NAME(matrices_of)(&p->b, g, &b);
  const bool dense = NAME(is_dense)(&b, n);
  NAME(invert_diagonal)(n, plain, &forward);
  NAME(invert_diagonal)(n, !plain, &backward);
  if (plain)
    forward.careful = false;
  else
    backward.careful = false;
  for (int j0 = 0; j0 < g->n; j0 += NAME(CHUNK)) {
    const int chunk = batched_min(NAME(CHUNK), g->n - j0);
    NAME(pack)(&b, 0, j0, n, chunk, dense, x);
    if (plain) NAME(exchange_rows)(p, g, chunk, x);
    NAME(solve_lanes)(&forward, n, chunk, x, 1, n);
    NAME(solve_lanes)(&backward, n, chunk, x + n - 1, -1, n);
    if (!plain) NAME(exchange_rows)(p, g, chunk, x);
    NAME(unpack)(&b, g->active, 0, j0, n, chunk, dense, x);
  }
}

static void NAME(pack_factor)(const void *args, const NAME(matrices) * from, int n, ELEM *a)
{
  (void)args;
  NAME(pack)(from, 0, 0, n, n, NAME(is_dense)(from, n), a);
}

static int NAME(simd)(batched_ctx *ctx, const batched_getrs_args *p)
{
  return NAME(solve_groups)(ctx, p, &p->a, &p->b, NAME(pack_factor), NAME(solve_group));
}
#include "batched/host/lanes_end.h"

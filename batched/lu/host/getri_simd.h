/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of getri: A^-1 = U^-1 L^-1 P^T with a matrix in each lane.
 */
#include "batched/triangular/host/triangle_simd.h"

/* order[j * W + l]: the column of lane l's inverse that column j of U^-1 L^-1 is. */
static void NAME(order_columns)(const batched_getri_args *p, const batched_group *g, int *order)
{
  for (int l = 0; l < g->active; l++) {
    const int *pivots = p->ipiv + g->index[l] * p->a.n;
    for (int j = 0; j < g->n; j++) order[j * W + l] = j;
    for (int j = 0; j < g->n; j++) {
      const int other = pivots[j] - 1, t = order[j * W + l];
      order[j * W + l] = order[other * W + l];
      order[other * W + l] = t;
    }
  }
}

/* A few columns of the inverse at a time, by solves of unit vectors: those with L begin at the diagonal, and all of it
 * takes 4/3 n^3 flops.  Matrices with a zero pivot stay as they are.  x: TILE n elements; spare: n. */
static void NAME(invert_group)(const NAME(matrices) * m, const batched_group *g, const int *order, ELEM *a,
                               ELEM *inverse, ELEM *x, T *spare, MASK zero)
{
  const int n = g->n;
  NAME(triangle) forward = NAME(triangle_of)(a, n, BATCHED_LOWER, false, false, inverse);
  NAME(triangle) backward = NAME(triangle_of)(a, n, BATCHED_UPPER, false, false, inverse + n);
  NAME(invert_diagonal)(n, true, &forward);
  NAME(invert_diagonal)(n, false, &backward);
  forward.careful = false;
  for (int j0 = 0; j0 < n; j0 += TILE) {
    const int cols = batched_min(TILE, n - j0);
    const NAME(triangle) rest = NAME(triangle_from)(&forward, j0);
    for (int j = 0; j < cols; j++)
      for (int i = 0; i < n; i++) x[i + j * n] = NAME(make)(SIMD(splat)(i == j0 + j));
    NAME(solve_lanes)(&rest, n - j0, cols, x + j0, 1, n);
    NAME(solve_lanes)(&backward, n, cols, x + n - 1, -1, n);
    for (int j = 0; j < cols; j++) {
      T *to[SIMD(LANES)];
      for (int l = 0; l < g->active; l++) to[l] = zero[l] ? spare : m->at[l] + order[(j0 + j) * W + l] * m->ld[l];
      NAME(store_run)(to, g->active, n, x + j * n);
    }
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_getri_args *p)
{
  const size_t most = (size_t)p->a.n;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *a = batched_scratch_push(ctx, ((most + 4 + TILE) * most + 1) * sizeof(ELEM));
  while (a && batched_groups_next(&groups, &g)) {
    ELEM *inverse = a + most * most, *spare = inverse + 2 * most, *order = spare + most;
    NAME(matrices) m;
    NAME(matrices_of)(&p->a, &g, &m);
    NAME(pack)(&m, 0, 0, g.n, g.n, NAME(is_dense)(&m, g.n), a);
    const MASK info = NAME(first_zeros)(g.n, a);
    NAME(order_columns)(p, &g, (int *)order);
    if (g.n > 0) NAME(invert_group)(&m, &g, (const int *)order, a, inverse, order + most, (T *)spare, info);
    for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)info[l];
  }
  if (a) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return a ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

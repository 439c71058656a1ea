/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of potrs: two substitutions with potrf's factor, a matrix per SIMD lane.
 */
#include "batched/triangular/host/solve_simd.h"

/* A^-1 = L^-H L^-1 or U^-1 U^-H: a forward solve, then a backward one in the same lanes. */
static void NAME(solve_group)(const void *args, const batched_group *g, ELEM *a, ELEM *inverse, ELEM *x)
{
  const batched_potrs_args *p = args;
  const int n = g->m;
  const bool lower = p->uplo == BATCHED_LOWER;
  NAME(triangle) forward = NAME(triangle_of)(a, n, p->uplo, !lower, !lower, inverse);
  NAME(triangle) backward = NAME(triangle_of)(a, n, p->uplo, lower, lower, inverse + n);
  NAME(matrices) b;
  NAME(matrices_of)(&p->b, g, &b);
  const bool dense = NAME(is_dense)(&b, n);
  NAME(invert_diagonal)(n, false, &forward);
  for (int i = 0; i < n; i++) backward.inverse[i] = NAME(conjugate)(forward.inverse[n - 1 - i]);
  backward.careful = forward.careful;
  for (int j0 = 0; j0 < g->n; j0 += NAME(CHUNK)) {
    const int chunk = batched_min(NAME(CHUNK), g->n - j0);
    NAME(pack)(&b, 0, j0, n, chunk, dense, x);
    NAME(solve_lanes)(&forward, n, chunk, x, 1, n);
    NAME(solve_lanes)(&backward, n, chunk, x + n - 1, -1, n);
    NAME(unpack)(&b, g->active, 0, j0, n, chunk, dense, x);
  }
}

static void NAME(pack_factor)(const void *args, const NAME(matrices) * from, int n, ELEM *a)
{
  const batched_potrs_args *p = args;
  NAME(pack_triangle)(from, p->uplo, n, a);
}

static int NAME(simd)(batched_ctx *ctx, const batched_potrs_args *p)
{
  return NAME(solve_groups)(ctx, p, &p->a, &p->b, NAME(pack_factor), NAME(solve_group));
}
#include "batched/host/lanes_end.h"

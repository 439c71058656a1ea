/* SPDX-License-Identifier: BSD-3-Clause */
#include "triangle_simd.h"

/* A^-1 = L^-H L^-1 or U^-1 U^-H: a forward solve, then a backward one in the same lanes. */
static void NAME(solve_group)(const batched_potrs_args *p, const batched_group *g, ELEM *a, ELEM *inverse, ELEM *x)
{
  const int n = g->m;
  const bool lower = p->uplo == BATCHED_LOWER;
  NAME(triangle) forward = NAME(triangle_of)(a, n, p->uplo, !lower, !lower, inverse);
  NAME(triangle) backward = NAME(triangle_of)(a, n, p->uplo, lower, lower, inverse + n);
  if (n == 0) return;
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

static int NAME(simd)(batched_ctx *ctx, const batched_potrs_args *p)
{
  const bool shared = batched_is_shared(&p->a) && !batched_is_variable(&p->a) && !batched_is_variable(&p->b);
  const size_t most = (size_t)p->b.m;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->b, W);
  if (status) return status;
  ELEM *a = batched_scratch_push(ctx, (most + 2 + NAME(CHUNK)) * most * sizeof(ELEM));
  bool packed = false;
  while (a && batched_groups_next(&groups, &g)) {
    if (!packed || !shared) {
      NAME(matrices) from;
      NAME(matrices_of)(&p->a, &g, &from);
      NAME(pack_triangle)(&from, p->uplo, g.m, a);
      packed = true;
    }
    NAME(solve_group)(p, &g, a, a + most * most, a + most * (most + 2));
  }
  if (a) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return a ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "lanes_end.h"

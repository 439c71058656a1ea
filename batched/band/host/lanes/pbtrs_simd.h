/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of pbtrs: a matrix in each SIMD lane; L and L^H, or U^H and U.
 */
#include "batched/band/host/lanes/substitute_simd.h"

static int NAME(simd)(batched_ctx *ctx, const batched_pbtrs_args *p)
{
  const int kd = p->kd.bound, ld = p->ab.ld, each = NAME(sides_at_once)(p->b.m, p->b.n);
  const bool upper = p->uplo == BATCHED_UPPER;
  const size_t columns = NAME(columns_size)(kd, ld), sides = (size_t)p->b.m * (size_t)each;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->b, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (columns + sides) * sizeof(ELEM)), *y = x + columns;
  while (x && batched_groups_next(&groups, &g)) {
    NAME(matrices) a, b;
    if (g.m == 0 || g.n == 0) continue;
    NAME(matrices_of)(&p->ab, &g, &a);
    NAME(matrices_of)(&p->b, &g, &b);
    NAME(triangle) t = NAME(triangle_of)(&a, ld, upper, false, g.m, kd, upper ? kd : 0, x);
    for (int j = 0; j < g.n; j += each) {
      const int nrhs = batched_min(each, g.n - j);
      NAME(pack)(&b, 0, j, g.m, nrhs, false, y);
      NAME(substitute_lanes)(&t, upper ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, nrhs, y);
      NAME(substitute_lanes)(&t, upper ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, nrhs, y);
      NAME(unpack)(&b, g.active, 0, j, g.m, nrhs, false, y);
    }
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

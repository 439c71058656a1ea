/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of tbsv: a matrix in each SIMD lane, for vectors that are columns.
 */
#include "batched/band/host/lanes/substitute_simd.h"

static int NAME(simd)(batched_ctx *ctx, const batched_tbsv_args *p)
{
  const int kd = p->kd.bound, ld = p->ab.ld;
  const bool upper = p->uplo == BATCHED_UPPER;
  const size_t columns = NAME(columns_size)(kd, ld), side = (size_t)p->x.m;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->x, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (columns + side) * sizeof(ELEM)), *y = x + columns;
  while (x && batched_groups_next(&groups, &g)) {
    NAME(matrices) a, b;
    if (g.m == 0) continue;
    NAME(matrices_of)(&p->ab, &g, &a);
    NAME(matrices_of)(&p->x, &g, &b);
    NAME(triangle) t = NAME(triangle_of)(&a, ld, upper, p->diag == BATCHED_UNIT, g.m, kd, upper ? kd : 0, x);
    NAME(pack)(&b, 0, 0, g.m, 1, false, y);
    NAME(substitute_lanes)(&t, p->trans, 1, y);
    NAME(unpack)(&b, g.active, 0, 0, g.m, 1, false, y);
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

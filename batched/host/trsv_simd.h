/* SPDX-License-Identifier: BSD-3-Clause */
#include "triangle_simd.h"

static int NAME(simd)(batched_ctx *ctx, const batched_trsv_args *t)
{
  const bool flip = t->trans != BATCHED_NO_TRANS, column = t->x.n == 1 && !t->x.ns;
  const bool shared = t->a.data && t->a.stride == 0 && !batched_is_variable(&t->x);
  const size_t most = (size_t)(column ? t->x.m : t->x.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &t->x, W);
  if (status) return status;
  ELEM *e = batched_scratch_push(ctx, (most + 2) * most * sizeof(ELEM)), *x = e + most * (most + 1);
  bool packed = false;
  NAME(triangle) triangle = {0};
  while (e && batched_groups_next(&groups, &g)) {
    const int n = column ? g.m : g.n;
    if (n == 0) continue;
    NAME(matrices) a, b;
    NAME(matrices_of)(&t->a, &g, &a);
    NAME(matrices_of)(&t->x, &g, &b);
    if (!packed || !shared) {
      NAME(pack_triangle)(&a, t->uplo, n, e);
      triangle = NAME(triangle_of)(e, n, t->uplo, flip, t->trans == BATCHED_CONJ_TRANS, e + most * most);
      NAME(invert_diagonal)(n, t->diag == BATCHED_UNIT, &triangle);
      packed = true;
    }
    const bool backward = triangle.row + triangle.col < 0, dense = column || NAME(is_dense)(&b, 1);
    NAME(pack)(&b, 0, 0, column ? n : 1, column ? 1 : n, dense, x);
    NAME(solve_lanes)(&triangle, n, 1, backward ? x + n - 1 : x, backward ? -1 : 1, n);
    NAME(unpack)(&b, g.active, 0, 0, column ? n : 1, column ? 1 : n, dense, x);
  }
  if (e) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return e ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "lanes_end.h"

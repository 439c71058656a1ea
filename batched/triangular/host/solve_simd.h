/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What getrs and potrs share: a factor of A in each lane, packed once where the whole batch has the same, and X in
 * B's place by two triangular solves.
 */
#include "batched/triangular/host/triangle_simd.h"

/* The factors of order n of a group of lanes, from the matrices; args: the operation's. */
typedef void NAME(pack_call)(const void *args, const NAME(matrices) * from, int n, ELEM *factor);
/* The group's right-hand sides; inverse: room for 2 n elements, x: for CHUNK n. */
typedef void NAME(solve_call)(const void *args, const batched_group *g, ELEM *factor, ELEM *inverse, ELEM *x);

ALWAYS_INLINE int NAME(solve_groups)(batched_ctx *ctx, const void *args, const batched_matrix *a,
                                     const batched_matrix *b, NAME(pack_call) * pack, NAME(solve_call) * solve)
{
  const bool shared = batched_is_shared(a) && !batched_is_variable(a) && !batched_is_variable(b);
  const size_t most = (size_t)b->m;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, b, W);
  if (status) return status;
  ELEM *factor = batched_scratch_push(ctx, (most + 2 + NAME(CHUNK)) * most * sizeof(ELEM));
  bool packed = false;
  while (factor && batched_groups_next(&groups, &g)) {
    if (g.m == 0) continue;
    if (!packed || !shared) {
      NAME(matrices) from;
      NAME(matrices_of)(a, &g, &from);
      pack(args, &from, g.m, factor);
      packed = true;
    }
    solve(args, &g, factor, factor + most * most, factor + most * (most + 2));
  }
  if (factor) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return factor ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

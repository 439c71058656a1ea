/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inverse as the solution for the identity, by the rows of getrs, some matrices at a time.
 */
#include "batched/lu/host/factors.h"
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/getri_ref.h"
#include "batched/host/each_type.h"

enum { LANES = 64 }; /* a multiple of the matrices of SIMD rows */

int batched_invert_by(batched_ctx *ctx, const batched_getri_args *p, const char *row, int64_t at_once)
{
  const batched_variant *getrs = batched_find_variant(&batched_getrs_op, BATCHED_HOST, row);
  const size_t n = (size_t)p->a.n, bytes = (size_t)at_once * n * n * batched_element_bytes(p->a.type);
  if (n == 0) {
    for (int64_t b = 0; b < p->a.count; b++) p->info[b] = 0;
    return BATCHED_SUCCESS;
  }
  void *lu = batched_scratch_push(ctx, bytes);
  if (!lu) return BATCHED_NO_MEMORY;
  const bool in_lanes = at_once == LANES;
  int status = !in_lanes || batched_has_lane_scratch(ctx, p->a.n, LANES) ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t first = 0; first < p->a.count && !status; first += at_once) {
    const int64_t left = p->a.count - first, count = left < at_once ? left : at_once;
    status = FOR_TYPE(p->a.type, invert, ctx, getrs, p, first, count, lu);
  }
  batched_scratch_pop(ctx);
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  return batched_invert_by(ctx, args, "host.simd", LANES);
}

static int ref(batched_ctx *ctx, const void *args)
{
  return batched_invert_by(ctx, args, "host.ref", 1);
}

const batched_variant batched_getri_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getri){"host.ref", NULL, batched_never, ref},
  {0},
};

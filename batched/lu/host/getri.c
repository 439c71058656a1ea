/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inverse as the solution for the identity, by the rows of getrs, some matrices at a time.
 */
#include "batched/lu/host/factors.h"
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/getri_ref.h"
#include "batched/host/each_type.h"

enum { AT_ONCE = 64 }; /* matrices whose factors are set aside; a multiple of the SIMD lanes */

static int solve(batched_ctx *ctx, const batched_getri_args *p, const char *row)
{
  const batched_variant *getrs = batched_find_variant(&batched_getrs_op, BATCHED_HOST, row);
  const size_t n = (size_t)p->a.n, bytes = AT_ONCE * n * n * batched_element_bytes(p->a.type);
  if (n == 0) {
    for (int64_t b = 0; b < p->a.count; b++) p->info[b] = 0;
    return BATCHED_SUCCESS;
  }
  void *lu = batched_scratch_push(ctx, bytes);
  if (!lu) return BATCHED_NO_MEMORY;
  int status = batched_has_lane_scratch(ctx, p->a.n, AT_ONCE) ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t first = 0; first < p->a.count && !status; first += AT_ONCE) {
    const int64_t left = p->a.count - first, count = left < AT_ONCE ? left : AT_ONCE;
    status = FOR_TYPE(p->a.type, invert, ctx, getrs, p, first, count, lu);
  }
  batched_scratch_pop(ctx);
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.simd");
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

/* At order 40 1.4, at 48 1.1 to 1.2 (complex 0.9), at 64 0.75, at 80 1.2, at 96 0.9. */
static bool is_small(const void *args)
{
  const batched_getri_args *p = args;
  return p->a.n <= 48;
}

const batched_variant batched_getri_host[] = {
  {"host.simd", NULL, is_small, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getri){"host.ref", NULL, batched_never, ref},
  {0},
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/host/factors.h"
#include "batched/lu/host/vendor.h"

#define BODY "batched/lu/host/getri_ref.h"
#include "batched/host/each_type.h"
#define BODY "batched/lu/host/getri_simd.h"
#include "batched/host/each_type.h"

int batched_invert_by(batched_ctx *ctx, const batched_getri_args *p, const char *row)
{
  const batched_variant *getrs = batched_find_variant(&batched_getrs_op, BATCHED_HOST, row);
  const size_t n = (size_t)p->a.n, bytes = n * n * batched_element_bytes(p->a.type);
  if (n == 0) {
    for (int64_t b = 0; b < p->a.count; b++) p->info[b] = 0;
    return BATCHED_SUCCESS;
  }
  void *lu = batched_scratch_push(ctx, bytes);
  if (!lu) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < p->a.count && !status; b++) status = FOR_TYPE(p->a.type, invert, ctx, getrs, p, b, lu);
  batched_scratch_pop(ctx);
  return status;
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_getri_args *p = args;
  return FOR_TYPE(p->a.type, simd, ctx, p);
}

static int ref(batched_ctx *ctx, const void *args)
{
  return batched_invert_by(ctx, args, "host.ref");
}

const batched_variant batched_getri_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, getri){"host.ref", NULL, batched_never, ref},
  {0},
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row simd: a matrix per SIMD lane.  Row ref: gbtrf of all matrices, then gbtrs of those that have an inverse.
 */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/lanes/band_simd.h"
#include "batched/host/each_type.h"

static int solve(batched_ctx *ctx, const batched_gbsv_args *p, const char *row)
{
  const batched_variant *gbtrf = batched_find_variant(&batched_gbtrf_op, BATCHED_HOST, row);
  const batched_variant *gbtrs = batched_find_variant(&batched_gbtrs_op, BATCHED_HOST, row);
  const batched_extent n = {p->ab.n, p->ab.ns};
  const batched_gbtrf_args factor = {n, p->kl, p->ku, p->ab, p->ipiv, p->info};
  int status = gbtrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end = 0; !status && batched_next_sound(p->info, p->ab.count, &begin, &end);) {
    const batched_gbtrs_args some = {BATCHED_NO_TRANS,
                                     batched_extent_part(p->kl, begin),
                                     batched_extent_part(p->ku, begin),
                                     batched_part(p->ab, begin, end - begin),
                                     batched_part(p->b, begin, end - begin),
                                     p->ipiv + begin * p->ab.n};
    status = gbtrs->run(ctx, &some);
  }
  return status;
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_gbsv_args *p = args;
  return FOR_TYPE(p->ab.type, simd, ctx, p->ab.n, p, true);
}

static bool has_one_width(const void *args)
{
  const batched_gbsv_args *p = args;
  return !p->kl.each && !p->ku.each;
}

const batched_variant batched_gbsv_host[] = {
  {"host.simd", has_one_width, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.lapacke", NULL, gbsv){0},
};

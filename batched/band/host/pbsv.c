/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row simd: a matrix per SIMD lane.  Row ref: pbtrf of all matrices, then pbtrs of those that are positive definite.
 */
#include "batched/band/host/band_rows.h"
#include "batched/band/host/vendor.h"

#define BODY "batched/band/host/lanes/definite_simd.h"
#include "batched/host/each_type.h"

static int solve(batched_ctx *ctx, const batched_pbsv_args *p, const char *row)
{
  const batched_variant *pbtrf = batched_find_variant(&batched_pbtrf_op, BATCHED_HOST, row);
  const batched_variant *pbtrs = batched_find_variant(&batched_pbtrs_op, BATCHED_HOST, row);
  const batched_pbtrf_args factor = {p->uplo, p->kd, p->ab, p->info};
  int status = pbtrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end = 0; !status && batched_next_sound(p->info, p->ab.count, &begin, &end);) {
    const batched_pbtrs_args some = {p->uplo, batched_extent_part(p->kd, begin),
                                     batched_part(p->ab, begin, end - begin), batched_part(p->b, begin, end - begin)};
    status = pbtrs->run(ctx, &some);
  }
  return status;
}

static int ref(batched_ctx *ctx, const void *args)
{
  return solve(ctx, args, "host.ref");
}

static int simd(batched_ctx *ctx, const void *args)
{
  const batched_pbsv_args *p = args;
  return FOR_TYPE(p->ab.type, simd, ctx, p, true);
}

static bool has_one_width(const void *args)
{
  const batched_pbsv_args *p = args;
  return !p->kd.each;
}

const batched_variant batched_pbsv_host[] = {
  {"host.simd", has_one_width, batched_by_table, simd},
  {"host.ref", NULL, batched_by_table, ref},
  VENDOR_ROW("vendor.lapacke", NULL, pbsv){0},
};

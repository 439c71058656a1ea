/* SPDX-License-Identifier: BSD-3-Clause
 *
 * potrf of all matrices, then potrs of those that have a factor.
 */
#include "batched/cholesky/host/vendor.h"

static int solve(batched_ctx *ctx, const batched_posv_args *p, const char *row)
{
  const batched_variant *potrf = batched_find_variant(&batched_potrf_op, BATCHED_HOST, row);
  const batched_variant *potrs = batched_find_variant(&batched_potrs_op, BATCHED_HOST, row);
  batched_potrf_args factor = {p->uplo, p->a, p->info};
  if (!batched_has_lane_scratch(ctx, p->a.n, p->a.count)) return BATCHED_NO_MEMORY;
  int status = potrf->run(ctx, &factor);
  if (p->b.m == 0 || p->b.n == 0) return status;
  for (int64_t begin = 0, end = 0; !status && batched_next_sound(p->info, p->a.count, &begin, &end);) {
    batched_potrs_args one = {p->uplo, batched_part(p->a, begin, end - begin), batched_part(p->b, begin, end - begin)};
    status = potrs->run(ctx, &one);
  }
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

const batched_variant batched_posv_host[] = {
  {"host.simd", NULL, batched_by_table, simd},
  VENDOR_ROW("vendor.lapacke", NULL, posv){"host.ref", NULL, batched_never, ref},
  {0},
};

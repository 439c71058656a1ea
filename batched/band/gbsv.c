/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

/* Multiplications and additions of gbtrf and gbtrs. */
static batched_cost cost(const void *args)
{
  const batched_gbsv_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || batched_is_variable(&p->b)) return (batched_cost){0};
  const int n = p->ab.n, kl = p->kl.bound, ku = p->ku.bound;
  const double nrhs = p->b.n, count = (double)p->b.count;
  const double given = batched_band_elements(n, n, kl, ku), factors = batched_band_elements(n, n, kl, (double)kl + ku);
  return (batched_cost){count * (batched_band_lu_flops(n, n, kl, kl + ku) + 2 * factors * nrhs) *
                          batched_flop_weight(p->b.type),
                        count * (given + factors + 2 * n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

static int64_t npivots(const void *args)
{
  const batched_gbsv_args *p = args;
  return p->ab.n;
}

const batched_op batched_gbsv_op = {
  .name = "gbsv",
  .key = "gbsv",
  .variants = {batched_gbsv_host, batched_gbsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gbsv_args),
               2,
               {offsetof(batched_gbsv_args, ab), offsetof(batched_gbsv_args, b)},
               .info = offsetof(batched_gbsv_args, info),
               .pivots = offsetof(batched_gbsv_args, ipiv),
               .npivots = npivots,
               .nextents = 2,
               .extents = {offsetof(batched_gbsv_args, kl), offsetof(batched_gbsv_args, ku)}},
};

int batched_gbsv_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix ab, int *ipiv,
                          batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_extent(ctx, kl, ab.count)) return -2;
  if (!batched_is_extent(ctx, ku, ab.count)) return -3;
  if (!batched_is_valid_result(ctx, &ab) || !batched_has_band(ctx, &ab, 2, kl, ku)) return -4;
  if (!batched_is_given(ipiv, "ipiv", ab.count > 0 && ab.n > 0)) return -5;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&ab, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&ab), batched_row_extent(&b), b.count))
    return -6;
  if (!batched_is_given(info, "info", ab.count > 0)) return -7;
  if (ab.count == 0) return BATCHED_SUCCESS;
  batched_gbsv_args args = {kl, ku, ab, b, ipiv, info};
  return batched_run(ctx, &batched_gbsv_op, &args);
}

int batched_gbsv(batched_ctx *ctx, int kl, int ku, batched_matrix ab, int *ipiv, batched_matrix b, int *info)
{
  return batched_gbsv_variable(ctx, batched_uniform(kl), batched_uniform(ku), ab, ipiv, b, info);
}

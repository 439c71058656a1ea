/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_gbtrs_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count, sets = batched_is_shared(&p->ab) ? 1 : count;
  const double elements = batched_band_elements(n, n, p->kl.bound, (double)p->kl.bound + p->ku.bound);
  return (batched_cost){2 * count * elements * nrhs * batched_flop_weight(p->b.type),
                        (sets * elements + 2 * count * n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

static int64_t npivots(const void *args)
{
  const batched_gbtrs_args *p = args;
  return p->ab.n;
}

const batched_op batched_gbtrs_op = {
  .name = "gbtrs",
  .key = "gbtrs",
  .variants = {batched_gbtrs_host, batched_gbtrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gbtrs_args),
               2,
               {offsetof(batched_gbtrs_args, ab), offsetof(batched_gbtrs_args, b)},
               .pivots = offsetof(batched_gbtrs_args, ipiv),
               .npivots = npivots,
               .nextents = 2,
               .extents = {offsetof(batched_gbtrs_args, kl), offsetof(batched_gbtrs_args, ku)}},
};

int batched_gbtrs_variable(batched_ctx *ctx, batched_trans trans, batched_extent kl, batched_extent ku,
                           batched_matrix ab, const int *ipiv, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_extent(ctx, kl, ab.count)) return -3;
  if (!batched_is_extent(ctx, ku, ab.count)) return -4;
  if (!batched_is_valid(ctx, &ab, b.n > 0) || !batched_has_band(ctx, &ab, 2, kl, ku)) return -5;
  if (!batched_is_given(ipiv, "ipiv", ab.count > 0 && ab.n > 0 && b.n > 0)) return -6;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&ab, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&ab), batched_row_extent(&b), b.count))
    return -7;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_gbtrs_args args = {trans, kl, ku, ab, b, ipiv};
  return batched_run(ctx, &batched_gbtrs_op, &args);
}

int batched_gbtrs(batched_ctx *ctx, batched_trans trans, int kl, int ku, batched_matrix ab, const int *ipiv,
                  batched_matrix b)
{
  return batched_gbtrs_variable(ctx, trans, batched_uniform(kl), batched_uniform(ku), ab, ipiv, b);
}

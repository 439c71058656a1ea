/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

/* Every pivot from the last row it can come from. */
static batched_cost cost(const void *args)
{
  const batched_gbtrf_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || p->m.each) return (batched_cost){0};
  const int m = p->m.bound, n = p->ab.n, kl = p->kl.bound, ku = p->ku.bound;
  const double elements = batched_band_elements(m, n, kl, ku) + batched_band_elements(m, n, kl, (double)kl + ku);
  return (batched_cost){(double)p->ab.count * batched_band_lu_flops(m, n, kl, kl + ku) *
                          batched_flop_weight(p->ab.type),
                        (double)p->ab.count * elements * (double)batched_element_bytes(p->ab.type)};
}

static int64_t npivots(const void *args)
{
  const batched_gbtrf_args *p = args;
  return p->m.bound < p->ab.n ? p->m.bound : p->ab.n;
}

const batched_op batched_gbtrf_op = {
  .name = "gbtrf",
  .key = "gbtrf",
  .variants = {batched_gbtrf_host, batched_gbtrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gbtrf_args),
               1,
               {offsetof(batched_gbtrf_args, ab)},
               .info = offsetof(batched_gbtrf_args, info),
               .pivots = offsetof(batched_gbtrf_args, ipiv),
               .npivots = npivots,
               .nextents = 3,
               .extents = {offsetof(batched_gbtrf_args, m), offsetof(batched_gbtrf_args, kl),
                           offsetof(batched_gbtrf_args, ku)}},
};

int batched_gbtrf_variable(batched_ctx *ctx, batched_extent m, batched_extent kl, batched_extent ku, batched_matrix ab,
                           int *ipiv, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_extent(ctx, m, ab.count)) return -2;
  if (!batched_is_extent(ctx, kl, ab.count)) return -3;
  if (!batched_is_extent(ctx, ku, ab.count)) return -4;
  if (!batched_is_valid_result(ctx, &ab) || !batched_has_band(ctx, &ab, 2, kl, ku)) return -5;
  if (!batched_is_given(ipiv, "ipiv", ab.count > 0 && m.bound > 0 && ab.n > 0)) return -6;
  if (!batched_is_given(info, "info", ab.count > 0)) return -7;
  if (ab.count == 0) return BATCHED_SUCCESS;
  batched_gbtrf_args args = {m, kl, ku, ab, ipiv, info};
  return batched_run(ctx, &batched_gbtrf_op, &args);
}

int batched_gbtrf(batched_ctx *ctx, int m, int kl, int ku, batched_matrix ab, int *ipiv, int *info)
{
  return batched_gbtrf_variable(ctx, batched_uniform(m), batched_uniform(kl), batched_uniform(ku), ab, ipiv, info);
}

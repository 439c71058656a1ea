/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_pbtrf_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kd, p->kd)) return (batched_cost){0};
  const int n = p->ab.n, kd = p->kd.bound;
  const double elements = batched_band_elements(n, n, kd, 0);
  /* half of what LU has to update, and half of the rest */
  return (batched_cost){(double)p->ab.count * (batched_band_lu_flops(n, n, kd, kd) / 2 + n) *
                          batched_flop_weight(p->ab.type),
                        2 * (double)p->ab.count * elements * (double)batched_element_bytes(p->ab.type)};
}

const batched_op batched_pbtrf_op = {
  .name = "pbtrf",
  .key = "pbtrf",
  .variants = {batched_pbtrf_host, batched_pbtrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pbtrf_args),
               1,
               {offsetof(batched_pbtrf_args, ab)},
               .info = offsetof(batched_pbtrf_args, info),
               .nextents = 1,
               .extents = {offsetof(batched_pbtrf_args, kd)}},
};

int batched_pbtrf_variable(batched_ctx *ctx, batched_uplo uplo, batched_extent kd, batched_matrix ab, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_extent(ctx, kd, ab.count)) return -3;
  if (!batched_is_valid_result(ctx, &ab) || !batched_has_band(ctx, &ab, 0, kd, kd)) return -4;
  if (!batched_is_given(info, "info", ab.count > 0)) return -5;
  if (ab.count == 0) return BATCHED_SUCCESS;
  batched_pbtrf_args args = {uplo, kd, ab, info};
  return batched_run(ctx, &batched_pbtrf_op, &args);
}

int batched_pbtrf(batched_ctx *ctx, batched_uplo uplo, int kd, batched_matrix ab, int *info)
{
  return batched_pbtrf_variable(ctx, uplo, batched_uniform(kd), ab, info);
}

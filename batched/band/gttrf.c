/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

/* Every pivot from the row below. */
static batched_cost cost(const void *args)
{
  const batched_gttrf_args *p = args;
  if (batched_is_variable(&p->d)) return (batched_cost){0};
  const double n = batched_length(&p->d).bound, count = (double)p->d.count;
  return (batched_cost){5 * count * n * batched_flop_weight(p->d.type),
                        7 * count * n * (double)batched_element_bytes(p->d.type)};
}

static int64_t npivots(const void *args)
{
  const batched_gttrf_args *p = args;
  return batched_length(&p->d).bound;
}

const batched_op batched_gttrf_op = {
  .name = "gttrf",
  .key = "gttrf",
  .variants = {batched_gttrf_host, batched_gttrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gttrf_args),
               4,
               {offsetof(batched_gttrf_args, d), offsetof(batched_gttrf_args, dl), offsetof(batched_gttrf_args, du),
                offsetof(batched_gttrf_args, du2)},
               .info = offsetof(batched_gttrf_args, info),
               .pivots = offsetof(batched_gttrf_args, ipiv),
               .npivots = npivots},
};

int batched_gttrf(batched_ctx *ctx, batched_matrix dl, batched_matrix d, batched_matrix du, batched_matrix du2,
                  int *ipiv, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &d) || !batched_is_vector(&d)) return -3;
  const batched_extent n = batched_length(&d);
  if (!batched_is_diagonal(ctx, &dl, &d, 1, true)) return -2;
  if (!batched_is_diagonal(ctx, &du, &d, 1, true)) return -4;
  if (!batched_is_diagonal(ctx, &du2, &d, 2, true)) return -5;
  if (!batched_is_given(ipiv, "ipiv", d.count > 0 && n.bound > 0)) return -6;
  if (!batched_is_given(info, "info", d.count > 0)) return -7;
  if (d.count == 0) return BATCHED_SUCCESS;
  batched_gttrf_args args = {d, dl, du, du2, ipiv, info};
  return batched_run(ctx, &batched_gttrf_op, &args);
}

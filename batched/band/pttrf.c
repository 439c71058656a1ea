/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_pttrf_args *p = args;
  if (batched_is_variable(&p->d)) return (batched_cost){0};
  const double n = batched_length(&p->d).bound, count = (double)p->d.count,
               size = (double)batched_element_bytes(p->e.type);
  return (batched_cost){3 * count * n * batched_flop_weight(p->e.type) / (batched_is_complex(p->e.type) ? 2 : 1),
                        2 * count * n * (size + (double)batched_element_bytes(p->d.type))};
}

const batched_op batched_pttrf_op = {
  .name = "pttrf",
  .key = "pttrf",
  .variants = {batched_pttrf_host, batched_pttrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pttrf_args),
               2,
               {offsetof(batched_pttrf_args, d), offsetof(batched_pttrf_args, e)},
               .info = offsetof(batched_pttrf_args, info)},
};

int batched_pttrf(batched_ctx *ctx, batched_matrix d, batched_matrix e, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_real_diagonal(ctx, &d, true)) return -2;
  if (!batched_is_off_diagonal(ctx, &e, &d, true)) return -3;
  if (!batched_is_given(info, "info", d.count > 0)) return -4;
  if (d.count == 0) return BATCHED_SUCCESS;
  batched_pttrf_args args = {d, e, info};
  return batched_run(ctx, &batched_pttrf_op, &args);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_ptsv_args *p = args;
  if (batched_is_variable(&p->d) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count;
  const double size = (double)batched_element_bytes(p->e.type), real = (double)batched_element_bytes(p->d.type);
  return (batched_cost){count * n * (3 + 5 * nrhs) * batched_flop_weight(p->e.type),
                        2 * count * n * (size + real + nrhs * size)};
}

const batched_op batched_ptsv_op = {
  .name = "ptsv",
  .key = "ptsv",
  .variants = {batched_ptsv_host, batched_ptsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_ptsv_args),
               3,
               {offsetof(batched_ptsv_args, d), offsetof(batched_ptsv_args, e), offsetof(batched_ptsv_args, b)},
               .info = offsetof(batched_ptsv_args, info)},
};

int batched_ptsv(batched_ctx *ctx, batched_matrix d, batched_matrix e, batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_real_diagonal(ctx, &d, true)) return -2;
  if (!batched_is_off_diagonal(ctx, &e, &d, true)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&e, &b) ||
      !batched_same_extent(ctx, batched_length(&d), batched_row_extent(&b), b.count))
    return -4;
  if (!batched_is_given(info, "info", d.count > 0)) return -5;
  if (d.count == 0) return BATCHED_SUCCESS;
  batched_ptsv_args args = {d, e, b, info};
  return batched_run(ctx, &batched_ptsv_op, &args);
}

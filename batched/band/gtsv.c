/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

/* Every pivot from the row below. */
static batched_cost cost(const void *args)
{
  const batched_gtsv_args *p = args;
  if (batched_is_variable(&p->d) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count;
  return (batched_cost){count * n * (5 + 8 * nrhs) * batched_flop_weight(p->b.type),
                        count * n * (3 + 2 * nrhs) * (double)batched_element_bytes(p->b.type)};
}

const batched_op batched_gtsv_op = {
  .name = "gtsv",
  .key = "gtsv",
  .variants = {batched_gtsv_host, batched_gtsv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gtsv_args),
               4,
               {offsetof(batched_gtsv_args, d), offsetof(batched_gtsv_args, dl), offsetof(batched_gtsv_args, du),
                offsetof(batched_gtsv_args, b)},
               .info = offsetof(batched_gtsv_args, info)},
};

int batched_gtsv(batched_ctx *ctx, batched_matrix dl, batched_matrix d, batched_matrix du, batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &d) || !batched_is_vector(&d)) return -3;
  if (!batched_is_diagonal(ctx, &dl, &d, 1, true)) return -2;
  if (!batched_is_diagonal(ctx, &du, &d, 1, true)) return -4;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&d, &b) ||
      !batched_same_extent(ctx, batched_length(&d), batched_row_extent(&b), b.count))
    return -5;
  if (!batched_is_given(info, "info", d.count > 0)) return -6;
  if (d.count == 0) return BATCHED_SUCCESS;
  batched_gtsv_args args = {d, dl, du, b, info};
  return batched_run(ctx, &batched_gtsv_op, &args);
}

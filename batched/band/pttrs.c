/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_pttrs_args *p = args;
  if (batched_is_variable(&p->d) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count, sets = batched_is_shared(&p->d) ? 1 : count;
  const double size = (double)batched_element_bytes(p->e.type), real = (double)batched_element_bytes(p->d.type);
  return (batched_cost){5 * count * n * nrhs * batched_flop_weight(p->e.type),
                        sets * n * (size + real) + 2 * count * n * nrhs * size};
}

const batched_op batched_pttrs_op = {
  .name = "pttrs",
  .key = "pttrs",
  .variants = {batched_pttrs_host, batched_pttrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pttrs_args),
               3,
               {offsetof(batched_pttrs_args, d), offsetof(batched_pttrs_args, e), offsetof(batched_pttrs_args, b)}},
};

int batched_pttrs(batched_ctx *ctx, batched_uplo uplo, batched_matrix d, batched_matrix e, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_real_diagonal(ctx, &d, false)) return -3;
  if (!batched_is_off_diagonal(ctx, &e, &d, false)) return -4;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&e, &b) ||
      !batched_same_extent(ctx, batched_length(&d), batched_row_extent(&b), b.count))
    return -5;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_pttrs_args args = {uplo, d, e, b};
  return batched_run(ctx, &batched_pttrs_op, &args);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_gttrs_args *p = args;
  if (batched_is_variable(&p->d) || batched_is_variable(&p->b)) return (batched_cost){0};
  const double n = p->b.m, nrhs = p->b.n, count = (double)p->b.count, sets = batched_is_shared(&p->d) ? 1 : count;
  return (batched_cost){8 * count * n * nrhs * batched_flop_weight(p->b.type),
                        (4 * sets * n + 2 * count * n * nrhs) * (double)batched_element_bytes(p->b.type)};
}

static int64_t npivots(const void *args)
{
  const batched_gttrs_args *p = args;
  return batched_length(&p->d).bound;
}

const batched_op batched_gttrs_op = {
  .name = "gttrs",
  .key = "gttrs",
  .variants = {batched_gttrs_host, batched_gttrs_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gttrs_args),
               5,
               {offsetof(batched_gttrs_args, d), offsetof(batched_gttrs_args, dl), offsetof(batched_gttrs_args, du),
                offsetof(batched_gttrs_args, du2), offsetof(batched_gttrs_args, b)},
               .pivots = offsetof(batched_gttrs_args, ipiv),
               .npivots = npivots},
};

int batched_gttrs(batched_ctx *ctx, batched_trans trans, batched_matrix dl, batched_matrix d, batched_matrix du,
                  batched_matrix du2, const int *ipiv, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_valid(ctx, &d, b.n > 0) || !batched_is_vector(&d)) return -4;
  const batched_extent n = batched_length(&d);
  if (!batched_is_diagonal(ctx, &dl, &d, 1, false)) return -3;
  if (!batched_is_diagonal(ctx, &du, &d, 1, false)) return -5;
  if (!batched_is_diagonal(ctx, &du2, &d, 2, false)) return -6;
  if (!batched_is_given(ipiv, "ipiv", d.count > 0 && n.bound > 0 && b.n > 0)) return -7;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&d, &b) ||
      !batched_same_extent(ctx, n, batched_row_extent(&b), b.count))
    return -8;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  batched_gttrs_args args = {trans, d, dl, du, du2, b, ipiv};
  return batched_run(ctx, &batched_gttrs_op, &args);
}

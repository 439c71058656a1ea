/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_unpack_band_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || batched_is_variable(&p->a)) return (batched_cost){0};
  const double elements = batched_band_elements(p->a.m, p->a.n, p->kl.bound, p->ku.bound), count = (double)p->a.count;
  return (batched_cost){0, count * (elements + (double)p->a.m * p->a.n) * (double)batched_element_bytes(p->a.type)};
}

const batched_op batched_unpack_band_op = {
  .name = "unpack_band",
  .key = "unpack_band",
  .variants = {batched_unpack_band_host, batched_unpack_band_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unpack_band_args),
               2,
               {offsetof(batched_unpack_band_args, a), offsetof(batched_unpack_band_args, ab)},
               .nextents = 2,
               .extents = {offsetof(batched_unpack_band_args, kl), offsetof(batched_unpack_band_args, ku)}},
};

int batched_unpack_band_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix ab,
                                 batched_matrix a)
{
  if (!ctx) return -1;
  if (!batched_is_extent(ctx, kl, ab.count)) return -2;
  if (!batched_is_extent(ctx, ku, ab.count)) return -3;
  if (!batched_is_valid(ctx, &ab, true) || !batched_has_band(ctx, &ab, 1, kl, ku)) return -4;
  if (!batched_is_valid_result(ctx, &a)) return -5;
  if (!batched_same_kind(&a, &ab) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_col_extent(&ab), a.count))
    return -5;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_unpack_band_args args = {kl, ku, a, ab};
  return batched_run(ctx, &batched_unpack_band_op, &args);
}

int batched_unpack_band(batched_ctx *ctx, int kl, int ku, batched_matrix ab, batched_matrix a)
{
  return batched_unpack_band_variable(ctx, batched_uniform(kl), batched_uniform(ku), ab, a);
}

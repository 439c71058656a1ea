/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_pack_band_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || batched_is_variable(&p->a)) return (batched_cost){0};
  const double elements = batched_band_elements(p->a.m, p->a.n, p->kl.bound, p->ku.bound), count = (double)p->a.count;
  return (batched_cost){0, 2 * elements * count * (double)batched_element_bytes(p->a.type)};
}

const batched_op batched_pack_band_op = {
  .name = "pack_band",
  .key = "pack_band",
  .variants = {batched_pack_band_host, batched_pack_band_cuda},
  .cost = cost,
  .operands = {sizeof(batched_pack_band_args),
               2,
               {offsetof(batched_pack_band_args, ab), offsetof(batched_pack_band_args, a)},
               .nextents = 2,
               .extents = {offsetof(batched_pack_band_args, kl), offsetof(batched_pack_band_args, ku)}},
};

int batched_pack_band_variable(batched_ctx *ctx, batched_extent kl, batched_extent ku, batched_matrix a,
                               batched_matrix ab)
{
  if (!ctx) return -1;
  if (!batched_is_extent(ctx, kl, ab.count)) return -2;
  if (!batched_is_extent(ctx, ku, ab.count)) return -3;
  if (!batched_is_valid(ctx, &a, true)) return -4;
  if (!batched_is_valid_result(ctx, &ab) || !batched_has_band(ctx, &ab, 1, kl, ku)) return -5;
  if (!batched_same_kind(&a, &ab) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_col_extent(&ab), a.count))
    return -5;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_pack_band_args args = {kl, ku, a, ab};
  return batched_run(ctx, &batched_pack_band_op, &args);
}

int batched_pack_band(batched_ctx *ctx, int kl, int ku, batched_matrix a, batched_matrix ab)
{
  return batched_pack_band_variable(ctx, batched_uniform(kl), batched_uniform(ku), a, ab);
}

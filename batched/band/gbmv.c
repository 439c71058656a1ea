/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/band/band.h"
#include "batched/band/check_band.h"

static batched_cost cost(const void *args)
{
  const batched_gbmv_args *p = args;
  if (!batched_is_uniform_band(&p->ab, p->kl, p->ku) || p->m.each || batched_is_variable(&p->y))
    return (batched_cost){0};
  const double one = batched_band_elements(p->m.bound, p->ab.n, p->kl.bound, p->ku.bound), count = (double)p->y.count;
  const double elements = (batched_is_shared(&p->ab) ? one : count * one) + batched_model_elements(&p->x) +
                          (batched_is_zero(p->y.type, p->beta) ? 1 : 2) * batched_model_elements(&p->y);
  return (batched_cost){2 * count * one * batched_flop_weight(p->y.type),
                        elements * (double)batched_element_bytes(p->y.type)};
}

const batched_op batched_gbmv_op = {
  .name = "gbmv",
  .key = "gbmv",
  .variants = {batched_gbmv_host, batched_gbmv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gbmv_args),
               3,
               {offsetof(batched_gbmv_args, ab), offsetof(batched_gbmv_args, x), offsetof(batched_gbmv_args, y)},
               .nextents = 3,
               .extents = {offsetof(batched_gbmv_args, m), offsetof(batched_gbmv_args, kl),
                           offsetof(batched_gbmv_args, ku)}},
};

int batched_gbmv_variable(batched_ctx *ctx, batched_trans trans, batched_extent m, batched_extent kl, batched_extent ku,
                          batched_scalar alpha, batched_matrix ab, batched_matrix x, batched_scalar beta,
                          batched_matrix y)
{
  const bool used = !batched_is_zero(y.type, alpha), plain = trans == BATCHED_NO_TRANS;
  const batched_extent n = batched_col_extent(&ab);
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_extent(ctx, m, ab.count)) return -3;
  if (!batched_is_extent(ctx, kl, ab.count)) return -4;
  if (!batched_is_extent(ctx, ku, ab.count)) return -5;
  if (!batched_is_valid(ctx, &ab, used) || !batched_has_band(ctx, &ab, 1, kl, ku)) return -7;
  if (!batched_is_valid(ctx, &x, used) || !batched_same_kind(&ab, &x) ||
      !batched_same_extent(ctx, batched_length(&x), plain ? n : m, x.count))
    return -8;
  if (!batched_is_valid_result(ctx, &y) || !batched_same_kind(&ab, &y) ||
      !batched_same_extent(ctx, batched_length(&y), plain ? m : n, y.count))
    return -10;
  if (y.count == 0 || y.m == 0 || y.n == 0) return BATCHED_SUCCESS;
  batched_gbmv_args args = {trans, alpha, beta, m, kl, ku, ab, x, y};
  return batched_run(ctx, &batched_gbmv_op, &args);
}

int batched_gbmv(batched_ctx *ctx, batched_trans trans, int m, int kl, int ku, batched_scalar alpha, batched_matrix ab,
                 batched_matrix x, batched_scalar beta, batched_matrix y)
{
  return batched_gbmv_variable(ctx, trans, batched_uniform(m), batched_uniform(kl), batched_uniform(ku), alpha, ab, x,
                               beta, y);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/batched_two_stage.h"
#include "batched/two_stage/check_reduction.h"

/* 8 n^2 kd, whatever of Q2 and P2 is kept; the band read once, half of vq and vp written. */
static batched_cost cost(const void *args)
{
  const batched_gb2bd_args *g = args;
  const double n = g->ab.n, kd = batched_clamp_width(g->ab.n, g->kd), count = batched_model_count(&g->d);
  const double copies = batched_is_shared(&g->ab) && count > 0 ? 1 : count;
  const double vectors = g->job == BATCHED_VECTORS ? n * n : 0;
  return (batched_cost){count * 8 * n * n * kd * batched_flop_weight(g->ab.type),
                        (copies * n * (kd + 1) + count * vectors) * (double)batched_element_bytes(g->ab.type) +
                          count * 2 * n * (double)batched_element_bytes(g->d.type)};
}

const batched_op batched_gb2bd_op = {
  .name = "gb2bd",
  .key = "gb2bd",
  .variants = {batched_gb2bd_host, batched_gb2bd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gb2bd_args),
               5,
               {offsetof(batched_gb2bd_args, d), offsetof(batched_gb2bd_args, ab), offsetof(batched_gb2bd_args, e),
                offsetof(batched_gb2bd_args, vq), offsetof(batched_gb2bd_args, vp)}},
};

int batched_gb2bd(batched_ctx *ctx, batched_job job, batched_uplo uplo, int kd, batched_matrix ab, batched_matrix d,
                  batched_matrix e, batched_matrix vq, batched_matrix vp)
{
  const batched_matrix none = {0};
  const int wrong = batched_check_band_reduction(ctx, job, uplo, kd, &ab, &d, &e);
  if (wrong) return wrong;
  if (job == BATCHED_VECTORS && !batched_is_square_of_band(ctx, &vq, &ab)) return -8;
  if (job == BATCHED_VECTORS && !batched_is_square_of_band(ctx, &vp, &ab)) return -9;
  if (ab.count == 0 || ab.n == 0) return BATCHED_SUCCESS;
  const bool vectors = job == BATCHED_VECTORS;
  batched_gb2bd_args args = {job, uplo, kd, ab, d, e, vectors ? vq : none, vectors ? vp : none};
  return batched_run(ctx, &batched_gb2bd_op, &args);
}

/* Sweeps of gb2bd are those of hb2st. */
int batched_unmbr_gb2bd(batched_ctx *ctx, batched_side side, batched_trans trans, int kd, batched_matrix v,
                        batched_matrix c)
{
  return batched_unmtr_hb2st(ctx, side, trans, kd, v, c);
}

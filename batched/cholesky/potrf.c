/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/cholesky/cholesky.h"

static batched_cost cost(const void *args)
{
  const batched_potrf_args *p = args;
  double n = p->a.n, count = batched_model_count(&p->a);
  return (batched_cost){count * n * (n + 1) * (2 * n + 1) / 6 * batched_flop_weight(p->a.type),
                        count * n * (n + 1) * (double)batched_element_bytes(p->a.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.warp", "cuda.lanes"},           {"cuda.tiles", "cuda.warp_tc"},
  {"cuda.strips", "cuda.panels_tc"},     {"cuda.fused", "cuda.shared"},
  {"cuda.looped", "cuda.panels_greedy"}, {"cuda.greedy", "cuda.panels_greedy"},
  {"cuda.lazy", "cuda.panels_lazy"},     {0},
};

const batched_op batched_potrf_op = {
  .name = "potrf",
  .key = "potrf",
  .variants = {batched_potrf_host, batched_potrf_cuda},
  .cost = cost,
  .operands = {sizeof(batched_potrf_args),
               1,
               {offsetof(batched_potrf_args, a)},
               .info = offsetof(batched_potrf_args, info)},
  .aliases = aliases,
};

int batched_potrf(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_given(info, "info", a.count > 0)) return -4;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_potrf_args args = {uplo, a, info};
  return batched_run(ctx, &batched_potrf_op, &args);
}

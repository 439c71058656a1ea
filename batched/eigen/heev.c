/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"

/* The work of reducing to a tridiagonal matrix, and of its vectors: what the problem needs, not what Jacobi does. */
static batched_cost cost(const void *args)
{
  const batched_heev_args *h = args;
  double n = h->a.n, count = batched_model_count(&h->a);
  bool vectors = h->job == BATCHED_VECTORS;
  return (batched_cost){count * n * n * n * (vectors ? 9.0 : 4.0 / 3) * batched_flop_weight(h->a.type),
                        count * (n * (n + 1) / 2 + (vectors ? n * n : 0)) * (double)batched_element_bytes(h->a.type) +
                          count * n * (double)batched_element_bytes(h->w.type)};
}

static const batched_alias aliases[] = {
  {"cuda.jacobi", "cuda.lanes"},
  {"cuda.block", "cuda.shared"},
  {NULL, NULL},
};

const batched_op batched_heev_op = {
  .name = "heev",
  .key = "heev",
  .variants = {batched_heev_host, batched_heev_cuda},
  .cost = cost,
  .operands = {sizeof(batched_heev_args),
               2,
               {offsetof(batched_heev_args, a), offsetof(batched_heev_args, w)},
               .info = offsetof(batched_heev_args, info)},
  .aliases = aliases,
};

int batched_heev(batched_ctx *ctx, batched_job job, batched_uplo uplo, batched_matrix a, batched_matrix w, int *info)
{
  if (!ctx) return -1;
  const bool is_signed = job == BATCHED_SIGNED_VECTORS;
  if (is_signed) job = BATCHED_VECTORS;
  if (!batched_is_job(job)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  bool fine = job == BATCHED_VECTORS ? batched_is_valid_result(ctx, &a) : batched_is_valid(ctx, &a, true);
  if (!fine || !batched_is_square(ctx, &a)) return -4;
  if (!batched_is_vector_of(ctx, &a, &w, batched_real_type(a.type), 0)) return -5;
  if (!batched_is_given(info, "info", a.count > 0)) return -6;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_heev_args args = {job, uplo, a, w, info};
  const batched_matrix none = {0};
  const int status = batched_run(ctx, &batched_heev_op, &args);
  return status || !is_signed ? status : batched_eigen_steps_of(ctx)->fix_signs(ctx, &a, &none);
}

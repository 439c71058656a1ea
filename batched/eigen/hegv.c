/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"

/* potrf, hegst, heev, and a triangular solve or product. */
static batched_cost cost(const void *args)
{
  const batched_hegv_args *h = args;
  double n = h->a.n, count = batched_model_count(&h->a);
  const bool vectors = h->job == BATCHED_VECTORS;
  return (batched_cost){count * n * n * n * (vectors ? 11 + 1.0 / 3 : 8.0 / 3) * batched_flop_weight(h->a.type),
                        count * (1.5 * n * (n + 1) + (vectors ? n * n : 0)) * (double)batched_element_bytes(h->a.type) +
                          count * n * (double)batched_element_bytes(h->w.type)};
}

const batched_op batched_hegv_op = {
  .name = "hegv",
  .key = "hegv",
  .variants = {batched_hegv_host, batched_hegv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_hegv_args),
               3,
               {offsetof(batched_hegv_args, a), offsetof(batched_hegv_args, b), offsetof(batched_hegv_args, w)},
               .info = offsetof(batched_hegv_args, info)},
};

int batched_hegv(batched_ctx *ctx, int itype, batched_job job, batched_uplo uplo, batched_matrix a, batched_matrix b,
                 batched_matrix w, int *info)
{
  if (!ctx) return -1;
  if (!batched_accept(itype >= 1 && itype <= 3, "itype %d is not 1, 2 or 3", itype)) return -2;
  const bool is_signed = job == BATCHED_SIGNED_VECTORS;
  if (is_signed) job = BATCHED_VECTORS;
  if (!batched_is_job(job)) return -3;
  if (!batched_is_uplo(uplo)) return -4;
  const bool fine = job == BATCHED_VECTORS ? batched_is_valid_result(ctx, &a) : batched_is_valid(ctx, &a, true);
  if (!fine || !batched_is_square(ctx, &a)) return -5;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_shape(ctx, &a, &b)) return -6;
  if (!batched_is_vector_of(ctx, &a, &w, batched_real_type(a.type), 0)) return -7;
  if (!batched_is_given(info, "info", a.count > 0)) return -8;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_hegv_args args = {itype, job, uplo, a, b, w, info};
  const batched_matrix none = {0};
  const int status = batched_run(ctx, &batched_hegv_op, &args);
  return status || !is_signed ? status : batched_eigen_steps_of(ctx)->fix_signs(ctx, &a, &none);
}

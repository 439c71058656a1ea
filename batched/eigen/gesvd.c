/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"

static double smaller(double x, double y)
{
  return x < y ? x : y;
}

/* The work of reducing to a bidiagonal matrix, and of its vectors: what the problem needs, not what Jacobi does. */
static batched_cost cost(const void *args)
{
  const batched_gesvd_args *g = args;
  double k = smaller(g->a.m, g->a.n), l = g->a.m + g->a.n - k, count = batched_model_count(&g->a);
  bool vectors = g->job == BATCHED_VECTORS;
  double elements = (double)g->a.m * g->a.n + (vectors ? k * (k + l) : 0);
  return (batched_cost){
    count * (4 * k * k * l - 4.0 / 3 * k * k * k + (vectors ? 8 * k * k * l : 0)) * batched_flop_weight(g->a.type),
    count * elements * (double)batched_element_bytes(g->a.type) + count * k * (double)batched_element_bytes(g->s.type)};
}

static const batched_alias aliases[] = {
  {"cuda.jacobi", "cuda.lanes"},
  {"cuda.block", "cuda.shared"},
  {NULL, NULL},
};

const batched_op batched_gesvd_op = {
  .name = "gesvd",
  .key = "gesvd",
  .variants = {batched_gesvd_host, batched_gesvd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gesvd_args),
               4,
               {offsetof(batched_gesvd_args, a), offsetof(batched_gesvd_args, s), offsetof(batched_gesvd_args, u),
                offsetof(batched_gesvd_args, vt)},
               .info = offsetof(batched_gesvd_args, info)},
  .aliases = aliases,
};

int batched_gesvd(batched_ctx *ctx, batched_job job, batched_matrix a, batched_matrix s, batched_matrix u,
                  batched_matrix vt, int *info)
{
  if (!ctx) return -1;
  const bool is_signed = job == BATCHED_SIGNED_VECTORS;
  if (is_signed) job = BATCHED_VECTORS;
  if (!batched_is_job(job)) return -2;
  if (!batched_is_valid(ctx, &a, true)) return -3;
  if (!batched_is_valid_result(ctx, &s) || s.type != batched_real_type(a.type) || s.count != a.count ||
      !batched_is_min_extent(ctx, batched_length(&s), &a))
    return -4;
  if (job == BATCHED_VECTORS) {
    if (!batched_is_valid_result(ctx, &u) || !batched_same_kind(&a, &u) ||
        !batched_same_extent(ctx, batched_row_extent(&u), batched_row_extent(&a), a.count) ||
        !batched_is_min_extent(ctx, batched_col_extent(&u), &a))
      return -5;
    if (!batched_is_valid_result(ctx, &vt) || !batched_same_kind(&a, &vt) ||
        !batched_same_extent(ctx, batched_col_extent(&vt), batched_col_extent(&a), a.count) ||
        !batched_is_min_extent(ctx, batched_row_extent(&vt), &a))
      return -6;
  }
  if (!info && a.count > 0) return -7;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_gesvd_args args = {job, a, s, u, vt, info};
  const int status = batched_run(ctx, &batched_gesvd_op, &args);
  return status || !is_signed ? status : batched_eigen_steps_of(ctx)->fix_signs(ctx, &u, &vt);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"
#include "batched/eigen/steps.h"
#include "batched/tridiagonal/tridiagonal.h"

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

/* x: u, or vt. */
static bool is_wrong(const batched_ctx *ctx, const batched_matrix *a, const batched_matrix *x, bool right, bool full)
{
  if (batched_is_absent(x) && !x->data && !x->array) return false;
  const batched_extent outer = right ? batched_col_extent(x) : batched_row_extent(x),
                       inner = right ? batched_row_extent(x) : batched_col_extent(x),
                       side = right ? batched_col_extent(a) : batched_row_extent(a);
  return !batched_is_valid_result(ctx, x) || !batched_same_kind(a, x) ||
         !batched_same_extent(ctx, outer, side, a->count) ||
         !(full ? batched_same_extent(ctx, inner, side, a->count) : batched_is_min_extent(ctx, inner, a));
}

int batched_gesvd(batched_ctx *ctx, batched_job job, batched_matrix a, batched_matrix s, batched_matrix u,
                  batched_matrix vt, int *info)
{
  if (!ctx) return -1;
  const bool full = job == BATCHED_FULL_VECTORS, is_signed = job == BATCHED_SIGNED_VECTORS;
  if (!full && !is_signed && !batched_is_job(job)) return -2;
  if (!batched_is_valid(ctx, &a, true)) return -3;
  if (!batched_is_vector_of(ctx, &a, &s, batched_real_type(a.type), 0)) return -4;
  if (job != BATCHED_VALUES && is_wrong(ctx, &a, &u, false, full)) return -5;
  if (job != BATCHED_VALUES && is_wrong(ctx, &a, &vt, true, full)) return -6;
  if (!batched_is_given(info, "info", a.count > 0)) return -7;
  if (a.count == 0) return BATCHED_SUCCESS;
  const bool has_u = !batched_is_absent(&u), has_vt = !batched_is_absent(&vt);
  if (!has_u && !has_vt) job = BATCHED_VALUES;
  const bool both = has_u && has_vt && !full;
  const batched_gesvd_args args = {both && is_signed ? BATCHED_VECTORS : job, a, s, u, vt, info};
  if (job != BATCHED_VALUES && !both) return batched_gesvd_sides(ctx, &args);
  const int status = batched_run(ctx, &batched_gesvd_op, &args);
  return status || job != BATCHED_SIGNED_VECTORS ? status : batched_eigen_steps_of(ctx)->fix_signs(ctx, &u, &vt);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

static double smaller(double x, double y)
{
  return x < y ? x : y;
}

/* The reduction to a bidiagonal matrix, and for each vector the products with Q and P. */
static batched_cost cost(const void *args)
{
  const batched_gesvdx_args *g = args;
  double k = smaller(g->a.m, g->a.n), l = g->a.m + g->a.n - k, few = batched_length(&g->s).bound;
  const double count = batched_model_count(&g->a), vectors = g->job == BATCHED_VECTORS ? few : 0;
  return (batched_cost){count * (4 * k * k * l - 4.0 / 3 * k * k * k + 4 * k * l * vectors) *
                          batched_flop_weight(g->a.type),
                        count * (k * l + (k + l) * vectors) * (double)batched_element_bytes(g->a.type) +
                          count * few * (double)batched_element_bytes(g->s.type)};
}

const batched_op batched_gesvdx_op = {
  .name = "gesvdx",
  .key = "gesvdx",
  .variants = {batched_gesvdx_host, batched_gesvdx_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gesvdx_args),
               4,
               {offsetof(batched_gesvdx_args, a), offsetof(batched_gesvdx_args, s), offsetof(batched_gesvdx_args, u),
                offsetof(batched_gesvdx_args, vt)},
               .info = offsetof(batched_gesvdx_args, info),
               .counts = offsetof(batched_gesvdx_args, found)},
};

int batched_gesvdx(batched_ctx *ctx, batched_job job, batched_range range, batched_matrix a, double vl, double vu,
                   int il, int iu, int *found, batched_matrix s, batched_matrix u, batched_matrix vt, int *info)
{
  if (!ctx) return -1;
  const bool is_signed = job == BATCHED_SIGNED_VECTORS;
  if (is_signed) job = BATCHED_VECTORS;
  if (!batched_is_job(job)) return -2;
  if (!batched_is_valid(ctx, &a, true)) return -4;
  const int k = a.m < a.n ? a.m : a.n, bad = batched_check_range(range, vl, vu, il, iu, k, 4);
  if (bad) return bad == -4 ? -3 : bad;
  if (!batched_is_given(found, "found", a.count > 0)) return -9;
  if (!batched_is_range_of(ctx, &s, batched_real_type(a.type), a.count, range, batched_range_length(range, il, iu, k)))
    return -10;
  if (job == BATCHED_VECTORS) {
    if (!batched_is_valid_result(ctx, &u) || !batched_same_kind(&a, &u) ||
        !batched_same_extent(ctx, batched_row_extent(&u), batched_row_extent(&a), a.count) ||
        !batched_same_extent(ctx, batched_col_extent(&u), batched_length(&s), a.count))
      return -11;
    if (!batched_is_valid_result(ctx, &vt) || !batched_same_kind(&a, &vt) ||
        !batched_same_extent(ctx, batched_col_extent(&vt), batched_col_extent(&a), a.count) ||
        !batched_same_extent(ctx, batched_row_extent(&vt), batched_length(&s), a.count))
      return -12;
  }
  if (!batched_is_given(info, "info", a.count > 0)) return -13;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_matrix none = {0};
  const bool vectors = job == BATCHED_VECTORS;
  const batched_gesvdx_args args = {job,   range, vl,       vu, il, iu, a, s, vectors ? u : none, vectors ? vt : none,
                                    found, info,  is_signed};
  return batched_run(ctx, &batched_gesvdx_op, &args);
}

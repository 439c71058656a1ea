/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

/* The reduction, and for each vector the product with Q. */
static batched_cost cost(const void *args)
{
  const batched_heevx_args *h = args;
  double n = h->a.n, k = batched_length(&h->w).bound, count = batched_model_count(&h->a);
  const double vectors = h->job == BATCHED_VECTORS ? k : 0;
  return (batched_cost){count * (n * n * n * 4 / 3 + 2 * n * n * vectors) * batched_flop_weight(h->a.type),
                        count * (n * (n + 1) / 2 + n * vectors) * (double)batched_element_bytes(h->a.type) +
                          count * k * (double)batched_element_bytes(h->w.type)};
}

const batched_op batched_heevx_op = {
  .name = "heevx",
  .key = "heevx",
  .variants = {batched_heevx_host, batched_heevx_cuda},
  .cost = cost,
  .operands = {sizeof(batched_heevx_args),
               3,
               {offsetof(batched_heevx_args, a), offsetof(batched_heevx_args, w), offsetof(batched_heevx_args, z)},
               .info = offsetof(batched_heevx_args, info),
               .counts = offsetof(batched_heevx_args, found)},
};

int batched_heevx(batched_ctx *ctx, batched_job job, batched_range range, batched_uplo uplo, batched_matrix a,
                  double vl, double vu, int il, int iu, int *found, batched_matrix w, batched_matrix z, int *info)
{
  if (!ctx) return -1;
  const bool is_signed = job == BATCHED_SIGNED_VECTORS;
  if (is_signed) job = BATCHED_VECTORS;
  if (!batched_is_job(job)) return -2;
  if (!batched_is_uplo(uplo)) return -4;
  if (!batched_is_valid(ctx, &a, true) || !batched_is_square(ctx, &a)) return -5;
  const int bad = batched_check_range(range, vl, vu, il, iu, a.n, 5);
  if (bad) return bad == -5 ? -3 : bad;
  if (!batched_is_given(found, "found", a.count > 0)) return -10;
  if (!batched_is_range_of(ctx, &w, batched_real_type(a.type), a.count, range,
                           batched_range_length(range, il, iu, a.n)))
    return -11;
  if (job == BATCHED_VECTORS && (!batched_is_valid_result(ctx, &z) || !batched_same_kind(&a, &z) ||
                                 !batched_same_extent(ctx, batched_row_extent(&z), batched_row_extent(&a), a.count) ||
                                 !batched_same_extent(ctx, batched_col_extent(&z), batched_length(&w), a.count)))
    return -12;
  if (!batched_is_given(info, "info", a.count > 0)) return -13;
  if (a.count == 0) return BATCHED_SUCCESS;
  const batched_matrix none = {0};
  const batched_heevx_args args = {job,   range, uplo,     vl, vu, il, iu, a, w, job == BATCHED_VECTORS ? z : none,
                                   found, info,  is_signed};
  return batched_run(ctx, &batched_heevx_op, &args);
}

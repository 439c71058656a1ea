/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

/* Three solves for each vector, and nothing for clusters. */
static batched_cost cost(const void *args)
{
  const batched_stein_args *s = args;
  const double n = s->z.m, k = s->z.n, count = batched_model_count(&s->z);
  return (batched_cost){count * 40 * n * k, count * (2 * n + k) * (double)batched_element_bytes(s->d.type) +
                                              count * n * k * (double)batched_element_bytes(s->z.type)};
}

const batched_op batched_stein_op = {
  .name = "stein",
  .key = "stein",
  .variants = {batched_stein_host, batched_stein_cuda},
  .cost = cost,
  .operands = {sizeof(batched_stein_args),
               4,
               {offsetof(batched_stein_args, d), offsetof(batched_stein_args, e), offsetof(batched_stein_args, w),
                offsetof(batched_stein_args, z)},
               .info = offsetof(batched_stein_args, info),
               .counts = offsetof(batched_stein_args, found)},
};

int batched_stein(batched_ctx *ctx, batched_matrix d, batched_matrix e, const int *found, batched_matrix w,
                  batched_matrix z, int *info)
{
  if (!ctx) return -1;
  const int wrong = batched_check_diagonals(ctx, &d, &e, false, 2);
  if (wrong) return wrong;
  if (!batched_is_valid(ctx, &w, true) || !batched_same_kind(&d, &w) || !batched_is_vector(&w)) return -5;
  if (!batched_is_valid_result(ctx, &z) || !batched_belongs_to(&d, &z) ||
      !batched_same_extent(ctx, batched_row_extent(&z), batched_length(&d), d.count) ||
      !batched_same_extent(ctx, batched_col_extent(&z), batched_length(&w), d.count))
    return -6;
  if (!batched_is_given(info, "info", d.count > 0)) return -7;
  if (d.count == 0) return BATCHED_SUCCESS;
  const batched_stein_args args = {d, e, w, z, found, info};
  return batched_run(ctx, &batched_stein_op, &args);
}

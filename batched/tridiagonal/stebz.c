/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tridiagonal/problem.h"

/* Some 60 counts of n steps of 5 flops for each value. */
static batched_cost cost(const void *args)
{
  const batched_stebz_args *s = args;
  const double n = batched_length(&s->d).bound, k = batched_length(&s->w).bound;
  const double count = batched_model_count(&s->d);
  return (batched_cost){count * 300 * n * k, count * (2 * n + k) * (double)batched_element_bytes(s->d.type)};
}

const batched_op batched_stebz_op = {
  .name = "stebz",
  .key = "stebz",
  .variants = {batched_stebz_host, batched_stebz_cuda},
  .cost = cost,
  .operands = {sizeof(batched_stebz_args),
               3,
               {offsetof(batched_stebz_args, d), offsetof(batched_stebz_args, e), offsetof(batched_stebz_args, w)},
               .info = offsetof(batched_stebz_args, info),
               .counts = offsetof(batched_stebz_args, found)},
};

int batched_stebz(batched_ctx *ctx, batched_range range, double vl, double vu, int il, int iu, batched_matrix d,
                  batched_matrix e, int *found, batched_matrix w, int *info)
{
  if (!ctx) return -1;
  const int wrong = batched_check_diagonals(ctx, &d, &e, false, 7);
  if (wrong) return wrong;
  const int n = batched_length(&d).bound, bad = batched_check_range(range, vl, vu, il, iu, n, 2);
  if (bad) return bad;
  if (!batched_is_given(found, "found", d.count > 0)) return -9;
  if (!batched_is_range_of(ctx, &w, d.type, d.count, range, batched_range_length(range, il, iu, n))) return -10;
  if (!batched_is_given(info, "info", d.count > 0)) return -11;
  if (d.count == 0) return BATCHED_SUCCESS;
  const batched_stebz_args args = {range, vl, vu, il, iu, d, e, w, found, info};
  return batched_run(ctx, &batched_stebz_op, &args);
}

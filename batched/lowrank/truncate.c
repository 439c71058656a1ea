/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lowrank/check_lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_truncate_args *t = args;
  const double elements = batched_model_count(&t->vt) * t->vt.m * t->vt.n;
  return (batched_cost){elements * batched_flop_weight(t->vt.type),
                        2 * elements * (double)batched_element_bytes(t->vt.type)};
}

const batched_op batched_truncate_op = {
  .name = "truncate",
  .key = "truncate",
  .variants = {batched_truncate_host, batched_truncate_cuda},
  .cost = cost,
  .operands = {sizeof(batched_truncate_args),
               2,
               {offsetof(batched_truncate_args, s), offsetof(batched_truncate_args, vt)},
               .info = offsetof(batched_truncate_args, info),
               .counts = offsetof(batched_truncate_args, ranks)},
};

int batched_truncate(batched_ctx *ctx, batched_matrix s, batched_matrix vt, int most, batched_truncation t, int *ranks,
                     int *info)
{
  if (!ctx) return -1;
  const batched_extent rows = batched_row_extent(&vt);
  if (!batched_is_valid_result(ctx, &s) ||
      !batched_accept(s.count == vt.count, "count %lld is not %lld", (long long)s.count, (long long)vt.count) ||
      !batched_same_extent(ctx, batched_length(&s), rows, vt.count))
    return -2;
  if (!batched_is_valid_result(ctx, &vt) ||
      !batched_accept(s.type == batched_real_type(vt.type), "type %d is not of the precision of s", (int)vt.type))
    return -3;
  if (!batched_accept(most >= 0, "most %d < 0", most)) return -4;
  if (!lowrank_is_truncation(&t)) return -5;
  if (vt.count == 0) return BATCHED_SUCCESS;
  if (!batched_is_given(ranks, "ranks", true)) return -6;
  if (!batched_is_given(info, "info", true)) return -7;
  batched_truncate_args args = {s, vt, most, t, ranks, info};
  return batched_run(ctx, &batched_truncate_op, &args);
}

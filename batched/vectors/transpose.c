/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/vectors/vectors.h"

static batched_cost cost(const void *args)
{
  const batched_transpose_args *s = args;
  const double b = batched_model_count(&s->b) * s->b.m * s->b.n, a = b > 0 ? batched_model_elements(&s->a) : 0;
  return (batched_cost){0, (a + b) * (double)batched_element_bytes(s->b.type)};
}

const batched_op batched_transpose_op = {
  .name = "transpose",
  .key = "transpose",
  .variants = {batched_transpose_host, batched_transpose_cuda},
  .cost = cost,
  .operands = {sizeof(batched_transpose_args),
               2,
               {offsetof(batched_transpose_args, a), offsetof(batched_transpose_args, b)}},
};

int batched_transpose(batched_ctx *ctx, batched_trans trans, batched_matrix a, batched_matrix b)
{
  const bool plain = trans == BATCHED_NO_TRANS;
  if (!ctx) return -1;
  if (!batched_is_trans(trans)) return -2;
  if (!batched_is_valid(ctx, &a, true)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, plain ? batched_row_extent(&a) : batched_col_extent(&a), batched_row_extent(&b),
                           b.count) ||
      !batched_same_extent(ctx, plain ? batched_col_extent(&a) : batched_row_extent(&a), batched_col_extent(&b),
                           b.count))
    return -4;
  if (b.count == 0 || b.m == 0 || b.n == 0) return BATCHED_SUCCESS;
  if (plain) return batched_copy(ctx, a, b);
  batched_transpose_args args = {trans, a, b};
  return batched_run(ctx, &batched_transpose_op, &args);
}

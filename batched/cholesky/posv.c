/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/batched_refine.h"
#include "batched/check.h"
#include "batched/cholesky/cholesky.h"

/* Multiplications and additions of potrf and of two triangular solves; both triangles' halves are not touched. */
static batched_cost cost(const void *args)
{
  const batched_posv_args *p = args;
  if (batched_is_variable(&p->a) || batched_is_variable(&p->b)) return (batched_cost){0};
  double n = p->a.n, nrhs = p->b.n, count = (double)p->a.count;
  return (batched_cost){count * (n * (n + 1) * (2 * n + 1) / 6 + 2 * n * n * nrhs) * batched_flop_weight(p->a.type),
                        count * (n * (n + 1) + 2 * n * nrhs) * (double)batched_element_bytes(p->a.type)};
}

/* Names of the release before. */
static const batched_alias aliases[] = {
  {"cuda.warp", "cuda.lanes"},
  {"cuda.fused", "cuda.shared"},
  {0},
};

const batched_op batched_posv_op = {
  .name = "posv",
  .key = "posv",
  .variants = {batched_posv_host, batched_posv_cuda},
  .cost = cost,
  .operands = {sizeof(batched_posv_args),
               2,
               {offsetof(batched_posv_args, a), offsetof(batched_posv_args, b)},
               .info = offsetof(batched_posv_args, info)},
  .aliases = aliases,
};

int batched_posv(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix b, int *info)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_valid_result(ctx, &b) || !batched_same_kind(&a, &b) ||
      !batched_same_extent(ctx, batched_col_extent(&a), batched_row_extent(&b), b.count))
    return -4;
  if (!batched_is_given(info, "info", a.count > 0)) return -5;
  if (a.count == 0) return BATCHED_SUCCESS;
  batched_posv_args args = {uplo, a, b, info};
  batched_begin_refinements(ctx, info);
  return batched_run(ctx, &batched_posv_op, &args);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/eigen/eigen.h"

/* Two triangular solves or products with a whole matrix; LAPACK's needs half. */
static batched_cost cost(const void *args)
{
  const batched_hegst_args *h = args;
  double n = h->a.n, count = batched_model_count(&h->a);
  return (batched_cost){count * n * n * n * batched_flop_weight(h->a.type),
                        count * 1.5 * n * (n + 1) * (double)batched_element_bytes(h->a.type)};
}

const batched_op batched_hegst_op = {
  .name = "hegst",
  .key = "hegst",
  .variants = {batched_hegst_host, batched_hegst_cuda},
  .cost = cost,
  .operands = {sizeof(batched_hegst_args), 2, {offsetof(batched_hegst_args, a), offsetof(batched_hegst_args, b)}},
};

int batched_hegst(batched_ctx *ctx, int itype, batched_uplo uplo, batched_matrix a, batched_matrix b)
{
  if (!ctx) return -1;
  if (!batched_accept(itype >= 1 && itype <= 3, "itype %d is not 1, 2 or 3", itype)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -4;
  if (!batched_is_valid(ctx, &b, true) || !batched_same_shape(ctx, &a, &b)) return -5;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  const batched_hegst_args args = {itype, uplo, a, b};
  return batched_run(ctx, &batched_hegst_op, &args);
}

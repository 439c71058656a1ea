/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

/* 4/3 n^3; the triangle, read and written once. */
static batched_cost cost(const void *args)
{
  const batched_hetrd_args *h = args;
  double n = h->a.n, count = batched_model_count(&h->a);
  return (batched_cost){count * 4 * n * n * n / 3 * batched_flop_weight(h->a.type),
                        count * (n * (n + 1) + n) * (double)batched_element_bytes(h->a.type) +
                          count * 2 * n * (double)batched_element_bytes(h->d.type)};
}

const batched_op batched_hetrd_op = {
  .name = "hetrd",
  .key = "hetrd",
  .variants = {batched_hetrd_host, batched_hetrd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_hetrd_args),
               4,
               {offsetof(batched_hetrd_args, a), offsetof(batched_hetrd_args, d), offsetof(batched_hetrd_args, e),
                offsetof(batched_hetrd_args, tau)}},
};

int batched_hetrd(batched_ctx *ctx, batched_uplo uplo, batched_matrix a, batched_matrix d, batched_matrix e,
                  batched_matrix tau)
{
  if (!ctx) return -1;
  if (!batched_is_uplo(uplo)) return -2;
  if (!batched_is_valid_result(ctx, &a) || !batched_is_square(ctx, &a)) return -3;
  if (!batched_is_vector_of(ctx, &a, &d, batched_real_type(a.type), 0)) return -4;
  if (!batched_is_vector_of(ctx, &a, &e, batched_real_type(a.type), 1)) return -5;
  if (!batched_is_vector_of(ctx, &a, &tau, a.type, 1)) return -6;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_hetrd_args args = {uplo, a, d, e, tau};
  return batched_run(ctx, &batched_hetrd_op, &args);
}

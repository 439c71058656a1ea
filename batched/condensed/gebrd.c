/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/check.h"
#include "batched/condensed/condensed.h"

/* LAPACK's count: 4 k^2 (l - k/3) with l the longer side; A, read and written once. */
static batched_cost cost(const void *args)
{
  const batched_gebrd_args *g = args;
  double longer = g->a.m > g->a.n ? g->a.m : g->a.n, k = g->a.m > g->a.n ? g->a.n : g->a.m;
  double count = batched_model_count(&g->a);
  return (batched_cost){count * 4 * k * k * (longer - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * longer * k + 2 * k) * (double)batched_element_bytes(g->a.type) +
                          count * 2 * k * (double)batched_element_bytes(g->d.type)};
}

const batched_op batched_gebrd_op = {
  .name = "gebrd",
  .key = "gebrd",
  .variants = {batched_gebrd_host, batched_gebrd_cuda},
  .cost = cost,
  .operands = {sizeof(batched_gebrd_args),
               5,
               {offsetof(batched_gebrd_args, a), offsetof(batched_gebrd_args, d), offsetof(batched_gebrd_args, e),
                offsetof(batched_gebrd_args, tauq), offsetof(batched_gebrd_args, taup)}},
};

int batched_gebrd(batched_ctx *ctx, batched_matrix a, batched_matrix d, batched_matrix e, batched_matrix tauq,
                  batched_matrix taup)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a)) return -2;
  if (!batched_is_vector_of(ctx, &a, &d, batched_real_type(a.type), 0)) return -3;
  if (!batched_is_vector_of(ctx, &a, &e, batched_real_type(a.type), 1)) return -4;
  if (!batched_is_vector_of(ctx, &a, &tauq, a.type, 0)) return -5;
  if (!batched_is_vector_of(ctx, &a, &taup, a.type, 0)) return -6;
  if (a.count == 0 || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_gebrd_args args = {a, d, e, tauq, taup};
  return batched_run(ctx, &batched_gebrd_op, &args);
}

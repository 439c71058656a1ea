/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bases of the columns of high matrices, orthonormal but for a small triangle.
 */
#include "batched/lowrank/check_lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_lrbasis_args *t = args;
  const double count = batched_model_count(&t->a), m = t->a.m, n = t->a.n;
  return (batched_cost){count * 2 * n * n * m * batched_flop_weight(t->a.type),
                        count * (2 * m * n + n * n) * (double)batched_element_bytes(t->a.type)};
}

const batched_op batched_lrbasis_op = {
  .name = "lrbasis",
  .key = "lrbasis",
  .variants = {batched_lrbasis_host, batched_lrbasis_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrbasis_args), 2, {offsetof(batched_lrbasis_args, a), offsetof(batched_lrbasis_args, c)}},
  .whatever_count = true,
};

int lowrank_compose_lrbasis(batched_ctx *ctx, const void *args)
{
  const batched_lrbasis_args *b = args;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const batched_matrix tau = lowrank_matrix(w, b->a.type, b->a.n, 1, b->a.count);
  LOWRANK_DO(w, batched_geqrf(ctx, b->a, tau));
  LOWRANK_DO(w, batched_ungqr(ctx, b->a, tau));
  *b->orthonormal = true;
  return lowrank_end(w);
}

int batched_lrbasis(batched_ctx *ctx, batched_matrix a, batched_matrix c, bool *orthonormal)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || batched_is_variable(&a) || a.m < a.n) return -2;
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) || batched_is_variable(&c) || c.m != a.n ||
      c.n != a.n)
    return -3;
  *orthonormal = true;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_lrbasis_args args = {a, c, orthonormal};
  return batched_run(ctx, &batched_lrbasis_op, &args);
}

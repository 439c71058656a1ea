/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR factorisations with Q itself.
 */
#include "batched/lowrank/check_lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_lrqr_args *q = args;
  const double count = batched_model_count(&q->a), m = q->a.m, n = q->a.n;
  return (batched_cost){count * 4 * n * n * (m - n / 3) * batched_flop_weight(q->a.type),
                        count * (2 * m * n + n * n) * (double)batched_element_bytes(q->a.type)};
}

const batched_op batched_lrqr_op = {
  .name = "lrqr",
  .key = "lrqr",
  .variants = {batched_lrqr_host, batched_lrqr_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrqr_args), 2, {offsetof(batched_lrqr_args, a), offsetof(batched_lrqr_args, r)}},
};

int lowrank_compose_lrqr(batched_ctx *ctx, const void *args)
{
  const batched_lrqr_args *q = args;
  batched_matrix r = q->a;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  const batched_matrix tau = lowrank_matrix(w, r.type, r.n, 1, r.count);
  LOWRANK_DO(w, batched_geqrf(ctx, q->a, tau));
  r.m = r.n;
  LOWRANK_DO(w, batched_set(ctx, batched_real(0), batched_real(1), q->r));
  LOWRANK_DO(
    w, batched_trmm(ctx, BATCHED_LEFT, BATCHED_UPPER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1), r, q->r));
  LOWRANK_DO(w, batched_ungqr(ctx, q->a, tau));
  return lowrank_end(w);
}

int batched_lrqr(batched_ctx *ctx, batched_matrix a, batched_matrix r)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &a) || batched_is_variable(&a) || a.m < a.n) return -2;
  if (!batched_is_valid_result(ctx, &r) || !batched_same_kind(&a, &r) || batched_is_variable(&r) || r.m != a.n ||
      r.n != a.n)
    return -3;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_lrqr_args args = {a, r};
  return batched_run(ctx, &batched_lrqr_op, &args);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangles of QR factorisations whose Q nobody needs.
 */
#include "batched/lowrank/check_lowrank.h"

static batched_cost cost(const void *args)
{
  const batched_lrtriangle_args *t = args;
  const double count = batched_model_count(&t->a), m = t->a.m, n = t->a.n;
  return (batched_cost){count * 2 * n * n * (m - n / 3) * batched_flop_weight(t->a.type),
                        count * (m * n + n * n) * (double)batched_element_bytes(t->a.type)};
}

const batched_op batched_lrtriangle_op = {
  .name = "lrtriangle",
  .key = "lrtriangle",
  .variants = {batched_lrtriangle_host, batched_lrtriangle_cuda},
  .cost = cost,
  .operands = {sizeof(batched_lrtriangle_args),
               2,
               {offsetof(batched_lrtriangle_args, a), offsetof(batched_lrtriangle_args, c)}},
  .whatever_count = true,
};

int lowrank_compose_lrtriangle(batched_ctx *ctx, const void *args)
{
  const batched_lrtriangle_args *t = args;
  const batched_matrix a = t->a;
  lowrank_work work = {.ctx = ctx}, *w = &work;
  batched_matrix x = lowrank_matrix(w, a.type, a.m, a.n, a.count), r = x;
  const batched_matrix tau = lowrank_matrix(w, a.type, a.n, 1, a.count);
  LOWRANK_DO(w, batched_copy(ctx, a, x));
  LOWRANK_DO(w, batched_geqrf(ctx, x, tau));
  r.m = r.n;
  LOWRANK_DO(w, batched_set(ctx, batched_real(0), batched_real(1), t->c));
  LOWRANK_DO(
    w, batched_trmm(ctx, BATCHED_RIGHT, BATCHED_UPPER, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, batched_real(1), r, t->c));
  return lowrank_end(w);
}

int batched_lrtriangle(batched_ctx *ctx, batched_matrix a, batched_matrix c)
{
  if (!ctx) return -1;
  if (!batched_is_valid(ctx, &a, true) || batched_is_variable(&a) || a.m < a.n) return -2;
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) || batched_is_variable(&c) || c.m != a.n ||
      c.n != a.n)
    return -3;
  if (a.count == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_lrtriangle_args args = {a, c};
  return batched_run(ctx, &batched_lrtriangle_op, &args);
}

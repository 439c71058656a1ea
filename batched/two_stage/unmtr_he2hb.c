/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Its rows host.composed and cuda.composed: the reflectors as columns in scratch memory, then unmqr.
 */
#include "batched/two_stage/steps.h"
#include "batched/parts.h"

static batched_cost cost(const void *args)
{
  const batched_unmtr_he2hb_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  const double n = u->a.n, k = u->kd < n ? n - u->kd : 0, others = u->side == BATCHED_LEFT ? u->c.n : u->c.m;
  const double count = (double)u->c.count, copies = batched_is_shared(&u->a) ? 1 : count;
  return (batched_cost){count * 2 * others * k * k * batched_flop_weight(u->c.type),
                        (copies * k * k / 2 + 2 * count * k * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmtr_he2hb_op = {
  .name = "unmtr_he2hb",
  .key = "unmtr_he2hb",
  .variants = {batched_unmtr_he2hb_host, batched_unmtr_he2hb_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmtr_he2hb_args),
               3,
               {offsetof(batched_unmtr_he2hb_args, c), offsetof(batched_unmtr_he2hb_args, a),
                offsetof(batched_unmtr_he2hb_args, tau)}},
};

int batched_unmtr_he2hb(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, int kd,
                        batched_matrix a, batched_matrix tau, batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_side(side)) return -2;
  if (!batched_is_uplo(uplo)) return -3;
  if (!batched_is_q_trans(trans, c.type)) return -4;
  if (!batched_is_width(kd)) return -5;
  if (!batched_is_valid(ctx, &a, used) || !batched_is_square(ctx, &a)) return -6;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent_less(ctx, batched_length(&tau), &a, kd))
    return -7;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, batched_row_extent(&a), order, c.count))
    return -8;
  if (c.count == 0 || !used || a.n <= kd) return BATCHED_SUCCESS;
  batched_unmtr_he2hb_args args = {side, uplo, trans, kd, a, tau, c};
  return batched_run(ctx, &batched_unmtr_he2hb_op, &args);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_unmtr_he2hb_args *u = args;
  const bool shared = batched_is_shared(&u->a) && batched_is_shared(&u->tau);
  const int64_t copies = shared ? 1 : u->c.count;
  const int n = u->a.n;
  batched_matrix v = batched_pile_matrices(pile, u->c.type, n, n, u->a.ms, u->a.ns, copies);
  batched_matrix t = batched_pile_vectors(pile, u->c.type, n, u->a.ns, copies);
  if (!pile->at) return BATCHED_SUCCESS;
  const int status = batched_two_stage_steps_of(ctx)->take_reflectors(ctx, u, &v, &t);
  v.count = t.count = u->c.count;
  if (shared) v.stride = t.stride = 0;
  return status ? status : batched_unmqr(ctx, u->side, u->trans, v, t, u->c);
}

int batched_unmtr_he2hb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_unmtr_he2hb_op, drive, args);
}

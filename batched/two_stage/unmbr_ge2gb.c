/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Its rows host.composed and cuda.composed: the reflectors as columns in scratch memory, then unmqr.
 */
#include "batched/two_stage/general_steps.h"
#include "batched/parts.h"

static batched_cost cost(const void *args)
{
  const batched_unmbr_ge2gb_args *u = args;
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  const double order = u->which == BATCHED_Q ? u->a.m : u->a.n, k = batched_length(&u->tau).bound;
  const double others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  const double copies = batched_is_shared(&u->a) ? 1 : count;
  return (batched_cost){count * 2 * others * k * (2 * order - k) * batched_flop_weight(u->c.type),
                        (copies * order * k + 2 * count * order * others) * (double)batched_element_bytes(u->c.type)};
}

const batched_op batched_unmbr_ge2gb_op = {
  .name = "unmbr_ge2gb",
  .key = "unmbr_ge2gb",
  .variants = {batched_unmbr_ge2gb_host, batched_unmbr_ge2gb_cuda},
  .cost = cost,
  .operands = {sizeof(batched_unmbr_ge2gb_args),
               3,
               {offsetof(batched_unmbr_ge2gb_args, c), offsetof(batched_unmbr_ge2gb_args, a),
                offsetof(batched_unmbr_ge2gb_args, tau)}},
};

int batched_unmbr_ge2gb(batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, int kd,
                        batched_matrix a, batched_matrix tau, batched_matrix c)
{
  const bool used = c.m > 0 && c.n > 0;
  if (!ctx) return -1;
  if (!batched_is_which(which)) return -2;
  if (!batched_is_side(side)) return -3;
  if (!batched_is_q_trans(trans, c.type)) return -4;
  if (!batched_is_width(kd)) return -5;
  if (!batched_is_valid(ctx, &a, used)) return -6;
  if (!batched_is_valid(ctx, &tau, used) || !batched_same_kind(&a, &tau) ||
      !batched_is_min_extent(ctx, batched_length(&tau), &a))
    return -7;
  const batched_extent order = side == BATCHED_LEFT ? batched_row_extent(&c) : batched_col_extent(&c);
  const batched_extent length = which == BATCHED_Q ? batched_row_extent(&a) : batched_col_extent(&a);
  if (!batched_is_valid_result(ctx, &c) || !batched_same_kind(&a, &c) ||
      !batched_same_extent(ctx, length, order, c.count))
    return -8;
  if (c.count == 0 || !used || a.m == 0 || a.n == 0) return BATCHED_SUCCESS;
  batched_unmbr_ge2gb_args args = {which, side, trans, kd, a, tau, c};
  return batched_run(ctx, &batched_unmbr_ge2gb_op, &args);
}

static int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const batched_unmbr_ge2gb_args *u = args;
  const bool shared = batched_is_shared(&u->a) && batched_is_shared(&u->tau), is_q = u->which == BATCHED_Q;
  const int64_t copies = shared ? 1 : u->c.count;
  const batched_extent k = batched_length(&u->tau);
  batched_matrix v =
    batched_pile_matrices(pile, u->c.type, is_q ? u->a.m : u->a.n, k.bound, is_q ? u->a.ms : u->a.ns, k.each, copies);
  batched_matrix t = batched_pile_vectors(pile, u->c.type, k.bound, k.each, copies);
  if (!pile->at) return BATCHED_SUCCESS;
  const int status = batched_general_steps_of(ctx)->take_reflectors(ctx, u, &v, &t);
  v.count = t.count = u->c.count;
  if (shared) v.stride = t.stride = 0;
  return status ? status : batched_unmqr(ctx, u->side, u->trans, v, t, u->c);
}

int batched_unmbr_ge2gb_composed(batched_ctx *ctx, const void *args)
{
  return batched_run_in_parts(ctx, &batched_unmbr_ge2gb_op, drive, args);
}

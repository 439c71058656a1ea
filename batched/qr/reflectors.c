/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Costs and arguments of the calls by columns (geqrf, ungqr, unmqr) and of those by rows (gelqf, unglq, unmlq).
 */
#include "batched/check.h"
#include "batched/qr/qr.h"

/* LAPACK's count: 2 n^2 (m - n/3) for m >= n, and the same with m and n exchanged otherwise. */
batched_cost batched_reflectors_cost(const void *args)
{
  const batched_geqrf_args *g = args;
  double longer = g->a.m > g->a.n ? g->a.m : g->a.n, k = g->a.m > g->a.n ? g->a.n : g->a.m;
  double count = batched_model_count(&g->a);
  return (batched_cost){count * 2 * k * k * (longer - k / 3) * batched_flop_weight(g->a.type),
                        count * (2 * longer * k + k) * (double)batched_element_bytes(g->a.type)};
}

int batched_check_reflectors(const batched_ctx *ctx, const batched_geqrf_args *g)
{
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &g->a)) return -2;
  return batched_is_vector_of(ctx, &g->a, &g->tau, g->a.type, 0) ? 0 : -3;
}

batched_cost batched_q_cost(const void *args)
{
  const batched_ungqr_args *g = args;
  double m = g->a.m, n = g->a.n, k = batched_length(&g->tau).bound, count = batched_model_count(&g->a);
  return (batched_cost){count * (4 * m * n * k - 2 * (m + n) * k * k + 4 * k * k * k / 3) *
                          batched_flop_weight(g->a.type),
                        count * 2 * m * n * (double)batched_element_bytes(g->a.type)};
}

/* No more reflectors than there are rows, or columns, of A for them: `most`, and its name. */
static bool has_room(const batched_ctx *ctx, const batched_matrix *tau, batched_extent most, char name)
{
  const batched_extent length = batched_length(tau);
  if (!batched_is_vector(tau) ||
      !batched_accept(length.bound <= most.bound, "its length %d is more than %c = %d", length.bound, name, most.bound))
    return false;
  if ((!most.each && !length.each) || batched_get_space(ctx) != BATCHED_HOST) return true;
  for (int64_t b = 0; b < tau->count; b++) {
    const int k = batched_extent_at(length, b), here = batched_extent_at(most, b);
    if (k < 0 || k > here)
      return batched_accept(false, "matrix %lld: its length %d is not in 0 .. %c = %d", (long long)b, k, name, here);
  }
  return true;
}

int batched_check_q(const batched_ctx *ctx, const batched_ungqr_args *g, bool by_rows)
{
  const batched_extent most = by_rows ? batched_row_extent(&g->a) : batched_col_extent(&g->a);
  if (!ctx) return -1;
  if (!batched_is_valid_result(ctx, &g->a) || !(by_rows ? batched_is_wide : batched_is_tall)(ctx, &g->a)) return -2;
  if (!batched_is_valid(ctx, &g->tau, g->a.m > 0 && g->a.n > 0) || !batched_same_kind(&g->a, &g->tau) ||
      !has_room(ctx, &g->tau, most, by_rows ? 'm' : 'n'))
    return -3;
  return 0;
}

batched_cost batched_q_product_cost(const batched_unmqr_args *u, bool by_rows)
{
  if (batched_is_variable(&u->a) || batched_is_variable(&u->c)) return (batched_cost){0};
  double order = by_rows ? u->a.n : u->a.m, k = by_rows ? u->a.m : u->a.n;
  double others = u->side == BATCHED_LEFT ? u->c.n : u->c.m, count = (double)u->c.count;
  return (batched_cost){count * 2 * others * k * (2 * order - k) * batched_flop_weight(u->c.type),
                        (batched_model_elements(&u->a) + 2 * count * order * others) *
                          (double)batched_element_bytes(u->c.type)};
}

int batched_check_q_product(const batched_ctx *ctx, const batched_unmqr_args *u, bool by_rows)
{
  const bool used = u->c.m > 0 && u->c.n > 0, left = u->side == BATCHED_LEFT;
  const batched_extent number = by_rows ? batched_row_extent(&u->a) : batched_col_extent(&u->a);
  const batched_extent order = by_rows ? batched_col_extent(&u->a) : batched_row_extent(&u->a);
  if (!ctx) return -1;
  if (!batched_is_side(u->side)) return -2;
  if (!batched_is_q_trans(u->trans, u->c.type)) return -3;
  if (!batched_is_valid(ctx, &u->a, used) || !(by_rows ? batched_is_wide : batched_is_tall)(ctx, &u->a)) return -4;
  if (!batched_is_valid(ctx, &u->tau, used) || !batched_same_kind(&u->a, &u->tau) ||
      !batched_same_extent(ctx, number, batched_length(&u->tau), u->a.count))
    return -5;
  if (!batched_is_valid_result(ctx, &u->c) || !batched_same_kind(&u->a, &u->c) ||
      !batched_same_extent(ctx, order, left ? batched_row_extent(&u->c) : batched_col_extent(&u->c), u->c.count))
    return -6;
  return 0;
}

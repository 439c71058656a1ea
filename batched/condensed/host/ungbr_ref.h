/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of ungbr: the Q or P^H of gebrd's reflectors.
 */
#include "batched/condensed/host/sequences_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_ungbr_args *g)
{
  const bool is_q = g->which == BATCHED_Q;
  T *work, *const v = NAME(copy_and_vector)(ctx, &g->a, &work);
  if (!v) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), k = batched_vector_length(&g->tau, b);
    const bool shifted = k == (is_q ? m : n) && (!is_q || g->k > g->a.m);
    const int64_t ld = batched_ld(&g->a, b);
    T *const a = batched_at(&g->a, b);
    if (m == 0 || n == 0) continue;
    NAME(copy_dense)(m, n, a, ld, v);
    const NAME(q_of) q = NAME(q_of_gebrd)(is_q, is_q ? m : k, is_q ? k : n, shifted, v, m, batched_at(&g->tau, b),
                                          batched_increment(&g->tau, b));
    NAME(generate_by)(&q, !is_q, m, n, a, ld, work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

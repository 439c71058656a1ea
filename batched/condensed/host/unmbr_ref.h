/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unmbr: products with the Q or P of gebrd's reflectors, one reflector after the other.
 */
#include "batched/condensed/host/sequences_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_unmbr_args *u)
{
  const bool is_q = u->which == BATCHED_Q, left = u->side == BATCHED_LEFT;
  T *const work = batched_scratch_push(ctx, (size_t)batched_max(u->a.m, u->a.n) * sizeof(T));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->a, b), n = batched_cols(&u->a, b);
    if (m == 0 || n == 0) continue;
    const NAME(q_of) q = NAME(q_of_gebrd)(is_q, m, n, is_q == (m < n), batched_at(&u->a, b), batched_ld(&u->a, b),
                                          batched_at(&u->tau, b), batched_increment(&u->tau, b));
    NAME(multiply_by)
    (&q, left, u->trans != BATCHED_NO_TRANS, batched_rows(&u->c, b), batched_cols(&u->c, b), batched_at(&u->c, b),
     batched_ld(&u->c, b), work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

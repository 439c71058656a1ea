/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unmtr: products with the Q of hetrd's reflectors, one reflector after the other.
 */
#include "batched/condensed/host/sequences_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_unmtr_args *u)
{
  T *const work = batched_scratch_push(ctx, (size_t)u->a.n * sizeof(T));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const NAME(q_of) q = NAME(q_of_hetrd)(u->uplo, batched_cols(&u->a, b), batched_at(&u->a, b), batched_ld(&u->a, b),
                                          batched_at(&u->tau, b), batched_increment(&u->tau, b));
    NAME(multiply_by)
    (&q, u->side == BATCHED_LEFT, u->trans != BATCHED_NO_TRANS, batched_rows(&u->c, b), batched_cols(&u->c, b),
     batched_at(&u->c, b), batched_ld(&u->c, b), work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

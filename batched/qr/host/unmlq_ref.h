/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unmlq: products with gelqf's Q, one reflector after the other.
 */
#include "batched/qr/host/sequence_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_unmlq_args *u)
{
  const bool left = u->side == BATCHED_LEFT;
  T *const work = batched_scratch_push(ctx, (size_t)u->a.n * sizeof(T));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < u->c.count; b++) {
    const int m = batched_rows(&u->c, b), n = batched_cols(&u->c, b);
    const int64_t lda = batched_ld(&u->a, b), ldc = batched_ld(&u->c, b);
    /* the adjoint of Q */
    const NAME(sequence)
      q = {batched_at(&u->a, b),   lda + 1,     lda, true, batched_at(&u->tau, b), batched_increment(&u->tau, b),
           batched_rows(&u->a, b), left ? m : n};
    NAME(apply_sequence)
    (&q, left, u->trans == BATCHED_NO_TRANS, left ? n : m, batched_at(&u->c, b), left ? 1 : ldc, left ? ldc : 1, work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

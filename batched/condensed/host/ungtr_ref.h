/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of ungtr: the Q of hetrd's reflectors.
 */
#include "batched/condensed/host/sequences_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_ungtr_args *g)
{
  T *work, *const v = NAME(copy_and_vector)(ctx, &g->a, &work);
  if (!v) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_cols(&g->a, b);
    const int64_t ld = batched_ld(&g->a, b);
    T *const a = batched_at(&g->a, b);
    NAME(copy_dense)(n, n, a, ld, v);
    const NAME(q_of) q = NAME(q_of_hetrd)(g->uplo, n, v, n, batched_at(&g->tau, b), batched_increment(&g->tau, b));
    NAME(generate_by)(&q, false, n, n, a, ld, work);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

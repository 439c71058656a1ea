/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of unglq: the first rows of gelqf's Q.
 */
#include "batched/qr/host/sequence_ref.h"

static int NAME(ref)(batched_ctx *ctx, const batched_unglq_args *g)
{
  T *const v = batched_scratch_push(ctx, ((size_t)g->a.m + 1) * (size_t)g->a.n * sizeof(T));
  if (!v) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    const int64_t ld = batched_ld(&g->a, b);
    T *const a = batched_at(&g->a, b);
    const NAME(sequence) q = {v,
                              (int64_t)m + 1,
                              m,
                              true,
                              batched_at(&g->tau, b),
                              batched_increment(&g->tau, b),
                              batched_vector_length(&g->tau, b),
                              n};
    NAME(copy_dense)(m, n, a, ld, v);
    NAME(set_identity)(m, n, a, ld);
    NAME(apply_sequence)(&q, false, true, m, a, ld, 1, v + (size_t)m * (size_t)n);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

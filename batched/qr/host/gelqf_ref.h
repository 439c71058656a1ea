/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gelqf: A = L Q by the QR factorisation of A^H.
 */
#include "batched/qr/host/reflectors_ref.h"

/* A = L Q from A^H = Q^H L^H. */
static int NAME(ref)(batched_ctx *ctx, const batched_gelqf_args *g)
{
  T *const w = batched_scratch_push(ctx, (size_t)g->a.m * (size_t)g->a.n * sizeof(T));
  if (!w) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    const int64_t ld = batched_ld(&g->a, b);
    T *const a = batched_at(&g->a, b);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) w[j + (int64_t)i * n] = CONJ(a[i + j * ld]);
    NAME(factor)(n, m, w, n, batched_at(&g->tau, b), batched_increment(&g->tau, b));
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) a[i + j * ld] = CONJ(w[j + (int64_t)i * n]);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

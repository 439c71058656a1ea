/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bdsqr by implicit QR (qr_ref.h).
 */
#include "batched/tridiagonal/host/qr_ref.h"

static int NAME(bdsqr_one)(const batched_bdsqr_args *g, int64_t b, int n, R *w)
{
  R *d = batched_at(&g->d, b), *e = batched_at(&g->e, b);
  const int64_t incd = batched_increment(&g->d, b), ince = n > 1 ? batched_increment(&g->e, b) : 1;
  const bool has_vt = !batched_is_absent(&g->vt), has_u = !batched_is_absent(&g->u), has_c = !batched_is_absent(&g->c);
  NAME(qr_state) s = {.n = n, .d = w, .e = w + n};
  if (has_vt) s.cols_vt = batched_cols(&g->vt, b), s.ldvt = batched_ld(&g->vt, b);
  if (has_u) s.rows_u = batched_rows(&g->u, b), s.ldu = batched_ld(&g->u, b);
  if (has_c) s.cols_c = batched_cols(&g->c, b), s.ldc = batched_ld(&g->c, b);
  s.vt = s.cols_vt > 0 ? batched_at(&g->vt, b) : NULL;
  s.u = s.rows_u > 0 ? batched_at(&g->u, b) : NULL;
  s.c = s.cols_c > 0 ? batched_at(&g->c, b) : NULL;
  const R near = sizeof(R) == 4 ? (R)0x1p60f : (R)0x1p400;
  R scale = NAME(scale_of)(n, d, incd, e, ince);
  if (scale > 1 / near && scale < near) scale = 1; /* every element keeps all its digits then, however small */
  if (scale == 0) {
    NAME(fill_vector)(n, d, incd, (R)__builtin_nan(""));
    NAME(fill_vector)(n - 1, e, ince, (R)__builtin_nan(""));
    if (s.vt) NAME(fill_with)(n, s.cols_vt, s.vt, s.ldvt, NAME(nan)());
    if (s.u) NAME(fill_with)(s.rows_u, n, s.u, s.ldu, NAME(nan)());
    if (s.c) NAME(fill_with)(n, s.cols_c, s.c, s.ldc, NAME(nan)());
    return n;
  }
  for (int i = 0; i < n; i++) s.d[i] = scale * d[i * incd];
  for (int i = 0; i < n - 1; i++) s.e[i] = scale * e[i * ince];
  const int info = NAME(solve_bidiagonal)(&s, g->uplo == BATCHED_LOWER);
  for (int i = 0; i < n; i++) d[i * incd] = s.d[i] / scale;
  for (int i = 0; i < n - 1; i++) e[i * ince] = s.e[i] / scale;
  return info;
}

static int NAME(bdsqr_ref)(batched_ctx *ctx, const batched_bdsqr_args *g)
{
  const size_t most = (size_t)batched_vector_bound(&g->d);
  R *w = batched_scratch_push(ctx, (2 * most + 1) * sizeof(R));
  if (!w) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->d.count; b++) {
    const int n = batched_vector_length(&g->d, b);
    g->info[b] = n > 0 ? NAME(bdsqr_one)(g, b, n, w) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

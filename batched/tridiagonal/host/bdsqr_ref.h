/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bdsqr by implicit QR (qr_ref.h); rotations are applied one by one, or wait (sweeps.h).
 */
#include "batched/tridiagonal/host/qr_ref.h"

/* What the sweeps of a matrix are laid out in; NULL: rotations do not wait. */
typedef struct NAME(bdsqr_room) {
  void *left, *right;
} NAME(bdsqr_room);

/* Rows of the vectors that wait for rotations from the left, u's and then those of c's transpose, and from the
 * right. */
typedef struct NAME(bdsqr_rows) {
  batched_sweep_rows u, c, vt;
} NAME(bdsqr_rows);

static NAME(bdsqr_rows) NAME(rows_of)(const NAME(qr_state) * s)
{
  const int parts = sizeof(T) / sizeof(R);
  NAME(bdsqr_rows) r = {{s->u, 0, s->u ? parts * s->rows_u : 0, parts, parts, parts * s->ldu}};
  r.c = (batched_sweep_rows){s->c, r.u.rows, s->c ? parts * s->cols_c : 0, parts, parts * s->ldc, parts};
  r.vt = (batched_sweep_rows){s->vt, 0, s->vt ? parts * s->cols_vt : 0, parts, parts * s->ldvt, parts};
  return r;
}

/* solve_bidiagonal with rotations that wait. */
static int NAME(solve_by_sweeps)(NAME(qr_state) * s, bool lower, const NAME(bdsqr_room) * room)
{
  const NAME(bdsqr_rows) r = NAME(rows_of)(s);
  batched_sweeps left, right;
  s->u = s->c = s->vt = NULL;
  if (r.u.rows + r.c.rows > 0) {
    s->left = &left; // cppcheck-suppress autoVariables ; put back below
    batched_lay_out_sweeps(&left, sizeof(R) == 4, s->n, r.u.rows + r.c.rows, room->left);
    batched_load_vectors(&left, &r.u);
    batched_load_vectors(&left, &r.c);
  }
  if (r.vt.rows > 0) {
    s->right = &right; // cppcheck-suppress autoVariables ; put back below
    batched_lay_out_sweeps(&right, sizeof(R) == 4, s->n, r.vt.rows, room->right);
    batched_load_vectors(&right, &r.vt);
  }
  const int info = NAME(solve_bidiagonal)(s, lower);
  if (s->left) {
    batched_store_vectors(&left, &r.u);
    batched_store_vectors(&left, &r.c);
  }
  if (s->right) batched_store_vectors(&right, &r.vt);
  s->left = s->right = NULL;
  return info;
}

static int NAME(bdsqr_one)(const batched_bdsqr_args *g, int64_t b, int n, R *w, const NAME(bdsqr_room) * room)
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
  const bool lower = g->uplo == BATCHED_LOWER;
  const int info = room ? NAME(solve_by_sweeps)(&s, lower, room) : NAME(solve_bidiagonal)(&s, lower);
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
    g->info[b] = n > 0 ? NAME(bdsqr_one)(g, b, n, w, NULL) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(bdsqr_simd)(batched_ctx *ctx, const batched_bdsqr_args *g)
{
  const int n = batched_vector_bound(&g->d), parts = sizeof(T) / sizeof(R);
  const int left = parts * ((batched_is_absent(&g->u) ? 0 : g->u.m) + (batched_is_absent(&g->c) ? 0 : g->c.n));
  const int right = parts * (batched_is_absent(&g->vt) ? 0 : g->vt.n);
  const size_t on_left = (batched_sweeps_bytes(sizeof(R) == 4, n, left) + 63) / 64 * 64;
  const size_t on_right = (batched_sweeps_bytes(sizeof(R) == 4, n, right) + 63) / 64 * 64;
  char *const memory = batched_scratch_push(ctx, on_left + on_right + (2 * (size_t)n + 1) * sizeof(R));
  if (!memory) return BATCHED_NO_MEMORY;
  const NAME(bdsqr_room) room = {memory, memory + on_left};
  void *const diagonals = memory + on_left + on_right;
  for (int64_t b = 0; b < g->d.count; b++) {
    const int order = batched_vector_length(&g->d, b);
    g->info[b] = order > 0 ? NAME(bdsqr_one)(g, b, order, diagonals, &room) : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

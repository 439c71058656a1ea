/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulge chasing, sweep after sweep, in LAPACK's order of tasks (hb2st_kernels).  The lower triangle of the band and of
 * its bulges, 2 kd diagonals, is a matrix whose columns begin 2 kd - 1 elements after each other.
 */
#include "batched/qr/host/reflectors_ref.h"

/* A = H^H A H for the lower triangle of order n, H = I - tau v v^H; work: a vector. */
static void NAME(turn_diagonal_block)(int n, T *a, int64_t ld, const T *v, T tau, T *w)
{
  T dot = 0;
  for (int i = 0; i < n; i++) w[i] = REAL(a[i + i * ld]) * v[i];
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) {
      w[i] += a[i + j * ld] * v[j];
      w[j] += CONJ(a[i + j * ld]) * v[i];
    }
  for (int i = 0; i < n; i++) {
    w[i] *= tau;
    dot += CONJ(w[i]) * v[i];
  }
  for (int i = 0; i < n; i++) w[i] -= tau * dot / 2 * v[i];
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) a[i + j * ld] -= v[i] * CONJ(w[j]) + w[i] * CONJ(v[j]);
    a[j + j * ld] = REAL(a[j + j * ld]);
  }
}

/* A = A H, m x n, for the block below the last one; work: a vector. */
static void NAME(turn_from_right)(int m, int n, T *a, int64_t ld, const T *v, T tau, T *w)
{
  for (int i = 0; i < m; i++) w[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) w[i] += a[i + j * ld] * v[j];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] -= w[i] * tau * CONJ(v[j]);
}

/* The reflector that makes zeros of a column but its first element: v with its 1, and tau. */
static T NAME(annihilate)(int m, T *column, T *v)
{
  for (int i = 0; i < m; i++) v[i] = column[i];
  const T tau = NAME(make_reflector)(m, v);
  column[0] = v[0];
  for (int i = 1; i < m; i++) column[i] = 0;
  v[0] = 1;
  return tau;
}

/* Sweep s; its vectors go to `to`, if that is not NULL, a column of v.  v and w: kd elements each. */
static void NAME(chase)(int n, int kd, int s, T *a, T *to, T *v, T *w)
{
  const int64_t ld = 2 * (int64_t)kd - 1;
  T tau = 0;
  for (int row = s + 1; row < n; row += kd) {
    const int m = batched_min(kd, n - row);
    T *const column = a + row + (row == s + 1 ? s : row - kd) * ld;
    if (row > s + 1) NAME(turn_from_right)(m, kd, column, ld, v, tau, w);
    tau = NAME(annihilate)(m, column, v);
    for (int j = 1; row > s + 1 && j < kd; j++) NAME(reflect)(m, v, CONJ(tau), column + j * ld, 1, false);
    NAME(turn_diagonal_block)(m, a + row + row * ld, ld, v, tau, w);
    if (!to) continue;
    to[row] = tau;
    for (int i = 1; i < m; i++) to[row + i] = v[i];
  }
}

static void NAME(load_band)(const batched_hb2st_args *h, int64_t b, int n, int kd, T *a)
{
  const int64_t ld = batched_ld(&h->ab, b), most = h->kd;
  const T *const ab = batched_at(&h->ab, b);
  for (int64_t j = 0; j < n; j++)
    for (int i = 0; i < 2 * kd; i++) {
      T e = 0;
      if (i <= kd && j + i < n) e = h->uplo == BATCHED_LOWER ? ab[i + j * ld] : CONJ(ab[most - i + (j + i) * ld]);
      a[i + j * 2 * kd] = i == 0 ? (T)REAL(e) : e;
    }
}

static int NAME(ref)(batched_ctx *ctx, const batched_hb2st_args *h)
{
  const int most = batched_clamp_width(h->ab.n, h->kd);
  T *const a = batched_scratch_push(ctx, 2 * (size_t)most * ((size_t)h->ab.n + 1) * sizeof(T));
  if (!a) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < h->ab.count; b++) {
    const int n = batched_cols(&h->ab, b), kd = batched_clamp_width(n, h->kd);
    if (n == 0) continue;
    T *const work = a + 2 * (int64_t)kd * n, *const v = h->job == BATCHED_VECTORS ? batched_at(&h->v, b) : NULL;
    const int64_t sd = batched_increment(&h->d, b), se = n > 1 ? batched_increment(&h->e, b) : 0;
    R *const d = batched_at(&h->d, b), *const e = n > 1 ? batched_at(&h->e, b) : NULL;
    NAME(load_band)(h, b, n, kd, a);
    for (int s = 0; s < n - 1; s++)
      NAME(chase)(n, kd, s, a, v ? v + s * (int64_t)batched_ld(&h->v, b) : NULL, work, work + kd);
    for (int64_t i = 0; i < n; i++) d[i * sd] = REAL(a[i * 2 * kd]);
    for (int64_t i = 0; i < n - 1; i++) e[i * se] = REAL(a[i * 2 * kd + 1]);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

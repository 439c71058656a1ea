/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bulge chasing, sweep after sweep, of an upper band, B or B^H.  Sweep s makes zeros of row s right of column s + 1 by
 * a reflector from the right, of column s + 1 below its diagonal by one from the left, of the first row of the bulge
 * that this leaves by one from the right, and so on.  Reflectors k of a sweep, of either side, are of columns, and
 * rows, from s + 1 + (k - 1) kd on.  The band and its bulges, kd - 1 diagonals below and 2 kd - 1 above, are stored as
 * a band, so that element (i, j) lies (3 kd - 2) j + i behind (0, 0).
 */
#include "batched/qr/host/reflectors_ref.h"

/* The reflector that makes zeros of a column, or of the conjugate of a row, but its first element: v with its 1, and
 * tau. */
static T NAME(annihilate)(int m, T *line, int64_t step, bool row, T *v)
{
  for (int i = 0; i < m; i++) v[i] = row ? CONJ(line[i * step]) : line[i * step];
  const T tau = NAME(make_reflector)(m, v);
  line[0] = v[0];
  for (int i = 1; i < m; i++) line[i * step] = 0;
  v[0] = 1;
  return tau;
}

/* A = A H, m x n; w: a vector of m. */
static void NAME(turn_from_right)(int m, int n, T *a, int64_t ld, const T *v, T tau, T *w)
{
  for (int i = 0; i < m; i++) w[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) w[i] += a[i + j * ld] * v[j];
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] -= w[i] * tau * CONJ(v[j]);
}

/* A = H^H A, m x n. */
static void NAME(turn_from_left)(int m, int n, T *a, int64_t ld, const T *v, T tau)
{
  for (int j = 0; j < n; j++) NAME(reflect)(m, v, CONJ(tau), a + j * ld, 1, false);
}

/* Column s of a matrix of vectors: one vector, with tau in the place of its 1. */
static void NAME(keep)(int m, const T *v, T tau, T *to)
{
  if (!to) return;
  to[0] = tau;
  for (int i = 1; i < m; i++) to[i] = v[i];
}

/* Sweep s; its vectors go to left and right, columns of n, if these are not NULL.  work: 3 kd elements. */
static void NAME(chase)(int n, int kd, int s, T *a, T *left, T *right, T *work)
{
  const int64_t ld = 3 * (int64_t)kd - 2;
  T *const v = work, *const u = work + kd, *const w = u + kd;
  T tau = 0;
  for (int row = s + 1; row < n; row += kd) {
    const int m = batched_min(kd, n - row), height = row == s + 1 ? 1 : kd;
    T *const block = a + row - height + row * ld, *const diagonal = a + row + row * ld;
    if (row > s + 1) NAME(turn_from_left)(kd, m, block, ld, v, tau);
    const T factor = NAME(annihilate)(m, block, ld, true, u);
    NAME(turn_from_right)(height - 1, m, block + 1, ld, u, factor, w);
    NAME(turn_from_right)(m, m, diagonal, ld, u, factor, w);
    tau = NAME(annihilate)(m, diagonal, 1, false, v);
    NAME(turn_from_left)(m, m - 1, diagonal + ld, ld, v, tau);
    NAME(keep)(m, v, tau, left ? left + row : NULL);
    NAME(keep)(m, u, factor, right ? right + row : NULL);
  }
}

static void NAME(load_band)(const batched_gb2bd_args *g, int64_t b, int n, int kd, T *a)
{
  const int64_t ld = batched_ld(&g->ab, b), most = g->kd;
  const T *const ab = batched_at(&g->ab, b);
  for (int64_t j = 0; j < n; j++)
    for (int l = 0; l < 3 * kd - 1; l++) {
      const int64_t i = j + l - (2 * kd - 1); /* row */
      T e = 0;
      if (i >= 0 && i <= j && j - i <= kd)
        e = g->uplo == BATCHED_UPPER ? ab[most + i - j + j * ld] : CONJ(ab[j - i + i * ld]);
      a[l + j * (3 * kd - 1)] = i == 0 && j == 0 ? (T)REAL(e) : e;
    }
}

/* The sweeps of a matrix whose band is in `a`, and its diagonals. */
static void NAME(reduce)(const batched_gb2bd_args *g, int64_t b, int n, int kd, T *a, T *work)
{
  const batched_matrix *const left = g->uplo == BATCHED_UPPER ? &g->vq : &g->vp;
  const batched_matrix *const right = g->uplo == BATCHED_UPPER ? &g->vp : &g->vq;
  const bool vectors = g->job == BATCHED_VECTORS;
  T *const vl = vectors ? batched_at(left, b) : NULL, *const vr = vectors ? batched_at(right, b) : NULL;
  const int64_t sd = batched_increment(&g->d, b), se = n > 1 ? batched_increment(&g->e, b) : 0;
  R *const d = batched_at(&g->d, b), *const e = n > 1 ? batched_at(&g->e, b) : NULL;
  for (int64_t s = 0; s < n - 1; s++) {
    T *const of_left = vl ? vl + s * batched_ld(left, b) : NULL;
    T *const of_right = vr ? vr + s * batched_ld(right, b) : NULL;
    NAME(chase)(n, kd, (int)s, a, of_left, of_right, work);
  }
  for (int64_t i = 0; i < n; i++) d[i * sd] = REAL(a[i * (3 * kd - 1)]);
  for (int64_t i = 0; i < n - 1; i++) e[i * se] = REAL(a[i + (i + 1) * (3 * kd - 2)]);
}

static int NAME(ref)(batched_ctx *ctx, const batched_gb2bd_args *g)
{
  const int64_t most = batched_clamp_width(g->ab.n, g->kd);
  T *const a = batched_scratch_push(ctx, (size_t)((3 * most - 1) * g->ab.n + 3 * most) * sizeof(T));
  if (!a) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->ab.count; b++) {
    const int n = batched_cols(&g->ab, b), kd = batched_clamp_width(n, g->kd);
    if (n == 0) continue;
    NAME(load_band)(g, b, n, kd, a);
    NAME(reduce)(g, b, n, kd, a + 2 * kd - 1, a + (3 * (int64_t)kd - 1) * n);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

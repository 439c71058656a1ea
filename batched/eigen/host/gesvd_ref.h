/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gesvd: the one-sided Jacobi method, which makes the columns of A, or of A^H where A is wide,
 * orthogonal.
 */
#include "batched/eigen/host/jacobi_ref.h"

/* One-sided Jacobi (Hestenes): rotate pairs of columns of the rows x k matrix w until all are orthogonal; v collects
 * the rotations.  Columns with a squared norm below `tiny` count as zero.  True if it converged. */
static bool NAME(orthogonalize)(int rows, int k, T *w, T *v, R tiny)
{
  const R tol = EPS * SQRT((R)rows);
  for (int sweep = 0; sweep < 50; sweep++) {
    bool rotated = false;
    for (int p = 0; p < k; p++) {
      for (int q = p + 1; q < k; q++) {
        T *x = w + (int64_t)p * rows, *y = w + (int64_t)q * rows, dot = 0;
        R xx = 0, yy = 0, c, s, tg;
        for (int i = 0; i < rows; i++) {
          xx += REAL(CONJ(x[i]) * x[i]);
          yy += REAL(CONJ(y[i]) * y[i]);
          dot += CONJ(x[i]) * y[i];
        }
        R g = ABS(dot);
        if (xx < tiny || yy < tiny || g <= tol * SQRT(xx) * SQRT(yy)) continue;
        rotated = true;
        T e = CONJ(dot) / g;
        NAME(rotation)(xx, yy, g, &c, &s, &tg);
        NAME(rotate)(rows, x, y, 1, c, s, e);
        if (v) NAME(rotate)(k, v + (int64_t)p * k, v + (int64_t)q * k, 1, c, s, e);
      }
    }
    if (!rotated) return true;
  }
  return false;
}

static R NAME(squared_norm)(int rows, const T *x)
{
  R sum = 0;
  for (int i = 0; i < rows; i++) sum += REAL(CONJ(x[i]) * x[i]);
  return sum;
}

/* Norms of the columns, in descending order; columns of w and v are exchanged with them. */
static void NAME(sort)(int rows, int k, T *w, T *v, R *s, int64_t inc)
{
  for (int j = 0; j < k; j++) s[j * inc] = SQRT(NAME(squared_norm)(rows, w + (int64_t)j * rows));
  for (int j = 0; j < k; j++) {
    int best = j;
    for (int l = j + 1; l < k; l++)
      if (s[l * inc] > s[best * inc]) best = l;
    R sj = s[j * inc];
    s[j * inc] = s[best * inc];
    s[best * inc] = sj;
    for (int i = 0; i < rows; i++) {
      T t = w[i + (int64_t)j * rows];
      w[i + (int64_t)j * rows] = w[i + (int64_t)best * rows];
      w[i + (int64_t)best * rows] = t;
    }
    for (int i = 0; v && i < k; i++) {
      T t = v[i + j * k];
      v[i + j * k] = v[i + best * k];
      v[i + best * k] = t;
    }
  }
}

/* w = (left vectors) diag(s), v = right vectors of A, or of A^H if `wide`. */
static void NAME(store_vectors)(const batched_gesvd_args *g, int64_t b, bool wide, int rows, int k, const T *w,
                                const T *v, R tiny)
{
  T *u = batched_at(&g->u, b), *vt = batched_at(&g->vt, b);
  const int64_t ldu = batched_ld(&g->u, b), ldvt = batched_ld(&g->vt, b);
  int rank = 0;
  for (int j = 0; j < k; j++) {
    R norm2 = NAME(squared_norm)(rows, w + (int64_t)j * rows);
    if (norm2 >= tiny) rank = j + 1;
    for (int i = 0; i < rows; i++) {
      T x = w[i + (int64_t)j * rows] / (norm2 >= tiny ? SQRT(norm2) : 1);
      *(wide ? &vt[j + i * ldvt] : &u[i + j * ldu]) = wide ? CONJ(x) : x;
    }
    for (int i = 0; i < k; i++)
      *(wide ? &u[i + j * ldu] : &vt[j + i * ldvt]) = wide ? v[i + j * k] : CONJ(v[i + j * k]);
  }
  if (wide)
    NAME(complete)(rows, k, rank, vt, ldvt, 1);
  else
    NAME(complete)(rows, k, rank, u, 1, ldu);
}

static int NAME(gesvd)(const batched_gesvd_args *g, int64_t b, int m, int n, T *w)
{
  const T *a = batched_at(&g->a, b);
  const int64_t ld = batched_ld(&g->a, b), inc = batched_increment(&g->s, b);
  const bool wide = m < n;
  const int rows = batched_max(m, n), k = batched_min(m, n);
  const R scale = NAME(scale)(m, n, a, ld), tiny = sizeof(R) == 4 ? 0x1p-100f : (R)0x1p-960;
  R *s = batched_at(&g->s, b);
  T *v = g->job == BATCHED_VECTORS ? w + (int64_t)rows * k : NULL;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < rows; i++) w[i + (int64_t)j * rows] = scale * (wide ? CONJ(a[j + i * ld]) : a[i + j * ld]);
  if (v) NAME(set_identity)(k, v);
  if (scale == 0 || !NAME(orthogonalize)(rows, k, w, v, tiny)) {
    for (int j = 0; j < k; j++) s[j * inc] = (R)__builtin_nan("");
    if (v) NAME(fill)(m, k, batched_at(&g->u, b), batched_ld(&g->u, b), (R)__builtin_nan(""));
    if (v) NAME(fill)(k, n, batched_at(&g->vt, b), batched_ld(&g->vt, b), (R)__builtin_nan(""));
    return k;
  }
  NAME(sort)(rows, k, w, v, s, inc);
  if (v) NAME(store_vectors)(g, b, wide, rows, k, w, v, tiny);
  for (int j = 0; j < k; j++) s[j * inc] /= scale;
  return 0;
}

static int NAME(ref)(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const size_t rows = (size_t)batched_max(g->a.m, g->a.n), k = (size_t)batched_min(g->a.m, g->a.n);
  T *w = batched_scratch_push(ctx, (rows + k) * k * sizeof(T));
  if (!w) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    g->info[b] = m == 0 || n == 0 ? 0 : NAME(gesvd)(g, b, m, n, w);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

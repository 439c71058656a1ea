/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gels: least squares by QR of A, or of A^H where A is wide, with LAPACK's scaling.
 */
#include "batched/host/divide.h"
#include "batched/qr/host/reflectors_ref.h"

/* R^-1 x, or R^-H x, in place; R is upper triangular. */
static void NAME(solve_r)(int n, const T *r, int64_t ld, bool adjoint, T *x)
{
  for (int step = 0; step < n; step++) {
    const int i = adjoint ? step : n - 1 - step;
    T sum = x[i];
    for (int j = adjoint ? 0 : i + 1; j < (adjoint ? i : n); j++)
      sum -= (adjoint ? CONJ(r[j + i * ld]) : r[i + j * ld]) * x[j];
    x[i] = NAME(divide)(sum, adjoint ? CONJ(r[i + i * ld]) : r[i + i * ld]);
  }
}

/* The largest |re| or |im|; NaN if one is. */
static R NAME(largest_part)(int m, int n, const T *x, int64_t ld)
{
  R largest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      const T e = x[i + j * ld];
      const R re = __builtin_fabs(REAL(e)), im = IS_COMPLEX ? __builtin_fabs(__imag__ e) : 0;
      if (re > largest || re != re) largest = re;
      if (im > largest || im != im) largest = im;
    }
  return largest;
}

/* The power of two that takes this largest number away from where sums over- or underflow, as LAPACK's xGELS does: with
 * eps / (the smallest normal number) and its inverse as bounds. */
static R NAME(safe_scale)(R largest)
{
  const bool single = sizeof(R) == sizeof(float);
  if (largest > (single ? (R)0x1p103 : (R)0x1p970)) return single ? (R)0x1p-25 : (R)0x1p-54;
  if (largest < (single ? (R)0x1p-103 : (R)0x1p-970)) return single ? (R)0x1p46 : (R)0x1p104;
  return 1;
}

static void NAME(scale)(R s, int m, int n, T *x, int64_t ld)
{
  for (int j = 0; s != 1 && j < n; j++)
    for (int i = 0; i < m; i++) x[i + j * ld] *= s;
}

/* X of F Y = B; F = Q R is `rows` x k, op(A) is F (over) or F^H. */
static int NAME(solve_scaled)(bool over, int rows, int k, int nrhs, T *f, int64_t ldf, T *tau, T *b, int64_t ldb)
{
  NAME(factor)(rows, k, f, ldf, tau, 1);
  for (int i = 0; i < k; i++)
    if (f[i + i * ldf] == 0) return i + 1;
  if (over) NAME(multiply)(true, true, rows, k, nrhs, f, ldf, tau, 1, b, ldb);
  for (int j = 0; j < nrhs; j++) {
    NAME(solve_r)(k, f, ldf, !over, b + j * ldb);
    for (int i = k; !over && i < rows; i++) b[i + j * ldb] = 0;
  }
  if (!over) NAME(multiply)(true, false, rows, k, nrhs, f, ldf, tau, 1, b, ldb);
  return 0;
}

/* With (s A) Y = t B, X = (s / t) Y.  A matrix of zeros has X = 0. */
static int NAME(solve_ls)(bool over, int rows, int k, int nrhs, T *f, int64_t ldf, T *tau, T *b, int64_t ldb)
{
  const int given = over ? rows : k;
  const R largest = NAME(largest_part)(rows, k, f, ldf);
  if (largest == 0) {
    for (int j = 0; j < nrhs; j++)
      for (int i = 0; i < rows; i++) b[i + j * ldb] = 0;
    return 0;
  }
  const R s = NAME(safe_scale)(largest), t = NAME(safe_scale)(NAME(largest_part)(given, nrhs, b, ldb));
  NAME(scale)(s, rows, k, f, ldf);
  NAME(scale)(t, given, nrhs, b, ldb);
  const int info = NAME(solve_scaled)(over, rows, k, nrhs, f, ldf, tau, b, ldb);
  if (info == 0) NAME(scale)(s / t, over ? k : rows, nrhs, b, ldb);
  return info;
}

static int NAME(ref)(batched_ctx *ctx, const batched_gels_args *g)
{
  const size_t most = (size_t)g->a.m * (size_t)g->a.n;
  T *const f = batched_scratch_push(ctx, (most + (size_t)batched_min(g->a.m, g->a.n) + 1) * sizeof(T));
  if (!f) return BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < g->a.count; i++) {
    const int m = batched_rows(&g->a, i), n = batched_cols(&g->a, i);
    const int64_t lda = batched_ld(&g->a, i);
    T *const a = batched_at(&g->a, i);
    for (int c = 0; m < n && c < n; c++)
      for (int r = 0; r < m; r++) f[c + (int64_t)r * n] = CONJ(a[r + c * lda]);
    g->info[i] = NAME(solve_ls)((m >= n) == (g->trans == BATCHED_NO_TRANS), batched_max(m, n), batched_min(m, n),
                                batched_cols(&g->b, i), m < n ? f : a, m < n ? n : lda, f + most, batched_at(&g->b, i),
                                batched_ld(&g->b, i));
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

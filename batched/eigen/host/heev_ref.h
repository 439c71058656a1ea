/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of heev: the cyclic Jacobi method, two-sided, on the whole matrix.
 */
#include "batched/eigen/host/jacobi_ref.h"

/* The whole matrix from its triangle, scaled. */
static void NAME(load)(const batched_heev_args *h, int64_t b, int n, R scale, T *x)
{
  const T *a = batched_at(&h->a, b);
  const int64_t ld = batched_ld(&h->a, b);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      T e = h->uplo == BATCHED_LOWER ? a[i + j * ld] : CONJ(a[j + i * ld]);
      x[i + j * n] = i == j ? (T)(scale * REAL(e)) : scale * e;
      x[j + i * n] = CONJ(x[i + j * n]);
    }
  }
}

/* Rotate until every off-diagonal element is below eps times the largest one; true if that was reached. */
static bool NAME(diagonalize)(int n, T *x, T *v)
{
  R largest = 0;
  for (int e = 0; e < n * n; e++)
    if (NAME(size)(x[e]) > largest) largest = NAME(size)(x[e]);
  for (int sweep = 0; sweep < 50; sweep++) {
    bool rotated = false;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        R g = ABS(x[p + q * n]), c, s, tg;
        if (!(g > EPS / 16 * largest)) continue;
        rotated = true;
        R app = REAL(x[p + p * n]), aqq = REAL(x[q + q * n]);
        T e = CONJ(x[p + q * n]) / g;
        NAME(rotation)(app, aqq, g, &c, &s, &tg);
        NAME(rotate)(n, x + p * n, x + q * n, 1, c, s, e);
        NAME(rotate)(n, x + p, x + q, n, c, s, CONJ(e));
        if (v) NAME(rotate)(n, v + p * n, v + q * n, 1, c, s, e);
        x[p + q * n] = x[q + p * n] = 0;
        x[p + p * n] = app - tg;
        x[q + q * n] = aqq + tg;
      }
    }
    if (!rotated) return true;
  }
  return false;
}

static void NAME(swap_columns)(int n, T *x, T *y)
{
  for (int i = 0; i < n; i++) {
    T t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

static int NAME(heev)(const batched_heev_args *h, int64_t b, int n, T *x)
{
  T *v = h->job == BATCHED_VECTORS ? x + n * n : NULL, *a = batched_at(&h->a, b);
  R *w = batched_at(&h->w, b);
  const int64_t inc = batched_increment(&h->w, b);
  NAME(load)(h, b, n, 1, x);
  const R scale = NAME(scale)(n, n, x, n);
  NAME(load)(h, b, n, scale, x);
  if (v) NAME(set_identity)(n, v);
  if (scale == 0 || !NAME(diagonalize)(n, x, v)) {
    for (int i = 0; i < n; i++) w[i * inc] = (R)__builtin_nan("");
    if (v) NAME(fill)(n, n, a, batched_ld(&h->a, b), (R)__builtin_nan(""));
    return n;
  }
  for (int i = 0; i < n; i++) w[i * inc] = REAL(x[i + i * n]) / scale;
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (w[j * inc] < w[least * inc]) least = j;
    R wi = w[i * inc];
    w[i * inc] = w[least * inc];
    w[least * inc] = wi;
    if (v && least != i) NAME(swap_columns)(n, v + i * n, v + least * n);
  }
  for (int j = 0; v && j < n; j++)
    for (int i = 0; i < n; i++) a[i + (int64_t)j * batched_ld(&h->a, b)] = v[i + j * n];
  return 0;
}

static int NAME(ref)(batched_ctx *ctx, const batched_heev_args *h)
{
  T *x = batched_scratch_push(ctx, 2 * (size_t)h->a.n * (size_t)h->a.n * sizeof(T));
  if (!x) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < h->a.count; b++) {
    int n = batched_rows(&h->a, b);
    h->info[b] = n == 0 ? 0 : NAME(heev)(h, b, n, x);
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

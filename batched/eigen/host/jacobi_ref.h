/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Jacobi methods for eigenvalues and singular values share, in plain loops.
 */
#include "batched/host/power_of_two.h"

/* Larger of the two parts: an abs that can't overflow. */
static inline R NAME(size)(T x)
{
#if IS_COMPLEX
  R re = __builtin_fabs(__real__ x), im = __builtin_fabs(__imag__ x);
  return re > im || re != re ? re : im;
#else
  return ABS(x);
#endif
}

/* A power of two by which the m x n matrix is multiplied so that its largest element is near 1: norms and products can
 * neither over- nor underflow then, and no digit is lost.  0 if there is a NaN or an infinity. */
static inline R NAME(scale)(int m, int n, const T *a, int64_t ld)
{
  R largest = 0;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) {
      R x = NAME(size)(a[i + j * ld]);
      if (x - x != 0) return 0;
      if (x > largest) largest = x;
    }
  }
  return (R)batched_scale_to_one(largest, sizeof(R));
}

/* The rotation that makes [app, g; g, aqq] diagonal with g > 0: (c, s) and the change t g of the diagonal. */
static inline void NAME(rotation)(R app, R aqq, R g, R *c, R *s, R *tg)
{
  R theta = (aqq - app) / (2 * g);
  const R size = __builtin_fabs(theta);
  R t = size < 1 / EPS ? 1 / (size + SQRT(1 + theta * theta)) : 1 / (2 * size); /* whose square may overflow */
  if (theta < 0) t = -t;
  *c = 1 / SQRT(1 + t * t);
  *s = t * *c;
  *tg = t * g;
}

/* (x, y) := (c x - s e y, s x + c e y), element by element; e has modulus 1. */
static inline void NAME(rotate)(int n, T *x, T *y, int64_t inc, R c, R s, T e)
{
  for (int i = 0; i < n; i++) {
    T xi = x[i * inc], yi = e * y[i * inc];
    x[i * inc] = c * xi - s * yi;
    y[i * inc] = s * xi + c * yi;
  }
}

static inline void NAME(set_identity)(int n, T *v)
{
  for (int i = 0; i < n * n; i++) v[i] = i % (n + 1) == 0;
}

static inline void NAME(fill)(int m, int n, T *a, int64_t ld, R value)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] = FROM(value, value);
}

/* Columns j0..k-1 of u (element (i, j) at u[i * row + j * col]) become orthonormal to each other and to the columns
 * before.  Each starts from the unit vector of which the columns so far hold the least. */
static inline void NAME(complete)(int rows, int k, int j0, T *u, int64_t row, int64_t col)
{
  for (int j = j0; j < k; j++) {
    int best = 0;
    R least = 2;
    for (int i = 0; i < rows; i++) {
      R held = 0;
      for (int c = 0; c < j; c++) held += REAL(u[i * row + c * col] * CONJ(u[i * row + c * col]));
      if (held < least) least = held, best = i;
    }
    for (int i = 0; i < rows; i++) u[i * row + j * col] = i == best;
    for (int twice = 0; twice < 2; twice++) {
      for (int c = 0; c < j; c++) {
        T dot = 0;
        for (int i = 0; i < rows; i++) dot += CONJ(u[i * row + c * col]) * u[i * row + j * col];
        for (int i = 0; i < rows; i++) u[i * row + j * col] -= dot * u[i * row + c * col];
      }
      R norm = 0;
      for (int i = 0; i < rows; i++) norm += REAL(u[i * row + j * col] * CONJ(u[i * row + j * col]));
      for (int i = 0; i < rows; i++) u[i * row + j * col] /= SQRT(norm);
    }
  }
}

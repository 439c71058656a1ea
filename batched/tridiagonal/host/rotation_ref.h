/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the iterations on tridiagonal and bidiagonal matrices share, in plain loops.
 */
#include "batched/host/power_of_two.h"

/* A power of two that brings the largest of d and e near 1, so that squares neither over- nor underflow; 0 where one of
 * them is a NaN or an infinity. */
static R NAME(scale_of)(int n, const R *d, int64_t incd, const R *e, int64_t ince)
{
  R largest = 0;
  for (int i = 0; i < 2 * n - 1; i++) {
    const R x = (R)__builtin_fabs(i < n ? d[i * incd] : e[(i - n) * ince]);
    if (x - x != 0) return 0;
    if (x > largest) largest = x;
  }
  return (R)batched_scale_to_one(largest, sizeof(R));
}

/* [c s; -s c] (f, g) = (r, 0), as LAPACK's lartg: no over- or underflow on the way. */
static inline void NAME(make_rotation)(R f, R g, R *c, R *s, R *r)
{
  if (g == 0) {
    *c = 1, *s = 0, *r = f;
    return;
  }
  if (f == 0) {
    *c = 0, *s = 1, *r = g;
    return;
  }
  const R fa = (R)__builtin_fabs(f), ga = (R)__builtin_fabs(g), most = fa > ga ? fa : ga;
  const R x = f / most, y = g / most, norm = (R)__builtin_copysign(SQRT(x * x + y * y), f);
  *c = x / norm;
  *s = y / norm; /* not g / *r, which has few bits where it is denormal */
  *r = norm * most;
}

/* (x, y) = (c x + s y, c y - s x) for two columns, complex ones as twice as many real numbers. */
static inline void NAME(rotate_real)(int reals, R *x, R *y, R c, R s)
{
  for (int i = 0; i < reals; i++) {
    const R xi = x[i], yi = y[i];
    x[i] = c * xi + s * yi;
    y[i] = c * yi - s * xi;
  }
}

static inline void NAME(exchange_real)(int reals, R *x, R *y)
{
  for (int i = 0; i < reals; i++) {
    const R t = x[i];
    x[i] = y[i];
    y[i] = t;
  }
}

static inline void NAME(fill_with)(int m, int n, T *a, int64_t ld, T value)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] = value;
}

static inline void NAME(fill_vector)(int n, R *x, int64_t inc, R value)
{
  for (int i = 0; i < n; i++) x[i * inc] = value;
}

static inline T NAME(nan)(void)
{
  return FROM(__builtin_nan(""), __builtin_nan(""));
}

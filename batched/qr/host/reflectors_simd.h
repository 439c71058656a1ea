/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Single reflectors with a matrix in each lane.
 */
#include "batched/host/lanes.h"

/* Makes the reflector of `len` elements, as LAPACK's larfg, on a column that a power of two has brought near 1. */
static ELEM NAME(make_reflector_lanes)(int len, ELEM *x)
{
  VEC size = {0}, tail = {0}, up, down;
  for (int i = 0; i < len; i++) size = SIMD(max)(size, NAME(magnitude)(x[i]));
  SIMD(power_of_two)(size, &up, &down);
  const ELEM alpha = NAME(scaled)(x[0], down);
  for (int i = 1; i < len; i++) tail += NAME(square)(NAME(scaled)(x[i], down));
  const VEC norm = SIMD(sqrt)(tail + NAME(square)(alpha)), beta = -SIMD(with_sign)(norm, RE(alpha));
  MASK none = tail == 0;
#if IS_COMPLEX
  none &= alpha.im == 0;
  const ELEM d = {alpha.re - beta, alpha.im}, tau = {(beta - alpha.re) / beta, -alpha.im / beta};
  const VEC r = 1 / NAME(square)(d);
  const ELEM inverse = {d.re * r, -d.im * r};
#else
  const ELEM tau = (beta - alpha) / beta, inverse = 1 / (alpha - beta);
#endif
  const ELEM zero = NAME(make)((VEC){0}), scale = NAME(choose)(none, zero, inverse);
  for (int i = 1; i < len; i++) x[i] = NAME(times)(NAME(scaled)(x[i], down), scale);
  x[0] = NAME(choose)(none, x[0], NAME(make)(beta * up));
  return NAME(choose)(none, zero, tau);
}

/* The vectors of k elements, one in each lane; `turned`: from the last element to the first. */
ALWAYS_INLINE void NAME(unpack_vector)(const batched_matrix *to, const batched_group *g, int k, bool turned,
                                       const ELEM *from)
{
  for (int l = 0; l < g->active; l++) {
    T *const at = batched_at(to, g->index[l]);
    const int64_t inc = batched_increment(to, g->index[l]);
    for (int i = 0; i < k; i++) at[(turned ? k - 1 - i : i) * inc] = NAME(lane)(&from[i], l);
  }
}

ALWAYS_INLINE void NAME(unpack_reals)(const batched_matrix *to, const batched_group *g, int k, bool turned,
                                      const VEC *from)
{
  for (int l = 0; l < g->active; l++) {
    R *const at = batched_at(to, g->index[l]);
    const int64_t inc = batched_increment(to, g->index[l]);
    for (int i = 0; i < k; i++) at[(turned ? k - 1 - i : i) * inc] = from[i][l];
  }
}

/* c = H^H c for a constant number of columns `col` elements apart, of rows `row` apart. */
ALWAYS_INLINE void NAME(reflect_lanes)(int cols, int len, int64_t row, int64_t col, const ELEM *v, ELEM tau, ELEM *c)
{
  ELEM f[4]; /* minus v^H c, then times conj(tau) */
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) f[j] = NAME(scaled)(c[j * col], SIMD(splat)(-1));
  for (int i = 1; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) f[j] = NAME(fms)(f[j], v[i], c[i * row + j * col], true, false);
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) {
    f[j] = NAME(times)(NAME(conjugate)(tau), f[j]);
    c[j * col] = NAME(plus)(c[j * col], f[j]);
    f[j] = NAME(scaled)(f[j], SIMD(splat)(-1));
  }
  for (int i = 1; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) c[i * row + j * col] = NAME(fms)(c[i * row + j * col], v[i], f[j], false, false);
}

/* H^H c, element (i, j) of c at c[i * row + j * col], for the reflector v of `len` elements. */
static inline void NAME(reflect_columns)(int cols, int len, int64_t row, int64_t col, const ELEM *v, ELEM tau, ELEM *c)
{
  for (int j = 0; j < cols; j += 4) {
    ELEM *const at = c + j * col;
    switch (batched_min(4, cols - j)) {
    case 1: NAME(reflect_lanes)(1, len, row, col, v, tau, at); break;
    case 2: NAME(reflect_lanes)(2, len, row, col, v, tau, at); break;
    case 3: NAME(reflect_lanes)(3, len, row, col, v, tau, at); break;
    case 4: NAME(reflect_lanes)(4, len, row, col, v, tau, at); break;
    }
  }
}

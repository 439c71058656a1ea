/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How large LAPACK finds an element, division, and the end of a solve, a matrix in each SIMD lane.
 */
#include "batched/host/lanes.h"

ALWAYS_INLINE VEC NAME(sizes)(ELEM x)
{
#if IS_COMPLEX
  return SIMD(abs)(x.re) + SIMD(abs)(x.im);
#else
  return SIMD(abs)(x);
#endif
}

/* x / d; complex numbers are scaled by the larger part of d. */
ALWAYS_INLINE ELEM NAME(over)(ELEM x, ELEM d)
{
#if IS_COMPLEX
  const VEC s = NAME(magnitude)(d);
  const ELEM unit = {d.re / s, -d.im / s}, y = NAME(times)(x, unit);
  const VEC square = NAME(square)(unit);
  return (ELEM){y.re / square / s, y.im / square / s};
#else
  return x / d;
#endif
}

/* Stores the solutions; of matrices that have no inverse they go `elsewhere`. */
ALWAYS_INLINE void NAME(store_sound)(NAME(matrices) b, const batched_group *g, int n, int nrhs, MASK info, T *elsewhere,
                                     const ELEM *y)
{
  for (int l = 0; l < W; l++)
    if (info[l]) {
      b.at[l] = elsewhere;
      b.ld[l] = n;
    }
  NAME(unpack)(&b, g->active, 0, 0, n, nrhs, false, y);
}

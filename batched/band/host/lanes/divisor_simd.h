/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What divides by the same numbers several times, in SIMD lanes.
 */
#include "batched/host/lanes.h"

/* Right-hand sides that share the numbers read of a matrix. */
enum { NAME(SIDES) = IS_COMPLEX ? 2 : 4 };

/* A number d to divide by: x / d = x / by; complex: x by scale, by = 1 / (d scale), scale a power of two. */
typedef struct NAME(divisor) {
  ELEM by;
  VEC scale;
} NAME(divisor);

ALWAYS_INLINE NAME(divisor) NAME(divisor_of)(ELEM d)
{
#if IS_COMPLEX
  VEC s, inverse;
  SIMD(power_of_two)(NAME(magnitude)(d), &s, &inverse);
  const VEC re = d.re * inverse, im = d.im * inverse, r = 1 / (re * re + im * im);
  return (NAME(divisor)){{re * r, -im * r}, inverse};
#else
  return (NAME(divisor)){d, d};
#endif
}

ALWAYS_INLINE ELEM NAME(divided)(ELEM x, NAME(divisor) d)
{
#if IS_COMPLEX
  return NAME(scaled)(NAME(times)(x, d.by), d.scale);
#else
  return x / d.by;
#endif
}

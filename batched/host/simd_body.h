/* SPDX-License-Identifier: BSD-3-Clause */

enum { VNAME(LANES) = SIMD_BYTES / sizeof(R) };
typedef R VNAME(vec) __attribute__((vector_size(SIMD_BYTES)));
typedef R VNAME(unaligned) __attribute__((vector_size(SIMD_BYTES), aligned(sizeof(R)), may_alias));
typedef INT VNAME(mask) __attribute__((vector_size(SIMD_BYTES))); /* per lane: 0 or -1 */
#define VEC VNAME(vec)
#define MASK VNAME(mask)

ALWAYS_INLINE VEC VNAME(splat)(R x)
{
  return (VEC){0} + x;
}

ALWAYS_INLINE VEC VNAME(load)(const R *p)
{
  return *(const VNAME(unaligned) *)p;
}

ALWAYS_INLINE void VNAME(store)(R *p, VEC x)
{
  *(VNAME(unaligned) *)p = x;
}

/* The first k of p's elements, and zeros. */
ALWAYS_INLINE VEC VNAME(load_part)(const R *p, int k)
{
#if SIMD_BYTES == 64
  return MM512(maskz_loadu)((SIMD_PASTE(__mmask, LANES))((1u << k) - 1), p);
#elif SIMD_BYTES == 32
  MASK lane;
  for (int i = 0; i < LANES; i++) lane[i] = i;
  return MM256(maskload)(p, (__m256i)(lane < (INT)k));
#else
  if (k == LANES) return VNAME(load)(p);
  VEC x = {0};
  for (int i = 0; i < k; i++) x[i] = p[i];
  return x;
#endif
}

ALWAYS_INLINE void VNAME(store_part)(R *p, VEC x, int k)
{
#if SIMD_BYTES == 64
  MM512(mask_storeu)(p, (SIMD_PASTE(__mmask, LANES))((1u << k) - 1), x);
#elif SIMD_BYTES == 32
  MASK lane;
  for (int i = 0; i < LANES; i++) lane[i] = i;
  MM256(maskstore)(p, (__m256i)(lane < (INT)k), x);
#else
  if (k == LANES)
    VNAME(store)(p, x);
  else
    for (int i = 0; i < k; i++) p[i] = x[i];
#endif
}

ALWAYS_INLINE VEC VNAME(sqrt)(VEC x)
{
#if SIMD_BYTES == 64
  return MM512(sqrt)(x);
#elif SIMD_BYTES == 32
  return MM256(sqrt)(x);
#else
  for (int i = 0; i < LANES; i++) x[i] = (R)__builtin_sqrt(x[i]);
  return x;
#endif
}

/* 1 / sqrt(x) to an ulp or two, for x > 0 but infinity: without the two slowest instructions that there are. */
ALWAYS_INLINE VEC VNAME(inverse_sqrt)(VEC x)
{
#if SIMD_BYTES == 64
  VEC y = MM512(rsqrt14)(x);
  for (int step = 0; step < (int)sizeof(R) / 4; step++) y = y + y * ((R)0.5 - (R)0.5 * y * x * y);
  return y;
#else
  return 1 / VNAME(sqrt)(x);
#endif
}

ALWAYS_INLINE bool VNAME(any)(MASK m)
{
#if SIMD_BYTES == 64
  return _mm512_test_epi32_mask((__m512i)m, (__m512i)m) != 0;
#elif SIMD_BYTES == 32
  return !_mm256_testz_si256((__m256i)m, (__m256i)m);
#else
  INT all = 0;
  for (int i = 0; i < LANES; i++) all |= m[i];
  return all != 0;
#endif
}

/* m ? x : y, lane by lane. */
ALWAYS_INLINE VEC VNAME(select)(MASK m, VEC x, VEC y)
{
  return (VEC)((m & (MASK)x) | (~m & (MASK)y));
}

ALWAYS_INLINE VEC VNAME(abs)(VEC x)
{
  const MASK sign = (MASK){0} + (INT)(1ull << (8 * sizeof(R) - 1));
  return (VEC)((MASK)x & ~sign);
}

/* y with the signs of x. */
ALWAYS_INLINE VEC VNAME(with_sign)(VEC y, VEC x)
{
  const MASK sign = (MASK){0} + (INT)(1ull << (8 * sizeof(R) - 1));
  return (VEC)(((MASK)y & ~sign) | ((MASK)x & sign));
}

ALWAYS_INLINE VEC VNAME(max)(VEC x, VEC y)
{
  return VNAME(select)(x > y, x, y);
}

ALWAYS_INLINE VEC VNAME(swap_neighbours)(VEC x)
{
  return __builtin_shufflevector(x, x, SIMD_PASTE(SIMD_SWAP_, LANES));
}

/* The elements of x that are h away. */
#define AWAY(x, h) __builtin_shufflevector(x, x, SIMD_PASTE(SIMD_AWAY_, LANES)((h) % LANES))

/* The sum of all elements, in each of them; of two interleaved sequences, that of each. */
ALWAYS_INLINE VEC VNAME(sums)(VEC x, int sequences)
{
  if (LANES > 8) x += AWAY(x, 8);
  if (LANES > 4) x += AWAY(x, 4);
  if (LANES > 2) x += AWAY(x, 2);
  if (sequences == 1) x += AWAY(x, 1);
  return x;
}

ALWAYS_INLINE R VNAME(sum)(VEC x)
{
  return VNAME(sums)(x, 1)[0];
}

ALWAYS_INLINE R VNAME(largest)(VEC x)
{
  if (LANES > 8) x = VNAME(max)(x, AWAY(x, 8));
  if (LANES > 4) x = VNAME(max)(x, AWAY(x, 4));
  if (LANES > 2) x = VNAME(max)(x, AWAY(x, 2));
  return VNAME(max)(x, AWAY(x, 1))[0];
}

ALWAYS_INLINE INT VNAME(least)(MASK x)
{
#define LESS(y) x = (MASK)VNAME(select)((y) < x, (VEC)(y), (VEC)x)
  if (LANES > 8) LESS(AWAY(x, 8));
  if (LANES > 4) LESS(AWAY(x, 4));
  if (LANES > 2) LESS(AWAY(x, 2));
  LESS(AWAY(x, 1));
#undef LESS
  return x[0];
}
#undef AWAY

/* Vector i's element j becomes vector j's element i. */
ALWAYS_INLINE void VNAME(transpose)(VEC t[LANES])
{
#pragma GCC unroll 8
  for (int stage = 1; stage < LANES; stage *= 2) {
    VEC z[LANES];
#pragma GCC unroll 8
    for (int i = 0; i < LANES / 2; i++) {
      z[2 * i] = __builtin_shufflevector(t[i], t[i + LANES / 2], SIMD_PASTE(SIMD_ZIP_LOW_, LANES));
      z[2 * i + 1] = __builtin_shufflevector(t[i], t[i + LANES / 2], SIMD_PASTE(SIMD_ZIP_HIGH_, LANES));
    }
#pragma GCC unroll 16
    for (int i = 0; i < LANES; i++) t[i] = z[i];
  }
}

/* Powers of two s and 1/s, s near x > 0, both of them normal numbers. */
ALWAYS_INLINE void VNAME(power_of_two)(VEC x, VEC *s, VEC *inverse)
{
  const INT step = (INT)1 << FRACTION_BITS;
  const MASK low = (MASK){0} + 3 * step, high = (MASK){0} + ((INT)EXPONENT_MASK - 3 * step);
  MASK e = (MASK)x & ((MASK){0} + (INT)EXPONENT_MASK);
  e = (MASK)VNAME(select)(e < low, (VEC)low, (VEC)e);
  e = (MASK)VNAME(select)(e > high, (VEC)high, (VEC)e);
  *s = (VEC)e;
  *inverse = (VEC)((INT)EXPONENT_MASK - step - e);
}

#undef VEC
#undef MASK

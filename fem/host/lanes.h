/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A short vector of `number`, one zone a lane, for the host's vectorised kernels; makes `real` of point_real.h such
 * a vector.  Include before point.h.  number is double, or float in files that define LANES_SINGLE before, which then
 * have twice the lanes, and of the functions below those that kernels of products need.
 */
#ifndef FEM_HOST_LANES_H
#define FEM_HOST_LANES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__AVX512F__)
#include <immintrin.h> /* gcc splits the square root of 8 doubles */
enum { LANE_BYTES = 64 };
#elif defined(__AVX__)
enum { LANE_BYTES = 32 };
#else
enum { LANE_BYTES = 16 };
#endif

#define POINT_REAL lanes
#define POINT_FN static inline __attribute__((always_inline))

#ifdef LANES_SINGLE
typedef float number;
#else
typedef double number;
#endif
enum { LANES = LANE_BYTES / sizeof(number) };

typedef number real __attribute__((vector_size(LANE_BYTES)));

POINT_FN real real_of(number a)
{
  return a - (real){0};
}

/* from[index[l]] for every lane l */
POINT_FN real real_gather(const number *from, const int *index)
{
#if defined(__AVX512F__) && defined(LANES_SINGLE)
  return (real)_mm512_i32gather_ps(_mm512_loadu_si512(index), from, 4);
#elif defined(__AVX512F__)
  return (real)_mm512_i32gather_pd(_mm256_loadu_si256((const __m256i_u *)index), from, 8);
#else
  real values = {0};
  for (int l = 0; l < LANES; l++) values[l] = from[index[l]];
  return values;
#endif
}

/* A vector where a number may stand. */
typedef number real_anywhere __attribute__((vector_size(LANE_BYTES), aligned(sizeof(number)), may_alias));

/* from[l] for the first `zones` lanes, that of the last of them for those behind. */
POINT_FN real real_load(const number *from, int zones)
{
  if (zones >= LANES) return *(const real_anywhere *)from;
#if defined(__AVX512F__) && !defined(LANES_SINGLE)
  const __m512i lane = _mm512_min_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(zones - 1));
  return (real)_mm512_permutexvar_pd(lane, _mm512_maskz_loadu_pd((__mmask8)((1 << zones) - 1), from));
#else
  real values = {0};
  for (int l = 0; l < LANES; l++) values[l] = from[l < zones ? l : zones - 1];
  return values;
#endif
}

/* to[l] += a[l] for the first `zones` lanes. */
POINT_FN void real_add_to(number *to, int zones, real a)
{
  if (zones >= LANES) {
    *(real_anywhere *)to += a;
    return;
  }
#if defined(__AVX512F__) && !defined(LANES_SINGLE)
  const __mmask8 some = (__mmask8)((1 << zones) - 1);
  _mm512_mask_storeu_pd(to, some, _mm512_add_pd(_mm512_maskz_loadu_pd(some, to), (__m512d)a));
#else
  for (int l = 0; l < zones; l++) to[l] += a[l];
#endif
}

/* `first` in lane 0, from[l] in the others */
POINT_FN real real_load_behind(number first, const number *from)
{
#if defined(__AVX512F__) && !defined(LANES_SINGLE)
  return (real)_mm512_mask_loadu_pd((__m512d)real_of(first), (__mmask8)~1u, from);
#else
  real values = real_of(first);
  for (int l = 1; l < LANES; l++) values[l] = from[l];
  return values;
#endif
}

/* to[l] += a[l] in all lanes but 0 */
POINT_FN void real_add_behind(number *to, real a)
{
#if defined(__AVX512F__) && !defined(LANES_SINGLE)
  const __mmask8 behind = (__mmask8)~1u;
  _mm512_mask_storeu_pd(to, behind, _mm512_add_pd(_mm512_maskz_loadu_pd(behind, to), (__m512d)a));
#else
  for (int l = 1; l < LANES; l++) to[l] += a[l];
#endif
}

/* a with lane l replaced */
POINT_FN real real_with(real a, int l, number value)
{
#if defined(__AVX512F__) && defined(LANES_SINGLE)
  return (real)_mm512_mask_broadcastss_ps((__m512)a, (__mmask16)(1u << l), _mm_set_ss(value));
#elif defined(__AVX512F__)
  return (real)_mm512_mask_broadcastsd_pd((__m512d)a, (__mmask8)(1u << l), _mm_set_sd(value));
#else
  a[l] = value;
  return a;
#endif
}

/* a[l + 1] in lane l, and in the last one `last` */
POINT_FN real real_shift_down(real a, number last)
{
#if defined(__AVX512F__) && defined(LANES_SINGLE)
  return (real)_mm512_alignr_epi32((__m512i)real_of(last), (__m512i)a, 1);
#elif defined(__AVX512F__)
  return (real)_mm512_alignr_epi64((__m512i)real_of(last), (__m512i)a, 1);
#else
  real shifted = real_of(last);
  for (int l = 0; l < LANES - 1; l++) shifted[l] = a[l + 1];
  return shifted;
#endif
}

/* a[l] in lane l + 1 where bit l is set, else 0 */
POINT_FN real real_shift_up(real a, unsigned bits)
{
#if defined(__AVX512F__) && defined(LANES_SINGLE)
  return (real)_mm512_maskz_alignr_epi32((__mmask16)(bits << 1), (__m512i)a, (__m512i)a, LANES - 1);
#elif defined(__AVX512F__)
  return (real)_mm512_maskz_alignr_epi64((__mmask8)(bits << 1), (__m512i)a, (__m512i)a, LANES - 1);
#else
  real shifted = {0};
  for (int l = 0; l < LANES - 1; l++) shifted[l + 1] = bits >> l & 1 ? a[l] : 0;
  return shifted;
#endif
}

#ifndef LANES_SINGLE

typedef int64_t real_mask __attribute__((vector_size(LANE_BYTES)));

POINT_FN real real_sqrt(real a)
{
#if defined(__AVX512F__)
  return (real)_mm512_sqrt_pd((__m512d)a);
#else
  for (int l = 0; l < LANES; l++) a[l] = sqrt(a[l]);
  return a;
#endif
}

/* 1/a and 1/sqrt(a) for positive normal a: the processor's estimate, good to 14 bits, times the series of the rest.
 * A unit or two in the last place off, at a fraction of the time of a division and a square root. */
POINT_FN real real_inverse(real a)
{
#if defined(__AVX512F__)
  real y = (real)_mm512_rcp14_pd((__m512d)a);
  real e = 1.0 - a * y, e2 = e * e; // 1/a = y (1 + e + e^2 + e^3 + ...)
  return y + (y * e) * ((1.0 + e) + e2 * (1.0 + e));
#else
  return 1.0 / a;
#endif
}

POINT_FN real real_inverse_sqrt(real a)
{
#if defined(__AVX512F__)
  real y = (real)_mm512_rsqrt14_pd((__m512d)a);
  real e = 1.0 - (a * y) * y, e2 = e * e; // 1/sqrt(a) = y (1 + e/2 + 3/8 e^2 + 5/16 e^3 + 35/128 e^4 + ...)
  return y + (y * e) * ((0.5 + 0.375 * e) + e2 * (0.3125 + 0.2734375 * e));
#else
  return 1.0 / real_sqrt(a);
#endif
}

POINT_FN real real_abs(real a)
{
  return (real)((real_mask)a & INT64_MAX);
}

POINT_FN real real_select(real_mask m, real a, real b)
{
  return (real)((m & (real_mask)a) | (~m & (real_mask)b));
}

POINT_FN bool real_any(real_mask m)
{
  int64_t any = 0;
  for (int l = 0; l < LANES; l++) any |= m[l];
  return any != 0;
}

POINT_FN bool real_all(real_mask m)
{
  return !real_any(~m);
}

#endif /* LANES_SINGLE */

#endif

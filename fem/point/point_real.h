/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The numbers that the physics at a point is written in.
 *
 * `real` is a double (host.ref, CUDA) or a short vector of doubles, one zone a lane, where host/lanes.h was included
 * before; all control flow is by selection, so that the same text serves both.
 */
#ifndef FEM_POINT_REAL_H
#define FEM_POINT_REAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#ifndef POINT_REAL
#ifdef __CUDACC__
#define POINT_FN static __host__ __device__ __forceinline__
#else
#define POINT_FN static inline __attribute__((always_inline))
#endif
typedef double real;
typedef int real_mask;
POINT_FN real real_of(double a)
{
  return a;
}
/* 1/a and 1/sqrt(a) for positive normal a.  A GPU gives an estimate good to 20 bits; times the series of the rest it
 * is a unit or two in the last place off, at a fraction of the time of a division and a square root. */
POINT_FN real real_inverse(real a)
{
#ifdef __CUDA_ARCH__
  real y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  real e = 1.0 - a * y; // 1/a = y (1 + e + e^2 + ...)
  return y + y * (e + e * e);
#else
  return 1.0 / a;
#endif
}
POINT_FN real real_inverse_sqrt(real a)
{
#ifdef __CUDA_ARCH__
  real y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
  real e = 1.0 - (a * y) * y; // 1/sqrt(a) = y (1 + e/2 + 3/8 e^2 + ...)
  return y + (y * e) * (0.5 + 0.375 * e);
#else
  return 1.0 / sqrt(a);
#endif
}
POINT_FN real real_sqrt(real a)
{
#ifdef __CUDA_ARCH__
  return fabs(a) < DBL_MIN ? 0.0 : a * real_inverse_sqrt(a);
#else
  return sqrt(a);
#endif
}
POINT_FN real real_abs(real a)
{
  return fabs(a);
}
POINT_FN real real_select(real_mask m, real a, real b)
{
  return m ? a : b;
}
POINT_FN bool real_any(real_mask m)
{
  return m;
}
POINT_FN bool real_all(real_mask m)
{
  return m;
}
#endif

/* a / b for normal b, by the fast inverse where there is one. */
POINT_FN real real_divide(real a, real b)
{
#if defined(__CUDA_ARCH__) || defined(POINT_REAL)
  return a * real_inverse(b);
#else
  return a / b;
#endif
}

POINT_FN real real_max(real a, real b)
{
  return real_select(a > b, a, b);
}

POINT_FN real real_min(real a, real b)
{
  return real_select(a < b, a, b);
}

POINT_FN real real_copysign_one(real a)
{
#ifdef __CUDA_ARCH__
  return copysign(1.0, a);
#else
  return real_select(a < 0.0, real_of(-1.0), real_of(1.0));
#endif
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reciprocals and reciprocal roots from the processor's estimates, in a fraction of the time of a division or a square
 * root; tests/batched/test_fast_math.cu measures how accurate they are.
 *
 * In double precision the estimate y has a relative error of at most 2^-19 or so.  With e = 1 - x y for 1/x and
 * e = 1 - x y^2 for 1/sqrt(x), one step of third order gives
 *
 *   1/x = y (1 + e + e^2) + O(e^3),        1/sqrt(x) = y (1 + e/2 + 3 e^2/8) + O(e^3),
 *
 * within about one unit in the last place.  x is positive for the root, and far enough from under- and overflow that
 * x y, x y^2 and the result are normal numbers: 2^-1000 < |x| < 2^1000 in double, 2^-120 < |x| < 2^120 in single
 * precision.
 */
#ifndef BATCHED_CUDA_FAST_MATH_CUH
#define BATCHED_CUDA_FAST_MATH_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* 1 / x from a number `near` it, within 2^-19 or so, that is known earlier than x. */
__device__ __forceinline__ double inverse_of(double x, double near)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(near));
  const double e = fma(-x, y, 1.0);
  return fma(fma(e, e, e), y, y);
}
/* In single precision the estimate is good to an ulp, and one step of second order corrects it. */
__device__ __forceinline__ float inverse_of(float x, float)
{
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return fma(y, fma(-x, y, 1.0f), y);
}

/* 1 / x */
template <class T> __device__ __forceinline__ T inverse_of(T x)
{
  if constexpr (is_complex<T>) {
    const real_of<T> r = inverse_of(square(x));
    return {x.re * r, -x.im * r};
  } else {
    return inverse_of(x, x);
  }
}

/* 1 / sqrt(x): the estimate, of some 20 bits in double precision and two ulps in single precision; */
__device__ __forceinline__ double rough_inverse_root(double x)
{
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
__device__ __forceinline__ float rough_inverse_root(float x)
{
  return rsqrtf(x);
}

/* ... corrected, by a step of third order (of second order in single precision); */
__device__ __forceinline__ double inverse_root(double x, double rough)
{
  const double e = fma(-x * rough, rough, 1.0);
  return fma(rough * e, fma(0.375, e, 0.5), rough);
}
__device__ __forceinline__ float inverse_root(float x, float rough)
{
  return fmaf(0.5f * rough, fmaf(-x * rough, rough, 1.0f), rough);
}

/* ... and both: within about two ulps, in single precision the estimate as it is. */
__device__ __forceinline__ double inverse_root(double x)
{
  return inverse_root(x, rough_inverse_root(x));
}
__device__ __forceinline__ float inverse_root(float x)
{
  return rough_inverse_root(x);
}

/* 1 / d = scale * inverse for any d, where scale is a power of two that is 1 for all but extreme d: multiplying by the
 * two, in this order, overflows no earlier than a division.  Exact division. */
template <class T> struct reciprocal {
  real_of<T> scale;
  T inverse;

  DEVICE T operator()(T x) const
  {
    return (scale * x) * inverse;
  }
};

template <class T> __device__ __forceinline__ reciprocal<T> reciprocal_of(T d)
{
  using R = real_of<T>;
  constexpr int moderate = sizeof(R) == 4 ? 60 : 500, most = sizeof(R) == 4 ? 100 : 1000;
  const R size = fmax(fabs(real(d)), fabs(imag(d)));
  const int e = max(-most, min(ilogb(size), most));
  const R scale = e >= -moderate && e <= moderate ? R(1) : scalbn(R(1), -e - 1);
  const T x = scale * d;
  if constexpr (is_complex<T>) {
    const R r = 1 / (x.re * x.re + x.im * x.im);
    return {scale, {x.re * r, -x.im * r}};
  } else {
    return {scale, 1 / x};
  }
}

/* x / d where that is so rare that it may cost a call. */
template <class T> __device__ __noinline__ T divide_rarely(T x, T d)
{
  return divide(x, d);
}

/* Division by d: by its inverse, unless that may over- or underflow. */
template <class T> struct diagonal {
  T d, inverse;
  bool safe;

  __device__ __forceinline__ explicit diagonal(T d) : diagonal(d, inverse_of(d))
  {
  }
  __device__ __forceinline__ diagonal(T d, T inverse) : d(d), inverse(inverse)
  {
    if constexpr (!is_complex<T> && sizeof(T) == 8) {
      safe = ((unsigned)__double2hiint(d) & 0x7fffffffu) - 0x20b00000u < 0x3e800000u; /* 2^-500 to 2^500 */
    } else {
      constexpr real_of<T> most = sizeof(real_of<T>) == 4 ? 0x1p60f : real_of<T>(0x1p500);
      safe = abs1(d) <= most && abs1(d) >= 1 / most;
    }
  }
  __device__ __forceinline__ T solve(T x) const
  {
    return safe ? x * inverse : divide_rarely(x, d);
  }
};

} // namespace batched_cuda

#endif

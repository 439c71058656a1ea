/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The four types on the device: float, double, complex<float>, complex<double>, and what kernels need to be written
 * once for all of them.
 */
#ifndef BATCHED_CUDA_SCALAR_CUH
#define BATCHED_CUDA_SCALAR_CUH

#include <cuda_runtime.h>

#include "batched/variant.h"

/* Types that a build instantiates, as bits 1 << batched_type; fewer make a quick build while a kernel is tuned. */
#ifndef BATCHED_CUDA_TYPES
#define BATCHED_CUDA_TYPES 15
#endif

/* X(T) for each type that this build instantiates. */
#if BATCHED_CUDA_TYPES & 1
#define BATCHED_WITH_S(X) X(float)
#else
#define BATCHED_WITH_S(X)
#endif
#if BATCHED_CUDA_TYPES & 2
#define BATCHED_WITH_D(X) X(double)
#else
#define BATCHED_WITH_D(X)
#endif
#if BATCHED_CUDA_TYPES & 4
#define BATCHED_WITH_C(X) X(complex<float>)
#else
#define BATCHED_WITH_C(X)
#endif
#if BATCHED_CUDA_TYPES & 8
#define BATCHED_WITH_Z(X) X(complex<double>)
#else
#define BATCHED_WITH_Z(X)
#endif
#define BATCHED_WITH_TYPES(X) BATCHED_WITH_S(X) BATCHED_WITH_D(X) BATCHED_WITH_C(X) BATCHED_WITH_Z(X)

namespace batched_cuda
{

template <class R> struct alignas(2 * sizeof(R)) complex {
  R re, im;
};

template <class T> struct type_traits {
  using real = T;
  static constexpr bool is_complex = false;
};
template <class R> struct type_traits<complex<R>> {
  using real = R;
  static constexpr bool is_complex = true;
};
template <class T> using real_of = typename type_traits<T>::real;
template <class T> constexpr bool is_complex = type_traits<T>::is_complex;
template <class R>
constexpr R eps_of = sizeof(R) == 4 ? R(0x1p-23) : R(0x1p-52); /* the distance from 1 to the next R */

#define DEVICE __host__ __device__ __forceinline__

/* re + i im as a T; a real T takes re alone. */
template <class T> DEVICE T make(real_of<T> re, real_of<T> im = 0)
{
  if constexpr (is_complex<T>)
    return T{re, im};
  else
    return re;
}
template <class T> DEVICE T make(batched_scalar a)
{
  return make<T>(real_of<T>(a.re), real_of<T>(a.im));
}

template <class R> DEVICE complex<R> operator+(complex<R> x, complex<R> y)
{
  return {x.re + y.re, x.im + y.im};
}
template <class R> DEVICE complex<R> operator-(complex<R> x, complex<R> y)
{
  return {x.re - y.re, x.im - y.im};
}
template <class R> DEVICE complex<R> operator-(complex<R> x)
{
  return {-x.re, -x.im};
}
template <class R> DEVICE complex<R> operator*(complex<R> x, complex<R> y)
{
  return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
}
template <class R> DEVICE complex<R> operator*(R a, complex<R> x)
{
  return {a * x.re, a * x.im};
}
template <class R> DEVICE complex<R> operator*(complex<R> x, R a)
{
  return {x.re * a, x.im * a};
}
template <class R> DEVICE complex<R> &operator+=(complex<R> &x, complex<R> y)
{
  return x = x + y;
}
template <class R> DEVICE complex<R> &operator-=(complex<R> &x, complex<R> y)
{
  return x = x - y;
}
template <class R> DEVICE complex<R> &operator*=(complex<R> &x, complex<R> y)
{
  return x = x * y;
}
template <class R> DEVICE bool operator==(complex<R> x, complex<R> y)
{
  return x.re == y.re && x.im == y.im;
}
template <class R> DEVICE bool operator!=(complex<R> x, complex<R> y)
{
  return !(x == y);
}

template <class T> DEVICE real_of<T> real(T x)
{
  if constexpr (is_complex<T>)
    return x.re;
  else
    return x;
}
template <class T> DEVICE real_of<T> imag(T x)
{
  if constexpr (is_complex<T>)
    return x.im;
  else
    return 0;
}
template <class T> DEVICE T conj(T x)
{
  if constexpr (is_complex<T>)
    return T{x.re, -x.im};
  else
    return x;
}
template <class T> DEVICE T conj_if(bool yes, T x)
{
  return yes ? conj(x) : x;
}
/* yes ? x : y, of values and never of places: arrays that it is used on stay in registers. */
template <class T> DEVICE T select(bool yes, T x, T y)
{
  if constexpr (is_complex<T>)
    return {yes ? x.re : y.re, yes ? x.im : y.im};
  else
    return yes ? x : y;
}
/* |re| + |im|: the size by which LAPACK chooses pivots. */
template <class T> DEVICE real_of<T> abs1(T x)
{
  if constexpr (is_complex<T>)
    return fabs(x.re) + fabs(x.im);
  else
    return fabs(x);
}
/* |x|^2 */
template <class T> DEVICE real_of<T> square(T x)
{
  if constexpr (is_complex<T>)
    return x.re * x.re + x.im * x.im;
  else
    return x * x;
}
template <class T> DEVICE real_of<T> abs(T x)
{
  if constexpr (is_complex<T>)
    return hypot(x.re, x.im);
  else
    return fabs(x);
}
/* c + a b */
template <class T> DEVICE T mad(T a, T b, T c)
{
  if constexpr (is_complex<T>)
    return {fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im))};
  else
    return fma(a, b, c);
}
/* x / y, by Smith's algorithm (CACM 5, 1962) for complex numbers: it overflows only if the quotient nearly does. */
template <class T> DEVICE T divide(T x, T y)
{
  if constexpr (is_complex<T>) {
    if (fabs(y.re) >= fabs(y.im)) {
      const real_of<T> r = y.im / y.re, d = y.re + r * y.im;
      return {(x.re + x.im * r) / d, (x.im - x.re * r) / d};
    }
    const real_of<T> r = y.re / y.im, d = y.im + r * y.re;
    return {(x.re * r + x.im) / d, (x.im * r - x.re) / d};
  } else {
    return x / y;
  }
}

/* The mask of a whole warp. */
constexpr unsigned all_lanes = 0xffffffffu;

/* The value of x in another lane of the warp, by __shfl_sync and __shfl_xor_sync; all lanes of `width` take part. */
template <class T> __device__ __forceinline__ T shuffle(T x, int lane, int width = 32, unsigned mask = all_lanes)
{
  if constexpr (is_complex<T>)
    return {__shfl_sync(mask, x.re, lane, width), __shfl_sync(mask, x.im, lane, width)};
  else
    return __shfl_sync(mask, x, lane, width);
}
template <class T> __device__ __forceinline__ T shuffle_xor(T x, int lanes, int width = 32, unsigned mask = all_lanes)
{
  if constexpr (is_complex<T>)
    return {__shfl_xor_sync(mask, x.re, lanes, width), __shfl_xor_sync(mask, x.im, lanes, width)};
  else
    return __shfl_xor_sync(mask, x, lanes, width);
}
/* The sum over `width` lanes (a power of two), in every lane, by a tree: always in the same order. */
template <class T> __device__ __forceinline__ T sum_lanes(T x, int width = 32)
{
  for (int half = width / 2; half > 0; half /= 2) x += shuffle_xor(x, half, width);
  return x;
}

template <class T>
constexpr batched_type type_of = sizeof(real_of<T>) == sizeof(float) ? (is_complex<T> ? BATCHED_C : BATCHED_S)
                                                                     : (is_complex<T> ? BATCHED_Z : BATCHED_D);

/* Calls f with a value of the type on which to declare: with_type(type, [&](auto t) { using T = decltype(t); ... }).
 * Returns what f returns (a status). */
template <class F> int with_type(batched_type type, F f)
{
#define CASE(name, ...) \
  if constexpr ((BATCHED_CUDA_TYPES & (1 << name)) != 0) \
    if (type == name) return f(__VA_ARGS__{});
  CASE(BATCHED_S, float)
  CASE(BATCHED_D, double)
  CASE(BATCHED_C, complex<float>)
  CASE(BATCHED_Z, complex<double>)
#undef CASE
  return BATCHED_NO_VARIANT;
}

/* The same for a question; no, where the type is not built. */
template <class F> bool holds_for(batched_type type, F f)
{
  return with_type(type, [&](auto t) { return f(t) ? 1 : 0; }) == 1;
}

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reciprocals that overflow no earlier than a division.
 */
#ifndef BATCHED_CUDA_FAST_MATH_CUH
#define BATCHED_CUDA_FAST_MATH_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* 1 / d = scale * inverse, where scale is a power of two that is 1 for all but extreme d: multiplying by the two, in
 * this order, overflows no earlier than a division. */
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

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small things that the kernels for positive definite matrices share.
 */
#ifndef BATCHED_CUDA_CHOLESKY_CUH
#define BATCHED_CUDA_CHOLESKY_CUH

#include "launch.cuh"

namespace batched_cuda
{

/* sqrt(d) and 1 / sqrt(d), without the square root and the division: root = d y, corrected once. */
template <class R> struct pivot {
  R inverse, root;

  __device__ __forceinline__ explicit pivot(R d) : inverse(rsqrt(d)), root(d * inverse)
  {
    root = fma(R(0.5) * inverse, fma(-root, root, d), root);
  }
};

/* yes ? x : y of values, never of places: these stay in registers. */
template <class T> __device__ __forceinline__ T choose(bool yes, T x, T y)
{
  if constexpr (is_complex<T>)
    return {yes ? x.re : y.re, yes ? x.im : y.im};
  else
    return yes ? x : y;
}

/* Shared memory that leaves room for two blocks on a multiprocessor, if one can have `most`. */
static inline size_t half_shared()
{
  return most_shared() / 2 - 512;
}

} // namespace batched_cuda

#endif

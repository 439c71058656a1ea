/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small things that the kernels for positive definite matrices share.
 */
#ifndef BATCHED_CUDA_CHOLESKY_CUH
#define BATCHED_CUDA_CHOLESKY_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda::cholesky
{

/* sqrt(d) and 1 / sqrt(d), without the square root and the division: root = d y, corrected once.  Without a branch,
 * which would keep the work of other columns from going on meanwhile.  With `any`, d may also be tiny, with the
 * same bits for those that are not. */
template <class R, bool any> struct pivot {
  R inverse, root;

  __device__ __forceinline__ explicit pivot(R d)
  {
    if constexpr (any && sizeof(R) == 8) {
      const bool tiny = d < 0x1p-1000;
      inverse = inverse_root(tiny ? d * 0x1p600 : d) * (tiny ? 0x1p300 : 1.0);
    } else {
      inverse = inverse_root(d);
    }
    root = d * inverse;
    root = fma(R(0.5) * inverse, fma(-root, root, d), root);
  }
  /* A diagonal of such numbers has no tiny pivots: what a subtraction leaves of them is zero, or not below 2^-1000. */
  static __device__ __forceinline__ bool is_plain(R d)
  {
    return sizeof(R) == 4 || d >= 0x1p-800;
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

} // namespace batched_cuda::cholesky

#endif

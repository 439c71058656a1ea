/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BATCHED_CUDA_POTRF_PIVOT_CUH
#define BATCHED_CUDA_POTRF_PIVOT_CUH

#include "scalar.cuh"

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

} // namespace batched_cuda

#endif

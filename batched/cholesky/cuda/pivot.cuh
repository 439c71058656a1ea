/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The pivots of all Cholesky kernels: the root of a diagonal element and its inverse.
 */
#ifndef BATCHED_CHOLESKY_CUDA_PIVOT_CUH
#define BATCHED_CHOLESKY_CUDA_PIVOT_CUH

#include "batched/cuda/fast_math.cuh"

namespace batched_cuda::cholesky
{

/* sqrt(d) and 1 / sqrt(d), to about an ulp: with y = 1 / sqrt(d) of fast_math.cuh, root = d y, corrected by one step of
 * Newton's.  Branch-free, so that instructions of other columns are scheduled in between.  any: d may be tiny, too
 * (below 2^-1000); the bits for other d are the same. */
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
  /* A diagonal of such numbers has no tiny pivots: a difference of them is zero, or at least 2^-1000. */
  static __device__ __forceinline__ bool is_plain(R d)
  {
    return sizeof(R) == 4 || d >= 0x1p-800;
  }
};

} // namespace batched_cuda::cholesky

#endif

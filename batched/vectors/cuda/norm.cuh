/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All elements of each matrix, reduced to a real number.
 */
#ifndef BATCHED_CUDA_NORM_CUH
#define BATCHED_CUDA_NORM_CUH

#include "batched/vectors/cuda/reductions.cuh"

namespace batched_cuda::vectors
{

template <class T> struct elements_of {
  static constexpr int together = 8;
  batch<T> a;
  batch<real_of<T>> r;
  int64_t count;

  struct matrix {
    const T *a;
    int64_t ld;

    __device__ __forceinline__ T load(int i, int j) const
    {
      return a[i + j * ld];
    }
  };
  __device__ __forceinline__ int rows(int64_t b) const
  {
    return a.rows(b);
  }
  __device__ __forceinline__ int cols(int64_t b) const
  {
    return a.cols(b);
  }
  __device__ __forceinline__ matrix one(int64_t b) const
  {
    return {a.at(b), a.leading(b)};
  }
  __device__ __forceinline__ void store(int64_t b, real_of<T> norm) const
  {
    *r.at(b) = norm;
  }
};

} // namespace batched_cuda::vectors

#endif

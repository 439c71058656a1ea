/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of matrices in memory: by two strides, 16 bytes at a time, and copied to shared memory asynchronously.
 */
#ifndef BATCHED_CUDA_ACCESS_CUH
#define BATCHED_CUDA_ACCESS_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* A matrix whose element (i, j) is at[i * row + j * col]. */
template <class T> struct strided {
  T *at;
  int64_t row, col;

  DEVICE T &operator()(int i, int j) const
  {
    return at[i * row + j * col];
  }
};

/* 16 bytes of a column in shared memory. */
template <class T> struct alignas(16) pack {
  static constexpr int size = 16 / sizeof(T);
  T x[size];
};

/* An element that nobody reads again: the first to leave the cache. */
template <class T> __device__ __forceinline__ T load_once(const T *p)
{
  if constexpr (sizeof(T) == 16) {
    const double2 v = __ldcs(reinterpret_cast<const double2 *>(p));
    return {v.x, v.y};
  } else if constexpr (is_complex<T>) {
    const float2 v = __ldcs(reinterpret_cast<const float2 *>(p));
    return {v.x, v.y};
  } else {
    return __ldcs(p);
  }
}

/* Starts to copy an element from global to shared memory; wait_copies() waits for all that this thread started. */
template <class T> __device__ __forceinline__ void start_copy(T *to, const T *from)
{
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (sizeof(T) == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(sizeof(T)) : "memory");
}
__device__ __forceinline__ void wait_copies()
{
  asm volatile("cp.async.wait_all;" ::: "memory");
}

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of eight tridiagonal systems, sixteen at a time, between global memory, which a warp reads and writes in whole
 * pieces, and shared memory, where a thread has those of its system.
 */
#ifndef BATCHED_BAND_CUDA_TRIDIAGONAL_STAGED_CUH
#define BATCHED_BAND_CUDA_TRIDIAGONAL_STAGED_CUH

#include "batched/band/cuda/tridiagonal.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { STAGED_ROWS = 16, STAGED_SYSTEMS = 8 };

template <class E> using staged_rows = E[STAGED_SYSTEMS][STAGED_ROWS + 1];

struct copy_staged {
  template <class E> __device__ __forceinline__ void operator()(E &staged, E &x) const
  {
    start_copy(&staged, &x);
  }
};
struct keep_staged {
  template <class E> __device__ __forceinline__ void operator()(E &staged, E &x) const
  {
    x = staged;
  }
};

/* f(staged element, element in memory) for those of the rows from k0 on that a vector of `length` numbers has; x and
 * length are the first STAGED_SYSTEMS lanes'. */
template <class E, class F>
__device__ __forceinline__ void each_staged(staged_rows<E> &staged, const line<E> &x, int length, int k0, F f)
{
  const int lane = threadIdx.x % 32, row = lane % STAGED_ROWS, k = k0 + row;
  const auto at = reinterpret_cast<int64_t>(x.at);
#pragma unroll
  for (int turn = 0; turn < STAGED_SYSTEMS / 2; turn++) {
    const int system = 2 * turn + lane / STAGED_ROWS;
    E *from = reinterpret_cast<E *>(__shfl_sync(all_lanes, at, system));
    const int64_t step = __shfl_sync(all_lanes, x.step, system);
    const int end = __shfl_sync(all_lanes, length, system);
    if (k >= 0 && k < end) f(staged[system][row], from[k * step]);
  }
}

} // namespace batched_cuda::band

#endif

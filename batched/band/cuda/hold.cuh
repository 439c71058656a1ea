/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An address in shared memory that stays in a register.
 */
#ifndef BATCHED_BAND_CUDA_HOLD_CUH
#define BATCHED_BAND_CUDA_HOLD_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

/* The same place in shared memory, for a whole warp.  What the compiler knows to be the block's array it addresses anew
 * at each use, and waits for a special register each time (S2UR, some 30 cycles); it doesn't know what comes from a
 * shuffle. */
template <class T> __device__ __forceinline__ T *hold_shared(T *p)
{
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  return static_cast<T *>(__cvta_shared_to_generic(__shfl_sync(all_lanes, at, threadIdx.x % 32)));
}

} // namespace batched_cuda::band

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Look-ahead without barriers of the block, for kernels that factor a matrix per block, left-looking: the warps take
 * panels of columns in turns, and each applies the panels to the left of its own as they are finished, which a barrier
 * in shared memory per warp says.
 */
#ifndef BATCHED_CUDA_LOOK_AHEAD_CUH
#define BATCHED_CUDA_LOOK_AHEAD_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* Panel K is that of warp K % warps. A phase of a warp's barrier is a panel that it finished; no other warp falls
 * behind by two, as it comes to its own panel in between. */
struct look_ahead {
  static constexpr int most_warps = 8;                             /* of a block */
  static constexpr int bytes = most_warps * (int)sizeof(uint64_t); /* of shared memory, aligned as these */
  unsigned barriers, odd; /* odd: bits of warps whose barriers had an odd number of phases in the matrices before */
  int warp, warps;

  /* By the block, before a barrier of it. */
  __device__ __forceinline__ explicit look_ahead(void *memory)
      : barriers(shared_address(memory)), odd(0), warp(__shfl_sync(all_lanes, threadIdx.x / 32, 0)),
        warps(blockDim.x / 32)
  {
    if (threadIdx.x < warps) barrier_init(barriers + sizeof(uint64_t) * threadIdx.x, 32);
  }
  __device__ __forceinline__ void wait_for(int K) const
  {
    const int of = K % warps;
    barrier_wait(barriers + sizeof(uint64_t) * of, (K / warps ^ odd >> of) & 1);
  }
  /* By a warp: panel K is in shared memory; */
  __device__ __forceinline__ void finish(int K) const
  {
    barrier_arrive(barriers + sizeof(uint64_t) * (K % warps));
    wait_for(K); /* as no phase may begin before the last one was waited for */
  }
  /* waits until it is, for panel J of its own. It knows of what was finished when it began its last panel. */
  __device__ __forceinline__ void wait(int K, int J) const
  {
    if (K > J - warps) wait_for(K);
  }
  /* By the block, after a matrix with so many panels and a barrier. */
  __device__ __forceinline__ void end_matrix(int panels)
  {
    odd ^= (panels / warps % 2 ? ~0u : 0u) ^ ((1u << panels % warps) - 1);
  }
};

/* Warps per block: no more than `cap`, than there are panels, than shared memory allows (bytes(warps) for a block),
 * and, where it holds several matrices, than an SM has registers for (`most`). */
template <class F> int look_ahead_warps(int panels, int cap, int most, F bytes)
{
  const size_t all = most_shared();
  int warps = panels < cap ? panels : cap;
  while (warps > 1 && ((size_t)bytes(warps) > all || warps * (all / (bytes(warps) + 1024)) > (size_t)most)) warps--;
  return warps;
}

} // namespace batched_cuda

#endif

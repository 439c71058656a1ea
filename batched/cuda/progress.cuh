/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Counters in global memory by which blocks of one launch wait for each other's results: what a block wrote before
 * publish() is seen by a block that waited for it, and by its other threads behind a barrier of theirs.
 */
#ifndef BATCHED_CUDA_PROGRESS_CUH
#define BATCHED_CUDA_PROGRESS_CUH

namespace batched_cuda
{

/* One thread, behind __threadfence() of all that wrote and a barrier of the block. */
__device__ __forceinline__ void publish(int *counter, int value)
{
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(counter), "r"(value) : "memory");
}

__device__ __forceinline__ int published(const int *counter)
{
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(counter) : "memory");
  return value;
}

/* Waits until the counter is larger than `bound`, and returns it. */
__device__ __forceinline__ int wait_beyond(const int *counter, int bound)
{
  int value = published(counter);
  while (value <= bound) {
    __nanosleep(32);
    value = published(counter);
  }
  return value;
}

} // namespace batched_cuda

#endif

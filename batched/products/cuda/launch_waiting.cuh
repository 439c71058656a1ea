/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Kernels that are launched while the one before them in the stream still runs (programmatic dependent launch), and
 * wait for it by themselves: what a launch costs overlaps with that kernel's end.
 */
#ifndef BATCHED_PRODUCTS_CUDA_LAUNCH_WAITING_CUH
#define BATCHED_PRODUCTS_CUDA_LAUNCH_WAITING_CUH

#include "batched/cuda/launch.cuh"

namespace batched_cuda::products
{

/* As launch(), of a grid of one or two dimensions; `early`: the kernel has wait_for_stream() before all that reads or
 * writes, in all its threads. */
template <class... P, class... A>
int launch_grid(const batched_ctx *ctx, void (*kernel)(P...), dim3 grid, int threads, size_t shared, bool early,
                A... args)
{
  cudaLaunchAttribute serial = {};
  serial.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  serial.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = (unsigned)threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream_of(ctx);
  config.attrs = &serial;
  config.numAttrs = early;
  return grid.x == 0 || grid.y == 0 ? BATCHED_SUCCESS : status_of(cudaLaunchKernelEx(&config, kernel, P(args)...));
}

/* As launch(), early. */
template <class... P, class... A>
int launch_waiting(const batched_ctx *ctx, void (*kernel)(P...), int64_t blocks, int threads, size_t shared, A... args)
{
  const dim3 grid((unsigned)(blocks < 0 ? 0 : blocks < INT_MAX ? blocks : INT_MAX));
  return launch_grid(ctx, kernel, grid, threads, shared, true, args...);
}

/* Waits for what the kernel before wrote, and for its reads: before, nothing in global memory may be touched.  Then the
 * next kernel's blocks may come, and wait in their turn, if `room` says so; else as this one's blocks end. */
static __device__ __forceinline__ void wait_for_stream(bool room)
{
  cudaGridDependencySynchronize();
  if (room) cudaTriggerProgrammaticLaunchCompletion();
}

/* Of so many blocks of gemv one or none is on a multiprocessor, and the next kernel's are next to them.  Of more, those
 * that come early would lie unevenly: 9.2 us, not 6.0, for one transposed matrix of 2048 in d on an H200. */
constexpr unsigned few_blocks = 130;

} // namespace batched_cuda::products

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Launching kernels on a context's stream.
 */
#ifndef BATCHED_CUDA_LAUNCH_CUH
#define BATCHED_CUDA_LAUNCH_CUH

#include <climits>

#include "batched/cuda/batch.cuh"
#include "batched/cuda/rows.cuh"

namespace batched_cuda
{

static inline cudaStream_t stream_of(const batched_ctx *ctx)
{
  return static_cast<cudaStream_t>(batched_stream(ctx));
}

static inline int status_of(cudaError_t error)
{
  if (error == cudaSuccess) return BATCHED_SUCCESS;
  cudaGetLastError();
  return BATCHED_DEVICE_FAILED;
}

static constexpr int64_t ceil_div(int64_t x, int64_t y)
{
  return (x + y - 1) / y;
}

constexpr int warp_size = 32;

/* Without being asked for, a block has 48 KB of shared memory: this much for dynamic, and the rest for static
 * arrays. */
static constexpr size_t shared_unasked = 40 * 1024;

/* Blocks of the kernel may have so many bytes of dynamic shared memory from now on.  The limit is one for all contexts,
 * and is never lowered: another thread may be about to launch the kernel with more. */
int allow_shared(const void *kernel, size_t bytes);

/* One-dimensional grids hold 2^31 - 1 blocks; kernels loop over the batch with the grid as stride, so any count does:
 *   for (int64_t b = blockIdx.x; b < count; b += gridDim.x)
 * `shared`: bytes of dynamic shared memory, also beyond 48 KB. */
template <class... P, class... A>
int launch(const batched_ctx *ctx, void (*kernel)(P...), int64_t blocks, dim3 threads, size_t shared, A... args)
{
  if (blocks <= 0) return BATCHED_SUCCESS;
  const int status =
    shared > shared_unasked ? allow_shared(reinterpret_cast<const void *>(kernel), shared) : BATCHED_SUCCESS;
  if (status) return status;
  kernel<<<(unsigned)(blocks < INT_MAX ? blocks : INT_MAX), threads, shared, stream_of(ctx)>>>(P(args)...);
  return status_of(cudaGetLastError());
}

/* Dynamic shared memory as an array of T; one name for all types. */
template <class T> __device__ __forceinline__ T *shared_array()
{
  extern __shared__ __align__(16) unsigned char batched_shared[];
  return reinterpret_cast<T *>(batched_shared);
}

static inline int64_t multiprocessors()
{
  int device = 0, number = 1;
  if (cudaGetDevice(&device) == cudaSuccess) cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, device);
  return number;
}

/* Most bytes of shared memory that a block can have (227 KB on Hopper). */
static inline size_t most_shared()
{
  int device = 0, bytes = 48 * 1024;
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return (size_t)bytes;
}

/* The same, of each of two blocks that share a multiprocessor: 1 KB of each is the system's. */
static inline size_t half_shared()
{
  return most_shared() / 2 - 512;
}

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stream and memory of a CUDA context.
 */
#include <algorithm>
#include <cstring>

#include "batched/context.h"
#include "batched/cuda/launch.cuh"

using batched_cuda::stream_of;

int batched_cuda_open(batched_ctx *ctx)
{
  if (!ctx->owns_stream) return BATCHED_SUCCESS;
  cudaStream_t stream;
  const cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (error == cudaErrorMemoryAllocation) cudaGetLastError(); // said by the status
  if (error != cudaSuccess) return error == cudaErrorMemoryAllocation ? BATCHED_NO_MEMORY : BATCHED_DEVICE_FAILED;
  ctx->stream = stream;
  return BATCHED_SUCCESS;
}

void batched_cuda_close(batched_ctx *ctx)
{
  batched_cuda_close_vendor(ctx);
  batched_cuda_close_branch(ctx);
  if (ctx->stage) cudaFreeHost(ctx->stage);
  if (ctx->owns_stream) cudaStreamDestroy(stream_of(ctx));
}

/* The default stream itself can't be captured, but can't be used either while a stream that waits for it is. */
bool batched_cuda_is_captured(const batched_ctx *ctx)
{
  cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
  const cudaError_t error = cudaStreamIsCapturing(stream_of(ctx), &capture);
  if (error == cudaSuccess) return capture != cudaStreamCaptureStatusNone;
  cudaGetLastError();
  return error == cudaErrorStreamCaptureImplicit;
}

/* A graph that is captured and not kept; relaxed, as a vendor's handle that is made meanwhile allocates. */
int batched_cuda_begin_discarded(batched_ctx *ctx)
{
  if (batched_cuda_is_captured(ctx)) return BATCHED_DEVICE_FAILED;
  if (cudaStreamBeginCapture(stream_of(ctx), cudaStreamCaptureModeRelaxed) == cudaSuccess) return BATCHED_SUCCESS;
  cudaGetLastError();
  return BATCHED_DEVICE_FAILED;
}

int batched_cuda_end_discarded(batched_ctx *ctx)
{
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(stream_of(ctx), &graph);
  if (graph) cudaGraphDestroy(graph);
  if (error == cudaSuccess) return BATCHED_SUCCESS;
  cudaGetLastError();
  return BATCHED_DEVICE_FAILED;
}

void *batched_cuda_allocate(batched_ctx *ctx, size_t bytes)
{
  void *p = nullptr;
  if (cudaMalloc(&p, bytes) == cudaSuccess) return p;
  cudaGetLastError(); /* out of memory is reported by the NULL, not by a later call */
  return nullptr;
}

void batched_cuda_release(batched_ctx *ctx, void *p)
{
  cudaStreamSynchronize(stream_of(ctx));
  cudaFree(p);
}

int batched_cuda_copy(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(ctx)) == cudaSuccess ? BATCHED_SUCCESS
                                                                                            : BATCHED_DEVICE_FAILED;
}

/* Room in the stage: what is in it has been copied once the stream has come to its end. */
static char *stage_room(batched_ctx *ctx, size_t bytes)
{
  constexpr size_t least = 8 << 20, alignment = 256;
  if (ctx->stage_used + bytes > ctx->stage_bytes) {
    if (cudaStreamSynchronize(stream_of(ctx)) != cudaSuccess) return nullptr;
    ctx->stage_used = 0;
  }
  if (bytes > ctx->stage_bytes) {
    if (ctx->stage) cudaFreeHost(ctx->stage);
    ctx->stage = nullptr;
    ctx->stage_bytes = 0;
    void *p = nullptr;
    const size_t wanted = std::max(least, 2 * bytes);
    if (cudaMallocHost(&p, wanted) != cudaSuccess) {
      cudaGetLastError(); // said by the status
      return nullptr;
    }
    ctx->stage = static_cast<char *>(p);
    ctx->stage_bytes = wanted;
  }
  char *const room = ctx->stage + ctx->stage_used;
  ctx->stage_used += (bytes + alignment - 1) / alignment * alignment;
  return room;
}

int batched_cuda_stage(batched_ctx *ctx, void *to, const void *host, size_t bytes)
{
  char *const room = stage_room(ctx, bytes);
  if (!room) return BATCHED_NO_MEMORY;
  std::memcpy(room, host, bytes);
  return batched_cuda_copy(ctx, to, room, bytes);
}

int batched_cuda_fill_zero(batched_ctx *ctx, void *p, size_t bytes)
{
  return cudaMemsetAsync(p, 0, bytes, stream_of(ctx)) == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

int batched_cuda_synchronize(batched_ctx *ctx)
{
  return cudaStreamSynchronize(stream_of(ctx)) == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

void batched_cuda_memory(size_t *free, size_t *all)
{
  if (cudaMemGetInfo(free, all) != cudaSuccess) *free = *all = 0;
}

const char *batched_cuda_failure(void)
{
  const cudaError_t error = cudaPeekAtLastError();
  return error == cudaSuccess ? "" : cudaGetErrorString(error);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the harness needs of CUDA itself: time, a cold cache, comparison on the device, graphs.
 */
#include <cuda_runtime.h>

#include "batched/variant.h"

static cudaStream_t stream_of(const batched_ctx *ctx)
{
  return static_cast<cudaStream_t>(batched_stream(ctx));
}

static __global__ void read_all(const int4 *x, int64_t n, int *sink)
{
  int sum = 0;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
    int4 v = x[i];
    sum += v.x ^ v.y ^ v.z ^ v.w;
  }
  if (sum == 0x12345678) *sink = sum; /* next to never, and harmless: keeps the loads */
}

extern "C" void sweep_cuda_evict(batched_ctx *ctx, const void *buffer, size_t bytes)
{
  auto *x = static_cast<const int4 *>(buffer);
  read_all<<<1056, 256, 0, stream_of(ctx)>>>(x, (int64_t)(bytes / sizeof(int4)), (int *)x);
}

static cudaEvent_t events[2];

extern "C" void sweep_cuda_start(batched_ctx *ctx)
{
  for (cudaEvent_t &e : events)
    if (!e) cudaEventCreate(&e);
  cudaEventRecord(events[0], stream_of(ctx));
}

extern "C" double sweep_cuda_stop(batched_ctx *ctx)
{
  float ms = 0;
  cudaEventRecord(events[1], stream_of(ctx));
  if (cudaEventSynchronize(events[1]) != cudaSuccess) return -1;
  cudaEventElapsedTime(&ms, events[0], events[1]);
  return 1e-3 * ms;
}

static __global__ void compare(const unsigned *x, int64_t words, const unsigned *pattern, int64_t pattern_words,
                               int64_t period, unsigned long long *differences)
{
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < words; i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t at = i % period;
    if (at < pattern_words && x[i] != pattern[at]) atomicAdd(differences, 1ull);
  }
}

extern "C" int64_t sweep_cuda_differences(batched_ctx *ctx, const void *x, int64_t words, const void *pattern,
                                          int64_t pattern_words, int64_t period)
{
  auto *differences = static_cast<unsigned long long *>(batched_allocate(ctx, sizeof(unsigned long long)));
  auto *on_device = static_cast<unsigned *>(batched_allocate(ctx, (size_t)pattern_words * sizeof(unsigned)));
  unsigned long long n = 1;
  if (differences && on_device && !batched_fill_zero(ctx, differences, sizeof n) &&
      !batched_copy_from_host(ctx, on_device, pattern, (size_t)pattern_words * sizeof(unsigned))) {
    compare<<<1056, 256, 0, stream_of(ctx)>>>(static_cast<const unsigned *>(x), words, on_device, pattern_words, period,
                                              differences);
    if (batched_copy_to_host(ctx, &n, differences, sizeof n)) n = 1;
  }
  batched_release(ctx, differences);
  batched_release(ctx, on_device);
  return (int64_t)n;
}

extern "C" bool sweep_cuda_begin_capture(batched_ctx *ctx)
{
  return cudaStreamBeginCapture(stream_of(ctx), cudaStreamCaptureModeThreadLocal) == cudaSuccess;
}

extern "C" void *sweep_cuda_end_capture(batched_ctx *ctx)
{
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  cudaError_t error = cudaStreamEndCapture(stream_of(ctx), &graph);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&executable, graph, 0);
  if (graph) cudaGraphDestroy(graph);
  cudaGetLastError();
  return error == cudaSuccess ? executable : nullptr;
}

extern "C" bool sweep_cuda_replay(batched_ctx *ctx, void *graph)
{
  return cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(ctx)) == cudaSuccess;
}

extern "C" void sweep_cuda_free_graph(void *graph)
{
  cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph));
}

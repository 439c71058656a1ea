/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Recordings: a graph is captured each time, which is cheaper than launches, and an executable one is made of the first
 * one only; the arguments of its kernels are replaced by those of the next ones.
 */
#include "batched/recording.h"

#include <new>

#include "batched/context.h"
#include "batched/cuda/launch.cuh"
#include "batched/note.h"

using batched_cuda::stream_of;

struct batched_recording {
  cudaGraphExec_t work; /* owned; null: there is none yet */
  size_t nodes;         /* of it */
};

bool batched_recording_begin(batched_ctx *ctx)
{
  if (ctx->space != BATCHED_CUDA || !ctx->owns_stream || batched_cuda_is_captured(ctx)) return false;
  if (cudaStreamBeginCapture(stream_of(ctx), cudaStreamCaptureModeRelaxed) != cudaSuccess) {
    cudaGetLastError(); // then work is done at once
    return false;
  }
  batched_cuda_trace_record(ctx, true);
  return true;
}

/* The arguments of `graph`; a new executable where it has another shape. */
static cudaError_t take(batched_recording *r, cudaGraph_t graph)
{
  cudaGraphExecUpdateResultInfo about;
  size_t nodes = 0;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  if (r->work && nodes == r->nodes) {
    if (cudaGraphExecUpdate(r->work, graph, &about) == cudaSuccess) return cudaSuccess;
    cudaGetLastError(); // of as many nodes, but others
  }
  if (r->work) cudaGraphExecDestroy(r->work);
  r->work = nullptr;
  r->nodes = nodes;
  return cudaGraphInstantiate(&r->work, graph, 0);
}

int batched_recording_run(batched_ctx *ctx, batched_recording **recording, int status)
{
  batched_cuda_trace_record(ctx, false);
  cudaGraph_t graph = nullptr;
  cudaError_t error = cudaStreamEndCapture(stream_of(ctx), &graph);
  if (!*recording) *recording = new (std::nothrow) batched_recording{};
  if (!status && !*recording) status = BATCHED_NO_MEMORY;
  if (!status && error == cudaSuccess) {
    error = take(*recording, graph);
    if (error == cudaSuccess) error = cudaGraphLaunch((*recording)->work, stream_of(ctx));
  }
  if (graph) cudaGraphDestroy(graph);
  return status ? status : error == cudaSuccess ? (int)BATCHED_SUCCESS : (int)BATCHED_DEVICE_FAILED;
}

void batched_recording_destroy(batched_recording **recording)
{
  batched_recording *r = *recording;
  *recording = nullptr;
  if (!r) return;
  if (r->work) cudaGraphExecDestroy(r->work);
  delete r;
}

/* ------------------------------------------------------------------ notes */

void *batched_cuda_allocate_locked(size_t bytes)
{
  void *p = nullptr;
  if (cudaMallocHost(&p, bytes) == cudaSuccess) return p;
  cudaGetLastError(); // said by the null
  return nullptr;
}

void batched_cuda_release_locked(void *p)
{
  cudaFreeHost(p);
}

int batched_cuda_mark_set(batched_ctx *ctx, void **mark)
{
  auto event = static_cast<cudaEvent_t>(*mark);
  if (!event && cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess) return BATCHED_DEVICE_FAILED;
  *mark = event;
  return cudaEventRecord(event, stream_of(ctx)) == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

int batched_cuda_mark_await(batched_ctx *, void *mark)
{
  return cudaEventSynchronize(static_cast<cudaEvent_t>(mark)) == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

void batched_cuda_mark_destroy(void *mark)
{
  cudaEventDestroy(static_cast<cudaEvent_t>(mark));
}

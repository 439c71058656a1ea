/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A loop of kernels as one submission: a graph with a conditional node.
 */
#ifndef SOLVERS_CUDA_LOOP_CUH
#define SOLVERS_CUDA_LOOP_CUH

#include "batched/cuda/launch.cuh"

namespace solvers_cuda
{

template <class F> int record_loop_in(batched_ctx *ctx, F body, cudaGraph_t graph)
{
  using batched_cuda::status_of;
  cudaGraphConditionalHandle loop;
  int status = status_of(cudaGraphConditionalHandleCreate(&loop, graph, 1, cudaGraphCondAssignDefault));
  if (status) return status;
  cudaGraphNodeParams node = {};
  node.type = cudaGraphNodeTypeConditional;
  node.conditional.handle = loop;
  node.conditional.type = cudaGraphCondTypeWhile;
  node.conditional.size = 1;
  cudaGraphNode_t at;
  status = status_of(cudaGraphAddNode(&at, graph, nullptr, nullptr, 0, &node));
  if (status) return status;
  cudaGraph_t inside = node.conditional.phGraph_out[0];
  cudaStream_t stream = batched_cuda::stream_of(ctx);
  status =
    status_of(cudaStreamBeginCaptureToGraph(stream, inside, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal));
  if (status) return status;
  status = body(loop);
  const int ended = status_of(cudaStreamEndCapture(stream, &inside));
  return status ? status : ended;
}

/* do { body(loop) } while (what its kernels set for `loop` by cudaGraphSetConditional).  body enqueues kernels on the
 * context's stream and returns a status. */
template <class F> int record_loop(batched_ctx *ctx, F body, cudaGraphExec_t *loop)
{
  using batched_cuda::status_of;
  cudaGraph_t graph;
  int status = status_of(cudaGraphCreate(&graph, 0));
  if (status) return status;
  status = record_loop_in(ctx, body, graph);
  if (!status) status = status_of(cudaGraphInstantiate(loop, graph, 0));
  cudaGraphDestroy(graph);
  return status;
}

} // namespace solvers_cuda

#endif

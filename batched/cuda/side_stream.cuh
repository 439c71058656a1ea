/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second stream of a context, for work that is long and narrow, beside that of the context's own.
 */
#ifndef BATCHED_CUDA_SIDE_STREAM_CUH
#define BATCHED_CUDA_SIDE_STREAM_CUH

#include "batched/context.h"
#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* The stream, and the events by which it and the context's wait for each other; of higher priority. */
class side_stream
{
public:
  explicit side_stream(batched_ctx *ctx) : ctx(ctx)
  {
    static thread_local cudaStream_t made = nullptr;
    static thread_local cudaEvent_t events[2];
    if (!made) {
      int least = 0, most = 0;
      cudaDeviceGetStreamPriorityRange(&least, &most);
      cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, most);
      cudaEventCreateWithFlags(&events[0], cudaEventDisableTiming);
      cudaEventCreateWithFlags(&events[1], cudaEventDisableTiming);
    }
    stream = made;
    forked = events[0];
    joined = events[1];
  }
  /* What runs on the side from now on waits for what the context's stream has; and the other way round. */
  int fork()
  {
    return pass(forked, stream_of(ctx), stream);
  }
  int join()
  {
    return pass(joined, stream, stream_of(ctx));
  }
  /* f(), whose launches go to the side. */
  template <class F> int run(F f)
  {
    void *const own = ctx->stream;
    ctx->stream = stream;
    const int status = f();
    ctx->stream = own;
    return status;
  }

private:
  static int pass(cudaEvent_t event, cudaStream_t from, cudaStream_t to)
  {
    const int status = status_of(cudaEventRecord(event, from));
    return status ? status : status_of(cudaStreamWaitEvent(to, event, 0));
  }
  batched_ctx *ctx;
  cudaStream_t stream;
  cudaEvent_t forked, joined;
};

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A second stream of a context, of higher priority, for work that is long and narrow beside that of the context's own.
 * Captured with it, it becomes a branch of the graph.
 */
#ifndef BATCHED_CUDA_SIDE_STREAM_CUH
#define BATCHED_CUDA_SIDE_STREAM_CUH

#include "batched/context.h"
#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* Calls of one operation go to the context's stream or, by run(), to the side.  Both must not use scratch memory at the
 * same time.  After the last call, a join(). */
class side_stream
{
public:
  explicit side_stream(batched_ctx *ctx) : ctx(ctx)
  {
  }
  ~side_stream();
  side_stream(const side_stream &) = delete;
  side_stream &operator=(const side_stream &) = delete;
  /* Makes the stream, where the context has none yet. */
  int open();
  /* Persistent blocks that are launched on the context's own from now on leave so many multiprocessors to the side. */
  void reserve(int multiprocessors);
  /* What runs on the side from now on waits for what the context's stream has; */
  int fork();
  /* and the other way round. */
  int join();
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
  batched_ctx *ctx;
  void *stream = nullptr;
};

/* Multiprocessors for persistent blocks on the context's stream: all but those reserved for its side. */
int64_t free_multiprocessors(const batched_ctx *ctx);

} // namespace batched_cuda

#endif

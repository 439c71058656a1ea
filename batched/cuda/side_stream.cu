/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The side stream of a context, made when it is first used and closed with the context.
 */
#include <new>

#include "batched/cuda/side_stream.cuh"

/* What ctx->branch points to. */
struct batched_branch {
  cudaStream_t stream;
  cudaEvent_t forked, joined;
  int reserved; /* multiprocessors */
};

void batched_cuda_close_branch(batched_ctx *ctx)
{
  batched_branch *const side = ctx->branch;
  if (!side) return;
  if (side->joined) cudaEventDestroy(side->joined);
  if (side->forked) cudaEventDestroy(side->forked);
  if (side->stream) cudaStreamDestroy(side->stream);
  delete side;
  ctx->branch = nullptr;
}

namespace batched_cuda
{
namespace
{

int make_side(batched_branch *side)
{
  int least = 0, most = 0;
  int status = status_of(cudaDeviceGetStreamPriorityRange(&least, &most));
  if (!status) status = status_of(cudaStreamCreateWithPriority(&side->stream, cudaStreamNonBlocking, most));
  if (!status) status = status_of(cudaEventCreateWithFlags(&side->forked, cudaEventDisableTiming));
  return status ? status : status_of(cudaEventCreateWithFlags(&side->joined, cudaEventDisableTiming));
}

/* `to` waits for what `from` has. */
int pass(cudaEvent_t event, cudaStream_t from, cudaStream_t to)
{
  const int status = status_of(cudaEventRecord(event, from));
  return status ? status : status_of(cudaStreamWaitEvent(to, event, 0));
}

} // namespace

side_stream::~side_stream()
{
  reserve(0);
}

int side_stream::open()
{
  if (!ctx->branch) {
    ctx->branch = new (std::nothrow) batched_branch();
    if (!ctx->branch) return BATCHED_NO_MEMORY;
    const int status = make_side(ctx->branch);
    if (status) {
      batched_cuda_close_branch(ctx);
      return status;
    }
  }
  stream = ctx->branch->stream;
  return BATCHED_SUCCESS;
}

void side_stream::reserve(int multiprocessors)
{
  if (ctx->branch) ctx->branch->reserved = multiprocessors;
}

int side_stream::fork()
{
  return pass(ctx->branch->forked, stream_of(ctx), ctx->branch->stream);
}

int side_stream::join()
{
  return pass(ctx->branch->joined, ctx->branch->stream, stream_of(ctx));
}

int64_t free_multiprocessors(const batched_ctx *ctx)
{
  const batched_branch *const side = ctx->branch;
  const int64_t all = multiprocessors(), reserved = side && ctx->stream != side->stream ? side->reserved : 0;
  return reserved < all ? all - reserved : 1;
}

} // namespace batched_cuda

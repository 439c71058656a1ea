/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built: there is no context that these could be called with.
 */
#include "tests/batched/sweep/sweep_private.h"

void sweep_cuda_evict(batched_ctx *ctx, const void *buffer, size_t bytes)
{
  (void)ctx, (void)buffer, (void)bytes;
}

void sweep_cuda_start(batched_ctx *ctx)
{
  (void)ctx;
}

double sweep_cuda_stop(batched_ctx *ctx)
{
  (void)ctx;
  return 0;
}

int64_t sweep_cuda_differences(batched_ctx *ctx, const void *x, int64_t words, const void *pattern,
                               int64_t pattern_words, int64_t period)
{
  (void)ctx, (void)x, (void)words, (void)pattern, (void)pattern_words, (void)period;
  return -1;
}

bool sweep_cuda_begin_capture(batched_ctx *ctx)
{
  (void)ctx;
  return false;
}

void *sweep_cuda_end_capture(batched_ctx *ctx)
{
  (void)ctx;
  return NULL;
}

bool sweep_cuda_replay(batched_ctx *ctx, void *graph)
{
  (void)ctx, (void)graph;
  return false;
}

void sweep_cuda_free_graph(void *graph)
{
  (void)graph;
}

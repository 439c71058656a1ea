/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands here when CUDA was not built.
 */
#include "batched/context.h"
#include "batched/note.h"
#include "batched/recording.h"

int batched_cuda_open(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

void batched_cuda_close(batched_ctx *ctx)
{
  (void)ctx;
}

bool batched_cuda_is_captured(const batched_ctx *ctx)
{
  (void)ctx;
  return false;
}

int batched_cuda_begin_discarded(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_end_discarded(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

void *batched_cuda_allocate(batched_ctx *ctx, size_t bytes)
{
  (void)ctx, (void)bytes;
  return NULL;
}

void batched_cuda_release(batched_ctx *ctx, void *p)
{
  (void)ctx, (void)p;
}

int batched_cuda_copy(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  (void)ctx, (void)to, (void)from, (void)bytes;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_stage(batched_ctx *ctx, void *to, const void *host, size_t bytes)
{
  (void)ctx, (void)to, (void)host, (void)bytes;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_fill_zero(batched_ctx *ctx, void *p, size_t bytes)
{
  (void)ctx, (void)p, (void)bytes;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_synchronize(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_measure_limits(batched_ctx *ctx, batched_limits *limits)
{
  (void)ctx, (void)limits;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_device(char *name, int bytes, int *capability)
{
  (void)name, (void)bytes, (void)capability;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_count(const char **why)
{
  *why = "CUDA was not built";
  return 0;
}

int batched_cuda_get(int device, batched_device *about)
{
  (void)device, (void)about;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_use(int device)
{
  (void)device;
  return BATCHED_NO_DEVICE;
}

void batched_cuda_memory(size_t *free, size_t *all)
{
  *free = *all = 0;
}

const char *batched_cuda_failure(void)
{
  return "";
}

int batched_cuda_span_begin(batched_ctx *ctx, const char *name)
{
  (void)ctx, (void)name;
  return 0;
}

bool batched_cuda_span_end(batched_ctx *ctx, int span, int row)
{
  (void)ctx, (void)span, (void)row;
  return false;
}

bool batched_cuda_span_share(batched_ctx *ctx, int row)
{
  (void)ctx, (void)row;
  return false;
}

int batched_cuda_trace_open(batched_ctx *ctx)
{
  (void)ctx;
  return BATCHED_NO_DEVICE;
}

void batched_cuda_trace_close(batched_ctx *ctx)
{
  (void)ctx;
}

void batched_cuda_trace_settle(batched_ctx *ctx, bool keep)
{
  (void)ctx, (void)keep;
}

bool batched_recording_begin(batched_ctx *ctx)
{
  (void)ctx;
  return false;
}

int batched_recording_run(batched_ctx *ctx, batched_recording **recording, int status)
{
  (void)ctx, (void)recording;
  return status;
}

void batched_recording_destroy(batched_recording **recording)
{
  (void)recording;
}

void batched_recording_sample(batched_ctx *ctx, const char *name)
{
  (void)ctx, (void)name;
}

void *batched_cuda_allocate_locked(size_t bytes)
{
  (void)bytes;
  return NULL;
}

void batched_cuda_release_locked(void *p)
{
  (void)p;
}

int batched_cuda_mark_set(batched_ctx *ctx, void **mark)
{
  (void)ctx, (void)mark;
  return BATCHED_NO_DEVICE;
}

int batched_cuda_mark_await(batched_ctx *ctx, void *mark)
{
  (void)ctx, (void)mark;
  return BATCHED_NO_DEVICE;
}

void batched_cuda_mark_destroy(void *mark)
{
  (void)mark;
}

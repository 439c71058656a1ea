/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/batched_estimate.h"
#include "batched/batched_refine.h"
#include "batched/check.h"
#include "batched/scratch.h"
#include "batched/threads.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CURRENT = -1 }; /* device number: the calling thread's current one */

/* On `stream`, which may be NULL, CUDA's default stream; or on one of its own. */
static int create(batched_ctx **ctx, batched_space space, int device, bool owns_stream, void *stream)
{
  if (!ctx) return -1;
  *ctx = NULL;
  if (!batched_accept((unsigned)space <= BATCHED_CUDA, "space %d is neither BATCHED_HOST nor BATCHED_CUDA", (int)space))
    return -2;
  batched_ctx *c = malloc(sizeof *c);
  if (!c) return BATCHED_NO_MEMORY;
  memset(c, 0, offsetof(batched_ctx, choices));
  c->space = space;
  c->stream = stream;
  c->owns_stream = owns_stream;
  if (space == BATCHED_CUDA) {
    int status = batched_cuda_use(device);
    if (!status) status = batched_cuda_open(c);
    if (status) {
      free(c);
      return status;
    }
  }
  batched_open_tuning(c);
  *ctx = c;
  return BATCHED_SUCCESS;
}

int batched_create(batched_ctx **ctx, batched_space space)
{
  return create(ctx, space, CURRENT, space == BATCHED_CUDA, NULL);
}

int batched_create_on_device(batched_ctx **ctx, int device)
{
  if (ctx) *ctx = NULL;
  return device < 0 ? BATCHED_NO_DEVICE : create(ctx, BATCHED_CUDA, device, true, NULL);
}

int batched_create_on_stream(batched_ctx **ctx, void *stream)
{
  return create(ctx, BATCHED_CUDA, CURRENT, false, stream);
}

void batched_destroy(batched_ctx **ctx)
{
  batched_ctx *c = ctx ? *ctx : NULL;
  if (!c) return;
  assert(c->scratch_top == 0);
  if (c->estimate) {
    size_t unused;
    batched_end_estimate(c, &unused);
  }
  batched_team_close(c);
  for (int i = 0; i < c->nscratch; i++) batched_release(c, c->scratch[i].data);
  if (c->space == BATCHED_CUDA) {
    batched_cuda_trace_close(c);
    batched_cuda_close(c);
  }
  batched_close_tuning(c);
  free(c->blocks);
  free(c);
  *ctx = NULL;
}

batched_space batched_get_space(const batched_ctx *ctx)
{
  return ctx ? ctx->space : BATCHED_HOST;
}

int batched_device_count(const char **why)
{
  const char *unused;
  return batched_cuda_count(why ? why : &unused);
}

int batched_get_device(int device, batched_device *about)
{
  return batched_accept(about, "about is NULL") ? batched_cuda_get(device, about) : -2;
}

void *batched_stream(const batched_ctx *ctx)
{
  return ctx ? ctx->stream : NULL;
}

/* Where a block of workspace could be, which no call is going to touch. */
static void *pretend(const batched_ctx *ctx)
{
  return (void *)((uintptr_t)(ctx->scratch_top + 1) << 40);
}

/* As large as needed, or half as much again as the block that it replaces, where that is more and there is so much
 * memory: sizes that grow slowly settle soon, too. */
static batched_scratch make_scratch(batched_ctx *ctx, size_t bytes, size_t before)
{
  const size_t larger = before + before / 2;
  if (ctx->estimate) return (batched_scratch){pretend(ctx), larger > bytes ? larger : bytes};
  if (larger > bytes) {
    void *data = batched_allocate(ctx, larger);
    if (data) return (batched_scratch){data, larger};
  }
  return (batched_scratch){batched_allocate(ctx, bytes), bytes};
}

/* The block at the top, which may have no memory yet. */
static batched_scratch *top_scratch(batched_ctx *ctx)
{
  batched_scratch *s = &ctx->scratch[ctx->scratch_top];
  if (ctx->scratch_top == ctx->nscratch) {
    *s = (batched_scratch){0};
    ctx->nscratch++;
  }
  return s;
}

/* The block at the top is reused if it is large enough, else replaced: sizes settle after the first calls.  While a
 * graph is captured it stays, too small as it is. */
void *batched_scratch_push(batched_ctx *ctx, size_t bytes)
{
  if (bytes == 0) bytes = 1;
  if (ctx->scratch_top == BATCHED_MAX_SCRATCH) return NULL;
  batched_scratch *s = top_scratch(ctx);
  if (!s->data || s->bytes < bytes) {
    const size_t before = s->bytes;
    if (ctx->estimate)
      *s = (batched_scratch){0};
    else if (ctx->space == BATCHED_HOST || !batched_cuda_is_captured(ctx)) {
      batched_release(ctx, s->data);
      *s = (batched_scratch){0};
    }
    const batched_scratch larger = make_scratch(ctx, bytes, before);
    if (!larger.data) return NULL;
    *s = larger;
  }
  ctx->scratch_top++;
  return s->data;
}

void batched_scratch_pop(batched_ctx *ctx)
{
  assert(ctx->scratch_top > 0);
  ctx->scratch_top--;
}

void batched_scratch_give(batched_ctx *ctx, void *block, size_t bytes)
{
  batched_scratch given = {block, bytes};
  if (ctx->scratch_top < BATCHED_MAX_SCRATCH && !ctx->estimate) {
    batched_scratch *s = top_scratch(ctx), before = *s;
    if (before.bytes < bytes) *s = given, given = before;
  }
  batched_release(ctx, given.data);
}

size_t batched_workspace(const batched_ctx *ctx)
{
  if (!ctx) return 0;
  size_t bytes = batched_team_workspace(ctx);
  for (int i = 0; i < ctx->nscratch; i++) bytes += ctx->scratch[i].bytes;
  return bytes;
}

double batched_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int batched_report_refinements(batched_ctx *ctx, int *steps)
{
  if (!ctx) return -1;
  ctx->refinements = steps;
  return BATCHED_SUCCESS;
}

int *batched_refinements_of(const batched_ctx *ctx, const int *info)
{
  return ctx->refinements ? ctx->refinements + (info - ctx->refined_info) : NULL;
}

void batched_begin_refinements(batched_ctx *ctx, const int *info)
{
  ctx->refined_info = info;
}

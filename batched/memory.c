/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "batched/check.h"
#include "batched/context.h"

enum { HOST_ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };

static atomic_size_t in_use[2], peak[2];

static void count(batched_space space, size_t bytes)
{
  size_t now = atomic_fetch_add(&in_use[space], bytes) + bytes;
  size_t seen = atomic_load(&peak[space]);
  while (now > seen && !atomic_compare_exchange_weak(&peak[space], &seen, now)) {
  }
}

size_t batched_peak_bytes(batched_space space)
{
  return atomic_load(&peak[space]);
}

/* Large blocks ask for huge pages: with small ones a walk through a batch needs the place of a new page every 4096
 * bytes.  A kernel without them refuses the advice, and nothing is lost. */
static void *aligned_block(size_t bytes)
{
  const size_t alignment = bytes < HUGE_PAGE ? HOST_ALIGNMENT : HUGE_PAGE;
  void *block;
  if (posix_memalign(&block, alignment, bytes)) return NULL;
#ifdef MADV_HUGEPAGE
  if (alignment == HUGE_PAGE) madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

/* Each block is preceded by its size, so that the peak can be told. */
static void *host_allocate(size_t bytes)
{
  if (bytes > SIZE_MAX - HOST_ALIGNMENT) return NULL;
  char *block = aligned_block(bytes + HOST_ALIGNMENT);
  if (!block) return NULL;
  memcpy(block, &bytes, sizeof bytes);
  count(BATCHED_HOST, bytes);
  return block + HOST_ALIGNMENT;
}

static void host_release(void *p)
{
  char *block = (char *)p - HOST_ALIGNMENT;
  size_t bytes;
  memcpy(&bytes, block, sizeof bytes);
  atomic_fetch_sub(&in_use[BATCHED_HOST], bytes);
  free(block);
}

/* Room for one more block in the list. */
static bool make_room(batched_ctx *ctx)
{
  if (ctx->nblocks < ctx->blocks_room) return true;
  const int room = 2 * ctx->blocks_room + 16;
  batched_block *blocks = realloc(ctx->blocks, (size_t)room * sizeof *blocks);
  if (!blocks) return false;
  ctx->blocks = blocks;
  ctx->blocks_room = room;
  return true;
}

static void *device_allocate(batched_ctx *ctx, size_t bytes)
{
  void *p = make_room(ctx) ? batched_cuda_allocate(ctx, bytes) : NULL;
  if (!p) return NULL;
  ctx->blocks[ctx->nblocks++] = (batched_block){p, bytes};
  count(BATCHED_CUDA, bytes);
  return p;
}

/* Most of what is released was allocated last. */
static void device_release(batched_ctx *ctx, void *p)
{
  int i = ctx->nblocks - 1;
  while (i >= 0 && ctx->blocks[i].data != p) i--;
  if (i >= 0) { // else another context's
    atomic_fetch_sub(&in_use[BATCHED_CUDA], ctx->blocks[i].bytes);
    ctx->blocks[i] = ctx->blocks[--ctx->nblocks];
  }
  batched_cuda_release(ctx, p);
}

void *batched_allocate(batched_ctx *ctx, size_t bytes)
{
  if (!ctx || bytes == 0) return NULL;
  void *p = NULL;
  ctx->refused_in_capture = ctx->space == BATCHED_CUDA && batched_cuda_is_captured(ctx);
  if (!ctx->refused_in_capture && !batched_told_to_fail(BATCHED_ALLOCATION))
    p = ctx->space == BATCHED_CUDA ? device_allocate(ctx, bytes) : host_allocate(bytes);
  if (!p) ctx->refused = bytes;
  return p;
}

void batched_release(batched_ctx *ctx, void *p)
{
  if (!ctx || !p) return;
  if (ctx->space == BATCHED_CUDA)
    device_release(ctx, p);
  else
    host_release(p);
}

static int copy(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  if (!ctx) return -1;
  if (bytes == 0) return BATCHED_SUCCESS;
  if (!batched_accept(to, "the place to copy to is NULL, for %zu bytes", bytes)) return -2;
  if (!batched_accept(from, "the place to copy from is NULL, for %zu bytes", bytes)) return -3;
  if (ctx->estimate) return BATCHED_SUCCESS;
  if (ctx->space == BATCHED_CUDA) return batched_cuda_copy(ctx, to, from, bytes);
  memcpy(to, from, bytes);
  return BATCHED_SUCCESS;
}

int batched_copy_within(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  return copy(ctx, to, from, bytes);
}

int batched_copy_to_host(batched_ctx *ctx, void *host, const void *p, size_t bytes)
{
  int status = copy(ctx, host, p, bytes);
  return status ? status : batched_synchronize(ctx);
}

int batched_copy_from_host(batched_ctx *ctx, void *p, const void *host, size_t bytes)
{
  int status = copy(ctx, p, host, bytes);
  return status ? status : batched_synchronize(ctx);
}

int batched_copy_in_turn(batched_ctx *ctx, void *p, const void *host, size_t bytes)
{
  if (ctx->space == BATCHED_HOST || bytes == 0) return copy(ctx, p, host, bytes);
  return batched_cuda_is_captured(ctx) ? (int)BATCHED_DEVICE_FAILED : batched_cuda_stage(ctx, p, host, bytes);
}

int batched_fill_zero(batched_ctx *ctx, void *p, size_t bytes)
{
  if (!ctx) return -1;
  if (bytes == 0) return BATCHED_SUCCESS;
  if (!batched_accept(p, "p is NULL, for %zu bytes", bytes)) return -2;
  if (ctx->estimate) return BATCHED_SUCCESS;
  if (ctx->space == BATCHED_CUDA) return batched_cuda_fill_zero(ctx, p, bytes);
  memset(p, 0, bytes);
  return BATCHED_SUCCESS;
}

int batched_synchronize(batched_ctx *ctx)
{
  if (!ctx) return -1;
  if (ctx->estimate) return BATCHED_DEVICE_FAILED;
  return ctx->space == BATCHED_CUDA ? batched_cuda_synchronize(ctx) : BATCHED_SUCCESS;
}

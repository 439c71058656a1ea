/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

/* Each block is preceded by its size, so that the peak can be told. */
enum { HOST_ALIGNMENT = 64 };

static atomic_llong fail_countdown = -1;
static atomic_size_t in_use[2], peak[2];

void batched_fail_allocation(int64_t n)
{
  atomic_store(&fail_countdown, n);
}

static bool told_to_fail(void)
{
  long long n = atomic_load(&fail_countdown);
  if (n < 0) return false;
  atomic_store(&fail_countdown, n - 1);
  return n == 0;
}

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

static void *host_allocate(size_t bytes)
{
  if (bytes > SIZE_MAX - 2 * HOST_ALIGNMENT) return NULL;
  size_t rounded = (bytes + HOST_ALIGNMENT - 1) / HOST_ALIGNMENT * HOST_ALIGNMENT;
  char *block = aligned_alloc(HOST_ALIGNMENT, rounded + HOST_ALIGNMENT);
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

void *batched_allocate(batched_ctx *ctx, size_t bytes)
{
  if (bytes == 0 || told_to_fail()) return NULL;
  return ctx->space == BATCHED_CUDA ? batched_cuda_allocate(ctx, bytes) : host_allocate(bytes);
}

void batched_release(batched_ctx *ctx, void *p)
{
  if (!p) return;
  if (ctx->space == BATCHED_CUDA)
    batched_cuda_release(ctx, p);
  else
    host_release(p);
}

static int copy(batched_ctx *ctx, void *to, const void *from, size_t bytes)
{
  if (bytes == 0) return BATCHED_SUCCESS;
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

int batched_fill_zero(batched_ctx *ctx, void *p, size_t bytes)
{
  if (bytes == 0) return BATCHED_SUCCESS;
  if (ctx->space == BATCHED_CUDA) return batched_cuda_fill_zero(ctx, p, bytes);
  memset(p, 0, bytes);
  return BATCHED_SUCCESS;
}

int batched_synchronize(batched_ctx *ctx)
{
  return ctx->space == BATCHED_CUDA ? batched_cuda_synchronize(ctx) : BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the operands.  On a GPU an allocation, or a copy of a few bytes, costs more than the call that is tested:
 * trials take theirs from one arena, are sent with one copy before the call, and read back with one after it.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/batched/sweep/sweep_private.h"

enum { ARENA_BYTES = 64 << 20, ALIGNMENT = 256 };

static struct {
  batched_ctx *ctx; /* NULL: there is no arena */
  char *device, *sent, *read;
  size_t used, flushed, read_begin, read_end;
  int trials;
} arena;

void sweep_open_arena(batched_ctx *ctx)
{
  arena.device = batched_allocate(ctx, ARENA_BYTES);
  arena.sent = malloc(ARENA_BYTES);
  arena.read = malloc(ARENA_BYTES);
  if (!arena.device || !arena.sent || !arena.read) abort();
  arena.ctx = ctx;
  arena.used = arena.flushed = 0;
  arena.trials = 0;
}

void sweep_close_arena(void)
{
  if (!arena.ctx) return;
  batched_release(arena.ctx, arena.device);
  free(arena.sent);
  free(arena.read);
  memset(&arena, 0, sizeof arena);
}

size_t sweep_arena_mark(int trials)
{
  arena.trials += trials;
  if (arena.trials == 0) arena.used = arena.flushed = 0;
  return arena.used;
}

static bool is_inside(const void *p)
{
  return arena.ctx && (const char *)p >= arena.device && (const char *)p < arena.device + ARENA_BYTES;
}

void *sweep_send(batched_ctx *ctx, const void *from, size_t bytes)
{
  const size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (bytes == 0) return NULL;
  if (arena.ctx != ctx || rounded > ARENA_BYTES - arena.used) {
    void *to = batched_allocate(ctx, bytes);
    if (!to || (from && batched_copy_from_host(ctx, to, from, bytes))) abort();
    return to;
  }
  char *to = arena.device + arena.used;
  if (from) memcpy(arena.sent + arena.used, from, bytes);
  arena.used += rounded;
  return to;
}

void sweep_release(batched_ctx *ctx, void *p)
{
  if (!is_inside(p)) batched_release(ctx, p);
}

void sweep_flush(void)
{
  if (!arena.ctx || arena.flushed == arena.used) return;
  if (batched_copy_from_host(arena.ctx, arena.device + arena.flushed, arena.sent + arena.flushed,
                             arena.used - arena.flushed))
    abort();
  arena.flushed = arena.used;
}

void sweep_look(size_t begin, size_t end)
{
  arena.read_begin = begin;
  arena.read_end = end;
  if (arena.ctx && batched_copy_to_host(arena.ctx, arena.read + begin, arena.device + begin, end - begin)) abort();
}

void *sweep_fetch(batched_ctx *ctx, const void *from, size_t bytes)
{
  char *to = malloc(bytes + 1);
  const size_t at = is_inside(from) ? (size_t)((const char *)from - arena.device) : 0;
  if (!to) abort();
  if (is_inside(from) && at >= arena.read_begin && at + bytes <= arena.read_end)
    memcpy(to, arena.read + at, bytes);
  else if (batched_copy_to_host(ctx, to, from, bytes))
    abort();
  return to;
}

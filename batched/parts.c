/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "batched/context.h"
#include "batched/parts.h"

/* Matrices of a part on the host that fill the lanes of its rows, of every type. */
enum { FULL_LANES = 16 };

static int run_part(batched_ctx *ctx, const batched_op *op, batched_driver *driver, batched_pile *pile,
                    const void *args, int64_t first, int64_t count)
{
  _Alignas(max_align_t) char part[BATCHED_MAX_ARGS];
  memcpy(part, args, op->operands.bytes);
  batched_take_part(op, part, first, count);
  ctx->portion.here = count;
  return driver(ctx, pile, part);
}

/* Bytes for `count` matrices. */
static size_t memory_for(batched_ctx *ctx, const batched_op *op, batched_driver *driver, const void *args,
                         int64_t count)
{
  batched_pile none = {NULL, 0};
  run_part(ctx, op, driver, &none, args, 0, count);
  return none.used + 256;
}

/* Bytes for a part: on the host what caches hold, so that a matrix is still there when the next operation comes to it,
 * but no fewer matrices than fill lanes, up to 32 MB; on a GPU what leaves few waves of blocks incomplete. */
static size_t most_memory(batched_ctx *ctx, const batched_op *op, batched_driver *driver, const void *args)
{
  const size_t cache = (size_t)1 << 20, most = (size_t)1 << 25;
  if (batched_get_space(ctx) != BATCHED_HOST) return (size_t)1 << 32;
  const int64_t all = batched_count_of(op, args);
  const size_t lanes = memory_for(ctx, op, driver, args, all < FULL_LANES ? all : FULL_LANES);
  return lanes < cache ? cache : lanes < most ? lanes : most;
}

int batched_run_in_parts(batched_ctx *ctx, const batched_op *op, batched_driver *driver, const void *args)
{
  const int64_t all = batched_count_of(op, args);
  const size_t most = most_memory(ctx, op, driver, args);
  int64_t part = all;
  for (size_t bytes; part > 1 && (bytes = memory_for(ctx, op, driver, args, part)) > most;) {
    const int64_t fit = (int64_t)((double)part * ((double)most / (double)bytes));
    part = fit < 1 ? 1 : fit < part ? fit : part - 1;
  }
  if (part > 0) part = (all + (all + part - 1) / part - 1) / ((all + part - 1) / part); /* as many in each */
  char *memory = batched_scratch_push(ctx, memory_for(ctx, op, driver, args, part));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t first = 0; !status && first < all; first += part) {
    batched_pile pile = {memory, 0};
    status = run_part(ctx, op, driver, &pile, args, first, all - first < part ? all - first : part);
  }
  batched_scratch_pop(ctx);
  return status;
}

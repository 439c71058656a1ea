/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A batch shared out among threads: each runs the same variant on its own matrices, as the operation's operands say.
 */
#include <string.h>

#include "batched/host/group.h"
#include "batched/threads.h"

typedef struct call {
  const batched_op *op;
  const batched_variant *variant;
  const void *args;
  int64_t count;
  int shares;
} call;

static void advance(char *args, size_t offset, int64_t ints)
{
  int *p;
  memcpy(&p, args + offset, sizeof p);
  if (p) p += ints;
  memcpy(args + offset, &p, sizeof p);
}

static void advance_extent(char *args, size_t offset, int64_t first)
{
  batched_extent x;
  memcpy(&x, args + offset, sizeof x);
  if (x.each) x.each += first;
  memcpy(args + offset, &x, sizeof x);
}

static int64_t pivots_of_each(const batched_operands *p, const char *args, const batched_matrix *a)
{
  return p->npivots ? p->npivots(args) : batched_min(a->m, a->n);
}

int64_t batched_count_of(const batched_op *op, const void *args)
{
  batched_matrix a = {0};
  if (op->operands.nmatrices > 0) memcpy(&a, (const char *)args + op->operands.matrices[0], sizeof a);
  return a.count;
}

void batched_take_part(const batched_op *op, void *arguments, int64_t first, int64_t count)
{
  const batched_operands *p = &op->operands;
  char *args = arguments;
  batched_matrix a;
  memcpy(&a, args + p->matrices[0], sizeof a);
  const bool shared = batched_is_shared(&a);
  if (p->info) advance(args, p->info, first);
  if (p->counts) advance(args, p->counts, first);
  if (p->columns) advance(args, p->columns, first * a.n);
  if (p->pivots && !shared) advance(args, p->pivots, first * pivots_of_each(p, args, &a));
  for (int i = 0; i < p->nextents; i++) advance_extent(args, p->extents[i], first);
  for (int i = 0; i < p->nmatrices; i++) {
    memcpy(&a, args + p->matrices[i], sizeof a);
    if (a.count > 0) a = batched_part(a, first, count);
    memcpy(args + p->matrices[i], &a, sizeof a);
  }
}

/* Returns the first matrix of share i: a multiple of a group of lanes, if there are groups enough for all. */
static int64_t share_begin(const call *c, int i)
{
  const int64_t groups = c->count / BATCHED_MAX_LANES;
  if (i == c->shares) return c->count;
  return groups < c->shares ? c->count * i / c->shares : groups * i / c->shares * BATCHED_MAX_LANES;
}

static int run_share(batched_ctx *ctx, int i, void *data)
{
  const call *c = data;
  _Alignas(max_align_t) char args[BATCHED_MAX_ARGS];
  const int64_t first = share_begin(c, i);
  memcpy(args, c->args, c->op->operands.bytes);
  ctx->portion.here = share_begin(c, i + 1) - first;
  batched_take_part(c->op, args, first, ctx->portion.here);
  return c->variant->run(ctx, args);
}

/* As far as the work is known. */
static int shares_for(const call *c, int threads, double grain)
{
  const double bytes = c->op->cost ? c->op->cost(c->args).bytes : 0;
  const double shares = bytes > 0 ? 1 + bytes / grain : threads;
  if (c->count < threads) threads = (int)c->count;
  return shares < threads ? (int)shares : threads;
}

int batched_share(batched_ctx *ctx, const batched_op *op, const batched_variant *v, const void *args)
{
  const int threads = batched_team_size(ctx);
  call c = {.op = op, .variant = v, .args = args};
  if (threads == 1 || !op->operands.bytes) return v->run(ctx, args);
  c.count = batched_count_of(op, args);
  c.shares = shares_for(&c, threads, batched_team_grain(ctx));
  return batched_team_do(ctx, c.shares, run_share, &c);
}

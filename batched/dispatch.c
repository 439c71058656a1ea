/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The seam: which variant runs, and the only place that counts and times.
 */
#include <string.h>

#include "batched/charge.h"
#include "batched/check.h"
#include "batched/threads.h"
#include "batched/tuning/choice.h"

/* Tests whether `name` means the row: its full name, the idea alone, or "vendor". */
static bool answers_to(const char *row, const char *name)
{
  if (strcmp(row, name) == 0) return true;
  const char *dot = strchr(row, '.');
  if (!dot) return false;
  size_t backend = (size_t)(dot - row);
  bool vendor = strlen(name) == backend && strncmp(row, name, backend) == 0 && strcmp(name, "vendor") == 0;
  return vendor || strcmp(dot + 1, name) == 0;
}

static const batched_variant *find_row(const batched_op *op, batched_space space, const char *name)
{
  for (const batched_variant *v = op->variants[space]; v && v->name; v++)
    if (answers_to(v->name, name)) return v;
  return NULL;
}

const batched_variant *batched_find_variant(const batched_op *op, batched_space space, const char *name)
{
  const batched_variant *v = find_row(op, space, name);
  for (const batched_alias *a = op->aliases; !v && a && a->name; a++)
    if (answers_to(a->old_name, name)) v = find_row(op, space, a->name);
  return v;
}

static batched_choice *find_choice(batched_ctx *ctx, const batched_op *op)
{
  for (int i = 0; i < ctx->nchoices; i++)
    if (ctx->choices[i].op == op) return &ctx->choices[i];
  return NULL;
}

int batched_select(batched_ctx *ctx, const batched_op *op, const char *variant)
{
  if (!ctx) return -1;
  if (!batched_accept(op, "the operation is NULL")) return -2;
  if (!batched_accept(variant, "the row's name is NULL")) return -3;
  batched_choice *c = find_choice(ctx, op);
  if (strcmp(variant, "auto") == 0) {
    if (c) c->variant = NULL;
    return BATCHED_SUCCESS;
  }
  const batched_variant *v = batched_find_variant(op, ctx->space, variant);
  if (!v) return BATCHED_NO_VARIANT;
  if (!c) {
    if (ctx->nchoices == BATCHED_MAX_CHOICES) return BATCHED_NO_MEMORY;
    c = &ctx->choices[ctx->nchoices++];
    c->op = op;
  }
  c->variant = v;
  return BATCHED_SUCCESS;
}

static bool fits(const batched_variant *v, const void *args)
{
  return !v->fits || v->fits(args);
}

const batched_variant *batched_pick(const batched_variant *table, const void *args)
{
  const batched_variant *fallback = NULL;
  for (const batched_variant *v = table; v && v->name; v++) {
    if (!fits(v, args)) continue;
    if (!v->likes || v->likes(args)) return v;
    if (!fallback) fallback = v;
  }
  return fallback;
}

const batched_variant *batched_find_best(batched_ctx *ctx, const batched_op *op, const void *args)
{
  const batched_variant *v = batched_choose_by_table(ctx, op, args);
  return v ? v : batched_pick(op->variants[ctx->space], args);
}

const batched_variant *batched_choose(batched_ctx *ctx, const batched_op *op, const void *args)
{
  batched_choice *c = find_choice(ctx, op);
  if (c && c->variant) return fits(c->variant, args) ? c->variant : NULL;
  return batched_find_best(ctx, op, args);
}

static batched_stats *find_stats(batched_ctx *ctx, const batched_op *op, const batched_variant *v)
{
  for (int i = 0; i < ctx->nstats; i++)
    if (ctx->stats[i].variant == v && ctx->stats[i].op == op) return &ctx->stats[i];
  if (ctx->nstats == BATCHED_MAX_STATS) return NULL;
  batched_stats *s = &ctx->stats[ctx->nstats++];
  *s = (batched_stats){.op = op, .variant = v, .nested = true};
  return s;
}

int batched_keep(batched_ctx *ctx, const batched_op *op, const void *args, const batched_variant **row)
{
  const batched_variant *table = op->variants[ctx->space];
  batched_accept(true, "%s", ""); /* forgets an earlier reason */
  *row = batched_choose(ctx, op, args);
  if (*row) return BATCHED_SUCCESS;
  if (!table || !table->name) return BATCHED_NO_VARIANT;
  const batched_choice *c = find_choice(ctx, op);
  if (c && c->variant && !*batched_refusal()) batched_accept(false, "%s of %s", c->variant->name, op->name);
  return BATCHED_DOES_NOT_FIT;
}

int batched_begin(batched_call *call, batched_ctx *ctx, const batched_op *op, const batched_variant *row)
{
  if (batched_told_to_fail(BATCHED_OPERATION)) return BATCHED_DEVICE_FAILED;
  *call = (batched_call){.ctx = ctx, .op = op, .row = row, .start = batched_seconds(), .around = ctx->portion};
  if (ctx->space == BATCHED_CUDA) call->span = batched_cuda_span_begin(ctx, op->name);
  ctx->depth++;
  ctx->portion = (batched_portion){1, INT64_MAX};
  return BATCHED_SUCCESS;
}

/* timed: by the device's clock; else the host's has to do. */
static void count_call(const batched_call *call, const void *args, batched_stats *s, bool timed)
{
  s->calls++;
  if (!timed) s->seconds += batched_seconds() - call->start;
  s->nested = s->nested && call->ctx->depth > 0;
  if (call->op->cost) {
    batched_cost c = call->op->cost(args);
    s->cost.flops += c.flops;
    s->cost.bytes += c.bytes;
  }
}

int batched_end(batched_call *call, const void *args, int status)
{
  batched_ctx *ctx = call->ctx;
  ctx->depth--;
  ctx->portion = call->around;
  batched_stats *s = find_stats(ctx, call->op, call->row);
  const bool timed =
    ctx->space == BATCHED_CUDA && batched_cuda_span_end(ctx, call->span, s ? (int)(s - ctx->stats) : -1);
  if (s) count_call(call, args, s, timed);
  return status;
}

void batched_charge(batched_ctx *ctx, const batched_op *op, const batched_variant *row, batched_cost cost)
{
  batched_stats *s = find_stats(ctx, op, row);
  if (!s) return;
  s->cost.flops += cost.flops;
  s->cost.bytes += cost.bytes;
}

int64_t batched_whole_count(const batched_ctx *ctx, int64_t count)
{
  const batched_portion *p = &ctx->portion;
  if (ctx->depth == 0) return count;
  const bool known = p->whole <= INT32_MAX && p->here > 0 && count % p->here == 0 && count / p->here <= INT32_MAX;
  return known ? count / p->here * p->whole : INT64_MAX;
}

int batched_run(batched_ctx *ctx, const batched_op *op, const void *args)
{
  const batched_variant *v;
  batched_call call;
  const int64_t count = batched_count_of(op, args);
  const int64_t whole = op->whatever_count ? INT64_MAX : batched_whole_count(ctx, count);
  int status = batched_keep(ctx, op, args, &v);
  if (!status) status = batched_begin(&call, ctx, op, v);
  if (status) return status;
  ctx->portion = (batched_portion){count, whole};
  return batched_end(&call, args, ctx->team ? batched_share(ctx, op, v, args) : v->run(ctx, args));
}

int batched_run_as_whole(batched_ctx *ctx, const batched_op *op, const void *args)
{
  if (ctx->space == BATCHED_HOST || ctx->depth == 0) return batched_run(ctx, op, args);
  const batched_variant *v;
  int status = batched_keep(ctx, op, args, &v);
  if (!status && batched_told_to_fail(BATCHED_OPERATION)) status = BATCHED_DEVICE_FAILED;
  if (status) return status;
  const batched_call call = {.ctx = ctx, .op = op, .row = v, .start = batched_seconds()};
  ctx->depth++;
  status = v->run(ctx, args);
  ctx->depth--;
  batched_stats *s = find_stats(ctx, op, v);
  if (s) count_call(&call, args, s, batched_cuda_span_share(ctx, (int)(s - ctx->stats)));
  return status;
}

int batched_get_stats(batched_ctx *ctx, const batched_stats **rows)
{
  if (!ctx || !rows) return 0;
  batched_cuda_trace_settle(ctx, true);
  *rows = ctx->stats;
  return ctx->nstats;
}

void batched_reset_stats(batched_ctx *ctx)
{
  if (!ctx) return;
  batched_cuda_trace_settle(ctx, false);
  ctx->nstats = 0;
}

int batched_time_device(batched_ctx *ctx, bool on)
{
  if (!ctx) return -1;
  if (ctx->space == BATCHED_HOST) return BATCHED_SUCCESS;
  if (on) return ctx->trace ? BATCHED_SUCCESS : batched_cuda_trace_open(ctx);
  batched_cuda_trace_close(ctx);
  return BATCHED_SUCCESS;
}

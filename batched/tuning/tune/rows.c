/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/tuning/tune/rows.h"

#include <math.h>
#include <string.h>

/* Enough of a gain to leave the row that auto takes: measurements differ by that much from day to day. */
static const double gain = 0.98;

static const batched_variant *row_of_auto(const tune_problem *p)
{
  const batched_stats *stats;
  const int n = batched_get_stats(p->ctx, &stats);
  for (int i = 0; i < n; i++)
    if (stats[i].op == p->call->op && !stats[i].nested) return stats[i].variant;
  return NULL;
}

static bool is_tried(const batched_variant *v, const tune_rows_options *o)
{
  const char *idea = strchr(v->name, '.');
  return (o->vendor || strncmp(v->name, "vendor.", 7) != 0) && idea && strcmp(idea, ".ref") != 0;
}

/* The time of a row whose result is right, else infinite. */
static double time_of(tune_problem *p, const tune_problem *host, const batched_variant *v)
{
  if (batched_select(p->ctx, p->call->op, v->name) || tune_restore(p) || tune_run(p)) return INFINITY;
  const double difference = tune_difference(p, host);
  if (difference <= tune_tolerance(p)) return tune_seconds(p);
  fprintf(stderr, "%s: %s is wrong for order %d: %.3g\n", p->call->op->name, v->name, p->shape.m, difference);
  return INFINITY;
}

/* The number in its table of the row to take, or -1; a comment says how long each one took for a matrix. */
static int fastest(FILE *out, tune_problem *p, const tune_problem *host, const tune_rows_options *o)
{
  const batched_op *op = p->call->op;
  const batched_variant *table = op->variants[batched_get_space(p->ctx)];
  batched_select(p->ctx, op, "auto");
  batched_reset_stats(p->ctx);
  const bool runs = !tune_restore(p) && !tune_run(p);
  const batched_variant *own = runs ? row_of_auto(p) : NULL;
  int best = -1;
  double least = INFINITY, of_own = INFINITY;
  fprintf(out, "# %s %c %d x %d:", op->name, "sdcz"[p->type], p -> shape.m, p->shape.n);
  for (int i = 0; table[i].name; i++) {
    const double t = is_tried(&table[i], o) || &table[i] == own ? time_of(p, host, &table[i]) : INFINITY;
    if (t < INFINITY)
      fprintf(out, " %s %.3g%s", table[i].name, t / (double)p->count, &table[i] == own ? " (auto)" : "");
    if (&table[i] == own) of_own = t;
    if (t < least) {
      least = t;
      best = i;
    }
  }
  putc('\n', out);
  batched_select(p->ctx, op, "auto");
  return of_own < INFINITY && !(least < gain * of_own) ? (int)(own - table) : best;
}

static int measure(FILE *out, const tune_call *call, batched_ctx *mine, batched_ctx *host, batched_type type,
                   tune_shape shape, const tune_rows_options *o, int *best)
{
  tune_problem p = {0}, reference = {0};
  int status = tune_open(&p, mine, call->op, type, shape, tune_count(call->op, type, shape, o->bytes));
  if (!status) status = tune_open(&reference, host, call->op, type, shape, TUNE_DISTINCT);
  if (!status) status = tune_restore(&reference);
  if (!status) status = tune_run(&reference);
  *best = status ? -1 : fastest(out, &p, &reference, o);
  tune_close(&p);
  if (reference.ctx) tune_close(&reference);
  return status;
}

/* " name=low..high" around measured sizes i .. j of a list: up to the middle between neighbours, open at its ends. */
static void print_range(FILE *out, const char *name, const int *list, int n, int i, int j)
{
  if (i == 0 && j == n - 1) return;
  fprintf(out, " %s=", name);
  if (i > 0) fprintf(out, "%d", (list[i - 1] + list[i]) / 2 + 1);
  fputs("..", out);
  if (j < n - 1) fprintf(out, "%d", (list[j] + list[j + 1]) / 2);
}

static void print_lines(FILE *out, const tune_call *call, batched_ctx *mine, batched_type type, tune_shape s, int which,
                        const int *best, const tune_rows_options *o)
{
  const batched_variant *table = call->op->variants[batched_get_space(mine)];
  for (int i = 0, j; i < o->norders; i = j + 1) {
    for (j = i; j + 1 < o->norders && best[j + 1] == best[i];) j++;
    if (best[i] < 0) continue;
    fprintf(out, "%s,%c,%s,uniform", call->op->name, "sdcz"[type], table[best[i]].name);
    if (call->oblong) print_range(out, "m", o->orders, o->norders, i, j);
    print_range(out, "n", o->orders, o->norders, i, j);
    if (call->rhs) print_range(out, "rhs", o->rhs, o->nrhs, which, which);
    if (call->band) print_range(out, "k", o->widths, o->nwidths, which, which);
    if (call->triangle) fputs(s.upper ? " upper" : " lower", out);
    if (call->transposition) fputs(s.transposed ? " transposed" : " plain", out);
    putc('\n', out);
  }
  fflush(out);
}

int tune_rows(FILE *out, const tune_call *call, batched_ctx *mine, batched_ctx *host, const tune_rows_options *o)
{
  const int kinds = call->triangle || call->transposition ? 2 : 1;
  const int others = call->rhs ? o->nrhs : call->band ? o->nwidths : 1; /* numbers beside the order */
  int status = BATCHED_SUCCESS;
  for (const char *t = o->types; *t && !status; t++) {
    const batched_type type = (batched_type)(strchr("sdcz", *t) - "sdcz");
    for (int c = 0; c < kinds * others && !status; c++) {
      int best[TUNE_MAX_ORDERS];
      tune_shape shape = {.upper = call->triangle && c % kinds, .transposed = call->transposition && c % kinds};
      for (int i = 0; i < o->norders && !status; i++) {
        shape.m = shape.k = o->orders[i];
        shape.n = call->rhs ? o->rhs[c / kinds] : call->band ? 1 : shape.m;
        if (call->band) shape.k = o->widths[c / kinds];
        status = measure(out, call, mine, host, type, shape, o, &best[i]);
      }
      if (!status) print_lines(out, call, mine, type, shape, c / kinds, best, o);
    }
  }
  return status;
}

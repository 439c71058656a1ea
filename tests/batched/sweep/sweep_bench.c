/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The benchmark half of the harness: the same operands and calls, timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/batched/sweep/sweep_private.h"

enum { MAX_ROWS = 32, MAX_RUNS = 25 };

/* Larger than the L2 cache of any GPU that we know. */
static const size_t evicted_bytes = 256u << 20;

typedef struct result {
  const char *variant;
  double median, best;
} result;

typedef struct bench {
  batched_ctx *ctx;
  bool gpu;
  batched_limits limits;
  void *evicted; /* on the GPU: what is read before every call */
  int64_t count; /* 0: by size */
  int nrows;
  result rows[MAX_ROWS]; /* of one size */
  const char *chosen;    /* the row that the last call took by itself */
} bench;

static int by_size(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

static size_t bytes_of_one(const sweep_case *c)
{
  sweep_operand o[SWEEP_MAX_OPERANDS] = {0};
  size_t bytes = 1;
  sweep.family->operands(c, o);
  for (int i = 0; i < sweep.family->noperands; i++)
    bytes += (size_t)o[i].m * (size_t)o[i].n * batched_element_bytes(c->type);
  return bytes;
}

/* Host: matrices enough for some 16 MB.  GPU: many, in at most 3 GB. */
static int64_t count_for(const bench *b, const sweep_case *c)
{
  const int size = sweep_largest((const int[3]){c->m, c->n, c->k});
  int64_t most = 40000, count = (int64_t)((b->gpu ? (size_t)3 << 30 : 16u << 20) / bytes_of_one(c));
  if (b->gpu) most = size <= 4 ? 1000000 : size <= 32 ? 100000 : size <= 128 ? 10000 : size < 256 ? 3000 : 1000;
  return count < 16 ? 16 : count > most ? most : count;
}

/* How many different matrices there are; the others are copies of them. */
static int64_t distinct(const sweep_case *c)
{
  const int size = sweep_largest((const int[3]){c->m, c->n, c->k});
  const int64_t few = size <= 64 ? 64 : size <= 256 ? 16 : 8;
  return few < c->count ? few : c->count;
}

/* A batch of c->count matrices, and copies of the operands that a call overwrites. */
static sweep_trial create(bench *b, sweep_case *c, void **fresh)
{
  const int64_t count = c->count;
  sweep_case few = *c;
  few.count = distinct(c);
  sweep_trial t = sweep_start(b->ctx, &few, 0, -1, 0);
  for (int i = 0; i < sweep.family->noperands; i++) {
    sweep_batch *x = &t.x[i];
    if (count > few.count) sweep_widen(b->ctx, c, x, count);
    fresh[i] = NULL;
    if (x->operand.role != SWEEP_INOUT || x->device_bytes == 0) continue;
    fresh[i] = batched_allocate(b->ctx, x->device_bytes);
    if (!fresh[i] || batched_copy_within(b->ctx, fresh[i], x->device[0], x->device_bytes)) abort();
  }
  if (count > few.count) {
    sweep_widen_ints(b->ctx, &t.pivots, count);
    for (int i = 0; i < SWEEP_MAX_EXTENTS; i++) sweep_widen_ints(b->ctx, &t.extents[i], count);
    sweep_release(b->ctx, t.device_info);
    t.device_info = batched_allocate(b->ctx, (size_t)count * sizeof(int));
  }
  return t;
}

static double call_seconds(bench *b, const sweep_case *c, sweep_trial *t)
{
  batched_ctx *ctx = b->ctx;
  if (b->gpu) {
    sweep_cuda_evict(ctx, b->evicted, evicted_bytes);
    sweep_cuda_start(ctx);
    const int status = sweep_call(ctx, c, t);
    const double seconds = sweep_cuda_stop(ctx);
    return status ? -1 : seconds;
  }
  const double begin = batched_seconds();
  return sweep_call(ctx, c, t) ? -1 : batched_seconds() - begin;
}

/* Median over calls on fresh data and, on the GPU, with a cold cache; `best` is what an undisturbed machine would
 * show. */
static bool time_row(bench *b, const sweep_case *c, sweep_trial *t, void **fresh, result *r)
{
  const int warm_up = b->gpu ? 2 : 1, wanted = b->gpu ? 15 : 3;
  double seconds[MAX_RUNS], total = 0;
  int n = 0;
  for (int run = 0; n < MAX_RUNS && (n < wanted || total < 0.3); run++) {
    for (int i = 0; i < sweep.family->noperands; i++)
      if (fresh[i]) batched_copy_within(b->ctx, t->x[i].device[0], fresh[i], t->x[i].device_bytes);
    const double one = call_seconds(b, c, t);
    if (one < 0) return false;
    if (run < warm_up) continue;
    seconds[n] = one;
    total += seconds[n++];
    if (b->gpu && (n == wanted || (n >= 3 && total > 0.3))) break;
  }
  qsort(seconds, (size_t)n, sizeof *seconds, by_size);
  r->best = seconds[0];
  r->median = seconds[n / 2];
  return true;
}

/* Flops and bytes of one call of a batch of c. */
static batched_cost cost_of_call(bench *b, const sweep_case *c, sweep_trial *t)
{
  const batched_stats *stats;
  batched_cost cost = {0, 0};
  batched_select(b->ctx, sweep.family->op, "auto");
  batched_reset_stats(b->ctx);
  if (sweep_call(b->ctx, c, t)) return cost;
  const int n = batched_get_stats(b->ctx, &stats);
  for (int i = 0; i < n; i++)
    if (stats[i].op == sweep.family->op && !stats[i].nested) {
      cost = stats[i].cost;
      b->chosen = stats[i].variant->name;
    }
  batched_reset_stats(b->ctx);
  return cost;
}

/* The operations' models count uniform batches alone; a variable one is the sum of its different matrices. */
static batched_cost cost_of(bench *b, const sweep_case *c, sweep_trial *t)
{
  if (c->layout != SWEEP_VARIABLE) return cost_of_call(b, c, t);
  batched_cost sum = {0, 0};
  const int64_t few = distinct(c);
  for (int64_t i = 0; i < few; i++) {
    sweep_case one = sweep_matrix(c, i);
    one.layout = SWEEP_DENSE;
    one.count = 1;
    sweep_trial alone = sweep_start(b->ctx, &one, 0, -1, 0);
    batched_cost cost = cost_of_call(b, &one, &alone);
    sum.flops += cost.flops * (double)c->count / (double)few;
    sum.bytes += cost.bytes * (double)c->count / (double)few;
    sweep_finish(b->ctx, &alone);
  }
  cost_of_call(b, c, t); /* which row a variable batch takes */
  return sum;
}

/* The least time in which the machine can move the bytes and do the flops. */
static double least_seconds(const bench *b, const sweep_case *c, batched_cost cost)
{
  const batched_limits *l = &b->limits;
  const double bandwidth = l->copy > l->triad ? l->copy : l->triad;
  const double peak = batched_real_type(c->type) == BATCHED_S ? 2 * l->vector : l->matrix;
  return cost.flops / peak > cost.bytes / bandwidth ? cost.flops / peak : cost.bytes / bandwidth;
}

static void print_rows(const bench *b, const sweep_case *c, batched_cost cost)
{
  static const char *const layouts[] = {"strided", "dense", "array", "variable", "strided shared", "shared"};
  const char type = "sdcz"[c->type];
  double vendor = 0;
  for (int i = 0; i < b->nrows; i++)
    if (strncmp(b->rows[i].variant, "vendor", 6) == 0 && (vendor == 0 || b->rows[i].median < vendor))
      vendor = b->rows[i].median;
  for (int i = 0; i < b->nrows; i++) {
    const result *r = &b->rows[i];
    printf("%s,%s,%c,%d,%d,%d,%d,%s,%lld,%.4g,%.4g,%.4g,%.4g,%.3f,%.3g\n", sweep.family->op->name, r->variant, type,
           c->m, c->n, c->k, c->flags, layouts[c->layout], (long long)c->count, r->median, r->best,
           1e-9 * cost.flops / r->median, 1e-9 * cost.bytes / r->median, least_seconds(b, c, cost) / r->median,
           vendor / r->median);
  }
  fflush(stdout);
}

/* The rows that were asked for, the vendor's, and with rows=auto the one that a call takes by itself. */
static bool is_measured(const bench *b, const char *variant)
{
  if (sweep_wanted(variant) || strncmp(variant, "vendor", 6) == 0) return true;
  return sweep.rows && sweep_wanted("auto") && b->chosen && strcmp(variant, b->chosen) == 0;
}

static void measure(bench *b, sweep_case c)
{
  void *fresh[SWEEP_MAX_OPERANDS];
  c.count = b->count ? b->count : count_for(b, &c);
  sweep_trial t = create(b, &c, fresh);
  const batched_cost cost = cost_of(b, &c, &t);
  b->nrows = 0;
  for (const batched_variant *v = sweep.family->op->variants[batched_get_space(b->ctx)]; v->name; v++) {
    if (!is_measured(b, v->name)) continue;
    if (b->nrows == MAX_ROWS) break;
    batched_select(b->ctx, sweep.family->op, v->name);
    b->rows[b->nrows].variant = v->name;
    if (time_row(b, &c, &t, fresh, &b->rows[b->nrows])) b->nrows++;
  }
  print_rows(b, &c, cost);
  for (int i = 0; i < sweep.family->noperands; i++) batched_release(b->ctx, fresh[i]);
  sweep_finish(b->ctx, &t);
}

static sweep_layout layout_of(const char *name)
{
  if (strcmp(name, "array") == 0) return SWEEP_ARRAY;
  if (strcmp(name, "variable") == 0) return SWEEP_VARIABLE;
  return strcmp(name, "shared") == 0 ? SWEEP_SHARED_DENSE : SWEEP_DENSE;
}

static void measure_sizes(bench *b, sweep_case c, int argc, char **argv)
{
  const char *shape = sweep_word(argc, argv, "shape", NULL);
  if (shape && sscanf(shape, "%dx%dx%d", &c.m, &c.n, &c.k) == 3) {
    measure(b, c);
    return;
  }
  const int nrhs = atoi(sweep_word(argc, argv, "nrhs", "-1")), k = atoi(sweep_word(argc, argv, "k", "-1"));
  for (const char *size = sweep_word(argc, argv, "n", "2,3,4,8,16,24,32,48,64"); size; size = strchr(size, ',')) {
    size += *size == ',';
    c.m = c.n = c.k = atoi(size);
    if (nrhs >= 0) c.n = nrhs;
    if (k >= 0) c.k = k;
    measure(b, c);
  }
}

int sweep_bench(int argc, char **argv)
{
  if (!sweep_are_words(argc, argv)) return 2;
  bench b = {.count = atoll(sweep_word(argc, argv, "count", "0"))};
  sweep.rows = sweep_word(argc, argv, "rows", NULL);
  b.gpu = strcmp(sweep_word(argc, argv, "space", "host"), "cuda") == 0;
  const int status = batched_create(&b.ctx, b.gpu ? BATCHED_CUDA : BATCHED_HOST);
  if (status) {
    char why[256];
    fprintf(stderr, "--bench: %s\n", batched_explain(NULL, status, why, sizeof why));
    return 77;
  }
  if (batched_set_threads(b.ctx, atoi(sweep_word(argc, argv, "threads", "1")))) return 1;
  if (b.gpu) {
    b.evicted = batched_allocate(b.ctx, evicted_bytes);
    if (!b.evicted || batched_fill_zero(b.ctx, b.evicted, evicted_bytes)) return 1;
  }
  if (batched_measure_each_limit(b.ctx, &b.limits)) return 1;
  printf(
    "# limits: triad %.0f GB/s, copy %.0f GB/s, double precision %.0f Gflop/s by fused multiply-adds, %.0f by matrix "
    "units\n",
    1e-9 * b.limits.triad, 1e-9 * b.limits.copy, 1e-9 * b.limits.vector, 1e-9 * b.limits.matrix);
  puts("op,variant,type,m,n,k,flags,layout,count,seconds,best_seconds,gflops,gbytes_per_second,fraction_of_limit,"
       "times_vendor");
  for (const char *type = sweep_word(argc, argv, "types", "d"); *type; type++) {
    sweep_case c = {.type = (batched_type)(strchr("sdcz", *type) - "sdcz")};
    c.flags = atoi(sweep_word(argc, argv, "flags", "0"));
    c.layout = layout_of(sweep_word(argc, argv, "layout", "dense"));
    measure_sizes(&b, c, argc, argv);
  }
  batched_release(b.ctx, b.evicted);
  batched_destroy(&b.ctx);
  return 0;
}

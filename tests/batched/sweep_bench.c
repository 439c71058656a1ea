/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The benchmark half of the harness: the same operands and calls, timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

typedef struct bench {
  batched_ctx *ctx;
  const sweep_family *family;
  const char *rows; /* NULL: all */
  int64_t count;    /* 0: by size */
  double bytes_per_second, flops_per_second;
} bench;

static int by_size(const void *x, const void *y)
{
  double a = *(const double *)x, b = *(const double *)y;
  return (a > b) - (a < b);
}

/* Matrices enough for some 16 MB, at least 16. */
static int64_t count_for(const sweep_family *f, const sweep_case *c)
{
  sweep_operand o[SWEEP_MAX_OPERANDS] = {0};
  size_t bytes = 1;
  f->operands(c, o);
  for (int i = 0; i < f->noperands; i++) bytes += (size_t)o[i].m * (size_t)o[i].n * batched_element_bytes(c->type);
  int64_t count = (int64_t)((16u << 20) / bytes);
  return count < 16 ? 16 : count > 40000 ? 40000 : count;
}

/* Median over calls on fresh data; `best` is what an undisturbed machine would show. */
static double seconds(bench *b, const sweep_case *c, sweep_batch *x, int *info, double *best)
{
  enum { MOST = 25 };
  double t[MOST], total = 0;
  batched_matrix views[SWEEP_MAX_OPERANDS];
  int n = 0;
  for (int i = 0; i < b->family->noperands; i++) views[i] = x[i].view;
  for (int run = 0; run <= MOST && (n < 3 || total < 0.3); run++) {
    for (int i = 0; i < b->family->noperands; i++)
      if (x[i].operand.role == SWEEP_INOUT) batched_copy_from_host(b->ctx, x[i].device[0], x[i].image, x[i].bytes);
    batched_synchronize(b->ctx);
    double begin = batched_seconds();
    if (b->family->call(b->ctx, c, views, info)) return -1;
    batched_synchronize(b->ctx);
    if (run == 0) continue;
    t[n] = batched_seconds() - begin;
    total += t[n++];
  }
  qsort(t, (size_t)n, sizeof *t, by_size);
  *best = t[0];
  return t[n / 2];
}

static void measure(bench *b, sweep_case c)
{
  sweep_batch x[SWEEP_MAX_OPERANDS];
  c.count = b->count ? b->count : count_for(b->family, &c);
  for (int i = 0; i < b->family->noperands; i++) x[i] = sweep_create(b->ctx, b->family, &c, i, 0, -1);
  sweep_ints pivots = sweep_create_pivots(b->ctx, b->family, &c, 0);
  int *info = batched_allocate(b->ctx, (size_t)c.count * sizeof(int));
  c.pivots = pivots.device;
  for (const batched_variant *v = b->family->op->variants[batched_get_space(b->ctx)]; v->name; v++) {
    if (b->rows && !strstr(b->rows, v->name)) continue;
    batched_select(b->ctx, b->family->op, v->name);
    double best, t = seconds(b, &c, x, info, &best);
    if (t < 0) continue;
    const batched_stats *stats;
    int n = batched_get_stats(b->ctx, &stats), at = 0;
    while (at < n - 1 && (stats[at].op != b->family->op || stats[at].variant != v)) at++;
    double flops = stats[at].cost.flops / (double)stats[at].calls,
           bytes = stats[at].cost.bytes / (double)stats[at].calls;
    double peak = b->flops_per_second * (batched_real_type(c.type) == BATCHED_S ? 2 : 1);
    double limit = flops / peak > bytes / b->bytes_per_second ? flops / peak : bytes / b->bytes_per_second;
    printf("%s,%s,%c,%d,%d,%d,%d,%lld,%.4g,%.4g,%.4g,%.4g,%.3f\n", b->family->op->name, v->name, "sdcz"[c.type], c.m,
           c.n, c.k, c.flags, (long long)c.count, t, best, 1e-9 * flops / t, 1e-9 * bytes / t, limit / t);
    fflush(stdout);
    batched_reset_stats(b->ctx);
  }
  batched_release(b->ctx, info);
  sweep_destroy_ints(b->ctx, &pivots);
  for (int i = 0; i < b->family->noperands; i++) sweep_destroy(b->ctx, &x[i]);
}

static const char *option(int argc, char **argv, const char *name, const char *otherwise)
{
  size_t length = strlen(name);
  for (int i = 0; i < argc; i++)
    if (strncmp(argv[i], name, length) == 0 && argv[i][length] == '=') return argv[i] + length + 1;
  return otherwise;
}

int sweep_bench(int argc, char **argv, const sweep_family *f)
{
  bench b = {.family = f, .rows = option(argc, argv, "rows", NULL)};
  b.count = atoll(option(argc, argv, "count", "0"));
  const char *types = option(argc, argv, "types", "d"), *shape = option(argc, argv, "shape", NULL);
  const bool gpu = strcmp(option(argc, argv, "space", "host"), "cuda") == 0;
  if (batched_create(&b.ctx, gpu ? BATCHED_CUDA : BATCHED_HOST)) return 1;
  batched_measure_limits(b.ctx, &b.bytes_per_second, &b.flops_per_second);
  printf("op,variant,type,m,n,k,flags,count,seconds,best_seconds,gflops,gbytes_per_second,fraction_of_limit\n");
  for (const char *type = types; *type; type++) {
    sweep_case c = {.type = (batched_type)(strchr("sdcz", *type) - "sdcz"), .layout = SWEEP_DENSE};
    c.flags = atoi(option(argc, argv, "flags", "0"));
    if (atoi(option(argc, argv, "shared", "0"))) c.layout = SWEEP_SHARED;
    if (shape && sscanf(shape, "%dx%dx%d", &c.m, &c.n, &c.k) == 3) {
      measure(&b, c);
      continue;
    }
    char sizes[200];
    snprintf(sizes, sizeof sizes, "%s", option(argc, argv, "n", "2,3,4,8,16,24,32,48,64"));
    for (char *s = strtok(sizes, ","); s; s = strtok(NULL, ",")) {
      c.m = c.n = c.k = atoi(s);
      measure(&b, c);
    }
  }
  batched_destroy(&b.ctx);
  return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched-tune: measures the configurations of all tuned kernels on this GPU, and writes the table that the library
 * reads (docs/batched/tuning.md).
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/context.h"
#include "batched/tuning/tune/problem.h"

enum { RUNS = 15, MAX_SHAPES = 200, MAX_ORDERS = 64 };

/* A result may differ from the host's by so many n eps of its largest element. */
static const double tolerance = 100;

typedef struct options {
  const char *families, *types, *orders, *out;
  size_t bytes;
} options;

static bool is_listed(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return true;
  }
  return !list;
}

/* By the host's clock, as the batches are large; the shortest, as others may use the GPU now and then. */
static double seconds(tune_problem *p)
{
  double best = INFINITY;
  for (int run = 0; run < RUNS; run++) {
    if (tune_restore(p) || batched_synchronize(p->ctx)) return INFINITY;
    const double begin = batched_seconds();
    if (tune_run(p) || batched_synchronize(p->ctx)) return INFINITY;
    best = fmin(best, batched_seconds() - begin);
  }
  return best;
}

/* The time of a configuration whose result is right, else infinite. */
static double measure(const batched_family *family, int config, tune_problem *p, const tune_problem *host)
{
  batched_force_config(p->ctx, family, config);
  if (tune_restore(p) || tune_run(p) || batched_synchronize(p->ctx)) return INFINITY;
  const double difference = tune_difference(p, host);
  if (!(difference <= tolerance)) {
    fprintf(stderr, "%s: %s is wrong for %d x %d x %d: %.3g\n", family->name, family->describe(config), p->shape.m,
            p->shape.n, p->shape.k, difference);
    return INFINITY;
  }
  return seconds(p);
}

/* A line of the table for each configuration that fits, if the family is asked at all for this shape. */
static void tune_one(FILE *out, const batched_family *family, tune_problem *p, const tune_problem *host)
{
  const char type = "sdcz"[p->type];
  int size[3];
  batched_force_config(p->ctx, family, -1);
  if (tune_restore(p) || tune_run(p) || !batched_asked_size(p->ctx, size)) return;
  for (int config = 0; config < family->nconfigs; config++) {
    if (family->fits && !family->fits(config, p->type, size[0], size[1], size[2])) continue;
    const double t = measure(family, config, p, host);
    if (t < INFINITY)
      fprintf(out, "%s,%c,%d,%d,%d,%s,%.4g\n", family->name, type, size[0], size[1], size[2], family->describe(config),
              t / (double)p->count);
  }
  fflush(out);
}

static int tune_shape_of(FILE *out, const batched_family *family, batched_ctx *gpu, batched_ctx *cpu, batched_type type,
                         tune_shape shape, size_t bytes)
{
  tune_problem p = {0}, host = {0};
  const int64_t count = tune_count(family->op, type, shape, bytes);
  int status = tune_open(&p, gpu, family->op, type, shape, count);
  if (!status) status = tune_open(&host, cpu, family->op, type, shape, TUNE_DISTINCT);
  if (!status) status = tune_restore(&host);
  if (!status) status = tune_run(&host);
  if (!status) tune_one(out, family, &p, &host);
  tune_close(&p);
  if (host.ctx) tune_close(&host);
  return status;
}

static int tune_family(FILE *out, const batched_family *family, batched_ctx *gpu, batched_ctx *cpu, const options *o)
{
  tune_shape shapes[MAX_SHAPES];
  int orders[MAX_ORDERS], norders = 0, status = batched_select(gpu, family->op, family->variant);
  for (const char *at = o->orders; at; at = strchr(at, ',')) {
    at += *at == ',';
    orders[norders++] = atoi(at);
  }
  if (status || !tune_call_of(family->op)) {
    fprintf(stderr, "%s: can't be called\n", family->name);
    return status;
  }
  const int n = tune_shapes(orders, norders, shapes, MAX_SHAPES);
  for (const char *t = o->types; *t && !status; t++) {
    const batched_type type = (batched_type)(strchr("sdcz", *t) - "sdcz");
    for (int i = 0; i < n && !status; i++) {
      shapes[i].transposed = family->transposed;
      status = tune_shape_of(out, family, gpu, cpu, type, shapes[i], o->bytes);
      if (status == BATCHED_DOES_NOT_FIT) status = BATCHED_SUCCESS;
    }
  }
  batched_force_config(gpu, NULL, -1);
  batched_select(gpu, family->op, "auto");
  return status;
}

static bool are_orders(const char *list)
{
  for (int n = 1;; n++) {
    char *end;
    const long order = strtol(list, &end, 10);
    if (end == list || order < 1 || order > INT_MAX || n > MAX_ORDERS) return false;
    if (!*end) return true;
    if (*end != ',') return false;
    list = end + 1;
  }
}

/* Do all names of a list belong to families?  Where CUDA was not built there are none to compare with. */
static bool are_families(const char *list)
{
  for (const char *at = list; at && batched_families[0]; at = strchr(at, ',')) {
    at += *at == ',';
    const size_t length = strcspn(at, ",");
    bool known = false;
    for (const batched_family *const *f = batched_families; *f && !known; f++)
      known = strlen((*f)->name) == length && strncmp(at, (*f)->name, length) == 0;
    if (!known) return false;
  }
  return true;
}

/* Takes an option and its value; returns what is wrong with them, or NULL. */
static const char *take(options *o, const char *option, const char *value)
{
  if (strcmp(option, "--families") == 0) {
    o->families = value;
    return are_families(value) ? NULL : "not names of families";
  }
  if (strcmp(option, "--types") == 0) {
    o->types = value;
    return *value && value[strspn(value, "sdcz")] == 0 ? NULL : "not letters of sdcz";
  }
  if (strcmp(option, "--orders") == 0) {
    o->orders = value;
    return are_orders(value) ? NULL : "not numbers from 1 on with commas between them";
  }
  if (strcmp(option, "--megabytes") == 0) {
    o->bytes = (size_t)atoi(value) << 20;
    return atoi(value) > 0 ? NULL : "not a number from 1 on";
  }
  o->out = value;
  return strcmp(option, "-o") == 0 ? NULL : "no such option";
}

/* Says what is wrong with the first option that is not as it should be. */
static bool parse(int argc, char **argv, options *o)
{
  /* so many bytes that the last, partly filled wave of blocks does not decide */
  *o = (options){.types = "sdcz", .bytes = (size_t)2000 << 20};
  o->orders = "2,3,4,6,8,10,12,16,20,24,27,32,33,40,48,56,64,72,80,81,88,96,100,104,112,120,125,"
              "128,129,136,141,144,151,152,160,168,176,180,192,200,201,208,216,224,232,240,251,256,272,288,301,304,320,"
              "336,352,384,400,416,448,480,501,512";
  for (int i = 1; i < argc; i += 2) {
    const char *value = argv[i + 1], *why = take(o, argv[i], value ? value : "");
    if (!value && !why) why = "a value is missing";
    if (!why) continue;
    fprintf(stderr, "batched-tune: %s%s%s: %s\n", argv[i], value ? " " : "", value ? value : "", why);
    return false;
  }
  return true;
}

static bool is_help(const char *word)
{
  return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

static void print_usage(FILE *to)
{
  fputs("usage: batched-tune [--families NAME,...] [--types sdcz] [--orders 8,16,...] [--megabytes 2000] [-o FILE]\n"
        "Measures, on this GPU, the configurations of the kernels that have some, and writes the table from which\n"
        "the library chooses.  Without options it measures all families and writes to the standard output;\n"
        "--megabytes is the size of a batch.  To use a table: BATCHED_TUNING=FILE in the environment.\n",
        to);
  if (batched_families[0]) fputs("Families:", to);
  for (const batched_family *const *f = batched_families; *f; f++) fprintf(to, " %s", (*f)->name);
  if (batched_families[0]) putc('\n', to);
}

int main(int argc, char **argv)
{
  options o;
  for (int i = 1; i < argc; i++) {
    if (!is_help(argv[i])) continue;
    print_usage(stdout);
    return 0;
  }
  if (!parse(argc, argv, &o)) {
    print_usage(stderr);
    return 2;
  }
  batched_ctx *gpu, *cpu;
  int status = batched_create(&gpu, BATCHED_CUDA);
  if (!status) status = batched_create(&cpu, BATCHED_HOST);
  FILE *out = status ? NULL : o.out ? fopen(o.out, "w") : stdout;
  if (!out) {
    char why[256];
    fprintf(stderr, "batched-tune: %s%s\n", status ? batched_explain(NULL, status, why, sizeof why) : o.out,
            status ? "" : ": can't be written");
    return 3;
  }
  char device[256];
  int capability = 0;
  batched_cuda_device(device, sizeof device, &capability);
  fprintf(out, "# device: %s\n# capability: %d\n# made by batched-tune; seconds: a matrix, in batches of some %zu MB\n",
          device, capability, o.bytes >> 20);
  fputs("family,type,m,n,k,configuration,seconds\n", out);
  for (const batched_family *const *f = batched_families; *f && !status; f++)
    if (is_listed(o.families, (*f)->name)) status = tune_family(out, *f, gpu, cpu, &o);
  if (status) fprintf(stderr, "batched-tune: %s\n", batched_strerror(status));
  if (out != stdout && fclose(out)) status = 3;
  batched_destroy(&gpu);
  batched_destroy(&cpu);
  return status ? 1 : 0;
}

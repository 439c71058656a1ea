/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched-tune: measures the configurations of all tuned kernels on this GPU, or the rows of operations on it or on the
 * host, and writes the table that the library reads (docs/batched/tuning.md).
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batched/context.h"
#include "batched/tuning/tune/rows.h"

enum { MAX_SHAPES = 200, MAX_ORDERS = TUNE_MAX_ORDERS };

typedef struct options {
  const char *families, *rows, *types, *orders, *products, *rhs, *widths, *out;
  size_t bytes;
  batched_space space; /* of the rows */
  bool vendor;
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

/* The time of a configuration whose result is right, else infinite. */
static double measure(const batched_family *family, int config, tune_problem *p, const tune_problem *host)
{
  batched_force_config(p->ctx, family, config);
  if (tune_restore(p) || tune_run(p) || batched_synchronize(p->ctx)) return INFINITY;
  const double difference = tune_difference(p, host);
  if (!(difference <= tune_tolerance(p))) {
    fprintf(stderr, "%s: %s is wrong for %d x %d x %d: %.3g\n", family->name, family->describe(config), p->shape.m,
            p->shape.n, p->shape.k, difference);
    return INFINITY;
  }
  return tune_seconds(p);
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

static int read_orders(const char *list, int orders[MAX_ORDERS])
{
  int n = 0;
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    orders[n++] = atoi(at);
  }
  return n;
}

/* Of words MxNxK with commas between; -1: they are none, or too many. */
static int read_products(const char *list, tune_shape shapes[MAX_SHAPES])
{
  for (int count = 0, length;; list++) {
    tune_shape shape = {0};
    if (count == MAX_SHAPES || sscanf(list, "%dx%dx%d%n", &shape.m, &shape.n, &shape.k, &length) != 3) return -1;
    if (shape.m < 1 || shape.n < 1 || shape.k < 1) return -1;
    shapes[count++] = shape;
    list += length;
    if (!*list) return count;
    if (*list != ',') return -1;
  }
}

static int ascending(const void *a, const void *b)
{
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static int tune_all_rows(FILE *out, batched_ctx *mine, batched_ctx *host, const options *o)
{
  tune_rows_options r = {.types = o->types, .bytes = o->bytes, .vendor = o->vendor};
  const tune_call *call;
  r.norders = read_orders(o->orders, r.orders);
  r.nrhs = read_orders(o->rhs, r.rhs);
  r.nwidths = read_orders(o->widths, r.widths);
  qsort(r.orders, (size_t)r.norders, sizeof *r.orders, ascending);
  qsort(r.rhs, (size_t)r.nrhs, sizeof *r.rhs, ascending);
  qsort(r.widths, (size_t)r.nwidths, sizeof *r.widths, ascending);
  int status = BATCHED_SUCCESS;
  for (int i = 0; (call = tune_call_at(i)) && !status; i++)
    if (is_listed(o->rows, call->op->name)) status = tune_rows(out, call, mine, host, &r);
  return status;
}

static int tune_family(FILE *out, const batched_family *family, batched_ctx *gpu, batched_ctx *cpu, const options *o)
{
  tune_shape shapes[MAX_SHAPES];
  int orders[MAX_ORDERS], status = batched_select(gpu, family->op, family->variant);
  const int norders = read_orders(o->orders, orders);
  if (status || !tune_call_of(family->op)) {
    fprintf(stderr, "%s: can't be called\n", family->name);
    return status;
  }
  const int n = o->products ? read_products(o->products, shapes) : tune_shapes(orders, norders, shapes, MAX_SHAPES);
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

/* True where all names of a list belong to families; where CUDA was not built there are none to compare with. */
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

/* True where all names of a list belong to operations that can be called. */
static bool are_operations(const char *list)
{
  for (const char *at = list; at; at = strchr(at, ',')) {
    at += *at == ',';
    const size_t length = strcspn(at, ",");
    const tune_call *call;
    bool known = false;
    for (int i = 0; (call = tune_call_at(i)) && !known; i++)
      known = strlen(call->op->name) == length && strncmp(at, call->op->name, length) == 0;
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
  if (strcmp(option, "--rows") == 0) {
    o->rows = value;
    return are_operations(value) ? NULL : "not names of operations that can be measured";
  }
  if (strcmp(option, "--space") == 0) {
    o->space = strcmp(value, "host") == 0 ? BATCHED_HOST : BATCHED_CUDA;
    return o->space == BATCHED_HOST || strcmp(value, "cuda") == 0 ? NULL : "not host or cuda";
  }
  if (strcmp(option, "--rhs") == 0) {
    o->rhs = value;
    return are_orders(value) ? NULL : "not numbers from 1 on with commas between them";
  }
  if (strcmp(option, "--widths") == 0) {
    o->widths = value;
    return are_orders(value) ? NULL : "not numbers from 1 on with commas between them";
  }
  if (strcmp(option, "--vendor") == 0) {
    o->vendor = strcmp(value, "yes") == 0;
    return o->vendor || strcmp(value, "no") == 0 ? NULL : "not yes or no";
  }
  if (strcmp(option, "--types") == 0) {
    o->types = value;
    return *value && value[strspn(value, "sdcz")] == 0 ? NULL : "not letters of sdcz";
  }
  if (strcmp(option, "--orders") == 0) {
    o->orders = value;
    return are_orders(value) ? NULL : "not numbers from 1 on with commas between them";
  }
  if (strcmp(option, "--products") == 0) {
    tune_shape shapes[MAX_SHAPES];
    o->products = value;
    return read_products(value, shapes) > 0 ? NULL : "not products MxNxK with commas between them";
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
  *o = (options){.types = "sdcz",
                 .rhs = "1,2,4,8,16,32,64",
                 .widths = "1,2,3,4,8,16,32,64",
                 .bytes = (size_t)2000 << 20,
                 .space = BATCHED_CUDA};
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
  fputs(
    "usage: batched-tune [--families NAME,...] [--types sdcz] [--orders 8,16,... | --products MxNxK,...]\n"
    "       [--megabytes 2000] [-o FILE]\n"
    "       batched-tune --rows OPERATION,... [--rhs 1,4,...] [--widths 1,2,...] [--space cuda|host] [--vendor no|yes] "
    "...\n"
    "Measures, on this GPU, the configurations of the kernels that have some, or the rows of operations, and writes\n"
    "the table from which the library chooses.  Without options it measures all families and writes to the standard\n"
    "output; --megabytes is the size of a batch.  To use a table: BATCHED_TUNING=FILE in the environment.\n",
    to);
  if (batched_families[0]) fputs("Families:", to);
  for (const batched_family *const *f = batched_families; *f; f++) fprintf(to, " %s", (*f)->name);
  if (batched_families[0]) putc('\n', to);
  fputs("Operations:", to);
  const tune_call *call;
  for (int i = 0; (call = tune_call_at(i)); i++) fprintf(to, " %s", call->op->name);
  putc('\n', to);
}

/* Whose table it is, and what is in it. */
static void print_head(FILE *out, const options *o)
{
  char device[256] = "host";
  int capability = 0;
  if (o->space == BATCHED_CUDA) batched_cuda_device(device, sizeof device, &capability);
  fprintf(out, "# device: %s\n", device);
  if (o->space == BATCHED_CUDA) fprintf(out, "# capability: %d\n", capability);
  fprintf(out, "# made by batched-tune; seconds: a matrix, in batches of some %zu MB\n", o->bytes >> 20);
  fputs(o->rows ? "operation,types,row,where\n" : "family,type,m,n,k,configuration,seconds\n", out);
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
  if (!o.rows) o.space = BATCHED_CUDA;
  batched_ctx *mine, *host;
  int status = batched_create(&mine, o.space);
  if (!status) status = batched_create(&host, BATCHED_HOST);
  FILE *out = status ? NULL : o.out ? fopen(o.out, "w") : stdout;
  if (!out) {
    char why[256];
    fprintf(stderr, "batched-tune: %s%s\n", status ? batched_explain(NULL, status, why, sizeof why) : o.out,
            status ? "" : ": can't be written");
    return 3;
  }
  print_head(out, &o);
  if (o.rows) status = tune_all_rows(out, mine, host, &o);
  for (const batched_family *const *f = batched_families; *f && !status && !o.rows; f++)
    if (is_listed(o.families, (*f)->name)) status = tune_family(out, *f, mine, host, &o);
  if (status) fprintf(stderr, "batched-tune: %s\n", batched_strerror(status));
  if (out != stdout && fclose(out)) status = 3;
  batched_destroy(&mine);
  batched_destroy(&host);
  return status ? 1 : 0;
}

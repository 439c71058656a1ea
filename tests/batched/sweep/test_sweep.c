/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Does the harness see what it is there to see?  An operation B = 2 A with a pivot, and rows that each do one thing
 * wrong: this program runs itself, as an operation's test, once for each.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "batched/check.h"
#include "tests/batched/sweep/sweep.h"

typedef struct twice_args {
  batched_matrix a, b;
  int *pivots, *info;
  int each;
} twice_args;

static float *at(const batched_matrix *x, int64_t b, int i, int j)
{
  const int parts = (int)batched_element_bytes(x->type) / (batched_real_type(x->type) == BATCHED_S ? 4 : 8);
  const int64_t element = (i + (int64_t)j * batched_ld(x, b)) * parts;
  char *start = batched_at(x, b);
  return (float *)(start + element * (batched_real_type(x->type) == BATCHED_S ? 4 : 8));
}

static void double_one(batched_type type, const float *a, float *b)
{
  for (int p = 0; p < (batched_is_complex(type) ? 2 : 1); p++) {
    if (batched_real_type(type) == BATCHED_S)
      b[p] = 2 * a[p];
    else
      ((double *)b)[p] = 2 * ((const double *)a)[p];
  }
}

static int good(batched_ctx *ctx, const void *args)
{
  (void)ctx;
  const twice_args *t = args;
  for (int64_t b = 0; b < t->a.count; b++) {
    for (int j = 0; j < batched_cols(&t->b, b); j++)
      for (int i = 0; i < batched_rows(&t->b, b); i++) double_one(t->a.type, at(&t->a, b, i, j), at(&t->b, b, i, j));
    t->info[b] = 0;
    if (batched_rows(&t->b, b) > 0) t->pivots[b * t->each] = 17;
  }
  return 0;
}

static int wrong(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  const int64_t last = t->b.count - 1;
  good(ctx, args);
  if (batched_rows(&t->b, last) > 2 && batched_cols(&t->b, last) > 2)
    double_one(t->a.type, at(&t->b, last, 1, 1), at(&t->b, last, 1, 1));
  return 0;
}

/* A NaN, before elements that are right. */
static int not_a_number(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  if (t->b.count == 0 || batched_rows(&t->b, 0) < 2) return 0;
  if (batched_real_type(t->a.type) == BATCHED_S)
    *at(&t->b, 0, 0, 0) = NAN;
  else
    *(double *)at(&t->b, 0, 0, 0) = NAN;
  return 0;
}

/* One more row, where there is room to the next column. */
static int outside(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  for (int64_t b = 0; b < t->b.count; b++)
    if (batched_cols(&t->b, b) > 1 && batched_ld(&t->b, b) > batched_rows(&t->b, b))
      *at(&t->b, b, batched_rows(&t->b, b), 0) = 1;
  return 0;
}

static int reads_neighbour(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  for (int64_t b = 1; b < t->b.count; b++) /* a NaN of the one goes to the other */
    if (batched_rows(&t->b, b) > 0 && batched_rows(&t->b, b - 1) > 0 && batched_real_type(t->a.type) == BATCHED_S) {
      float sum = 0;
      for (int j = 0; j < batched_cols(&t->b, b - 1); j++)
        for (int i = 0; i < batched_rows(&t->b, b - 1); i++) sum += *at(&t->a, b - 1, i, j);
      *at(&t->b, b, 0, 0) += 0 * sum;
    }
  return 0;
}

static int looks_at_count(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  if (t->b.count > 1 && batched_rows(&t->b, 0) > 0) t->pivots[0] = 18;
  return 0;
}

static int writes_pivots_outside(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  for (int64_t b = 0; b < t->b.count; b++)
    if (batched_rows(&t->b, b) == 0 && t->each > 0) t->pivots[b * t->each] = 1;
  return 0;
}

static int always_allocates(batched_ctx *ctx, const void *args)
{
  void *p = batched_allocate(ctx, 8);
  if (!p) return BATCHED_NO_MEMORY;
  batched_release(ctx, p);
  return good(ctx, args);
}

static int gives_up_late(batched_ctx *ctx, const void *args)
{
  good(ctx, args);
  void *p = batched_scratch_push(ctx, 8);
  if (!p) return BATCHED_NO_MEMORY;
  batched_scratch_pop(ctx);
  return 0;
}

static int breaks_for_many(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  if (t->b.count > 65535) t->info[65535] = 1;
  return 0;
}

static int breaks_for_a_million(batched_ctx *ctx, const void *args)
{
  const twice_args *t = args;
  good(ctx, args);
  if (t->b.count >= 1000000) t->info[t->b.count - 1] = 1;
  return 0;
}

static int fails(batched_ctx *ctx, const void *args)
{
  (void)ctx, (void)args;
  return BATCHED_DEVICE_FAILED;
}

static const struct {
  const char *name, *complaint;
  int (*run)(batched_ctx *ctx, const void *args);
} rows[] = {
  {"host.good", NULL, good},
  {"host.wrong", "has ratio", wrong},
  {"host.nan", "has ratio", not_a_number},
  {"host.other", "differs from the host's by", wrong},
  {"host.outside", "wrote outside of operand 1", outside},
  {"host.neighbour", "differs when another has", reads_neighbour},
  {"host.count", "differs alone", looks_at_count},
  {"host.pivots", "wrote outside of the pivots", writes_pivots_outside},
  {"host.allocates", "allocates when warm|returned 1", always_allocates},
  {"host.late", "test_allocation", gives_up_late},
  {"host.many", "not what they are in a small batch", breaks_for_many},
  {"host.million", "not what they are in a small batch", breaks_for_a_million},
  {"host.fails", "returned 5", fails},
};
enum { NROWS = sizeof rows / sizeof *rows };

static batched_variant variants[NROWS + 1], none[1];
static const batched_op twice_op = {.name = "twice", .key = "twice", .variants = {variants, none}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int pivots(const sweep_case *c)
{
  return c->m > 0;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  twice_args args = {x[0], x[1], c->pivots, info, pivots(c)};
  if (!batched_is_valid(ctx, &x[0], true)) return -2;
  if (!batched_is_valid_result(ctx, &x[1]) || !batched_same_shape(ctx, &x[0], &x[1])) return -3;
  if (c->m > 0 && c->n > 0) return c->count > 0 ? batched_run(ctx, &twice_op, &args) : 0;
  for (int64_t b = 0; b < c->count; b++) info[b] = 0;
  return 0;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (c->m == 0 || c->n == 0) return 0;
  if (info != 0 || c->pivots[0] != 17) return __builtin_nanl("");
  long double worst = 0;
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) {
    const long double error = sweep_abs(after[1].x[e] - 2 * before[0].x[e]);
    worst = sweep_larger(worst, error);
  }
  return worst;
}

static const int shapes[][3] = {{0, 0, 0}, {1, 2, 0}, {3, 3, 0}, {5, 4, 0}, {17, 8, 0}, {-1}};
static const sweep_family family = {
  .op = &twice_op,
  .nflags = 1,
  .noperands = 2,
  .shapes = shapes,
  .limit = 0,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_DENORMAL | SWEEP_CONDITIONS,
};

static const char *self;

/* True where a line of the output has one of the words that `complaint` lists. */
static bool complains(FILE *output, const char *complaint)
{
  char line[1000], words[200];
  bool found = false;
  while (fgets(line, sizeof line, output)) {
    snprintf(words, sizeof words, "%s", complaint ? complaint : "FAILED");
    for (char *w = strtok(words, "|"); w; w = strtok(NULL, "|")) found = found || strstr(line, w);
  }
  return found;
}

/* Runs itself with these words; returns the exit status, and whether it said `sentence`. */
static int run_with(const char *words, const char *sentence, bool *said)
{
  char command[1000];
  snprintf(command, sizeof command, "'%s' %s 2>&1", self, words);
  FILE *output = popen(command, "r");
  assert_non_null(output);
  *said = complains(output, sentence);
  const int status = pclose(output);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_faults_are_seen(void **unused)
{
  (void)unused;
  for (int i = 0; i < NROWS; i++) {
    char words[100];
    bool found;
    snprintf(words, sizeof words, "rows=%s", rows[i].name);
    const bool failed = run_with(words, rows[i].complaint, &found) != 0;
    if (failed != (rows[i].complaint != NULL) || found != failed)
      fail_msg("%s was not judged as it should", rows[i].name);
  }
}

/* A word that asks for a row that is not there would have nothing tested. */
static void test_unknown_rows_are_refused(void **unused)
{
  (void)unused;
  static const char *const words[] = {"rows=host.goo", "rows=host.good,host.wron", "rows=", "rows=auto"};
  for (int i = 0; i < 4; i++) {
    bool said, ran;
    assert_int_equal(run_with(words[i], "the rows of twice on the host are host.good host.wrong", &said), 2);
    run_with(words[i], "RUN", &ran);
    if (!said || ran) fail_msg("%s was not refused as it should", words[i]);
  }
}

int main(int argc, char **argv)
{
  self = argv[0];
  unsetenv("SHOCKLET_THOROUGH"); /* every fault has to be seen */
  for (int i = 0; i < NROWS; i++) variants[i] = (batched_variant){.name = rows[i].name, .run = rows[i].run};
  if (argc > 1) return sweep_main(argc, argv, &family, NULL, 0);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_faults_are_seen),
                                     cmocka_unit_test(test_unknown_rows_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear combinations: every row, every number of terms, y among the x.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "../mesh/samples.h"
#include "solvers/solvers.h"
#include "solvers/tables.h"

enum { MAX_N = 1600 };

static const int lengths[] = {0, 1, 2, 3, 7, 8, 15, 17, 511, 512, 513, 1024, 1025, 1537};
enum { NLENGTHS = sizeof lengths / sizeof *lengths };

static double x[SOLVER_MAX_TERMS][MAX_N], y[MAX_N], copy[SOLVER_MAX_TERMS][MAX_N];

static void fill(uint64_t *random)
{
  for (int t = 0; t < SOLVER_MAX_TERMS; t++)
    for (int i = 0; i < MAX_N; i++) x[t][i] = sample_uniform(random) * (i % 5 ? 1.0 : 1e6);
  memcpy(copy, x, sizeof x);
  for (int i = 0; i < MAX_N; i++) y[i] = NAN; // it is set, not added to
}

/* alias: the term whose vector y is; -1: none. */
static void check(batched_ctx *ctx, int n, int nterms, int alias, uint64_t *random)
{
  solver_combine_args args = {.n = n, .nterms = nterms, .y = alias < 0 ? y : x[alias]};
  fill(random);
  for (int t = 0; t < nterms; t++) {
    args.c[t] = t == 0 ? 1.0 : sample_uniform(random);
    args.x[t] = x[t];
  }
  assert_int_equal(solver_combine(ctx, &args), 0);
  for (int i = 0; i < n; i++) {
    double size = 0.0;
    long double sum = 0.0L;
    for (int t = 0; t < nterms; t++) {
      sum += (long double)args.c[t] * copy[t][i];
      size += fabs(args.c[t] * copy[t][i]);
    }
    assert_true(fabs(args.y[i] - (double)sum) <= (nterms + 1) * DBL_EPSILON * size);
  }
  for (int t = 0; t < SOLVER_MAX_TERMS; t++)
    assert_memory_equal(x[t] + (t == alias ? n : 0), copy[t] + (t == alias ? n : 0),
                        sizeof(double) * (size_t)(MAX_N - (t == alias ? n : 0)));
  for (int i = n; i < MAX_N; i++) assert_true(isnan(y[i]));
}

static void sums(void **state)
{
  (void)state;
  uint64_t random = 1;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *row = solver_host_combine; row->name; row++) {
    assert_int_equal(batched_select(ctx, &solver_combine_op, row->name), 0);
    for (int i = 0; i < NLENGTHS; i++)
      for (int nterms = 1; nterms <= SOLVER_MAX_TERMS; nterms++) check(ctx, lengths[i], nterms, -1, &random);
  }
  batched_destroy(&ctx);
}

static void sums_in_place(void **state)
{
  (void)state;
  uint64_t random = 2;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *row = solver_host_combine; row->name; row++) {
    assert_int_equal(batched_select(ctx, &solver_combine_op, row->name), 0);
    for (int i = 0; i < NLENGTHS; i++)
      for (int nterms = 1; nterms <= 4; nterms++)
        for (int alias = 0; alias < nterms; alias++) check(ctx, lengths[i], nterms, alias, &random);
  }
  batched_destroy(&ctx);
}

/* The same vector twice, and y both of them. */
static void one_vector_throughout(void **state)
{
  (void)state;
  uint64_t random = 3;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *row = solver_host_combine; row->name; row++) {
    fill(&random);
    assert_int_equal(batched_select(ctx, &solver_combine_op, row->name), 0);
    solver_combine_args args = {.n = 1000, .nterms = 2, .c = {1.0, 2.0}, .x = {x[0], x[0]}, .y = x[0]};
    assert_int_equal(solver_combine(ctx, &args), 0);
    for (int i = 0; i < 1000; i++)
      assert_true(fabs(x[0][i] - 3.0 * copy[0][i]) <= 2 * DBL_EPSILON * fabs(3.0 * copy[0][i]));
  }
  batched_destroy(&ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums),
    cmocka_unit_test(sums_in_place),
    cmocka_unit_test(one_vector_throughout),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Linear combinations, dot products and checksums: every row, every number of terms, y among the x; with --gpu the
 * rows for a GPU.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mesh/samples.h"
#include "tests/solvers/space.h"
#include "solvers/checksums.h"
#include "solvers/tables.h"

enum { MAX_N = 1600, LARGE = 3000001 };

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

/* The call, with vectors in the memory of the context that stand from `offset` doubles on: all by themselves, or term
 * by term one more or less (`shear`), so that they are not aligned alike. */
static int combine(batched_ctx *ctx, solver_combine_args args, int offset, bool shear)
{
  enum { STRIDE = MAX_N + 4, ALL = (SOLVER_MAX_TERMS + 1) * STRIDE };
  static double mirror[ALL];
  double *memory = batched_allocate(ctx, sizeof mirror), *there[SOLVER_MAX_TERMS + 1], *out = args.y;
  int place = SOLVER_MAX_TERMS;
  assert_non_null(memory);
  for (int t = 0; t <= SOLVER_MAX_TERMS; t++) {
    const int64_t at = t * STRIDE + (shear ? (offset + t) % 2 : offset);
    double *here = t < SOLVER_MAX_TERMS ? x[t] : y;
    there[t] = memory + at;
    memcpy(mirror + at, here, sizeof y);
    if (out == here) place = t;
    for (int k = 0; k < args.nterms; k++)
      if (args.x[k] == here) args.x[k] = there[t];
  }
  args.y = there[place];
  assert_int_equal(batched_copy_from_host(ctx, memory, mirror, sizeof mirror), 0);
  const int status = solver_combine(ctx, &args);
  assert_int_equal(batched_copy_to_host(ctx, mirror, memory, sizeof mirror), 0);
  for (int t = 0; t <= SOLVER_MAX_TERMS; t++)
    memcpy(t < SOLVER_MAX_TERMS ? x[t] : y, mirror + (there[t] - memory), sizeof y);
  batched_release(ctx, memory);
  return status;
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
  assert_int_equal(combine(ctx, args, n % 2, nterms % 3 == 2), 0);
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
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *row = solver_combine_op.variants[space]; row->name; row++) {
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
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *row = solver_combine_op.variants[space]; row->name; row++) {
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
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *row = solver_combine_op.variants[space]; row->name; row++) {
    fill(&random);
    assert_int_equal(batched_select(ctx, &solver_combine_op, row->name), 0);
    solver_combine_args args = {.n = 1000, .nterms = 2, .c = {1.0, 2.0}, .x = {x[0], x[0]}, .y = x[0]};
    assert_int_equal(combine(ctx, args, 0, false), 0);
    for (int i = 0; i < 1000; i++)
      assert_true(fabs(x[0][i] - 3.0 * copy[0][i]) <= 2 * DBL_EPSILON * fabs(3.0 * copy[0][i]));
  }
  batched_destroy(&ctx);
}

/* A long vector, on every row: a sum that is known, and the same bits again. */
static void long_vectors(void **state)
{
  (void)state;
  batched_ctx *ctx;
  double *h = malloc(sizeof(double) * LARGE), first, second;
  assert_non_null(h);
  assert_int_equal(batched_create(&ctx, space), 0);
  double *a = batched_allocate(ctx, sizeof(double) * LARGE), *b = batched_allocate(ctx, sizeof(double) * LARGE);
  assert_true(a && b);
  for (int i = 0; i < LARGE; i++) h[i] = i % 1000;
  assert_int_equal(batched_copy_from_host(ctx, a, h, sizeof(double) * LARGE), 0);
  for (const batched_variant *row = solver_combine_op.variants[space]; row->name; row++) {
    solver_combine_args args = {.n = LARGE, .nterms = 2, .c = {0.5, 0.25}, .x = {a, a}, .y = b};
    assert_int_equal(batched_select(ctx, &solver_combine_op, row->name), 0);
    assert_int_equal(solver_combine(ctx, &args), 0);
    assert_int_equal(batched_copy_to_host(ctx, h, b, sizeof(double) * LARGE), 0);
    for (int i = 0; i < LARGE; i++) assert_true(h[i] == 0.75 * (i % 1000));
  }
  for (const batched_variant *row = solver_dot_op.variants[space]; row->name; row++) {
    const double exact = 0.5625 * 3000 * (999.0 * 1000.0 * 1999.0 / 6.0); // all terms are whole sixteenths
    assert_int_equal(batched_select(ctx, &solver_dot_op, row->name), 0);
    assert_int_equal(solver_dot(ctx, LARGE, b, b, &first), 0);
    assert_int_equal(solver_dot(ctx, LARGE, b, b, &second), 0);
    assert_true(fabs(first - exact) <= 1e-12 * exact && first == second);
  }
  free(h);
  batched_release(ctx, a);
  batched_release(ctx, b);
  batched_destroy(&ctx);
}

static void dots(void **state)
{
  (void)state;
  uint64_t random = 4;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *there = batched_allocate(ctx, 2 * sizeof x[0]);
  assert_non_null(there);
  for (const batched_variant *row = solver_dot_op.variants[space]; row->name; row++) {
    assert_int_equal(batched_select(ctx, &solver_dot_op, row->name), 0);
    for (int i = 0; i < NLENGTHS; i++)
      for (int other = 0; other < 2; other++) { // x . x, and x . y
        double dot = NAN, size = 0.0;
        long double sum = 0.0L;
        fill(&random);
        assert_int_equal(batched_copy_from_host(ctx, there, x, 2 * sizeof x[0]), 0);
        for (int j = 0; j < lengths[i]; j++) {
          sum += (long double)x[0][j] * x[other][j];
          size += fabs(x[0][j] * x[other][j]);
        }
        assert_int_equal(solver_dot(ctx, lengths[i], there, there + other * MAX_N, &dot), 0);
        assert_true(fabs(dot - (double)sum) <= 100 * DBL_EPSILON * size);
        if (lengths[i] == 0) continue;
        x[other][lengths[i] / 2] = NAN;
        assert_int_equal(batched_copy_from_host(ctx, there, x, 2 * sizeof x[0]), 0);
        assert_int_equal(solver_dot(ctx, lengths[i], there, there + other * MAX_N, &dot), 0);
        assert_true(isnan(dot));
      }
  }
  batched_release(ctx, there);
  batched_destroy(&ctx);
}

/* Added to 1. */
static uint64_t checksum_of(batched_ctx *ctx, size_t n, const void *there, uint64_t *number)
{
  uint64_t sum = 1;
  assert_int_equal(batched_copy_from_host(ctx, number, &sum, sizeof sum), 0);
  assert_int_equal(solver_checksum(ctx, n, there, number), 0);
  assert_int_equal(batched_copy_to_host(ctx, &sum, number, sizeof sum), 0);
  return sum;
}

/* The definition; and each bit of each byte counts. */
static void checksums(void **state)
{
  (void)state;
  enum { MOST = 8 * 1200 };
  uint64_t random = 5, sum, flipped;
  batched_ctx *ctx;
  unsigned char bytes[MOST];
  assert_int_equal(batched_create(&ctx, space), 0);
  unsigned char *there = batched_allocate(ctx, MOST);
  uint64_t *number = batched_allocate(ctx, sizeof *number);
  assert_true(there && number);
  for (const batched_variant *row = solver_checksum_op.variants[space]; row->name; row++) {
    assert_int_equal(batched_select(ctx, &solver_checksum_op, row->name), 0);
    for (int i = 0; i < NLENGTHS; i++)
      for (int left = 0; left < 8; left++) {
        const int n = 4 * lengths[i] + left;
        uint64_t expected = 0;
        for (int j = 0; j < n; j++) bytes[j] = (unsigned char)(sample_random(&random) >> 8);
        for (int j = 0; j < n; j++) expected += (uint64_t)bytes[j] << 8 * (j % 8);
        assert_int_equal(batched_copy_from_host(ctx, there, bytes, (size_t)n), 0);
        sum = checksum_of(ctx, (size_t)n, there, number);
        assert_true(sum == expected + 1);
        if (n == 0) continue;
        const int at = (int)(sample_random(&random) % (unsigned)n);
        bytes[at] ^= (unsigned char)(1 << n % 8);
        assert_int_equal(batched_copy_from_host(ctx, there, bytes, (size_t)n), 0);
        flipped = checksum_of(ctx, (size_t)n, there, number);
        assert_true(flipped != sum);
      }
  }
  batched_release(ctx, number);
  batched_release(ctx, there);
  batched_destroy(&ctx);
}

/* Of unequal lengths, each added to what is there, as one by one. */
static void checksums_at_once(void **state)
{
  (void)state;
  enum { MOST = SOLVER_MOST_CHECKSUMS, LONGEST = 8 * 20000 };
  uint64_t random = 7, sums[MOST], expected[MOST];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  unsigned char *bytes = malloc(LONGEST), *there = batched_allocate(ctx, LONGEST);
  uint64_t *numbers = batched_allocate(ctx, sizeof sums);
  assert_true(bytes && there && numbers);
  for (int j = 0; j < LONGEST; j++) bytes[j] = (unsigned char)(sample_random(&random) >> 8);
  assert_int_equal(batched_copy_from_host(ctx, there, bytes, LONGEST), 0);
  for (const batched_variant *row = solver_checksum_op.variants[space]; row->name; row++)
    for (int n = 1; n <= MOST; n++) {
      solver_checksum_args each[MOST];
      assert_int_equal(batched_select(ctx, &solver_checksum_op, row->name), 0);
      for (int i = 0; i < n; i++) {
        const size_t first = 8 * (sample_random(&random) % 100), length = sample_random(&random) % (LONGEST - first);
        each[i] = (solver_checksum_args){.bytes = i == 1 ? 0 : length, .data = there + first, .sum = numbers + i};
        sums[i] = expected[i] = (uint64_t)i;
        for (size_t j = 0; j < each[i].bytes; j++) expected[i] += (uint64_t)bytes[first + j] << 8 * (j % 8);
      }
      assert_int_equal(batched_copy_from_host(ctx, numbers, sums, sizeof sums), 0);
      assert_int_equal(solver_checksums(ctx, n, each), 0);
      assert_int_equal(batched_copy_to_host(ctx, sums, numbers, sizeof sums), 0);
      assert_memory_equal(sums, expected, sizeof *sums * (size_t)n);
    }
  batched_release(ctx, numbers);
  batched_release(ctx, there);
  free(bytes);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  if (space_choose(argc, argv)) return 77;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sums),
    cmocka_unit_test(sums_in_place),
    cmocka_unit_test(one_vector_throughout),
    cmocka_unit_test(long_vectors),
    cmocka_unit_test(dots),
    cmocka_unit_test(checksums),
    cmocka_unit_test(checksums_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Positive definite systems: |A X - B| / (n |A| |X| eps), and B as it was where A is not positive definite.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/mixed_case.h"

/* flags: uplo.  m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},  {3, 1, 0},  {3, 0, 0},  {0, 2, 0},   {4, 5, 0},  {5, 4, 0},
  {7, 1, 0},   {8, 1, 0},   {8, 8, 0},  {9, 7, 0},  {15, 3, 0}, {16, 2, 0},  {17, 9, 0}, {31, 1, 0},
  {32, 32, 0}, {33, 35, 0}, {48, 2, 0}, {64, 1, 0}, {65, 3, 0}, {100, 1, 0}, {-1},
};

static const int large_shapes[][3] = {
  {27, 1, 0},  {63, 4, 0},  {81, 1, 0},  {128, 10, 0}, {129, 1, 0},
  {161, 2, 0}, {200, 3, 0}, {256, 1, 0}, {400, 1, 0},  {-1},
};

static const int edge_shapes[][3] = {{641, 2, 0}, {1025, 1, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* The pivot that spoils a BAD matrix, counted from 0. */
static int bad_pivot(const sweep_case *c)
{
  return 2 * (c->m - 1) / 3;
}

/* The matrix whose triangle fill() made. */
static sweep_dense whole(const sweep_case *c, sweep_dense triangle)
{
  const int n = c->m;
  sweep_dense a = sweep_new(n, n);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      SWEEP_AT(a, i, j) = c->flags ? conjl(SWEEP_AT(triangle, j, i)) : SWEEP_AT(triangle, i, j);
      SWEEP_AT(a, j, i) = conjl(SWEEP_AT(a, i, j));
    }
    SWEEP_AT(a, j, j) = creall(SWEEP_AT(a, j, j));
  }
  return a;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1 && sweep_is_hard(c->kind)) {
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, whole(c, sweep_first_operand(c)), x);
    return;
  }
  if (i == 1) {
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
    return;
  }
  sweep_hermitian(c, x, true);
  if (c->kind == SWEEP_BAD && c->m > 0) SWEEP_AT(x, bad_pivot(c), bad_pivot(c)) = -1;
  sweep_poison_triangle(x, c->flags ? BATCHED_LOWER : BATCHED_UPPER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_posv(ctx, c->flags ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const bool bad = c->kind == SWEEP_BAD && n > 0;
  if (info != (bad ? bad_pivot(c) + 1 : 0)) return NAN;
  if (bad)
    for (int64_t e = 0; e < (int64_t)n * c->n; e++)
      if (after[1].x[e] != before[1].x[e]) return NAN;
  if (bad || n == 0 || c->n == 0) return 0;
  sweep_dense a = whole(c, before[0]), residual = sweep_new(n, c->n);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, after[1], residual);
  for (int64_t e = 0; e < (int64_t)n * c->n; e++) residual.x[e] -= before[1].x[e];
  return sweep_norm(residual) / (n * sweep_norm(a) * sweep_norm(after[1]) * sweep_eps(c->type));
}

static const sweep_family posv = {
  .op = &batched_posv_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(x, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_posv(NULL, BATCHED_LOWER, a, b, info), -1);
  assert_int_equal(batched_posv(ctx, 5, a, b, info), -2);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, n, 1), b, info), -3);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, stride, 0), b, info), -3);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, m, 1), info), -4);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, type, BATCHED_S), info), -4);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, count, 1), info), -4);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, b, NULL), -5);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, count, 0), SWEEP_CHANGED(b, count, 0), NULL), 0);
  batched_destroy(&ctx);
}

/* The plain loops work in place. */
static void test_reference_has_no_workspace(void **unused)
{
  (void)unused;
  double x[] = {4, 1, 1, 3}, y[] = {6, 4};
  int info[1];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_select(ctx, &batched_posv_op, "ref"), 0);
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 1), b = batched_strided(y, 2, 1, 2, 2, 1);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, b, info), 0);
  assert_int_equal(batched_workspace(ctx), 0);
  batched_destroy(&ctx);
}

/* A row of potrs that was asked for, and can't take the sizes that posv gives it, is named before A is overwritten. */
static void test_refused_on_gpu(void **unused)
{
  (void)unused;
  const double given[] = {4, 2, 2, 5, 1, 1};
  double after[6] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  double *x = batched_allocate(ctx, sizeof given);
  int *info = batched_allocate(ctx, sizeof(int));
  batched_copy_from_host(ctx, x, given, sizeof given);
  assert_int_equal(batched_select(ctx, &batched_posv_op, "cuda.composed"), 0);
  assert_int_equal(batched_select(ctx, &batched_potrs_op, "vendor.cusolver"), 0);
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 1), b = batched_strided(x + 4, 2, 1, 2, 2, 1);
  assert_int_equal(batched_posv(ctx, BATCHED_LOWER, a, b, info), BATCHED_DOES_NOT_FIT);
  batched_copy_to_host(ctx, after, x, sizeof given);
  assert_memory_equal(after, given, sizeof given);
  batched_release(ctx, x);
  batched_release(ctx, info);
  batched_destroy(&ctx);
}

static int call_lower(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info)
{
  return batched_posv(ctx, BATCHED_LOWER, a, b, info);
}
static int call_upper(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info)
{
  return batched_posv(ctx, BATCHED_UPPER, a, b, info);
}
/* Imaginary parts on the diagonal change neither the solution nor the steps. */
static void check_mixed_diagonal(batched_space space, int (*call)(batched_ctx *, batched_matrix, batched_matrix, int *))
{
  enum { N = MIXED_ORDER, COUNT = 3 };
  const double parts[COUNT] = {0, 1e12, __builtin_nan("")};
  double *a = malloc(sizeof *a * COUNT * 2 * N * N), x[COUNT][2 * N];
  double _Complex *one = malloc(sizeof *one * N * N);
  int found[2 * COUNT];
  assert_true(a && one);
  mixed_matrix(one, N, true, 1e-3, 1);
  for (int m = 0; m < COUNT; m++) {
    mixed_store(one, 2, a + m * 2 * N * N);
    for (int j = 0; j < N; j++) a[m * 2 * N * N + 2 * (j + j * N) + 1] = parts[m];
    for (int i = 0; i < 2 * N; i++) x[m][i] = 1 + i % 7;
  }
  mixed_solve(space, &batched_posv_op, BATCHED_Z, COUNT, 1, a, x[0], found, call);
  for (int m = 0; m < COUNT; m++) {
    assert_int_equal(found[m], 0);
    assert_true(found[COUNT + m] > 0 && found[COUNT + m] == found[COUNT]);
    assert_memory_equal(x[m], x[0], sizeof x[0]);
  }
  free(a);
  free(one);
}

static void test_mixed(void **unused)
{
  (void)unused;
  check_mixed(BATCHED_HOST, &batched_posv_op, false, call_lower);
  check_mixed(BATCHED_HOST, &batched_posv_op, true, call_upper);
  check_mixed_scales(BATCHED_HOST, &batched_posv_op, false, call_lower);
  check_mixed_scales(BATCHED_HOST, &batched_posv_op, true, call_upper);
  check_mixed_diagonal(BATCHED_HOST, call_lower);
  check_mixed_diagonal(BATCHED_HOST, call_upper);
}
static void test_mixed_on_gpu(void **unused)
{
  (void)unused;
  check_mixed(BATCHED_CUDA, &batched_posv_op, false, call_lower);
  check_mixed(BATCHED_CUDA, &batched_posv_op, true, call_upper);
  check_mixed_scales(BATCHED_CUDA, &batched_posv_op, false, call_lower);
  check_mixed_scales(BATCHED_CUDA, &batched_posv_op, true, call_upper);
  check_mixed_diagonal(BATCHED_CUDA, call_lower);
  check_mixed_diagonal(BATCHED_CUDA, call_upper);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_mixed),
                                     cmocka_unit_test(test_reference_has_no_workspace)},
                          on_gpu[] = {cmocka_unit_test(test_refused_on_gpu), cmocka_unit_test(test_mixed_on_gpu)};
  const int status = sweep_main(argc, argv, &posv, extra, sizeof extra / sizeof *extra);
  const bool gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
  return status || !gpu ? status : cmocka_run_group_tests_name("refused", on_gpu, NULL, NULL);
}

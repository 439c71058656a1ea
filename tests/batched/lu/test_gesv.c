/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Systems of equations: |A X - B| / (n |A| |X| eps), and B as it was where A is singular.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/lu/lu_oracle.h"
#include "tests/batched/sweep/mixed_case.h"

/* m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},  {2, 2, 0},  {3, 1, 0},   {3, 0, 0},  {0, 2, 0},  {4, 5, 0},
  {5, 4, 0},   {8, 1, 0},  {9, 7, 0},  {15, 3, 0},  {17, 9, 0}, {31, 1, 0}, {32, 32, 0},
  {33, 35, 0}, {48, 2, 0}, {65, 3, 0}, {100, 1, 0}, {-1},
};

static const int large_shapes[][3] = {{27, 1, 0},  {64, 4, 0},  {128, 10, 0}, {200, 3, 0},
                                      {256, 1, 0}, {512, 1, 0}, {-1}};

static const int edge_shapes[][3] = {{641, 2, 0}, {1025, 1, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* The column of zeros in a BAD matrix. */
static int bad_column(const sweep_case *c)
{
  return 2 * (c->m - 1) / 3;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1 && sweep_is_hard(c->kind)) {
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, sweep_first_operand(c), x);
    return;
  }
  if (i == 1) {
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
    return;
  }
  if (c->kind == SWEEP_HIDDEN) {
    lu_hidden(c, x);
    return;
  }
  sweep_general(c, x);
  for (int r = 0; c->kind == SWEEP_BAD && r < c->m; r++) SWEEP_AT(x, r, bad_column(c)) = 0;
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_gesv(ctx, x[0], c->pivots, x[1], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0) {
    for (int64_t e = 0; e < (int64_t)n * c->n; e++)
      if (after[1].x[e] != before[1].x[e]) return NAN;
    return info == bad_column(c) + 1 ? 0 : NAN;
  }
  if (info != 0) return NAN;
  if (n == 0 || c->n == 0) return 0;
  sweep_dense residual = sweep_new(n, c->n);
  sweep_multiply(1, BATCHED_NO_TRANS, before[0], BATCHED_NO_TRANS, after[1], residual);
  for (int64_t e = 0; e < (int64_t)n * c->n; e++) residual.x[e] -= before[1].x[e];
  return sweep_norm(residual) / (n * sweep_norm(before[0]) * sweep_norm(after[1]) * sweep_eps(c->type));
}

static const sweep_family gesv = {
  .op = &batched_gesv_op,
  .nflags = 1,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = npivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16] = {0};
  int ipiv[4], info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gesv(NULL, a, ipiv, b, info), -1);
  assert_int_equal(batched_gesv(ctx, SWEEP_CHANGED(a, m, 1), ipiv, b, info), -2);
  assert_int_equal(batched_gesv(ctx, SWEEP_CHANGED(a, stride, 0), ipiv, b, info), -2);
  assert_int_equal(batched_gesv(ctx, a, NULL, b, info), -3);
  assert_int_equal(batched_gesv(ctx, a, ipiv, SWEEP_CHANGED(b, m, 1), info), -4);
  assert_int_equal(batched_gesv(ctx, a, ipiv, SWEEP_CHANGED(b, stride, 0), info), -4);
  assert_int_equal(batched_gesv(ctx, a, ipiv, b, NULL), -5);
  assert_int_equal(batched_gesv(ctx, SWEEP_CHANGED(a, count, 0), NULL, SWEEP_CHANGED(b, count, 0), NULL), 0);
  batched_destroy(&ctx);
}

/* The plain loops work in place. */
static void test_reference_has_no_workspace(void **unused)
{
  (void)unused;
  double x[] = {4, 1, 1, 3}, y[] = {6, 4};
  int ipiv[2], info[1];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_select(ctx, &batched_gesv_op, "ref"), 0);
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 1), b = batched_strided(y, 2, 1, 2, 2, 1);
  assert_int_equal(batched_gesv(ctx, a, ipiv, b, info), 0);
  assert_int_equal(batched_workspace(ctx), 0);
  batched_destroy(&ctx);
}

static int call_mixed(batched_ctx *ctx, batched_matrix a, batched_matrix b, int *info)
{
  int *pivots = batched_allocate(ctx, (size_t)a.count * (size_t)a.n * sizeof(int));
  const int status = batched_gesv(ctx, a, pivots, b, info);
  batched_synchronize(ctx);
  batched_release(ctx, pivots);
  return status;
}
static void test_mixed(void **unused)
{
  (void)unused;
  check_mixed(BATCHED_HOST, &batched_gesv_op, false, call_mixed);
  check_mixed(BATCHED_HOST, &batched_gesv_op, true, call_mixed);
  check_mixed_scales(BATCHED_HOST, &batched_gesv_op, false, call_mixed);
  check_mixed_scales(BATCHED_HOST, &batched_gesv_op, true, call_mixed);
}
static void test_mixed_on_gpu(void **unused)
{
  (void)unused;
  check_mixed(BATCHED_CUDA, &batched_gesv_op, false, call_mixed);
  check_mixed(BATCHED_CUDA, &batched_gesv_op, true, call_mixed);
  check_mixed_scales(BATCHED_CUDA, &batched_gesv_op, false, call_mixed);
  check_mixed_scales(BATCHED_CUDA, &batched_gesv_op, true, call_mixed);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_mixed),
                                     cmocka_unit_test(test_reference_has_no_workspace)},
                          on_gpu[] = {cmocka_unit_test(test_mixed_on_gpu)};
  const int status = sweep_main(argc, argv, &gesv, extra, sizeof extra / sizeof *extra);
  const bool gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
  return status || !gpu ? status : cmocka_run_group_tests_name("mixed", on_gpu, NULL, NULL);
}

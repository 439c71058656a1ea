/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with LU factors: |op(A) X - B| / (n |A| |X| eps), A the product of the factors; a zero on U's diagonal shows
 * in X.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/threads.h"
#include "tests/batched/lu/lu_oracle.h"
#include "tests/batched/cholesky/shared_factor.h"

/* flags: trans.  m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},  {3, 1, 0},  {3, 0, 0},  {0, 2, 0},   {4, 5, 0},  {5, 4, 0},
  {7, 1, 0},   {8, 1, 0},   {8, 8, 0},  {9, 7, 0},  {15, 3, 0}, {16, 2, 0},  {17, 9, 0}, {31, 1, 0},
  {32, 32, 0}, {33, 35, 0}, {48, 2, 0}, {64, 1, 0}, {65, 3, 0}, {100, 1, 0}, {-1},
};

static const int large_shapes[][3] = {
  {27, 1, 0},  {63, 4, 0},  {81, 1, 0},  {128, 10, 0}, {129, 1, 0}, {161, 2, 0},
  {200, 3, 0}, {256, 1, 0}, {400, 1, 0}, {512, 33, 0}, {-1},
};

static const int edge_shapes[][3] = {{641, 3, 0}, {1025, 2, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) {
    lu_fill(c, x);
    if (c->kind == SWEEP_BAD && c->m > 0) SWEEP_AT(x, 2 * (c->m - 1) / 3, 2 * (c->m - 1) / 3) = 0;
  } else if (sweep_is_hard(c->kind)) { /* for a small X */
    int pivots[c->m + 1];
    lu_fill_pivots(c, pivots);
    sweep_right_hand_side(c->type, (batched_trans)c->flags, lu_matrix(sweep_first_operand(c), pivots), x);
  } else {
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type) * sweep_scale(c);
  }
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_getrs(ctx, (batched_trans)c->flags, x[0], c->pivots, x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (c->m == 0 || c->n == 0) return 0;
  if (c->kind == SWEEP_BAD) return sweep_is_finite(after[1]) ? NAN : 0;
  const sweep_dense a = lu_matrix(before[0], c->pivots), residual = sweep_new(c->m, c->n);
  sweep_multiply(1, (batched_trans)c->flags, a, BATCHED_NO_TRANS, after[1], residual);
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) residual.x[e] -= before[1].x[e];
  return sweep_norm(residual) / (c->m * sweep_unit(c, sweep_norm(a) * sweep_norm(after[1])));
}

/* Of A X with A = P L U; a transposed one is made whole. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (c->flags) return ratio(c, before, after, info);
  const sweep_dense product = lu_times(before[0], after[1]);
  lu_exchange(product, c->pivots, c->m, false);
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) product.x[e] -= before[1].x[e];
  return sweep_norm(product) / (c->m * sweep_unit(c, sweep_norm(before[0]) * sweep_norm(after[1])));
}

static const sweep_family getrs = {
  .op = &batched_getrs_op,
  .nflags = 3,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .edge_step = 3, // A itself
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = npivots,
  .fill_pivots = lu_fill_pivots,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static int apply_shared(batched_ctx *ctx, batched_matrix shared, batched_matrix b)
{
  const int ipiv[] = {1, 2};
  return batched_getrs(ctx, BATCHED_NO_TRANS, shared, ipiv, b);
}

static void test_shared_with_leading_dimensions(void **unused)
{
  (void)unused;
  check_shared_factor(&batched_getrs_op, apply_shared, (const double[]){2, 6}, (const double[]){6, 14});
}

/* Threads take different right-hand sides of one matrix, and its one set of pivots. */
static void test_shared_by_threads(void **unused)
{
  (void)unused;
  enum { COUNT = 40 };
  const double a[] = {2, 0, 0, 4};
  int ipiv[2 * COUNT] = {2, 2}; /* behind them, pivots that exchange nothing */
  batched_ctx *ctx;
  for (int i = 2; i < 2 * COUNT; i++) ipiv[i] = 1 + i % 2;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_set_threads(ctx, 3), 0);
  batched_team_set_grain(ctx, 1);
  for (const batched_variant *v = batched_getrs_op.variants[BATCHED_HOST]; v->name; v++) {
    double b[2 * COUNT];
    for (int i = 0; i < 2 * COUNT; i++) b[i] = i % 2 ? 2 : 4;
    batched_select(ctx, &batched_getrs_op, v->name);
    assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, batched_strided(a, 2, 2, 2, 0, COUNT), ipiv,
                                   batched_strided(b, 2, 1, 2, 2, COUNT)),
                     0);
    for (int i = 0; i < 2 * COUNT; i++) assert_true(b[i] == 1);
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int ipiv[4] = {1, 2, 1, 2};
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(x, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_getrs(NULL, BATCHED_NO_TRANS, a, ipiv, b), -1);
  assert_int_equal(batched_getrs(ctx, 5, a, ipiv, b), -2);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, SWEEP_CHANGED(a, n, 1), ipiv, b), -3);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, SWEEP_CHANGED(a, data, NULL), ipiv, b), -3);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, a, NULL, b), -4);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, a, ipiv, SWEEP_CHANGED(b, m, 1)), -5);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, a, ipiv, SWEEP_CHANGED(b, type, BATCHED_S)), -5);
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, a, ipiv, SWEEP_CHANGED(b, stride, 0)), -5);
  b.n = 0;
  assert_int_equal(batched_getrs(ctx, BATCHED_NO_TRANS, SWEEP_CHANGED(a, data, NULL), NULL, b), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_shared_with_leading_dimensions),
                                     cmocka_unit_test(test_shared_by_threads), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &getrs, extra, 3);
}

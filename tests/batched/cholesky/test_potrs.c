/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with a Cholesky factor: |A X - B| / (n |A| |X| eps), A the product of the factors.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/cholesky/cholesky_oracle.h"
#include "tests/batched/cholesky/shared_factor.h"

/* flags: uplo.  m: order, n: right-hand sides. */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},  {3, 1, 0},  {3, 0, 0},  {0, 2, 0},   {4, 5, 0},  {5, 4, 0},
  {7, 1, 0},   {8, 1, 0},   {8, 8, 0},  {9, 7, 0},  {15, 3, 0}, {16, 2, 0},  {17, 9, 0}, {31, 1, 0},
  {32, 32, 0}, {33, 35, 0}, {48, 2, 0}, {64, 1, 0}, {65, 3, 0}, {100, 1, 0}, {-1},
};

static const int large_shapes[][3] = {
  {27, 1, 0},  {63, 4, 0},  {81, 1, 0},  {127, 1, 0}, {128, 10, 0}, {129, 2, 0}, {160, 1, 0},
  {168, 1, 0}, {200, 3, 0}, {256, 1, 0}, {257, 2, 0}, {512, 1, 0},  {-1},
};

/* The last order of cuda.warp_stream in s, and the first beyond. */
static const int edge_shapes[][3] = {{819, 1, 0}, {819, 12, 0}, {820, 4, 0}, {1025, 2, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->m, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1 && sweep_is_hard(c->kind)) {
    sweep_right_hand_side(c->type, BATCHED_NO_TRANS, cholesky_product(c, sweep_first_operand(c)), x);
    return;
  }
  if (i == 1) {
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
    return;
  }
  cholesky_fill(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_potrs(ctx, c->flags ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  if (n == 0 || c->n == 0) return 0;
  sweep_dense a = cholesky_product(c, before[0]), residual = sweep_new(n, c->n);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, after[1], residual);
  for (int64_t e = 0; e < (int64_t)n * c->n; e++) residual.x[e] -= before[1].x[e];
  return sweep_norm(residual) / (n * sweep_norm(a) * sweep_norm(after[1]) * sweep_eps(c->type));
}

/* L (L^H X), of random factors. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense l = cholesky_lower(c, before[0]), residual = sweep_new(c->m, c->n);
  const long double norm = sweep_norm(l);
  long double largest = 0;
  for (int j = 0; j < c->n; j++) {
    const sweep_dense x = {c->m, 1, &SWEEP_AT(after[1], 0, j)}, y = sweep_times(BATCHED_CONJ_TRANS, l, x),
                      b = sweep_times(BATCHED_NO_TRANS, l, y);
    for (int i = 0; i < c->m; i++) SWEEP_AT(residual, i, j) = b.x[i] - SWEEP_AT(before[1], i, j);
    largest = sweep_larger(largest, sweep_norm(y) / sweep_norm(x)); /* of L, at least */
  }
  return sweep_norm(residual) / (c->m * sweep_unit(c, norm * largest * sweep_norm(after[1])));
}

static const sweep_family potrs = {
  .op = &batched_potrs_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
};

static int apply_shared(batched_ctx *ctx, batched_matrix shared, batched_matrix b)
{
  return batched_potrs(ctx, BATCHED_LOWER, shared, b);
}

static void test_shared_with_leading_dimensions(void **unused)
{
  (void)unused;
  check_shared_factor(&batched_potrs_op, apply_shared, (const double[]){6, 19}, (const double[]){6, 67});
}

/* `count` systems of order n, all different, in integers: no solution of them is rounded. */
static void check_many(batched_ctx *ctx, int uplo, int n, int count)
{
  const size_t bytes = sizeof(double) * n * count;
  double *a = calloc((size_t)n * n * count, sizeof *a), *b = calloc((size_t)n * count, sizeof *b);
  for (int m = 0; m < count; m++) {
    double *l = a + (int64_t)m * n * n, *x = b + (int64_t)m * n;
    const int row = uplo == BATCHED_LOWER ? 1 : n, col = n + 1 - row;
    for (int i = 0; i < n; i++) {
      for (int k = 0; k <= i; k++) l[i * row + k * col] = k < i ? (5 * i + 3 * k + m) % 3 - 1 : 1 + (i + m) % 2;
      x[i] = (i + m) % 5 - 2;
    }
    for (int k = 0; k < n; k++) { /* x = L^T x, from the top */
      x[k] *= l[k * (row + col)];
      for (int i = k + 1; i < n; i++) x[k] += l[i * row + k * col] * x[i];
    }
    for (int i = n - 1; i >= 0; i--) { /* x = L x, from the bottom */
      x[i] *= l[i * (row + col)];
      for (int k = 0; k < i; k++) x[i] += l[i * row + k * col] * x[k];
    }
  }
  double *device_a = batched_allocate(ctx, bytes * n), *device_b = batched_allocate(ctx, bytes);
  assert_int_equal(batched_copy_from_host(ctx, device_a, a, bytes * n), 0);
  assert_int_equal(batched_copy_from_host(ctx, device_b, b, bytes), 0);
  assert_int_equal(batched_potrs(ctx, uplo, batched_strided(device_a, n, n, n, (int64_t)n * n, count),
                                 batched_strided(device_b, n, 1, n, n, count)),
                   0);
  assert_int_equal(batched_copy_to_host(ctx, b, device_b, bytes), 0);
  for (int m = 0; m < count; m++)
    for (int i = 0; i < n; i++) {
      const double x = b[(int64_t)m * n + i];
      if (x != (i + m) % 5 - 2) fail_msg("order %d, matrix %d, unknown %d: %g", n, m, i, x);
    }
  batched_release(ctx, device_a);
  batched_release(ctx, device_b);
  free(a);
  free(b);
}

/* More matrices than a GPU has at a time. */
static void test_many_on_gpu(void **unused)
{
  (void)unused;
  static const int orders[][2] = {{20, 30000}, {40, 4000}, {64, 2000}, {81, 1200},
                                  {100, 900},  {128, 900}, {200, 300}, {256, 300}};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
    check_many(ctx, BATCHED_LOWER, orders[i][0], orders[i][1]);
    check_many(ctx, BATCHED_UPPER, orders[i][0], orders[i][1]);
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(x, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_potrs(NULL, BATCHED_LOWER, a, b), -1);
  assert_int_equal(batched_potrs(ctx, 5, a, b), -2);
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, n, 1), b), -3);
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, data, NULL), b), -3);
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, m, 1)), -4);
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, type, BATCHED_S)), -4);
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, a, SWEEP_CHANGED(b, stride, 0)), -4);
  b.n = 0;
  assert_int_equal(batched_potrs(ctx, BATCHED_LOWER, SWEEP_CHANGED(a, data, NULL), b), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_shared_with_leading_dimensions),
                                     cmocka_unit_test(test_bad_arguments)},
                          many[] = {cmocka_unit_test(test_many_on_gpu)};
  const int status = sweep_main(argc, argv, &potrs, extra, 2);
  return sweep_then_on_gpu(status, "potrs, many matrices", many, 1);
}

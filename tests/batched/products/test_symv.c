/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = alpha A x + beta y with A symmetric or Hermitian, against a product in long double, element by element.
 *
 * flags: uplo (2), Hermitian (2), vectors as rows or columns (4), and four pairs of alpha and beta
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/calls_in_a_row.h"

static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}, {2, -1}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {0.5, 2}, {1, 0}};
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},   {7, 7, 0},   {8, 8, 0},   {9, 9, 0}, {16, 16, 0},
  {17, 17, 0}, {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {64, 64, 0}, {65, 65, 0}, {81, 81, 0}, {-1},
};
static const int large[][3] = {{127, 127, 0}, {256, 256, 0},   {400, 400, 0}, {512, 512, 0},
                               {700, 700, 0}, {1411, 1411, 0}, {-1}};

/* The last order of cuda.block, the first beyond, and that from which on a block of cuda.rows has twice the rows. */
static const int edge_shapes[][3] = {{1024, 1024, 0}, {1025, 1025, 0}, {2816, 2816, 0}, {-1}};

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static bool hermitian(const sweep_case *c)
{
  return c->flags / 2 % 2;
}

static const batched_scalar *scalar(const batched_scalar *of, const sweep_case *c)
{
  return &of[c->flags / 16];
}

static sweep_operand vector(sweep_role role, bool row, int length)
{
  return (sweep_operand){
    .role = role, .form = row ? SWEEP_ROW : SWEEP_COLUMN, .m = row ? 1 : length, .n = row ? length : 1};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->m, .shareable = true};
  o[1] = vector(SWEEP_IN, c->flags / 4 % 2, c->m);
  o[2] = vector(SWEEP_INOUT, c->flags / 8 % 2, c->m);
}

/* The diagonal has imaginary parts, which hemv does not read. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2 && scalar(alphas, c)->re == 0) return;
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 2) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 0) sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
  if (i == 2 && scalar(betas, c)->re == 0)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return (hermitian(c) ? batched_hemv : batched_symv)(ctx, uplo(c), *scalar(alphas, c), x[0], x[1], *scalar(betas, c),
                                                      x[2]);
}

static wide element(const sweep_case *c, sweep_dense a, int i, int j)
{
  const bool stored = uplo(c) == BATCHED_LOWER ? i >= j : i <= j;
  const wide e = stored ? SWEEP_AT(a, i, j) : SWEEP_AT(a, j, i);
  if (!hermitian(c)) return e;
  return i == j ? creall(e) : stored ? e : conjl(e);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(*scalar(alphas, c), c->type), beta = sweep_wide(*scalar(betas, c), c->type);
  long double worst = 0;
  for (int i = 0; i < c->m; i++) {
    wide exact = beta == 0 ? 0 : beta * before[2].x[i];
    long double size = 2 * sweep_abs(exact);
    for (int j = 0; j < (alpha == 0 ? 0 : c->m); j++) {
      const wide product = alpha * element(c, before[0], i, j) * before[1].x[j];
      exact += product;
      size += sweep_abs(product);
    }
    const long double error = sweep_abs(after[2].x[i] - exact);
    const long double r = error == 0 ? 0 : error / ((c->m + 2) * sweep_eps(c->type) * size);
    worst = sweep_larger(worst, r);
  }
  return worst;
}

static const sweep_family symv = {
  .op = &batched_symv_op,
  .nflags = 64,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large,
  .edge_shapes = edge_shapes,
  .limit = 3,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix m = batched_strided(a, 2, 2, 2, 4, 2), x = batched_strided(v, 2, 1, 2, 2, 2);
  const batched_scalar one = batched_real(1);
  assert_int_equal(batched_symv(NULL, BATCHED_LOWER, one, m, x, one, x), -1);
  assert_int_equal(batched_hemv(ctx, 2, one, m, x, one, x), -2);
  m.m = 1;
  assert_int_equal(batched_symv(ctx, BATCHED_LOWER, one, m, x, one, x), -4);
  m.m = 2;
  assert_int_equal(batched_symv(ctx, BATCHED_LOWER, one, m, m, one, x), -5);
  assert_int_equal(batched_symv(ctx, BATCHED_LOWER, one, m, x, one, m), -7);
  batched_matrix y = batched_strided(v + 4, 2, 1, 2, 0, 2);
  assert_int_equal(batched_symv(ctx, BATCHED_LOWER, one, m, x, one, y), -7);
  y.stride = 2;
  assert_int_equal(batched_symv(ctx, BATCHED_LOWER, one, m, x, one, y), 0);
  batched_destroy(&ctx);
}

static int multiply(batched_ctx *ctx, bool odd, batched_matrix a, batched_matrix x, batched_matrix y)
{
  return batched_symv(ctx, odd ? BATCHED_UPPER : BATCHED_LOWER, batched_real(1), a, x, batched_real(0), y);
}

static void test_calls_in_a_row(void **unused)
{
  (void)unused;
  check_calls_in_a_row(&batched_symv_op, "cuda.rows", multiply);
  check_calls_in_a_row(&batched_symv_op, "cuda.native", multiply);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)},
                          row[] = {cmocka_unit_test(test_calls_in_a_row)};
  const int status = sweep_main(argc, argv, &symv, extra, 1);
  return sweep_then_on_gpu(status, "symv, calls in a row", row, 1);
}

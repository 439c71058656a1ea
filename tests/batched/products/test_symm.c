/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = alpha A B + beta C and alpha B A + beta C with A symmetric or Hermitian, against a product in long double,
 * element by element.
 *
 * flags: side (2), uplo (2), Hermitian (2), and three pairs of alpha and beta
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {1, 0}};
static const int shapes[][3] = {
  {0, 0, 0},  {1, 1, 0},  {2, 2, 0},  {3, 1, 0},   {0, 3, 0},   {4, 0, 0},   {5, 7, 0},   {8, 8, 0},    {9, 4, 0},
  {16, 5, 0}, {3, 17, 0}, {24, 9, 0}, {31, 33, 0}, {33, 32, 0}, {64, 12, 0}, {65, 65, 0}, {20, 100, 0}, {-1},
};
static const int large[][3] = {{96, 96, 0}, {128, 40, 0}, {150, 200, 0}, {256, 8, 0}, {300, 300, 0}, {-1}};

static batched_side side(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_RIGHT : BATCHED_LEFT;
}

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags / 2 % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static bool is_hermitian(const sweep_case *c)
{
  return c->flags / 4 % 2;
}

static batched_scalar alpha_of(const sweep_case *c)
{
  return alphas[c->flags / 8];
}

static batched_scalar beta_of(const sweep_case *c)
{
  return betas[c->flags / 8];
}

static int order(const sweep_case *c)
{
  return side(c) == BATCHED_LEFT ? c->m : c->n;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = order(c), .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* A and B are scaled against each other, and poison where alpha is 0; C has a NaN where beta is.  The diagonal of A has
 * imaginary parts, which hemm does not read. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_case other = *c;
  if (i < 2 && alpha_of(c).re == 0) return;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 2) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 0) sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
  for (int64_t e = 0; i == 2 && beta_of(c).re == 0 && e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return (is_hermitian(c) ? batched_hemm : batched_symm)(ctx, side(c), uplo(c), alpha_of(c), x[0], x[1], beta_of(c),
                                                         x[2]);
}

static wide element(const sweep_case *c, sweep_dense a, int i, int j)
{
  const bool stored = uplo(c) == BATCHED_LOWER ? i >= j : i <= j;
  const wide e = stored ? SWEEP_AT(a, i, j) : SWEEP_AT(a, j, i);
  if (!is_hermitian(c)) return e;
  return i == j ? creall(e) : stored ? e : conjl(e);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(alpha_of(c), c->type), beta = sweep_wide(beta_of(c), c->type);
  const int n = alpha == 0 ? 0 : order(c);
  long double worst = 0;
  for (int j = 0; j < c->n; j++)
    for (int i = 0; i < c->m; i++) {
      wide exact = beta == 0 ? 0 : beta * SWEEP_AT(before[2], i, j);
      long double size = 2 * sweep_abs(exact);
      for (int p = 0; p < n; p++) {
        const wide product =
          alpha * (side(c) == BATCHED_LEFT ? element(c, before[0], i, p) * SWEEP_AT(before[1], p, j)
                                           : SWEEP_AT(before[1], i, p) * element(c, before[0], p, j));
        exact += product;
        size += sweep_abs(product);
      }
      const long double error = sweep_abs(SWEEP_AT(after[2], i, j) - exact);
      worst = sweep_larger(worst, error == 0 ? 0 : error / ((n + 2) * sweep_eps(c->type) * size));
    }
  return worst;
}

static const sweep_family symm = {
  .op = &batched_symm_op,
  .nflags = 24,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(x, 2, 3, 2, 6, 2);
  const batched_scalar one = batched_real(1);
#define SYMM(ctx, side, uplo, a, b, c) batched_symm(ctx, side, uplo, one, a, b, one, c)
  assert_int_equal(SYMM(NULL, BATCHED_LEFT, BATCHED_LOWER, a, b, b), -1);
  assert_int_equal(SYMM(ctx, 2, BATCHED_LOWER, a, b, b), -2);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, 2, a, b, b), -3);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, BATCHED_LOWER, b, b, b), -5);
  assert_int_equal(SYMM(ctx, BATCHED_RIGHT, BATCHED_LOWER, a, b, b), -6);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, BATCHED_LOWER, a, SWEEP_CHANGED(b, count, 1), b), -6);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, BATCHED_LOWER, a, b, SWEEP_CHANGED(b, stride, 0)), -8);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, BATCHED_LOWER, a, b, a), -8);
  assert_int_equal(SYMM(ctx, BATCHED_LEFT, BATCHED_UPPER, a, b, b), 0);
  assert_int_equal(batched_hemm(ctx, BATCHED_LEFT, BATCHED_UPPER, one, a, b, one, SWEEP_CHANGED(b, data, NULL)), -8);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &symm, extra, 1);
}

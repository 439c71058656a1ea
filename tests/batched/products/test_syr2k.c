/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = alpha A B^T + alpha B A^T + beta C and its Hermitian form against a product in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo, trans, hermitian, and three pairs of alpha and beta */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {1, 0}};
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 1},    {2, 2, 2},    {3, 3, 3},    {4, 4, 1},    {5, 5, 0},     {0, 0, 3},    {7, 7, 9},
  {8, 8, 8},   {9, 9, 15},   {16, 16, 17}, {17, 17, 3},  {24, 24, 8},  {31, 31, 33},  {33, 33, 32}, {48, 48, 5},
  {64, 64, 7}, {65, 65, 64}, {81, 81, 16}, {96, 96, 12}, {25, 25, 90}, {129, 129, 4}, {-1},
};
static const int large_shapes[][3] = {{128, 128, 128}, {200, 200, 100}, {256, 256, 40},
                                      {400, 400, 64},  {512, 512, 24},  {96, 96, 96},
                                      {160, 160, 32},  {320, 320, 48},  {-1}};

static batched_uplo uplo_of(const sweep_case *c)
{
  return (batched_uplo)(c->flags % 2);
}

static bool is_plain(const sweep_case *c)
{
  return c->flags / 2 % 2 == 0;
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
  const batched_scalar x = betas[c->flags / 8];
  return is_hermitian(c) ? batched_real(x.re) : x;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = o[1] = (sweep_operand){.role = SWEEP_IN, .m = is_plain(c) ? c->n : c->k, .n = is_plain(c) ? c->k : c->n};
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->n, .n = c->n};
}

/* A and B are left poisoned where alpha is 0.  C has a NaN where beta is 0, and its other triangle is poisoned.  LARGE,
 * SMALL and DENORMAL say it of the product and C. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const bool scaled = sweep_scale(c) != 1;
  sweep_case other = *c;
  if (i < 2 ? scaled : !scaled) other.kind = SWEEP_RANDOM;
  if (i < 2) {
    if (alphas[c->flags / 8].re == 0) return;
    sweep_general(&other, x);
    for (int64_t e = 0; scaled && e < (int64_t)x.m * x.n; e++) x.x[e] *= sqrtl(sweep_scale(c));
    return;
  }
  sweep_general(&other, x);
  if (betas[c->flags / 8].re == 0)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
  sweep_poison_triangle(x, uplo_of(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  const batched_scalar alpha = alpha_of(c), beta = beta_of(c);
  if (is_hermitian(c))
    return batched_her2k(ctx, uplo_of(c), is_plain(c) ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, alpha, x[0], x[1],
                         beta.re, x[2]);
  return batched_syr2k(ctx, uplo_of(c), is_plain(c) ? BATCHED_NO_TRANS : BATCHED_TRANS, alpha, x[0], x[1], beta, x[2]);
}

static sweep_dense absolute(sweep_dense x)
{
  sweep_dense y = sweep_new(x.m, x.n);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) y.x[e] = sweep_abs(x.x[e]);
  return y;
}

/* to += alpha A B^T */
static void multiply(const sweep_case *c, wide alpha, sweep_dense a, sweep_dense b, sweep_dense to)
{
  const batched_trans other = is_hermitian(c) ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
  if (is_plain(c))
    sweep_multiply(alpha, BATCHED_NO_TRANS, a, other, b, to);
  else
    sweep_multiply(alpha, other, a, BATCHED_NO_TRANS, b, to);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(alpha_of(c), c->type), beta = sweep_wide(beta_of(c), c->type);
  sweep_dense exact = sweep_new(c->n, c->n), size = sweep_new(c->n, c->n);
  long double worst = 0;
  if (alpha != 0) {
    multiply(c, alpha, before[0], before[1], exact);
    multiply(c, is_hermitian(c) ? conjl(alpha) : alpha, before[1], before[0], exact);
    multiply(c, sweep_abs(alpha), absolute(before[0]), absolute(before[1]), size);
    multiply(c, sweep_abs(alpha), absolute(before[1]), absolute(before[0]), size);
  }
  for (int j = 0; j < c->n; j++) {
    for (int i = 0; i < c->n; i++) {
      const wide got = SWEEP_AT(after[2], i, j);
      if (uplo_of(c) == BATCHED_LOWER ? i < j : i > j) continue;
      wide x = SWEEP_AT(exact, i, j), old = SWEEP_AT(before[2], i, j);
      long double scale = creall(SWEEP_AT(size, i, j));
      const bool real = is_hermitian(c) && i == j;
      if (beta != 0) {
        x += beta * (real ? creall(old) : old);
        scale += 2 * sweep_abs(beta * old);
      }
      if (real && cimagl(got) != 0) return __builtin_nanl("");
      const long double error = sweep_abs(got - (real ? creall(x) : x));
      const long double r = error == 0 ? 0 : error / ((c->k + 2) * sweep_unit(c, scale));
      worst = sweep_larger(worst, r);
    }
  }
  return worst;
}

static const sweep_family syr2k = {
  .op = &batched_syr2k_op,
  .nflags = 24,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 3,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT | 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[64] = {0};
  batched_matrix good = batched_strided(x, 3, 3, 3, 9, 2), wide_one = good, shared = good, bad = good, z = good;
  const batched_scalar one = batched_real(1);
  wide_one.n = 2;
  shared.stride = 0;
  bad.ld = 2;
  z.type = BATCHED_Z;
  z.count = 1;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define SYR2K(ctx, uplo, trans, a, b, c) batched_syr2k(ctx, uplo, trans, one, a, b, one, c)
  assert_int_equal(SYR2K(NULL, BATCHED_LOWER, BATCHED_NO_TRANS, good, good, good), -1);
  assert_int_equal(SYR2K(ctx, 2, BATCHED_NO_TRANS, good, good, good), -2);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, 3, good, good, good), -3);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_CONJ_TRANS, z, z, z), -3);
  assert_int_equal(batched_her2k(ctx, BATCHED_LOWER, BATCHED_TRANS, one, z, z, 1, z), -3);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, bad, good, good), -5);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, bad, good), -6);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, wide_one, good), -6);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_TRANS, wide_one, wide_one, good), -8);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, good, bad), -8);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, good, shared), -8);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, good, z), -8);
  for (int i = 0; i < 64; i++) assert_true(x[i] == 0);
  assert_int_equal(SYR2K(ctx, BATCHED_LOWER, BATCHED_CONJ_TRANS, good, good, good), 0);
  assert_int_equal(batched_her2k(ctx, BATCHED_LOWER, BATCHED_TRANS, one, good, good, 1, good), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &syr2k, extra, 1);
}

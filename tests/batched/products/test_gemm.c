/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = alpha op(A) op(B) + beta C against a product in long double, element by element.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: transa, transb (3 each), and four pairs of alpha and beta */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}, {2, -1}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {0.5, 2}, {1, 0}};
static const int shapes[][3] = {
  {0, 0, 0},    {64, 64, 64}, {2, 2, 2},    {3, 3, 3},     {5, 4, 3},    {1, 5, 0},    {97, 99, 33}, {7, 8, 9},
  {8, 8, 8},    {9, 7, 15},   {15, 16, 17}, {16, 3, 31},   {17, 33, 1},  {24, 27, 8},  {31, 32, 33}, {48, 5, 64},
  {33, 35, 33}, {81, 8, 64},  {3, 65, 65},  {25, 31, 300}, {1, 1, 1},    {71, 69, 33}, {65, 9, 7},   {0, 3, 2},
  {64, 16, 16}, {96, 32, 40}, {34, 36, 38}, {56, 56, 56},  {80, 48, 24}, {48, 12, 8},  {64, 24, 96}, {-1},
};
static const int large_shapes[][3] = {
  {125, 125, 125}, {101, 127, 99}, {127, 129, 128}, {160, 152, 72},  {200, 200, 200}, {256, 100, 400}, {375, 64, 512},
  {512, 40, 512},  {384, 384, 96}, {192, 27, 216},  {256, 256, 256}, {128, 128, 128}, {384, 12, 16},   {96, 160, 96},
  {320, 240, 48},  {80, 80, 80},   {500, 512, 34},  {72, 520, 10},   {10, 530, 72},   {20, 600, 120},  {-1}};

static batched_trans transa(const sweep_case *c)
{
  return (batched_trans)(c->flags % 3);
}

static batched_trans transb(const sweep_case *c)
{
  return (batched_trans)(c->flags / 3 % 3);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  bool ta = transa(c) != BATCHED_NO_TRANS, tb = transb(c) != BATCHED_NO_TRANS;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = ta ? c->k : c->m, .n = ta ? c->m : c->k};
  o[1] = (sweep_operand){.role = SWEEP_IN, .m = tb ? c->n : c->k, .n = tb ? c->k : c->n, .shareable = true};
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

/* A and B are left poisoned where alpha is 0.  C has a NaN where beta is 0. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int pair = c->flags / 9;
  if (i < 2 && alphas[pair].re == 0) return;
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 2) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 2 && betas[pair].re == 0)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_gemm(ctx, transa(c), transb(c), alphas[c->flags / 9], x[0], x[1], betas[c->flags / 9], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(alphas[c->flags / 9], c->type), beta = sweep_wide(betas[c->flags / 9], c->type);
  sweep_dense exact = sweep_new(c->m, c->n), size = sweep_new(c->m, c->n);
  long double worst = 0;
  if (alpha != 0) {
    sweep_multiply(alpha, transa(c), before[0], transb(c), before[1], exact);
    sweep_multiply(sweep_abs(alpha), transa(c), sweep_sizes(before[0]), transb(c), sweep_sizes(before[1]), size);
  }
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) {
    if (beta != 0) {
      exact.x[e] += beta * before[2].x[e];
      size.x[e] += 2 * sweep_abs(beta * before[2].x[e]);
    }
    long double error = sweep_abs(after[2].x[e] - exact.x[e]);
    long double r = error == 0 ? 0 : error / ((c->k + 2) * sweep_eps(c->type) * creall(size.x[e]));
    worst = sweep_larger(worst, r);
  }
  return worst;
}

static const sweep_family gemm = {
  .op = &batched_gemm_op,
  .nflags = 36,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
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
  double x[64] = {0};
  batched_matrix good = batched_strided(x, 3, 3, 3, 9, 2);
  batched_scalar one = batched_real(1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define GEMM(ctx, ta, tb, a, b, c) batched_gemm(ctx, ta, tb, one, a, b, one, c)
  assert_int_equal(GEMM(NULL, BATCHED_NO_TRANS, BATCHED_NO_TRANS, good, good, good), -1);
  assert_int_equal(GEMM(ctx, 7, BATCHED_NO_TRANS, good, good, good), -2);
  assert_int_equal(GEMM(ctx, BATCHED_NO_TRANS, -1, good, good, good), -3);
#define BAD(field, value) SWEEP_CHANGED(good, field, value)
  static const int sizes[] = {3, 4}, negative[] = {3, -1};
  for (int position = 0; position < 3; position++) {
    const int expected[] = {-5, -6, -8};
    const batched_matrix bad[] = {
      BAD(type, 4),       BAD(type, BATCHED_S), BAD(m, -1),
      BAD(n, -2),         BAD(ld, 2),           BAD(data, NULL),
      BAD(count, -1),     BAD(ms, sizes),       BAD(ns, negative),
      BAD(lds, negative), BAD(lds, sizes),      BAD(m, 2),
      BAD(n, 2),          BAD(count, 3),        BAD(array, (void *const *)x),
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
      batched_matrix g[3] = {good, good, good};
      g[position] = bad[i];
      int status = GEMM(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, g[0], g[1], g[2]);
      /* what disagrees may be told of any of the two */
      if (i == 1 || i >= 11)
        assert_true(status < 0);
      else
        assert_int_equal(status, expected[position]);
    }
  }
  assert_int_equal(GEMM(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, good, good, BAD(stride, 0)), -8);
  /* with no columns of C nothing is read */
  const batched_matrix none = batched_strided((double *)NULL, 2, 0, 2, 0, 2);
  assert_int_equal(
    GEMM(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_strided((double *)NULL, 2, 2, 2, 4, 2), none, none), 0);
  for (int i = 0; i < 64; i++) assert_true(x[i] == 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gemm, extra, 1);
}

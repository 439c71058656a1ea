/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of syrk and syr2k share: flags, data, and the comparison of a triangle with its sum in long double.
 */
#ifndef TESTS_BATCHED_RANK_UPDATE_H
#define TESTS_BATCHED_RANK_UPDATE_H

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

/* Real where the form is Hermitian. */
static batched_scalar real_of(const sweep_case *c, batched_scalar x)
{
  return is_hermitian(c) ? batched_real(x.re) : x;
}

static batched_scalar beta_of(const sweep_case *c)
{
  return real_of(c, betas[c->flags / 8]);
}

static batched_trans other_trans(const sweep_case *c)
{
  return is_hermitian(c) ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

static batched_trans trans_of(const sweep_case *c)
{
  return is_plain(c) ? BATCHED_NO_TRANS : other_trans(c);
}

static sweep_operand factor_of(const sweep_case *c)
{
  return (sweep_operand){.role = SWEEP_IN, .m = is_plain(c) ? c->n : c->k, .n = is_plain(c) ? c->k : c->n};
}

/* Factors are left poisoned where alpha is 0.  C has a NaN where beta is 0, and its other triangle is poisoned.  LARGE,
 * SMALL and DENORMAL say it of the product and C. */
static void fill_update(const sweep_case *c, bool is_factor, sweep_dense x)
{
  const bool scaled = sweep_scale(c) != 1;
  sweep_case other = *c;
  if (is_factor ? scaled : !scaled) other.kind = SWEEP_RANDOM;
  if (is_factor) {
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

/* exact += alpha A B^T or alpha A^T B, and size the same of absolute values. */
static void add_product(const sweep_case *c, wide alpha, sweep_dense a, sweep_dense b, sweep_dense exact,
                        sweep_dense size)
{
  const batched_trans first = is_plain(c) ? BATCHED_NO_TRANS : other_trans(c),
                      second = is_plain(c) ? other_trans(c) : BATCHED_NO_TRANS;
  sweep_multiply(alpha, first, a, second, b, exact);
  sweep_multiply(sweep_abs(alpha), first, sweep_sizes(a), second, sweep_sizes(b), size);
}

/* Of C, which was `old`, against the products. */
static long double worst_of_triangle(const sweep_case *c, sweep_dense exact, sweep_dense size, sweep_dense old_c,
                                     sweep_dense c_now)
{
  const wide beta = sweep_wide(beta_of(c), c->type);
  long double worst = 0;
  for (int j = 0; j < c->n; j++) {
    for (int i = 0; i < c->n; i++) {
      const wide got = SWEEP_AT(c_now, i, j);
      if (uplo_of(c) == BATCHED_LOWER ? i < j : i > j) continue;
      wide x = SWEEP_AT(exact, i, j), old = SWEEP_AT(old_c, i, j);
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

#endif

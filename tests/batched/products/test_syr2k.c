/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = alpha A B^T + alpha B A^T + beta C and its Hermitian form against a product in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/rank_update.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = o[1] = factor_of(c);
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->n, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  fill_update(c, i < 2, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  const batched_scalar alpha = alphas[c->flags / 8], beta = beta_of(c);
  if (is_hermitian(c)) return batched_her2k(ctx, uplo_of(c), trans_of(c), alpha, x[0], x[1], beta.re, x[2]);
  return batched_syr2k(ctx, uplo_of(c), trans_of(c), alpha, x[0], x[1], beta, x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(alphas[c->flags / 8], c->type), other = is_hermitian(c) ? conjl(alpha) : alpha;
  const sweep_dense exact = sweep_new(c->n, c->n), size = sweep_new(c->n, c->n);
  if (alpha != 0) {
    add_product(c, alpha, before[0], before[1], exact, size);
    add_product(c, other, before[1], before[0], exact, size);
  }
  return worst_of_triangle(c, exact, size, before[2], after[2]);
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * C = alpha A A^T + beta C and its Hermitian form against a product in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/guard_page.h"
#include "tests/batched/products/rank_update.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = factor_of(c);
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->n, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  fill_update(c, i == 0, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  const batched_scalar alpha = real_of(c, alphas[c->flags / 8]), beta = beta_of(c);
  if (is_hermitian(c)) return batched_herk(ctx, uplo_of(c), trans_of(c), alpha.re, x[0], beta.re, x[1]);
  return batched_syrk(ctx, uplo_of(c), trans_of(c), alpha, x[0], beta, x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(real_of(c, alphas[c->flags / 8]), c->type);
  const sweep_dense exact = sweep_new(c->n, c->n), size = sweep_new(c->n, c->n);
  if (alpha != 0) add_product(c, alpha, before[0], before[0], exact, size);
  return worst_of_triangle(c, exact, size, before[1], after[1]);
}

static const sweep_family syrk = {
  .op = &batched_syrk_op,
  .nflags = 24,
  .noperands = 2,
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
#define SYRK(ctx, uplo, trans, a, c) batched_syrk(ctx, uplo, trans, one, a, one, c)
  assert_int_equal(SYRK(NULL, BATCHED_LOWER, BATCHED_NO_TRANS, good, good), -1);
  assert_int_equal(SYRK(ctx, 2, BATCHED_NO_TRANS, good, good), -2);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, 3, good, good), -3);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_CONJ_TRANS, z, z), -3);
  assert_int_equal(batched_herk(ctx, BATCHED_LOWER, BATCHED_TRANS, 1, z, 1, z), -3);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, bad, good), -5);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_TRANS, wide_one, good), -7);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, bad), -7);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, wide_one), -7);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, shared), -7);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, good, z), -7);
  for (int i = 0; i < 64; i++) assert_true(x[i] == 0);
  assert_int_equal(SYRK(ctx, BATCHED_LOWER, BATCHED_CONJ_TRANS, good, good), 0);
  assert_int_equal(batched_herk(ctx, BATCHED_LOWER, BATCHED_TRANS, 1, good, 1, good), 0);
  batched_destroy(&ctx);
}

/* Sizes may be given for rows alone: columns are as many, and nothing beyond A is read. */
static void test_sizes_of_rows(void **unused)
{
  (void)unused;
  const size_t bytes = 8 * sizeof(double);
  double *const a = guarded(bytes), c[6] = {7, 7, 7, 7, 7, 7};
  const int orders[1] = {2};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int i = 0; i < 8; i++) a[i] = i;
  for (const batched_variant *v = batched_syrk_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_syrk_op, v->name);
    const batched_matrix to = batched_with_sizes(batched_strided(c, 2, 2, 3, 6, 1), orders, NULL, NULL);
    assert_int_equal(batched_syrk(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, batched_real(1),
                                  batched_strided(a, 2, 4, 2, 8, 1), batched_real(0), to),
                     0);
    assert_true(c[0] == 56 && c[1] == 68 && c[2] == 7 && c[3] == 7 && c[4] == 84 && c[5] == 7);
  }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_sizes_of_rows)};
  return sweep_main(argc, argv, &syrk, extra, 2);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The four norms of matrices.
 *
 * flags: which of them
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .real = true, .m = 1, .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  /* Matrices may be nowhere if they are empty, but not the number that is theirs. */
  if ((c->m == 0 || c->n == 0) && !x[1].data && !x[1].array) return BATCHED_SUCCESS;
  return batched_norm(ctx, (batched_norm_kind)c->flags, x[0], x[1]);
}

static long double norm_of(int kind, sweep_dense a)
{
  long double largest = 0, sums = 0;
  if (kind == BATCHED_FROBENIUS_NORM) return sweep_norm(a);
  const bool columns = kind != BATCHED_INF_NORM;
  for (int j = 0; j < (columns ? a.n : a.m); j++) {
    sums = 0;
    for (int i = 0; i < (columns ? a.m : a.n); i++) {
      const long double e = sweep_abs(columns ? SWEEP_AT(a, i, j) : SWEEP_AT(a, j, i));
      sums = kind == BATCHED_MAX_NORM ? fmaxl(sums, e) : sums + e;
    }
    largest = fmaxl(largest, sums);
  }
  return largest;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const long double exact = norm_of(c->flags, before[0]), error = sweep_abs(after[1].x[0] - exact);
  const long double least = batched_real_type(c->type) == BATCHED_S ? 0x1p-149L : 0x1p-1074L;
  return error <= c->m * c->n * least ? 0 : error / ((c->m * (long double)c->n + 3) * sweep_eps(c->type) * exact);
}

static const sweep_family norm = {
  .op = &batched_norm_op,
  .nflags = 4,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED |
           1u << SWEEP_DENORMAL,
};

static void test_nan(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int kind = 0; kind < 4; kind++)
    for (int at = 0; at < 6; at++) {
      double a[6] = {1, 2, 3, 1e300, 5, 6}, r = 0;
      a[at] = NAN;
      assert_int_equal(batched_norm(ctx, (batched_norm_kind)kind, batched_strided(a, 3, 2, 3, 6, 1),
                                    batched_strided(&r, 1, 1, 1, 1, 1)),
                       0);
      assert_true(isnan(r));
    }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 2, 3, 6, 2), r = batched_strided(v, 1, 1, 1, 1, 2);
  assert_int_equal(batched_norm(NULL, BATCHED_MAX_NORM, x, r), -1);
  assert_int_equal(batched_norm(ctx, 4, x, r), -2);
  x.ld = 2;
  assert_int_equal(batched_norm(ctx, BATCHED_MAX_NORM, x, r), -3);
  x.ld = 3;
  r.m = 2;
  assert_int_equal(batched_norm(ctx, BATCHED_MAX_NORM, x, r), -4);
  r.m = 1;
  assert_int_equal(batched_norm(ctx, BATCHED_MAX_NORM, x, r), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_nan), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &norm, extra, 2);
}

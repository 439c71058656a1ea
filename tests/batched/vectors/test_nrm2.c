/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The 2-norm of vectors, also of those whose squares over- or underflow.
 *
 * flags: rows or columns
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/vectors/vector_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = vector(c->flags, c->m);
  o[1] = (sweep_operand){.role = SWEEP_OUT, .real = true, .m = 1, .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  (void)c;
  /* Vectors may be nowhere if they are empty, but not the number that is theirs. */
  if (c->m == 0 && !x[1].data && !x[1].array) return BATCHED_SUCCESS;
  return batched_nrm2(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const long double exact = sweep_norm(before[0]), error = sweep_abs(after[1].x[0] - exact);
  const long double least = batched_real_type(c->type) == BATCHED_S ? 0x1p-149L : 0x1p-1074L;
  return error <= least ? 0 : error / ((c->m + 3) * sweep_eps(c->type) * exact);
}

static const sweep_family nrm2 = {
  .op = &batched_nrm2_op,
  .nflags = 2,
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

/* Numbers of all sizes in one vector, infinities and NaNs. */
static void test_extremes(void **unused)
{
  (void)unused;
  static const struct {
    double x[3], norm;
  } cases[] = {{{3e200, 4e200, 1}, 5e200},  {{3e-200, 4e-200, 0}, 5e-200}, {{3e-320, 1, 0}, 1},
               {{1e300, 1e-300, 1}, 1e300}, {{0, -INFINITY, 1}, INFINITY}, {{1e300, NAN, 1}, NAN},
               {{0, NAN, 0}, NAN},          {{1e-300, NAN, 0}, NAN}};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double r = -1;
    assert_int_equal(batched_nrm2(ctx, batched_strided(cases[i].x, 3, 1, 3, 3, 1), batched_strided(&r, 1, 1, 1, 1, 1)),
                     0);
    if (isnan(cases[i].norm))
      assert_true(isnan(r));
    else
      assert_true(r == cases[i].norm || fabs(r / cases[i].norm - 1) < 1e-15);
  }
  static double many[1024];
  for (int exponent = -530; exponent <= 508; exponent += 1038) { // their squares sum to what no double holds
    double r = -1;
    for (int i = 0; i < 1024; i++) many[i] = ldexp(1, exponent);
    assert_int_equal(batched_nrm2(ctx, batched_strided(many, 1024, 1, 1024, 0, 1), batched_strided(&r, 1, 1, 1, 1, 1)),
                     0);
    assert_true(r == ldexp(1, exponent + 5));
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 1, 3, 3, 2), r = batched_strided(v, 1, 1, 1, 1, 2);
  assert_int_equal(batched_nrm2(NULL, x, r), -1);
  x.n = 2;
  assert_int_equal(batched_nrm2(ctx, x, r), -2);
  x.m = 0; // neither a column nor a row, though empty
  assert_int_equal(batched_nrm2(ctx, x, r), -2);
  x.m = 3, x.n = 1;
  r.type = BATCHED_S;
  assert_int_equal(batched_nrm2(ctx, x, r), -3);
  r.type = BATCHED_D;
  assert_int_equal(batched_nrm2(ctx, x, r), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_extremes), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &nrm2, extra, 2);
}

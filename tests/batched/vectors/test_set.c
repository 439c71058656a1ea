/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A number on the diagonal, another one elsewhere.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static const batched_scalar off = {0.25, -3}, diag = {2, 5};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)c;
  (void)i;
  (void)x;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_set(ctx, off, c->flags ? off : diag, x[0]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  (void)before;
  const sweep_dense y = after[0];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      if (SWEEP_AT(y, i, j) != sweep_wide(i == j && !c->flags ? diag : off, c->type)) return NAN;
    }
  return 0;
}

static const sweep_family set = {
  .op = &batched_set_op,
  .nflags = 2,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(v, 3, 2, 3, 6, 2);
  assert_int_equal(batched_set(NULL, off, diag, x), -1);
  x.stride = 0;
  assert_int_equal(batched_set(ctx, off, diag, x), -4);
  x.stride = 6;
  assert_int_equal(batched_set(ctx, off, diag, x), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &set, extra, 1);
}

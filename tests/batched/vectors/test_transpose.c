/* SPDX-License-Identifier: BSD-3-Clause
 *
 * B = A, its transpose or its conjugate transpose, bit by bit.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/element_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool plain = c->flags == BATCHED_NO_TRANS;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .m = plain ? c->m : c->n, .n = plain ? c->n : c->m};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_transpose(ctx, (batched_trans)c->flags, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense y = after[1];
  for (int j = 0; j < y.n; j++)
    for (int i = 0; i < y.m; i++) {
      const wide e = c->flags == BATCHED_NO_TRANS ? SWEEP_AT(before[0], i, j) : SWEEP_AT(before[0], j, i);
      if (SWEEP_AT(y, i, j) != (c->flags == BATCHED_CONJ_TRANS ? conjl(e) : e)) return NAN;
    }
  return 0;
}

static const sweep_family transpose = {
  .op = &batched_transpose_op,
  .nflags = 3,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 2, 3, 6, 2), y = batched_strided(v, 2, 3, 2, 6, 2);
  assert_int_equal(batched_transpose(NULL, BATCHED_TRANS, x, y), -1);
  assert_int_equal(batched_transpose(ctx, 3, x, y), -2);
  x.ld = 2;
  assert_int_equal(batched_transpose(ctx, BATCHED_TRANS, x, y), -3);
  x.ld = 3;
  assert_int_equal(batched_transpose(ctx, BATCHED_NO_TRANS, x, y), -4);
  y.m = 1;
  assert_int_equal(batched_transpose(ctx, BATCHED_TRANS, x, y), -4);
  y.m = 2;
  y.n = 2;
  assert_int_equal(batched_transpose(ctx, BATCHED_TRANS, x, y), -4);
  y.n = 3;
  y.stride = 0;
  assert_int_equal(batched_transpose(ctx, BATCHED_TRANS, x, y), -4);
  y.stride = 6;
  assert_int_equal(batched_transpose(ctx, BATCHED_TRANS, x, y), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &transpose, extra, 1);
}

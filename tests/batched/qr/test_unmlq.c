/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with the Q of an LQ factorisation: |result - op(Q) C| / (order |C| eps), with the reflectors applied in more
 * digits.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/q_product.h" /* flags: side (2), trans (2), tau as a row (2) */

static void operands(const sweep_case *c, sweep_operand *o)
{
  q_operands(c, (sweep_operand){.role = SWEEP_IN, .m = reflectors(c), .n = order(c)}, o);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) {
    sweep_dense v = sweep_new(x.n, x.m);
    oracle_reflectors(c, v);
    for (int j = 0; j < x.n; j++)
      for (int r = 0; r < least(x.m, j); r++) SWEEP_AT(x, r, j) = conjl(SWEEP_AT(v, j, r));
  }
  if (i == 1) oracle_tau(c, order(c), x);
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return q_call(batched_unmlq, ctx, c, x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return q_ratio(c, oracle_adjoint(before[0]), before[1], on_left(c) != adjoint(c), before[2], after[2]);
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return q_probe(c, oracle_adjoint(before[0]), before[1], on_left(c) != adjoint(c), before[2], after[2]);
}

static const sweep_family unmlq = {
  .op = &batched_unmlq_op,
  .nflags = 8,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  q_bad_arguments(batched_unmlq, false);
}

static void test_reads_alone(void **unused)
{
  (void)unused;
  q_reads_alone(&batched_unmlq_op, batched_unmlq, false);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_reads_alone)};
  return sweep_main(argc, argv, &unmlq, extra, 2);
}

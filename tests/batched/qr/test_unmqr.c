/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q: |result - op(Q) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/q_product.h" /* flags: side (2), trans (2), tau as a row (2) */

static void operands(const sweep_case *c, sweep_operand *o)
{
  q_operands(c, (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = reflectors(c)}, o);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) oracle_reflectors(c, x);
  if (i == 1) oracle_tau(c, order(c), x);
  if (i == 2) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return q_call(batched_unmqr, ctx, c, x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return q_ratio(c, before[0], before[1], on_left(c) == adjoint(c), before[2], after[2]);
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return q_probe(c, before[0], before[1], on_left(c) == adjoint(c), before[2], after[2]);
}

static const sweep_family unmqr = {
  .op = &batched_unmqr_op,
  .nflags = 8,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .unseen = "cuda.blocked,cuda.native",
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
  q_bad_arguments(batched_unmqr, true);
}

static void test_reads_alone(void **unused)
{
  (void)unused;
  q_reads_alone(&batched_unmqr_op, batched_unmqr, true);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_reads_alone)};
  return sweep_main(argc, argv, &unmqr, extra, 2);
}

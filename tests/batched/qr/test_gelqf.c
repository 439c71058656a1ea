/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LQ: |A - L Q| / (n |A| eps), row by row, and |Q Q^H - I| / (n eps), with Q rebuilt from the stored reflectors; L's
 * diagonal is real.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"

/* flags: tau as a column or as a row */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 0},   {2, 2, 0},   {3, 3, 0},    {1, 4, 0},    {4, 1, 0},    {5, 3, 0},    {3, 5, 0},
  {4, 4, 0},    {0, 3, 0},   {8, 8, 0},   {9, 7, 0},    {7, 9, 0},    {15, 16, 0},  {16, 16, 0},  {17, 5, 0},
  {31, 32, 0},  {32, 32, 0}, {33, 33, 0}, {32, 70, 0},  {70, 32, 0},  {48, 48, 0},  {64, 64, 0},  {65, 65, 0},
  {25, 25, 0},  {28, 27, 0}, {29, 32, 0}, {27, 31, 0},  {36, 34, 0},  {40, 40, 0},  {39, 35, 0},  {37, 5, 0},
  {50, 49, 0},  {56, 56, 0}, {56, 20, 0}, {30, 56, 0},  {60, 57, 0},  {57, 64, 0},  {64, 61, 0},  {64, 4, 0},
  {9, 64, 0},   {20, 50, 0}, {63, 63, 0}, {100, 30, 0}, {30, 100, 0}, {129, 97, 0}, {257, 20, 0}, {600, 9, 0},
  {1030, 5, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {128, 128, 0}, {200, 200, 0}, {256, 256, 0},
                                      {400, 400, 0}, {512, 64, 0},  {65, 256, 0},  {-1}};

/* As geqrf's. */
static const int edge_shapes[][3] = {{640, 642, 0}, {770, 770, 0}, {100, 769, 0}, {898, 896, 0}, {1001, 1024, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = oracle_vector(SWEEP_OUT, least(c->m, c->n), c->flags);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_gelqf(ctx, x[0], x[1]);
}

/* A^H = Q^H L^H */
static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (least(c->m, c->n) == 0) return 0;
  return oracle_qr_ratio(c, oracle_adjoint(before[0]), oracle_adjoint(after[0]), after[1]);
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return oracle_qr_probe(c, oracle_adjoint(before[0]), oracle_adjoint(after[0]), after[1]);
}

static const sweep_family gelqf = {
  .op = &batched_gelqf_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick = 200,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR | 1u << SWEEP_ILL | 1u << SWEEP_GRADED |
           1u << SWEEP_HILBERT | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | 1u << SWEEP_UNEVEN |
           SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* LAPACK's choice of signs, on the conjugate of the row: beta = -sign(re alpha) |(alpha, x)|, tau = (beta - alpha) /
 * beta, v = x / (alpha - beta), and the conjugate of v is stored. */
static void test_conventions(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gelqf_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[2] = {3, 4}, tau[1];
    double _Complex z[2] = {3 + 4 * I, 12}, ztau[1];
    batched_select(ctx, &batched_gelqf_op, v->name);
    assert_int_equal(batched_gelqf(ctx, batched_strided(a, 1, 2, 1, 2, 1), batched_strided(tau, 1, 1, 1, 1, 1)), 0);
    assert_true(fabs(a[0] + 5) < 1e-14 && fabs(a[1] - 0.5) < 1e-14 && fabs(tau[0] - 1.6) < 1e-14);
    assert_int_equal(batched_gelqf(ctx, batched_strided(z, 1, 2, 1, 2, 1), batched_strided(ztau, 1, 1, 1, 1, 1)), 0);
    assert_true(cabs(z[0] + 13) < 1e-14 && cabs(z[1] - 12 / (16 + 4.0 * I)) < 1e-14);
    assert_true(cabs(ztau[0] - (16 - 4.0 * I) / 13) < 1e-14);
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gelqf(NULL, a, tau), -1);
  assert_int_equal(batched_gelqf(ctx, BAD(a, ld, 2), tau), -2);
  assert_int_equal(batched_gelqf(ctx, BAD(a, stride, 0), tau), -2);
  assert_int_equal(batched_gelqf(ctx, BAD(a, data, NULL), tau), -2);
  assert_int_equal(batched_gelqf(ctx, a, BAD(tau, m, 1)), -3);
  assert_int_equal(batched_gelqf(ctx, a, BAD(tau, type, BATCHED_S)), -3);
  assert_int_equal(batched_gelqf(ctx, a, BAD(tau, count, 1)), -3);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_conventions), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gelqf, extra, 2);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with Q: |result - op(Q) C| / (order |C| eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/guard_page.h"
#include "tests/batched/qr/qr_oracle.h"

/* flags: side (2), trans (2), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 1},    {2, 3, 1},     {3, 3, 3},     {4, 5, 2},     {5, 4, 4},     {5, 5, 0},    {8, 8, 8},
  {9, 7, 5},    {7, 9, 6},    {16, 16, 16},  {17, 33, 9},   {33, 32, 20},  {32, 33, 32},  {48, 48, 48}, {64, 20, 20},
  {65, 65, 65}, {20, 70, 11}, {129, 40, 33}, {40, 130, 40}, {260, 10, 10}, {10, 520, 10}, {1030, 3, 2}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 128}, {127, 60, 60}, {200, 200, 100}, {256, 256, 256}, {400, 40, 40},
                                      {512, 64, 33},   {-1}};

static bool on_left(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static bool adjoint(const sweep_case *c)
{
  return c->flags / 2 % 2;
}

static int order(const sweep_case *c)
{
  return on_left(c) ? c->m : c->n;
}

static int reflectors(const sweep_case *c)
{
  return least(c->k, order(c));
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = order(c), .n = reflectors(c), .shareable = true};
  o[1] = oracle_vector(SWEEP_IN, reflectors(c), c->flags / 4);
  o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
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
  const batched_trans t = !adjoint(c)                               ? BATCHED_NO_TRANS
                          : batched_is_complex(c->type) || c->k % 2 ? BATCHED_CONJ_TRANS
                                                                    : BATCHED_TRANS;
  return batched_unmqr(ctx, on_left(c) ? BATCHED_LEFT : BATCHED_RIGHT, t, x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int others = on_left(c) ? c->n : c->m;
  if (c->m == 0 || c->n == 0) return 0;
  sweep_dense x = sweep_new(order(c), others);
  for (int j = 0; j < others; j++)
    for (int i = 0; i < x.m; i++)
      SWEEP_AT(x, i, j) = on_left(c) ? SWEEP_AT(before[2], i, j) : conjl(SWEEP_AT(before[2], j, i));
  const long double size = sweep_norm(x);
  oracle_apply(before[0], before[1], reflectors(c), on_left(c) == adjoint(c), x);
  for (int j = 0; j < others; j++)
    for (int i = 0; i < x.m; i++)
      SWEEP_AT(x, i, j) -= on_left(c) ? SWEEP_AT(after[2], i, j) : conjl(SWEEP_AT(after[2], j, i));
  const long double error = sweep_norm(x);
  return size == 0 ? (error == 0 ? 0 : NAN) : error / (order(c) * size * sweep_eps(c->type));
}

static const sweep_family unmqr = {
  .op = &batched_unmqr_op,
  .nflags = 8,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .unseen = "cuda.blocked",
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  double _Complex z[32] = {0};
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 2);
  batched_matrix za = batched_strided(z, 3, 2, 3, 6, 2), ztau = batched_strided(z + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_unmqr(NULL, BATCHED_LEFT, BATCHED_TRANS, a, tau, c), -1);
  assert_int_equal(batched_unmqr(ctx, 2, BATCHED_TRANS, a, tau, c), -2);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, 3, a, tau, c), -3);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_TRANS, za, ztau, za), -3);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_TRANS, BAD(a, ld, 2), tau, c), -4);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_TRANS, BAD(a, n, 4), tau, c), -4);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_TRANS, a, BAD(tau, m, 1), c), -5);
  assert_int_equal(batched_unmqr(ctx, BATCHED_RIGHT, BATCHED_TRANS, a, tau, c), -6);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_TRANS, a, tau, BAD(c, stride, 0)), -6);
  batched_destroy(&ctx);
}

/* Reflectors are only read, so that threads and matrices can share them. */
static void test_reads_alone(void **unused)
{
  (void)unused;
  enum { M = 16, K = 8 };
  const size_t bytes = M * K * sizeof(double);
  double *const a = guarded(bytes), tau[K], c[M * M];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int i = 0; i < M * K; i++) a[i] = 0;
  for (int j = 0; j < K; j++) tau[j] = 2;
  forbid_writing(a, bytes);
  for (const batched_variant *v = batched_unmqr_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_unmqr_op, v->name);
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < M * M; i++) c[i] = i % (M + 1) == 0;
      assert_int_equal(batched_unmqr(ctx, side ? BATCHED_RIGHT : BATCHED_LEFT, BATCHED_NO_TRANS,
                                     batched_strided(a, M, K, M, 0, 1), batched_strided(tau, K, 1, K, 0, 1),
                                     batched_strided(c, M, M, M, M * M, 1)),
                       0);
      for (int i = 0; i < M * M; i++) assert_true(c[i] == (i % (M + 1) ? 0 : i / M < K ? -1 : 1));
    }
  }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_reads_alone)};
  return sweep_main(argc, argv, &unmqr, extra, 2);
}

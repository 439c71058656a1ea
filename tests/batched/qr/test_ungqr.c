/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The columns of Q: |result - Q| / (m eps), with the reflectors applied in more digits.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"

/* m x n, k reflectors; flags: tau as a row */
static const int shapes[][3] = {
  {0, 0, 0},     {1, 1, 1},       {2, 1, 1},    {3, 3, 3},     {5, 4, 2},     {5, 5, 0},    {8, 8, 8},
  {9, 7, 5},     {16, 16, 16},    {33, 17, 9},  {33, 33, 20},  {48, 48, 48},  {64, 20, 20}, {65, 65, 65},
  {100, 70, 40}, {129, 129, 128}, {90, 50, 31}, {260, 10, 10}, {520, 36, 36}, {1030, 3, 2}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 127}, {128, 128, 128}, {200, 200, 100}, {256, 256, 256},
                                      {400, 400, 64},  {512, 64, 64},   {1100, 42, 42},  {-1}};

/* One more warp for 128 rows (cuda.panels, cuda.panels_tc), groups of 256, and what these do not take. */
static const int edge_shapes[][3] = {{640, 640, 640},    {642, 642, 300}, {770, 770, 770},
                                     {769, 64, 64},      {898, 500, 500}, {1001, 64, 33},
                                     {1024, 1024, 1024}, {1300, 96, 96},  {-1}};

static int columns(const sweep_case *c)
{
  return least(c->m, c->n);
}

static int reflectors(const sweep_case *c)
{
  return least(c->k, columns(c));
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = columns(c)};
  o[1] = oracle_vector(SWEEP_IN, reflectors(c), c->flags);
}

/* What is not part of a reflector is a NaN. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 1) {
    oracle_tau(c, c->m, x);
    return;
  }
  oracle_reflectors(c, x);
  for (int j = 0; j < x.n; j++)
    for (int r = 0; r < x.m; r++)
      if (r <= j || j >= reflectors(c)) SWEEP_AT(x, r, j) = NAN;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_ungqr(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  if (columns(c) == 0) return 0;
  sweep_dense q = sweep_new(c->m, columns(c));
  for (int j = 0; j < q.n; j++) SWEEP_AT(q, j, j) = 1;
  oracle_apply(before[0], before[1], reflectors(c), false, q);
  for (int64_t e = 0; e < (int64_t)q.m * q.n; e++) q.x[e] -= after[0].x[e];
  return sweep_norm(q) / (c->m * sweep_eps(c->type));
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense v = sweep_vector(c->type, columns(c)), y = sweep_new(c->m, 1), one = sweep_new(1, 1);
  one.x[0] = sqrtl(columns(c)); /* |Q| */
  for (int j = 0; j < v.m; j++) y.x[j] = v.x[j];
  oracle_apply(before[0], before[1], reflectors(c), false, y);
  return sweep_probe(c, one, sweep_times(BATCHED_NO_TRANS, after[0], v), y, v);
}

static const sweep_family ungqr = {
  .op = &batched_ungqr_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .unseen = "cuda.blocked",
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_ungqr(NULL, a, tau), -1);
  assert_int_equal(batched_ungqr(ctx, BAD(a, n, 4), tau), -2);
  assert_int_equal(batched_ungqr(ctx, BAD(a, stride, 0), tau), -2);
  assert_int_equal(batched_ungqr(ctx, a, batched_strided(x, 3, 1, 3, 3, 2)), -3);
  assert_int_equal(batched_ungqr(ctx, a, BAD(tau, data, NULL)), -3);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &ungqr, extra, 1);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of unmqr and unmlq share: cases, the residual of a product with Q, bad arguments, and that reflectors
 * are only read.
 */
#ifndef TESTS_QR_Q_PRODUCT_H
#define TESTS_QR_Q_PRODUCT_H

#include <math.h>

#include "tests/batched/guard_page.h"
#include "tests/batched/qr/qr_oracle.h"

typedef int q_product(batched_ctx *ctx, batched_side side, batched_trans trans, batched_matrix a, batched_matrix tau,
                      batched_matrix c);

/* flags: side (2), trans (2), tau as a row (2) */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 1},    {2, 3, 1},     {3, 3, 3},     {4, 5, 2},     {5, 4, 4},     {5, 5, 0},    {8, 8, 8},
  {9, 7, 5},    {7, 9, 6},    {16, 16, 16},  {17, 33, 9},   {33, 32, 20},  {32, 33, 32},  {48, 48, 48}, {64, 20, 20},
  {65, 65, 65}, {20, 70, 11}, {129, 40, 33}, {40, 130, 40}, {260, 10, 10}, {10, 520, 10}, {1030, 3, 2}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 128}, {127, 60, 60}, {200, 200, 100}, {256, 256, 256}, {400, 40, 40},
                                      {512, 64, 33},   {-1}};

/* One more warp for 128 rows (cuda.panels, cuda.panels_tc), groups of 256, and what these do not take; many columns or
 * few. */
static const int edge_shapes[][3] = {{640, 640, 640},
                                     {642, 40, 642},
                                     {40, 642, 300},
                                     {770, 770, 770},
                                     {770, 33, 100},
                                     {33, 898, 898},
                                     {1024, 64, 640},
                                     {64, 1024, 40},
                                     {1024, 1024, 1024},
                                     {1300, 40, 200},
                                     {-1}};

static inline bool on_left(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static inline bool adjoint(const sweep_case *c)
{
  return c->flags / 2 % 2;
}

static inline int order(const sweep_case *c)
{
  return on_left(c) ? c->m : c->n;
}

static inline int reflectors(const sweep_case *c)
{
  return least(c->k, order(c));
}

/* a: where the reflectors are. */
static inline void q_operands(const sweep_case *c, sweep_operand a, sweep_operand *o)
{
  o[0] = a;
  o[1] = oracle_vector(SWEEP_IN, reflectors(c), c->flags / 4);
  o[0].shareable = o[1].shareable = true;
  o[2] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static inline int q_call(q_product *multiply, batched_ctx *ctx, const sweep_case *c, batched_matrix *x)
{
  const batched_trans t = !adjoint(c)                               ? BATCHED_NO_TRANS
                          : batched_is_complex(c->type) || c->k % 2 ? BATCHED_CONJ_TRANS
                                                                    : BATCHED_TRANS;
  return multiply(ctx, on_left(c) ? BATCHED_LEFT : BATCHED_RIGHT, t, x[0], x[1], x[2]);
}

/* |result - op(Q) C| / (order |C| eps) from the reflectors, as columns, and tau; forward: as oracle_apply has it. */
static inline long double q_ratio(const sweep_case *c, sweep_dense v, sweep_dense tau, bool forward, sweep_dense before,
                                  sweep_dense after)
{
  const int others = on_left(c) ? c->n : c->m;
  if (c->m == 0 || c->n == 0) return 0;
  sweep_dense x = sweep_new(order(c), others);
  for (int j = 0; j < others; j++)
    for (int i = 0; i < x.m; i++)
      SWEEP_AT(x, i, j) = on_left(c) ? SWEEP_AT(before, i, j) : conjl(SWEEP_AT(before, j, i));
  const long double size = sweep_norm(x);
  oracle_apply(v, tau, reflectors(c), forward, x);
  for (int j = 0; j < others; j++)
    for (int i = 0; i < x.m; i++)
      SWEEP_AT(x, i, j) -= on_left(c) ? SWEEP_AT(after, i, j) : conjl(SWEEP_AT(after, j, i));
  const long double error = sweep_norm(x);
  return size == 0 ? (error == 0 ? 0 : NAN) : error / (order(c) * size * sweep_eps(c->type));
}

/* The same by one vector: Q (C v), or Q^H (C^H v). */
static inline long double q_probe(const sweep_case *c, sweep_dense v, sweep_dense tau, bool forward, sweep_dense before,
                                  sweep_dense after)
{
  const batched_trans trans = on_left(c) ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS;
  const sweep_dense x = sweep_vector(c->type, on_left(c) ? c->n : c->m), y = sweep_times(trans, before, x);
  oracle_apply(v, tau, reflectors(c), forward, y);
  return sweep_probe(c, before, sweep_times(trans, after, x), y, x);
}

/* columns: reflectors are those of a, else its rows. */
static inline void q_bad_arguments(q_product *multiply, bool columns)
{
  double x[32] = {0};
  double _Complex z[32] = {0};
  const int m = columns ? 3 : 2, n = columns ? 2 : 3;
  const batched_matrix a = batched_strided(x, m, n, m, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  const batched_matrix c = batched_strided(x + 16, 3, 2, 3, 6, 2);
  const batched_matrix za = batched_strided(z, m, n, m, 6, 2), ztau = batched_strided(z + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(multiply(NULL, BATCHED_LEFT, BATCHED_TRANS, a, tau, c), -1);
  assert_int_equal(multiply(ctx, 2, BATCHED_TRANS, a, tau, c), -2);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, 3, a, tau, c), -3);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, BATCHED_TRANS, za, ztau, za), -3);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, BATCHED_TRANS, BAD(a, ld, m - 1), tau, c), -4);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, BATCHED_TRANS, BAD(a, n, columns ? 4 : 1), tau, c), -4);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, BATCHED_TRANS, a, BAD(tau, m, 1), c), -5);
  assert_int_equal(multiply(ctx, BATCHED_RIGHT, BATCHED_TRANS, a, tau, c), -6);
  assert_int_equal(multiply(ctx, BATCHED_LEFT, BATCHED_TRANS, a, tau, BAD(c, stride, 0)), -6);
  batched_destroy(&ctx);
}

/* Reflectors are only read, so that threads and matrices can share them. */
static inline void q_reads_alone(const batched_op *op, q_product *multiply, bool columns)
{
  enum { M = 16, K = 8 };
  const size_t bytes = M * K * sizeof(double);
  double *const a = guarded(bytes), tau[K], c[M * M];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int i = 0; i < M * K; i++) a[i] = 0;
  for (int j = 0; j < K; j++) tau[j] = 2;
  forbid_writing(a, bytes);
  const batched_matrix va = columns ? batched_strided(a, M, K, M, 0, 1) : batched_strided(a, K, M, K, 0, 1);
  for (const batched_variant *v = op->variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, op, v->name);
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < M * M; i++) c[i] = i % (M + 1) == 0;
      assert_int_equal(multiply(ctx, side ? BATCHED_RIGHT : BATCHED_LEFT, BATCHED_NO_TRANS, va,
                                batched_strided(tau, K, 1, K, 0, 1), batched_strided(c, M, M, M, M * M, 1)),
                       0);
      for (int i = 0; i < M * M; i++) assert_true(c[i] == (i % (M + 1) ? 0 : i / M < K ? -1 : 1));
    }
  }
  batched_destroy(&ctx);
}

#endif

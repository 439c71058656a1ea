/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tableaux: consistency, order conditions, and the order seen on equations with known solutions.
 */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "solvers/solvers.h"

static const int orders[] = {1, 2, 3, 4, 6}, stages[] = {1, 2, 3, 4, 8};
static const solver_rk *const methods[] = {&solver_rk_euler, &solver_rk_midpoint, &solver_rk_ssp3, &solver_rk_classical,
                                           &solver_rk_verner};
enum { NMETHODS = sizeof orders / sizeof *orders };

static void assert_near(double a, double exact, double tolerance)
{
  if (!(fabs(a - exact) <= tolerance)) fail_msg("%.17g is not %.17g to %.1g", a, exact, tolerance);
}

/* sum over i of b_i w_i, and w -> A w */
static double weigh(const solver_rk *rk, const double *w)
{
  double sum = 0.0;
  for (int i = 0; i < rk->nstages; i++) sum += rk->b[i] * w[i];
  return sum;
}

static void apply(const solver_rk *rk, const double *w, double *aw)
{
  for (int i = 0; i < rk->nstages; i++) {
    aw[i] = 0.0;
    for (int j = 0; j < rk->nstages; j++) aw[i] += rk->a[i][j] * w[j];
  }
}

/* Rooted trees up to order 4, the bushy ones (quadrature) and the tall ones (linear problems) up to the method's
 * order. */
static void order_conditions(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHODS; m++) {
    const solver_rk *rk = methods[m];
    double one[8], c[8], w[8], aw[8], factorial = 1.0;
    const double tolerance = 1e-13 * (orders[m] == 6 ? 1000 : 1); // its entries are large
    assert_int_equal(rk->nstages, stages[m]);
    for (int i = 0; i < 8; i++) one[i] = w[i] = 1.0;
    apply(rk, one, c);
    for (int i = 0; i < rk->nstages; i++)
      for (int j = i; j < rk->nstages; j++) assert_true(rk->a[i][j] == 0.0); // explicit
    for (int k = 1; k <= orders[m]; k++) {                                   // b . A^(k-1) 1 = 1/k!
      factorial *= k;
      assert_near(weigh(rk, w), 1.0 / factorial, tolerance);
      apply(rk, w, aw);
      for (int i = 0; i < rk->nstages; i++) w[i] = aw[i];
    }
    for (int k = 1; k <= orders[m]; k++) { // b . c^(k-1) = 1/k
      for (int i = 0; i < rk->nstages; i++) w[i] = pow(c[i], k - 1);
      assert_near(weigh(rk, w), 1.0 / k, tolerance);
    }
    if (orders[m] < 4) continue;
    apply(rk, c, aw);
    for (int i = 0; i < rk->nstages; i++) w[i] = c[i] * aw[i];
    assert_near(weigh(rk, w), 1.0 / 8, tolerance);
    for (int i = 0; i < rk->nstages; i++) w[i] = c[i] * c[i];
    apply(rk, w, aw);
    assert_near(weigh(rk, aw), 1.0 / 12, tolerance);
  }
}

/* y_0 = t, y_1 = exp(sin t), y_2 = 1 / (1 + t). */
static int slopes(void *user, const double *y, double *dydt)
{
  ++*(int *)user;
  dydt[0] = 1.0;
  dydt[1] = y[1] * cos(y[0]);
  dydt[2] = -y[2] * y[2];
  return 0;
}

/* Error at t = 3 after n steps. */
static double error_after(batched_ctx *ctx, const solver_rk *rk, int n)
{
  double y[3] = {0.0, 1.0, 1.0}, next[3], k[8 * 3];
  int calls = 0;
  for (int i = 0; i < n; i++) {
    assert_int_equal(solver_rk_step(ctx, rk, 3, 3.0 / n, y, next, k, slopes, &calls), 0);
    for (int j = 0; j < 3; j++) y[j] = next[j];
  }
  assert_int_equal(calls, n * rk->nstages);
  assert_near(y[0], 3.0, 1e-12);
  return fabs(y[1] - exp(sin(3.0))) + fabs(y[2] - 0.25);
}

static void observed_orders(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int m = 0; m < NMETHODS; m++) {
    const solver_rk *rk = methods[m];
    const int n = orders[m] < 4 ? 256 : orders[m] < 6 ? 64 : 10;
    const double order = log2(error_after(ctx, rk, n) / error_after(ctx, rk, 2 * n));
    assert_true(order >= orders[m] - 0.2);
    if (orders[m] < 6) assert_true(order <= orders[m] + 0.2); // Verner's leading error is tiny
  }
  batched_destroy(&ctx);
}

/* One step of y_i' = y_i multiplies by the first terms of the exponential. */
static int grow(void *user, const double *y, double *dydt)
{
  (void)user;
  for (int i = 0; i < 5; i++) dydt[i] = y[i];
  return 0;
}

static void truncated_exponentials(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int m = 0; m < 4; m++) { // as many stages as the order
    double y0[5] = {1, 2, 3, 4, 5}, y[5], k[4 * 5], exact = 1.0, term = 1.0;
    for (int i = 1; i <= orders[m]; i++) exact += term *= 0.3 / i;
    assert_int_equal(solver_rk_step(ctx, methods[m], 5, 0.3, y0, y, k, grow, NULL), 0);
    for (int i = 0; i < 5; i++) {
      assert_near(y[i], (i + 1) * exact, 1e-14);
      assert_true(y0[i] == i + 1);
    }
  }
  batched_destroy(&ctx);
}

/* The status of a right-hand side that fails comes back at once, from whatever stage. */
static int fails_at(void *user, const double *y, double *dydt)
{
  int *left = user;
  dydt[0] = y[0];
  return (*left)-- == 0 ? 42 : 0;
}

static void failures_come_back(void **state)
{
  (void)state;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int m = 0; m < NMETHODS; m++)
    for (int stage = 0; stage <= stages[m]; stage++) {
      double y0 = 1.0, y, k[8];
      int left = stage;
      assert_int_equal(solver_rk_step(ctx, methods[m], 1, 0.1, &y0, &y, k, fails_at, &left),
                       stage < stages[m] ? 42 : 0);
      assert_int_equal(left, stage < stages[m] ? -1 : 0);
      assert_true(y0 == 1.0);
    }
  batched_destroy(&ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_conditions),
    cmocka_unit_test(observed_orders),
    cmocka_unit_test(truncated_exponentials),
    cmocka_unit_test(failures_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

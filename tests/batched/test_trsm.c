/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves: |op(A) X - alpha B| / (n |A| |X| eps).
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "shared_factor.h"
#include "triangle_case.h"

/* The diagonal is large enough for X not to grow with the order. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0 && alpha(c).re == 0) return;
  sweep_general(c, x);
  if (i == 1) return;
  const long double damp = diag(c) == BATCHED_UNIT ? 1 / (sweep_scale(c) * (order(c) + 1)) : 1;
  for (int j = 0; j < order(c); j++) {
    for (int k = 0; k < order(c); k++) SWEEP_AT(x, k, j) *= damp;
    SWEEP_AT(x, j, j) = (sweep_number(c->type) + 2 + 0.1L * order(c)) * sweep_scale(c);
    if (diag(c) == BATCHED_UNIT) SWEEP_AT(x, j, j) = 0x1.23456789p+5000L; /* poison: not to be read */
  }
  sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_trsm(ctx, side(c), uplo(c), trans(c), diag(c), alpha(c), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = order(c);
  if (c->m == 0 || c->n == 0) return 0;
  sweep_dense a = sweep_new(n, n), residual = sweep_new(c->m, c->n);
  const wide scale = sweep_wide(alpha(c), c->type);
  for (int64_t e = 0; scale != 0 && e < (int64_t)c->m * c->n; e++) residual.x[e] = -scale * before[1].x[e];
  if (scale == 0) return sweep_norm(after[1]) == 0 ? 0 : NAN;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++)
      if (uplo(c) == BATCHED_LOWER ? i > j : i < j) SWEEP_AT(a, i, j) = SWEEP_AT(before[0], i, j);
    SWEEP_AT(a, j, j) = diag(c) == BATCHED_UNIT ? 1 : SWEEP_AT(before[0], j, j);
  }
  if (side(c) == BATCHED_LEFT)
    sweep_multiply(1, trans(c), a, BATCHED_NO_TRANS, after[1], residual);
  else
    sweep_multiply(1, BATCHED_NO_TRANS, after[1], trans(c), a, residual);
  return sweep_norm(residual) / (n * sweep_norm(a) * sweep_norm(after[1]) * sweep_eps(c->type));
}

static const sweep_family trsm = {
  .op = &batched_trsm_op,
  .nflags = 72,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL,
};

/* A diagonal element whose inverse is not a number of the type still divides as it should. */
static void check_extreme_diagonal(batched_space space)
{
  const double d[] = {0x1p-1060, 0x1p1023, 3, 0x1p-1074};
  batched_ctx *ctx;
  if (batched_create(&ctx, space)) return; /* no GPU */
  double *a = batched_allocate(ctx, sizeof d), *b = batched_allocate(ctx, sizeof d), x[4];
  double _Complex za[3], zb[3], *complex_a = batched_allocate(ctx, sizeof za),
                                *complex_b = batched_allocate(ctx, sizeof zb);
  for (const batched_variant *v = batched_trsm_op.variants[space]; v->name; v++) {
    if (__builtin_strncmp(v->name, "vendor", 6) == 0) continue; /* theirs multiply by an infinite inverse */
    for (int i = 0; i < 3; i++) {
      za[i] = d[i] / 2 - d[i] / 2 * I;
      zb[i] = d[i];
    }
    assert_int_equal(batched_copy_from_host(ctx, a, d, sizeof d), 0);
    assert_int_equal(batched_copy_from_host(ctx, b, d, sizeof d), 0);
    assert_int_equal(batched_copy_from_host(ctx, complex_a, za, sizeof za), 0);
    assert_int_equal(batched_copy_from_host(ctx, complex_b, zb, sizeof zb), 0);
    batched_select(ctx, &batched_trsm_op, v->name);
    assert_int_equal(batched_trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1),
                                  batched_strided(a, 1, 1, 1, 1, 4), batched_strided(b, 1, 1, 1, 1, 4)),
                     0);
    assert_int_equal(batched_trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1),
                                  batched_strided(complex_a, 1, 1, 1, 1, 3), batched_strided(complex_b, 1, 1, 1, 1, 3)),
                     0);
    assert_int_equal(batched_copy_to_host(ctx, x, b, sizeof x), 0);
    assert_int_equal(batched_copy_to_host(ctx, zb, complex_b, sizeof zb), 0);
    for (int i = 0; i < 4; i++)
      if (x[i] != 1) fail_msg("%s: %g / %g gave %g", v->name, d[i], d[i], x[i]);
    for (int i = 0; i < 3; i++)
      if (!(cabs(zb[i] - (1 + 1 * I)) < 1e-15)) fail_msg("%s: a complex quotient of %g is wrong", v->name, d[i]);
  }
  batched_release(ctx, a);
  batched_release(ctx, b);
  batched_release(ctx, complex_a);
  batched_release(ctx, complex_b);
  batched_destroy(&ctx);
}

static void test_extreme_diagonal(void **unused)
{
  (void)unused;
  check_extreme_diagonal(BATCHED_HOST);
  check_extreme_diagonal(BATCHED_CUDA);
}

static int apply_shared(batched_ctx *ctx, batched_matrix shared, batched_matrix b)
{
  return batched_trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1), shared, b);
}

static void test_shared_with_leading_dimensions(void **unused)
{
  (void)unused;
  check_shared_factor(&batched_trsm_op, apply_shared, (const double[]){2, 5}, (const double[]){2, 9});
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  check_bad_arguments(batched_trsm);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_shared_with_leading_dimensions),
                                     cmocka_unit_test(test_extreme_diagonal), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &trsm, extra, 3);
}

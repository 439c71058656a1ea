/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with a triangle, against a product in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/cholesky/shared_factor.h"
#include "tests/batched/triangular/triangle_case.h"

/* A and B are scaled against each other: the product is a number. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0 && alpha(c).re == 0) return;
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 0 && diag(c) == BATCHED_UNIT && (c->kind == SWEEP_LARGE || c->kind == SWEEP_SMALL))
    other.kind = SWEEP_RANDOM;
  if (i == 1 && c->kind == SWEEP_DENORMAL) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 1) return;
  if (diag(c) == BATCHED_UNIT) sweep_poison_diagonal(x);
  sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_trmm(ctx, side(c), uplo(c), trans(c), diag(c), alpha(c), x[0], x[1]);
}

static const int edge_shapes[][3] = {{641, 9, 0}, {9, 641, 0}, {1025, 5, 0}, {5, 1025, 0}, {-1}};

static void multiply(const sweep_case *c, wide scale, sweep_dense a, sweep_dense b, sweep_dense to)
{
  if (side(c) == BATCHED_LEFT)
    sweep_multiply(scale, trans(c), a, BATCHED_NO_TRANS, b, to);
  else
    sweep_multiply(scale, BATCHED_NO_TRANS, b, trans(c), a, to);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = order(c);
  if (c->m == 0 || c->n == 0) return 0;
  const sweep_dense exact = sweep_new(c->m, c->n), size = sweep_new(c->m, c->n);
  const wide scale = sweep_wide(alpha(c), c->type);
  if (scale == 0) return sweep_norm(after[1]) == 0 ? 0 : NAN;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT);
  multiply(c, scale, a, before[1], exact);
  multiply(c, sweep_abs(scale), sweep_sizes(a), sweep_sizes(before[1]), size);
  long double worst = 0;
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) {
    const long double error = sweep_abs(after[1].x[e] - exact.x[e]);
    const long double r = error == 0 ? 0 : error / ((n + 2) * sweep_unit(c, creall(size.x[e])));
    worst = sweep_larger(worst, r);
  }
  return worst;
}

static const sweep_family trmm = {
  .op = &batched_trmm_op,
  .nflags = 72,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT | 1u << SWEEP_DENORMAL,
};

static int apply_shared(batched_ctx *ctx, batched_matrix shared, batched_matrix b)
{
  return batched_trmm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1), shared, b);
}

static void test_shared_with_leading_dimensions(void **unused)
{
  (void)unused;
  check_shared_factor(&batched_trmm_op, apply_shared, (const double[]){0.5, 0.125}, (const double[]){0.5, 0.0625});
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  check_bad_arguments(batched_trmm);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_shared_with_leading_dimensions),
                                     cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &trmm, extra, sizeof extra / sizeof *extra);
}

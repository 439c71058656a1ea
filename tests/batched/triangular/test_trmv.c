/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products of a triangle and a vector, against sums in long double, element by element.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/triangular/triangle_vector_case.h"

/* The last order of cuda.block, and the first beyond. */
static const int edge_shapes[][3] = {{700, 700, 0}, {1024, 1024, 0}, {1025, 1025, 0}, {-1}};

/* A and x are scaled against each other: the product is a number. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 0 && diag(c) == BATCHED_UNIT && sweep_scale(c) != 1) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 1) return;
  if (diag(c) == BATCHED_UNIT) sweep_poison_diagonal(x);
  sweep_poison_triangle(x, uplo(c) == BATCHED_LOWER ? BATCHED_UPPER : BATCHED_LOWER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_trmv(ctx, uplo(c), trans(c), diag(c), x[0], x[1]);
}

static wide element(const sweep_case *c, sweep_dense a, int i, int j)
{
  return trans(c) == BATCHED_NO_TRANS ? SWEEP_AT(a, i, j)
         : trans(c) == BATCHED_TRANS  ? SWEEP_AT(a, j, i)
                                      : conjl(SWEEP_AT(a, j, i));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT);
  long double worst = 0;
  for (int i = 0; i < c->m; i++) {
    wide exact = 0;
    long double size = 0;
    for (int j = 0; j < c->m; j++) {
      const wide product = element(c, a, i, j) * before[1].x[j];
      exact += product;
      size += sweep_abs(product);
    }
    const long double error = sweep_abs(after[1].x[i] - exact);
    worst = sweep_larger(worst, error == 0 ? 0 : error / ((c->m + 2) * sweep_eps(c->type) * size));
  }
  return worst;
}

static const sweep_family trmv = {
  .op = &batched_trmv_op,
  .nflags = 24,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 3,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  check_bad_arguments(batched_trmv);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &trmv, extra, 1);
}

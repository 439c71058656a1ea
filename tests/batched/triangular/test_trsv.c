/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with one vector: |op(A) x - b| / (n |A| |x| eps); a zero on the diagonal shows in x.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/triangular/triangle_vector_case.h"

/* The last order of cuda.warp_stream in z, and the first beyond. */
static const int edge_shapes[][3] = {{700, 700, 0}, {1024, 1024, 0}, {2048, 2048, 0}, {2049, 2049, 0}, {-1}};

/* The zero on the diagonal of a BAD matrix, counted from 0; -1: none. */
static int zero_of(const sweep_case *c)
{
  return c->kind == SWEEP_BAD && diag(c) == BATCHED_NON_UNIT ? 2 * (c->m - 1) / 3 : -1;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) {
    sweep_triangle(c, uplo(c), diag(c) == BATCHED_UNIT, x);
    if (zero_of(c) >= 0) SWEEP_AT(x, zero_of(c), zero_of(c)) = 0;
  } else if (sweep_is_hard(c->kind)) { /* for a small x */
    const sweep_dense a = sweep_triangle_of(sweep_first_operand(c), uplo(c), diag(c) == BATCHED_UNIT);
    sweep_right_hand_side(c->type, trans(c), a, (sweep_dense){c->m, 1, x.x});
  } else {
    sweep_general(c, x);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_trsv(ctx, uplo(c), trans(c), diag(c), x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  if (n == 0) return 0;
  if (zero_of(c) >= 0) return sweep_is_finite(after[1]) ? NAN : 0;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT), x = {n, 1, after[1].x},
                    residual = sweep_new(n, 1);
  for (int i = 0; i < n; i++) residual.x[i] = -before[1].x[i];
  sweep_multiply(1, trans(c), a, BATCHED_NO_TRANS, x, residual);
  return sweep_norm(residual) / (n * sweep_unit(c, sweep_norm(a) * sweep_norm(x)));
}

static const sweep_family trsv = {
  .op = &batched_trsv_op,
  .nflags = 24,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
  .inverting = "cuda.warp_stream_inverse",
};

/* A diagonal element whose inverse is not a number of the type still divides as it should. */
static void check_extreme_diagonal(batched_space space)
{
  const double d[] = {0x1p-1060, 0x1p1023, 3, 0x1p-1074};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *a = batched_allocate(ctx, sizeof d), *x = batched_allocate(ctx, sizeof d), y[4];
  for (const batched_variant *v = batched_trsv_op.variants[space]; v->name; v++) {
    if (space == BATCHED_CUDA && __builtin_strncmp(v->name, "vendor", 6) == 0) continue;
    batched_select(ctx, &batched_trsv_op, v->name);
    assert_int_equal(batched_copy_from_host(ctx, a, d, sizeof d), 0);
    assert_int_equal(batched_copy_from_host(ctx, x, d, sizeof d), 0);
    assert_int_equal(batched_trsv(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT,
                                  batched_strided(a, 1, 1, 1, 1, 4), batched_strided(x, 1, 1, 1, 1, 4)),
                     0);
    assert_int_equal(batched_copy_to_host(ctx, y, x, sizeof d), 0);
    for (int i = 0; i < 4; i++)
      if (y[i] != 1) fail_msg("%s: %g / %g gave %g", v->name, d[i], d[i], y[i]);
  }
  batched_release(ctx, a);
  batched_release(ctx, x);
  batched_destroy(&ctx);
}

static void test_extreme_diagonal(void **unused)
{
  (void)unused;
  check_extreme_diagonal(BATCHED_HOST);
}

static void test_extreme_diagonal_on_gpu(void **unused)
{
  (void)unused;
  check_extreme_diagonal(BATCHED_CUDA);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  check_bad_arguments(batched_trsv);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_extreme_diagonal), cmocka_unit_test(test_bad_arguments)},
                          on_gpu[] = {cmocka_unit_test(test_extreme_diagonal_on_gpu)};
  const int status = sweep_main(argc, argv, &trsv, extra, 2);
  return sweep_then_on_gpu(status, "trsv, extreme diagonals", on_gpu, 1);
}

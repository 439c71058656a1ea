/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves: |op(A) X - alpha B| / (n |A| |X| eps); a zero on the diagonal shows in X.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/cholesky/shared_factor.h"
#include "tests/batched/triangular/triangle_case.h"

/* From either side: the last orders of cuda.warp_tc (d and c 672, s 1472) and cuda.warp_stream (s 819), and the first
 * beyond. */
static const int edge_shapes[][3] = {{672, 672, 0}, {673, 673, 0}, {819, 819, 0}, {820, 820, 0}, {700, 9, 0},
                                     {9, 700, 0},   {1472, 17, 0}, {16, 1472, 0}, {-1}};

/* The zero on the diagonal of a BAD matrix, counted from 0; -1: none. */
static int zero_of(const sweep_case *c)
{
  return c->kind == SWEEP_BAD && diag(c) == BATCHED_NON_UNIT ? 2 * (order(c) - 1) / 3 : -1;
}

/* to += op(a) x, or x op(a). */
static void multiply(const sweep_case *c, sweep_dense a, sweep_dense x, sweep_dense to)
{
  if (side(c) == BATCHED_LEFT)
    sweep_multiply(1, trans(c), a, BATCHED_NO_TRANS, x, to);
  else
    sweep_multiply(1, BATCHED_NO_TRANS, x, trans(c), a, to);
}

/* B of a random X. */
static void fill_product(const sweep_case *c, sweep_dense b)
{
  const sweep_dense a = sweep_triangle_of(sweep_first_operand(c), uplo(c), diag(c) == BATCHED_UNIT);
  const sweep_dense x = sweep_new(c->m, c->n), product = sweep_new(c->m, c->n);
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) x.x[e] = sweep_number(c->type);
  multiply(c, a, x, product);
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) b.x[e] = product.x[e] / sweep_wide(alpha(c), c->type);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0 && alpha(c).re == 0) return;
  if (i == 0) {
    sweep_triangle(c, uplo(c), diag(c) == BATCHED_UNIT, x);
    if (zero_of(c) >= 0) SWEEP_AT(x, zero_of(c), zero_of(c)) = 0;
  } else if (sweep_is_hard(c->kind) && alpha(c).re != 0) {
    fill_product(c, x);
  } else {
    sweep_general(c, x);
  }
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
  const sweep_dense residual = sweep_new(c->m, c->n);
  const wide scale = sweep_wide(alpha(c), c->type);
  for (int64_t e = 0; scale != 0 && e < (int64_t)c->m * c->n; e++) residual.x[e] = -scale * before[1].x[e];
  if (scale == 0) return sweep_norm(after[1]) == 0 ? 0 : NAN;
  if (zero_of(c) >= 0) return sweep_is_finite(after[1]) ? NAN : 0;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT);
  multiply(c, a, after[1], residual);
  return sweep_norm(residual) / (n * sweep_unit(c, sweep_norm(a) * sweep_norm(after[1])));
}

/* Of X v, or of v^T X. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide scale = sweep_wide(alpha(c), c->type);
  const bool left = side(c) == BATCHED_LEFT;
  const batched_trans all = left ? BATCHED_NO_TRANS : BATCHED_TRANS;
  if (scale == 0) return sweep_norm(after[1]) == 0 ? 0 : NAN;
  const sweep_dense a = sweep_triangle_of(before[0], uplo(c), diag(c) == BATCHED_UNIT),
                    v = sweep_vector(c->type, left ? c->n : c->m), x = sweep_times(all, after[1], v),
                    b = sweep_times(all, before[1], v), size = sweep_new(1, 1);
  const bool conjugate = trans(c) == BATCHED_CONJ_TRANS;
  for (int i = 0; i < x.m; i++) {
    b.x[i] *= scale;
    if (conjugate && !left) x.x[i] = conjl(x.x[i]); /* (X A^H)^T = conj(A) X^T */
  }
  const sweep_dense product = sweep_times(left                           ? trans(c)
                                          : trans(c) == BATCHED_NO_TRANS ? BATCHED_TRANS
                                                                         : BATCHED_NO_TRANS,
                                          a, x);
  for (int i = 0; conjugate && !left && i < x.m; i++) product.x[i] = conjl(product.x[i]);
  size.x[0] = sweep_norm(a) * sweep_norm(after[1]);
  return sweep_probe(c, size, product, b, v);
}

static const sweep_family trsm = {
  .op = &batched_trsm_op,
  .nflags = 72,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* A diagonal element whose inverse is not a number of the type still divides as it should, at the end of a triangle of
 * order n, from either side. */
static void check_extreme_diagonal(batched_ctx *ctx, const char *row, int n, batched_side side)
{
  static const double d[] = {0x1p-1060, 0x1p1023, 3, 0x1p-1074};
  enum { MOST = 40 * 40 };
  static double a[4 * MOST], x[4 * 40];
  static double _Complex za[4 * MOST], zx[4 * 40];
  for (int b = 0; b < 4; b++)
    for (int e = 0; e < n * n; e++) {
      const bool diagonal = e % (n + 1) == 0, last = e == n * n - 1;
      a[b * n * n + e] = last ? d[b] : diagonal;
      za[b * n * n + e] = last ? d[b] / 2 - d[b] / 2 * I : diagonal ? 1 - 1 * I : 0;
    }
  for (int e = 0; e < 4 * n; e++) {
    x[e] = e % n == n - 1 ? d[e / n] : 1;
    zx[e] = e % n == n - 1 ? d[e / n] : 2;
  }
  double *at_a = batched_allocate(ctx, sizeof a), *at_x = batched_allocate(ctx, sizeof x);
  double _Complex *at_za = batched_allocate(ctx, sizeof za), *at_zx = batched_allocate(ctx, sizeof zx);
  assert_true(at_a && at_x && at_za && at_zx);
  batched_copy_from_host(ctx, at_a, a, sizeof a), batched_copy_from_host(ctx, at_x, x, sizeof x);
  batched_copy_from_host(ctx, at_za, za, sizeof za), batched_copy_from_host(ctx, at_zx, zx, sizeof zx);
  const bool left = side == BATCHED_LEFT;
  const int m = left ? n : 1, k = left ? 1 : n;
  const int status =
    batched_trsm(ctx, side, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1),
                 batched_strided(at_a, n, n, n, (int64_t)n * n, 4), batched_strided(at_x, m, k, m, n, 4));
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  /* of three: 2^-1074 has no half */
  const int complex_status =
    batched_trsm(ctx, side, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, batched_real(1),
                 batched_strided(at_za, n, n, n, (int64_t)n * n, 3), batched_strided(at_zx, m, k, m, n, 3));
  assert_true(complex_status == 0 || complex_status == BATCHED_DOES_NOT_FIT);
  batched_copy_to_host(ctx, x, at_x, sizeof x);
  batched_copy_to_host(ctx, zx, at_zx, sizeof zx);
  for (int e = 0; !status && e < 4 * n; e++)
    if (x[e] != 1) fail_msg("%s, order %d, %s: %g / itself gave %g", row, n, left ? "left" : "right", d[e / n], x[e]);
  for (int e = 0; !complex_status && e < 3 * n; e++)
    if (!(cabs(zx[e] - (1 + 1 * I)) < 1e-15))
      fail_msg("%s, order %d, %s: a complex quotient of %g is wrong", row, n, left ? "left" : "right", d[e / n]);
  batched_release(ctx, at_a);
  batched_release(ctx, at_x);
  batched_release(ctx, at_za);
  batched_release(ctx, at_zx);
}

static void check_extreme_diagonals(batched_space space)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *v = batched_trsm_op.variants[space]; v->name; v++) {
    if (space == BATCHED_CUDA && strncmp(v->name, "vendor", 6) == 0) continue; /* multiplies by an infinite inverse */
    batched_select(ctx, &batched_trsm_op, v->name);
    for (int i = 0; i < 6; i++)
      check_extreme_diagonal(ctx, v->name, (const int[]){1, 5, 40}[i / 2], i % 2 ? BATCHED_RIGHT : BATCHED_LEFT);
  }
  batched_destroy(&ctx);
}

static void test_extreme_diagonal(void **unused)
{
  (void)unused;
  check_extreme_diagonals(BATCHED_HOST);
}

static void test_extreme_diagonal_on_gpu(void **unused)
{
  (void)unused;
  check_extreme_diagonals(BATCHED_CUDA);
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
                                     cmocka_unit_test(test_extreme_diagonal), cmocka_unit_test(test_bad_arguments)},
                          on_gpu[] = {cmocka_unit_test(test_extreme_diagonal_on_gpu)};
  const int status = sweep_main(argc, argv, &trsm, extra, 3);
  return sweep_then_on_gpu(status, "trsm, extreme diagonals", on_gpu, 1);
}

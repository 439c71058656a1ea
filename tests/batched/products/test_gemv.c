/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = alpha op(A) x + beta y against a product in long double, element by element.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/products/calls_in_a_row.h"

/* flags: trans (3), vectors as rows or columns (4), and four pairs of alpha and beta */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}, {2, -1}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {0.5, 2}, {1, 0}};
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 4, 0},   {0, 3, 0},   {3, 0, 0},   {7, 8, 0},
  {8, 7, 0},   {8, 8, 0},   {9, 9, 0},   {16, 15, 0}, {17, 31, 0}, {33, 16, 0}, {32, 32, 0}, {48, 5, 0},
  {65, 33, 0}, {3, 130, 0}, {129, 2, 0}, {64, 81, 0}, {36, 37, 0}, {74, 82, 0}, {-1},
};
static const int large_shapes[][3] = {{128, 256, 0}, {200, 100, 0}, {512, 31, 0},  {400, 512, 0},
                                      {17, 512, 0},  {512, 512, 0}, {750, 20, 0},  {1500, 33, 0},
                                      {3001, 10, 0}, {40, 2100, 0}, {2100, 10, 0}, {-1}};

/* Where cuda.rows and cuda.native have other rows per block: at 1057 rows, 1280 (s), 2560 (d, c), 1664 (z) and 2816. */
static const int edge_shapes[][3] = {{1056, 40, 0}, {1057, 40, 0}, {1279, 33, 0}, {1281, 33, 0},
                                     {1663, 20, 0}, {1665, 20, 0}, {2559, 17, 0}, {2561, 17, 0},
                                     {2815, 12, 0}, {2817, 12, 0}, {-1}};

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags % 3);
}

static const batched_scalar *scalar(const batched_scalar *of, const sweep_case *c)
{
  return &of[c->flags / 12];
}

static sweep_operand vector(sweep_role role, bool row, int length)
{
  return (sweep_operand){
    .role = role, .form = row ? SWEEP_ROW : SWEEP_COLUMN, .m = row ? 1 : length, .n = row ? length : 1};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool plain = trans(c) == BATCHED_NO_TRANS;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = vector(SWEEP_IN, c->flags / 3 % 2, plain ? c->n : c->m);
  o[2] = vector(SWEEP_INOUT, c->flags / 6 % 2, plain ? c->m : c->n);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2 && scalar(alphas, c)->re == 0) return;
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i == 2) other.kind = SWEEP_RANDOM;
  sweep_general(&other, x);
  if (i == 2 && scalar(betas, c)->re == 0)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  return batched_gemv(ctx, trans(c), *scalar(alphas, c), x[0], x[1], *scalar(betas, c), x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(*scalar(alphas, c), c->type), beta = sweep_wide(*scalar(betas, c), c->type);
  const bool plain = trans(c) == BATCHED_NO_TRANS;
  const int rows = plain ? c->m : c->n, cols = alpha == 0 ? 0 : plain ? c->n : c->m;
  long double worst = 0;
  for (int i = 0; i < rows; i++) {
    wide exact = beta == 0 ? 0 : beta * before[2].x[i];
    long double size = 2 * sweep_abs(exact);
    for (int j = 0; j < cols; j++) {
      wide a = plain ? SWEEP_AT(before[0], i, j) : SWEEP_AT(before[0], j, i);
      if (trans(c) == BATCHED_CONJ_TRANS) a = conjl(a);
      wide product = alpha * a * before[1].x[j];
      exact += product;
      size += sweep_abs(product);
    }
    long double error = sweep_abs(after[2].x[i] - exact);
    long double r = error == 0 ? 0 : error / ((cols + 2) * sweep_eps(c->type) * size);
    worst = sweep_larger(worst, r);
  }
  return worst;
}

static const sweep_family gemv = {
  .op = &batched_gemv_op,
  .nflags = 48,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_step = 3, // A itself
  .quick = 3001,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_matrix m = batched_strided(a, 3, 2, 3, 6, 2), x = batched_strided(v, 2, 1, 2, 2, 2);
  batched_matrix y = batched_strided(v, 3, 1, 3, 3, 2), row = batched_strided(v, 1, 3, 2, 8, 2);
  batched_scalar one = batched_real(1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gemv(NULL, BATCHED_NO_TRANS, one, m, x, one, y), -1);
  assert_int_equal(batched_gemv(ctx, 3, one, m, x, one, y), -2);
  m.ld = 2;
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, x, one, y), -4);
  m.ld = 3;
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, y, one, y), -5);
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, m, one, y), -5);
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, x, one, x), -7);
  assert_int_equal(batched_gemv(ctx, BATCHED_TRANS, one, m, y, one, y), -7);
  y.stride = 0;
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, x, one, y), -7);
  y.stride = 3;
  y.type = BATCHED_Z;
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, x, one, y), -7);
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, one, m, x, one, row), 0);
  batched_destroy(&ctx);
}

static int plain(batched_ctx *ctx, bool odd, batched_matrix a, batched_matrix x, batched_matrix y)
{
  (void)odd;
  return batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1), a, x, batched_real(0), y);
}

static int mixed(batched_ctx *ctx, bool odd, batched_matrix a, batched_matrix x, batched_matrix y)
{
  return batched_gemv(ctx, odd ? BATCHED_TRANS : BATCHED_NO_TRANS, batched_real(1), a, x, batched_real(0), y);
}

static void test_calls_in_a_row(void **unused)
{
  (void)unused;
  check_calls_in_a_row(&batched_gemv_op, "cuda.rows", plain);
  check_calls_in_a_row(&batched_gemv_op, "cuda.native", mixed);
  check_calls_in_a_row(&batched_gemv_op, "auto", mixed);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)},
                          row[] = {cmocka_unit_test(test_calls_in_a_row)};
  const int status = sweep_main(argc, argv, &gemv, extra, 1);
  return sweep_then_on_gpu(status, "gemv, calls in a row", row, 1);
}

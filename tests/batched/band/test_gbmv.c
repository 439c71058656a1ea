/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = alpha op(A) x + beta y with band matrices against a product in long double, element by element.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/band/band_case.h"

/* flags: trans (3), widths, and, by their sum, vectors as rows or columns and pairs of alpha and beta */
static const batched_scalar alphas[] = {{1, 0}, {-0.7, 0.4}, {0, 0}, {2, -1}};
static const batched_scalar betas[] = {{0, 0}, {0.3, -1.1}, {0.5, 2}, {1, 0}};
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 4, 0},
                                {0, 3, 0},   {3, 0, 0},   {7, 8, 0},   {8, 7, 0},   {9, 9, 0},
                                {16, 15, 0}, {17, 31, 0}, {33, 16, 0}, {32, 32, 0}, {48, 5, 0},
                                {65, 33, 0}, {3, 130, 0}, {129, 2, 0}, {-1}};
static const int large_shapes[][3] = {{128, 256, 0}, {200, 100, 0}, {300, 300, 0}, {512, 31, 0}, {-1}};

static batched_trans trans(const sweep_case *c)
{
  return (batched_trans)(c->flags % 3);
}

static band_widths widths(const sweep_case *c)
{
  return band_widths_of(c->flags / 3, c->m, c->n);
}

static const batched_scalar *scalar(const batched_scalar *of, const sweep_case *c)
{
  return &of[(c->flags % 3 + c->flags / 3) % 4];
}

static sweep_operand vector(sweep_role role, bool row, int length)
{
  return (sweep_operand){
    .role = role, .form = row ? SWEEP_ROW : SWEEP_COLUMN, .m = row ? 1 : length, .n = row ? length : 1};
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool plain = trans(c) == BATCHED_NO_TRANS;
  const band_widths w = widths(c);
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = w.kl + w.ku + 1 + c->flags % 2, .n = c->n, .shareable = true};
  o[1] = vector(SWEEP_IN, c->flags / 5 % 2, plain ? c->n : c->m);
  o[2] = vector(SWEEP_INOUT, c->flags / 7 % 2, plain ? c->m : c->n);
}

static void extents(const sweep_case *c, int *out)
{
  const band_widths w = widths(c);
  out[0] = c->m, out[1] = w.kl, out[2] = w.ku;
}

static band_layout layout(const sweep_case *c)
{
  const band_widths w = widths(c);
  return (band_layout){c->m, w.kl, w.ku, w.ku};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2 && scalar(alphas, c)->re == 0) return;
  if (i == 0)
    band_store(layout(c), band_dense(c, c->m, c->n), x);
  else
    band_random(c, x);
  if (i == 2 && scalar(betas, c)->re == 0)
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const band_widths w = widths(c);
  const batched_scalar alpha = *scalar(alphas, c), beta = *scalar(betas, c);
  (void)info;
  if (!c->extents[0]) return batched_gbmv(ctx, trans(c), c->m, w.kl, w.ku, alpha, x[0], x[1], beta, x[2]);
  return batched_gbmv_variable(ctx, trans(c), band_extent(c, 0, c->m), band_extent(c, 1, w.kl), band_extent(c, 2, w.ku),
                               alpha, x[0], x[1], beta, x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const wide alpha = sweep_wide(*scalar(alphas, c), c->type), beta = sweep_wide(*scalar(betas, c), c->type);
  const bool plain = trans(c) == BATCHED_NO_TRANS;
  const int rows = plain ? c->m : c->n, cols = alpha == 0 ? 0 : plain ? c->n : c->m;
  const sweep_dense a = alpha == 0 ? sweep_new(c->m, c->n) : band_load(layout(c), before[0]);
  long double worst = 0;
  for (int i = 0; i < rows; i++) {
    wide exact = beta == 0 ? 0 : beta * before[2].x[i];
    long double size = 2 * sweep_abs(exact);
    for (int j = 0; j < cols; j++) {
      wide e = plain ? SWEEP_AT(a, i, j) : SWEEP_AT(a, j, i);
      if (trans(c) == BATCHED_CONJ_TRANS) e = conjl(e);
      wide product = alpha * e * before[1].x[j];
      exact += product;
      size += sweep_abs(product);
    }
    long double error = sweep_abs(after[2].x[i] - exact);
    long double r = error == 0 ? 0 : error / ((cols + 2) * sweep_eps(c->type) * size);
    worst = sweep_larger(worst, r);
  }
  return worst;
}

static const sweep_family gbmv = {
  .op = &batched_gbmv_op,
  .nflags = 3 * BAND_WIDTHS,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 3,
  .operands = operands,
  .nextents = 3,
  .extents = extents,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[24] = {0}, v[16] = {0};
  batched_matrix m = batched_strided(a, 3, 2, 3, 6, 2), x = batched_strided(v, 2, 1, 2, 2, 2);
  batched_matrix y = batched_strided(v + 8, 3, 1, 3, 3, 2);
  batched_scalar one = batched_real(1);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gbmv(NULL, BATCHED_NO_TRANS, 3, 1, 1, one, m, x, one, y), -1);
  assert_int_equal(batched_gbmv(ctx, 3, 3, 1, 1, one, m, x, one, y), -2);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, -3, 1, 1, one, m, x, one, y), -3);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, -1, 1, one, m, x, one, y), -4);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, 1, -1, one, m, x, one, y), -5);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, 2, 1, one, m, x, one, y), -7);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, 1, 1, one, m, y, one, y), -8);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, 1, 1, one, m, x, one, x), -10);
  assert_int_equal(batched_gbmv(ctx, BATCHED_TRANS, 3, 1, 1, one, m, y, one, y), -10);
  assert_int_equal(batched_gbmv(ctx, BATCHED_NO_TRANS, 3, 1, 1, one, m, x, one, SWEEP_CHANGED(y, stride, 0)), -10);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gbmv, extra, 1);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inverses from LU factors: |A X - I| / (n |A| |X| eps), and the factors as they were where one is singular.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/lu/lu_oracle.h"

static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},   {8, 8, 0},   {9, 9, 0},
  {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {48, 48, 0}, {65, 65, 0}, {-1},
};

static const int large_shapes[][3] = {{27, 27, 0},   {64, 64, 0},   {100, 100, 0}, {128, 128, 0},
                                      {200, 200, 0}, {256, 256, 0}, {-1}};

static const int edge_shapes[][3] = {{641, 641, 0}, {1025, 1025, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
}

/* The zero on U's diagonal in a BAD matrix. */
static int bad_pivot(const sweep_case *c)
{
  return 2 * (c->m - 1) / 3;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  lu_fill(c, x);
  if (c->kind == SWEEP_BAD && c->m > 0) SWEEP_AT(x, bad_pivot(c), bad_pivot(c)) = 0;
}

static int npivots(const sweep_case *c)
{
  return c->m;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_getri(ctx, x[0], c->pivots, info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0) {
    for (int64_t e = 0; e < (int64_t)n * n; e++)
      if (after[0].x[e] != before[0].x[e]) return NAN;
    return info == bad_pivot(c) + 1 ? 0 : NAN;
  }
  if (info != 0) return NAN;
  if (n == 0) return 0;
  const sweep_dense a = lu_matrix(before[0], c->pivots), residual = sweep_new(n, n);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, after[0], residual);
  for (int i = 0; i < n; i++) SWEEP_AT(residual, i, i) -= 1;
  return sweep_norm(residual) / (n * sweep_norm(a) * sweep_norm(after[0]) * sweep_eps(c->type));
}

/* A (X v) = v; the norm of A is that of such products. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (info) return NAN;
  const sweep_dense v = sweep_vector(c->type, c->m), x = sweep_times(BATCHED_NO_TRANS, after[0], v),
                    y = lu_times(before[0], x), size = sweep_new(1, 1);
  lu_exchange(y, c->pivots, c->m, false);
  size.x[0] = sweep_norm(lu_times(before[0], v)) / sweep_norm(v) * sqrtl(c->m) * sweep_norm(after[0]);
  return sweep_probe(c, size, y, v, v);
}

static const sweep_family getri = {
  .op = &batched_getri_op,
  .nflags = 1,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .pivots = npivots,
  .fill_pivots = lu_fill_pivots,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
};

/* Of two zeros on the diagonal, the first is reported. */
static void test_first_zero(void **unused)
{
  (void)unused;
  const int ipiv[] = {1, 2, 3};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_getri_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[9] = {1};
    int info = -1;
    const batched_matrix one = batched_strided(a, 3, 3, 3, 9, 1);
    batched_select(ctx, &batched_getri_op, v->name);
    assert_int_equal(batched_getri(ctx, one, ipiv, &info), 0);
    assert_int_equal(info, 2);
    assert_true(a[0] == 1 && a[4] == 0 && a[8] == 0);
  }
  batched_destroy(&ctx);
}

/* Of Hilbert matrices, whose inverses from the equation X L = U^-1 have a small X A - I, but not A X - I: see
 * N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 14.3. */
static void test_hilbert(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int n = 9; n <= 89; n += 20)
    for (int i = 0; batched_getri_op.variants[BATCHED_HOST][i].name; i++) {
      const char *const row = batched_getri_op.variants[BATCHED_HOST][i].name;
      static double a[89 * 89], x[89 * 89];
      static int ipiv[89];
      int info;
      for (int e = 0; e < n * n; e++) {
        const int below = 1 + e % n + e / n;
        a[e] = x[e] = 1.0 / below;
      }
      const batched_matrix view = batched_strided(x, n, n, n, (int64_t)n * n, 1);
      assert_int_equal(batched_getrf(ctx, view, ipiv, &info), 0);
      assert_int_equal(info, 0);
      assert_int_equal(batched_select(ctx, &batched_getri_op, row), 0);
      assert_int_equal(batched_getri(ctx, view, ipiv, &info), 0);
      long double largest = 0, norm_a = 0, norm_x = 0;
      for (int c = 0; c < n; c++)
        for (int r = 0; r < n; r++) {
          long double e = r == c ? -1 : 0;
          for (int k = 0; k < n; k++) e += (long double)a[r + k * n] * x[k + c * n];
          largest += e * e;
          norm_a += (long double)a[r + c * n] * a[r + c * n];
          norm_x += (long double)x[r + c * n] * x[r + c * n];
        }
      const long double ratio = sqrtl(largest) / (n * sqrtl(norm_a) * sqrtl(norm_x) * 0x1p-52L);
      if (!(ratio < 30)) fail_msg("%s, order %d: %.3Lg n eps |A| |X|", row, n, ratio);
    }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int ipiv[4] = {1, 2, 1, 2}, info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define BAD(field, value) SWEEP_CHANGED(a, field, value)
  assert_int_equal(batched_getri(NULL, a, ipiv, info), -1);
  assert_int_equal(batched_getri(ctx, BAD(m, 1), ipiv, info), -2);
  assert_int_equal(batched_getri(ctx, BAD(stride, 0), ipiv, info), -2);
  assert_int_equal(batched_getri(ctx, a, NULL, info), -3);
  assert_int_equal(batched_getri(ctx, a, ipiv, NULL), -4);
  assert_int_equal(batched_getri(ctx, BAD(count, 0), NULL, NULL), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_first_zero), cmocka_unit_test(test_hilbert),
                                     cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &getri, extra, 3);
}

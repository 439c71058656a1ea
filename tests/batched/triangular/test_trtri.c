/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inverses of triangles: |A M - I| / (n |A| |M| eps), and info for a zero on the diagonal.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), diag (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},     {5, 5, 0},     {7, 7, 0},   {8, 8, 0},
  {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0},   {32, 32, 0},   {33, 33, 0}, {48, 48, 0},
  {63, 63, 0}, {64, 64, 0}, {65, 65, 0}, {97, 97, 0}, {100, 100, 0}, {129, 129, 0}, {-1},
};
static const int large_shapes[][3] = {{128, 128, 0}, {200, 200, 0}, {256, 256, 0}, {400, 400, 0}, {-1}};

static const int edge_shapes[][3] = {{641, 641, 0}, {1025, 1025, 0}, {-1}};

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_UPPER : BATCHED_LOWER;
}

static batched_diag diag(const sweep_case *c)
{
  return c->flags / 2 ? BATCHED_UNIT : BATCHED_NON_UNIT;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
}

/* The zero on the diagonal of a BAD matrix, counted from 0; -1: none. */
static int zero_of(const sweep_case *c)
{
  return c->kind == SWEEP_BAD && diag(c) == BATCHED_NON_UNIT ? 2 * (c->m - 1) / 3 : -1;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  sweep_triangle(c, uplo(c), diag(c) == BATCHED_UNIT, x);
  if (zero_of(c) >= 0) SWEEP_AT(x, zero_of(c), zero_of(c)) = 0;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_trtri(ctx, uplo(c), diag(c), x[0], info);
}

static sweep_dense triangle_of(const sweep_case *c, sweep_dense x)
{
  return sweep_triangle_of(x, uplo(c), diag(c) == BATCHED_UNIT);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (info != zero_of(c) + 1) return NAN;
  if (n == 0) return 0;
  sweep_dense a = triangle_of(c, before[0]), inverse = triangle_of(c, after[0]), product = sweep_new(n, n);
  if (info) {
    for (int64_t e = 0; e < (int64_t)n * n; e++)
      if (a.x[e] != inverse.x[e]) return NAN;
    return 0;
  }
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, inverse, product);
  for (int j = 0; j < n; j++) SWEEP_AT(product, j, j) -= 1;
  return sweep_norm(product) / (n * sweep_norm(a) * sweep_norm(inverse) * sweep_eps(c->type));
}

/* A (X v) = v */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (info) return NAN;
  const sweep_dense a = triangle_of(c, before[0]), inverse = triangle_of(c, after[0]), v = sweep_vector(c->type, n),
                    size = sweep_new(1, 1);
  size.x[0] = sweep_norm(a) * sweep_norm(inverse);
  return sweep_probe(c, size, sweep_times(BATCHED_NO_TRANS, a, sweep_times(BATCHED_NO_TRANS, inverse, v)), v, v);
}

static const sweep_family trtri = {
  .op = &batched_trtri_op,
  .nflags = 4,
  .noperands = 1,
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
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
};

/* Of two zeros on the diagonal, the first is reported. */
static void test_first_zero(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_trtri_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[9] = {1};
    int info = -1;
    const batched_matrix one = batched_strided(a, 3, 3, 3, 9, 1);
    batched_select(ctx, &batched_trtri_op, v->name);
    assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, one, &info), 0);
    assert_int_equal(info, 2);
    assert_true(a[0] == 1 && a[4] == 0 && a[8] == 0);
  }
  batched_destroy(&ctx);
}

/* OpenBLAS's kernels for old processors fail at some of these orders: its row does not fit there. */
static void test_orders_of_vendor(void **unused)
{
  enum { MOST = 190 };
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_select(ctx, &batched_trtri_op, "vendor");
  void *a = batched_allocate(ctx, (size_t)MOST * MOST * batched_element_bytes(BATCHED_Z));
  for (int type = 0; type < 4; type++)
    for (int n = 128; n <= MOST; n++) {
      const batched_matrix x = batched_make_strided((batched_type)type, a, n, n, n, n * n, 1);
      int info = 0;
      assert_int_equal(batched_set(ctx, batched_real(0.01), batched_real(2), x), 0);
      const int status = batched_trtri(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, x, &info);
      assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT || status == BATCHED_NO_VARIANT);
      assert_int_equal(info, 0);
    }
  batched_release(ctx, a);
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define BAD(field, value) SWEEP_CHANGED(a, field, value)
  assert_int_equal(batched_trtri(NULL, BATCHED_LOWER, BATCHED_UNIT, a, info), -1);
  assert_int_equal(batched_trtri(ctx, 5, BATCHED_UNIT, a, info), -2);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, 5, a, info), -3);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, BAD(m, 1), info), -4);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, BAD(ld, 1), info), -4);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, BAD(data, NULL), info), -4);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, BAD(stride, 0), info), -4);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, a, NULL), -5);
  assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, BAD(count, 0), NULL), 0);
  batched_destroy(&ctx);
}

/* A NaN on the diagonal is no zero, in whichever part it is. */
static void test_nan(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_trtri_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_trtri_op, v->name);
    for (int part = 0; part < 2; part++) {
      double _Complex a = part ? CMPLX(0, NAN) : CMPLX(NAN, 0);
      int info = 7;
      assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, batched_strided(&a, 1, 1, 1, 1, 1), &info),
                       0);
      assert_int_equal(info, 0);
    }
    double behind[9] = {NAN, 1, 1, 7, 0, 1, 7, 7, 1}; /* nor does one hide a zero */
    int info = 7;
    assert_int_equal(batched_trtri(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, batched_strided(behind, 3, 3, 3, 9, 1), &info),
                     0);
    assert_true(info == 2 && behind[1] == 1 && behind[8] == 1);
  }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_first_zero), cmocka_unit_test(test_nan),
                                     cmocka_unit_test(test_orders_of_vendor), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &trtri, extra, 4);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inverses from Cholesky factors: |A X - I| / (n |A| |X| eps), A the product of the factors; factors with a zero on the
 * diagonal are reported, and left.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/cholesky/cholesky_oracle.h"
#include "tests/batched/guard_page.h"

/* flags: uplo */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},   {7, 7, 0},
  {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0},
  {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {-1},
};

static const int large_shapes[][3] = {{81, 81, 0},   {128, 128, 0}, {129, 129, 0}, {135, 135, 0},
                                      {200, 200, 0}, {256, 256, 0}, {-1}};

static const int edge_shapes[][3] = {{641, 641, 0}, {1025, 1025, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
}

/* Where a BAD factor is zero, counted from 0. */
static int zero_at(const sweep_case *c)
{
  return 2 * (c->m - 1) / 3;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  if (c->kind != SWEEP_RANDOM && c->kind != SWEEP_BAD) {
    cholesky_fill(c, x);
    return;
  }
  for (int64_t e = 0; e < (int64_t)c->m * c->m; e++) x.x[e] = sweep_number(c->type);
  for (int j = 0; j < c->m; j++) SWEEP_AT(x, j, j) = 1.5L + sweep_uniform() + 0.1L * c->m;
  if (c->kind == SWEEP_BAD && c->m > 0) SWEEP_AT(x, zero_at(c), zero_at(c)) = 0;
  sweep_poison_triangle(x, c->flags ? BATCHED_LOWER : BATCHED_UPPER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_potri(ctx, c->flags ? BATCHED_UPPER : BATCHED_LOWER, x[0], info);
}

static wide lower(const sweep_case *c, sweep_dense x, int i, int j)
{
  return c->flags ? conjl(SWEEP_AT(x, j, i)) : SWEEP_AT(x, i, j);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const bool bad = c->kind == SWEEP_BAD && n > 0;
  if (info != (bad ? zero_at(c) + 1 : 0)) return NAN;
  if (n == 0) return 0;
  const sweep_dense x = sweep_new(n, n), residual = sweep_new(n, n);
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      if (bad && lower(c, after[0], i, j) != lower(c, before[0], i, j)) return NAN;
      SWEEP_AT(x, i, j) = lower(c, after[0], i, j);
      SWEEP_AT(x, j, i) = conjl(SWEEP_AT(x, i, j));
    }
    SWEEP_AT(residual, j, j) = -1;
  }
  if (bad) return 0;
  for (int j = 0; j < n; j++)
    if (cimagl(SWEEP_AT(after[0], j, j)) != 0) return NAN; /* as LAPACK's, real */
  const sweep_dense a = cholesky_product(c, before[0]);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, x, residual);
  return sweep_norm(residual) / (n * sweep_norm(a) * sweep_norm(x) * sweep_eps(c->type));
}

/* A (X v) = v; the norm of A is that of such products. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const sweep_dense l = cholesky_lower(c, before[0]), x = sweep_new(n, n), v = sweep_vector(c->type, n),
                    size = sweep_new(1, 1);
  if (info) return NAN;
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      SWEEP_AT(x, i, j) = lower(c, after[0], i, j);
      SWEEP_AT(x, j, i) = conjl(SWEEP_AT(x, i, j));
    }
    if (cimagl(SWEEP_AT(after[0], j, j)) != 0) return NAN;
  }
  const sweep_dense y = cholesky_times(l, sweep_times(BATCHED_NO_TRANS, x, v)), z = cholesky_times(l, v);
  size.x[0] = sweep_norm(z) / sweep_norm(v) * sqrtl(n) * sweep_norm(x);
  return sweep_probe(c, size, y, v, v);
}

static const sweep_family potri = {
  .op = &batched_potri_op,
  .nflags = 2,
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
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
};

/* Of two zeros on the diagonal, the first is reported. */
static void test_first_zero(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_potri_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[9] = {1};
    int info = -1;
    const batched_matrix one = batched_strided(a, 3, 3, 3, 9, 1);
    batched_select(ctx, &batched_potri_op, v->name);
    assert_int_equal(batched_potri(ctx, BATCHED_LOWER, one, &info), 0);
    assert_int_equal(info, 2);
    assert_true(a[0] == 1 && a[4] == 0 && a[8] == 0);
  }
  batched_destroy(&ctx);
}

/* Nothing behind the matrix is read. */
static void test_end_of_memory(void **unused)
{
  enum { N = 15 };
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_potri_op.variants[BATCHED_HOST]; v->name; v++)
    for (int type = 0; type < 4; type++)
      for (int uplo = 0; uplo < 2; uplo++) {
        const size_t element = batched_element_bytes((batched_type)type), bytes = N * N * element;
        char *a = guarded(bytes);
        const batched_matrix x = batched_make_strided((batched_type)type, a, N, N, N, N * N, 1);
        int info = -1;
        assert_int_equal(batched_set(ctx, batched_real(0.25), batched_real(2), x), 0);
        batched_select(ctx, &batched_potri_op, v->name);
        const int status = batched_potri(ctx, (batched_uplo)uplo, x, &info);
        assert_true((status == 0 && info == 0) || status == BATCHED_DOES_NOT_FIT);
      }
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
  assert_int_equal(batched_potri(NULL, BATCHED_LOWER, a, info), -1);
  assert_int_equal(batched_potri(ctx, 5, a, info), -2);
  assert_int_equal(batched_potri(ctx, BATCHED_LOWER, BAD(m, 1), info), -3);
  assert_int_equal(batched_potri(ctx, BATCHED_LOWER, BAD(data, NULL), info), -3);
  assert_int_equal(batched_potri(ctx, BATCHED_LOWER, BAD(stride, 0), info), -3);
  assert_int_equal(batched_potri(ctx, BATCHED_LOWER, a, NULL), -4);
  assert_int_equal(batched_potri(ctx, BATCHED_LOWER, BAD(count, 0), NULL), 0);
  batched_destroy(&ctx);
}

/* A NaN on the diagonal is no zero, in whichever part it is. */
static void test_nan(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_potri_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_potri_op, v->name);
    for (int part = 0; part < 2; part++) {
      double _Complex a = part ? CMPLX(0, NAN) : CMPLX(NAN, 0);
      int info = 7;
      assert_int_equal(batched_potri(ctx, BATCHED_LOWER, batched_strided(&a, 1, 1, 1, 1, 1), &info), 0);
      assert_int_equal(info, 0);
    }
  }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_first_zero), cmocka_unit_test(test_nan),
                                     cmocka_unit_test(test_end_of_memory), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &potri, extra, 4);
}

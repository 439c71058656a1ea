/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky: |L L^H - A| / (n |A| eps), and info for matrices that are not positive definite.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/cholesky/cholesky_oracle.h"
#include "tests/batched/sweep/far_case.h"

/* flags: uplo */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},     {5, 5, 0},   {6, 6, 0},   {7, 7, 0},
  {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0},   {31, 31, 0}, {32, 32, 0}, {33, 33, 0},
  {48, 48, 0}, {63, 63, 0}, {64, 64, 0}, {65, 65, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {
  {127, 127, 0}, {128, 128, 0}, {129, 129, 0}, {161, 161, 0}, {200, 200, 0}, {256, 256, 0}, {257, 257, 0},
  {288, 288, 0}, {320, 320, 0}, {512, 512, 0}, {520, 520, 0}, {400, 400, 0}, {-1},
};

/* cuda.panels and its kin: fewer stages, narrower panels, and the last orders that fit (s: 1256 and beyond, z: 600). */
static const int edge_shapes[][3] = {{553, 553, 0}, {600, 600, 0},   {641, 641, 0},   {745, 745, 0}, {921, 921, 0},
                                     {945, 945, 0}, {1208, 1208, 0}, {1249, 1249, 0}, {-1}};

static batched_uplo uplo(const sweep_case *c)
{
  return c->flags ? BATCHED_UPPER : BATCHED_LOWER;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
}

/* The pivot that spoils a BAD matrix, counted from 0. */
static int bad_pivot(const sweep_case *c)
{
  return 2 * (c->m - 1) / 3;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  sweep_hermitian(c, x, !c->edge);
  for (int j = 0; c->edge && j < c->m; j++)
    SWEEP_AT(x, j, j) = 2 * sqrtl(c->m) * (batched_is_complex(c->type) ? 1.5L : 1);
  if (c->kind == SWEEP_BAD && c->m > 0) SWEEP_AT(x, bad_pivot(c), bad_pivot(c)) = -1;
  sweep_poison_triangle(x, c->flags ? BATCHED_LOWER : BATCHED_UPPER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_potrf(ctx, uplo(c), x[0], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m, good = c->kind == SWEEP_BAD && n > 0 ? bad_pivot(c) : n;
  if (info != (good == n ? 0 : good + 1)) return NAN;
  if (good == 0) return 0;
  sweep_dense a = sweep_new(good, good), l = sweep_new(good, good), product = sweep_new(good, good);
  for (int j = 0; j < good; j++) {
    for (int i = j; i < good; i++) {
      SWEEP_AT(l, i, j) = c->flags ? conjl(SWEEP_AT(after[0], j, i)) : SWEEP_AT(after[0], i, j);
      SWEEP_AT(a, i, j) = c->flags ? conjl(SWEEP_AT(before[0], j, i)) : SWEEP_AT(before[0], i, j);
      SWEEP_AT(a, j, i) = conjl(SWEEP_AT(a, i, j));
    }
    if (cimagl(SWEEP_AT(l, j, j)) != 0 || !(creall(SWEEP_AT(l, j, j)) > 0)) return NAN;
  }
  sweep_multiply(1, BATCHED_NO_TRANS, l, BATCHED_CONJ_TRANS, l, product);
  for (int64_t e = 0; e < (int64_t)good * good; e++) product.x[e] -= a.x[e];
  return sweep_norm(product) / (good * sweep_unit(c, sweep_norm(a)));
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const sweep_dense a = sweep_new(n, n), l = cholesky_lower(c, after[0]), v = sweep_vector(c->type, n);
  if (info) return NAN;
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      SWEEP_AT(a, i, j) = c->flags ? conjl(SWEEP_AT(before[0], j, i)) : SWEEP_AT(before[0], i, j);
      SWEEP_AT(a, j, i) = conjl(SWEEP_AT(a, i, j));
    }
    if (cimagl(SWEEP_AT(l, j, j)) != 0 || !(creall(SWEEP_AT(l, j, j)) > 0)) return NAN;
  }
  return sweep_probe(c, a, sweep_times(BATCHED_NO_TRANS, a, v), cholesky_times(l, v), v);
}

static const sweep_family potrf = {
  .op = &batched_potrf_op,
  .nflags = 2,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick = 400,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* The pivots of NaN, minus infinity and 0 are reported, too. */
static void test_special_pivots(void **unused)
{
  (void)unused;
  const double special[] = {__builtin_nan(""), -__builtin_inf(), 0.0, -0.0, -1e-300};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_potrf_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_potrf_op, v->name);
    for (int i = 0; i < 5; i++) {
      double a[3][4] = {{4, 2, 2, 5}, {1, 0, 0, special[i]}, {9, 3, 3, 2}};
      int info[3] = {7, 7, 7};
      assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(a[0], 2, 2, 2, 4, 3), info), 0);
      assert_int_equal(info[0], 0);
      assert_int_equal(info[1], 2);
      assert_int_equal(info[2], 0);
      assert_true(a[0][0] == 2 && a[0][1] == 1 && a[0][2] == 2 && a[0][3] == 2);
      assert_true(a[2][0] == 3 && a[2][1] == 1 && a[2][3] == 1);
    }
  }
  batched_destroy(&ctx);
}

/* As LAPACK has it, infinity is its own root; and the smallest of all numbers has one. */
static void test_extreme_pivots(void **unused)
{
  (void)unused;
  const double infinity = __builtin_inf();
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_potrf_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_potrf_op, v->name);
    double last[4] = {4, 2, 0, infinity}, first[4] = {infinity, 2, 0, 9}, tiny = 0x1p-1074;
    float small = 0x1p-149f;
    int info = 7;
    assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(last, 2, 2, 2, 4, 1), &info), 0);
    assert_true(info == 0 && last[0] == 2 && last[1] == 1 && last[3] == infinity);
    assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(first, 2, 2, 2, 4, 1), &info), 0);
    assert_true(info == 0 && first[0] == infinity && first[1] == 0 && first[3] == 3);
    assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(&tiny, 1, 1, 1, 1, 1), &info), 0);
    assert_true(info == 0 && tiny == 0x1p-537);
    assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, batched_strided(&small, 1, 1, 1, 1, 1), &info), 0);
    assert_true(info == 0 && fabsf(small / 0x1.6a09e6p-75f - 1) < 1e-6f);
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
  assert_int_equal(batched_potrf(NULL, BATCHED_LOWER, a, info), -1);
  assert_int_equal(batched_potrf(ctx, 5, a, info), -2);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, BAD(m, 1), info), -3);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, BAD(ld, 1), info), -3);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, BAD(data, NULL), info), -3);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, BAD(stride, 0), info), -3);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, a, NULL), -4);
  assert_int_equal(batched_potrf(ctx, BATCHED_LOWER, BAD(count, 0), NULL), 0);
  batched_destroy(&ctx);
}

/* ------------------------------------------------------------------ one large matrix */

static bool in_lower(int i, int j)
{
  return i >= j;
}
static bool in_upper(int i, int j)
{
  return i <= j;
}

static int call_large(batched_ctx *ctx, const large_matrix *a, void *info)
{
  return batched_potrf(ctx, a->n % 2 == 0 ? BATCHED_LOWER : BATCHED_UPPER, large_view(a), info);
}

/* A = L L^H, or U^H U for odd orders: a random Hermitian matrix, and 2 sqrt(n) on its diagonal. */
static void check_large(batched_ctx *ctx, batched_type type, int n, int unused)
{
  (void)unused;
  large_matrix a = large_new(ctx, type, n, n);
  const bool lower = n % 2 == 0;
  large_number *x = large_vector(n, type), *ax = large_vector(n, type), *y = large_vector(n, type),
               *z = large_vector(n, type);
  for (int i = 0; i < n; i++) large_set(&a, i, i, 2 * sqrt(n) * (batched_is_complex(type) ? 1.5 : 1));
  batched_copy_from_host(ctx, a.device, a.host, large_bytes(&a));
  /* the triangle, and its mirror image without the diagonal */
  large_multiply(&a, lower ? in_lower : in_upper, false, x, ax);
  large_multiply(&a, lower ? in_lower : in_upper, true, x, y);
  for (int i = 0; i < n; i++) ax[i] += y[i] - large_at(&a, i, i) * x[i];
  int *info = batched_allocate(ctx, sizeof(int)), found = 7;
  void *copy = large_copy(ctx, &a);
  assert_int_equal(call_large(ctx, &a, info), 0);
  batched_copy_to_host(ctx, &found, info, sizeof found);
  batched_copy_to_host(ctx, a.host, a.device, large_bytes(&a));
  if (found != 0) fail_msg("order %d, type %d: info %d", n, type, found);
  large_replay(ctx, &a, copy, call_large, info);
  large_multiply(&a, lower ? in_lower : in_upper, lower, x, y);
  large_multiply(&a, lower ? in_lower : in_upper, !lower, y, z);
  const double ratio = large_ratio(&a, ax, z, x);
  if (!(ratio < 30)) fail_msg("order %d, type %d: ratio %g", n, type, ratio);
  free(x);
  free(ax);
  free(y);
  free(z);
  batched_release(ctx, info);
  large_free(ctx, &a);
}
static void test_large(void **unused)
{
  (void)unused;
  large_cases(&batched_potrf_op, false, check_large);
}

/* The same; U^H U in d and z. */
static void check_far(batched_ctx *ctx, batched_type type, int n)
{
  const batched_uplo uplo = batched_real_type(type) == BATCHED_S ? BATCHED_LOWER : BATCHED_UPPER;
  const batched_matrix a = far_new(ctx, type, n, n, (uint64_t)n), x = far_new(ctx, type, n, 1, 1), y = far_copy(ctx, x);
  const batched_matrix diagonal = batched_make_strided(type, a.data, 1, n, n + 1, (int64_t)n * n, 1);
  const batched_scalar large = batched_real(4 * sqrt(n) * (batched_is_complex(type) ? 1.5 : 1));
  assert_int_equal(batched_set(ctx, large, large, diagonal), 0);
  assert_int_equal(batched_hemv(ctx, uplo, batched_real(1), a, x, batched_real(0), y), 0);
  large_number *const ax = far_get(ctx, y);
  int *info = batched_allocate(ctx, sizeof(int)), found = 7;
  assert_non_null(info);
  assert_int_equal(batched_potrf(ctx, uplo, a, info), 0);
  batched_copy_to_host(ctx, &found, info, sizeof found);
  if (found != 0) fail_msg("order %d, type %d: info %d", n, type, found);
  assert_int_equal(batched_copy(ctx, x, y), 0);
  const bool lower = uplo == BATCHED_LOWER;
  far_triangle(ctx, uplo, lower ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, BATCHED_NON_UNIT, a, y);
  far_triangle(ctx, uplo, lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, BATCHED_NON_UNIT, a, y);
  const double ratio = far_ratio(ctx, ax, y, x);
  if (!(ratio < 30)) fail_msg("order %d, type %d: ratio %g", n, type, ratio);
  free(ax);
  const batched_matrix all[] = {a, x, y};
  for (int i = 0; i < 3; i++) far_free(ctx, all[i]);
  batched_release(ctx, info);
}
static int call_some(batched_ctx *ctx, batched_matrix a, void *info)
{
  const int n = a.n;
  const batched_matrix diagonals = batched_make_strided(a.type, a.data, 1, n, n + 1, a.stride, a.count);
  const batched_scalar large = batched_real(4 * sqrt(n));
  const int status = batched_set(ctx, large, large, diagonals);
  return status ? status : batched_potrf(ctx, BATCHED_LOWER, a, info);
}
static void test_larger(void **unused)
{
  (void)unused;
  far_cases(&batched_potrf_op, check_far);
  far_alone(&batched_potrf_op, call_some, BATCHED_D, 16384);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_special_pivots), cmocka_unit_test(test_extreme_pivots),
                                     cmocka_unit_test(test_bad_arguments)};
  const struct CMUnitTest near[] = {cmocka_unit_test(test_large)}, far[] = {cmocka_unit_test(test_larger)};
  const int status = sweep_main(argc, argv, &potrf, extra, 3);
  return status ? status : large_main(argc, argv, "potrf, one large matrix", near, far);
}

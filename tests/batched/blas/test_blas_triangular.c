/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Typed wrappers, triangular matrices and Cholesky: each passes its arguments on to the right place.
 */
#include <complex.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched_blas.h"
#include "tests/batched/host_context.h"

#define OK(call) assert_int_equal(call, 0)
#define NEAR(x, y) assert_true(cabs((double complex)((x) - (y))) < 1e-5)

/* A = [2 .; 1 4], B 2 x 3. */
#define TRIANGULAR_TEST(t, T) \
  static void test_##t##triangular(void **unused) \
  { \
    (void)unused; \
    T a[] = {2, 1, -9, 4}, x[] = {2, 9}, *pa = a, *px = x; \
    T b[] = {1, 2, 3, 4, 5, 6}, *pb = b; \
    int info = 7, ns[] = {1}; \
    OK(batched_##t##trmm_strided(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, 3, 1, a, 2, \
                                 4, b, 2, 6, 1)); \
    assert_true(b[0] == 2 && b[1] == 9 && b[2] == 6 && b[3] == 19 && b[4] == 10 && b[5] == 29); \
    OK(batched_##t##trmm(ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 1, 2, 2, &pa, 2, &pb, 2, 1)); \
    assert_true(b[0] == 4 && b[1] == 9 && b[2] == 16); \
    OK(batched_##t##trmm_variable(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, ns, 3, \
                                  NULL, 1, &pa, 2, NULL, &pb, 2, NULL, 1)); \
    assert_true(b[0] == 8 && b[1] == 9 && b[2] == 32 && b[4] == 20); \
    OK(batched_##t##trsv_strided(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, a, 2, 4, x, 2, 1)); \
    assert_true(x[0] == 1 && x[1] == 2); \
    OK(batched_##t##trsv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 2, &pa, 2, &px, 1)); \
    assert_true(x[0] == -1 && x[1] == 2); \
    OK(batched_##t##trsv_variable(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, ns, &pa, 2, NULL, &px, \
                                  1)); \
    assert_true(x[0] == -0.5 && x[1] == 2); \
    OK(batched_##t##trmv_strided(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, a, 2, 4, x, 2, 1)); \
    assert_true(x[0] == -1 && x[1] == 7.5); \
    OK(batched_##t##trmv(ctx, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 2, &pa, 2, &px, 1)); \
    assert_true(x[0] == 6.5 && x[1] == 7.5); \
    OK(batched_##t##trmv_variable(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, ns, &pa, 2, NULL, &px, \
                                  1)); \
    assert_true(x[0] == 13 && x[1] == 7.5); \
    OK(batched_##t##trtri_strided(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, 2, a, 2, 4, &info, 1)); \
    assert_true(a[0] == 0.5 && a[1] == -0.125 && a[2] == -9 && a[3] == 0.25 && info == 0); \
    OK(batched_##t##trtri(ctx, BATCHED_LOWER, BATCHED_UNIT, 2, &pa, 2, &info, 1)); \
    assert_true(a[0] == 0.5 && a[1] == 0.125); \
    OK(batched_##t##trtri_variable(ctx, BATCHED_LOWER, BATCHED_NON_UNIT, 2, ns, &pa, 2, NULL, &info, 1)); \
    assert_true(a[0] == 2 && a[1] == 0.125); \
  }
TRIANGULAR_TEST(s, float)
TRIANGULAR_TEST(d, double)
TRIANGULAR_TEST(c, float complex)
TRIANGULAR_TEST(z, double complex)

/* A = [4 2; 2 10], of determinant 36, with x = (1, 2) and (1, 0). */
#define CHOLESKY_TEST(t, T) \
  static void test_##t##cholesky(void **unused) \
  { \
    (void)unused; \
    T a[] = {4, 2, -9, 10}, b[] = {8, 22, 4, 2}, d[] = {4, 2, -9, 10}, e[] = {4, 2, -9, 10}; \
    T f[] = {8, 22}, g[] = {8, 22}, *pd = d, *pe = e, *pf = f, *pg = g; \
    int info = 7, ns[] = {1}, nrhss[] = {1}; \
    OK(batched_##t##posv_strided(ctx, BATCHED_LOWER, 2, 2, a, 2, 4, b, 2, 4, &info, 1)); \
    NEAR(b[0], 1), NEAR(b[1], 2), NEAR(b[2], 1), NEAR(b[3], 0), NEAR(a[3], 3); \
    OK(batched_##t##posv(ctx, BATCHED_LOWER, 2, 1, &pd, 2, &pf, 2, &info, 1)); \
    NEAR(f[0], 1), NEAR(f[1], 2); \
    OK(batched_##t##posv_variable(ctx, BATCHED_LOWER, 2, ns, 1, nrhss, &pe, 2, NULL, &pg, 2, NULL, &info, 1)); \
    NEAR(e[0], 2), NEAR(g[0], 2), NEAR(g[1], 22); \
    OK(batched_##t##potri_strided(ctx, BATCHED_LOWER, 2, a, 2, 4, &info, 1)); \
    NEAR(a[0], 10. / 36), NEAR(a[1], -2. / 36), NEAR(a[3], 4. / 36), NEAR(a[2], -9); \
    OK(batched_##t##potri(ctx, BATCHED_LOWER, 2, &pd, 2, &info, 1)); \
    NEAR(d[1], -2. / 36); \
    OK(batched_##t##potri_variable(ctx, BATCHED_LOWER, 2, ns, &pe, 2, NULL, &info, 1)); \
    NEAR(e[0], 0.25), NEAR(e[1], 2); \
    assert_int_equal(info, 0); \
  }
CHOLESKY_TEST(s, float)
CHOLESKY_TEST(d, double)
CHOLESKY_TEST(c, float complex)
CHOLESKY_TEST(z, double complex)

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_striangular), cmocka_unit_test(test_dtriangular), cmocka_unit_test(test_ctriangular),
    cmocka_unit_test(test_ztriangular), cmocka_unit_test(test_scholesky),   cmocka_unit_test(test_dcholesky),
    cmocka_unit_test(test_ccholesky),   cmocka_unit_test(test_zcholesky),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

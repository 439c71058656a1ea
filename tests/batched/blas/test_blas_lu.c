/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Typed wrappers, LU and QR: each passes its arguments on to the right place.
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

/* A = [1 2; 4 6], of determinant -2, with x = (1, 2). */
#define LU_TEST(t, T) \
  static void test_##t##lu(void **unused) \
  { \
    (void)unused; \
    T a[] = {1, 4, 2, 6, 7, 7}, b[] = {5, 16, 7, 7}, *pb = b, c[] = {1, 4, 2, 6}, d[] = {5, 16}, *pc = c, *pd = d; \
    T e[] = {2, 9, 9, 9}, f[] = {4, 9}, *pe = e, *pf = f; \
    int ipiv[2] = {0}, info = 7, one[] = {1}; \
    OK(batched_##t##getrf_strided(ctx, 2, 2, a, 2, 6, ipiv, &info, 1)); \
    assert_true(a[0] == 4 && a[1] == 0.25 && a[2] == 6 && a[3] == 0.5 && ipiv[0] == 2 && ipiv[1] == 2 && info == 0); \
    OK(batched_##t##getrs_strided(ctx, BATCHED_NO_TRANS, 2, 1, a, 2, 6, ipiv, b, 2, 4, 1)); \
    NEAR(b[0], 1), NEAR(b[1], 2); \
    T *pa = a; \
    OK(batched_##t##getrs(ctx, BATCHED_TRANS, 2, 1, &pa, 2, ipiv, &pb, 2, 1)); \
    NEAR(b[0], 1), NEAR(b[1], 0); \
    OK(batched_##t##gesv(ctx, 2, 1, &pc, 2, ipiv, &pd, 2, &info, 1)); \
    NEAR(d[0], 1), NEAR(d[1], 2); \
    OK(batched_##t##gesv_variable(ctx, 2, one, 1, one, &pe, 2, NULL, ipiv, &pf, 2, NULL, &info, 1)); \
    NEAR(f[0], 2), NEAR(f[1], 9); \
    OK(batched_##t##getri_strided(ctx, 2, a, 2, 6, (int[]){2, 2}, &info, 1)); \
    NEAR(a[0], -3), NEAR(a[1], 2), NEAR(a[2], 1), NEAR(a[3], -0.5); \
    OK(batched_##t##getrf(ctx, 2, 2, &pa, 2, ipiv, &info, 1)); \
    assert_true(ipiv[0] == 1); \
    OK(batched_##t##getri(ctx, 2, &pa, 2, ipiv, &info, 1)); \
    NEAR(a[0], 1), NEAR(a[1], 4), NEAR(a[2], 2), NEAR(a[3], 6); \
    OK(batched_##t##getrf_variable(ctx, 2, one, 2, NULL, &pa, 2, NULL, ipiv, &info, 1)); \
    OK(batched_##t##getri_variable(ctx, 2, one, &pe, 2, NULL, ipiv, &info, 1)); \
    NEAR(e[0], 0.5), NEAR(e[1], 9); \
    T g[] = {1, 4, 2, 6}, h[] = {5, 16}; \
    OK(batched_##t##gesv_strided(ctx, 2, 1, g, 2, 4, ipiv, h, 2, 2, &info, 1)); \
    OK(batched_##t##getrs_variable(ctx, BATCHED_NO_TRANS, 2, NULL, 1, NULL, &pc, 2, NULL, ipiv, &pd, 2, NULL, 1)); \
    NEAR(h[0], 1), NEAR(h[1], 2); \
  }
LU_TEST(s, float)
LU_TEST(d, double)
LU_TEST(c, float complex)
LU_TEST(z, double complex)

/* A = [3 1; 4 2; 0 2]: its first column has length 5; (4, 6, 2) is the sum of the columns. */
#define QR_TEST(t, T, mqr, gqr) \
  static void test_##t##qr(void **unused) \
  { \
    (void)unused; \
    T a[] = {3, 4, 0, 1, 2, 2}, d[] = {3, 4, 0, 1, 2, 2}, q[] = {3, 4, 0, 1, 2, 2}, c[] = {3, 4, 0}, tau[2], sigma[2]; \
    T *pd = d, *psigma = sigma, *pc = c, b[] = {4, 6, 2}, e[] = {3, 4, 0}, f[] = {5, 5, 9}, *pe = e, *pf = f; \
    int info = 7; \
    OK(batched_##t##geqrf_strided(ctx, 3, 2, a, 3, 6, tau, 2, 1)); \
    OK(batched_##t##geqrf(ctx, 3, 2, &pd, 3, &psigma, 1)); \
    for (int i = 0; i < 6; i++) assert_true(a[i] == d[i]); \
    NEAR(cabs((double complex)a[0]), 5); \
    OK(batched_##mqr##_strided(ctx, BATCHED_LEFT, BATCHED_CONJ_TRANS, 3, 1, 2, a, 3, 6, tau, 2, c, 3, 3, 1)); \
    NEAR(c[0], a[0]), NEAR(c[1], 0), NEAR(c[2], 0); \
    OK(batched_##mqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, 3, 1, 2, &pd, 3, &psigma, &pc, 3, 1)); \
    NEAR(c[0], 3), NEAR(c[1], 4), NEAR(c[2], 0); \
    OK(batched_##gqr##_strided(ctx, 3, 2, 2, a, 3, 6, tau, 2, 1)); \
    OK(batched_##gqr(ctx, 3, 2, 1, &pd, 3, &psigma, 1)); \
    NEAR(cabs((double complex)a[0]), 0.6), NEAR(cabs((double complex)a[1]), 0.8), NEAR(a[2], 0), NEAR(d[0], a[0]), \
      NEAR(d[1], a[1]); \
    OK(batched_##t##gels_strided(ctx, BATCHED_NO_TRANS, 3, 2, 1, q, 3, 6, b, 3, 3, &info, 1)); \
    NEAR(b[0], 1), NEAR(b[1], 1); \
    OK(batched_##t##gels(ctx, BATCHED_NO_TRANS, 3, 1, 1, &pe, 3, &pf, 3, &info, 1)); \
    NEAR(f[0], 1.4); \
    assert_int_equal(info, 0); \
    T g[] = {3, 4, 7, 7}, h[] = {5, 5, 9}, x[] = {3, 4, 9}, *pg = g, *ph = h, *px = x; /* the column (3, 4) alone */ \
    const int one[] = {1}, two[] = {2}; \
    OK(batched_##t##geqrf_variable(ctx, 3, two, 2, one, one, &pg, 3, two, &psigma, 1)); \
    NEAR(cabs((double complex)g[0]), 5), NEAR(g[2], 7); \
    OK(batched_##mqr##_variable(ctx, BATCHED_LEFT, BATCHED_CONJ_TRANS, 3, two, 1, NULL, 2, one, &pg, 3, two, &psigma, \
                                &px, 3, NULL, 1)); \
    NEAR(x[0], g[0]), NEAR(x[1], 0), NEAR(x[2], 9); \
    OK(batched_##mqr##_variable(ctx, BATCHED_RIGHT, BATCHED_NO_TRANS, 1, NULL, 3, two, 2, one, &pg, 3, two, &psigma, \
                                &ph, 1, NULL, 1)); \
    NEAR(h[0] * g[0], 35), NEAR(h[2], 9); \
    OK(batched_##gqr##_variable(ctx, 3, two, 2, one, 2, one, &pg, 3, two, &psigma, 1)); \
    NEAR(cabs((double complex)g[0]), 0.6), NEAR(cabs((double complex)g[1]), 0.8), NEAR(g[2], 7); \
    g[0] = 3, g[1] = 4, h[0] = h[1] = 5; \
    OK(batched_##t##gels_variable(ctx, BATCHED_NO_TRANS, 3, two, 2, one, two, 1, NULL, &pg, 3, two, &ph, 3, NULL, \
                                  &info, 1)); \
    NEAR(h[0], 1.4), NEAR(h[2], 9); \
    assert_int_equal(info, 0); \
  }
QR_TEST(s, float, sormqr, sorgqr)
QR_TEST(d, double, dormqr, dorgqr)
QR_TEST(c, float complex, cunmqr, cungqr)
QR_TEST(z, double complex, zunmqr, zungqr)

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_slu), cmocka_unit_test(test_dlu), cmocka_unit_test(test_clu), cmocka_unit_test(test_zlu),
    cmocka_unit_test(test_sqr), cmocka_unit_test(test_dqr), cmocka_unit_test(test_cqr), cmocka_unit_test(test_zqr),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

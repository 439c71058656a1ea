/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers: each passes its arguments on to the right place.  Exact small integers; shapes that are all
 * different, so that an exchange is an error.
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

/* C = 2 A B^T + 3 C with A 2 x 3, B 1 x 3 and C 2 x 1. */
#define GEMM_TEST(t, T) \
  static void test_##t##gemm(void **unused) \
  { \
    (void)unused; \
    T a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 0, 2}, c[] = {1, 2}, d[] = {1, 2}, e[] = {1, 2}; \
    T *pa = a, *pb = b, *pd = d, *pe = e; \
    int ms[] = {1}; \
    assert_int_equal( \
      batched_##t##gemm_strided(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, 2, 1, 3, 2, a, 2, 6, b, 1, 3, 3, c, 2, 2, 1), \
      0); \
    assert_int_equal( \
      batched_##t##gemm(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, 2, 1, 3, 2, &pa, 2, &pb, 1, 3, &pd, 2, 1), 0); \
    assert_int_equal(batched_##t##gemm_variable(ctx, BATCHED_NO_TRANS, BATCHED_TRANS, 2, ms, 1, NULL, 3, NULL, 2, &pa, \
                                                2, NULL, &pb, 1, NULL, 3, &pe, 2, NULL, 1), \
                     0); \
    assert_true(c[0] == 25 && c[1] == 34 && d[0] == 25 && d[1] == 34 && e[0] == 25 && e[1] == 2); \
    T x[] = {1, 1}, y[] = {0, 0, 7}, z[] = {0, 0, 7}, *px = x, *pz = z; /* y = A^T x - y */ \
    assert_int_equal(batched_##t##gemv_strided(ctx, BATCHED_CONJ_TRANS, 2, 3, 1, a, 2, 6, x, 2, -1, y, 3, 1), 0); \
    assert_int_equal(batched_##t##gemv(ctx, BATCHED_TRANS, 2, 3, 1, &pa, 2, &px, -1, &pz, 1), 0); \
    for (int i = 0; i < 3; i++) assert_true(y[i] == z[i]); \
    assert_true(y[0] == 3 && y[1] == 7 && y[2] == 4); \
    OK(batched_##t##gemv_variable(ctx, BATCHED_NO_TRANS, 2, ms, 3, &(int){2}, 1, &pa, 2, NULL, &pz, 0, &px, 1)); \
    assert_true(x[0] == 24 && x[1] == 1); \
  }
GEMM_TEST(s, float)
GEMM_TEST(d, double)
GEMM_TEST(c, float complex)
GEMM_TEST(z, double complex)

/* L = [2 0; 1 3], so A = [4 2; 2 10]; solves with one and with three right-hand sides. */
#define POTRF_TEST(t, T) \
  static void test_##t##potrf(void **unused) \
  { \
    (void)unused; \
    T a[] = {4, 2, -1, 10}, b[] = {8, 22, 4, 2, 6, 12}, d[] = {4, 2, -1, 10}, *pd = d, *pb = b; \
    T e[] = {4, 2, -1, 10}, *pe = e; \
    int info = 7, ns[] = {1}; \
    assert_int_equal(batched_##t##potrf_strided(ctx, BATCHED_LOWER, 2, a, 2, 4, &info, 1), 0); \
    assert_true(a[0] == 2 && a[1] == 1 && a[2] == -1 && a[3] == 3 && info == 0); \
    assert_int_equal(batched_##t##potrf(ctx, BATCHED_LOWER, 2, &pd, 2, &info, 1), 0); \
    assert_int_equal(batched_##t##potrf_variable(ctx, BATCHED_LOWER, 2, ns, &pe, 2, NULL, &info, 1), 0); \
    assert_true(d[3] == 3 && e[0] == 2 && e[1] == 2); \
    assert_int_equal(batched_##t##potrs_strided(ctx, BATCHED_LOWER, 2, 1, a, 2, 4, b, 2, 6, 1), 0); \
    assert_true(b[0] == 1 && b[1] == 2 && b[2] == 4); \
    assert_int_equal(batched_##t##potrs(ctx, BATCHED_LOWER, 2, 3, &pd, 2, &pb, 2, 1), 0); \
    assert_true(b[2] == 1 && b[3] == 0 && b[4] == 1 && b[5] == 1); \
    T g[] = {2, 4, 6}, *pg = g; /* g (1 x 2) times L^-1, in a matrix with ld 1 */ \
    assert_int_equal(batched_##t##trsm_strided(ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, \
                                               1, 2, 3, a, 2, 4, g, 1, 2, 1), \
                     0); \
    assert_true(g[0] == 1 && g[1] == 4 && g[2] == 6); \
    assert_int_equal( \
      batched_##t##trsm(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_TRANS, BATCHED_UNIT, 2, 1, 1, &pd, 2, &pg, 2, 1), \
      0); \
    assert_true(g[0] == -3 && g[1] == 4 && g[2] == 6); \
    OK(batched_##t##trsm_variable(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, ns, 1, \
                                  NULL, 2, &pd, 2, NULL, &pg, 2, NULL, 1)); \
    assert_true(g[0] == -3 && g[1] == 4); \
    OK(batched_##t##potrs_variable(ctx, BATCHED_LOWER, 2, ns, 2, ns, &pd, 2, NULL, &pg, 2, NULL, 1)); \
    assert_true(g[0] == -0.75 && g[1] == 4 && g[2] == 6); \
  }
POTRF_TEST(s, float)
POTRF_TEST(d, double)
POTRF_TEST(c, float complex)
POTRF_TEST(z, double complex)

#define SVD_TEST(t, T, R, eigen) \
  static void test_##t##gesvd(void **unused) \
  { \
    (void)unused; \
    T a[] = {0, 3, 4, 0, 0, 0}, u[4], vt[6], h[] = {1, 2, 2, 1}, *pa = a, *pu = u, *pv = vt, *ph = h; \
    R s[2], w[2], *ps = s, *pw = w; \
    int info = 7; \
    assert_int_equal(batched_##t##gesvd_strided(ctx, 2, 3, a, 2, 6, s, 2, NULL, 2, 0, NULL, 2, 0, &info, 1), 0); \
    assert_true(s[0] == 4 && s[1] == 3 && info == 0); \
    assert_int_equal(batched_##t##gesvd(ctx, 2, 3, &pa, 2, &ps, &pu, 2, &pv, 2, &info, 1), 0); \
    assert_true(s[0] == 4 && s[1] == 3 && fabs(creal(u[0] * s[0] * vt[2]) - 4) < 1e-6); \
    assert_int_equal(batched_##eigen##_strided(ctx, BATCHED_VALUES, BATCHED_UPPER, 2, h, 2, 4, w, 2, &info, 1), 0); \
    assert_true(fabs(w[0] + 1) < 1e-6 && fabs(w[1] - 3) < 1e-6); \
    assert_int_equal(batched_##eigen(ctx, BATCHED_VECTORS, BATCHED_UPPER, 2, &ph, 2, &pw, &info, 1), 0); \
    assert_true(fabs(creal(h[3] * conj(h[3])) - 0.5) < 1e-6); \
    T f[] = {-2, 7, 7, 7}, *pf = f; /* its first element alone, and the column (0, 3) */ \
    const int one[] = {1}, two[] = {2}; \
    u[2] = 7; \
    OK(batched_##t##gesvd_variable(ctx, 2, two, 3, one, one, &pa, 3, two, &ps, &pu, 2, NULL, &pv, 2, one, &info, 1)); \
    assert_true(s[0] == 3 && s[1] == 3 && u[2] == 7 && fabs(creal(u[1] * s[0] * vt[0]) - 3) < 1e-6); \
    OK(batched_##eigen##_variable(ctx, BATCHED_VECTORS, BATCHED_UPPER, 2, one, &pf, 3, two, &pw, &info, 1)); \
    assert_true(w[0] == -2 && fabs(w[1] - 3) < 1e-6 && fabs(creal(f[0] * conj(f[0])) - 1) < 1e-6 && f[1] == 7); \
  }
SVD_TEST(s, float, float, ssyev)
SVD_TEST(d, double, double, dsyev)
SVD_TEST(c, float complex, float, cheev)
SVD_TEST(z, double complex, double, zheev)

/* A complex alpha keeps its imaginary part. */
static void test_complex_scalars(void **unused)
{
  (void)unused;
  double complex a = 1, b = 1, c = 1;
  assert_int_equal(batched_zgemm_strided(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, 1, 1, 1, 2 + 3 * I, &a, 1, 1, &b, 1,
                                         1, I, &c, 1, 1, 1),
                   0);
  assert_true(c == 2 + 4 * I);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sgemm),           cmocka_unit_test(test_dgemm),  cmocka_unit_test(test_cgemm),
    cmocka_unit_test(test_zgemm),           cmocka_unit_test(test_spotrf), cmocka_unit_test(test_dpotrf),
    cmocka_unit_test(test_cpotrf),          cmocka_unit_test(test_zpotrf), cmocka_unit_test(test_sgesvd),
    cmocka_unit_test(test_dgesvd),          cmocka_unit_test(test_cgesvd), cmocka_unit_test(test_zgesvd),
    cmocka_unit_test(test_complex_scalars),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

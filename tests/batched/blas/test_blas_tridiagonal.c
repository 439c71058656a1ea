/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers of tridiagonal and bidiagonal matrices: each passes its arguments on to the right place, so that
 * T Z = Z diag(w) and B = U diag(s) V^T for matrices of order 3 by each name.
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

static const double diagonal[3] = {2, 3, 5}, beside[2] = {1, -2};
static const int three[] = {3}, two[] = {2};

#define START() \
  do { \
    for (int i = 0; i < 3; i++) d[i] = diagonal[i]; \
    for (int i = 0; i < 2; i++) e[i] = beside[i]; \
  } while (0)

#define IDENTITY(x) \
  for (int i = 0; i < 9; i++) (x)[i] = i % 4 == 0

/* T z(j) = w(j) z(j) */
#define CHECK_EIGEN(w, z, many) \
  for (int j = 0; j < (many); j++) \
    for (int i = 0; i < 3; i++) \
  NEAR((i > 0 ? beside[i - 1] * (z)[i - 1 + 3 * j] : 0) + diagonal[i] * (z)[i + 3 * j] + \
         (i < 2 ? beside[i] * (z)[i + 1 + 3 * j] : 0), \
       (w)[j] * (z)[i + 3 * j])

/* u diag(s) vt = B */
#define CHECK_SVD(s, u, vt) \
  for (int i = 0; i < 3; i++) \
    for (int j = 0; j < 3; j++) \
  NEAR((u)[i] * (s)[0] * (vt)[3 * j] + (u)[i + 3] * (s)[1] * (vt)[1 + 3 * j] + (u)[i + 6] * (s)[2] * (vt)[2 + 3 * j], \
       i == j       ? diagonal[i] \
       : j == i + 1 ? beside[i] \
                    : 0)

#define STEQR_TEST(t, op, T, R) \
  static void test_##t##op(void **unused) \
  { \
    (void)unused; \
    R d[3], e[2], *pd = d, *pe = e; \
    T z[9], *pz = z; \
    int info = 7; \
    START(); \
    OK(batched_##t##op##_strided(ctx, BATCHED_VECTORS, 3, d, 3, e, 2, 3, z, 3, 9, &info, 1)); \
    assert_int_equal(info, 0); \
    CHECK_EIGEN(d, z, 3); \
    START(); \
    IDENTITY(z); \
    OK(batched_##t##op(ctx, BATCHED_MULTIPLY, 3, &pd, &pe, 3, &pz, 3, &info, 1)); \
    CHECK_EIGEN(d, z, 3); \
    const R w[3] = {d[0], d[1], d[2]}; \
    START(); \
    OK(batched_##t##op##_variable(ctx, BATCHED_VALUES, 3, three, two, &pd, &pe, 0, NULL, NULL, 1, NULL, &info, 1)); \
    for (int i = 0; i < 3; i++) NEAR(d[i], w[i]); \
  }

#define BIDIAGONAL_TEST(t, T, R) \
  static void test_##t##bidiagonal(void **unused) \
  { \
    (void)unused; \
    R d[3], e[2], *pd = d, *pe = e; \
    T u[9], vt[9], c[9], *pu = u, *pv = vt, *pc = c; \
    int info = 7; \
    START(); \
    IDENTITY(u); \
    IDENTITY(vt); \
    IDENTITY(c); \
    OK(batched_##t##bdsqr_strided(ctx, BATCHED_UPPER, 3, 3, 3, 3, d, 3, e, 2, vt, 3, 9, u, 3, 9, c, 3, 9, &info, 1)); \
    assert_int_equal(info, 0); \
    CHECK_SVD(d, u, vt); \
    for (int i = 0; i < 9; i++) NEAR(c[i], u[i / 3 + i % 3 * 3]); /* real numbers */ \
    START(); \
    IDENTITY(u); \
    IDENTITY(vt); \
    OK(batched_##t##bdsqr(ctx, BATCHED_UPPER, 3, 3, 3, 0, &pd, &pe, &pv, 3, &pu, 3, NULL, 1, &info, 1)); \
    CHECK_SVD(d, u, vt); \
    START(); \
    IDENTITY(u); \
    IDENTITY(vt); \
    IDENTITY(c); \
    OK(batched_##t##bdsqr_variable(ctx, BATCHED_UPPER, 3, three, two, 3, three, 3, three, 3, three, &pd, &pe, &pv, 3, \
                                   NULL, &pu, 3, NULL, &pc, 3, NULL, &info, 1)); \
    CHECK_SVD(d, u, vt); \
    START(); \
    OK(batched_##t##bdsdc_strided(ctx, BATCHED_UPPER, 3, d, 3, e, 2, u, 3, 9, vt, 3, 9, &info, 1)); \
    assert_int_equal(info, 0); \
    CHECK_SVD(d, u, vt); \
    START(); \
    OK(batched_##t##bdsdc(ctx, BATCHED_UPPER, 3, &pd, &pe, &pu, 3, &pv, 3, &info, 1)); \
    CHECK_SVD(d, u, vt); \
    START(); \
    OK( \
      batched_##t##bdsdc_variable(ctx, BATCHED_UPPER, 3, three, two, &pd, &pe, &pu, 3, NULL, &pv, 3, NULL, &info, 1)); \
    CHECK_SVD(d, u, vt); \
  }

/* The first and the last eigenvector, of values by steqr. */
#define STEIN_TEST(t, steqr, T, R) \
  static void test_##t##stein(void **unused) \
  { \
    (void)unused; \
    R d[3], e[2], *pd = d, *pe = e; \
    T z[9], *pz = z; \
    int info = 7; \
    START(); \
    OK(steqr(ctx, BATCHED_VALUES, 3, d, 3, e, 2, 0, NULL, 1, 0, &info, 1)); \
    R w[2] = {d[0], d[2]}, *pw = w; \
    START(); \
    OK(batched_##t##stein_strided(ctx, 3, d, 3, e, 2, 2, NULL, w, 2, z, 3, 6, &info, 1)); \
    assert_int_equal(info, 0); \
    CHECK_EIGEN(w, z, 2); \
    NEAR(z[0] * conj(z[0]) + z[1] * conj(z[1]) + z[2] * conj(z[2]), 1); \
    OK(batched_##t##stein(ctx, 3, &pd, &pe, 2, two, &pw, &pz, 3, &info, 1)); \
    CHECK_EIGEN(w, z, 2); \
    OK(batched_##t##stein_variable(ctx, 3, three, two, &pd, &pe, 2, two, NULL, &pw, &pz, 3, NULL, &info, 1)); \
    CHECK_EIGEN(w, z, 2); \
  }

#define STEBZ_TEST(t, R) \
  static void test_##t##stebz(void **unused) \
  { \
    (void)unused; \
    R d[3], e[2], all[3], some[2], *pd = d, *pe = e, *ps = some; \
    int info = 7, found = 7; \
    START(); \
    OK(batched_##t##stebz_strided(ctx, BATCHED_ALL, 3, 0, 0, 0, 0, d, 3, e, 2, &found, 3, all, 3, &info, 1)); \
    assert_true(info == 0 && found == 3 && all[0] < all[1] && all[1] < all[2]); \
    NEAR(all[0] + all[1] + all[2], diagonal[0] + diagonal[1] + diagonal[2]); \
    OK(batched_##t##stebz(ctx, BATCHED_INDEX, 3, 0, 0, 2, 3, &pd, &pe, &found, 2, &ps, &info, 1)); \
    NEAR(some[0], all[1]); \
    NEAR(some[1], all[2]); \
    OK(batched_##t##stebz_variable(ctx, BATCHED_INDEX, 3, three, two, 0, 0, 1, 2, &pd, &pe, &found, 2, two, &ps, \
                                   &info, 1)); \
    NEAR(some[0], all[0]); \
    NEAR(some[1], all[1]); \
  }

#define ALL_TESTS(t, T, R) \
  STEQR_TEST(t, steqr, T, R) \
  STEQR_TEST(t, stedc, T, R) \
  BIDIAGONAL_TEST(t, T, R) \
  STEIN_TEST(t, batched_##t##steqr_strided, T, R)
ALL_TESTS(s, float, float)
ALL_TESTS(d, double, double)
ALL_TESTS(c, float complex, float)
ALL_TESTS(z, double complex, double)
STEBZ_TEST(s, float)
STEBZ_TEST(d, double)

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_ssteqr),      cmocka_unit_test(test_dsteqr),      cmocka_unit_test(test_csteqr),
    cmocka_unit_test(test_zsteqr),      cmocka_unit_test(test_sstedc),      cmocka_unit_test(test_dstedc),
    cmocka_unit_test(test_cstedc),      cmocka_unit_test(test_zstedc),      cmocka_unit_test(test_sbidiagonal),
    cmocka_unit_test(test_dbidiagonal), cmocka_unit_test(test_cbidiagonal), cmocka_unit_test(test_zbidiagonal),
    cmocka_unit_test(test_sstein),      cmocka_unit_test(test_dstein),      cmocka_unit_test(test_cstein),
    cmocka_unit_test(test_zstein),      cmocka_unit_test(test_sstebz),      cmocka_unit_test(test_dstebz),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

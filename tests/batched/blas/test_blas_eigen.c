/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers of eigenproblems and least squares: each passes its arguments on to the right place.
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

static const int two[] = {2}, three[] = {3};

/* diag(3, 4) on top of a row of zeros, and the right-hand side (3, 8, 5). */
#define GELSD_TEST(t, T, R) \
  static void test_##t##gelsd(void **unused) \
  { \
    (void)unused; \
    const T a[6] = {3, 0, 0, 0, 4, 0}; \
    T b[3], *pa = (T *)a, *pb = b; \
    R s[2], *ps = s; \
    int rank = 7, info = 7; \
    for (int turn = 0; turn < 3; turn++) { \
      b[0] = 3, b[1] = 8, b[2] = 5; \
      if (turn == 0) OK(batched_##t##gelsd_strided(ctx, 3, 2, 1, a, 3, 6, b, 3, 3, s, 2, -1, &rank, &info, 1)); \
      if (turn == 1) OK(batched_##t##gelsd(ctx, 3, 2, 1, &pa, 3, &pb, 3, &ps, -1, &rank, &info, 1)); \
      if (turn == 2) \
        OK(batched_##t##gelsd_variable(ctx, 3, three, 2, two, two, three, 1, NULL, &pa, 3, NULL, &pb, 3, NULL, &ps, \
                                       -1, &rank, &info, 1)); \
      assert_true(rank == 2 && info == 0); \
      NEAR(s[0], 4); \
      NEAR(b[0], 1); \
      NEAR(b[1], 2); \
      b[0] = 6, b[1] = 4, b[2] = 5, rank = 7; \
      if (turn == 0) OK(batched_##t##gelsy_strided(ctx, 3, 2, 1, a, 3, 6, b, 3, 3, -1, &rank, 1)); \
      if (turn == 1) OK(batched_##t##gelsy(ctx, 3, 2, 1, &pa, 3, &pb, 3, -1, &rank, 1)); \
      if (turn == 2) \
        OK(batched_##t##gelsy_variable(ctx, 3, three, 2, two, three, 1, NULL, &pa, 3, NULL, &pb, 3, NULL, -1, &rank, \
                                       1)); \
      assert_int_equal(rank, 2); \
      NEAR(b[0], 2); \
      NEAR(b[1], 1); \
    } \
  }
GELSD_TEST(s, float, float)
GELSD_TEST(d, double, double)
GELSD_TEST(c, float complex, float)
GELSD_TEST(z, double complex, double)

/* The second column of [3 0; 0 4] is the longer one. */
#define GEQP3_TEST(t, T) \
  static void test_##t##geqp3(void **unused) \
  { \
    (void)unused; \
    T a[4], tau[2], *pa = a, *pt = tau; \
    for (int turn = 0; turn < 3; turn++) { \
      int jpvt[2] = {7, 7}; \
      for (int i = 0; i < 4; i++) a[i] = i == 0 ? 3 : i == 3 ? 4 : 0; \
      if (turn == 0) OK(batched_##t##geqp3_strided(ctx, 2, 2, a, 2, 4, jpvt, tau, 2, 1)); \
      if (turn == 1) OK(batched_##t##geqp3(ctx, 2, 2, &pa, 2, jpvt, &pt, 1)); \
      if (turn == 2) OK(batched_##t##geqp3_variable(ctx, 2, two, 2, two, two, &pa, 2, NULL, jpvt, &pt, 1)); \
      assert_true(jpvt[0] == 2 && jpvt[1] == 1); \
      NEAR(a[0] * a[0], 16); \
      NEAR(a[3] * a[3], 9); \
    } \
  }
GEQP3_TEST(s, float)
GEQP3_TEST(d, double)
GEQP3_TEST(c, float complex)
GEQP3_TEST(z, double complex)

/* The largest singular value of diag(3, -4). */
#define GESVDX_TEST(t, T, R) \
  static void test_##t##gesvdx(void **unused) \
  { \
    (void)unused; \
    const T a[4] = {3, 0, 0, -4}; \
    T u[2], v[2], *pa = (T *)a, *pu = u, *pv = v; \
    R s[1], *ps = s; \
    int found = 7, info = 7; \
    for (int turn = 0; turn < 3; turn++) { \
      const batched_job job = BATCHED_SIGNED_VECTORS; \
      s[0] = 0; \
      if (turn == 0) \
        OK(batched_##t##gesvdx_strided(ctx, job, BATCHED_INDEX, 2, 2, a, 2, 4, 0, 0, 1, 1, &found, 1, s, 1, u, 2, 2, \
                                       v, 1, 2, &info, 1)); \
      if (turn == 1) \
        OK(batched_##t##gesvdx(ctx, job, BATCHED_INDEX, 2, 2, &pa, 2, 0, 0, 1, 1, &found, 1, &ps, &pu, 2, &pv, 1, \
                               &info, 1)); \
      if (turn == 2) \
        OK(batched_##t##gesvdx_variable(ctx, job, BATCHED_INDEX, 2, two, 2, two, &pa, 2, NULL, 0, 0, 1, 1, &found, 1, \
                                        NULL, &ps, &pu, 2, NULL, &pv, 1, NULL, &info, 1)); \
      assert_true(found == 1 && info == 0); \
      NEAR(s[0], 4); \
      NEAR(u[1], 1); \
      NEAR(v[1], -1); \
    } \
  }
GESVDX_TEST(s, float, float)
GESVDX_TEST(d, double, double)
GESVDX_TEST(c, float complex, float)
GESVDX_TEST(z, double complex, double)

/* The smaller eigenvalue of [2 1; 1 2]; and with B = diag(4, 4) a quarter of both. */
#define EIGEN_TEST(evx, gv, gst, T, R) \
  static void test_##evx(void **unused) \
  { \
    (void)unused; \
    T a[4], b[4], z[2], *pa = a, *pb = b, *pz = z; \
    R w[2], *pw = w; \
    int found = 7, info = 7; \
    for (int turn = 0; turn < 3; turn++) { \
      const batched_job job = BATCHED_SIGNED_VECTORS; \
      for (int i = 0; i < 4; i++) a[i] = i % 3 ? 1 : 2, b[i] = i % 3 ? 0 : 4; \
      w[0] = 0; \
      if (turn == 0) \
        OK(batched_##evx##_strided(ctx, job, BATCHED_INDEX, BATCHED_LOWER, 2, a, 2, 4, 0, 0, 1, 1, &found, 1, w, 1, z, \
                                   2, 2, &info, 1)); \
      if (turn == 1) \
        OK(batched_##evx(ctx, job, BATCHED_INDEX, BATCHED_LOWER, 2, &pa, 2, 0, 0, 1, 1, &found, 1, &pw, &pz, 2, &info, \
                         1)); \
      if (turn == 2) \
        OK(batched_##evx##_variable(ctx, job, BATCHED_INDEX, BATCHED_LOWER, 2, two, &pa, 2, NULL, 0, 0, 1, 1, &found, \
                                    1, NULL, &pw, &pz, 2, NULL, &info, 1)); \
      assert_true(found == 1 && info == 0); \
      NEAR(w[0], 1); \
      NEAR(z[0] + z[1], 0); \
      if (turn == 0) OK(batched_##gv##_strided(ctx, 1, job, BATCHED_LOWER, 2, a, 2, 4, b, 2, 4, w, 2, &info, 1)); \
      if (turn == 1) OK(batched_##gv(ctx, 1, job, BATCHED_LOWER, 2, &pa, 2, &pb, 2, &pw, &info, 1)); \
      if (turn == 2) \
        OK(batched_##gv##_variable(ctx, 1, job, BATCHED_LOWER, 2, two, &pa, 2, NULL, &pb, 2, NULL, &pw, &info, 1)); \
      assert_int_equal(info, 0); \
      NEAR(w[0], 0.25); \
      NEAR(w[1], 0.75); \
      NEAR(b[3], 2); \
      for (int i = 0; i < 4; i++) a[i] = i % 3 ? 1 : 2; /* b is the factor by now */ \
      if (turn == 0) OK(batched_##gst##_strided(ctx, 2, BATCHED_LOWER, 2, a, 2, 4, b, 2, 4, 1)); \
      if (turn == 1) OK(batched_##gst(ctx, 2, BATCHED_LOWER, 2, &pa, 2, &pb, 2, 1)); \
      if (turn == 2) OK(batched_##gst##_variable(ctx, 2, BATCHED_LOWER, 2, two, &pa, 2, NULL, &pb, 2, NULL, 1)); \
      NEAR(a[0], 8); \
      NEAR(a[1], 4); \
    } \
  }
EIGEN_TEST(ssyevx, ssygv, ssygst, float, float)
EIGEN_TEST(dsyevx, dsygv, dsygst, double, double)
EIGEN_TEST(cheevx, chegv, chegst, float complex, float)
EIGEN_TEST(zheevx, zhegv, zhegst, double complex, double)

/* [0 -4; 1 0] has the eigenvalues 2i and -2i: their product is 4, and A vr = w vr, vl^H A = w vl^H. */
#define GEEV_TEST(t, T, C) \
  static void test_##t##geev(void **unused) \
  { \
    (void)unused; \
    const T a[4] = {0, 1, -4, 0}; \
    T *pa = (T *)a; \
    C w[2], l[4], r[4], *pw = w, *pl = l, *pr = r; \
    int info = 7; \
    for (int turn = 0; turn < 3; turn++) { \
      w[0] = 0; \
      if (turn == 0) OK(batched_##t##geev_strided(ctx, 2, a, 2, 4, w, 2, l, 2, 4, r, 2, 4, &info, 1)); \
      if (turn == 1) OK(batched_##t##geev(ctx, 2, &pa, 2, &pw, &pl, 2, &pr, 2, &info, 1)); \
      if (turn == 2) \
        OK(batched_##t##geev_variable(ctx, 2, two, &pa, 2, NULL, &pw, &pl, 2, NULL, &pr, 2, NULL, &info, 1)); \
      assert_int_equal(info, 0); \
      NEAR(w[0] * w[1], 4); \
      for (int k = 0; k < 2; k++) { \
        NEAR(-4 * r[2 * k + 1], w[k] * r[2 * k]); \
        NEAR(-4 * conj(l[2 * k]), w[k] * conj(l[2 * k + 1])); \
      } \
    } \
    OK(batched_##t##geev_strided(ctx, 2, a, 2, 4, w, 2, NULL, 2, 4, NULL, 2, 4, &info, 1)); \
    NEAR(w[0] * w[1], 4); \
  }
GEEV_TEST(s, float, float complex)
GEEV_TEST(d, double, double complex)
GEEV_TEST(c, float complex, float complex)
GEEV_TEST(z, double complex, double complex)

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sgeqp3),  cmocka_unit_test(test_dgeqp3),  cmocka_unit_test(test_cgeqp3),
    cmocka_unit_test(test_zgeqp3),  cmocka_unit_test(test_sgeev),   cmocka_unit_test(test_dgeev),
    cmocka_unit_test(test_cgeev),   cmocka_unit_test(test_zgeev),   cmocka_unit_test(test_sgelsd),
    cmocka_unit_test(test_dgelsd),  cmocka_unit_test(test_cgelsd),  cmocka_unit_test(test_zgelsd),
    cmocka_unit_test(test_sgesvdx), cmocka_unit_test(test_dgesvdx), cmocka_unit_test(test_cgesvdx),
    cmocka_unit_test(test_zgesvdx), cmocka_unit_test(test_ssyevx),  cmocka_unit_test(test_dsyevx),
    cmocka_unit_test(test_cheevx),  cmocka_unit_test(test_zheevx),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

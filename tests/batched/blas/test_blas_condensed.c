/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers of LQ and of the reductions: each passes its arguments on to the right place.  Products with Q and
 * P undo what the reductions did.
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

/* A (2 x 3) = Q B P^H by each name: the first column of B P^H is Q^H's of A. */
#define GEBRD_TEST(t, pre, T, R) \
  static void test_##t##gebrd(void **unused) \
  { \
    (void)unused; \
    const T first[6] = {1, 2, 3, 4, 5, 7}; \
    T a[6], b[6], q[4], p[4], tauq[2], taup[2], *pb = b, *ptq = tauq, *ptp = taup, *pp = p, *pq = q; \
    R d[2], e[1], *pd = d, *pe = e; \
    const int two[] = {2}, three[] = {3}, one[] = {1}; \
    for (int i = 0; i < 6; i++) a[i] = b[i] = first[i]; \
    OK(batched_##t##gebrd_strided(ctx, 2, 3, a, 2, 6, d, 2, e, 1, tauq, 2, taup, 2, 1)); \
    const T product[6] = {d[0], e[0], 0, d[1], 0, 0}; /* lower bidiagonal */ \
    T c[6]; \
    for (int i = 0; i < 6; i++) c[i] = product[i]; \
    OK(batched_##pre##mbr_strided(ctx, BATCHED_P, BATCHED_RIGHT, BATCHED_CONJ_TRANS, 2, 3, 2, a, 2, 6, taup, 2, c, 2, \
                                  6, 1)); \
    OK(batched_##pre##mbr_strided(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_NO_TRANS, 2, 3, 3, a, 2, 6, tauq, 2, c, 2, 6, \
                                  1)); \
    for (int i = 0; i < 6; i++) NEAR(c[i], first[i]); \
    OK(batched_##t##gebrd(ctx, 2, 3, &pb, 2, &pd, &pe, &ptq, &ptp, 1)); \
    for (int i = 0; i < 6; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 6; i++) b[i] = first[i]; \
    OK(batched_##t##gebrd_variable(ctx, 2, two, 3, three, two, one, &pb, 2, two, &pd, &pe, &ptq, &ptp, 1)); \
    for (int i = 0; i < 6; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 4; i++) q[i] = i % 3 == 0; \
    for (int i = 0; i < 4; i++) p[i] = b[i]; \
    OK(batched_##pre##mbr(ctx, BATCHED_Q, BATCHED_RIGHT, BATCHED_NO_TRANS, 2, 2, 3, &pb, 2, &ptq, &pq, 2, 1)); \
    OK(batched_##pre##gbr(ctx, BATCHED_Q, 2, 2, 3, &pp, 2, &ptq, 1)); \
    for (int i = 0; i < 4; i++) NEAR(q[i], p[i]); \
    OK(batched_##pre##mbr_variable(ctx, BATCHED_Q, BATCHED_LEFT, BATCHED_CONJ_TRANS, 2, two, 2, two, 3, three, two, \
                                   &pb, 2, NULL, &ptq, &pq, 2, NULL, 1)); \
    for (int i = 0; i < 4; i++) NEAR(q[i], i % 3 == 0); \
    for (int i = 0; i < 4; i++) p[i] = b[i]; \
    OK(batched_##pre##gbr_variable(ctx, BATCHED_Q, 2, two, 2, two, 3, two, &pp, 2, NULL, &ptq, 1)); \
    OK(batched_##pre##gbr_strided(ctx, BATCHED_P, 2, 3, 2, a, 2, 6, taup, 2, 1)); \
    NEAR(a[0] * conj(a[1]) + a[2] * conj(a[3]) + a[4] * conj(a[5]), 0); \
  }
GEBRD_TEST(s, sor, float, float)
GEBRD_TEST(d, dor, double, double)
GEBRD_TEST(c, cun, float complex, float)
GEBRD_TEST(z, zun, double complex, double)

/* A = Q T Q^H, 3 x 3, and then Q from the identity, which has to be what ungtr makes. */
#define TRD_TEST(t, op, pre, T, R) \
  static void test_##op(void **unused) \
  { \
    (void)unused; \
    const T first[9] = {1, 3, 4, 3, 2, 6, 4, 6, 5}; \
    T a[9], b[9], c[9], q[9], tau[2], *pb = b, *pt = tau, *pc = c, *pq = q; \
    R d[3], e[2], *pd = d, *pe = e; \
    const int three[] = {3}, two[] = {2}; \
    for (int i = 0; i < 9; i++) a[i] = b[i] = first[i]; \
    OK(batched_##op##_strided(ctx, BATCHED_LOWER, 3, a, 3, 9, d, 3, e, 2, tau, 2, 1)); \
    const T tridiagonal[9] = {d[0], e[0], 0, e[0], d[1], e[1], 0, e[1], d[2]}; \
    for (int i = 0; i < 9; i++) c[i] = tridiagonal[i]; \
    OK(batched_##pre##mtr_strided(ctx, BATCHED_LEFT, BATCHED_LOWER, BATCHED_NO_TRANS, 3, 3, a, 3, 9, tau, 2, c, 3, 9, \
                                  1)); \
    OK(batched_##op(ctx, BATCHED_LOWER, 3, &pb, 3, &pd, &pe, &pt, 1)); \
    OK(batched_##pre##mtr(ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_CONJ_TRANS, 3, 3, &pb, 3, &pt, &pc, 3, 1)); \
    for (int i = 0; i < 9; i++) NEAR(c[i], first[i]); \
    for (int i = 0; i < 9; i++) b[i] = first[i]; \
    OK(batched_##op##_variable(ctx, BATCHED_LOWER, 3, three, two, &pb, 3, NULL, &pd, &pe, &pt, 1)); \
    for (int i = 0; i < 3; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 9; i++) c[i] = i % 4 == 0; \
    OK(batched_##pre##mtr_variable(ctx, BATCHED_RIGHT, BATCHED_LOWER, BATCHED_NO_TRANS, 3, three, 3, three, two, &pb, \
                                   3, NULL, &pt, &pc, 3, NULL, 1)); \
    for (int i = 0; i < 9; i++) q[i] = b[i]; \
    OK(batched_##pre##gtr(ctx, BATCHED_LOWER, 3, &pq, 3, &pt, 1)); \
    for (int i = 0; i < 9; i++) NEAR(q[i], c[i]); \
    for (int i = 0; i < 9; i++) q[i] = b[i]; \
    OK(batched_##pre##gtr_variable(ctx, BATCHED_LOWER, 3, three, two, &pq, 3, NULL, &pt, 1)); \
    OK(batched_##pre##gtr_strided(ctx, BATCHED_LOWER, 3, b, 3, 9, tau, 2, 1)); \
    for (int i = 0; i < 9; i++) NEAR(q[i], b[i]); \
  }
TRD_TEST(s, ssytrd, sor, float, float)
TRD_TEST(d, dsytrd, dor, double, double)
TRD_TEST(c, chetrd, cun, float complex, float)
TRD_TEST(z, zhetrd, zun, double complex, double)

/* A = Q H Q^H, 3 x 3; and A = L Q. */
#define HRD_TEST(t, pre, T) \
  static void test_##t##gehrd(void **unused) \
  { \
    (void)unused; \
    const T first[9] = {1, 3, 4, 8, 2, 6, 7, 9, 5}; \
    T a[9], b[9], c[9], q[9], tau[3], *pb = b, *pt = tau, *pc = c, *pq = q; \
    const int three[] = {3}, two[] = {2}; \
    for (int i = 0; i < 9; i++) a[i] = b[i] = first[i]; \
    OK(batched_##t##gehrd_strided(ctx, 3, 1, 3, a, 3, 9, tau, 2, 1)); \
    for (int i = 0; i < 9; i++) c[i] = i == 2 ? 0 : a[i]; \
    OK(batched_##pre##mhr_strided(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, 3, 3, 1, 3, a, 3, 9, tau, 2, c, 3, 9, 1)); \
    OK(batched_##t##gehrd(ctx, 3, 1, 3, &pb, 3, &pt, 1)); \
    OK(batched_##pre##mhr(ctx, BATCHED_RIGHT, BATCHED_CONJ_TRANS, 3, 3, 1, 3, &pb, 3, &pt, &pc, 3, 1)); \
    for (int i = 0; i < 9; i++) NEAR(c[i], first[i]); \
    for (int i = 0; i < 9; i++) b[i] = first[i]; \
    OK(batched_##t##gehrd_variable(ctx, 3, three, two, 1, 3, &pb, 3, NULL, &pt, 1)); \
    for (int i = 0; i < 9; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 9; i++) c[i] = i % 4 == 0; \
    OK(batched_##pre##mhr_variable(ctx, BATCHED_RIGHT, BATCHED_NO_TRANS, 3, three, 3, three, two, 1, 3, &pb, 3, NULL, \
                                   &pt, &pc, 3, NULL, 1)); \
    for (int i = 0; i < 9; i++) q[i] = b[i]; \
    OK(batched_##pre##ghr(ctx, 3, 1, 3, &pq, 3, &pt, 1)); \
    for (int i = 0; i < 9; i++) NEAR(q[i], c[i]); \
    for (int i = 0; i < 9; i++) q[i] = b[i]; \
    OK(batched_##pre##ghr_variable(ctx, 3, three, two, 1, 3, &pq, 3, NULL, &pt, 1)); \
    OK(batched_##pre##ghr_strided(ctx, 3, 1, 3, b, 3, 9, tau, 2, 1)); \
    for (int i = 0; i < 9; i++) NEAR(q[i], b[i]); \
  } \
  static void test_##t##gelqf(void **unused) \
  { \
    (void)unused; \
    const T first[6] = {1, 2, 3, 4, 5, 7}; \
    T a[6], b[6], c[6], q[6], tau[2], *pb = b, *pt = tau, *pc = c, *pq = q; \
    const int three[] = {3}, two[] = {2}; \
    for (int i = 0; i < 6; i++) a[i] = b[i] = first[i]; \
    OK(batched_##t##gelqf_strided(ctx, 2, 3, a, 2, 6, tau, 2, 1)); \
    for (int i = 0; i < 6; i++) c[i] = i == 2 || i > 3 ? 0 : a[i]; \
    OK(batched_##pre##mlq_strided(ctx, BATCHED_RIGHT, BATCHED_NO_TRANS, 2, 3, 2, a, 2, 6, tau, 2, c, 2, 6, 1)); \
    for (int i = 0; i < 6; i++) NEAR(c[i], first[i]); \
    OK(batched_##t##gelqf(ctx, 2, 3, &pb, 2, &pt, 1)); \
    for (int i = 0; i < 6; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 6; i++) b[i] = first[i]; \
    OK(batched_##t##gelqf_variable(ctx, 2, two, 3, three, two, &pb, 2, NULL, &pt, 1)); \
    for (int i = 0; i < 6; i++) NEAR(a[i], b[i]); \
    for (int i = 0; i < 6; i++) c[i] = i % 3 == 0; \
    OK(batched_##pre##mlq(ctx, BATCHED_RIGHT, BATCHED_NO_TRANS, 2, 3, 2, &pb, 2, &pt, &pc, 2, 1)); \
    for (int i = 0; i < 6; i++) q[i] = b[i]; \
    OK(batched_##pre##glq(ctx, 2, 3, 2, &pq, 2, &pt, 1)); \
    for (int i = 0; i < 6; i++) NEAR(q[i], c[i]); \
    OK(batched_##pre##mlq_variable(ctx, BATCHED_RIGHT, BATCHED_CONJ_TRANS, 2, two, 3, three, 2, two, &pb, 2, NULL, \
                                   &pt, &pc, 2, NULL, 1)); \
    for (int i = 0; i < 6; i++) NEAR(c[i], i % 3 == 0); \
    for (int i = 0; i < 6; i++) q[i] = b[i]; \
    OK(batched_##pre##glq_variable(ctx, 2, two, 3, three, 2, two, &pq, 2, NULL, &pt, 1)); \
    OK(batched_##pre##glq_strided(ctx, 2, 3, 2, b, 2, 6, tau, 2, 1)); \
    for (int i = 0; i < 6; i++) NEAR(q[i], b[i]); \
  }
HRD_TEST(s, sor, float)
HRD_TEST(d, dor, double)
HRD_TEST(c, cun, float complex)
HRD_TEST(z, zun, double complex)

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sgebrd), cmocka_unit_test(test_dgebrd), cmocka_unit_test(test_cgebrd),
    cmocka_unit_test(test_zgebrd), cmocka_unit_test(test_ssytrd), cmocka_unit_test(test_dsytrd),
    cmocka_unit_test(test_chetrd), cmocka_unit_test(test_zhetrd), cmocka_unit_test(test_sgehrd),
    cmocka_unit_test(test_dgehrd), cmocka_unit_test(test_cgehrd), cmocka_unit_test(test_zgehrd),
    cmocka_unit_test(test_sgelqf), cmocka_unit_test(test_dgelqf), cmocka_unit_test(test_cgelqf),
    cmocka_unit_test(test_zgelqf),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

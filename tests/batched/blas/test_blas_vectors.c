/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Typed wrappers, vectors, transposition and symmetric products: each passes its arguments on to the right place.
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

/* [-2 1; 5 -2] by laset, and its norms; everything else is exact. */
#define VECTOR_TEST(t, T, R, dot, nrm2) \
  static void test_##t##vectors(void **unused) \
  { \
    (void)unused; \
    T x[] = {1, 2, 2}, y[] = {2, 0, 1}, a[6], r[1], *px = x, *py = y, *pa = a; \
    R q[1]; \
    a[2] = 7; \
    OK(batched_##dot##_strided(ctx, 3, x, 3, y, 3, r, 1)); \
    assert_true(r[0] == 4); \
    OK(batched_##dot(ctx, 2, &px, &py, r, 1)); \
    assert_true(r[0] == 2); \
    OK(batched_##nrm2##_strided(ctx, 3, x, 3, q, 1)); \
    NEAR(q[0], 3); \
    OK(batched_##nrm2(ctx, 1, &px, q, 1)); \
    NEAR(q[0], 1); \
    OK(batched_##t##axpy_strided(ctx, 3, 2, x, 3, y, 3, 1)); \
    assert_true(y[0] == 4 && y[1] == 4 && y[2] == 5); \
    OK(batched_##t##axpy(ctx, 2, -1, &px, &py, 1)); \
    assert_true(y[0] == 3 && y[1] == 2 && y[2] == 5); \
    OK(batched_##t##copy_strided(ctx, 2, x, 3, y, 3, 1)); \
    assert_true(y[0] == 1 && y[1] == 2 && y[2] == 5); \
    OK(batched_##t##copy(ctx, 3, &px, &py, 1)); \
    OK(batched_##t##scal_strided(ctx, 3, 3, x, 3, 1)); \
    OK(batched_##t##scal(ctx, 2, 2, &py, 1)); \
    assert_true(x[0] == 3 && x[2] == 6 && y[0] == 2 && y[1] == 4 && y[2] == 2); \
    OK(batched_##t##laset_strided(ctx, 2, 2, 1, -2, a, 3, 6, 1)); \
    OK(batched_##t##laset(ctx, 2, 1, 5, -2, &pa, 3, 1)); \
    assert_true(a[0] == -2 && a[1] == 5 && a[2] == 7 && a[3] == 1 && a[4] == -2); \
    OK(batched_##t##lange_strided(ctx, BATCHED_ONE_NORM, 2, 2, a, 3, 6, q, 1)); \
    NEAR(q[0], 7); \
    OK(batched_##t##lange(ctx, BATCHED_INF_NORM, 1, 2, &pa, 3, q, 1)); \
    NEAR(q[0], 3); \
    T u[] = {1, 2, 3}, v[] = {4, 5, 6}, *pu = u, *pv = v; /* two of three numbers, one of two columns */ \
    const int one[] = {1}, two[] = {2}, three[] = {3}; \
    OK(batched_##dot##_variable(ctx, 3, two, &pu, &pv, r, 1)); \
    assert_true(r[0] == 14); \
    OK(batched_##nrm2##_variable(ctx, 3, one, &pv, q, 1)); \
    NEAR(q[0], 4); \
    OK(batched_##t##axpy_variable(ctx, 3, two, 2, &pu, &pv, 1)); \
    OK(batched_##t##scal_variable(ctx, 3, two, 3, &pu, 1)); \
    assert_true(v[0] == 6 && v[1] == 9 && v[2] == 6 && u[0] == 3 && u[1] == 6 && u[2] == 3); \
    OK(batched_##t##copy_variable(ctx, 3, one, &pu, &pv, 1)); \
    assert_true(v[0] == 3 && v[1] == 9); \
    OK(batched_##t##lange_variable(ctx, BATCHED_ONE_NORM, 2, two, 2, one, &pa, 4, three, q, 1)); \
    NEAR(q[0], 7); \
    OK(batched_##t##laset_variable(ctx, 2, NULL, 2, one, 0, 8, &pa, 3, NULL, 1)); \
    assert_true(a[0] == 8 && a[1] == 0 && a[3] == 1 && a[4] == -2); \
  }
VECTOR_TEST(s, float, float, sdot, snrm2)
VECTOR_TEST(d, double, double, ddot, dnrm2)
VECTOR_TEST(c, float complex, float, cdotu, scnrm2)
VECTOR_TEST(z, double complex, double, zdotc, dznrm2)

/* A = [1 2; 2 3] by its lower triangle, B = [1 0; 1 1], C = [4 .; 1 5]. */
#define SIDED_TEST(symm, syr2k, trans, T) \
  static void test_##symm##_and_##syr2k(void **unused) \
  { \
    (void)unused; \
    T a[] = {1, 2, -9, 3}, b[] = {1, 1, 0, 1}, c[] = {1, 1, 1, 1}, *pa = a, *pb = b, *pc = c; \
    T x[] = {1, 2}, y[] = {3, 1}, u[] = {4, 1, -9, 5}, *px = x, *py = y, *pu = u; \
    const int one[] = {1}, two[] = {2}; \
    OK(batched_##symm##_strided(ctx, BATCHED_LEFT, BATCHED_LOWER, 2, 2, 1, a, 2, 4, b, 2, 4, 2, c, 2, 4, 1)); \
    assert_true(c[0] == 5 && c[1] == 7 && c[2] == 4 && c[3] == 5); \
    OK(batched_##symm(ctx, BATCHED_RIGHT, BATCHED_LOWER, 1, 2, -1, &pa, 2, &pb, 2, 1, &pc, 2, 1)); \
    assert_true(c[0] == 4 && c[1] == 7 && c[2] == 2 && c[3] == 5); \
    OK(batched_##symm##_variable(ctx, BATCHED_LEFT, BATCHED_LOWER, 2, two, 2, one, 1, &pa, 2, NULL, &pb, 2, NULL, 0, \
                                 &pc, 2, NULL, 1)); \
    assert_true(c[0] == 3 && c[1] == 5 && c[2] == 2 && c[3] == 5); \
    OK(batched_##syr2k##_strided(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, 2, 1, 1, x, 2, 2, y, 2, 2, 2, u, 2, 4, 1)); \
    assert_true(u[0] == 14 && u[1] == 9 && u[2] == -9 && u[3] == 14); \
    OK(batched_##syr2k(ctx, BATCHED_UPPER, trans, 1, 2, 1, &px, 2, &py, 2, 1, &pu, 2, 1)); \
    assert_true(u[0] == 24 && u[1] == 9 && u[3] == 14); \
    OK(batched_##syr2k##_variable(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, 2, one, 1, one, 1, &px, 2, NULL, &py, 2, NULL, \
                                  0, &pu, 2, NULL, 1)); \
    assert_true(u[0] == 6 && u[1] == 9 && u[3] == 14); \
  }
SIDED_TEST(ssymm, ssyr2k, BATCHED_TRANS, float)
SIDED_TEST(dsymm, dsyr2k, BATCHED_TRANS, double)
SIDED_TEST(csymm, csyr2k, BATCHED_TRANS, float complex)
SIDED_TEST(zsymm, zsyr2k, BATCHED_TRANS, double complex)
SIDED_TEST(chemm, cher2k, BATCHED_CONJ_TRANS, float complex)
SIDED_TEST(zhemm, zher2k, BATCHED_CONJ_TRANS, double complex)

/* Exchanges, sums, the largest number, a product of vectors, and triangles: x = (1, -3, 3), y = (2, 0, 1). */
#define MORE_VECTORS_TEST(t, T, R, amax, asum, ger) \
  static void test_##t##more_vectors(void **unused) \
  { \
    (void)unused; \
    T x[] = {1, -3, 3}, y[] = {2, 0, 1}, a[] = {1, 2, 7, 3, 4, 7}, c[6], *px = x, *py = y, *pa = a, *pc = c; \
    R q[1]; \
    int k[1]; \
    const int one[] = {1}, two[] = {2}, three[] = {3}; \
    OK(batched_##amax##_strided(ctx, 3, x, 3, k, 1)); \
    assert_int_equal(k[0], 2); \
    OK(batched_##amax(ctx, 1, &px, k, 1)); \
    assert_int_equal(k[0], 1); \
    OK(batched_##amax##_variable(ctx, 3, one, &px, k, 1)); \
    assert_int_equal(k[0], 1); \
    OK(batched_##asum##_strided(ctx, 3, x, 3, q, 1)); \
    assert_true(q[0] == 7); \
    OK(batched_##asum(ctx, 2, &px, q, 1)); \
    assert_true(q[0] == 4); \
    OK(batched_##asum##_variable(ctx, 3, one, &px, q, 1)); \
    assert_true(q[0] == 1); \
    OK(batched_##t##swap_strided(ctx, 3, x, 3, y, 3, 1)); \
    assert_true(x[0] == 2 && x[2] == 1 && y[1] == -3 && y[2] == 3); \
    OK(batched_##t##swap(ctx, 2, &px, &py, 1)); \
    assert_true(x[0] == 1 && x[1] == -3 && x[2] == 1 && y[0] == 2 && y[2] == 3); \
    OK(batched_##t##swap_variable(ctx, 3, one, &px, &py, 1)); \
    assert_true(x[0] == 2 && x[1] == -3 && y[0] == 1 && y[1] == 0); \
    OK(batched_##ger##_strided(ctx, 2, 2, 2, x, 3, y, 3, a, 3, 6, 1)); \
    assert_true(a[0] == 5 && a[1] == -4 && a[2] == 7 && a[3] == 3 && a[4] == 4 && a[5] == 7); \
    OK(batched_##ger(ctx, 2, 1, -1, &px, &py, &pa, 3, 1)); \
    assert_true(a[0] == 3 && a[1] == -1 && a[3] == 3); \
    OK(batched_##ger##_variable(ctx, 2, one, 2, two, 3, &px, &py, &pa, 4, three, 1)); \
    assert_true(a[0] == 9 && a[1] == -1 && a[3] == 3 && a[4] == 4); \
    OK(batched_##t##laset_triangle_strided(ctx, BATCHED_LOWER, 2, 2, 1, -2, a, 3, 6, 1)); \
    assert_true(a[0] == -2 && a[1] == 1 && a[2] == 7 && a[3] == 3 && a[4] == -2 && a[5] == 7); \
    OK(batched_##t##laset_triangle(ctx, BATCHED_UPPER, 2, 2, 5, 6, &pa, 3, 1)); \
    assert_true(a[0] == 6 && a[1] == 1 && a[3] == 5 && a[4] == 6); \
    OK(batched_##t##laset_triangle_variable(ctx, BATCHED_UPPER, 2, one, 2, two, 8, 9, &pa, 4, three, 1)); \
    assert_true(a[0] == 9 && a[1] == 1 && a[3] == 8 && a[4] == 6); \
    for (int i = 0; i < 6; i++) c[i] = 0; \
    OK(batched_##t##lacpy_triangle_strided(ctx, BATCHED_LOWER, 2, 2, a, 3, 6, c, 2, 4, 1)); \
    assert_true(c[0] == 9 && c[1] == 1 && c[2] == 0 && c[3] == 6); \
    OK(batched_##t##lacpy_triangle(ctx, BATCHED_UPPER, 1, 2, &pa, 3, &pc, 2, 1)); \
    assert_true(c[0] == 9 && c[1] == 1 && c[2] == 8 && c[3] == 6); \
    c[0] = c[1] = 0; \
    OK(batched_##t##lacpy_triangle_variable(ctx, BATCHED_LOWER, 2, two, 2, one, &pa, 4, three, &pc, 2, NULL, 1)); \
    assert_true(c[0] == 9 && c[1] == 1 && c[2] == 8); \
  }
MORE_VECTORS_TEST(s, float, float, isamax, sasum, sger)
MORE_VECTORS_TEST(d, double, double, idamax, dasum, dger)
MORE_VECTORS_TEST(c, float complex, float, icamax, scasum, cgeru)
MORE_VECTORS_TEST(z, double complex, double, izamax, dzasum, zgerc)

/* B = 2 A^T, with A 2 x 3 and B 3 x 2 in other columns; its first column alone; and A itself. */
#define OMATCOPY_TEST(t, T) \
  static void test_##t##omatcopy(void **unused) \
  { \
    (void)unused; \
    T a[] = {1, 2, -9, 3, 4, -9, 5, 6}, b[8], c[8], e[6], *pa = a, *pb = b, *pc = c; \
    int ms[] = {1}, ns[] = {3}, lds[] = {4}; \
    for (int i = 0; i < 8; i++) b[i] = c[i] = 7; \
    OK(batched_##t##omatcopy_strided(ctx, BATCHED_TRANS, 2, 3, 2, a, 3, 8, b, 4, 8, 1)); \
    assert_true(b[0] == 2 && b[1] == 6 && b[2] == 10 && b[4] == 4 && b[5] == 8 && b[6] == 12); \
    assert_true(b[3] == 7 && b[7] == 7); \
    OK(batched_##t##omatcopy_variable(ctx, BATCHED_TRANS, 2, ms, 3, ns, 1, &pa, 3, NULL, &pc, 4, lds, 1)); \
    assert_true(c[0] == 1 && c[1] == 3 && c[2] == 5 && c[3] == 7 && c[4] == 7); \
    OK(batched_##t##omatcopy(ctx, BATCHED_CONJ_TRANS, 2, 3, 1, &pa, 3, &pb, 3, 1)); \
    assert_true(b[0] == 1 && b[1] == 3 && b[2] == 5 && b[3] == 2 && b[4] == 4 && b[5] == 6); \
    OK(batched_##t##omatcopy_strided(ctx, BATCHED_NO_TRANS, 2, 3, -1, a, 3, 8, e, 2, 6, 1)); \
    for (int i = 0; i < 6; i++) assert_true(e[i] == -(1 + i)); \
    a[0] = (T)NAN; /* which alpha = 0 does not pass on */ \
    OK(batched_##t##omatcopy_strided(ctx, BATCHED_TRANS, 2, 3, 0, a, 3, 8, e, 3, 6, 1)); \
    for (int i = 0; i < 6; i++) assert_true(e[i] == 0); \
    assert_int_equal(batched_##t##omatcopy_strided(ctx, BATCHED_TRANS, 2, 3, 2, a, 3, 8, b, 2, 8, 1), -4); \
  }
OMATCOPY_TEST(s, float)
OMATCOPY_TEST(d, double)
OMATCOPY_TEST(c, float complex)
OMATCOPY_TEST(z, double complex)

/* A = [1 2; 2 3] by its lower triangle, B = (1, 2), C = [4 .; 1 5]. */
#define SYMMETRIC_TEST(symv, syrk, trans, T) \
  static void test_##symv##_and_##syrk(void **unused) \
  { \
    (void)unused; \
    T a[] = {1, 2, -9, 3}, x[] = {1, 1}, y[] = {1, 0}, *pa = a, *px = x, *py = y; \
    T b[] = {1, 2}, c[] = {4, 1, -9, 5}, *pb = b, *pc = c; \
    int ns[] = {1}, ks[] = {1}, ld[] = {2}; \
    OK(batched_##symv##_strided(ctx, BATCHED_LOWER, 2, 2, a, 2, 4, x, 2, 3, y, 2, 1)); \
    assert_true(y[0] == 9 && y[1] == 10); \
    OK(batched_##symv(ctx, BATCHED_LOWER, 2, 1, &pa, 2, &px, -1, &py, 1)); \
    assert_true(y[0] == -6 && y[1] == -5); \
    OK(batched_##symv##_variable(ctx, BATCHED_LOWER, 2, ns, 1, &pa, 3, ld, &px, -1, &py, 1)); \
    assert_true(y[0] == 7 && y[1] == -5); \
    OK(batched_##syrk##_strided(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, 2, 1, 2, b, 2, 2, 1, c, 2, 4, 1)); \
    assert_true(c[0] == 6 && c[1] == 5 && c[2] == -9 && c[3] == 13); \
    OK(batched_##syrk(ctx, BATCHED_UPPER, trans, 1, 2, 1, &pb, 2, 2, &pc, 2, 1)); \
    assert_true(c[0] == 17 && c[1] == 5 && c[3] == 13); \
    OK(batched_##syrk##_variable(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, 2, ns, 1, ks, 1, &pb, 2, NULL, 0, &pc, 2, NULL, \
                                 1)); \
    assert_true(c[0] == 1 && c[1] == 5 && c[3] == 13); \
  }
SYMMETRIC_TEST(ssymv, ssyrk, BATCHED_TRANS, float)
SYMMETRIC_TEST(dsymv, dsyrk, BATCHED_TRANS, double)
SYMMETRIC_TEST(csymv, csyrk, BATCHED_TRANS, float complex)
SYMMETRIC_TEST(zsymv, zsyrk, BATCHED_TRANS, double complex)
SYMMETRIC_TEST(chemv, cherk, BATCHED_CONJ_TRANS, float complex)
SYMMETRIC_TEST(zhemv, zherk, BATCHED_CONJ_TRANS, double complex)

/* x^H y, and a Hermitian matrix: what conjugates is not what does not. */
static void test_conjugates(void **unused)
{
  (void)unused;
  double complex x[] = {I, 2}, y[] = {I, 1}, r[1], a[] = {1, 2 + I, 0, 3}, z[] = {0, 0};
  OK(batched_zomatcopy_strided(ctx, BATCHED_CONJ_TRANS, 2, 1, I, x, 2, 2, z, 1, 2, 1));
  assert_true(z[0] == 1 && z[1] == 2 * I);
  OK(batched_zomatcopy_strided(ctx, BATCHED_TRANS, 2, 1, I, x, 2, 2, z, 1, 2, 1));
  assert_true(z[0] == -1 && z[1] == 2 * I);
  OK(batched_zdotc_strided(ctx, 2, x, 2, y, 2, r, 1));
  assert_true(r[0] == 3);
  OK(batched_zdotu_strided(ctx, 2, x, 2, y, 2, r, 1));
  assert_true(r[0] == 1);
  OK(batched_zhemv_strided(ctx, BATCHED_LOWER, 2, 1, a, 2, 4, x, 2, 0, z, 2, 1));
  assert_true(z[0] == I + 2 * (2 - I) && z[1] == I * (2 + I) + 6);
  OK(batched_zsymv_strided(ctx, BATCHED_LOWER, 2, 1, a, 2, 4, x, 2, 0, z, 2, 1));
  assert_true(z[0] == I + 2 * (2 + I) && z[1] == I * (2 + I) + 6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_svectors),         cmocka_unit_test(test_dvectors),
    cmocka_unit_test(test_cvectors),         cmocka_unit_test(test_zvectors),
    cmocka_unit_test(test_somatcopy),        cmocka_unit_test(test_domatcopy),
    cmocka_unit_test(test_comatcopy),        cmocka_unit_test(test_zomatcopy),
    cmocka_unit_test(test_ssymv_and_ssyrk),  cmocka_unit_test(test_dsymv_and_dsyrk),
    cmocka_unit_test(test_csymv_and_csyrk),  cmocka_unit_test(test_zsymv_and_zsyrk),
    cmocka_unit_test(test_chemv_and_cherk),  cmocka_unit_test(test_zhemv_and_zherk),
    cmocka_unit_test(test_ssymm_and_ssyr2k), cmocka_unit_test(test_dsymm_and_dsyr2k),
    cmocka_unit_test(test_csymm_and_csyr2k), cmocka_unit_test(test_zsymm_and_zsyr2k),
    cmocka_unit_test(test_chemm_and_cher2k), cmocka_unit_test(test_zhemm_and_zher2k),
    cmocka_unit_test(test_smore_vectors),    cmocka_unit_test(test_dmore_vectors),
    cmocka_unit_test(test_cmore_vectors),    cmocka_unit_test(test_zmore_vectors),
    cmocka_unit_test(test_conjugates),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

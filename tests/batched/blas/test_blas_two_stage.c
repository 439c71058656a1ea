/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers of the reduction in two stages: each passes its arguments on to the right place.  Products with
 * Q1 and Q2 undo what the two stages did, by each kind of name.
 */
#include <complex.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched_blas.h"
#include "tests/batched/host_context.h"

#define OK(call) assert_int_equal(call, 0)
#define NEAR(x, y) assert_true(cabs((double complex)((x) - (y))) < 1e-4)

enum { N = 5, KD = 2, LDA = 6, LDAB = 4, LDV = 7, LDC = 8 };

/* A's entries in an array of leading dimension ld */
#define FILL(a, ld) \
  for (int j = 0; j < N; j++) \
    for (int i = 0; i < N; i++) (a)[i + j * (ld)] = i == j ? 2 + i : 1 + i + j + i * j % 3;

/* C = T from d and e */
#define TRIDIAGONAL(c, d, e) \
  for (int j = 0; j < N; j++) \
    for (int i = 0; i < N; i++) (c)[i + j * LDC] = i == j ? (d)[i] : i == j + 1 ? (e)[j] : j == i + 1 ? (e)[i] : 0;

#define IS_FILLED(c) \
  for (int j = 0; j < N; j++) \
    for (int i = 0; i < N; i++) NEAR((c)[i + j * LDC], (i == j ? 2 + i : 1 + i + j + i * j % 3));

/* A = Q1 Q2 T Q2^H Q1^H by each kind of name: LOWER by strided ones, UPPER by the other two. */
#define TWO_STAGE_TEST(t, to_band, from_band, by_band, by_tridiagonal, T, R) \
  static void test_##t(void **unused) \
  { \
    (void)unused; \
    const batched_side left = BATCHED_LEFT, right = BATCHED_RIGHT; \
    const batched_uplo low = BATCHED_LOWER, up = BATCHED_UPPER; \
    const batched_trans no = BATCHED_NO_TRANS, conj = BATCHED_CONJ_TRANS; \
    const batched_job job = BATCHED_VECTORS; \
    const int n[] = {N}, rest[] = {N - KD}, less[] = {N - 1}, lda[] = {LDA}, ldab[] = {LDAB}, ldv[] = {LDV}, \
              ldc[] = {LDC}; \
    T a[LDA * N], ab[LDAB * N], tau[N], v[LDV * N], c[LDC * N], *pa = a, *pab = ab, *pt = tau, *pv = v, *pc = c; \
    R d[N], e[N], *pd = d, *pe = e; \
    FILL(a, LDA) \
    OK(batched_##to_band##_strided(ctx, low, N, KD, a, LDA, LDA *N, ab, LDAB, LDAB *N, tau, N, 1)); \
    OK(batched_##from_band##_strided(ctx, job, low, N, KD, ab, LDAB, LDAB *N, d, N, e, N, v, LDV, LDV *N, 1)); \
    TRIDIAGONAL(c, d, e) \
    OK(batched_##by_tridiagonal##_strided(ctx, left, no, N, N, KD, v, LDV, LDV *N, c, LDC, LDC *N, 1)); \
    OK(batched_##by_band##_strided(ctx, left, low, no, N, N, KD, a, LDA, LDA *N, tau, N, c, LDC, LDC *N, 1)); \
    OK(batched_##by_tridiagonal##_strided(ctx, right, conj, N, N, KD, v, LDV, LDV *N, c, LDC, LDC *N, 1)); \
    OK(batched_##by_band##_strided(ctx, right, low, conj, N, N, KD, a, LDA, LDA *N, tau, N, c, LDC, LDC *N, 1)); \
    IS_FILLED(c) \
    FILL(a, LDA) \
    OK(batched_##to_band(ctx, up, N, KD, &pa, LDA, &pab, LDAB, &pt, 1)); \
    OK(batched_##from_band(ctx, job, up, N, KD, &pab, LDAB, &pd, &pe, &pv, LDV, 1)); \
    TRIDIAGONAL(c, d, e) \
    OK(batched_##by_tridiagonal(ctx, left, no, N, N, KD, &pv, LDV, &pc, LDC, 1)); \
    OK(batched_##by_band(ctx, left, up, no, N, N, KD, &pa, LDA, &pt, &pc, LDC, 1)); \
    OK(batched_##by_tridiagonal(ctx, right, conj, N, N, KD, &pv, LDV, &pc, LDC, 1)); \
    OK(batched_##by_band(ctx, right, up, conj, N, N, KD, &pa, LDA, &pt, &pc, LDC, 1)); \
    IS_FILLED(c) \
    FILL(a, LDA) \
    OK(batched_##to_band##_variable(ctx, up, N, n, rest, KD, &pa, LDA, lda, &pab, LDAB, ldab, &pt, 1)); \
    OK(batched_##from_band##_variable(ctx, job, up, N, n, less, KD, &pab, LDAB, ldab, &pd, &pe, &pv, LDV, ldv, 1)); \
    TRIDIAGONAL(c, d, e) \
    OK(batched_##by_tridiagonal##_variable(ctx, left, no, N, n, N, n, KD, &pv, LDV, ldv, &pc, LDC, ldc, 1)); \
    OK(batched_##by_band##_variable(ctx, left, up, no, N, n, N, n, rest, KD, &pa, LDA, lda, &pt, &pc, LDC, ldc, 1)); \
    OK(batched_##by_tridiagonal##_variable(ctx, right, conj, N, n, N, n, KD, &pv, LDV, ldv, &pc, LDC, ldc, 1)); \
    OK( \
      batched_##by_band##_variable(ctx, right, up, conj, N, n, N, n, rest, KD, &pa, LDA, lda, &pt, &pc, LDC, ldc, 1)); \
    IS_FILLED(c) \
  }
TWO_STAGE_TEST(s, ssytrd_sy2sb, ssytrd_sb2st, sormtr_sy2sb, sormtr_sb2st, float, float)
TWO_STAGE_TEST(d, dsytrd_sy2sb, dsytrd_sb2st, dormtr_sy2sb, dormtr_sb2st, double, double)
TWO_STAGE_TEST(c, chetrd_he2hb, chetrd_hb2st, cunmtr_he2hb, cunmtr_hb2st, float complex, float)
TWO_STAGE_TEST(z, zhetrd_he2hb, zhetrd_hb2st, zunmtr_he2hb, zunmtr_hb2st, double complex, double)

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_s), cmocka_unit_test(test_d), cmocka_unit_test(test_c),
                                     cmocka_unit_test(test_z)};
  return cmocka_run_group_tests(tests, setup, teardown);
}

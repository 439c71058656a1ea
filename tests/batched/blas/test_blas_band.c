/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The typed wrappers for band matrices: each passes its arguments on to the right place.  Exact small integers.
 */
#include <complex.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "batched/batched_blas.h"
#include "tests/batched/host_context.h"

#define OK(call) assert_int_equal(call, 0)

/* A = [2 1; 4 3], so that P A = [1 0; .5 1] [4 3; 0 -.5], in storage of kl = ku = 1 with 4 rows. */
#define GB_TEST(t, T) \
  static void test_##t##gb(void **unused) \
  { \
    (void)unused; \
    T a[] = {7, 7, 2, 4, 7, 1, 3, 7}, d[] = {7, 7, 2, 4, 7, 1, 3, 7}, e[] = {7, 7, 2, 4, 7, 1, 3, 7}, *pd = d, \
      *pe = e; \
    int ipiv[2], info = 7, ns[] = {1}, one[] = {1}; \
    OK(batched_##t##gbtrf_strided(ctx, 2, 2, 1, 1, a, 4, 8, ipiv, &info, 1)); \
    assert_true(a[2] == 4 && a[3] == 0.5 && a[5] == 3 && a[6] == -0.5 && a[7] == 7 && a[0] == 7); \
    assert_true(ipiv[0] == 2 && ipiv[1] == 2 && info == 0); \
    OK(batched_##t##gbtrf(ctx, 2, 2, 1, 1, &pd, 4, ipiv, &info, 1)); \
    for (int i = 2; i < 8; i++) assert_true(d[i] == a[i]); \
    OK(batched_##t##gbtrf_variable(ctx, 2, ns, 2, NULL, 1, one, 1, NULL, &pe, 4, NULL, ipiv, &info, 1)); \
    assert_true(e[2] == 2 && e[3] == 4 && e[5] == 1 && e[6] == 3); \
    T x[] = {3, 7, 4, 10}, y[] = {4, 10}, z[] = {2, 1}, *py = y, *pz = z; \
    ipiv[0] = ipiv[1] = 2; \
    OK(batched_##t##gbtrs_strided(ctx, BATCHED_NO_TRANS, 2, 1, 1, 2, a, 4, 8, ipiv, x, 2, 4, 1)); \
    assert_true(x[0] == 1 && x[1] == 1 && x[2] == 1 && x[3] == 2); \
    OK(batched_##t##gbtrs(ctx, BATCHED_NO_TRANS, 2, 1, 1, 1, &pd, 4, ipiv, &py, 2, 1)); \
    assert_true(y[0] == 1 && y[1] == 2); \
    ipiv[0] = 1; \
    OK(batched_##t##gbtrs_variable(ctx, BATCHED_TRANS, 2, ns, 1, one, 1, one, 1, NULL, &pe, 4, NULL, ipiv, &pz, 2, \
                                   NULL, 1)); \
    assert_true(z[0] == 1 && z[1] == 1); \
    T g[] = {7, 7, 2, 4, 7, 1, 3, 7}, h[] = {7, 7, 2, 4, 7, 1, 3, 7}, k[] = {7, 7, 2, 4, 7, 1, 3, 7}, *ph = h, \
      *pk = k; \
    T u[] = {3, 7}, v[] = {4, 10}, w[] = {6, 9}, *pv = v, *pw = w; \
    OK(batched_##t##gbsv_strided(ctx, 2, 1, 1, 1, g, 4, 8, ipiv, u, 2, 2, &info, 1)); \
    OK(batched_##t##gbsv(ctx, 2, 1, 1, 1, &ph, 4, ipiv, &pv, 2, &info, 1)); \
    OK(batched_##t##gbsv_variable(ctx, 2, ns, 1, one, 1, one, 1, NULL, &pk, 4, NULL, ipiv, &pw, 2, NULL, &info, 1)); \
    assert_true(u[0] == 1 && u[1] == 1 && v[0] == 1 && v[1] == 2 && w[0] == 3 && w[1] == 9); \
    T m[] = {7, 2, 4, 1, 3, 7}, in[] = {1, 2}, out[] = {1, 1}, *pm = m, *pin = in, *pout = out; \
    OK(batched_##t##gbmv_strided(ctx, BATCHED_NO_TRANS, 2, 2, 1, 1, 2, m, 3, 6, in, 2, 3, out, 2, 1)); \
    assert_true(out[0] == 11 && out[1] == 23); \
    OK(batched_##t##gbmv(ctx, BATCHED_TRANS, 2, 2, 1, 1, 1, &pm, 3, &pin, 0, &pout, 1)); \
    assert_true(out[0] == 10 && out[1] == 7); \
    OK(batched_##t##gbmv_variable(ctx, BATCHED_NO_TRANS, 2, ns, 2, NULL, 1, one, 1, NULL, 1, &pm, 3, NULL, &pin, 0, \
                                  &pout, 1)); \
    assert_true(out[0] == 4 && out[1] == 7); \
  }
GB_TEST(s, float)
GB_TEST(d, double)
GB_TEST(c, float complex)
GB_TEST(z, double complex)

/* A = [4 2; 2 10] = L L^T with L = [2 0; 1 3]. */
#define PB_TEST(t, T) \
  static void test_##t##pb(void **unused) \
  { \
    (void)unused; \
    T a[] = {4, 2, 10, 7}, d[] = {7, 4, 2, 10}, e[] = {4, 2, 10, 7}, *pd = d, *pe = e; \
    int info = 7, ns[] = {1}, one[] = {1}; \
    OK(batched_##t##pbtrf_strided(ctx, BATCHED_LOWER, 2, 1, a, 2, 4, &info, 1)); \
    OK(batched_##t##pbtrf(ctx, BATCHED_UPPER, 2, 1, &pd, 2, &info, 1)); \
    OK(batched_##t##pbtrf_variable(ctx, BATCHED_LOWER, 2, ns, 1, one, &pe, 2, NULL, &info, 1)); \
    assert_true(a[0] == 2 && a[1] == 1 && a[2] == 3 && a[3] == 7 && d[0] == 7 && d[1] == 2 && d[2] == 1 && d[3] == 3); \
    assert_true(e[0] == 2 && e[1] == 2 && e[2] == 10 && info == 0); \
    T x[] = {6, 12}, y[] = {8, 22}, z[] = {8, 5}, *py = y, *pz = z; \
    OK(batched_##t##pbtrs_strided(ctx, BATCHED_LOWER, 2, 1, 1, a, 2, 4, x, 2, 2, 1)); \
    OK(batched_##t##pbtrs(ctx, BATCHED_UPPER, 2, 1, 1, &pd, 2, &py, 2, 1)); \
    OK(batched_##t##pbtrs_variable(ctx, BATCHED_LOWER, 2, ns, 1, NULL, 1, NULL, &pe, 2, NULL, &pz, 2, NULL, 1)); \
    assert_true(x[0] == 1 && x[1] == 1 && y[0] == 1 && y[1] == 2 && z[0] == 2 && z[1] == 5); \
    T g[] = {4, 2, 10, 7}, h[] = {7, 4, 2, 10}, k[] = {4, 2, 10, 7}, *ph = h, *pk = k; \
    T u[] = {6, 12}, v[] = {8, 22}, w[] = {8, 5}, *pv = v, *pw = w; \
    OK(batched_##t##pbsv_strided(ctx, BATCHED_LOWER, 2, 1, 1, g, 2, 4, u, 2, 2, &info, 1)); \
    OK(batched_##t##pbsv(ctx, BATCHED_UPPER, 2, 1, 1, &ph, 2, &pv, 2, &info, 1)); \
    OK(batched_##t##pbsv_variable(ctx, BATCHED_LOWER, 2, ns, 1, one, 1, NULL, &pk, 2, NULL, &pw, 2, NULL, &info, 1)); \
    assert_true(u[0] == 1 && u[1] == 1 && v[0] == 1 && v[1] == 2 && w[0] == 2 && w[1] == 5); \
    T p[] = {2, 5}, q[] = {4, 7}, r[] = {4, 7}, *pq = q, *pr = r; \
    OK(batched_##t##tbsv_strided(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_UNIT, 2, 1, a, 2, 4, p, 2, 1)); \
    OK(batched_##t##tbsv(ctx, BATCHED_UPPER, BATCHED_TRANS, BATCHED_NON_UNIT, 2, 1, &pd, 2, &pq, 1)); \
    OK(batched_##t##tbsv_variable(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, 2, ns, 1, one, &pe, 2, NULL, \
                                  &pr, 1)); \
    assert_true(p[0] == 2 && p[1] == 3 && q[0] == 2 && q[1] * 3 == 5 && r[0] == 2 && r[1] == 7); \
  }
PB_TEST(s, float)
PB_TEST(d, double)
PB_TEST(c, float complex)
PB_TEST(z, double complex)

/* A = [2 1; 4 3] once more; and [4 2; 2 10] = L D L^T with L = [1 0; .5 1], D = diag(4, 9). */
#define GT_TEST(t, T, R, ...) \
  static void test_##t##gt(void **unused) \
  { \
    (void)unused; \
    T d[] = {2, 3}, dl[] = {4}, du[] = {1}, f[] = {2, 3}, fl[] = {4}, fu[] = {1}, none[1], *p = f, *pl = fl, *pu = fu, \
      *pn = none; \
    T g[] = {2, 3}, gl[] = {4}, gu[] = {1}, *pg = g, *pgl = gl, *pgu = gu; \
    int ipiv[2], info = 7, ns[] = {1}; \
    OK(batched_##t##gttrf_strided(ctx, 2, dl, 1, d, 2, du, 1, none, 1, ipiv, &info, 1)); \
    assert_true(d[0] == 4 && d[1] == -0.5 && dl[0] == 0.5 && du[0] == 3 && ipiv[0] == 2 && info == 0); \
    OK(batched_##t##gttrf(ctx, 2, &pl, &p, &pu, &pn, ipiv, &info, 1)); \
    assert_true(f[0] == 4 && f[1] == -0.5 && fl[0] == 0.5 && fu[0] == 3 && ipiv[0] == 2); \
    OK(batched_##t##gttrf_variable(ctx, 2, ns, &pgl, &pg, &pgu, &pn, ipiv, &info, 1)); \
    assert_true(g[0] == 2 && gl[0] == 4 && ipiv[0] == 1); \
    T x[] = {3, 7}, y[] = {4, 10}, z[] = {2, 5}, *py = y, *pz = z; \
    ipiv[0] = ipiv[1] = 2; \
    OK(batched_##t##gttrs_strided(ctx, BATCHED_NO_TRANS, 2, 1, dl, 1, d, 2, du, 1, none, 1, ipiv, x, 2, 2, 1)); \
    OK(batched_##t##gttrs(ctx, BATCHED_NO_TRANS, 2, 1, &pl, &p, &pu, &pn, ipiv, &py, 2, 1)); \
    ipiv[0] = 1; \
    OK(batched_##t##gttrs_variable(ctx, BATCHED_TRANS, 2, ns, 1, NULL, &pgl, &pg, &pgu, &pn, ipiv, &pz, 2, NULL, 1)); \
    assert_true(x[0] == 1 && x[1] == 1 && y[0] == 1 && y[1] == 2 && z[0] == 1 && z[1] == 5); \
    T h[] = {2, 3}, hl[] = {4}, hu[] = {1}, i[] = {2, 3}, il[] = {4}, iu[] = {1}, *pi = i, *pil = il, *piu = iu; \
    T u[] = {3, 7}, v[] = {4, 10}, w[] = {4, 10}, *pv = v, *pw = w; \
    OK(batched_##t##gtsv_strided(ctx, 2, 1, hl, 1, h, 2, hu, 1, u, 2, 2, &info, 1)); \
    OK(batched_##t##gtsv(ctx, 2, 1, &pil, &pi, &piu, &pv, 2, &info, 1)); \
    OK(batched_##t##gtsv_variable(ctx, 2, ns, 1, NULL, &pgl, &pg, &pgu, &pw, 2, NULL, &info, 1)); \
    assert_true(u[0] == 1 && u[1] == 1 && v[0] == 1 && v[1] == 2 && w[0] == 2 && w[1] == 10); \
    R q[] = {4, 10}, r[] = {4, 10}, s[] = {4, 10}, *pr = r, *ps = s; \
    T e[] = {2}, k[] = {2}, l[] = {2}, *pk = k, *pe = l; \
    OK(batched_##t##pttrf_strided(ctx, 2, q, 2, e, 1, &info, 1)); \
    OK(batched_##t##pttrf(ctx, 2, &pr, &pk, &info, 1)); \
    OK(batched_##t##pttrf_variable(ctx, 2, ns, &ps, &pe, &info, 1)); \
    assert_true(q[0] == 4 && q[1] == 9 && e[0] == 0.5 && r[1] == 9 && k[0] == 0.5 && s[1] == 10 && l[0] == 2); \
    T a[] = {6, 12}, b[] = {8, 22}, c[] = {8, 5}, *pb = b, *pc = c; \
    OK(batched_##t##pttrs_strided(ctx, __VA_ARGS__ 2, 1, q, 2, e, 1, a, 2, 2, 1)); \
    OK(batched_##t##pttrs(ctx, __VA_ARGS__ 2, 1, &pr, &pk, &pb, 2, 1)); \
    OK(batched_##t##pttrs_variable(ctx, __VA_ARGS__ 2, ns, 1, NULL, &ps, &pe, &pc, 2, NULL, 1)); \
    assert_true(a[0] == 1 && a[1] == 1 && b[0] == 1 && b[1] == 2 && c[0] == 2 && c[1] == 5); \
    R m[] = {4, 10}, n[] = {4, 10}, o[] = {4, 10}, *pm = n, *po = o; \
    T me[] = {2}, ne[] = {2}, *pne = ne, aa[] = {6, 12}, bb[] = {8, 22}, cc[] = {8, 5}, *pbb = bb, *pcc = cc; \
    OK(batched_##t##ptsv_strided(ctx, 2, 1, m, 2, me, 1, aa, 2, 2, &info, 1)); \
    OK(batched_##t##ptsv(ctx, 2, 1, &pm, &pne, &pbb, 2, &info, 1)); \
    OK(batched_##t##ptsv_variable(ctx, 2, ns, 1, NULL, &po, &pe, &pcc, 2, NULL, &info, 1)); \
    assert_true(aa[0] == 1 && aa[1] == 1 && bb[0] == 1 && bb[1] == 2 && cc[0] == 2 && cc[1] == 5 && info == 0); \
  }
GT_TEST(s, float, float)
GT_TEST(d, double, double)
GT_TEST(c, float complex, float, BATCHED_LOWER, )
GT_TEST(z, double complex, double, BATCHED_LOWER, )

int main(void)
{
#define EACH(f) \
  cmocka_unit_test(test_s##f), cmocka_unit_test(test_d##f), cmocka_unit_test(test_c##f), cmocka_unit_test(test_z##f)
  const struct CMUnitTest tests[] = {EACH(gb), EACH(pb), EACH(gt)};
  return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Bidiagonal reduction: |A - Q B P^H| / (|A| max(m, n) eps), and |Q^H Q - I| and |P^H P - I| over order and eps, with Q
 * and P rebuilt from the stored reflectors; d and e against host.ref's; LAPACK's 16 kinds of matrices (dchkbd).
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/condensed/agreement.h"

/* Of residuals and orthogonality. */
enum { LIMIT = 30 };

/* flags: vectors as columns or as rows */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {1, 4, 0},   {4, 1, 0},   {5, 3, 0},    {3, 5, 0},
  {4, 4, 0},   {0, 3, 0},   {3, 0, 0},   {2, 3, 0},   {3, 2, 0},   {8, 8, 0},   {9, 7, 0},    {7, 9, 0},
  {10, 10, 0}, {15, 16, 0}, {16, 16, 0}, {17, 17, 0}, {17, 5, 0},  {31, 31, 0}, {31, 32, 0},  {32, 32, 0},
  {32, 31, 0}, {33, 33, 0}, {32, 70, 0}, {70, 32, 0}, {48, 48, 0}, {63, 63, 0}, {64, 64, 0},  {65, 65, 0},
  {64, 40, 0}, {40, 64, 0}, {97, 96, 0}, {96, 97, 0}, {100, 3, 0}, {3, 100, 0}, {129, 20, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {128, 128, 0},   {129, 129, 0}, {200, 200, 0},
                                      {256, 256, 0}, {257, 257, 0},   {300, 150, 0}, {90, 260, 0},
                                      {512, 512, 0}, {400, 400, 0},   {1100, 70, 0}, {480, 480, 0},
                                      {481, 481, 0}, {1024, 1024, 0}, {70, 1100, 0}, {-1}};

/* Each kernel, by few columns: cuda.lanes of 8, 16 and 32 rows, tiles of cuda.registers, rows per lane of the others;
 * several panels. */
static const int quick_shapes[][5] = {
  {8, 5, 0, 0, 2},
  {7, 15, 0, 1, 2},
  {31, 31, 0, 0, 2},
  {6, 4, 0, 0, 1},
  {34, 36, 0, 1, 1},
  {5, 40, 0, 1, 1},
  {5, 70, 0, 1, 1},
  {100, 6, 0, 0, 1},
  {116, 30, 0, 1, 1},
  {130, 5, 0, 0, 1},
  {200, 5, 0, 1, 1},
  {390, 4, 0, 0, 1},
  {34, 200, 0, 1, 1},
  {250, 120, 0, 0, 1},
  {200, 4, 0, 1, 1},
  {260, 4, 0, 0, 1},
  {520, 3, 0, 1, 1},
  {1030, 3, 0, 0, 1},
  {2, 2060, 0, 0, 1},
  {4100, 2, 0, 1, 1},
  {8200, 2, 0, 0, 1},
  {30000, 2, 0, 0, 1},
  {-1},
};
static const char *const quick_of[] = {
  "sdcz cuda.lanes,cuda.registers,cuda.shared,cuda.unblocked,cuda.blocked",
  "sdcz cuda.lanes",
  "sdc cuda.lanes",
  "d cuda.tuned,cuda.switched,cuda.padded",
  "d cuda.registers,cuda.blocked",
  "sdcz cuda.shared",
  "sdcz cuda.registers,cuda.shared",
  "sdcz cuda.registers,cuda.fused",
  "d cuda.fused",
  "sdc cuda.shared",
  "sdc cuda.shared,cuda.fused",
  "s cuda.fused",
  "d cuda.panels",
  "s cuda.panels",
  "cz cuda.panels",
  "sdcz cuda.panels",
  "sdcz cuda.panels,cuda.native",
  "sdcz cuda.panels",
  "sdcz cuda.native",
  "sdcz cuda.native",
  "sdc cuda.native",
  "z cuda.native",
};
_Static_assert(sizeof quick_of / sizeof *quick_of + 1 == sizeof quick_shapes / sizeof *quick_shapes, "");

/* dchkbd's, in its order */
static const char *const lapack_kinds[] = {"zero",
                                           "identity",
                                           "even diagonal",
                                           "geometric diagonal",
                                           "clustered diagonal",
                                           "even diagonal, nearly overflowing",
                                           "even diagonal, nearly underflowing",
                                           "even values",
                                           "geometric values",
                                           "clustered values",
                                           "even values, nearly overflowing",
                                           "even values, nearly underflowing",
                                           "uniform",
                                           "uniform, nearly overflowing",
                                           "uniform, nearly underflowing",
                                           "log-uniform bidiagonal",
                                           NULL};

/* The last rows of which cuda.panels has columns in registers: 512 in z, 1024 in others. */
static const int edge_shapes[][3] = {{513, 513, 0}, {1025, 400, 0}, {400, 1025, 0}, {1025, 1025, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  const int k = least(c->m, c->n);
  const bool row = c->flags % 2;
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = oracle_reals(k, row);
  o[2] = oracle_reals(most(k - 1, 0), row);
  o[3] = oracle_vector(SWEEP_OUT, k, row);
  o[4] = oracle_vector(SWEEP_OUT, k, row);
}

static void log_uniform_bidiagonal(const sweep_case *c, sweep_dense x)
{
  const long double range = 2 * logl(2 * sweep_eps(c->type));
  oracle_clear(x);
  for (int i = 0; i < least(x.m, x.n); i++) {
    SWEEP_AT(x, i, i) = expl(range * sweep_uniform());
    if (x.m >= x.n && i + 1 < x.n) SWEEP_AT(x, i, i + 1) = expl(range * sweep_uniform());
    if (x.m < x.n && i + 1 < x.m) SWEEP_AT(x, i + 1, i) = expl(range * sweep_uniform());
  }
}

static void fill_lapack(const sweep_case *c, int kind, sweep_dense x)
{
  static const oracle_spread spreads[] = {EVEN, GEOMETRIC, CLUSTERED, EVEN, EVEN};
  switch (kind) {
  case 0: oracle_clear(x); return;
  case 12:
  case 13:
  case 14:
    for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
    break;
  case 15: log_uniform_bidiagonal(c, x); return;
  default:
    oracle_diagonal(c, kind == 1 ? EVEN : spreads[(kind - 2) % 5], kind > 1, x);
    for (int i = 0; kind == 1 && i < least(x.m, x.n); i++) SWEEP_AT(x, i, i) = 1;
    if (kind >= 7) {
      oracle_mix(c, true, false, x);
      oracle_mix(c, false, false, x);
    }
  }
  if (kind == 5 || kind == 10 || kind == 13) oracle_scale(x, oracle_edge(c, true));
  if (kind == 6 || kind == 11 || kind == 14) oracle_scale(x, oracle_edge(c, false));
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  if (c->kind >= SWEEP_KINDS)
    fill_lapack(c, (int)c->kind - SWEEP_KINDS, x);
  else
    sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_gebrd(ctx, x[0], x[1], x[2], x[3], x[4]);
}

/* B out of d and e, which A holds, too. */
static bool bidiagonal(const sweep_dense *after, sweep_dense b)
{
  const bool upper = b.m >= b.n;
  for (int i = 0; i < least(b.m, b.n); i++) {
    SWEEP_AT(b, i, i) = after[1].x[i];
    if (SWEEP_AT(after[0], i, i) != after[1].x[i]) return false;
    if (i == 0) continue;
    const wide beside = after[2].x[i - 1];
    SWEEP_AT(b, upper ? i - 1 : i, upper ? i : i - 1) = beside;
    if (SWEEP_AT(after[0], upper ? i - 1 : i, upper ? i : i - 1) != beside) return false;
  }
  return true;
}

static int reduce(batched_ctx *ctx, const sweep_case *c, batched_matrix a, batched_matrix d, batched_matrix e,
                  batched_matrix q, batched_matrix p)
{
  (void)c;
  q.m = p.m = d.m;
  return batched_gebrd(ctx, a, d, e, q, p);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int m = c->m, n = c->n;
  if (m == 0 || n == 0) return 0;
  sweep_dense product = sweep_new(m, n);
  if (!bidiagonal(after, product)) return NAN;
  const oracle_q q = oracle_gebrd(true, m, n, after[0], after[3]), p = oracle_gebrd(false, m, n, after[0], after[4]);
  /* the last reflector of the shifted ones is none */
  if ((m < n && after[3].x[m - 1] != 0) || (m >= n && after[4].x[n - 1] != 0)) return NAN;
  const long double residual = oracle_reduction_error(c, before[0], product, q, p);
  const long double agreement = c->edge ? 0 : agreement_of(c, &batched_gebrd_op, reduce, before[0], after[1], after[2]);
  return sweep_larger(sweep_larger(residual, LIMIT * agreement),
                      sweep_larger(oracle_orthogonality(c, q), oracle_orthogonality(c, p)));
}

static const sweep_family gebrd = {
  .op = &batched_gebrd_op,
  .nflags = 2,
  .noperands = 5,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick_shapes = quick_shapes,
  .quick_of = quick_of,
  .poisons_scratch = true,
  .compared = "cuda.unblocked,cuda.blocked,cuda.tuned,cuda.switched,cuda.padded",
  .limit = LIMIT,
  .far_apart = 3e4L, // vectors and tau; d and e are compared in ratio()
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .own_kinds = lapack_kinds,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT | 1u << SWEEP_UNEVEN,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* LAPACK's signs: A = (3; 4) has d = -5, v = (1, 1/2), tau = 8/5; its transpose the same with P. */
static void test_conventions(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gebrd_op.variants[BATCHED_HOST]; v->name; v++) {
    for (int wide = 0; wide < 2; wide++) {
      double a[2] = {3, 4}, d[1], tauq[1], taup[1];
      double _Complex z[2] = {3 + 4 * I, 12}, zq[1], zp[1];
      const int m = wide ? 1 : 2, n = wide ? 2 : 1;
      batched_select(ctx, &batched_gebrd_op, v->name);
      const batched_matrix none = batched_strided(d, 0, 1, 1, 1, 1), one = batched_strided(d, 1, 1, 1, 1, 1);
      assert_int_equal(batched_gebrd(ctx, batched_strided(a, m, n, m, 2, 1), one, none,
                                     batched_strided(tauq, 1, 1, 1, 1, 1), batched_strided(taup, 1, 1, 1, 1, 1)),
                       0);
      assert_true(fabs(d[0] + 5) < 1e-14 && fabs(a[0] + 5) < 1e-14 && fabs(a[1] - 0.5) < 1e-14);
      assert_true(fabs((wide ? taup : tauq)[0] - 1.6) < 1e-14 && (wide ? tauq : taup)[0] == 0);
      assert_int_equal(batched_gebrd(ctx, batched_strided(z, m, n, m, 2, 1), one, none,
                                     batched_strided(zq, 1, 1, 1, 1, 1), batched_strided(zp, 1, 1, 1, 1, 1)),
                       0);
      /* a row is taken as its conjugate, and its vector stored as the conjugate again */
      const double _Complex alpha = wide ? 3 - 4.0 * I : 3 + 4.0 * I, stored = 12 / (16 + 4.0 * I);
      assert_true(fabs(d[0] + 13) < 1e-14 && cabs(z[1] - stored) < 1e-14);
      assert_true(cabs((wide ? zp : zq)[0] - (13 + alpha) / 13) < 1e-14);
    }
  }
  batched_destroy(&ctx);
}

/* A NaN in the first column leaves d = NaN, and nothing hangs or fails. */
static void test_not_finite(void **unused)
{
  (void)unused;
  enum { N = 5 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gebrd_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[N * N], d[N], e[N - 1], tauq[N], taup[N];
    sweep_seed(3);
    for (int i = 0; i < N * N; i++) a[i] = (double)sweep_uniform();
    a[2] = __builtin_nan("");
    batched_select(ctx, &batched_gebrd_op, v->name);
    assert_int_equal(batched_gebrd(ctx, batched_strided(a, N, N, N, N * N, 1), batched_strided(d, N, 1, N, N, 1),
                                   batched_strided(e, N - 1, 1, N, N, 1), batched_strided(tauq, N, 1, N, N, 1),
                                   batched_strided(taup, N, 1, N, N, 1)),
                     0);
    assert_true(isnan(d[0]) && isnan(d[N - 1]));
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[12] = {0}, d[4], e[2], q[4], p[4];
  float f[4];
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), vd = batched_strided(d, 2, 1, 2, 2, 2);
  batched_matrix ve = batched_strided(e, 1, 1, 1, 1, 2), vq = batched_strided(q, 2, 1, 2, 2, 2);
  batched_matrix vp = batched_strided(p, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gebrd(NULL, a, vd, ve, vq, vp), -1);
  assert_int_equal(batched_gebrd(ctx, BAD(a, ld, 2), vd, ve, vq, vp), -2);
  assert_int_equal(batched_gebrd(ctx, BAD(a, stride, 0), vd, ve, vq, vp), -2);
  assert_int_equal(batched_gebrd(ctx, a, BAD(vd, m, 1), ve, vq, vp), -3);
  assert_int_equal(batched_gebrd(ctx, a, batched_strided(f, 2, 1, 2, 2, 2), ve, vq, vp), -3);
  assert_int_equal(batched_gebrd(ctx, a, vd, BAD(ve, m, 0), vq, vp), -4);
  assert_int_equal(batched_gebrd(ctx, a, vd, BAD(ve, data, NULL), vq, vp), -4);
  assert_int_equal(batched_gebrd(ctx, a, vd, ve, BAD(vq, count, 1), vp), -5);
  assert_int_equal(batched_gebrd(ctx, a, vd, ve, vq, BAD(vp, stride, 0)), -6);
  assert_int_equal(batched_gebrd(ctx, a, vd, ve, vq, vp), 0);
  batched_destroy(&ctx);
}

static void test_errors_are_seen(void **unused)
{
  (void)unused;
  agreement_sees_errors(&batched_gebrd_op, reduce);
}

static void test_larger(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_gebrd_op, BATCHED_HOST, 16, false, 1, gebrd.nflags);
}

static void test_larger_on_gpu(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_gebrd_op, BATCHED_CUDA, 16, false, 1, gebrd.nflags);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_conventions), cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_errors_are_seen),
                                     cmocka_unit_test(test_larger)},
                          larger[] = {cmocka_unit_test(test_larger_on_gpu)};
  const int status = sweep_main(argc, argv, &gebrd, extra, 5);
  return sweep_then_on_gpu(status, "gebrd, larger matrices", larger, 1);
}

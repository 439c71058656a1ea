/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal reduction: |A - Q T Q^H| / (n |A| eps) and |Q^H Q - I| / (n eps), with Q rebuilt from the stored
 * reflectors; d and e against host.ref's; LAPACK's 21 kinds of matrices (dchkst).
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/condensed/agreement.h"
#include "tests/batched/condensed/lapack_kinds.h"

/* Of residual and orthogonality. */
enum { LIMIT = 30 };

/* flags: uplo (2), vectors as columns or as rows (2) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},     {5, 5, 0},   {7, 7, 0},   {8, 8, 0},
  {10, 10, 0}, {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {31, 31, 0},   {32, 32, 0}, {33, 33, 0}, {48, 48, 0},
  {63, 63, 0}, {64, 64, 0}, {65, 65, 0}, {96, 96, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {128, 128, 0}, {129, 129, 0},   {200, 200, 0},
                                      {256, 256, 0}, {257, 257, 0}, {400, 400, 0},   {480, 480, 0},
                                      {481, 481, 0}, {512, 512, 0}, {1024, 1024, 0}, {-1}};

/* Each kernel: cuda.lanes of 8, 16 and 32 rows, tiles of cuda.registers, rows per lane of cuda.shared; the others to
 * where their rest is small. */
static const int quick_shapes[][5] = {
  {5, 5, 0, 0, 2},     {12, 12, 0, 1, 2},   {20, 20, 0, 2, 2},   {34, 34, 0, 3, 1},
  {34, 34, 0, 0, 1},   {66, 66, 0, 1, 1},   {98, 98, 0, 2, 1},   {68, 68, 0, 3, 1},
  {130, 130, 0, 0, 1}, {194, 194, 0, 1, 1}, {90, 90, 0, 2, 1},   {122, 122, 0, 3, 1},
  {122, 122, 0, 0, 1}, {172, 172, 0, 1, 1}, {250, 250, 0, 0, 1}, {-1},
};
static const char *const quick_of[] = {
  "sdcz cuda.lanes,cuda.registers,cuda.shared,cuda.unblocked",
  "sdcz cuda.lanes",
  "sdc cuda.lanes",
  "sdcz cuda.shared",
  "dz cuda.registers",
  "sz cuda.registers,cuda.shared",
  "dc cuda.registers,cuda.fused",
  "z cuda.fused",
  "d cuda.shared",
  "s cuda.shared",
  "z cuda.panels",
  "c cuda.panels",
  "d cuda.panels,cuda.native",
  "s cuda.panels",
  "scz cuda.native",
};
_Static_assert(sizeof quick_of / sizeof *quick_of + 1 == sizeof quick_shapes / sizeof *quick_shapes, "");

static bool upper(const sweep_case *c)
{
  return c->flags % 2;
}

/* The last rows of which cuda.panels has columns in registers: 512 in z, 1024 in others. */
static const int edge_shapes[][3] = {{513, 513, 0}, {1025, 1025, 0}, {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool row = c->flags / 2 % 2;
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[1] = oracle_reals(c->m, row);
  o[2] = oracle_reals(most(c->m - 1, 0), row);
  o[3] = oracle_vector(SWEEP_OUT, most(c->m - 1, 0), row);
}

/* The triangle that is not read is poisoned. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  if (c->kind >= SWEEP_KINDS)
    lapack_fill(c, (int)c->kind - SWEEP_KINDS, x);
  else
    sweep_hermitian(c, x, false);
  sweep_poison_triangle(x, upper(c) ? BATCHED_LOWER : BATCHED_UPPER);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_hetrd(ctx, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1], x[2], x[3]);
}

/* T out of d and e, which A holds, too. */
static bool tridiagonal(const sweep_case *c, const sweep_dense *after, sweep_dense t)
{
  for (int i = 0; i < t.n; i++) {
    SWEEP_AT(t, i, i) = after[1].x[i];
    if (creall(SWEEP_AT(after[0], i, i)) != creall(after[1].x[i])) return false; /* OpenBLAS leaves imaginary parts */
    if (i == 0) continue;
    SWEEP_AT(t, i, i - 1) = SWEEP_AT(t, i - 1, i) = after[2].x[i - 1];
    if (SWEEP_AT(after[0], upper(c) ? i - 1 : i, upper(c) ? i : i - 1) != after[2].x[i - 1]) return false;
  }
  return true;
}

static int reduce(batched_ctx *ctx, const sweep_case *c, batched_matrix a, batched_matrix d, batched_matrix e,
                  batched_matrix q, batched_matrix p)
{
  (void)p;
  q.m = e.m;
  return batched_hetrd(ctx, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, a, d, e, q);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  if (n == 0) return 0;
  sweep_dense a = sweep_new(n, n), product = sweep_new(n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      SWEEP_AT(a, i, j) = (upper(c) ? i <= j : i >= j) ? SWEEP_AT(before[0], i, j) : conjl(SWEEP_AT(before[0], j, i));
  if (!tridiagonal(c, after, product)) return NAN;
  const oracle_q q = oracle_hetrd(upper(c), n, after[0], after[3]);
  const long double agreement = c->edge ? 0 : agreement_of(c, &batched_hetrd_op, reduce, a, after[1], after[2]);
  return sweep_larger(LIMIT * agreement,
                      sweep_larger(oracle_reduction_error(c, a, product, q, q), oracle_orthogonality(c, q)));
}

static const sweep_family hetrd = {
  .op = &batched_hetrd_op,
  .nflags = 4,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick_shapes = quick_shapes,
  .quick_of = quick_of,
  .poisons_scratch = true,
  .compared = "cuda.unblocked",
  .limit = LIMIT,
  .far_apart = 3e4L, // vectors and tau; d and e are compared in ratio()
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .own_kinds = lapack_kinds,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* LAPACK's signs, and the imaginary parts of a Hermitian diagonal, which nobody looks at. */
static void test_conventions(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_hetrd_op.variants[BATCHED_HOST]; v->name; v++) {
    for (int up = 0; up < 2; up++) {
      double a[9] = {1, 3, 4, 3, 2, 0, 4, 0, 5}, d[3], e[2], tau[2];
      const double first[9] = {1, 3, 4, 3, 2, 0, 4, 0, 5};
      double _Complex z[9], ztau[2];
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) { /* UPPER is the same, turned round */
          a[i + 3 * j] = up ? first[(2 - i) + 3 * (2 - j)] : first[i + 3 * j];
          z[i + 3 * j] = a[i + 3 * j] + (i == j ? 7.0 * I : 0);
        }
      batched_select(ctx, &batched_hetrd_op, v->name);
      const batched_matrix vd = batched_strided(d, 3, 1, 3, 3, 1), ve = batched_strided(e, 2, 1, 2, 2, 1);
      const batched_uplo uplo = up ? BATCHED_UPPER : BATCHED_LOWER;
      assert_int_equal(
        batched_hetrd(ctx, uplo, batched_strided(a, 3, 3, 3, 9, 1), vd, ve, batched_strided(tau, 2, 1, 2, 2, 1)), 0);
      const int first_e = up ? 1 : 0, v2 = up ? 6 : 2;
      assert_true(fabs(d[up ? 2 : 0] - 1) < 1e-14 && fabs(e[first_e] + 5) < 1e-14);
      assert_true(fabs(a[v2] - 0.5) < 1e-14 && fabs(tau[first_e] - 1.6) < 1e-14 && tau[1 - first_e] == 0);
      assert_true(fabs(d[1] - 98.0 / 25) < 1e-13 && fabs(d[up ? 0 : 2] - 77.0 / 25) < 1e-13);
      assert_int_equal(
        batched_hetrd(ctx, uplo, batched_strided(z, 3, 3, 3, 9, 1), vd, ve, batched_strided(ztau, 2, 1, 2, 2, 1)), 0);
      assert_true(fabs(d[1] - 98.0 / 25) < 1e-13 && cimag(z[0]) == 0 && cimag(z[4]) == 0 && cimag(z[8]) == 0);
    }
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {0}, d[4], e[2], t[2];
  float f[4];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), vd = batched_strided(d, 2, 1, 2, 2, 2);
  batched_matrix ve = batched_strided(e, 1, 1, 1, 1, 2), tau = batched_strided(t, 1, 1, 1, 1, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_hetrd(NULL, BATCHED_LOWER, a, vd, ve, tau), -1);
  assert_int_equal(batched_hetrd(ctx, 2, a, vd, ve, tau), -2);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, BAD(a, m, 1), vd, ve, tau), -3);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, BAD(a, stride, 0), vd, ve, tau), -3);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, a, BAD(vd, m, 1), ve, tau), -4);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, a, batched_strided(f, 2, 1, 2, 2, 2), ve, tau), -4);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, a, vd, BAD(ve, m, 2), tau), -5);
  assert_int_equal(batched_hetrd(ctx, BATCHED_LOWER, a, vd, ve, BAD(tau, count, 1)), -6);
  assert_int_equal(batched_hetrd(ctx, BATCHED_UPPER, a, vd, ve, tau), 0);
  batched_destroy(&ctx);
}

static void test_errors_are_seen(void **unused)
{
  (void)unused;
  agreement_sees_errors(&batched_hetrd_op, reduce);
}

static void test_larger(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_hetrd_op, BATCHED_HOST, 21, true, 1, hetrd.nflags);
}

static void test_larger_on_gpu(void **unused)
{
  (void)unused;
  oracle_check_larger(&batched_hetrd_op, BATCHED_CUDA, 21, true, 1, hetrd.nflags);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_conventions), cmocka_unit_test(test_bad_arguments),
                                     cmocka_unit_test(test_errors_are_seen), cmocka_unit_test(test_larger)},
                          larger[] = {cmocka_unit_test(test_larger_on_gpu)};
  const int status = sweep_main(argc, argv, &hetrd, extra, 4);
  return sweep_then_on_gpu(status, "hetrd, larger matrices", larger, 1);
}

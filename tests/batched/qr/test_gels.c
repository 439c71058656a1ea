/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Least squares: |op(A)^H (B - op(A) X)| / (size |A| (|A| |X| + |B|) eps).  Least norm: |op(A) X - B| in the same units
 * without the outer |A|, and X lies in the range of op(A)^H.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"

/* m x n, k right-hand sides; flags: trans */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 1},    {2, 2, 3},   {3, 2, 1},    {2, 5, 2},    {4, 4, 1},    {5, 0, 2},   {0, 3, 2},
  {5, 5, 0},   {8, 8, 1},    {9, 7, 3},   {7, 9, 2},    {16, 16, 16}, {20, 31, 2},  {33, 17, 5}, {32, 32, 2},
  {48, 33, 3}, {33, 64, 40}, {65, 65, 2}, {100, 30, 4}, {30, 120, 3}, {150, 20, 2}, {-1},
};

static const int large_shapes[][3] = {{128, 128, 2}, {200, 129, 3}, {100, 256, 1}, {256, 256, 33},
                                      {400, 400, 1}, {512, 64, 2},  {-1}};

static const int edge_shapes[][3] = {{642, 500, 2}, {500, 642, 1}, {1025, 64, 3}, {770, 770, 2}, {-1}};

static int longer(const sweep_case *c)
{
  return c->m > c->n ? c->m : c->n;
}

/* True where op(A) is factored, and not its adjoint. */
static bool is_over(const sweep_case *c)
{
  return (c->m >= c->n) == !c->flags;
}

/* The column of F = A or A^H that is zero in a BAD case, or -1.  LAPACK has another answer where all of A is zero. */
static int zero_column(const sweep_case *c)
{
  const int k = least(c->m, c->n);
  return c->kind == SWEEP_BAD && k > 1 ? 2 * (k - 1) / 3 : -1;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = longer(c), .n = c->k};
}

static batched_trans trans(const sweep_case *c)
{
  return !c->flags ? BATCHED_NO_TRANS : batched_is_complex(c->type) ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

static void fill_matrix(const sweep_case *c, sweep_dense x)
{
  const int zero = zero_column(c);
  sweep_general(c, x);
  if (c->kind != SWEEP_RANDOM && c->kind != SWEEP_LARGE && c->kind != SWEEP_SMALL && c->kind != SWEEP_BAD) return;
  for (int j = 0; j < least(c->m, c->n); j++) /* well conditioned */
    SWEEP_AT(x, j, j) += 2 * sqrtl(longer(c)) * sweep_scale(c);
  for (int j = 0; zero >= 0 && j < longer(c); j++)
    if (c->m >= c->n)
      SWEEP_AT(x, j, zero) = 0;
    else
      SWEEP_AT(x, zero, j) = 0;
}

/* Only its first rows are read where Q is applied to the solution of a triangle. */
static void fill_right_hand_side(const sweep_case *c, sweep_dense x)
{
  const int rows = is_over(c) ? longer(c) : least(c->m, c->n);
  const sweep_dense b = sweep_new(rows, x.n);
  if (sweep_is_hard(c->kind)) /* for a small X */
    sweep_right_hand_side(c->type, trans(c), sweep_first_operand(c), b);
  else
    for (int64_t e = 0; e < (int64_t)rows * x.n; e++) b.x[e] = sweep_number(c->type) * sweep_scale(c);
  for (int j = 0; j < x.n; j++)
    for (int r = 0; r < x.m; r++) SWEEP_AT(x, r, j) = r < rows ? SWEEP_AT(b, r, j) : (wide)NAN;
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0)
    fill_matrix(c, x);
  else
    fill_right_hand_side(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_gels(ctx, trans(c), x[0], x[1], info);
}

/* How far is x from the range of f, whose columns become orthonormal here? */
static long double distance(sweep_dense f, sweep_dense x)
{
  for (int j = 0; j < f.n + x.n; j++) {
    const bool basis = j < f.n;
    sweep_dense column = {f.m, 1, basis ? &SWEEP_AT(f, 0, j) : &SWEEP_AT(x, 0, j - f.n)};
    for (int twice = 0; twice < 2; twice++) {
      for (int p = 0; p < (basis ? j : f.n); p++) {
        wide dot = 0;
        for (int i = 0; i < f.m; i++) dot += conjl(SWEEP_AT(f, i, p)) * column.x[i];
        for (int i = 0; i < f.m; i++) column.x[i] -= dot * SWEEP_AT(f, i, p);
      }
    }
    const long double norm = basis ? sweep_norm(column) : 1;
    for (int i = 0; basis && i < f.m; i++) column.x[i] /= norm;
  }
  return sweep_norm(x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int big = longer(c), k = least(c->m, c->n), zero = zero_column(c), rows = is_over(c) ? big : k;
  if (info != (zero < 0 ? 0 : zero + 1)) return NAN;
  if (zero >= 0 || c->k == 0 || big == 0) return 0;
  sweep_dense f = sweep_new(big, k), x = sweep_new(is_over(c) ? k : big, c->k), r = sweep_new(rows, c->k);
  for (int j = 0; j < k; j++)
    for (int i = 0; i < big; i++)
      SWEEP_AT(f, i, j) = c->m >= c->n ? SWEEP_AT(before[0], i, j) : conjl(SWEEP_AT(before[0], j, i));
  for (int j = 0; j < c->k; j++) {
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = SWEEP_AT(after[1], i, j);
    for (int i = 0; i < rows; i++) SWEEP_AT(r, i, j) = SWEEP_AT(before[1], i, j);
  }
  const long double a = sweep_norm(f), size_x = sweep_norm(x);
  if (k == 0) return is_over(c) || size_x == 0 ? 0 : NAN;
  const long double rounding = sweep_unit(c, a) * size_x + sweep_unit(c, sweep_norm(r));
  sweep_multiply(-1, is_over(c) ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, f, BATCHED_NO_TRANS, x, r);
  if (is_over(c)) {
    sweep_dense gradient = sweep_new(k, c->k);
    sweep_multiply(1, BATCHED_CONJ_TRANS, f, BATCHED_NO_TRANS, r, gradient);
    return sweep_norm(gradient) / (big * a * rounding);
  }
  const long double residual = sweep_norm(r) / (big * rounding);
  /* of other kinds the range is no better known than by their condition */
  const bool known = !c->edge && c->kind != SWEEP_GRADED && c->kind != SWEEP_DENORMAL && !sweep_is_hard(c->kind);
  const long double out = known ? distance(f, x) / (big * sweep_eps(c->type) * size_x) : 0;
  return sweep_larger(residual, out);
}

/* X: what is below it is not specified, nor what A is then. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 ? 0 : is_over(c) ? least(c->m, c->n) : longer(c);
}

static const sweep_family gels = {
  .op = &batched_gels_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 0.03L,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  /* nearly singular ones may become singular as they are rounded, and then have no solution */
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL |
           1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[32] = {0};
  double _Complex z[32] = {0};
  int info[2];
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), b = batched_strided(x + 12, 3, 1, 3, 3, 2);
  batched_matrix za = batched_strided(z, 3, 2, 3, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gels(NULL, BATCHED_TRANS, a, b, info), -1);
  assert_int_equal(batched_gels(ctx, 3, a, b, info), -2);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, za, za, info), -2);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, BAD(a, ld, 2), b, info), -3);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, BAD(b, m, 2), info), -4);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, BAD(b, stride, 0), info), -4);
  assert_int_equal(batched_gels(ctx, BATCHED_TRANS, a, b, NULL), -5);
  batched_destroy(&ctx);
}

/* ------------------------------------------------------------------ at the ends of the range */

enum { NRHS = 2, MOST = 70 };

/* A call on one matrix; its operands are on the host. */
typedef struct single {
  batched_ctx *ctx;
  batched_trans trans;
  int m, n;
  bool single; /* s, or d */
} single;

static void solve_on(const single *g, const void *a, void *b, int *info)
{
  const int big = g->m > g->n ? g->m : g->n;
  const size_t bytes = g->single ? 4 : 8, na = (size_t)g->m * (size_t)g->n * bytes, nb = (size_t)big * NRHS * bytes;
  char *const at_a = batched_allocate(g->ctx, na), *const at_b = batched_allocate(g->ctx, nb);
  int *const at_info = batched_allocate(g->ctx, sizeof *info);
  assert_true(at_a && at_b && at_info);
  batched_copy_from_host(g->ctx, at_a, a, na);
  batched_copy_from_host(g->ctx, at_b, b, nb);
  const batched_type type = g->single ? BATCHED_S : BATCHED_D;
  assert_int_equal(batched_gels(g->ctx, g->trans,
                                batched_make_strided(type, at_a, g->m, g->n, g->m, (int64_t)g->m * g->n, 1),
                                batched_make_strided(type, at_b, big, NRHS, big, (int64_t)big * NRHS, 1), at_info),
                   0);
  batched_copy_to_host(g->ctx, b, at_b, nb);
  batched_copy_to_host(g->ctx, info, at_info, sizeof *info);
  batched_release(g->ctx, at_a);
  batched_release(g->ctx, at_b);
  batched_release(g->ctx, at_info);
}

/* X of A X = B, in double; A and B are multiplied by powers of two on their way. */
static void solve_scaled(const single *g, const double *a, const double *b, int power_a, int power_b, double *x)
{
  static double da[MOST * MOST], db[MOST * NRHS];
  static float sa[MOST * MOST], sb[MOST * NRHS];
  const int big = g->m > g->n ? g->m : g->n;
  int info = -1;
  for (int e = 0; e < g->m * g->n; e++)
    sa[e] = (float)ldexp(a[e], g->single ? power_a : 0), da[e] = ldexp(a[e], power_a);
  for (int e = 0; e < big * NRHS; e++)
    sb[e] = (float)ldexp(b[e], g->single ? power_b : 0), db[e] = ldexp(b[e], power_b);
  solve_on(g, g->single ? (void *)sa : da, g->single ? (void *)sb : db, &info);
  assert_int_equal(info, 0);
  for (int e = 0; e < big * NRHS; e++) x[e] = ldexp(g->single ? sb[e] : db[e], power_a - power_b);
}

/* Powers of two in A and B change X by their ratio, also where a sum of squares, or of two elements, has no place in
 * the type: (1e308, 2e307)^T x = (1e308, 2e307)^T has x = 1. */
static void check_range(batched_ctx *ctx, const char *row)
{
  static const int shapes_here[][2] = {{2, 1}, {1, 2}, {3, 3}, {9, 5}, {5, 9}, {MOST, 40}, {40, MOST}};
  static const int powers[2][5][2] = {{{1024, 1024}, {1024, 1010}, {1010, 1024}, {-1015, -1015}, {-1000, 0}},
                                      {{128, 128}, {128, 120}, {120, 128}, {-122, -122}, {-110, 0}}};
  static double a[MOST * MOST], b[MOST * NRHS], x[MOST * NRHS], y[MOST * NRHS];
  for (int shape = 0; shape < 7; shape++)
    for (int i = 0; i < 20; i++) {
      const single g = {ctx, i / 2 % 2 ? BATCHED_TRANS : BATCHED_NO_TRANS, shapes_here[shape][0], shapes_here[shape][1],
                        i % 2};
      const int *power = powers[i % 2][i / 4], big = g.m > g.n ? g.m : g.n, least_side = g.m > g.n ? g.n : g.m;
      const bool over = (g.m >= g.n) == (g.trans == BATCHED_NO_TRANS);
      for (int e = 0; e < g.m * g.n; e++) a[e] = e % (g.m + 1) ? 0.4 * sin(7.0 * e) / sqrt(big) : 0.999;
      for (int e = 0; e < big * NRHS; e++) b[e] = 0.99 - e % 7 * 0.11;
      solve_scaled(&g, a, b, 0, 0, x);
      solve_scaled(&g, a, b, power[0], power[1], y);
      for (int j = 0; j < NRHS; j++)
        for (int r = 0; r < (over ? least_side : big); r++) {
          const double exact = x[r + j * big], got = y[r + j * big];
          if (!(fabs(got - exact) <= (g.single ? 1e-4 : 1e-13) * (1 + fabs(exact))))
            fail_msg("%s, %c, %d x %d, trans %d, 2^%d A X = 2^%d B: %.17g, not %.17g", row, g.single ? 's' : 'd', g.m,
                     g.n, g.trans, power[0], power[1], got, exact);
        }
    }
}

/* X = 0 where A = 0: the solution of least norm, as LAPACK has it; a zero on R's diagonal is reported elsewhere. */
static void check_zeros(batched_ctx *ctx, const char *row)
{
  static const double zeros[MOST * MOST];
  for (int i = 0; i < 8; i++) {
    const single g = {ctx, i % 2 ? BATCHED_TRANS : BATCHED_NO_TRANS, i / 2 % 2 ? 3 : 2, i / 4 ? 3 : 2, false};
    const int big = g.m > g.n ? g.m : g.n;
    double b[2 * 3 * NRHS];
    int info = 7;
    for (int e = 0; e < big * NRHS; e++) b[e] = e + 1;
    solve_on(&g, zeros, b, &info);
    for (int e = 0; e < big * NRHS; e++)
      if (info || b[e] != 0) fail_msg("%s, %d x %d of zeros: info %d, X = %g", row, g.m, g.n, info, b[e]);
  }
}

static void for_own_rows(batched_space space, void (*check)(batched_ctx *ctx, const char *row))
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *v = batched_gels_op.variants[space]; v->name; v++) {
    if (space == BATCHED_CUDA && strncmp(v->name, "vendor", 6) == 0) continue; /* cuBLAS does not scale */
    assert_int_equal(batched_select(ctx, &batched_gels_op, v->name), 0);
    check(ctx, v->name);
  }
  batched_destroy(&ctx);
}

static void test_range(void **unused)
{
  (void)unused;
  for_own_rows(BATCHED_HOST, check_range);
}

static void test_range_on_gpu(void **unused)
{
  (void)unused;
  for_own_rows(BATCHED_CUDA, check_range);
}

static void test_zeros(void **unused)
{
  (void)unused;
  for_own_rows(BATCHED_HOST, check_zeros);
}

static void test_zeros_on_gpu(void **unused)
{
  (void)unused;
  for_own_rows(BATCHED_CUDA, check_zeros);
}

/* A zero on R's diagonal is found whether there are right-hand sides or not. */
static void test_no_right_hand_sides(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  static double b[50];
  int both[2] = {7, 7};
  const int nrhss[2] = {0, 1};
  double singular[2][50 * 50] = {{0}}, *pa[2] = {singular[0], singular[1]}, *pb[2] = {b, b};
  for (int i = 0; i < 50; i++) singular[0][51 * i] = singular[1][51 * i] = i != 3;
  assert_int_equal(batched_gels(ctx, BATCHED_NO_TRANS, batched_array(pa, 50, 50, 50, 2),
                                batched_variable(pb, 50, 1, 50, NULL, nrhss, NULL, 2), both),
                   0);
  assert_true(both[0] == 4 && both[1] == 4);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_range),
                                     cmocka_unit_test(test_zeros), cmocka_unit_test(test_no_right_hand_sides)},
                          ends[] = {cmocka_unit_test(test_range_on_gpu), cmocka_unit_test(test_zeros_on_gpu)};
  const int status = sweep_main(argc, argv, &gels, extra, 4);
  return sweep_then_on_gpu(status, "gels, ends of the range", ends, 2);
}

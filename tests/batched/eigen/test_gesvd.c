/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values: |A - U S V^H| / (n |A| eps), orthogonality of U and V to n eps, order; values alone against those
 * with vectors.
 */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: job and which sides (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {3, 2, 0},   {2, 3, 0},  {0, 3, 0},   {3, 0, 0},
  {4, 4, 0},   {5, 4, 0},   {1, 5, 0},   {7, 7, 0},   {8, 8, 0},   {9, 3, 0},  {3, 9, 0},   {15, 15, 0},
  {16, 9, 0},  {17, 17, 0}, {5, 31, 0},  {32, 32, 0}, {33, 33, 0}, {64, 6, 0}, {39, 39, 0}, {40, 48, 0},
  {55, 55, 0}, {1, 104, 0}, {2, 195, 0}, {1, 300, 0}, {-1},
};
static const int large_shapes[][3] = {{24, 24, 0},   {63, 63, 0},  {64, 64, 0},  {65, 32, 0}, {100, 100, 0},
                                      {129, 129, 0}, {300, 20, 0}, {20, 300, 0}, {2, 700, 0}, {-1}};

/* Each kernel: cuda.thread of order 2 to 4, classes of cuda.lanes, with vectors and without.  What the composed rows
 * call has tests of its own. */
static const int quick_shapes[][5] = {
  {2, 2, 0, 0, 3},   {2, 1, 0, 1, 3},   {3, 2, 0, 4, 3},
  {3, 3, 0, 1, 3},   {3, 4, 0, 2, 3},   {4, 4, 0, 1, 3},
  {7, 7, 0, 0, 3},   {5, 7, 0, 1, 3},   {11, 11, 0, 0, 2},
  {11, 9, 0, 1, 2},  {16, 14, 0, 3, 2}, {20, 17, 0, 1, 2},
  {7, 5, 0, 0, 2},   {5, 7, 0, 1, 2},   {3, 8, 0, 5, 2},
  {6, 5, 0, 4, 2},   {35, 34, 0, 0, 1}, {18, 20, 0, 0, 1},
  {20, 18, 0, 0, 1}, {5, 7, 0, 1, 2},   {-1},
};
static const char *const quick_of[] = {
  "sdcz cuda.thread",
  "sdcz cuda.thread",
  "sdcz cuda.thread",
  "sdcz cuda.thread",
  "sdcz cuda.thread",
  "sdcz cuda.thread",
  "sdcz cuda.lanes",
  "sdcz cuda.lanes",
  "sdcz cuda.lanes",
  "sdcz cuda.lanes",
  "sdcz cuda.lanes",
  "sdc cuda.lanes",
  "sdcz cuda.shared,cuda.composed,cuda.composed_qr,cuda.two_stage",
  "sdcz cuda.shared,cuda.composed,cuda.composed_qr,cuda.two_stage",
  "dz cuda.composed_qr",
  "dz cuda.composed,cuda.composed_qr,cuda.two_stage",
  "d cuda.composed",
  "dz cuda.two_stage",
  "d cuda.blocked_jacobi",
  "scz cuda.blocked_jacobi",
};
_Static_assert(sizeof quick_of / sizeof *quick_of + 1 == sizeof quick_shapes / sizeof *quick_shapes, "");

static const struct {
  batched_job job;
  bool u, vt;
} jobs[] = {{BATCHED_VECTORS, true, true},  {BATCHED_VALUES, false, false},     {BATCHED_VECTORS, true, false},
            {BATCHED_VECTORS, false, true}, {BATCHED_FULL_VECTORS, true, true}, {BATCHED_FULL_VECTORS, true, false}};

static bool has_u(const sweep_case *c)
{
  return jobs[c->flags].u;
}

static bool has_vt(const sweep_case *c)
{
  return jobs[c->flags].vt;
}

static bool is_full(const sweep_case *c)
{
  return jobs[c->flags].job == BATCHED_FULL_VECTORS;
}

static int smaller(const sweep_case *c)
{
  return c->m < c->n ? c->m : c->n;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = c->m, .n = c->n, .shareable = true};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = smaller(c), .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = is_full(c) ? c->m : smaller(c)};
  o[3] = (sweep_operand){.role = SWEEP_OUT, .m = is_full(c) ? c->n : smaller(c), .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  sweep_general(c, x);
  if (c->kind == SWEEP_BAD && x.m > 0 && x.n > 0)
    SWEEP_AT(x, x.m - 1, x.n / 2) = x.n % 2 ? __builtin_nanl("") : -__builtin_infl();
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const batched_matrix none = {0};
  return batched_gesvd(ctx, jobs[c->flags].job, x[0], x[1], has_u(c) ? x[2] : none, has_vt(c) ? x[3] : none, info);
}

static bool is_all_nan(sweep_dense x)
{
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++)
    if (!isnan(creall(x.x[i]))) return false;
  return true;
}

/* Of the vectors of one side, the columns of q: A q = W with W^H W = diag(s)^2, or the same of A^H. */
static long double of_one_side(const sweep_case *c, sweep_dense a, batched_trans trans, sweep_dense s, sweep_dense q)
{
  const int k = smaller(c), n = c->m > c->n ? c->m : c->n;
  const long double norm = sweep_norm(a) > 0 ? sweep_norm(a) : 1;
  sweep_dense w = sweep_new(trans == BATCHED_NO_TRANS ? c->m : c->n, q.n), squares = sweep_new(q.n, q.n);
  sweep_multiply(1 / norm, trans, a, BATCHED_NO_TRANS, q, w);
  sweep_multiply(1, BATCHED_CONJ_TRANS, w, BATCHED_NO_TRANS, w, squares);
  for (int i = 0; i < k; i++) SWEEP_AT(squares, i, i) -= s.x[i] / norm * (s.x[i] / norm);
  const long double r = sweep_norm(squares) * norm / (2 * n * sweep_unit(c, norm)); /* W's errors count twice */
  return sweep_larger(r, sweep_orthogonality(q) / (n * sweep_eps(c->type)));
}

static sweep_dense adjoint_of(sweep_dense x)
{
  sweep_dense y = sweep_new(x.n, x.m);
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(y, j, i) = conjl(SWEEP_AT(x, i, j));
  return y;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int k = smaller(c), n = c->m > c->n ? c->m : c->n;
  if (c->kind == SWEEP_BAD && k > 0)
    return info > 0 && is_all_nan(after[1]) && (!has_u(c) || is_all_nan(after[2])) &&
               (!has_vt(c) || is_all_nan(after[3]))
             ? 0
             : NAN;
  if (info != 0) return NAN;
  if (k == 0) {
    const long double left = is_full(c) && has_u(c) ? sweep_orthogonality(after[2]) : 0;
    return is_full(c) && has_vt(c) ? sweep_larger(left, sweep_orthogonality(after[3])) : left;
  }
  sweep_dense a = before[0], s = after[1], u = after[2], vt = after[3], us = sweep_new(c->m, vt.m);
  long double norm = sweep_norm(a), squares = 0;
  for (int i = 0; i < k; i++) {
    if (!(creall(s.x[i]) <= creall(s.x[i ? i - 1 : 0]) && creall(s.x[i]) >= 0)) return NAN;
    squares += creall(s.x[i]) * creall(s.x[i]);
  }
  if (norm == 0) {
    if (sweep_norm(s) != 0) return NAN;
    norm = 1;
  }
  const long double sizes = fabsl(sqrtl(squares) - sweep_norm(a)) / (n * sweep_unit(c, norm));
  long double r = sizes;
  if (has_u(c)) r = sweep_larger(r, of_one_side(c, a, BATCHED_CONJ_TRANS, s, u));
  if (has_vt(c)) r = sweep_larger(r, of_one_side(c, a, BATCHED_NO_TRANS, s, adjoint_of(vt)));
  if (!has_u(c) || !has_vt(c)) return r;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < c->m; i++) SWEEP_AT(us, i, j) = -creall(s.x[j]) * SWEEP_AT(u, i, j);
  sweep_multiply(1, BATCHED_NO_TRANS, us, BATCHED_NO_TRANS, vt, a);
  return sweep_larger(r, sweep_norm(a) / (n * sweep_unit(c, norm)));
}

/* Vectors have any sign. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 1 ? smaller(c) : 0;
}

static const sweep_family gesvd = {
  .op = &batched_gesvd_op,
  .nflags = 6,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick_shapes = quick_shapes,
  .quick_of = quick_of,
  .compared = "host.two_stage,host.blocked_jacobi,host.ref",
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = (1u << SWEEP_KINDS) - 1 - (1u << SWEEP_BAD),
};

/* Values alone, and with vectors, and the values that the matrix was made with. */
static void test_known_values(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gesvd_op.variants[BATCHED_HOST]; v->name; v++) {
    const double c = 0.6, s = 0.8; /* rotations; values 5, 2, 1e-9 */
    double a[9] = {5 * c, 5 * s, 0, -2 * s, 2 * c, 0, 0, 0, -1e-9}, w[3], wv[3], u[9], vt[9];
    int info = 7;
    batched_select(ctx, &batched_gesvd_op, v->name);
    batched_matrix m = batched_strided(a, 3, 3, 3, 9, 1), none = {0};
    const int status = batched_gesvd(ctx, BATCHED_VALUES, m, batched_strided(w, 3, 1, 3, 3, 1), none, none, &info);
    if (status == BATCHED_DOES_NOT_FIT) continue;
    assert_int_equal(status, 0);
    assert_int_equal(info, 0);
    assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, m, batched_strided(wv, 1, 3, 1, 3, 1),
                                   batched_strided(u, 3, 3, 3, 9, 1), batched_strided(vt, 3, 3, 3, 9, 1), &info),
                     0);
    const double exact[] = {5, 2, 1e-9};
    for (int i = 0; i < 3; i++) assert_true(fabs(w[i] - exact[i]) < 3e-15 && fabs(wv[i] - exact[i]) < 3e-15);
  }
  batched_destroy(&ctx);
}

/* Columns so far apart that the tangent of the rotation between them is beyond the square root of what is smallest. */
static void test_columns_far_apart(void **unused)
{
  (void)unused;
  const batched_matrix none = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gesvd_op.variants[BATCHED_HOST]; v->name; v++) {
    float single[4] = {1, 0, 1e-20f, 1e-15f}, t[2] = {0};
    double a[4] = {1, 0, 1e-155, 1e-144}, s[2] = {0};
    int info[2] = {7, 7};
    batched_select(ctx, &batched_gesvd_op, v->name);
    const int status = batched_gesvd(ctx, BATCHED_VALUES, batched_strided(single, 2, 2, 2, 4, 1),
                                     batched_strided(t, 2, 1, 2, 2, 1), none, none, info);
    if (status == BATCHED_DOES_NOT_FIT) continue;
    assert_int_equal(status, 0);
    assert_int_equal(batched_gesvd(ctx, BATCHED_VALUES, batched_strided(a, 2, 2, 2, 4, 1),
                                   batched_strided(s, 2, 1, 2, 2, 1), none, none, info + 1),
                     0);
    assert_true(info[0] == 0 && info[1] == 0);
    assert_true(fabsf(t[0] - 1) < 1e-6f && t[1] >= 0 && t[1] < 1e-14f);
    assert_true(fabs(s[0] - 1) < 1e-15 && s[1] >= 0 && s[1] < 1e-140);
  }
  batched_destroy(&ctx);
}

static void test_not_finite(void **unused)
{
  (void)unused;
  const double bad[] = {__builtin_nan(""), __builtin_inf(), -__builtin_inf()};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gesvd_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_gesvd_op, v->name);
    for (int i = 0; i < 6; i++) {
      const int m = 2 + i / 3; /* rows: also of zeros below */
      double a[3][6] = {{2, 1}, {1}, {0, 3}}, s[3][2], u[3][6], vt[3][4];
      const double second[3][2] = {{1, 2}, {0, 1}, {-4, 0}};
      int info[3] = {7, 7, 7};
      for (int b = 0; b < 3; b++) memcpy(a[b] + m, second[b], sizeof second[b]);
      a[1][i % 2 ? 1 : m] = bad[i % 3];
      const int status =
        batched_gesvd(ctx, BATCHED_VECTORS, batched_strided(a[0], m, 2, m, 6, 3), batched_strided(s[0], 2, 1, 2, 2, 3),
                      batched_strided(u[0], m, 2, m, 6, 3), batched_strided(vt[0], 2, 2, 2, 4, 3), info);
      if (status == BATCHED_DOES_NOT_FIT) continue;
      assert_int_equal(status, 0);
      assert_true(info[0] == 0 && info[1] > 0 && info[2] == 0);
      assert_true(fabs(s[0][0] - 3) < 1e-14 && fabs(s[0][1] - 1) < 1e-14);
      assert_true(fabs(s[2][0] - 4) < 1e-14 && fabs(s[2][1] - 3) < 1e-14);
      for (int k = 0; k < 4; k++) assert_true(isnan(vt[1][k]) && isnan(s[1][k % 2]));
      for (int k = 0; k < 2 * m; k++) assert_true(isnan(u[1][k]));
    }
  }
  batched_destroy(&ctx);
}

/* What is long and narrow takes workspace for itself alone, and what is empty none, however long. */
static void test_long_shapes(void **unused)
{
  (void)unused;
  enum { LONG = 200000 };
  float *a = calloc(LONG, sizeof *a), s;
  const batched_matrix none = {0};
  batched_ctx *ctx;
  int info = 7;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(batched_select(ctx, &batched_gesvd_op, turn ? "auto" : "host.ref"), 0);
    a[0] = 3, a[LONG - 1] = 4;
    assert_int_equal(batched_gesvd(ctx, BATCHED_VALUES, batched_strided(a, LONG, 1, LONG, LONG, 1),
                                   batched_strided(&s, 1, 1, 1, 1, 1), none, none, &info),
                     0);
    assert_true(info == 0 && fabsf(s - 5) < 1e-5f);
    assert_int_equal(batched_gesvd(ctx, BATCHED_VALUES, batched_strided(a, 0, INT_MAX, 1, 0, 1),
                                   batched_strided(&s, 0, 1, 1, 0, 1), none, none, &info),
                     0);
    assert_int_equal(info, 0);
  }
  free(a);
  batched_destroy(&ctx);
}

/* The largest component of each left vector is real and positive, and A is still U diag(s) V^H. */
static void test_signs(void **unused)
{
  (void)unused;
  enum { M = 6, N = 4 };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_gesvd_op.variants[BATCHED_HOST]; v->name; v++) {
    double complex a[M * N], u[M * N], vt[N * N];
    double s[N];
    int info;
    sweep_seed(8);
    for (int i = 0; i < M * N; i++) a[i] = (double complex)sweep_number(BATCHED_Z);
    batched_select(ctx, &batched_gesvd_op, v->name);
    assert_int_equal(batched_gesvd(ctx, BATCHED_SIGNED_VECTORS, batched_strided(a, M, N, M, M * N, 1),
                                   batched_strided(s, N, 1, N, N, 1), batched_strided(u, M, N, M, M * N, 1),
                                   batched_strided(vt, N, N, N, N * N, 1), &info),
                     0);
    for (int k = 0; k < N; k++) {
      int most = 0;
      for (int i = 0; i < M; i++)
        if (cabs(u[i + k * M]) > cabs(u[most + k * M])) most = i;
      assert_true(creal(u[most + k * M]) > 0.3 && cimag(u[most + k * M]) == 0);
    }
    for (int j = 0; j < N; j++)
      for (int i = 0; i < M; i++) {
        double complex r = -a[i + j * M];
        for (int k = 0; k < N; k++) r += u[i + k * M] * s[k] * vt[k + j * N];
        assert_true(cabs(r) < 1e-13);
      }
  }
  batched_destroy(&ctx);
}

enum { GRADED = 40 };

/* Singular values by one-sided Jacobi on columns in more digits, descending; x, whose columns may differ by much, is
 * overwritten. */
static void find_values(wide x[GRADED][GRADED], long double s[GRADED])
{
  for (int sweep = 0; sweep < 20; sweep++)
    for (int p = 0; p < GRADED; p++)
      for (int q = p + 1; q < GRADED; q++) {
        long double xx = 0, yy = 0, xy = 0;
        for (int i = 0; i < GRADED; i++) {
          xx += creall(x[p][i]) * creall(x[p][i]);
          yy += creall(x[q][i]) * creall(x[q][i]);
          xy += creall(x[p][i]) * creall(x[q][i]);
        }
        if (fabsl(xy) <= 1e-19L * sqrtl(xx * yy)) continue;
        const long double z = (yy - xx) / (2 * xy), t = copysignl(1, z) / (fabsl(z) + sqrtl(1 + z * z));
        const long double c = 1 / sqrtl(1 + t * t);
        for (int i = 0; i < GRADED; i++) {
          const wide y = x[p][i];
          x[p][i] = c * (y - t * x[q][i]);
          x[q][i] = c * (x[q][i] + t * y);
        }
      }
  for (int j = 0; j < GRADED; j++) {
    long double sum = 0;
    for (int i = 0; i < GRADED; i++) sum += creall(x[j][i]) * creall(x[j][i]);
    int at = j;
    for (; at > 0 && s[at - 1] < sqrtl(sum); at--) s[at] = s[at - 1];
    s[at] = sqrtl(sum);
  }
}

/* The largest relative error of a value by the row. */
static double relative_error(batched_ctx *ctx, const char *row, double a[GRADED][GRADED], const long double *exact)
{
  const size_t bytes = sizeof(double[GRADED][GRADED]);
  double *const x = batched_allocate(ctx, 4 * bytes), *const s = x + 3 * GRADED * GRADED;
  int *const info = batched_allocate(ctx, sizeof *info), bad;
  double found[GRADED], most = 0;
  batched_matrix m[3];
  for (int i = 0; i < 3; i++)
    m[i] = batched_strided(x + i * GRADED * GRADED, GRADED, GRADED, GRADED, GRADED * GRADED, 1);
  assert_non_null(x);
  assert_int_equal(batched_copy_from_host(ctx, x, a, bytes), 0);
  assert_int_equal(batched_select(ctx, &batched_gesvd_op, row), 0);
  assert_int_equal(
    batched_gesvd(ctx, BATCHED_VECTORS, m[0], batched_strided(s, GRADED, 1, GRADED, GRADED, 1), m[1], m[2], info), 0);
  assert_int_equal(batched_copy_to_host(ctx, found, s, sizeof found), 0);
  assert_int_equal(batched_copy_to_host(ctx, &bad, info, sizeof bad), 0);
  assert_int_equal(bad, 0);
  for (int j = 0; j < GRADED; j++) most = fmax(most, fabs((double)((found[j] - exact[j]) / exact[j])));
  batched_release(ctx, info);
  batched_release(ctx, x);
  return most;
}

/* D1 B D2 with D1, or D2, or both from 1 to 1e-12, and a well conditioned B: all singular values to 10 n eps of
 * themselves by blocked_jacobi, which by way of a bidiagonal matrix are good to eps of the largest. */
static void test_graded(void **unused)
{
  (void)unused;
  static double a[GRADED][GRADED];
  static wide x[GRADED][GRADED];
  double worst = 0; /* of composed: of one of them at least, whatever its steps are rounded to */
  for (int which = 1; which < 4; which++) {
    long double exact[GRADED];
    sweep_seed(3);
    for (int j = 0; j < GRADED; j++)
      for (int i = 0; i < GRADED; i++) {
        const double down = which & 1 ? pow(10, -12. * (i * 7 % GRADED) / (GRADED - 1)) : 1;
        const double right = which & 2 ? pow(10, -12. * (j * 11 % GRADED) / (GRADED - 1)) : 1;
        a[j][i] = down * right * ((i == j ? 10 : 0) + (double)sweep_uniform());
        if (which & 2)
          x[j][i] = a[j][i];
        else
          x[i][j] = a[j][i];
      }
    find_values(x, exact);
    for (int space = 0; space < 2; space++) {
      batched_ctx *ctx;
      if (batched_create(&ctx, space) != BATCHED_SUCCESS) continue;
      const double error = relative_error(ctx, "blocked_jacobi", a, exact);
      if (!(error < 10 * GRADED * 0x1p-52)) print_message("which %d, space %d: %g\n", which, space, error);
      assert_true(error < 10 * GRADED * 0x1p-52);
      if (space == BATCHED_HOST) worst = fmax(worst, relative_error(ctx, "composed", a, exact));
      batched_destroy(&ctx);
    }
  }
  assert_true(worst > 1e-8);
}

/* Zero columns in some matrices of a group: a sweep then turns by a right angle, whose cosine is 0. */
static void test_zero_columns(void **unused)
{
  (void)unused;
  enum { N = 20, COUNT = 17 };
  static double a[COUNT][N][N], u[COUNT][N][N], vt[COUNT][N][N], s[COUNT][N];
  int info[COUNT];
  batched_ctx *ctx;
  for (int b = 0; b < COUNT; b++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) a[b][j][i] = b % 3 == 1 && j % 7 == 0 ? 0 : (double)sweep_number(BATCHED_D);
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_select(ctx, &batched_gesvd_op, "host.simd_qr"), 0);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, batched_strided(a[0][0], N, N, N, N * N, COUNT),
                                 batched_strided(s[0], N, 1, N, N, COUNT),
                                 batched_strided(u[0][0], N, N, N, N * N, COUNT),
                                 batched_strided(vt[0][0], N, N, N, N * N, COUNT), info),
                   0);
  for (int b = 0; b < COUNT; b++)
    for (int j = 0; j < N; j++)
      for (int i = 0; i < N; i++) {
        double difference = a[b][j][i], left = i == j, right = i == j;
        for (int l = 0; l < N; l++) {
          difference -= u[b][l][i] * s[b][l] * vt[b][j][l];
          left -= u[b][i][l] * u[b][j][l];
          right -= vt[b][l][i] * vt[b][l][j];
        }
        assert_true(info[b] == 0 && fabs(difference) < 1e-12 && fabs(left) < 1e-13 && fabs(right) < 1e-13);
      }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0}, y[16], w[4];
  int info[2];
  batched_matrix a = batched_strided(x, 2, 3, 2, 6, 2), s = batched_strided(w, 2, 1, 2, 2, 2);
  const batched_matrix none = {0};
  batched_matrix u = batched_strided(y, 2, 2, 2, 4, 2), vt = batched_strided(y, 2, 3, 2, 6, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gesvd(NULL, BATCHED_VECTORS, a, s, u, vt, info), -1);
  assert_int_equal(batched_gesvd(ctx, BATCHED_MULTIPLY, a, s, u, vt, info), -2);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, SWEEP_CHANGED(a, ld, 1), s, u, vt, info), -3);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, SWEEP_CHANGED(s, m, 1), u, vt, info), -4);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, SWEEP_CHANGED(s, type, BATCHED_S), u, vt, info), -4);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, SWEEP_CHANGED(u, n, 1), vt, info), -5);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, SWEEP_CHANGED(u, m, 1), vt, info), -5);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, SWEEP_CHANGED(u, data, NULL), vt, info), -5);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, u, SWEEP_CHANGED(vt, m, 1), info), -6);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, u, SWEEP_CHANGED(vt, n, 2), info), -6);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, u, vt, NULL), -7);
  assert_int_equal(batched_gesvd(ctx, BATCHED_FULL_VECTORS, a, s, SWEEP_CHANGED(u, n, 1), vt, info), -5);
  assert_int_equal(batched_gesvd(ctx, BATCHED_FULL_VECTORS, a, s, u, vt, info), -6);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, none, SWEEP_CHANGED(vt, m, 1), info), -6);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, SWEEP_CHANGED(u, n, 1), none, info), -5);
  assert_int_equal(batched_gesvd(ctx, BATCHED_VECTORS, a, s, none, none, info), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_known_values), cmocka_unit_test(test_columns_far_apart),
                                     cmocka_unit_test(test_not_finite),   cmocka_unit_test(test_long_shapes),
                                     cmocka_unit_test(test_signs),        cmocka_unit_test(test_graded),
                                     cmocka_unit_test(test_zero_columns), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gesvd, extra, 8);
}

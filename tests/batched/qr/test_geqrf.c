/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR: |A - Q R| / (m |A| eps), column by column, and |Q^H Q - I| / (m eps), with Q rebuilt from the stored reflectors;
 * R's diagonal is real.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/qr/qr_oracle.h"
#include "tests/batched/sweep/far_case.h"

/* flags: tau as a column or as a row */
static const int shapes[][3] = {
  {0, 0, 0},    {1, 1, 0},    {2, 2, 0},   {3, 3, 0},    {1, 4, 0},    {4, 1, 0},    {5, 3, 0},    {3, 5, 0},
  {4, 4, 0},    {0, 3, 0},    {8, 8, 0},   {9, 7, 0},    {7, 9, 0},    {15, 16, 0},  {16, 16, 0},  {17, 5, 0},
  {31, 32, 0},  {32, 32, 0},  {33, 33, 0}, {32, 70, 0},  {70, 32, 0},  {48, 48, 0},  {64, 64, 0},  {65, 65, 0},
  {25, 25, 0},  {28, 27, 0},  {29, 32, 0}, {27, 31, 0},  {36, 34, 0},  {40, 40, 0},  {39, 35, 0},  {37, 5, 0},
  {50, 49, 0},  {56, 56, 0},  {56, 20, 0}, {30, 56, 0},  {60, 57, 0},  {57, 64, 0},  {64, 61, 0},  {64, 4, 0},
  {9, 64, 0},   {20, 50, 0},  {63, 63, 0}, {100, 30, 0}, {30, 100, 0}, {129, 97, 0}, {257, 20, 0}, {600, 9, 0},
  {530, 41, 0}, {1030, 5, 0}, {-1},
};

static const int large_shapes[][3] = {{127, 127, 0}, {128, 128, 0}, {200, 200, 0}, {256, 256, 0}, {400, 400, 0},
                                      {290, 330, 0}, {530, 280, 0}, {512, 64, 0},  {65, 256, 0},  {-1}};

/* One more warp for 128 rows (just below, warps have no row of a last panel), groups of 256, blocks of 128 columns
 * beyond 1000 rows, and what cuda.panels does not take. */
static const int edge_shapes[][3] = {{640, 640, 0},  {642, 642, 0}, {768, 768, 0},   {769, 100, 0},
                                     {896, 896, 0},  {897, 200, 0}, {1001, 1001, 0}, {1024, 1024, 0},
                                     {1024, 300, 0}, {640, 900, 0}, {1300, 140, 0},  {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
  o[1] = oracle_vector(SWEEP_OUT, least(c->m, c->n), c->flags);
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i == 0) sweep_general(c, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_geqrf(ctx, x[0], x[1]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return oracle_qr_ratio(c, before[0], after[0], after[1]);
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  return oracle_qr_probe(c, before[0], after[0], after[1]);
}

static const sweep_family geqrf = {
  .op = &batched_geqrf_op,
  .nflags = 2,
  .noperands = 2,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick = 200,
  .unseen = "cuda.blocked",
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR | 1u << SWEEP_ILL | 1u << SWEEP_GRADED |
           1u << SWEEP_HILBERT | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | 1u << SWEEP_UNEVEN |
           SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* LAPACK's choice of signs: beta = -sign(re alpha) |(alpha, x)|, tau = (beta - alpha) / beta, v = x / (alpha -
 * beta). */
static void test_conventions(void **unused)
{
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_geqrf_op.variants[BATCHED_HOST]; v->name; v++) {
    double a[2][2] = {{3, 4}, {-3, 4}}, tau[2];
    double _Complex z[2] = {3 + 4 * I, 12}, ztau[1];
    batched_select(ctx, &batched_geqrf_op, v->name);
    assert_int_equal(batched_geqrf(ctx, batched_strided(a[0], 2, 1, 2, 2, 2), batched_strided(tau, 1, 1, 1, 1, 2)), 0);
    assert_true(fabs(a[0][0] + 5) < 1e-14 && fabs(a[0][1] - 0.5) < 1e-14 && fabs(tau[0] - 1.6) < 1e-14);
    assert_true(fabs(a[1][0] - 5) < 1e-14 && fabs(a[1][1] + 0.5) < 1e-14 && fabs(tau[1] - 1.6) < 1e-14);
    assert_int_equal(batched_geqrf(ctx, batched_strided(z, 2, 1, 2, 2, 1), batched_strided(ztau, 1, 1, 1, 1, 1)), 0);
    assert_true(cabs(z[0] + 13) < 1e-14 && cabs(z[1] - 12 / (16 + 4.0 * I)) < 1e-14);
    assert_true(cabs(ztau[0] - (16 + 4.0 * I) / 13) < 1e-14);
  }
  batched_destroy(&ctx);
}

/* The smallest and the largest numbers that there are: (3, 4) times d has R = -5 d, v = (1, 1/2) and tau = 8/5. */
static void test_extremes(void **unused)
{
  (void)unused;
  static const double scales[] = {0x1p-1074, 0x1p-1040, 0x1p-1022, 0x1p1020};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_geqrf_op.variants[BATCHED_HOST]; v->name; v++) {
    batched_select(ctx, &batched_geqrf_op, v->name);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
      double x[] = {3 * scales[i], 4 * scales[i]}, tau = NAN;
      assert_int_equal(batched_geqrf(ctx, batched_strided(x, 2, 1, 2, 2, 1), batched_strided(&tau, 1, 1, 1, 1, 1)), 0);
      assert_true(x[0] == -5 * scales[i] && fabs(x[1] - 0.5) < 1e-15 && fabs(tau - 1.6) < 1e-15);
    }
  }
  batched_destroy(&ctx);
}

/* More rows than LAPACK, which counts in 32 bits, could have workspace for, and no more workspace than columns ask. */
static void test_long_column(void **unused)
{
  (void)unused;
  enum { LONG = 34000000 };
  float *a = malloc(LONG * sizeof *a), tau;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int i = 0; i < LONG; i++) a[i] = i == 3 || i == LONG - 1;
  assert_int_equal(batched_geqrf(ctx, batched_strided(a, LONG, 1, LONG, LONG, 1), batched_strided(&tau, 1, 1, 1, 1, 1)),
                   0);
  assert_true(fabsf(fabsf(a[0]) - sqrtf(2)) < 1e-6f && fabsf(a[3] / a[LONG - 1] - 1) < 1e-6f && a[LONG - 2] == 0);
  assert_int_equal(batched_geqrf(ctx, batched_strided(a, 1000000, 2, 1000000, 2000000, 1),
                                 batched_strided(a + 2000000, 2, 1, 2, 2, 1)),
                   0);
  assert_true(batched_workspace(ctx) < 1000000);
  free(a);
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  batched_matrix a = batched_strided(x, 3, 2, 3, 6, 2), tau = batched_strided(x + 12, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_geqrf(NULL, a, tau), -1);
  assert_int_equal(batched_geqrf(ctx, BAD(a, ld, 2), tau), -2);
  assert_int_equal(batched_geqrf(ctx, BAD(a, stride, 0), tau), -2);
  assert_int_equal(batched_geqrf(ctx, BAD(a, data, NULL), tau), -2);
  assert_int_equal(batched_geqrf(ctx, a, BAD(tau, m, 1)), -3);
  assert_int_equal(batched_geqrf(ctx, a, BAD(tau, type, BATCHED_S)), -3);
  assert_int_equal(batched_geqrf(ctx, a, BAD(tau, count, 1)), -3);
  batched_destroy(&ctx);
}

/* ------------------------------------------------------------------ one large matrix */

static bool in_upper(int i, int j)
{
  return i <= j;
}

static int call_large(batched_ctx *ctx, const large_matrix *a, void *tau)
{
  return batched_geqrf(ctx, large_view(a), large_view(tau));
}

/* A x = Q (R x), and Q keeps the length of a vector. */
static void check_large(batched_ctx *ctx, batched_type type, int m, int n)
{
  large_matrix a = large_new(ctx, type, m, n);
  const int k = m < n ? m : n;
  large_matrix tau = large_new(ctx, type, k, 1);
  large_number *x = large_vector(n, type), *ax = large_vector(m, type), *y = large_vector(m, type);
  large_multiply(&a, NULL, false, x, ax);
  void *copy = large_copy(ctx, &a);
  assert_int_equal(call_large(ctx, &a, &tau), 0);
  batched_copy_to_host(ctx, a.host, a.device, large_bytes(&a));
  batched_copy_to_host(ctx, tau.host, tau.device, large_bytes(&tau));
  large_replay(ctx, &a, copy, call_large, &tau);
  large_multiply(&a, in_upper, false, x, y);
  const double before = large_norm(y, m);
  for (int j = k - 1; j >= 0; j--) {
    large_number dot = y[j];
    for (int i = j + 1; i < m; i++) dot += conj(large_at(&a, i, j)) * y[i];
    dot *= large_at(&tau, j, 0);
    y[j] -= dot;
    for (int i = j + 1; i < m; i++) y[i] -= dot * large_at(&a, i, j);
  }
  const double ratio = large_ratio(&a, ax, y, x),
               kept = fabs(large_norm(y, m) / before - 1) / (m * (double)sweep_eps(type));
  if (!(ratio < 30 && kept < 30)) fail_msg("%d x %d, type %d: ratio %g, length %g", m, n, type, ratio, kept);
  free(x);
  free(ax);
  free(y);
  large_free(ctx, &a);
  large_free(ctx, &tau);
}
static int call_some(batched_ctx *ctx, batched_matrix a, void *tau)
{
  return batched_geqrf(ctx, a, batched_make_strided(a.type, tau, a.n, 1, a.n, a.n, a.count));
}
/* Of matrices that go in two halves some have the bits that they have in a small batch, where blocks of threads share
 * the columns of each. */
static void check_shared(int n)
{
  enum { MANY = 300, FEW = 3 };
  static const size_t places[FEW] = {0, MANY / 2, MANY - 1};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_CUDA), 0);
  assert_int_equal(batched_select(ctx, &batched_geqrf_op, "cuda.blocked"), 0);
  const size_t bytes = (size_t)n * (size_t)n * sizeof(double);
  char *const all = batched_allocate(ctx, (MANY + FEW) * bytes), *const some = all + MANY * bytes,
              *const tau = batched_allocate(ctx, (size_t)n * MANY * sizeof(double)), *const in_all = malloc(bytes),
              *const in_some = malloc(bytes);
  assert_true(all && tau && in_all && in_some);
  const batched_matrix many = batched_make_strided(BATCHED_D, all, n, n, n, (int64_t)n * n, MANY),
                       few = batched_make_strided(BATCHED_D, some, n, n, n, (int64_t)n * n, FEW);
  assert_int_equal(batched_random(ctx, 7, 0, many), 0);
  for (size_t i = 0; i < FEW; i++)
    assert_int_equal(batched_copy_within(ctx, some + i * bytes, all + places[i] * bytes, bytes), 0);
  assert_int_equal(call_some(ctx, many, tau), 0);
  assert_int_equal(call_some(ctx, few, tau), 0);
  for (size_t i = 0; i < FEW; i++) {
    batched_copy_to_host(ctx, in_all, all + places[i] * bytes, bytes);
    batched_copy_to_host(ctx, in_some, some + i * bytes, bytes);
    if (memcmp(in_all, in_some, bytes) != 0) fail_msg("order %d, matrix %zu: other bits", n, places[i]);
  }
  free(in_all);
  free(in_some);
  batched_release(ctx, all);
  batched_release(ctx, tau);
  batched_destroy(&ctx);
}
static void test_large(void **unused)
{
  (void)unused;
  large_cases(&batched_geqrf_op, true, check_large);
  for (int t = 0; t < 4; t++) {
    far_alone(&batched_geqrf_op, call_some, large_types[t], 700);
    far_alone(&batched_geqrf_op, call_some, large_types[t], 2048);
    if (large_types[t] == BATCHED_D)
      far_alone(&batched_geqrf_op, call_some, BATCHED_D, 6400); /* blocks within blocks */
  }
  check_shared(300);
  check_shared(500);
}

/* The same, by unmqr, which takes longer for one vector than for some. */
static void check_far(batched_ctx *ctx, batched_type type, int n)
{
  enum { VECTORS = 32 };
  const batched_matrix a = far_new(ctx, type, n, n, (uint64_t)n), x = far_new(ctx, type, n, VECTORS, 1),
                       tau = far_new(ctx, type, n, 1, 2), y = far_copy(ctx, x);
  assert_int_equal(batched_gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, batched_real(1), a, x, batched_real(0), y), 0);
  large_number *const ax = far_get(ctx, y);
  assert_int_equal(batched_geqrf(ctx, a, tau), 0);
  assert_int_equal(batched_copy(ctx, x, y), 0);
  far_triangle(ctx, BATCHED_UPPER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, a, y);
  large_number *const rx = far_get(ctx, y);
  assert_int_equal(batched_unmqr(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, a, tau, y), 0);
  large_number *const qrx = far_get(ctx, y);
  const double ratio = far_ratio(ctx, ax, y, x),
               kept =
                 fabs(large_norm(qrx, n * VECTORS) / large_norm(rx, n * VECTORS) - 1) / (n * (double)sweep_eps(type));
  if (!(ratio < 30 && kept < 30)) fail_msg("order %d, type %d: ratio %g, length %g", n, type, ratio, kept);
  large_number *const vectors[] = {ax, rx, qrx};
  const batched_matrix all[] = {a, x, tau, y};
  for (int i = 0; i < 3; i++) free(vectors[i]);
  for (int i = 0; i < 4; i++) far_free(ctx, all[i]);
}
static void test_larger(void **unused)
{
  (void)unused;
  far_cases(&batched_geqrf_op, check_far);
  far_alone(&batched_geqrf_op, call_some, BATCHED_D, 10500); /* blocks of 512, 256 and 128 columns, products in parts */
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_conventions), cmocka_unit_test(test_extremes),
                                     cmocka_unit_test(test_long_column), cmocka_unit_test(test_bad_arguments)};
  const struct CMUnitTest near[] = {cmocka_unit_test(test_large)}, far[] = {cmocka_unit_test(test_larger)};
  const int status = sweep_main(argc, argv, &geqrf, extra, 4);
  return status ? status : large_main(argc, argv, "geqrf, one large matrix", near, far);
}

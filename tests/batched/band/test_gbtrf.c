/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of band matrices: |P L U - A| / (n |A| eps), the size of L, the pivots, and info for singular matrices.
 */
#include <limits.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/band/band_case.h"

/* flags: widths */
static const int shapes[][3] = {
  {0, 0, 0},   {0, 3, 0},   {3, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},
  {2, 5, 0},   {5, 2, 0},   {7, 7, 0},   {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0},
  {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {32, 9, 0},  {11, 29, 0}, {48, 48, 0}, {63, 63, 0}, {64, 64, 0},
  {65, 65, 0}, {40, 17, 0}, {17, 50, 0}, {70, 33, 0}, {33, 70, 0}, {-1},
};

static const int large_shapes[][3] = {
  {100, 100, 0}, {129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {60, 250, 0},  {230, 90, 0}, {100, 100, 0},
  {120, 120, 0}, {300, 300, 0}, {111, 111, 0}, {150, 150, 0}, {512, 512, 0}, {-1},
};

/* The widths of each kernel of cuda.thread, cuda.lanes, cuda.halves and cuda.warp; cuda.panels by a block, and by a
 * cluster; layouts of one size where cuda.thread is meant */
static const int quick_shapes[][5] = {{9, 9, 0, 2, 37},
                                      {17, 17, 0, 0, 37},
                                      {16, 16, 0, 3, 37},
                                      {33, 50, 0, 4, 2},
                                      {16, 16, 0, 7, 37},
                                      {34, 34, 0, 1, 2},
                                      {36, 36, 0, 6, 2},
                                      {47, 47, 0, 13, 2},
                                      {90, 90, 0, 18, 2},
                                      {40, 17, 0, 0, 2},
                                      {70, 66, 0, 4, 2},
                                      {20, 20, 0, 5, 2},
                                      {-1}};

static band_widths widths(const sweep_case *c)
{
  return band_widths_of(c->flags, c->m, c->n);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const band_widths w = widths(c);
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = 2 * w.kl + w.ku + 1 + c->flags % 2, .n = c->n};
}

static void extents(const sweep_case *c, int *out)
{
  const band_widths w = widths(c);
  out[0] = c->m, out[1] = w.kl, out[2] = w.ku;
}

static band_layout layout(const sweep_case *c)
{
  const band_widths w = widths(c);
  return (band_layout){c->m, w.kl, w.ku, w.kl + w.ku};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const band_widths w = widths(c);
  const sweep_dense a = band_dense(c, c->m, c->n);
  (void)i;
  if (w.kl == 0 || w.ku == 0) band_strengthen(c, w, a);
  band_store(layout(c), a, x);
}

static bool fills(const sweep_case *c, int operand, int row, int col)
{
  const band_widths w = widths(c);
  const int i = row - w.kl - w.ku + col;
  (void)operand;
  return row < w.kl && i >= 0 && i < c->m;
}

static int npivots(const sweep_case *c)
{
  return c->m < c->n ? c->m : c->n;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const band_widths w = widths(c);
  if (!c->extents[0]) return batched_gbtrf(ctx, c->m, w.kl, w.ku, x[0], c->pivots, info);
  return batched_gbtrf_variable(ctx, band_extent(c, 0, c->m), band_extent(c, 1, w.kl), band_extent(c, 2, w.ku), x[0],
                                c->pivots, info);
}

static int first_zero_pivot(const sweep_case *c, sweep_dense f)
{
  for (int k = 0; k < npivots(c); k++)
    if (BAND_AT(f, layout(c), k, k) == 0) return k + 1;
  return 0;
}

static bool pivots_and_multipliers_are_right(const sweep_case *c, sweep_dense f)
{
  const band_layout l = layout(c);
  for (int k = 0; k < npivots(c); k++) {
    const int p = c->pivots[k] - 1;
    if (p < k || p >= c->m || p > k + l.kl) return false;
    for (int i = k + 1; i < c->m && i <= k + l.kl; i++)
      if (!(sweep_abs(BAND_AT(f, l, i, k)) <= sqrtl(2) * (1 + 8 * sweep_eps(c->type)))) return false;
  }
  return true;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  if (info != first_zero_pivot(c, after[0])) return NAN;
  if (c->kind == SWEEP_BAD && npivots(c) > 0 && info != band_bad_column(c->flags, npivots(c)) + 1) return NAN;
  if (npivots(c) == 0) return 0;
  if (!pivots_and_multipliers_are_right(c, after[0])) return NAN;
  const sweep_dense a = band_load(layout(c), before[0]), product = band_product(c->m, widths(c), after[0], c->pivots);
  for (int64_t e = 0; e < (int64_t)c->m * c->n; e++) product.x[e] -= a.x[e];
  const long double norm = sweep_norm(a), error = sweep_norm(product);
  return error == 0 ? 0 : error / ((c->m > c->n ? c->m : c->n) * sweep_unit(c, norm));
}

static const sweep_family gbtrf = {
  .op = &batched_gbtrf_op,
  .nflags = BAND_WIDTHS,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .quick_shapes = quick_shapes,
  .limit = 30,
  .operands = operands,
  .nextents = 3,
  .extents = extents,
  .fill = fill,
  .fills = fills,
  .pivots = npivots,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_SINGULAR | 1u << SWEEP_BAD | 1u << SWEEP_ILL | 1u << SWEEP_GRADED |
           1u << SWEEP_HILBERT | 1u << SWEEP_NEARLY_SINGULAR | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* Factors `count` matrices in host memory by a row of a space; false if it is not made for such matrices. */
static bool factor(batched_ctx *ctx, const char *row, int m, band_widths w, batched_matrix ab, int *ipiv, int *info)
{
  const size_t bytes = (size_t)(ab.count * ab.stride) * batched_element_bytes(ab.type),
               k = (size_t)(m < ab.n ? m : ab.n), ints = (size_t)ab.count * sizeof(int);
  void *x = batched_allocate(ctx, bytes), *host = ab.data;
  int *pivots = batched_allocate(ctx, k * ints), *reports = batched_allocate(ctx, ints);
  batched_copy_from_host(ctx, x, host, bytes);
  batched_select(ctx, &batched_gbtrf_op, row);
  ab.data = x;
  const int status = batched_gbtrf(ctx, m, w.kl, w.ku, ab, pivots, reports);
  assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
  if (status == 0) {
    batched_copy_to_host(ctx, host, x, bytes);
    batched_copy_to_host(ctx, ipiv, pivots, k * ints);
    batched_copy_to_host(ctx, info, reports, ints);
  }
  batched_release(ctx, x);
  batched_release(ctx, pivots);
  batched_release(ctx, reports);
  return status == 0;
}

/* The first of equal pivots is taken, sizes are |re| + |im|, and a zero column or a NaN is reported.  The matrices are
 * 3 x 3 with kl = ku = 2: rows 0 and 1 of the storage are what LU may fill in. */
static void check_pivots(batched_space space)
{
  batched_ctx *ctx;
  if (batched_create(&ctx, space)) return; /* no GPU */
  for (const batched_variant *v = batched_gbtrf_op.variants[space]; v->name; v++) {
    if (sweep_leaves_out(v->name, 3)) continue;
    const double a[4][9] = {{1, -2, 2, 3, 1, 5, 4, 4, 4},
                            {0, 0, 0, 1, 2, 3, 4, 5, 6},
                            {NAN, 1, 2, 3, 4, 5, 6, 7, 8},
                            {1, 1, 2, 2, 2, 9, 1, 2, 3}};
    const band_widths w = {2, 2};
    double ab[4][21];
    int ipiv[12], info[4];
    for (int b = 0; b < 4; b++)
      for (int j = 0; j < 3; j++)
        for (int r = 0; r < 7; r++) ab[b][r + 7 * j] = r + j >= 4 && r + j < 7 ? a[b][r - 4 + 4 * j] : NAN;
    if (!factor(ctx, v->name, 3, w, batched_strided(ab[0], 7, 3, 7, 21, 4), ipiv, info)) continue;
    assert_true(ipiv[0] == 2 && ipiv[9] == 3);
    assert_true(ab[0][4] == -2);
    assert_true(info[0] == 0 && info[1] == 1 && info[2] == 1 && info[3] == 0);
    assert_true(ab[1][4] == 0 && ab[1][5] == 0 && ipiv[3] == 1);
    double _Complex z[2][5] = {{0, 0, 3, 2 + 2 * I, 0}, {0, 1, 1, 0, 0}};
    if (factor(ctx, v->name, 2, (band_widths){1, 1}, batched_strided(z[0], 4, 2, 5, 10, 1), ipiv, info))
      assert_true(ipiv[0] == 2 && z[0][2] == 2 + 2 * I);
  }
  batched_destroy(&ctx);
}

static void test_pivots(void **unused)
{
  (void)unused;
  check_pivots(BATCHED_HOST);
  check_pivots(BATCHED_CUDA);
}

/* Matrices in LAPACK's storage whose bands are random, and whose rows that LU fills are NaN. */
static void fill_bands(batched_type type, band_widths w, int columns, void *ab)
{
  const int parts = type == BATCHED_C || type == BATCHED_Z ? 2 : 1, ld = 2 * w.kl + w.ku + 1;
  for (int e = 0; e < columns * ld * parts; e++) {
    const double number = e / parts % ld < w.kl ? NAN : (double)sweep_uniform();
    if (type == BATCHED_S || type == BATCHED_C)
      ((float *)ab)[e] = (float)number;
    else
      ((double *)ab)[e] = number;
  }
}

/* Random matrices have the same pivots as by the definition on the host, whichever row finds them; in single precision
 * small ones, where rounding does not decide. */
static void check_same_pivots(batched_space space)
{
  enum { COUNT = 3, MOST = 300 };
  static const int orders[] = {5, 24, 33, 70, 128, MOST};
  batched_ctx *host, *ctx;
  if (batched_create(&ctx, space)) return; /* no GPU */
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  double _Complex *given = malloc(COUNT * MOST * 100 * sizeof *given), *x = malloc(COUNT * MOST * 100 * sizeof *x);
  int expected[COUNT * MOST], pivots[COUNT * MOST], info[COUNT];
  for (int i = 0; i < 4 * 6 * BAND_FIXED; i++) {
    const batched_type type = (batched_type)(i % 4);
    const bool is_single = type == BATCHED_S || type == BATCHED_C;
    const int n = orders[i / 4 % 6];
    const band_widths w = band_widths_of(i / 24, 0, 0);
    const int ld = 2 * w.kl + w.ku + 1;
    const size_t bytes = (size_t)COUNT * ld * n * batched_element_bytes(type);
    const batched_matrix ab = batched_make_strided(type, x, ld, n, ld, (int64_t)ld * n, COUNT);
    if (is_single && n > 33) continue;
    fill_bands(type, w, COUNT * n, given);
    memcpy(x, given, bytes);
    assert_true(factor(host, "host.ref", n, w, ab, expected, info));
    for (const batched_variant *v = batched_gbtrf_op.variants[space]; v->name; v++) {
      memcpy(x, given, bytes);
      if (sweep_leaves_out(v->name, n) || !factor(ctx, v->name, n, w, ab, pivots, info)) continue;
      if (memcmp(pivots, expected, (size_t)COUNT * n * sizeof *pivots) != 0)
        fail_msg("%s: other pivots, type %c, order %d, kl %d, ku %d", v->name, "sdcz"[type], n, w.kl, w.ku);
    }
  }
  free(given);
  free(x);
  batched_destroy(&host);
  batched_destroy(&ctx);
}

static void test_same_pivots(void **unused)
{
  (void)unused;
  check_same_pivots(BATCHED_HOST);
  check_same_pivots(BATCHED_CUDA);
}

/* Matrices of different orders and widths, of which `copies` stand behind each other in one batch: factors, pivots and
 * info of them all. */
typedef struct copied {
  batched_type type;
  int copies;
  band_widths most;
  char *ab;
  int *ipiv, *info;
} copied;

enum { COPIED = 7, COPIED_ORDER = 40 };

static size_t copied_bytes(const copied *x)
{
  return (size_t)COPIED_ORDER * (size_t)(2 * x->most.kl + x->most.ku + 1) * batched_element_bytes(x->type);
}

static void *on_device(batched_ctx *ctx, const void *from, size_t bytes)
{
  void *x = batched_allocate(ctx, bytes);
  assert_non_null(x);
  assert_int_equal(batched_copy_from_host(ctx, x, from, bytes), 0);
  return x;
}

/* Has x->ab the matrices: COPIED of them on entry, all of their copies' factors afterwards. */
static void factor_copies(batched_ctx *ctx, copied *x)
{
  static const int orders[COPIED] = {COPIED_ORDER, 1, 17, 33, 8, 29, 12};
  const int count = x->copies * COPIED, ld = 2 * x->most.kl + x->most.ku + 1;
  const size_t each = COPIED * copied_bytes(x), ints = (size_t)count * sizeof(int);
  int *sizes = malloc(3 * ints);
  x->ab = realloc(x->ab, (size_t)x->copies * each);
  x->ipiv = calloc((size_t)count * COPIED_ORDER, sizeof(int));
  x->info = malloc(ints);
  for (int c = 1; c < x->copies; c++) memcpy(x->ab + (size_t)c * each, x->ab, each);
  for (int b = 0; b < count; b++) {
    sizes[b] = orders[b % COPIED];
    sizes[count + b] = x->most.kl - b % COPIED % 3;
    sizes[2 * count + b] = x->most.ku - b % COPIED % 2;
  }
  void *ab = on_device(ctx, x->ab, (size_t)x->copies * each);
  int *ipiv = on_device(ctx, x->ipiv, ints * COPIED_ORDER), *info = on_device(ctx, x->info, ints),
      *n = on_device(ctx, sizes, 3 * ints);
  const batched_matrix view = batched_with_sizes(
    batched_make_strided(x->type, ab, ld, COPIED_ORDER, ld, (int64_t)COPIED_ORDER * ld, count), NULL, n, NULL);
  assert_int_equal(batched_gbtrf_variable(ctx, batched_each(COPIED_ORDER, n), batched_each(x->most.kl, n + count),
                                          batched_each(x->most.ku, n + 2 * count), view, ipiv, info),
                   0);
  batched_copy_to_host(ctx, x->ab, ab, (size_t)x->copies * each);
  batched_copy_to_host(ctx, x->ipiv, ipiv, ints * COPIED_ORDER);
  batched_copy_to_host(ctx, x->info, info, ints);
  void *given[] = {ab, ipiv, info, n};
  for (int i = 0; i < 4; i++) batched_release(ctx, given[i]);
  free(sizes);
}

/* Kernels that many matrices have give the bits of those that few have, beside matrices of other sizes too. */
static void test_many_as_few(void **unused)
{
  (void)unused;
  static const struct {
    const char *row;
    band_widths most;
  } cases[] = {{"cuda.halves", {10, 7}}, {"cuda.halves", {14, 3}}, {"cuda.lanes", {2, 3}}};
  batched_ctx *ctx;
  if (batched_create(&ctx, BATCHED_CUDA)) return; /* no GPU */
  for (int i = 0; i < 3 * 2 * 4; i++) {
    const bool has_ties = i / 3 % 2;
    copied few = {(batched_type)(i / 6), 1, cases[i % 3].most, NULL, NULL, NULL};
    if (sweep_leaves_out(cases[i % 3].row, COPIED_ORDER)) continue;
    const size_t bytes = COPIED * copied_bytes(&few);
    const bool is_single = few.type == BATCHED_S || few.type == BATCHED_C;
    few.ab = malloc(bytes);
    for (size_t e = 0; e < bytes / (is_single ? sizeof(float) : sizeof(double)); e++) {
      const double number = has_ties ? (int)(3 * sweep_uniform()) : (double)sweep_uniform();
      if (is_single)
        ((float *)few.ab)[e] = (float)number;
      else
        ((double *)few.ab)[e] = number;
    }
    copied many = {few.type, 700, few.most, malloc(bytes), NULL, NULL};
    memcpy(many.ab, few.ab, bytes);
    batched_select(ctx, &batched_gbtrf_op, cases[i % 3].row);
    factor_copies(ctx, &few);
    factor_copies(ctx, &many);
    for (int c = 0; c < many.copies; c++) {
      assert_memory_equal(many.ab + (size_t)c * bytes, few.ab, bytes);
      assert_memory_equal(many.ipiv + c * COPIED * COPIED_ORDER, few.ipiv, COPIED * COPIED_ORDER * sizeof(int));
      assert_memory_equal(many.info + c * COPIED, few.info, COPIED * sizeof(int));
    }
    void *mine[] = {few.ab, few.ipiv, few.info, many.ab, many.ipiv, many.info};
    for (int j = 0; j < 6; j++) free(mine[j]);
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int info[2], ipiv[4], one[] = {1, 1}, minus[] = {0, -1}, two[] = {0, 2}, rows[] = {4, 3};
  const batched_extent n = batched_uniform(2), k = batched_each(1, one);
  batched_matrix a = batched_strided(x, 4, 2, 4, 8, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define BAD(field, value) SWEEP_CHANGED(a, field, value)
  assert_int_equal(batched_gbtrf(NULL, 2, 1, 1, a, ipiv, info), -1);
  assert_int_equal(batched_gbtrf(ctx, -1, 1, 1, a, ipiv, info), -2);
  assert_int_equal(batched_gbtrf(ctx, 2, -1, 1, a, ipiv, info), -3);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, -1, a, ipiv, info), -4);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 2, a, ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, INT_MAX, INT_MAX, a, ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, BAD(ld, 3), ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, BAD(data, NULL), ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, BAD(stride, 0), ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, a, NULL, info), -6);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, a, ipiv, NULL), -7);
  assert_int_equal(batched_gbtrf_variable(ctx, batched_each(2, minus), k, k, a, ipiv, info), -2);
  assert_int_equal(batched_gbtrf_variable(ctx, n, batched_each(1, two), k, a, ipiv, info), -3);
  assert_int_equal(batched_gbtrf_variable(ctx, n, k, batched_each(1, minus), a, ipiv, info), -4);
  assert_int_equal(batched_gbtrf_variable(ctx, n, k, k, BAD(ms, rows), ipiv, info), -5);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, BAD(count, 0), NULL, NULL), 0);
  assert_int_equal(batched_gbtrf(ctx, 2, 1, 1, BAD(n, 0), NULL, info), 0);
  assert_true(info[0] == 0 && info[1] == 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_pivots), cmocka_unit_test(test_same_pivots),
                                     cmocka_unit_test(test_many_as_few), cmocka_unit_test(test_bad_arguments)};
  const int status = sweep_main(argc, argv, &gbtrf, extra, 4);
  return sweep_then_on_gpu(status, "gbtrf, pivots", extra, 3);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU: |P L U - A| / (n |A| eps), the size of L, the pivots, and info for singular matrices.
 */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/lu/lu_oracle.h"
#include "tests/batched/sweep/far_case.h"

static const int shapes[][3] = {
  {0, 0, 0},   {0, 3, 0},   {3, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},
  {2, 5, 0},   {5, 2, 0},   {7, 7, 0},   {8, 8, 0},   {9, 9, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0},
  {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {32, 9, 0},  {11, 29, 0}, {48, 48, 0}, {63, 63, 0}, {64, 64, 0},
  {65, 65, 0}, {40, 17, 0}, {17, 50, 0}, {70, 33, 0}, {33, 70, 0}, {-1},
};

static const int large_shapes[][3] = {
  {27, 27, 0},   {81, 81, 0},   {96, 96, 0},   {100, 100, 0}, {125, 125, 0}, {127, 127, 0},
  {128, 128, 0}, {129, 129, 0}, {200, 200, 0}, {256, 256, 0}, {300, 77, 0},  {60, 250, 0},
  {230, 90, 0},  {130, 210, 0}, {400, 400, 0}, {512, 512, 0}, {700, 40, 0},  {1100, 9, 0},
  {600, 600, 0}, {530, 640, 0}, {2100, 20, 0}, {4200, 70, 0}, {-1},
};

/* The last rows of cuda.panels and cuda.blocked, and the first beyond; leaves of cuda.recursive by 512, 1024, 2048 and
 * 4096 rows, of 128 columns or 64, and the last 256 of real ones; its strips, with 257 to 320 rows. */
static const int edge_shapes[][3] = {{257, 257, 0},
                                     {320, 320, 0},
                                     {321, 321, 0},
                                     {319, 600, 0},
                                     {300, 64, 0},
                                     {512, 700, 0},
                                     {513, 513, 0},
                                     {640, 640, 0},
                                     {769, 600, 0},
                                     {1025, 300, 0},
                                     {1024, 1024, 0},
                                     {600, 1000, 0},
                                     {2049, 140, 0},
                                     {2048, 65, 0},
                                     {4097, 130, 0},
                                     {4096, 66, 0},
                                     {-1}};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  if (c->kind == SWEEP_HIDDEN) {
    lu_hidden(c, x);
    return;
  }
  sweep_general(c, x);
}

static int npivots(const sweep_case *c)
{
  return c->m < c->n ? c->m : c->n;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_getrf(ctx, x[0], c->pivots, info);
}

static int first_zero_pivot(const sweep_case *c, sweep_dense f)
{
  for (int k = 0; k < npivots(c); k++)
    if (SWEEP_AT(f, k, k) == 0) return k + 1;
  return 0;
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int m = c->m, n = c->n, k = npivots(c);
  if (info != first_zero_pivot(c, after[0])) return NAN;
  if (k == 0) return 0;
  for (int i = 0; i < k; i++)
    if (c->pivots[i] < i + 1 || c->pivots[i] > m) return NAN;
  for (int j = 0; j < k; j++)
    for (int i = j + 1; i < m; i++)
      if (!(sweep_abs(SWEEP_AT(after[0], i, j)) <= sqrtl(2) * (1 + 8 * sweep_eps(c->type)))) return NAN;
  sweep_dense a = sweep_new(m, n), product = lu_product(after[0]);
  for (int64_t e = 0; e < (int64_t)m * n; e++) a.x[e] = before[0].x[e];
  lu_exchange(a, c->pivots, k, true);
  for (int64_t e = 0; e < (int64_t)m * n; e++) product.x[e] -= a.x[e];
  const long double norm = sweep_norm(a), error = sweep_norm(product);
  return error == 0 ? 0 : error / ((m > n ? m : n) * sweep_unit(c, norm));
}

static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int k = npivots(c);
  const sweep_dense v = sweep_vector(c->type, c->n), exact = sweep_times(BATCHED_NO_TRANS, before[0], v);
  if (info) return NAN;
  for (int j = 0; j < k; j++) {
    if (c->pivots[j] < j + 1 || c->pivots[j] > c->m) return NAN;
    for (int i = j + 1; i < c->m; i++)
      if (!(sweep_abs(SWEEP_AT(after[0], i, j)) <= sqrtl(2) * (1 + 8 * sweep_eps(c->type)))) return NAN;
  }
  lu_exchange(exact, c->pivots, k, true);
  return sweep_probe(c, before[0], exact, lu_times(after[0], v), v);
}

static const sweep_family getrf = {
  .op = &batched_getrf_op,
  .nflags = 1,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .quick = 1100,
  .misread = "cuda.shared_tc,cuda.recursive",
  .misread_beyond = 128,
  .slow = "cuda.native", // at its barriers blocks wait for each other
  .slow_beyond = 129,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = npivots,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY |
           1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR | 1u << SWEEP_ILL | 1u << SWEEP_GRADED |
           1u << SWEEP_HILBERT | 1u << SWEEP_NEARLY_SINGULAR | 1u << SWEEP_HIDDEN | SWEEP_CONDITIONS,
  .host_kinds = 1u << SWEEP_DENORMAL,
};

/* Factors matrices in host memory by a row of a space; false if it is not made for such matrices. */
static bool factor(batched_ctx *ctx, const char *row, batched_matrix a, int *ipiv, int *info)
{
  const int k = a.m < a.n ? a.m : a.n;
  const size_t bytes = (size_t)(a.count * a.stride) * batched_element_bytes(a.type),
               ints = (size_t)a.count * sizeof(int);
  void *x = batched_allocate(ctx, bytes), *host = a.data;
  int *pivots = batched_allocate(ctx, k * ints), *reports = batched_allocate(ctx, ints);
  batched_copy_from_host(ctx, x, host, bytes);
  batched_select(ctx, &batched_getrf_op, row);
  a.data = x;
  const int status = batched_getrf(ctx, a, pivots, reports);
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

/* Those of the matrices below. */
static void assert_pivots(const int *ipiv, const int *info)
{
  assert_true(ipiv[0] == 2 && ipiv[3] == 1 && ipiv[9] == 3);
  assert_true(info[0] == 0 && info[1] == 1 && info[2] == 1 && info[3] == 0);
}

/* The first of equal pivots is taken, sizes are |re| + |im|, and a zero column or a NaN is reported. */
static void check_pivots(batched_space space)
{
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  for (const batched_variant *v = batched_getrf_op.variants[space]; v->name; v++) {
    if ((space == BATCHED_CUDA && strncmp(v->name, "vendor", 6) == 0) || sweep_leaves_out(v->name, 3)) continue;
    double a[4][9] = {{1, -2, 2, 3, 1, 5, 4, 4, 4},
                      {0, 0, 0, 1, 2, 3, 4, 5, 6},
                      {NAN, 1, 2, 3, 4, 5, 6, 7, 8},
                      {1, 1, 2, 2, 2, 9, 1, 2, 3}};
    float single[4][9];
    for (int e = 0; e < 36; e++) single[e / 9][e % 9] = (float)a[e / 9][e % 9];
    int ipiv[12], info[4];
    const bool in_double = factor(ctx, v->name, batched_strided(a[0], 3, 3, 3, 9, 4), ipiv, info);
    if (in_double) {
      assert_pivots(ipiv, info);
      assert_true(a[0][0] == -2 && a[1][0] == 0 && a[1][1] == 0);
    }
    const bool in_single = factor(ctx, v->name, batched_strided(single[0], 3, 3, 3, 9, 4), ipiv, info);
    if (in_single) {
      assert_pivots(ipiv, info);
      assert_true(single[0][0] == -2 && single[1][0] == 0 && single[1][1] == 0);
    }
    assert_true(in_double || in_single);
    double _Complex z[] = {3, 2 + 2 * I, 1, 1};
    if (factor(ctx, v->name, batched_strided(z, 2, 2, 2, 4, 1), ipiv, info))
      assert_true(ipiv[0] == 2 && z[0] == 2 + 2 * I);
  }
  batched_destroy(&ctx);
}

static void test_pivots(void **unused)
{
  (void)unused;
  check_pivots(BATCHED_HOST);
}

static void test_pivots_on_gpu(void **unused)
{
  (void)unused;
  check_pivots(BATCHED_CUDA);
}

/* Random matrices have the same pivots on the GPU as by the definition on the host, whichever row finds them. */
static void test_same_pivots(void **unused)
{
  (void)unused;
  enum { COUNT = 3, MOST = 530 };
  static const int sizes[][2] = {{5, 5},   {24, 24},   {31, 32},   {33, 33},  {70, 70},
                                 {90, 40}, {128, 200}, {300, 300}, {MOST, 70}};
  batched_ctx *host, *device;
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_create(&device, BATCHED_CUDA), 0);
  const size_t most = (size_t)COUNT * MOST * MOST;
  double *given = malloc(most * sizeof *given), *x = malloc(most * sizeof *x);
  int expected[COUNT * MOST], pivots[COUNT * MOST], info[COUNT];
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int m = sizes[s][0], n = sizes[s][1], k = m < n ? m : n;
    const size_t bytes = (size_t)COUNT * m * n * sizeof *x;
    const batched_matrix a = batched_strided(x, m, n, m, (int64_t)m * n, COUNT);
    for (int e = 0; e < COUNT * m * n; e++) given[e] = (double)sweep_uniform();
    memcpy(x, given, bytes);
    assert_true(factor(host, "host.ref", a, expected, info));
    for (const batched_variant *v = batched_getrf_op.variants[BATCHED_CUDA]; v->name; v++) {
      memcpy(x, given, bytes);
      if (sweep_leaves_out(v->name, m) || !factor(device, v->name, a, pivots, info)) continue;
      if (memcmp(pivots, expected, (size_t)COUNT * k * sizeof *pivots) != 0)
        fail_msg("%s: other pivots, %d x %d", v->name, m, n);
    }
  }
  free(given);
  free(x);
  batched_destroy(&host);
  batched_destroy(&device);
}

/* A matrix has the same factors wherever it stands in a batch of which a part goes to a second stream, and the host's
 * pivots. */
static void test_parts_of_batch(void **unused)
{
  (void)unused;
  enum { COUNT = 300, M = 330, N = 260, SIZE = M * N };
  if (sweep_leaves_out("cuda.recursive", M)) return;
  double *const x = malloc(COUNT * SIZE * sizeof *x), *const given = malloc(SIZE * sizeof *given);
  int *const pivots = malloc(COUNT * N * sizeof *pivots), info[COUNT], expected[N];
  batched_ctx *host, *device;
  assert_true(x && given && pivots);
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  assert_int_equal(batched_create(&device, BATCHED_CUDA), 0);
  for (int e = 0; e < SIZE; e++) given[e] = (double)sweep_uniform();
  for (int b = 0; b < COUNT; b++) memcpy(x + (size_t)b * SIZE, given, SIZE * sizeof *x);
  assert_true(factor(host, "host.ref", batched_strided(given, M, N, M, SIZE, 1), expected, info));
  assert_true(factor(device, "cuda.recursive", batched_strided(x, M, N, M, SIZE, COUNT), pivots, info));
  for (int b = 0; b < COUNT; b++) {
    assert_int_equal(info[b], 0);
    assert_memory_equal(pivots + (size_t)b * N, expected, sizeof expected);
    assert_memory_equal(x + (size_t)b * SIZE, x, SIZE * sizeof *x);
  }
  free(x);
  free(given);
  free(pivots);
  batched_destroy(&host);
  batched_destroy(&device);
}

/* True for NaN in both, or else the same bits: which NaN it is depends on the compiler and the place in the batch. */
static bool same_but_nan(int n, const double *x, const double *y)
{
  for (int i = 0; i < n; i++)
    if (isnan(x[i]) ? !isnan(y[i]) : x[i] != y[i] || signbit(x[i]) != signbit(y[i])) return false;
  return true;
}

/* Matrices with NaNs of either sign and infinities, alone and among others of their kind. */
static void test_nans_alone(void **unused)
{
  enum { N = 7, COUNT = 19, REALS = 2 * N * N };
  static const char *const variants[] = {"host.simd", "host.ref"};
  static const double odd[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, 1e308};
  static double batch[COUNT * REALS], alone[REALS];
  int pivots[COUNT * N], its_pivots[N], info[COUNT], its_info;
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (int v = 0; v < 2; v++) {
    uint64_t dice = 1;
    double data[COUNT * REALS];
    for (int i = 0; i < COUNT * REALS; i++) {
      dice = 6364136223846793005u * dice + 1442695040888963407u;
      const unsigned draw = (unsigned)(dice >> 33);
      data[i] = draw % 8 == 0 ? odd[draw / 8 % 6] : (double)draw * 0x1p-31 - 0.5;
    }
    memcpy(batch, data, sizeof data);
    assert_int_equal(batched_select(ctx, &batched_getrf_op, variants[v]), 0);
    const batched_matrix all = batched_make_strided(BATCHED_Z, batch, N, N, N, (int64_t)N * N, COUNT);
    assert_int_equal(batched_getrf(ctx, all, pivots, info), 0);
    for (int b = 0; b < COUNT; b++) {
      memcpy(alone, data + b * REALS, sizeof alone);
      const batched_matrix one = batched_make_strided(BATCHED_Z, alone, N, N, N, (int64_t)N * N, 1);
      assert_int_equal(batched_getrf(ctx, one, its_pivots, &its_info), 0);
      assert_int_equal(its_info, info[b]);
      assert_memory_equal(its_pivots, pivots + (ptrdiff_t)b * N, sizeof its_pivots);
      if (!same_but_nan(REALS, alone, batch + (ptrdiff_t)b * REALS)) fail_msg("%s: matrix %d", variants[v], b);
    }
  }
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[16] = {0};
  int info[2], ipiv[4];
  batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define BAD(field, value) SWEEP_CHANGED(a, field, value)
  assert_int_equal(batched_getrf(NULL, a, ipiv, info), -1);
  assert_int_equal(batched_getrf(ctx, BAD(ld, 1), ipiv, info), -2);
  assert_int_equal(batched_getrf(ctx, BAD(data, NULL), ipiv, info), -2);
  assert_int_equal(batched_getrf(ctx, BAD(stride, 0), ipiv, info), -2);
  assert_int_equal(batched_getrf(ctx, a, NULL, info), -3);
  assert_int_equal(batched_getrf(ctx, a, ipiv, NULL), -4);
  assert_int_equal(batched_getrf(ctx, BAD(count, 0), NULL, NULL), 0);
  assert_int_equal(batched_getrf(ctx, BAD(n, 0), NULL, info), 0);
  assert_true(info[0] == 0 && info[1] == 0);
  info[0] = 7;
  assert_int_equal(batched_getrf(ctx, batched_strided(x, 0, INT_MAX, 1, 0, 1), NULL, info), 0); /* empty, if wide */
  assert_int_equal(info[0], 0);
  batched_destroy(&ctx);
}

/* ------------------------------------------------------------------ one large matrix */

static bool in_upper(int i, int j)
{
  return i <= j;
}
static bool below_diagonal(int i, int j)
{
  return i > j;
}

typedef struct large_results {
  int *ipiv, *info;
} large_results;

static int call_large(batched_ctx *ctx, const large_matrix *a, void *results)
{
  const large_results *const r = results;
  return batched_getrf(ctx, large_view(a), r->ipiv, r->info);
}

/* The pivots are those of the host's default row, in double precision and up to order 1024: no two candidates of such
 * a matrix are as near to each other as rounding errors are large. */
static void check_large_pivots(const large_matrix *a, const int *pivots)
{
  const int k = a->m < a->n ? a->m : a->n;
  if (batched_real_type(a->type) == BATCHED_S || a->m > 1024 || a->n > 1024) return;
  batched_ctx *host;
  large_matrix on_host = *a;
  int *expected = malloc((size_t)k * sizeof(int)), info;
  assert_int_equal(batched_create(&host, BATCHED_HOST), 0);
  on_host.device = malloc(large_bytes(a));
  memcpy(on_host.device, a->host, large_bytes(a));
  assert_int_equal(batched_getrf(host, large_view(&on_host), expected, &info), 0);
  if (memcmp(pivots, expected, (size_t)k * sizeof(int)) != 0)
    fail_msg("%d x %d, type %d: other pivots", a->m, a->n, a->type);
  free(on_host.device);
  free(expected);
  batched_destroy(&host);
}

/* Counts columns in which an element of L is larger than 1 (complex: sqrt(2)). */
typedef struct large_bound {
  const large_matrix *a;
  atomic_int beyond;
} large_bound;

static void bound_columns(int first, int last, void *data)
{
  large_bound *const b = data;
  for (int j = first; j < last; j++)
    for (int i = j + 1; i < b->a->m; i++) {
      const large_number l = large_at(b->a, i, j);
      if (creal(l) * creal(l) + cimag(l) * cimag(l) <= 2.0001) continue;
      b->beyond++;
      break;
    }
}

/* P A x = L (U x), and no element of L is larger than 1 (complex: sqrt(2)). */
static void check_large(batched_ctx *ctx, batched_type type, int m, int n)
{
  large_matrix a = large_new(ctx, type, m, n);
  const int k = m < n ? m : n;
  large_number *x = large_vector(n, type), *ax = large_vector(m, type), *y = calloc((size_t)(m > n ? m : n), sizeof *y),
               *z = large_vector(m, type);
  large_multiply(&a, NULL, false, x, ax);
  int *info = batched_allocate(ctx, sizeof(int)), *ipiv = batched_allocate(ctx, (size_t)k * sizeof(int)), found = 7;
  int *pivots = malloc((size_t)k * sizeof(int));
  large_results results = {ipiv, info};
  void *copy = large_copy(ctx, &a);
  assert_int_equal(call_large(ctx, &a, &results), 0);
  batched_copy_to_host(ctx, &found, info, sizeof found);
  batched_copy_to_host(ctx, pivots, ipiv, (size_t)k * sizeof(int));
  check_large_pivots(&a, pivots);
  batched_copy_to_host(ctx, a.host, a.device, large_bytes(&a));
  if (found != 0) fail_msg("%d x %d, type %d: info %d", m, n, type, found);
  large_replay(ctx, &a, copy, call_large, &results);
  for (int i = 0; i < k; i++) {
    if (pivots[i] < i + 1 || pivots[i] > m) fail_msg("%d x %d, type %d: pivot %d is %d", m, n, type, i, pivots[i]);
    const large_number t = ax[i];
    ax[i] = ax[pivots[i] - 1];
    ax[pivots[i] - 1] = t;
  }
  large_multiply(&a, in_upper, false, x, y);
  for (int i = k; i < m; i++) y[i] = 0;
  large_matrix l = a;
  l.n = k;
  large_multiply(&l, below_diagonal, false, y, z);
  for (int i = 0; i < k; i++) z[i] += y[i];
  large_bound bound = {.a = &l};
  sweep_share(k, 4.0 * m * k, bound_columns, &bound);
  if (bound.beyond != 0) fail_msg("%d x %d, type %d: L in %d columns", m, n, type, bound.beyond);
  const double ratio = large_ratio(&a, ax, z, x);
  if (!(ratio < 30)) fail_msg("%d x %d, type %d: ratio %g", m, n, type, ratio);
  free(x);
  free(ax);
  free(y);
  free(z);
  free(pivots);
  batched_release(ctx, info);
  batched_release(ctx, ipiv);
  large_free(ctx, &a);
}
static int call_some(batched_ctx *ctx, batched_matrix a, void *results)
{
  int *const ipiv = results, *const info = ipiv + 2 * a.n;
  return batched_getrf(ctx, a, ipiv, info);
}
static void test_large(void **unused)
{
  (void)unused;
  large_cases(&batched_getrf_op, true, check_large);
  for (int t = 0; t < 4; t++) {
    far_alone(&batched_getrf_op, call_some, large_types[t], 700);
    far_alone(&batched_getrf_op, call_some, large_types[t], 2048);
  }
}

/* The largest part of an element below the diagonal: of rectangles beside blocks on the diagonal, and of these on the
 * host. */
static double far_bound(batched_ctx *ctx, batched_matrix l)
{
  enum { BLOCK = 256 };
  const size_t size = batched_element_bytes(l.type);
  const batched_matrix norm = far_new(ctx, batched_real_type(l.type), 1, 1, 0);
  large_matrix block = {l.type, BLOCK, BLOCK, malloc(BLOCK * BLOCK * size), NULL};
  double most = 0;
  assert_non_null(block.host);
  for (int j = 0; j < l.n; j += BLOCK) {
    const int width = l.n - j < BLOCK ? l.n - j : BLOCK;
    char *const at = (char *)l.data + ((size_t)j * (size_t)l.ld + (size_t)j) * size;
    for (int c = 0; c < width; c++)
      batched_copy_to_host(ctx, (char *)block.host + (size_t)(c * BLOCK) * size, at + (size_t)c * (size_t)l.ld * size,
                           (size_t)width * size);
    for (int c = 0; c < width; c++)
      for (int i = c + 1; i < width; i++) most = fmax(most, cabs(large_at(&block, i, c)));
    if (j + width == l.n) break;
    batched_matrix below = l;
    below.data = at + (size_t)width * size;
    below.m = l.m - j - width;
    below.n = width;
    assert_int_equal(batched_norm(ctx, BATCHED_MAX_NORM, below, norm), 0);
    large_number *const x = far_get(ctx, norm);
    most = fmax(most, creal(x[0]));
    free(x);
  }
  free(block.host);
  far_free(ctx, norm);
  return most;
}

/* The same. */
static void check_far(batched_ctx *ctx, batched_type type, int n)
{
  const batched_matrix a = far_new(ctx, type, n, n, (uint64_t)n), x = far_new(ctx, type, n, 1, 1), y = far_copy(ctx, x);
  assert_int_equal(batched_gemv(ctx, BATCHED_NO_TRANS, batched_real(1), a, x, batched_real(0), y), 0);
  large_number *const ax = far_get(ctx, y);
  int *info = batched_allocate(ctx, sizeof(int)), *ipiv = batched_allocate(ctx, (size_t)n * sizeof(int)), found = 7;
  int *pivots = malloc((size_t)n * sizeof(int));
  assert_true(info && ipiv && pivots);
  assert_int_equal(batched_getrf(ctx, a, ipiv, info), 0);
  batched_copy_to_host(ctx, &found, info, sizeof found);
  batched_copy_to_host(ctx, pivots, ipiv, (size_t)n * sizeof(int));
  if (found != 0) fail_msg("order %d, type %d: info %d", n, type, found);
  for (int i = 0; i < n; i++) {
    if (pivots[i] < i + 1 || pivots[i] > n) fail_msg("order %d, type %d: pivot %d is %d", n, type, i, pivots[i]);
    const large_number t = ax[i];
    ax[i] = ax[pivots[i] - 1];
    ax[pivots[i] - 1] = t;
  }
  assert_int_equal(batched_copy(ctx, x, y), 0);
  far_triangle(ctx, BATCHED_UPPER, BATCHED_NO_TRANS, BATCHED_NON_UNIT, a, y);
  far_triangle(ctx, BATCHED_LOWER, BATCHED_NO_TRANS, BATCHED_UNIT, a, y);
  const double bound = far_bound(ctx, a), ratio = far_ratio(ctx, ax, y, x);
  if (!(bound <= 1.4143 && ratio < 30)) fail_msg("order %d, type %d: ratio %g, L to %g", n, type, ratio, bound);
  free(ax);
  free(pivots);
  const batched_matrix all[] = {a, x, y};
  for (int i = 0; i < 3; i++) far_free(ctx, all[i]);
  batched_release(ctx, info);
  batched_release(ctx, ipiv);
}
static void test_larger(void **unused)
{
  (void)unused;
  far_cases(&batched_getrf_op, check_far);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_pivots), cmocka_unit_test(test_nans_alone),
                                     cmocka_unit_test(test_bad_arguments)},
                          on_gpu[] = {cmocka_unit_test(test_pivots_on_gpu), cmocka_unit_test(test_same_pivots),
                                      cmocka_unit_test(test_parts_of_batch)};
  const struct CMUnitTest near[] = {cmocka_unit_test(test_large)}, far[] = {cmocka_unit_test(test_larger)};
  const bool gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
  int status = sweep_main(argc, argv, &getrf, extra, 3);
  if (!status && gpu) status = cmocka_run_group_tests_name("pivots", on_gpu, NULL, NULL);
  return status ? status : large_main(argc, argv, "getrf, one large matrix", near, far);
}

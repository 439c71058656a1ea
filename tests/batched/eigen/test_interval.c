/* SPDX-License-Identifier: BSD-3-Clause
 *
 * stebz and gesvdx of an interval vl < w <= vu: values within rounding errors of a bound stay inside, and bounds that
 * single precision does not have count as they are.
 */
#include "tests/batched/lowrank/lowrank_case.h"

enum { LARGE = 40 };

static batched_matrix column(batched_type type, const void *p, int n)
{
  const batched_matrix a = {.type = type, .m = n, .n = 1, .ld = n ? n : 1, .stride = n, .count = 1, .data = (void *)p};
  return a;
}

typedef struct found {
  int count, info;
  double w[LARGE];
  float fw[LARGE];
} found;

static found values_within(batched_type type, int n, const void *d, const void *e, double vl, double vu)
{
  const size_t size = type == BATCHED_S ? sizeof(float) : sizeof(double);
  found f = {.count = -1, .info = -1};
  int *count = take(sizeof *count), *info = take(sizeof *info);
  void *w = take(LARGE * size);
  const batched_matrix vd = column(type, put_bytes(d, (size_t)n * size), n);
  const batched_matrix ve = column(type, put_bytes(e, (size_t)(n - 1) * size), n - 1);
  assert_int_equal(batched_stebz(ctx, BATCHED_INTERVAL, vl, vu, 0, 0, vd, ve, count, column(type, w, n), info), 0);
  assert_int_equal(batched_copy_to_host(ctx, &f.count, count, sizeof f.count), 0);
  assert_int_equal(batched_copy_to_host(ctx, &f.info, info, sizeof f.info), 0);
  assert_int_equal(batched_copy_to_host(ctx, type == BATCHED_S ? (void *)f.fw : f.w, w, (size_t)n * size), 0);
  release_all();
  assert_int_equal(f.info, 0);
  return f;
}

static void test_values_near_a_bound(void **unused)
{
  (void)unused;
  double d[LARGE], e[LARGE];
  for (int i = 0; i < LARGE; i++) d[i] = 1 + 0x1p-52 * (i % 4), e[i] = 0x1p-53;
  const found f = values_within(BATCHED_D, LARGE, d, e, 1, 1.5);
  assert_true(f.count > 0 && f.count <= LARGE);
  for (int k = 0; k < f.count; k++) assert_true(f.w[k] > 1 && f.w[k] < 1 + 1e-14);
}

static void test_bounds_between_numbers(void **unused)
{
  (void)unused;
  const float d[] = {0.1f, 1, 2}, e[] = {0, 0};
  found f = values_within(BATCHED_S, 3, d, e, 0.1, 2 - 1e-12);
  assert_true(f.count == 2 && f.fw[0] > 0.1 && fabs(f.fw[0] - 0.1) < 1e-6 && fabs(f.fw[1] - 1) < 1e-6); /* 0.1f > 0.1 */
  f = values_within(BATCHED_S, 3, d, e, 1 - 1e-12, 1 + 1e-12);
  assert_true(f.count == 1 && f.fw[0] == 1);
}

/* Of diag(0.1f, 0.75). */
static int singular_values_within(double vl, double vu, float *largest)
{
  const float x[] = {0.1f, 0, 0, 0.75f};
  const batched_matrix none = {0};
  int n, info, *count = take(sizeof n), *where = take(sizeof info);
  float *s = take(2 * sizeof *s);
  batched_matrix a = column(BATCHED_S, put_bytes(x, sizeof x), 4);
  a.m = a.n = a.ld = 2;
  assert_int_equal(batched_gesvdx(ctx, BATCHED_VALUES, BATCHED_INTERVAL, a, vl, vu, 0, 0, count,
                                  column(BATCHED_S, s, 2), none, none, where),
                   0);
  assert_int_equal(batched_copy_to_host(ctx, &n, count, sizeof n), 0);
  assert_int_equal(batched_copy_to_host(ctx, &info, where, sizeof info), 0);
  assert_int_equal(batched_copy_to_host(ctx, largest, s, sizeof *largest), 0);
  release_all();
  assert_int_equal(info, 0);
  return n;
}

static void test_singular_values(void **unused)
{
  (void)unused;
  float largest;
  assert_int_equal(singular_values_within(0, 0.1, &largest), 0); /* 0.1f > 0.1 */
  assert_int_equal(singular_values_within(0.75 - 1e-12, 1, &largest), 1);
  assert_true(largest == 0.75f);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_values_near_a_bound),
                                     cmocka_unit_test(test_bounds_between_numbers),
                                     cmocka_unit_test(test_singular_values)};
  return lowrank_main(argc, argv, tests);
}

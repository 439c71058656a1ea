/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The number of the first element with the largest |re| + |im|: no earlier one is as large, no later one larger.
 *
 * flags: rows or columns (2), distinct numbers, or a few that repeat (2)
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/vectors/vector_case.h"

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = vector(c->flags % 2, c->m);
}

/* Repeated numbers: 0 to 3, of either sign, and of both parts. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  (void)i;
  const bool is_complex = batched_is_complex(c->type);
  if (c->flags / 2 == 0) sweep_general(c, x);
  for (int64_t e = 0; c->flags / 2 && e < (int64_t)x.m * x.n; e++) {
    const int re = (int)(4 * sweep_uniform()), im = is_complex ? (int)(4 * sweep_uniform()) : 0;
    x.x[e] = sweep_scale(c) * (re + 1.0iL * im);
  }
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)c;
  return batched_amax(ctx, x[0], info);
}

/* As it is rounded in the type, so that numbers that are equal there are equal here. */
static double size_of(const sweep_case *c, wide x)
{
  if (batched_real_type(c->type) == BATCHED_S) return fabsf((float)creall(x)) + fabsf((float)cimagl(x));
  return fabs((double)creall(x)) + fabs((double)cimagl(x));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)after;
  if (c->m == 0) return info == 0 ? 0 : NAN;
  if (info < 1 || info > c->m) return NAN;
  const double largest = size_of(c, before[0].x[info - 1]);
  for (int i = 0; i < c->m; i++) {
    const double size = size_of(c, before[0].x[i]);
    if (i < info - 1 ? size >= largest : size > largest) return NAN;
  }
  return 0;
}

static const sweep_family amax = {
  .op = &batched_amax_op,
  .nflags = 4,
  .noperands = 1,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_GRADED,
};

/* Infinities, and the first of several NaNs, in whichever part, by our own rows. */
static void check_extremes(batched_space space)
{
  static const struct {
    double x[8];
    int n, index;
  } cases[] = {
    {{1, 0, -INFINITY, 0, INFINITY, 0, 2, 0}, 4, 2}, {{1, 0, INFINITY, 0, 0, NAN, NAN, 0}, 4, 3},
    {{NAN, 0, INFINITY, 0, NAN, 0, 1, 0}, 4, 1},     {{0, 0, 0, -0.0, 0, 0, 0, 0}, 4, 1},
    {{-5, 0, 3, 2.5, 0, 5.5, 1, 0}, 4, 2},           {{7, 7, 7, 7, 7, 7, 7, 7}, 0, 0},
  };
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), 0);
  double *x = batched_allocate(ctx, sizeof cases[0].x);
  int *index = batched_allocate(ctx, sizeof(int)), got;
  for (const batched_variant *v = batched_amax_op.variants[space]; v->name; v++) {
    if (__builtin_strncmp(v->name, "vendor", 6) == 0) continue;
    batched_select(ctx, &batched_amax_op, v->name);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      const int n = cases[i].n;
      assert_int_equal(batched_copy_from_host(ctx, x, cases[i].x, sizeof cases[i].x), 0);
      assert_int_equal(batched_amax(ctx, batched_make_strided(BATCHED_Z, x, n, 1, n > 1 ? n : 1, n, 1), index), 0);
      assert_int_equal(batched_copy_to_host(ctx, &got, index, sizeof got), 0);
      if (got != cases[i].index) fail_msg("%s: %d in place of %d in case %zu", v->name, got, cases[i].index, i);
    }
  }
  batched_release(ctx, x);
  batched_release(ctx, index);
  batched_destroy(&ctx);
}

static void test_extremes(void **unused)
{
  (void)unused;
  check_extremes(BATCHED_HOST);
}

static void test_extremes_on_gpu(void **unused)
{
  (void)unused;
  check_extremes(BATCHED_CUDA);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0};
  int index[2];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  const batched_matrix x = batched_strided(a, 3, 1, 3, 3, 2);
  assert_int_equal(batched_amax(NULL, x, index), -1);
  assert_int_equal(batched_amax(ctx, SWEEP_CHANGED(x, n, 2), index), -2);
  assert_int_equal(batched_amax(ctx, SWEEP_CHANGED(x, data, NULL), index), -2);
  assert_int_equal(batched_amax(ctx, x, NULL), -3);
  assert_int_equal(batched_amax(ctx, SWEEP_CHANGED(x, count, 0), NULL), 0);
  assert_int_equal(batched_amax(ctx, x, index), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_extremes), cmocka_unit_test(test_bad_arguments)},
                          on_gpu[] = {cmocka_unit_test(test_extremes_on_gpu)};
  const int status = sweep_main(argc, argv, &amax, extra, 2);
  return sweep_then_on_gpu(status, "amax, extremes", on_gpu, 1);
}

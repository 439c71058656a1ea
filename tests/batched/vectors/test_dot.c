/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x^T y and x^H y against sums in long double.
 *
 * flags: conjugated (2), x and y as rows or columns (4)
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/guard_page.h"
#include "tests/batched/vectors/vector_case.h"

static batched_trans trans(const sweep_case *c)
{
  return c->flags % 2 ? BATCHED_CONJ_TRANS : BATCHED_TRANS;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = vector(c->flags / 2 % 2, c->m);
  o[1] = vector(c->flags / 4, c->m);
  o[2] = (sweep_operand){.role = SWEEP_OUT, .m = 1, .n = 1};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  sweep_case other = *c;
  if (i == 1 && c->kind == SWEEP_LARGE) other.kind = SWEEP_SMALL;
  if (i == 1 && c->kind == SWEEP_SMALL) other.kind = SWEEP_LARGE;
  if (i < 2) sweep_general(&other, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  (void)info;
  /* Vectors may be nowhere if they are empty, but not the number that is theirs. */
  if (c->m == 0 && !x[2].data && !x[2].array) return BATCHED_SUCCESS;
  return batched_dot(ctx, trans(c), x[0], x[1], x[2]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  wide exact = 0;
  long double size = 0;
  for (int i = 0; i < c->m; i++) {
    const wide x = before[0].x[i], product = (trans(c) == BATCHED_CONJ_TRANS ? conjl(x) : x) * before[1].x[i];
    exact += product;
    size += sweep_abs(product);
  }
  const long double error = sweep_abs(after[2].x[0] - exact);
  return error == 0 ? 0 : error / ((c->m + 2) * sweep_eps(c->type) * size);
}

static const sweep_family dot = {
  .op = &batched_dot_op,
  .nflags = 8,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large,
  .limit = 3,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double a[16] = {0}, v[16] = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  batched_matrix x = batched_strided(a, 3, 1, 3, 3, 2), y = batched_strided(a, 1, 3, 1, 3, 2);
  batched_matrix r = batched_strided(v, 1, 1, 1, 1, 2);
  assert_int_equal(batched_dot(NULL, BATCHED_TRANS, x, y, r), -1);
  assert_int_equal(batched_dot(ctx, BATCHED_NO_TRANS, x, y, r), -2);
  x.n = 2;
  assert_int_equal(batched_dot(ctx, BATCHED_TRANS, x, y, r), -3);
  x.m = 0; // neither a column nor a row, though empty
  assert_int_equal(batched_dot(ctx, BATCHED_TRANS, x, x, r), -3);
  x.m = 3, x.n = 1;
  y.n = 2;
  assert_int_equal(batched_dot(ctx, BATCHED_TRANS, x, y, r), -4);
  y.n = 3;
  r.stride = 0;
  assert_int_equal(batched_dot(ctx, BATCHED_TRANS, x, y, r), -5);
  r.stride = 1;
  assert_int_equal(batched_dot(ctx, BATCHED_TRANS, x, y, r), 0);
  batched_destroy(&ctx);
}

/* Nothing behind vectors with increments is read. */
static void test_end_of_memory(void **unused)
{
  enum { N = 9, LD = 3, LENGTH = (N - 1) * LD + 1 };
  (void)unused;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  for (const batched_variant *v = batched_dot_op.variants[BATCHED_HOST]; v->name; v++)
    for (int type = 0; type < 4; type++)
      for (int trans = BATCHED_TRANS; trans <= BATCHED_CONJ_TRANS; trans++) {
        char *a = guarded(LENGTH * batched_element_bytes((batched_type)type));
        double sum[2] = {0};
        float single;
        const batched_matrix x = batched_make_strided((batched_type)type, a, 1, N, LD, LENGTH, 1);
        batched_select(ctx, &batched_dot_op, v->name);
        const batched_matrix r = batched_make_strided((batched_type)type, sum, 1, 1, 1, 1, 1);
        assert_int_equal(batched_set(ctx, batched_real(1), batched_real(1), x), 0);
        assert_int_equal(batched_dot(ctx, (batched_trans)trans, x, x, r), 0);
        memcpy(&single, sum, sizeof single);
        assert_true(type % 2 ? sum[0] == N : single == N);
      }
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments), cmocka_unit_test(test_end_of_memory)};
  return sweep_main(argc, argv, &dot, extra, 2);
}

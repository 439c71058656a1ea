/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Some singular values: |A^H u - s v|, |A v - s u| / (max(m, n) |A| eps), orthogonality, and by number those of gesvd.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: job (2), range (3) */
static const int shapes[][3] = {{0, 0, 0}, {1, 1, 0},   {2, 2, 0},   {3, 5, 0},   {5, 3, 0},
                                {9, 9, 0}, {16, 20, 0}, {33, 17, 0}, {40, 40, 0}, {-1}};
static const int large_shapes[][3] = {{65, 65, 0}, {100, 30, 0}, {-1}};

static int least(int x, int y)
{
  return x < y ? x : y;
}

static bool vectors(const sweep_case *c)
{
  return c->flags % 2 == 0;
}

static batched_range range_of(const sweep_case *c)
{
  return (batched_range)(c->flags / 2);
}

/* Of numbers the first two. */
static int most(const sweep_case *c)
{
  const int k = least(c->m, c->n);
  return range_of(c) == BATCHED_INDEX && k > 2 ? 2 : k;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .shareable = true, .m = c->m, .n = c->n};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = most(c), .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = most(c)};
  o[3] = (sweep_operand){.role = SWEEP_OUT, .m = most(c), .n = c->n};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  sweep_general(c, x);
  if (c->kind == SWEEP_BAD && x.m > 0 && x.n > 0) SWEEP_AT(x, x.m / 2, x.n / 2) = __builtin_nanl("");
}

static int pivots(const sweep_case *c)
{
  (void)c;
  return 1;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const double scale = (double)sweep_scale(c);
  return batched_gesvdx(ctx, vectors(c) ? BATCHED_VECTORS : BATCHED_VALUES, range_of(c), x[0], 0.5 * scale, 1e3 * scale,
                        1, most(c), c->pivots, x[1], x[2], x[3], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int m = c->m, n = c->n, k = least(m, n), found = c->pivots[0], longer = m > n ? m : n;
  if (c->kind == SWEEP_BAD && k > 0) return info > 0 && found == 0 ? 0 : NAN;
  if (info != 0 || found < 0 || found > k) return NAN;
  if (range_of(c) != BATCHED_INTERVAL && found != most(c)) return NAN;
  if (found == 0) return 0;
  for (int j = 0; j < found; j++) {
    const long double s = creall(after[1].x[j]);
    if (j > 0 && !(s <= creall(after[1].x[j - 1]))) return NAN;
    if (range_of(c) == BATCHED_INTERVAL && !(s > 0.5L * sweep_scale(c) && s <= 1e3L * sweep_scale(c))) return NAN;
  }
  if (!vectors(c)) return 0; /* unique_rows compares them */
  sweep_dense u = sweep_new(m, found), v = sweep_new(n, found), av = sweep_new(m, found), au = sweep_new(n, found);
  for (int j = 0; j < found; j++) {
    const long double s = creall(after[1].x[j]);
    for (int i = 0; i < m; i++) {
      SWEEP_AT(u, i, j) = SWEEP_AT(after[2], i, j);
      SWEEP_AT(av, i, j) = -s * SWEEP_AT(u, i, j);
    }
    for (int i = 0; i < n; i++) {
      SWEEP_AT(v, i, j) = conjl(SWEEP_AT(after[3], j, i));
      SWEEP_AT(au, i, j) = -s * SWEEP_AT(v, i, j);
    }
  }
  sweep_multiply(1, BATCHED_NO_TRANS, before[0], BATCHED_NO_TRANS, v, av);
  sweep_multiply(1, BATCHED_CONJ_TRANS, before[0], BATCHED_NO_TRANS, u, au);
  const long double norm = sweep_norm(before[0]), eps = sweep_eps(c->type);
  const long double residual = norm > 0 ? (sweep_norm(av) + sweep_norm(au)) / (longer * sweep_unit(c, norm)) : 0;
  return sweep_larger(residual, sweep_larger(sweep_orthogonality(u), sweep_orthogonality(v)) / (longer * eps));
}

static int unique_rows(const sweep_case *c, int i)
{
  return i == 1 && range_of(c) != BATCHED_INTERVAL ? most(c) : 0;
}

static const sweep_family gesvdx = {
  .op = &batched_gesvdx_op,
  .nflags = 6,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_BAD,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {2, 0, 0, 2, 2, 0, 0, 2}, y[8], t[8], w[4];
  int info[2], found[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), u = batched_strided(y, 2, 2, 2, 4, 2);
  const batched_matrix v = batched_strided(t, 2, 2, 2, 4, 2), s = batched_strided(w, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define CALL(job, range, a, vl, vu, il, iu, found, s, u, v, info) \
  batched_gesvdx(ctx, job, range, a, vl, vu, il, iu, found, s, u, v, info)
  assert_int_equal(CALL(BATCHED_MULTIPLY, BATCHED_ALL, a, 0, 0, 0, 0, found, s, u, v, info), -2);
  assert_int_equal(CALL(BATCHED_VECTORS, 3, a, 0, 0, 0, 0, found, s, u, v, info), -3);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, SWEEP_CHANGED(a, ld, 1), 0, 0, 0, 0, found, s, u, v, info), -4);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INTERVAL, a, 1, 1, 0, 0, found, s, u, v, info), -6);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INDEX, a, 0, 0, 0, 1, found, s, u, v, info), -7);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INDEX, a, 0, 0, 1, 3, found, s, u, v, info), -8);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, NULL, s, u, v, info), -9);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, SWEEP_CHANGED(s, m, 1), u, v, info), -10);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, s, SWEEP_CHANGED(u, n, 1), v, info), -11);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, s, u, SWEEP_CHANGED(v, m, 1), info), -12);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, s, u, v, NULL), -13);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gesvdx, extra, 1);
}

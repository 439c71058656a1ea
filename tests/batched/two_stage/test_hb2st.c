/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a band to a tridiagonal matrix: |B - Q2 T Q2^H| / (n |B| eps) and |Q2^H Q2 - I| / (n eps), with Q2 rebuilt from
 * the stored reflectors.  Without vectors: T is what it is with them, and V is not touched.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/batched/condensed/lapack_kinds.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: uplo (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},     {16, 16, 0}, {17, 17, 0},
  {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {300, 300, 0}, {400, 400, 0}, {-1}};

/* Shared memory has room for bands of 16, in d and c, of orders up to some 870 (gb2bd: 820). */
static const int edge_shapes[][3] = {{641, 641, 0}, {920, 920, 0}, {-1}};

static bool upper(const sweep_case *c)
{
  return c->flags % 2;
}

static int width(const sweep_case *c)
{
  return two_stage_width(c->flags / 2);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  const bool row = c->flags / 2 % 3 == 1;
  o[0] = (sweep_operand){.role = SWEEP_IN, .m = width(c) + 1 + c->flags / 2 % 2, .n = c->m, .shareable = true};
  o[1] = oracle_reals(c->m, row);
  o[2] = oracle_reals(most(c->m - 1, 0), row);
  o[3] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->m};
}

/* What is outside of the band is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int n = x.n, kd = width(c);
  if (i > 0) return;
  const sweep_dense a = sweep_new(n, n);
  if (c->kind >= SWEEP_KINDS)
    lapack_fill(c, (int)c->kind - SWEEP_KINDS, a);
  else
    sweep_hermitian(c, a, false);
  for (int j = 0; j < n; j++)
    for (int k = j; k < n && k - j <= kd; k++)
      *(upper(c) ? &SWEEP_AT(x, kd + j - k, k) : &SWEEP_AT(x, k - j, j)) =
        upper(c) ? conjl(SWEEP_AT(a, k, j)) : SWEEP_AT(a, k, j);
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  (void)c;
  return i == 1 || i == 2 || (i == 3 && row > col);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_hb2st(ctx, BATCHED_VECTORS, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, width(c), x[0], x[1], x[2],
                       x[3]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  if (n == 0) return 0;
  const sweep_dense b = two_stage_band(upper(c), width(c), before[0]);
  sweep_dense product = sweep_new(n, n), q = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(q, i, i) = 1;
    SWEEP_AT(product, i, i) = after[1].x[i];
    if (i > 0) SWEEP_AT(product, i, i - 1) = SWEEP_AT(product, i - 1, i) = after[2].x[i - 1];
  }
  two_stage_multiply_q2(width(c), after[3], true, false, product);
  two_stage_multiply_q2(width(c), after[3], false, true, product);
  two_stage_multiply_q2(width(c), after[3], true, false, q);
  return sweep_larger(oracle_residual(c, b, product), sweep_orthogonality(q) / (n * sweep_eps(c->type)));
}

/* The same by one vector, Q2 T Q2^H v, and Q2 keeps its length. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m;
  const sweep_dense b = two_stage_band(upper(c), width(c), before[0]), v = sweep_vector(c->type, n),
                    x = two_stage_copy(v), y = sweep_new(n, 1);
  two_stage_multiply_q2(width(c), after[3], true, true, x);
  const long double kept = fabsl(sweep_norm(x) / sweep_norm(v) - 1) / (n * sweep_eps(c->type));
  for (int i = 0; i < n; i++) {
    y.x[i] += after[1].x[i] * x.x[i];
    if (i > 0) y.x[i] += after[2].x[i - 1] * x.x[i - 1];
    if (i > 0) y.x[i - 1] += after[2].x[i - 1] * x.x[i];
  }
  two_stage_multiply_q2(width(c), after[3], true, false, y);
  return sweep_larger(kept, sweep_probe(c, b, sweep_times(BATCHED_NO_TRANS, b, v), y, v));
}

static const sweep_family hb2st = {
  .op = &batched_hb2st_op,
  .nflags = 2 * TWO_STAGE_WIDTHS,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .far_apart = 3e4L, // as hetrd's
  .square = true,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .own_kinds = lapack_kinds,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
};

/* Without vectors; v has a number that nobody writes. */
static void test_values(void **unused)
{
  (void)unused;
  enum { N = 13, KD = 3 };
  double ab[N][KD + 1], d[2][N], e[2][N - 1], v[N * N], same[N * N];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  sweep_seed(3);
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= KD; i++) ab[j][i] = (double)sweep_uniform();
  for (int i = 0; i < N * N; i++) v[i] = same[i] = 7;
  for (const batched_variant *row = batched_hb2st_op.variants[BATCHED_HOST]; row->name; row++) {
    batched_select(ctx, &batched_hb2st_op, row->name);
    for (int job = 1; job >= 0; job--) {
      const batched_matrix vd = batched_strided(d[job], N, 1, N, N, 1), ve = batched_strided(e[job], N - 1, 1, N, N, 1);
      assert_int_equal(batched_hb2st(ctx, job ? BATCHED_VECTORS : BATCHED_VALUES, BATCHED_LOWER, KD,
                                     batched_strided(ab[0], KD + 1, N, KD + 1, 0, 1), vd, ve,
                                     batched_strided(job ? v : same, N, N, N, N * N, 1)),
                       0);
    }
    assert_memory_equal(d[0], d[1], sizeof d[0]);
    assert_memory_equal(e[0], e[1], sizeof e[0]);
    for (int i = 0; i < N * N; i++) assert_true(same[i] == 7);
  }
  batched_destroy(&ctx);
}

static int chase(batched_ctx *ctx, int kd, batched_matrix ab, batched_matrix d, batched_matrix e, batched_matrix q,
                 batched_matrix p)
{
  (void)p;
  return batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, kd, ab, d, e, q);
}

static void test_same_bits(void **unused)
{
  (void)unused;
  two_stage_check_same_bits(&batched_hb2st_op, chase);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[18] = {0}, y[18], t[6], s[4];
  const batched_matrix ab = batched_strided(x, 2, 3, 3, 9, 2), v = batched_strided(y, 3, 3, 3, 9, 2);
  const batched_matrix d = batched_strided(t, 3, 1, 3, 3, 2), e = batched_strided(s, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_hb2st(NULL, BATCHED_VECTORS, BATCHED_LOWER, 1, ab, d, e, v), -1);
  assert_int_equal(batched_hb2st(ctx, BATCHED_FULL_VECTORS, BATCHED_LOWER, 1, ab, d, e, v), -2);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, 2, 1, ab, d, e, v), -3);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 0, ab, d, e, v), -4);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 2, ab, d, e, v), -5);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 1, ab, BAD(d, m, 2), e, v), -6);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 1, ab, d, BAD(e, m, 1), v), -7);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 1, ab, d, e, BAD(v, m, 2)), -8);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VECTORS, BATCHED_LOWER, 1, ab, d, e, BAD(v, stride, 0)), -8);
  assert_int_equal(batched_hb2st(ctx, BATCHED_VALUES, BATCHED_LOWER, 1, BAD(ab, stride, 0), d, e, (batched_matrix){0}),
                   0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_same_bits),
                                     cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &hb2st, extra, 3);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a band to a bidiagonal matrix: |B - Q2 T P2^H| / (n |B| eps), |Q2^H Q2 - I| and |P2^H P2 - I| / (n eps), with
 * Q2 and P2 rebuilt from the stored reflectors.  Without vectors: T is what it is with them, and vq and vp are not
 * touched.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "batched/batched_two_stage.h"
#include "tests/batched/two_stage/two_stage_case.h"

/* flags: uplo (2), width (6) */
static const int shapes[][3] = {
  {0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},   {16, 16, 0},   {17, 17, 0},
  {31, 31, 0}, {33, 33, 0}, {48, 48, 0}, {64, 64, 0}, {65, 65, 0}, {100, 100, 0}, {-1},
};

static const int large_shapes[][3] = {{129, 129, 0}, {200, 200, 0}, {257, 257, 0}, {300, 300, 0}, {400, 400, 0}, {-1}};

/* Shared memory has room for bands of 16, in d and c, of orders up to some 870 (gb2bd: 820). */
static const int edge_shapes[][3] = {{641, 641, 0}, {920, 920, 0}, {-1}};

static bool upper(const sweep_case *c)
{
  return c->flags % 2 == 0;
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
  o[3] = o[4] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->m};
}

/* What is outside of the band is poison. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const int n = x.n, kd = width(c);
  if (i > 0) return;
  const sweep_dense a = sweep_new(n, n);
  sweep_general(c, a);
  for (int j = 0; j < n; j++)
    for (int k = j; k < n && k - j <= kd; k++)
      *(upper(c) ? &SWEEP_AT(x, kd + j - k, k) : &SWEEP_AT(x, k - j, j)) = SWEEP_AT(a, k, j);
}

static bool fills(const sweep_case *c, int i, int row, int col)
{
  (void)c;
  return i == 1 || i == 2 || (i > 2 && row > col);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  oracle_clear_info(ctx, c, info);
  return batched_gb2bd(ctx, BATCHED_VECTORS, upper(c) ? BATCHED_UPPER : BATCHED_LOWER, width(c), x[0], x[1], x[2], x[3],
                       x[4]);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m, kd = width(c);
  if (n == 0) return 0;
  sweep_dense b = sweep_new(n, n), product = sweep_new(n, n);
  long double r = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(b, i, j) = two_stage_general_at(upper(c), kd, before[0], i, j);
  SWEEP_AT(b, 0, 0) = creall(SWEEP_AT(b, 0, 0));
  for (int i = 0; i < n; i++) {
    SWEEP_AT(product, i, i) = after[1].x[i];
    if (i > 0) *(upper(c) ? &SWEEP_AT(product, i - 1, i) : &SWEEP_AT(product, i, i - 1)) = after[2].x[i - 1];
  }
  two_stage_multiply_q2(kd, after[3], true, false, product);
  two_stage_multiply_q2(kd, after[4], false, true, product);
  for (int side = 3; side < 5; side++) {
    sweep_dense q = sweep_new(n, n);
    for (int i = 0; i < n; i++) SWEEP_AT(q, i, i) = 1;
    two_stage_multiply_q2(kd, after[side], true, false, q);
    r = sweep_larger(r, sweep_orthogonality(q) / (n * sweep_eps(c->type)));
  }
  return sweep_larger(r, oracle_residual(c, b, product));
}

/* The same by one vector, Q2 T P2^H v, and Q2 and P2 keep its length. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  (void)info;
  const int n = c->m, kd = width(c);
  const sweep_dense b = sweep_new(n, n), v = sweep_vector(c->type, n), x = two_stage_copy(v), y = sweep_new(n, 1);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(b, i, j) = two_stage_general_at(upper(c), kd, before[0], i, j);
  SWEEP_AT(b, 0, 0) = creall(SWEEP_AT(b, 0, 0));
  two_stage_multiply_q2(kd, after[4], true, true, x);
  long double r = fabsl(sweep_norm(x) / sweep_norm(v) - 1);
  for (int i = 0; i < n; i++) {
    y.x[i] += after[1].x[i] * x.x[i];
    if (i > 0 && upper(c)) y.x[i - 1] += after[2].x[i - 1] * x.x[i];
    if (i > 0 && !upper(c)) y.x[i] += after[2].x[i - 1] * x.x[i - 1];
  }
  const long double before_q = sweep_norm(y);
  two_stage_multiply_q2(kd, after[3], true, false, y);
  r = sweep_larger(r, fabsl(sweep_norm(y) / before_q - 1)) / (n * sweep_eps(c->type));
  return sweep_larger(r, sweep_probe(c, b, sweep_times(BATCHED_NO_TRANS, b, v), y, v));
}

static const sweep_family gb2bd = {
  .op = &batched_gb2bd_op,
  .nflags = 2 * TWO_STAGE_WIDTHS,
  .noperands = 5,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .limit = 30,
  .far_apart = 1e6L, // random triangles are ill conditioned: 1e5 was seen at order 33
  .square = true,
  .operands = operands,
  .fill = fill,
  .fills = fills,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR |
           1u << SWEEP_ILL | 1u << SWEEP_GRADED | 1u << SWEEP_HILBERT,
};

/* Without vectors; those have a number that nobody writes. */
static void test_values(void **unused)
{
  (void)unused;
  enum { N = 13, KD = 3 };
  double ab[N][KD + 1], d[2][N], e[2][N - 1], v[2][N * N], same[N * N];
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  sweep_seed(3);
  for (int j = 0; j < N; j++)
    for (int i = 0; i <= KD; i++) ab[j][i] = (double)sweep_uniform();
  for (int i = 0; i < N * N; i++) v[0][i] = v[1][i] = same[i] = 7;
  for (const batched_variant *row = batched_gb2bd_op.variants[BATCHED_HOST]; row->name; row++) {
    batched_select(ctx, &batched_gb2bd_op, row->name);
    for (int job = 1; job >= 0; job--) {
      const batched_matrix vd = batched_strided(d[job], N, 1, N, N, 1), ve = batched_strided(e[job], N - 1, 1, N, N, 1);
      assert_int_equal(batched_gb2bd(ctx, job ? BATCHED_VECTORS : BATCHED_VALUES, BATCHED_LOWER, KD,
                                     batched_strided(ab[0], KD + 1, N, KD + 1, 0, 1), vd, ve,
                                     batched_strided(job ? v[0] : same, N, N, N, N * N, 1),
                                     batched_strided(job ? v[1] : same, N, N, N, N * N, 1)),
                       0);
    }
    assert_memory_equal(d[0], d[1], sizeof d[0]);
    assert_memory_equal(e[0], e[1], sizeof e[0]);
    for (int i = 0; i < N * N; i++) assert_true(same[i] == 7);
  }
  batched_destroy(&ctx);
}

/* A NaN stays in its matrix. */
static void test_not_finite(void **unused)
{
  (void)unused;
  enum { N = 9, KD = 2 };
  double ab[3][N * (KD + 1)], d[3][N], e[3][N - 1];
  const batched_matrix none = {0};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  sweep_seed(5);
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < N * (KD + 1); i++) ab[b][i] = (double)sweep_uniform();
  ab[1][KD + KD + 1] = __builtin_nan("");
  assert_int_equal(
    batched_gb2bd(ctx, BATCHED_VALUES, BATCHED_UPPER, KD, batched_strided(ab[0], KD + 1, N, KD + 1, (KD + 1) * N, 3),
                  batched_strided(d[0], N, 1, N, N, 3), batched_strided(e[0], N - 1, 1, N - 1, N - 1, 3), none, none),
    0);
  for (int b = 0; b < 3; b++) assert_true(isnan(d[b][N - 1]) == (b == 1));
  batched_destroy(&ctx);
}

static int chase(batched_ctx *ctx, int kd, batched_matrix ab, batched_matrix d, batched_matrix e, batched_matrix q,
                 batched_matrix p)
{
  return batched_gb2bd(ctx, BATCHED_VECTORS, BATCHED_LOWER, kd, ab, d, e, q, p);
}

static void test_same_bits(void **unused)
{
  (void)unused;
  two_stage_check_same_bits(&batched_gb2bd_op, chase);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[18] = {0}, y[18], z[18], t[6], s[4];
  const batched_matrix ab = batched_strided(x, 2, 3, 3, 9, 2), q = batched_strided(y, 3, 3, 3, 9, 2);
  const batched_matrix p = batched_strided(z, 3, 3, 3, 9, 2), none = {0};
  const batched_matrix d = batched_strided(t, 3, 1, 3, 3, 2), e = batched_strided(s, 2, 1, 2, 2, 2);
  const batched_job job = BATCHED_VECTORS;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_gb2bd(NULL, job, BATCHED_UPPER, 1, ab, d, e, q, p), -1);
  assert_int_equal(batched_gb2bd(ctx, BATCHED_FULL_VECTORS, BATCHED_UPPER, 1, ab, d, e, q, p), -2);
  assert_int_equal(batched_gb2bd(ctx, job, 2, 1, ab, d, e, q, p), -3);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 0, ab, d, e, q, p), -4);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 2, ab, d, e, q, p), -5);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 1, ab, BAD(d, m, 2), e, q, p), -6);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 1, ab, d, BAD(e, m, 1), q, p), -7);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 1, ab, d, e, BAD(q, m, 2), p), -8);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 1, ab, d, e, q, BAD(p, stride, 0)), -9);
  assert_int_equal(batched_gb2bd(ctx, BATCHED_VALUES, BATCHED_UPPER, 1, BAD(ab, stride, 0), d, e, none, none), 0);
  assert_int_equal(batched_gb2bd(ctx, job, BATCHED_UPPER, 1, ab, d, e, q, p), 0);
  assert_int_equal(batched_unmbr_gb2bd(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, 1, BAD(q, m, 2), p), -5);
  assert_int_equal(batched_unmbr_gb2bd(ctx, BATCHED_LEFT, BATCHED_NO_TRANS, 1, q, p), 0);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_values), cmocka_unit_test(test_not_finite),
                                     cmocka_unit_test(test_same_bits), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &gb2bd, extra, 4);
}

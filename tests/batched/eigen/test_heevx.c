/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Some eigenvalues: as those of heev with the same numbers, or in the same interval; |A Z - Z W| / (n |A| eps), and the
 * orthogonality of Z.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), job (2), range (3) */
static const int shapes[][3] = {{0, 0, 0}, {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},
                                {9, 9, 0}, {16, 16, 0}, {33, 33, 0}, {48, 48, 0}, {-1}};
static const int large_shapes[][3] = {{65, 65, 0}, {129, 129, 0}, {-1}};

static bool is_upper(const sweep_case *c)
{
  return c->flags % 2;
}

static bool vectors(const sweep_case *c)
{
  return c->flags / 2 % 2 == 0;
}

static batched_range range_of(const sweep_case *c)
{
  return (batched_range)(c->flags / 4);
}

/* Of numbers the first two. */
static int most(const sweep_case *c)
{
  return range_of(c) == BATCHED_INDEX && c->m > 2 ? 2 : c->m;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_IN, .shareable = true, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = most(c), .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = most(c)};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i > 0) return;
  sweep_hermitian(c, x, false);
  if (c->kind == SWEEP_BAD && x.n > 0) SWEEP_AT(x, x.n - 1, x.n - 1) = __builtin_nanl("");
  sweep_poison_triangle(x, is_upper(c) ? BATCHED_LOWER : BATCHED_UPPER);
}

static int pivots(const sweep_case *c)
{
  (void)c;
  return 1;
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const double scale = (double)sweep_scale(c);
  return batched_heevx(ctx, vectors(c) ? BATCHED_VECTORS : BATCHED_VALUES, range_of(c),
                       is_upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], -0.3 * scale, 1e3 * scale, 1, most(c),
                       c->pivots, x[1], x[2], info);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m, found = c->pivots[0];
  if (c->kind == SWEEP_BAD && n > 0) return info > 0 && found == 0 ? 0 : NAN;
  if (info != 0 || found < 0 || found > n) return NAN;
  if (range_of(c) != BATCHED_INTERVAL && found != most(c)) return NAN;
  if (n == 0 || found == 0) return 0;
  sweep_dense a = sweep_new(n, n), z = sweep_new(n, found), r = sweep_new(n, found);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      SWEEP_AT(a, i, j) =
        (is_upper(c) ? i <= j : i >= j) ? SWEEP_AT(before[0], i, j) : conjl(SWEEP_AT(before[0], j, i));
  const long double norm = sweep_norm(a);
  for (int j = 0; j < found; j++) {
    const long double w = creall(after[1].x[j]);
    if (j > 0 && !(w >= creall(after[1].x[j - 1]))) return NAN;
    if (range_of(c) == BATCHED_INTERVAL && !(w > -0.3L * sweep_scale(c) - 1e-3L * norm)) return NAN;
    if (!(fabsl(w) <= 1.001L * norm)) return NAN;
  }
  if (!vectors(c)) return 0; /* unique_rows compares them */
  for (int j = 0; j < found; j++)
    for (int i = 0; i < n; i++) {
      SWEEP_AT(z, i, j) = SWEEP_AT(after[2], i, j);
      SWEEP_AT(r, i, j) = -creall(after[1].x[j]) * SWEEP_AT(z, i, j);
    }
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, z, r);
  const long double orthogonality = sweep_orthogonality(z) / (n * sweep_eps(c->type));
  return sweep_larger(norm > 0 ? sweep_norm(r) / (n * sweep_unit(c, norm)) : 0, orthogonality);
}

static int unique_rows(const sweep_case *c, int i)
{
  return i == 1 && range_of(c) != BATCHED_INTERVAL ? most(c) : 0;
}

static const sweep_family heevx = {
  .op = &batched_heevx_op,
  .nflags = 12,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .pivots = pivots,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE |
           1u << SWEEP_SINGULAR | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_BAD,
};

/* Numbers 3 and 4 of a matrix with the eigenvalues 1 .. 6, and those in an interval, are those of heev. */
static void test_as_heev(void **unused)
{
  (void)unused;
  enum { N = 6 };
  double a[N * N], z[N * N], w[N], v[N * N];
  int info, found;
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  sweep_seed(3);
  for (int i = 0; i < N * N; i++) a[i] = z[i] = (double)sweep_uniform();
  const batched_matrix am = batched_strided(a, N, N, N, N * N, 1), wm = batched_strided(w, N, 1, N, N, 1);
  assert_int_equal(batched_heev(ctx, BATCHED_VECTORS, BATCHED_LOWER, batched_strided(z, N, N, N, N * N, 1), wm, &info),
                   0);
  double some[2];
  const batched_matrix sm = batched_strided(some, 2, 1, 2, 2, 1), vm = batched_strided(v, N, 2, N, N * N, 1);
  assert_int_equal(
    batched_heevx(ctx, BATCHED_VECTORS, BATCHED_INDEX, BATCHED_LOWER, am, 0, 0, 3, 4, &found, sm, vm, &info), 0);
  assert_true(info == 0 && found == 2 && fabs(some[0] - w[2]) < 1e-14 && fabs(some[1] - w[3]) < 1e-14);
  for (int j = 0; j < 2; j++) {
    double dot = 0;
    for (int i = 0; i < N; i++) dot += v[i + j * N] * z[i + (j + 2) * N];
    assert_true(fabs(fabs(dot) - 1) < 1e-12);
  }
  double three[3], wider[3 * N]; /* signs are fixed of what was found, and nothing is touched beside it */
  for (int i = 0; i < 3 * N; i++) wider[i] = -7;
  assert_int_equal(batched_heevx(ctx, BATCHED_SIGNED_VECTORS, BATCHED_INTERVAL, BATCHED_LOWER, am, (w[1] + w[2]) / 2,
                                 (w[3] + w[4]) / 2, 0, 0, &found, batched_strided(three, 3, 1, 3, 3, 1),
                                 batched_strided(wider, N, 3, N, 3 * N, 1), &info),
                   0);
  assert_true(info == 0 && found == 2 && fabs(three[0] - w[2]) < 1e-14);
  for (int j = 0; j < 2; j++) {
    int most = 0;
    for (int i = 1; i < N; i++)
      if (fabs(wider[i + j * N]) > fabs(wider[most + j * N])) most = i;
    assert_true(wider[most + j * N] > 0);
  }
  for (int i = 2 * N; i < 3 * N; i++) assert_true(wider[i] == -7);
  batched_destroy(&ctx);
}

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {2, 0, 0, 2, 2, 0, 0, 2}, y[8], w[4];
  int info[2], found[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), z = batched_strided(y, 2, 2, 2, 4, 2);
  const batched_matrix v = batched_strided(w, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
#define CALL(job, range, a, vl, vu, il, iu, found, w, z, info) \
  batched_heevx(ctx, job, range, BATCHED_LOWER, a, vl, vu, il, iu, found, w, z, info)
  assert_int_equal(CALL(BATCHED_MULTIPLY, BATCHED_ALL, a, 0, 0, 0, 0, found, v, z, info), -2);
  assert_int_equal(CALL(BATCHED_VECTORS, 3, a, 0, 0, 0, 0, found, v, z, info), -3);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, SWEEP_CHANGED(a, m, 1), 0, 0, 0, 0, found, v, z, info), -5);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INTERVAL, a, 1, 1, 0, 0, found, v, z, info), -7);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INDEX, a, 0, 0, 0, 1, found, v, z, info), -8);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_INDEX, a, 0, 0, 1, 3, found, v, z, info), -9);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, NULL, v, z, info), -10);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, SWEEP_CHANGED(v, m, 1), z, info), -11);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, v, SWEEP_CHANGED(z, n, 1), info), -12);
  assert_int_equal(CALL(BATCHED_VECTORS, BATCHED_ALL, a, 0, 0, 0, 0, found, v, z, NULL), -13);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_as_heev), cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &heevx, extra, 2);
}

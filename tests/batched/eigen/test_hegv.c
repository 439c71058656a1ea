/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generalised eigenvalues: |A X - B X W| and its likes (LAPACK's dsgt01), and X^H B X = I, or X^H B^-1 X = I.
 */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/sweep/sweep.h"

/* flags: uplo (2), job (2), itype (3) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {5, 5, 0},   {8, 8, 0},
                                {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {33, 33, 0}, {48, 48, 0}, {-1}};
static const int large_shapes[][3] = {{64, 64, 0}, {65, 65, 0}, {100, 100, 0}, {129, 129, 0}, {-1}};

static bool is_upper(const sweep_case *c)
{
  return c->flags % 2;
}

static bool vectors(const sweep_case *c)
{
  return c->flags / 2 % 2 == 0;
}

static int itype(const sweep_case *c)
{
  return 1 + c->flags / 4;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = vectors(c) ? SWEEP_INOUT : SWEEP_IN, .m = c->m, .n = c->m};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .m = c->m, .n = c->m};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
}

/* B = I + something of norm below 1/2; a BAD one has an element of its diagonal below zero. */
static void fill(const sweep_case *c, int i, sweep_dense x)
{
  const batched_uplo other = is_upper(c) ? BATCHED_LOWER : BATCHED_UPPER;
  if (i == 2) return;
  if (i == 0) {
    sweep_case plain = *c;
    if (c->kind == SWEEP_BAD) plain.kind = SWEEP_RANDOM;
    sweep_hermitian(&plain, x, false);
  } else {
    for (int j = 0; j < x.n; j++)
      for (int k = j; k < x.n; k++) {
        const wide e = sweep_number(c->type) / (4 * x.n);
        SWEEP_AT(x, k, j) = k == j ? 1 + creall(e) : e;
        SWEEP_AT(x, j, k) = conjl(SWEEP_AT(x, k, j));
      }
    if (c->kind == SWEEP_BAD && x.n > 0) SWEEP_AT(x, x.n / 2, x.n / 2) = -1;
  }
  if (i == 1 || !vectors(c))
    sweep_poison_triangle(x, other);
  else
    for (int j = 0; j < x.n; j++)
      for (int k = 0; k < x.m; k++)
        if (other == BATCHED_UPPER ? k < j : k > j) SWEEP_AT(x, k, j) = __builtin_nanl("");
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  return batched_hegv(ctx, itype(c), vectors(c) ? BATCHED_VECTORS : BATCHED_VALUES,
                      is_upper(c) ? BATCHED_UPPER : BATCHED_LOWER, x[0], x[1], x[2], info);
}

static sweep_dense whole(const sweep_case *c, sweep_dense triangle)
{
  sweep_dense a = sweep_new(c->m, c->m);
  for (int j = 0; j < c->m; j++)
    for (int i = 0; i < c->m; i++)
      SWEEP_AT(a, i, j) = (is_upper(c) ? i <= j : i >= j) ? SWEEP_AT(triangle, i, j) : conjl(SWEEP_AT(triangle, j, i));
  return a;
}

static sweep_dense product(sweep_dense a, sweep_dense b)
{
  sweep_dense c = sweep_new(a.m, b.n);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, b, c);
  return c;
}

static void subtract_scaled(sweep_dense x, sweep_dense y, sweep_dense w)
{
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) -= creall(w.x[j]) * SWEEP_AT(y, i, j);
}

/* tr (B^-1 A), or tr (A B), against the sum of the values; B^-1 by its series, whose terms halve. */
static long double trace_error(const sweep_case *c, sweep_dense a, sweep_dense b, sweep_dense w, long double norm)
{
  sweep_dense x;
  if (itype(c) == 1) {
    sweep_dense terms[2] = {sweep_new(c->m, c->m), sweep_new(c->m, c->m)};
    const int64_t elements = (int64_t)c->m * c->m;
    x = sweep_new(c->m, c->m);
    for (int64_t e = 0; e < elements; e++) terms[0].x[e] = a.x[e];
    for (int turn = 0; turn < 80; turn++) {
      sweep_dense term = terms[turn % 2], next = terms[1 - turn % 2];
      for (int64_t e = 0; e < elements; e++) {
        x.x[e] += term.x[e];
        next.x[e] = term.x[e];
      }
      sweep_multiply(-1, BATCHED_NO_TRANS, b, BATCHED_NO_TRANS, term, next);
    }
  } else {
    x = product(a, b);
  }
  long double sum = 0;
  for (int i = 0; i < c->m; i++) sum += creall(SWEEP_AT(x, i, i)) - creall(w.x[i]);
  return fabsl(sum) / (c->m * sweep_unit(c, norm));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (n == 0) return info == 0 ? 0 : NAN;
  if (c->kind == SWEEP_BAD) {
    for (int i = 0; i < n; i++)
      if (!isnan(creall(after[2].x[i]))) return NAN;
    return info == n + n / 2 + 1 ? 0 : NAN;
  }
  if (info != 0) return NAN;
  const sweep_dense a = whole(c, before[0]), b = whole(c, before[1]), x = after[0], w = after[2];
  const long double norm = sweep_norm(a);
  for (int i = 1; i < n; i++)
    if (!(creall(w.x[i]) >= creall(w.x[i - 1]))) return NAN;
  if (!vectors(c)) return n <= 17 ? trace_error(c, a, b, w, norm) : 0;
  sweep_dense left, right = x;
  if (itype(c) == 1) {
    left = product(a, x);
    right = product(b, x);
  } else {
    left = itype(c) == 2 ? product(a, product(b, x)) : product(b, product(a, x));
  }
  subtract_scaled(left, right, w);
  const long double residual = sweep_norm(left) / (n * sweep_unit(c, norm));
  sweep_dense gram = sweep_new(n, n);
  if (itype(c) < 3) {
    sweep_multiply(1, BATCHED_CONJ_TRANS, x, BATCHED_NO_TRANS, product(b, x), gram);
  } else { /* X X^H = B */
    for (int64_t e = 0; e < (int64_t)n * n; e++) gram.x[e] = -b.x[e];
    sweep_multiply(1, BATCHED_NO_TRANS, x, BATCHED_CONJ_TRANS, x, gram);
  }
  for (int i = 0; i < n && itype(c) < 3; i++) SWEEP_AT(gram, i, i) -= 1;
  return sweep_larger(residual, sweep_norm(gram) / (n * sweep_eps(c->type)));
}

/* B's factor is unique, values are, vectors are not. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 || c->kind == SWEEP_BAD ? 0 : c->m;
}

static const sweep_family hegv = {
  .op = &batched_hegv_op,
  .nflags = 12,
  .noperands = 3,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .unique_rows = unique_rows,
  .kinds = 1u << SWEEP_RANDOM | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | 1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE |
           1u << SWEEP_GRADED | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_BAD,
};

static void test_bad_arguments(void **unused)
{
  (void)unused;
  double x[8] = {2, 0, 0, 2, 2, 0, 0, 2}, y[8] = {1, 0, 0, 1, 1, 0, 0, 1}, w[4];
  int info[2];
  const batched_matrix a = batched_strided(x, 2, 2, 2, 4, 2), b = batched_strided(y, 2, 2, 2, 4, 2);
  const batched_matrix v = batched_strided(w, 2, 1, 2, 2, 2);
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, BATCHED_HOST), 0);
  assert_int_equal(batched_hegv(NULL, 1, BATCHED_VECTORS, BATCHED_LOWER, a, b, v, info), -1);
  assert_int_equal(batched_hegv(ctx, 4, BATCHED_VECTORS, BATCHED_LOWER, a, b, v, info), -2);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_MULTIPLY, BATCHED_LOWER, a, b, v, info), -3);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_VECTORS, 2, a, b, v, info), -4);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_VECTORS, BATCHED_LOWER, SWEEP_CHANGED(a, m, 1), b, v, info), -5);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_VECTORS, BATCHED_LOWER, a, SWEEP_CHANGED(b, stride, 0), v, info), -6);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_VECTORS, BATCHED_LOWER, a, b, SWEEP_CHANGED(v, m, 1), info), -7);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_VECTORS, BATCHED_LOWER, a, b, v, NULL), -8);
  assert_int_equal(batched_hegv(ctx, 1, BATCHED_SIGNED_VECTORS, BATCHED_LOWER, a, b, v, info), 0);
  assert_true(fabs(w[0] - 2) < 1e-15 && fabs(w[3] - 2) < 1e-15);
  assert_int_equal(batched_hegst(ctx, 0, BATCHED_LOWER, a, b), -2);
  assert_int_equal(batched_hegst(ctx, 1, 2, a, b), -3);
  assert_int_equal(batched_hegst(ctx, 1, BATCHED_LOWER, SWEEP_CHANGED(a, stride, 0), b), -4);
  assert_int_equal(batched_hegst(ctx, 1, BATCHED_LOWER, a, SWEEP_CHANGED(b, count, 1)), -5);
  batched_destroy(&ctx);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest extra[] = {cmocka_unit_test(test_bad_arguments)};
  return sweep_main(argc, argv, &hegv, extra, 1);
}

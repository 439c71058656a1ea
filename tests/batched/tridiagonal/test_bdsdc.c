/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values and vectors of bidiagonal matrices by divide and conquer: |B - U S V^H| / (n |B| eps), orthogonality,
 * order, and the number of eigenvalues of the Golub-Kahan matrix on either side of each value, as LAPACK's dchkbd.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/tridiagonal_case.h"

/* flags: uplo (2), which of u and vt are there (4) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {10, 10, 0},
                                {16, 16, 0}, {17, 17, 0}, {31, 31, 0}, {32, 32, 0}, {33, 33, 0}, {50, 50, 0},
                                {63, 63, 0}, {64, 64, 0}, {65, 65, 0}, {-1}};
static const int large_shapes[][3] = {{96, 96, 0},   {100, 100, 0}, {127, 127, 0}, {128, 128, 0}, {129, 129, 0},
                                      {200, 200, 0}, {256, 256, 0}, {257, 257, 0}, {400, 400, 0}, {-1}};

/* As stedc's. */
static const int edge_shapes[][3] = {{513, 513, 0}, {1024, 1024, 0}, {1026, 1026, 0}, {2100, 2100, 0}, {-1}};

static bool is_there(const sweep_case *c, int i)
{
  const int without = c->flags / 2;
  return without == 0 || (i == 2 ? without == 2 : without == 1);
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m > 0 ? c->m - 1 : 0, .n = 1};
  o[2] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->m};
  o[3] = (sweep_operand){.role = SWEEP_OUT, .m = c->m, .n = c->m};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2) tridiagonal_fill(c, i == 1, c->m, x);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const batched_matrix none = {0};
  return batched_bdsdc(ctx, c->flags % 2 ? BATCHED_LOWER : BATCHED_UPPER, x[0], x[1], is_there(c, 2) ? x[2] : none,
                       is_there(c, 3) ? x[3] : none, info);
}

/* The values, ascending, are the upper half of the eigenvalues of the tridiagonal matrix with a zero diagonal. */
static long double of_values(const sweep_case *c, sweep_dense d, sweep_dense e, sweep_dense s)
{
  const int n = c->m;
  sweep_dense zero = sweep_new(2 * n, 1), beside = sweep_new(2 * n - 1, 1), ascending = sweep_new(n, 1);
  for (int i = 0; i < n; i++) {
    beside.x[2 * i] = d.x[i];
    if (i < n - 1) beside.x[2 * i + 1] = e.x[i];
    ascending.x[i] = s.x[n - 1 - i];
  }
  return sturm_ratio(c, zero, beside, n, n, ascending.x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const sweep_dense s = after[0], u = after[2], vt = after[3];
  if (c->kind == SWEEP_BAD && n > 0) {
    bool right = info > 0 && is_all_nan(s);
    for (int i = 2; i < 4; i++) right = right && (!is_there(c, i) || is_all_nan(after[i]));
    return right ? 0 : NAN;
  }
  if (info != 0) return NAN;
  if (n == 0) return 0;
  for (int i = 0; i < n; i++)
    if (!(creall(s.x[i]) <= creall(s.x[i ? i - 1 : 0]) && creall(s.x[i]) >= 0)) return NAN;
  long double r = of_values(c, before[0], before[1], s);
  sweep_dense b = bidiagonal_of(c->flags % 2 == 0, before[0], before[1]), us = sweep_new(n, n), v = sweep_new(n, n);
  const long double norm = sweep_norm(b);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      SWEEP_AT(us, i, j) = -creall(s.x[j]) * SWEEP_AT(u, i, j);
      SWEEP_AT(v, i, j) = conjl(SWEEP_AT(vt, j, i));
    }
  if (is_there(c, 2)) r = sweep_larger(r, sweep_orthogonality(u) / (n * sweep_eps(c->type)));
  if (is_there(c, 3)) r = sweep_larger(r, sweep_orthogonality(v) / (n * sweep_eps(c->type)));
  if (!is_there(c, 2) || !is_there(c, 3)) return r;
  sweep_multiply(1, BATCHED_NO_TRANS, us, BATCHED_NO_TRANS, vt, b);
  return sweep_larger(r, sweep_norm(b) / (n * sweep_unit(c, norm)));
}

/* The same by one vector. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const sweep_dense s = after[0], v = sweep_vector(c->type, n),
                    b = bidiagonal_of(c->flags % 2 == 0, before[0], before[1]);
  if (info) return NAN;
  for (int i = 0; i < n; i++)
    if (!(creall(s.x[i]) <= creall(s.x[i ? i - 1 : 0]) && creall(s.x[i]) >= 0)) return NAN;
  long double r = of_values(c, before[0], before[1], s);
  if (is_there(c, 2)) r = sweep_larger(r, orthogonality_probe(c, after[2], false, v));
  if (is_there(c, 3)) r = sweep_larger(r, orthogonality_probe(c, after[3], true, v));
  if (!is_there(c, 2) || !is_there(c, 3)) return r;
  const sweep_dense x = sweep_times(BATCHED_NO_TRANS, after[3], v);
  multiply_diagonal(s, x);
  return sweep_larger(
    r, sweep_probe(c, b, sweep_times(BATCHED_NO_TRANS, b, v), sweep_times(BATCHED_NO_TRANS, after[2], x), v));
}

/* Vectors have any sign, and e holds anything. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 ? c->m : 0;
}

static const sweep_family bdsdc = {
  .op = &batched_bdsdc_op,
  .nflags = 6,
  .noperands = 4,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 30,
  .limit = 30,
  .square = true,
  .operands = operands,
  .fill = fill,
  .call = call,
  .ratio = ratio,
  .probe = probe,
  .unique_rows = unique_rows,
  .kinds = TRIDIAGONAL_KINDS,
  .own_kinds = tridiagonal_own_kinds,
};

int main(int argc, char **argv)
{
  return sweep_main(argc, argv, &bdsdc, NULL, 0);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values of bidiagonal matrices: |B - Q S P^H| / (n |B| eps) with Q and P from what became of unitary u and
 * vt, |C' - Q^H C| / (n |C| eps), orthogonality, order, and the relative error of each value by the number of
 * eigenvalues of the Golub-Kahan matrix on either side.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <cmocka.h>

#include "tests/batched/tridiagonal/tridiagonal_case.h"

/* flags: uplo (2), which of vt, u and c are there (4) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 2},   {2, 2, 1},   {3, 3, 4},   {4, 4, 0},   {5, 5, 5},
                                {8, 8, 3},   {15, 15, 2}, {16, 16, 1}, {17, 17, 7}, {32, 32, 3}, {33, 33, 2},
                                {50, 50, 4}, {64, 64, 1}, {65, 65, 3}, {-1}};
static const int large_shapes[][3] = {{100, 100, 3}, {129, 129, 2}, {200, 200, 1}, {257, 257, 3}, {-1}};

static const int edge_shapes[][3] = {{513, 513, 3}, {1025, 1025, 2}, {-1}};

static const struct {
  bool vt, u, c;
} wanted[] = {{true, true, true}, {false, false, false}, {true, true, false}, {false, true, false}};

static bool is_there(const sweep_case *c, int i)
{
  const int what = c->flags / 2;
  return i == 2 ? wanted[what].vt : i == 3 ? wanted[what].u : wanted[what].c;
}

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m > 0 ? c->m - 1 : 0, .n = 1};
  o[2] = (sweep_operand){.role = is_there(c, 2) ? SWEEP_INOUT : SWEEP_OUT, .m = c->m, .n = c->m};
  o[3] = (sweep_operand){.role = is_there(c, 3) ? SWEEP_INOUT : SWEEP_OUT, .m = c->m, .n = c->m};
  o[4] = (sweep_operand){.role = is_there(c, 4) ? SWEEP_INOUT : SWEEP_OUT, .m = c->m, .n = c->k};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2) tridiagonal_fill(c, i == 1, c->m, x);
  if (i == 2 || i == 3) fill_reflection(c, x);
  for (int64_t e = 0; i == 4 && e < (int64_t)x.m * x.n; e++) x.x[e] = sweep_number(c->type);
}

static int call(batched_ctx *ctx, const sweep_case *c, batched_matrix *x, int *info)
{
  const batched_matrix none = {0};
  return batched_bdsqr(ctx, c->flags % 2 ? BATCHED_LOWER : BATCHED_UPPER, x[0], x[1], is_there(c, 2) ? x[2] : none,
                       is_there(c, 3) ? x[3] : none, is_there(c, 4) ? x[4] : none, info);
}

/* The largest relative error in units of n eps; of values that are nearly denormal the absolute one, where LAPACK's
 * bdsqr, too, takes what is below 6 n^2 of the smallest normal number for zero. */
static long double relative_error(const sweep_case *c, sweep_dense d, sweep_dense e, sweep_dense s)
{
  const int n = d.m * d.n, order = 2 * n;
  const long double smallest = batched_real_type(c->type) == BATCHED_S ? 0x1p-126L : 0x1p-1022L;
  long double zero[2 * 1100] = {0}, beside[2 * 1100], ratio = 0, largest = fabsl(creall(s.x[0]));
  for (int i = 0; i < n; i++) {
    beside[2 * i] = creall(d.x[i]);
    beside[2 * i + 1] = i < n - 1 ? creall(e.x[i]) : 0;
  }
  const long double scale = largest > smallest * 0x1p100L ? 1 : 1 / sweep_eps(c->type);
  for (int i = 0; i < n; i++) {
    const long double value = creall(s.x[i]), unit = n * (value * sweep_eps(c->type) + 6 * n * smallest * scale);
    ratio = sweep_larger(ratio, sturm_distance(order, zero, beside, order - 1 - i, value, unit));
  }
  return ratio;
}

/* u = before[3] Q, vt = P^H before[2]: the rest of before[3] B before[2] - u S vt, orthogonality of both, and C. */
static long double of_vectors(const sweep_case *c, const sweep_dense *before, const sweep_dense *after)
{
  const int n = c->m;
  sweep_dense b = bidiagonal_of(c->flags % 2 == 0, before[0], before[1]), us = sweep_new(n, n), ub = sweep_new(n, n);
  sweep_dense whole = sweep_new(n, n), v = sweep_new(n, n);
  const long double norm = sweep_norm(b);
  sweep_multiply(1, BATCHED_NO_TRANS, before[3], BATCHED_NO_TRANS, b, ub);
  sweep_multiply(1, BATCHED_NO_TRANS, ub, BATCHED_NO_TRANS, before[2], whole);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      SWEEP_AT(us, i, j) = -creall(after[0].x[j]) * SWEEP_AT(after[3], i, j);
      SWEEP_AT(v, i, j) = conjl(SWEEP_AT(after[2], j, i));
    }
  sweep_multiply(1, BATCHED_NO_TRANS, us, BATCHED_NO_TRANS, after[2], whole);
  long double r = sweep_norm(whole) / (n * sweep_unit(c, norm));
  r = sweep_larger(r, sweep_orthogonality(after[3]) / (n * sweep_eps(c->type)));
  r = sweep_larger(r, sweep_orthogonality(v) / (n * sweep_eps(c->type)));
  if (!is_there(c, 4) || c->k == 0) return r;
  sweep_dense q = sweep_new(n, n), rest = sweep_new(n, c->k);
  sweep_multiply(1, BATCHED_CONJ_TRANS, before[3], BATCHED_NO_TRANS, after[3], q);
  sweep_multiply(-1, BATCHED_CONJ_TRANS, q, BATCHED_NO_TRANS, before[4], rest);
  for (int64_t e = 0; e < (int64_t)n * c->k; e++) rest.x[e] += after[4].x[e];
  return sweep_larger(r, sweep_norm(rest) / (n * sweep_eps(c->type) * sweep_norm(before[4])));
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  if (c->kind == SWEEP_BAD && n > 0) {
    bool right = info > 0 && is_all_nan(after[0]);
    for (int i = 2; i < 5; i++) right = right && (!is_there(c, i) || is_all_nan(after[i]));
    return right ? 0 : NAN;
  }
  if (info != 0) return NAN;
  if (n == 0) return 0;
  for (int i = 0; i < n; i++)
    if (!(creall(after[0].x[i]) <= creall(after[0].x[i ? i - 1 : 0]) && creall(after[0].x[i]) >= 0)) return NAN;
  const long double r = relative_error(c, before[0], before[1], after[0]);
  return is_there(c, 2) && is_there(c, 3) ? sweep_larger(r, of_vectors(c, before, after)) : r;
}

/* The same by one vector: u S (vt v), and u (c' v) = before[3] (c v). */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const sweep_dense v = sweep_vector(c->type, n), b = bidiagonal_of(c->flags % 2 == 0, before[0], before[1]);
  if (info) return NAN;
  for (int i = 0; i < n; i++)
    if (!(creall(after[0].x[i]) <= creall(after[0].x[i ? i - 1 : 0]) && creall(after[0].x[i]) >= 0)) return NAN;
  long double r = relative_error(c, before[0], before[1], after[0]);
  if (!is_there(c, 2) || !is_there(c, 3)) return r;
  const batched_trans no = BATCHED_NO_TRANS;
  const sweep_dense x = sweep_times(no, after[2], v);
  multiply_diagonal(after[0], x);
  r = sweep_larger(r, sweep_probe(c, b, sweep_times(no, before[3], sweep_times(no, b, sweep_times(no, before[2], v))),
                                  sweep_times(no, after[3], x), v));
  r = sweep_larger(r, orthogonality_probe(c, after[3], false, v));
  r = sweep_larger(r, orthogonality_probe(c, after[2], true, v));
  if (!is_there(c, 4) || c->k == 0) return r;
  const sweep_dense few = sweep_vector(c->type, c->k);
  return sweep_larger(r, sweep_probe(c, before[4], sweep_times(no, before[3], sweep_times(no, before[4], few)),
                                     sweep_times(no, after[3], sweep_times(no, after[4], few)), few));
}

static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 ? c->m : 0;
}

static const sweep_family bdsqr = {
  .op = &batched_bdsqr_op,
  .nflags = 8,
  .noperands = 5,
  .shapes = shapes,
  .large_shapes = large_shapes,
  .edge_shapes = edge_shapes,
  .edge_limit = 50,
  .limit = 50, /* LAPACK's for bdsqr */
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
  return sweep_main(argc, argv, &bdsqr, NULL, 0);
}

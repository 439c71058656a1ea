/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What steqr and stedc are judged by: |T - Z W Z^H| / (n |T| eps), |Z^H Z - I| / (n eps), order, and the number of
 * eigenvalues on either side of each value.
 */
#include "tests/batched/tridiagonal/tridiagonal_case.h"

/* flags: job (3) */
static const int shapes[][3] = {{0, 0, 0},   {1, 1, 0},   {2, 2, 0},   {3, 3, 0},   {4, 4, 0},   {5, 5, 0},
                                {8, 8, 0},   {15, 15, 0}, {16, 16, 0}, {17, 17, 0}, {32, 32, 0}, {33, 33, 0},
                                {50, 50, 0}, {64, 64, 0}, {65, 65, 0}, {-1}};
static const int large_shapes[][3] = {{100, 100, 0}, {128, 128, 0}, {129, 129, 0}, {200, 200, 0},
                                      {257, 257, 0}, {400, 400, 0}, {-1}};

/* Kernels with more threads beyond 512, merges of more columns than shared memory has room for beyond 1024, and two of
 * them in a matrix. */
static const int edge_shapes[][3] = {{513, 513, 0}, {1024, 1024, 0}, {1026, 1026, 0}, {2100, 2100, 0}, {-1}};

static const batched_job jobs[] = {BATCHED_VECTORS, BATCHED_MULTIPLY, BATCHED_VALUES};

static void operands(const sweep_case *c, sweep_operand *o)
{
  o[0] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m, .n = 1};
  o[1] = (sweep_operand){.role = SWEEP_INOUT, .form = SWEEP_COLUMN, .real = true, .m = c->m > 0 ? c->m - 1 : 0, .n = 1};
  o[2] = (sweep_operand){.role = jobs[c->flags] == BATCHED_MULTIPLY ? SWEEP_INOUT : SWEEP_OUT, .m = c->m, .n = c->m};
}

static void fill(const sweep_case *c, int i, sweep_dense x)
{
  if (i < 2) tridiagonal_fill(c, i == 1, c->m, x);
  if (i == 2 && jobs[c->flags] == BATCHED_MULTIPLY) fill_reflection(c, x);
}

static long double ratio(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const bool vectors = jobs[c->flags] != BATCHED_VALUES;
  if (c->kind == SWEEP_BAD && n > 0)
    return info > 0 && is_all_nan(after[0]) && (!vectors || is_all_nan(after[2])) ? 0 : NAN;
  if (info != 0) return NAN;
  if (n == 0) return 0;
  sweep_dense t = tridiagonal_of(before[0], before[1]), w = after[0], z = after[2];
  const long double norm = sweep_norm(t);
  for (int i = 0; i < n; i++)
    if (!(creall(w.x[i]) >= creall(w.x[i ? i - 1 : 0]))) return NAN;
  long double r = sturm_ratio(c, before[0], before[1], 0, n, w.x);
  if (!vectors) return r;
  if (jobs[c->flags] == BATCHED_MULTIPLY) {
    sweep_dense zt = sweep_new(n, n), full = sweep_new(n, n);
    sweep_multiply(1, BATCHED_NO_TRANS, before[2], BATCHED_NO_TRANS, t, zt);
    sweep_multiply(1, BATCHED_NO_TRANS, zt, BATCHED_CONJ_TRANS, before[2], full);
    t = full;
  }
  sweep_dense zw = sweep_new(n, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) SWEEP_AT(zw, i, j) = -creall(w.x[j]) * SWEEP_AT(z, i, j);
  sweep_multiply(1, BATCHED_NO_TRANS, zw, BATCHED_CONJ_TRANS, z, t);
  r = sweep_larger(r, sweep_norm(t) / (n * sweep_unit(c, norm)));
  return sweep_larger(r, sweep_orthogonality(z) / (n * sweep_eps(c->type)));
}

/* The same by one vector. */
static long double probe(const sweep_case *c, const sweep_dense *before, const sweep_dense *after, int info)
{
  const int n = c->m;
  const bool multiplies = jobs[c->flags] == BATCHED_MULTIPLY;
  const sweep_dense t = tridiagonal_of(before[0], before[1]), w = after[0], z = after[2], v = sweep_vector(c->type, n);
  if (info) return NAN;
  for (int i = 1; i < n; i++)
    if (!(creall(w.x[i]) >= creall(w.x[i - 1]))) return NAN;
  const long double r = sturm_ratio(c, before[0], before[1], 0, n, w.x);
  if (jobs[c->flags] == BATCHED_VALUES) return r;
  sweep_dense exact = sweep_times(BATCHED_NO_TRANS, t, multiplies ? sweep_times(BATCHED_CONJ_TRANS, before[2], v) : v);
  if (multiplies) exact = sweep_times(BATCHED_NO_TRANS, before[2], exact);
  const sweep_dense x = sweep_times(BATCHED_CONJ_TRANS, z, v);
  multiply_diagonal(w, x);
  return sweep_larger(sweep_larger(r, orthogonality_probe(c, z, false, v)),
                      sweep_probe(c, t, exact, sweep_times(BATCHED_NO_TRANS, z, x), v));
}

/* Vectors have any sign, and e holds anything. */
static int unique_rows(const sweep_case *c, int i)
{
  return i == 0 ? c->m : 0;
}

#define STEQR_FAMILY(name) \
  { \
    .op = &batched_##name##_op, .nflags = 3, .noperands = 3, .shapes = shapes, .large_shapes = large_shapes, \
    .edge_shapes = edge_shapes, .edge_limit = 30, .limit = 30, .square = true, .operands = operands, .fill = fill, \
    .call = call, .ratio = ratio, .probe = probe, .unique_rows = unique_rows, .kinds = TRIDIAGONAL_KINDS, \
    .own_kinds = tridiagonal_own_kinds \
  }

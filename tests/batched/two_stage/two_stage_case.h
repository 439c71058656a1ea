/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the reduction in two stages share: widths, bands, and Q1 and Q2 out of where he2hb and hb2st leave
 * their vectors.
 */
#ifndef TESTS_BATCHED_TWO_STAGE_CASE_H
#define TESTS_BATCHED_TWO_STAGE_CASE_H

#include <stdlib.h>
#include <string.h>

#include "tests/batched/condensed/condensed_oracle.h"

enum { TWO_STAGE_WIDTHS = 6 };

static inline int two_stage_width(int which)
{
  static const int widths[TWO_STAGE_WIDTHS] = {4, 1, 16, 8, 32, 70};
  return widths[which];
}

/* The Hermitian matrix in a band of storage. */
static inline sweep_dense two_stage_band(bool upper, int kd, sweep_dense ab)
{
  const int n = ab.n;
  const sweep_dense b = sweep_new(n, n);
  for (int j = 0; j < n; j++)
    for (int i = j; i < n && i - j <= kd; i++) {
      const wide x = upper ? conjl(SWEEP_AT(ab, kd + j - i, i)) : SWEEP_AT(ab, i - j, j);
      SWEEP_AT(b, i, j) = i == j ? creall(x) : x;
      SWEEP_AT(b, j, i) = conjl(SWEEP_AT(b, i, j));
    }
  return b;
}

/* True where element (row, col) of the storage is one of the band. */
static inline bool two_stage_has(bool upper, int kd, int n, int row, int col)
{
  const int other = upper ? col - (kd - row) : col + row;
  return row <= kd && other >= 0 && other < n;
}

/* Q1 */
static inline oracle_q two_stage_q1(bool upper, int kd, int n, sweep_dense a, sweep_dense tau)
{
  const oracle_q q = oracle_new_q(n, most(n - kd, 0));
  for (int i = 0; i < q.k; i++) {
    oracle_bounds(q, i, i + kd, n);
    q.tau.x[i] = tau.x[i];
    SWEEP_AT(q.v, i + kd, i) = 1;
    for (int r = i + kd + 1; r < n; r++) SWEEP_AT(q.v, r, i) = upper ? conjl(SWEEP_AT(a, i, r)) : SWEEP_AT(a, r, i);
  }
  return q;
}

/* Q1 (is_q) or P1 of ge2gb, of a matrix a that was m x n. */
static inline oracle_q two_stage_general_q1(bool is_q, int kd, int m, int n, sweep_dense a, sweep_dense tau)
{
  const int order = is_q ? m : n, shift = is_q == (m >= n) ? 0 : kd;
  const oracle_q q = oracle_new_q(order, most(least(m, n) - shift, 0));
  for (int i = 0; i < q.k; i++) {
    oracle_bounds(q, i, i + shift, order);
    q.tau.x[i] = tau.x[i];
    SWEEP_AT(q.v, i + shift, i) = 1;
    for (int r = i + shift + 1; r < order; r++)
      SWEEP_AT(q.v, r, i) = is_q ? SWEEP_AT(a, r, i) : conjl(SWEEP_AT(a, i, r));
  }
  return q;
}

/* Element (i, j) of a general matrix with kd diagonals above (upper) or below the main one, of its storage; of a matrix
 * that gb2bd takes B(0, 0) is real. */
static inline wide two_stage_general_at(bool upper, int kd, sweep_dense ab, int i, int j)
{
  const int outside = upper ? j - i : i - j;
  if (outside < 0 || outside > kd) return 0;
  return upper ? SWEEP_AT(ab, kd - outside, j) : SWEEP_AT(ab, outside, j);
}

static inline sweep_dense two_stage_copy(sweep_dense x)
{
  const sweep_dense y = sweep_new(x.m, x.n);
  memcpy(y.x, x.x, sizeof(wide) * (size_t)x.m * (size_t)x.n);
  return y;
}

/* A product with Q2. */
typedef struct two_stage_product {
  int kd;
  bool adjoint;
  sweep_dense v, x;
} two_stage_product;

static inline void two_stage_multiply_part(int first, int last, void *data)
{
  const two_stage_product *const p = data;
  const int n = p->v.n;
  for (int i = 0; i < n - 1; i++)
    for (int s = p->adjoint ? i : n - 2 - i, row = s + 1; row < n; row += p->kd) {
      const wide tau = p->adjoint ? conjl(SWEEP_AT(p->v, row, s)) : SWEEP_AT(p->v, row, s);
      wide *const v = &SWEEP_AT(p->v, 0, s);
      const int end = least(row + p->kd, n);
      for (int j = first; j < last; j++) {
        wide *const x = &SWEEP_AT(p->x, 0, j);
        const wide sum = tau * (x[row] + oracle_dot(false, row + 1, end, v, x));
        x[row] -= sum;
        oracle_subtract(false, row + 1, end, sum, v, x);
      }
    }
}

static inline void two_stage_adjoin(sweep_dense x, sweep_dense y)
{
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(y, j, i) = conjl(SWEEP_AT(x, i, j));
}

/* x = op(Q2) x (left) or x op(Q2) = (op(Q2)^H x^H)^H. */
static inline void two_stage_multiply_q2(int kd, sweep_dense v, bool left, bool adjoint, sweep_dense x)
{
  const sweep_dense y = left ? x : sweep_new(x.n, x.m);
  two_stage_product p = {kd, left == adjoint, v, y};
  if (!left) two_stage_adjoin(x, y);
  sweep_share(y.n, (double)v.n * v.n * y.n, two_stage_multiply_part, &p);
  if (!left) two_stage_adjoin(y, x);
}

/* hb2st or gb2bd of lower bands, with vectors; p: of gb2bd alone. */
typedef int two_stage_chase(batched_ctx *ctx, int kd, batched_matrix ab, batched_matrix d, batched_matrix e,
                            batched_matrix q, batched_matrix p);

/* Real results of all rows on a GPU have the same bits, so that a choice among them may depend on the count. */
static inline void two_stage_check_same_bits(const batched_op *op, two_stage_chase *chase)
{
  enum { COUNT = 2, MOST = 200 };
  static const int orders[][2] = {{9, 4}, {150, 4}, {MOST, 16}, {MOST, 40}}; /* and widths */
  batched_ctx *ctx;
  if (batched_create(&ctx, BATCHED_CUDA)) return; /* no GPU */
  for (int t = 0; t < 4; t++) {
    const int n = orders[t][0], kd = orders[t][1];
    const size_t each = sizeof(double), square = (size_t)COUNT * n * n * each;
    const size_t parts[] = {(size_t)COUNT * (kd + 1) * n * each, (size_t)COUNT * n * 8, (size_t)COUNT * n * 8, square,
                            square};
    size_t bytes = 0, at[5];
    for (int i = 0; i < 5; bytes += parts[i++]) at[i] = bytes;
    double *const given = calloc(1, bytes);
    char *const first = malloc(bytes), *const got = malloc(bytes), *const x = batched_allocate(ctx, bytes);
    sweep_seed(7);
    for (size_t i = 0; i < parts[0] / 8; i++) given[i] = (double)sweep_uniform();
    batched_matrix ab = batched_strided((double *)x, kd + 1, n, kd + 1, (int64_t)(kd + 1) * n, COUNT);
    batched_matrix d = batched_strided((double *)(x + at[1]), n, 1, n, n, COUNT), e = d, q = ab, p;
    e.data = x + at[2];
    e.m = n - 1;
    q.data = x + at[3];
    q.m = n;
    q.ld = n;
    q.stride = (int64_t)n * n;
    p = q;
    p.data = x + at[4];
    const char *reference = NULL;
    for (const batched_variant *v = op->variants[BATCHED_CUDA]; v->name; v++) {
      if (sweep_leaves_out(v->name, n)) continue;
      batched_copy_from_host(ctx, x, given, bytes);
      batched_select(ctx, op, v->name);
      const int status = chase(ctx, kd, ab, d, e, q, p);
      assert_true(status == 0 || status == BATCHED_DOES_NOT_FIT);
      if (status) continue;
      batched_copy_to_host(ctx, reference ? got : first, x, bytes);
      if (reference && memcmp(first, got, bytes) != 0)
        fail_msg("%s and %s: other bits, order %d, width %d", reference, v->name, n, kd);
      if (!reference) reference = v->name;
    }
    batched_release(ctx, x);
    free(given);
    free(first);
    free(got);
  }
  batched_destroy(&ctx);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the reductions share: Q and P out of the reflectors where LAPACK stores them, in more digits than
 * any type has, and LAPACK's kinds of matrices.
 */
#ifndef TESTS_BATCHED_CONDENSED_ORACLE_H
#define TESTS_BATCHED_CONDENSED_ORACLE_H

#include <math.h>
#include <string.h>

#include "tests/batched/sweep/sweep.h"
#include "tests/batched/thorough.h"

static inline int least(int x, int y)
{
  return x < y ? x : y;
}

static inline int most(int x, int y)
{
  return x > y ? x : y;
}

/* A unitary matrix H(0) ... H(k-1), I - tau v v^H: vector i is column i of v, zero outside of rows from[i] .. to[i]. */
typedef struct oracle_q {
  int order, k;
  sweep_dense v, tau, from, to;
} oracle_q;

static inline oracle_q oracle_new_q(int order, int k)
{
  return (oracle_q){order, k, sweep_new(order, k), sweep_new(k, 1), sweep_new(k, 1), sweep_new(k, 1)};
}

static inline void oracle_bounds(oracle_q q, int i, int from, int to)
{
  q.from.x[i] = from;
  q.to.x[i] = to;
}

/* Q (is_q) or P of a matrix a that was m x n; tau as it is stored. */
static inline oracle_q oracle_gebrd(bool is_q, int m, int n, sweep_dense a, sweep_dense tau)
{
  const int order = is_q ? m : n, first = is_q == (m < n), k = most(0, least(order - first, is_q ? n : m));
  oracle_q q = oracle_new_q(order, k);
  for (int i = 0; i < k; i++) {
    oracle_bounds(q, i, first + i, order);
    q.tau.x[i] = tau.x[i];
    SWEEP_AT(q.v, first + i, i) = 1;
    for (int r = first + i + 1; r < order; r++)
      SWEEP_AT(q.v, r, i) = is_q ? SWEEP_AT(a, r, i) : conjl(SWEEP_AT(a, i, r));
  }
  return q;
}

static inline oracle_q oracle_hetrd(bool upper, int n, sweep_dense a, sweep_dense tau)
{
  oracle_q q = oracle_new_q(n, most(n - 1, 0));
  for (int i = 0; i < n - 1; i++) {
    const int h = upper ? n - 2 - i : i; /* H(n-1) is the first one of UPPER */
    oracle_bounds(q, i, upper ? 0 : h + 1, upper ? h + 1 : n);
    q.tau.x[i] = tau.x[h];
    SWEEP_AT(q.v, upper ? h : h + 1, i) = 1;
    for (int r = upper ? 0 : h + 2; r < (upper ? h : n); r++)
      SWEEP_AT(q.v, r, i) = upper ? SWEEP_AT(a, r, h + 1) : SWEEP_AT(a, r, h);
  }
  return q;
}

/* Rows and columns lo .. hi - 1, counted from 0. */
static inline oracle_q oracle_gehrd(int lo, int hi, int n, sweep_dense a, sweep_dense tau)
{
  oracle_q q = oracle_new_q(n, most(hi - 1 - lo, 0));
  for (int i = 0; i < q.k; i++) {
    const int h = lo + i;
    oracle_bounds(q, i, h + 1, hi);
    q.tau.x[i] = tau.x[h];
    SWEEP_AT(q.v, h + 1, i) = 1;
    for (int r = h + 2; r < hi; r++) SWEEP_AT(q.v, r, i) = SWEEP_AT(a, r, h);
  }
  return q;
}

static inline void oracle_clear(sweep_dense x)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] = 0;
}

/* v^H x and x -= factor v, of elements from .. to - 1; of their real parts alone if `real`. */
static inline wide oracle_dot(bool real, int from, int to, const wide *v, const wide *x)
{
  wide sum = 0;
  long double of_reals = 0;
  if (real)
    for (int r = from; r < to; r++) of_reals += creall(v[r]) * creall(x[r]);
  else
    for (int r = from; r < to; r++) sum += conjl(v[r]) * x[r];
  return real ? of_reals : sum;
}
static inline void oracle_subtract(bool real, int from, int to, wide factor, const wide *v, wide *x)
{
  if (real)
    for (int r = from; r < to; r++) x[r] = creall(x[r]) - creall(v[r]) * creall(factor);
  else
    for (int r = from; r < to; r++) x[r] -= v[r] * factor;
}

/* A product with Q, and where the sums of x v are. */
typedef struct oracle_product {
  oracle_q q;
  bool left, adjoint, real;
  sweep_dense x, sums;
} oracle_product;

/* Columns (left) or rows first .. last - 1. */
static inline void oracle_multiply_part(int first, int last, void *data)
{
  const oracle_product *const p = data;
  const oracle_q q = p->q;
  const sweep_dense x = p->x;
  wide *const sums = p->sums.x;
  for (int s = 0; s < q.k; s++) {
    const int i = p->left == p->adjoint ? s : q.k - 1 - s;
    const int from = (int)creall(q.from.x[i]), to = (int)creall(q.to.x[i]);
    const wide t = p->adjoint ? conjl(q.tau.x[i]) : q.tau.x[i];
    const wide *const v = &SWEEP_AT(q.v, 0, i);
    for (int j = first; p->left && j < last; j++) {
      wide *const column = &SWEEP_AT(x, 0, j);
      oracle_subtract(p->real, from, to, t * oracle_dot(p->real, from, to, v, column), v, column);
    }
    if (p->left) continue;
    for (int r = first; r < last; r++) sums[r] = 0;
    for (int j = from; j < to; j++) oracle_subtract(p->real, first, last, -v[j], &SWEEP_AT(x, 0, j), sums);
    for (int j = from; j < to; j++) oracle_subtract(p->real, first, last, t * conjl(v[j]), sums, &SWEEP_AT(x, 0, j));
  }
}

/* x = op(Q) x (left) or x op(Q). */
static inline void oracle_multiply(oracle_q q, bool left, bool adjoint, sweep_dense x)
{
  oracle_product p = {
    q, left, adjoint, sweep_is_real(q.v) && sweep_is_real(q.tau) && sweep_is_real(x), x, sweep_new(x.m, 1)};
  sweep_share(left ? x.n : x.m, (double)q.k * x.m * x.n, oracle_multiply_part, &p);
}

/* Beyond so many rows or columns the norm of an error E is that of E x for a few random vectors x: |E x|^2 is |E|^2 on
 * average. */
enum { ORACLE_LARGE = 300, ORACLE_VECTORS = 4 };

/* Elements of variance 1. */
static inline sweep_dense oracle_random_vectors(const sweep_case *c, int order)
{
  sweep_dense x = sweep_new(order, ORACLE_VECTORS);
  for (int64_t e = 0; e < (int64_t)order * ORACLE_VECTORS; e++)
    x.x[e] = sweep_number(c->type) * sqrtl(batched_is_complex(c->type) ? 1.5L : 3);
  return x;
}

static inline sweep_dense oracle_copy(sweep_dense x)
{
  sweep_dense y = sweep_new(x.m, x.n);
  memcpy(y.x, x.x, (size_t)x.m * (size_t)x.n * sizeof *x.x);
  return y;
}

/* |x - y| for one vector of these. */
static inline long double oracle_image_error(sweep_dense x, sweep_dense y)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] -= y.x[e];
  return sweep_norm(x) / sqrtl(ORACLE_VECTORS);
}

/* |Q^H Q - I| / (order eps), of the first k + 1 columns: the others have no vector of their own. */
static inline long double oracle_orthogonality(const sweep_case *c, oracle_q q)
{
  if (q.order == 0) return 0;
  if (q.order > ORACLE_LARGE) {
    sweep_dense y = oracle_random_vectors(c, q.order), x = oracle_copy(y);
    oracle_multiply(q, true, false, y);
    oracle_multiply(q, true, true, y);
    return oracle_image_error(y, x) / (q.order * sweep_eps(c->type));
  }
  sweep_dense x = sweep_new(q.order, least(q.order, q.k + 1));
  for (int i = 0; i < x.n; i++) SWEEP_AT(x, i, i) = 1;
  oracle_multiply(q, true, false, x);
  return sweep_orthogonality(x) / (q.order * sweep_eps(c->type));
}

/* |A - Q B P^H| / (|A| order eps) with Q B P^H in `product`. */
static inline long double oracle_residual(const sweep_case *c, sweep_dense a, sweep_dense product)
{
  const long double norm = sweep_norm(a);
  for (int64_t e = 0; e < (int64_t)a.m * a.n; e++) product.x[e] -= a.x[e];
  const long double error = sweep_norm(product);
  if (error == 0) return 0;
  return error / (most(a.m, a.n) * sweep_unit(c, norm));
}

/* |A - Q B P^H| / (|A| order eps); b may be overwritten. */
static inline long double oracle_reduction_error(const sweep_case *c, sweep_dense a, sweep_dense b, oracle_q q,
                                                 oracle_q p)
{
  if (most(a.m, a.n) <= ORACLE_LARGE) {
    oracle_multiply(q, true, false, b);
    oracle_multiply(p, false, true, b);
    return oracle_residual(c, a, b);
  }
  sweep_dense x = oracle_random_vectors(c, a.n), ax = sweep_new(a.m, x.n), bx = sweep_new(a.m, x.n);
  sweep_multiply(1, BATCHED_NO_TRANS, a, BATCHED_NO_TRANS, x, ax);
  oracle_multiply(p, true, true, x);
  sweep_multiply(1, BATCHED_NO_TRANS, b, BATCHED_NO_TRANS, x, bx);
  oracle_multiply(q, true, false, bx);
  const long double error = oracle_image_error(bx, ax);
  return error == 0 ? 0 : error / (most(a.m, a.n) * sweep_unit(c, sweep_norm(a)));
}

/* |x - y| / (order |x| eps). */
static inline long double oracle_distance(const sweep_case *c, int order, sweep_dense x, sweep_dense y)
{
  const long double size = sweep_norm(x);
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] -= y.x[e];
  const long double error = sweep_norm(x);
  return size == 0 ? (error == 0 ? 0 : NAN) : error / (order * size * sweep_eps(c->type));
}

/* A vector of k elements as an operand: a column, or a row with gaps. */
static inline sweep_operand oracle_vector(sweep_role role, int k, bool row)
{
  return row ? (sweep_operand){.role = role, .form = SWEEP_ROW, .m = 1, .n = k}
             : (sweep_operand){.role = role, .form = SWEEP_COLUMN, .m = k, .n = 1};
}

static inline sweep_operand oracle_reals(int k, bool row)
{
  sweep_operand o = oracle_vector(SWEEP_OUT, k, row);
  o.real = true;
  return o;
}

static inline void oracle_clear_info(batched_ctx *ctx, const sweep_case *c, int *info)
{
  for (int64_t b = 0; info && batched_get_space(ctx) == BATCHED_HOST && b < c->count; b++) info[b] = 0;
}

/* A random reflector, as long as 2^1/2 with the one in front, or 1 where that is all: with oracle_tau it is unitary.
 * `length` elements of which the one is the first, at x[0], x[step], ... */
static inline void oracle_reflector(const sweep_case *c, int length, wide *x, int64_t step)
{
  long double squares = 0;
  for (int r = 1; r < length; r++) {
    x[r * step] = sweep_number(c->type);
    squares += sweep_abs(x[r * step]) * sweep_abs(x[r * step]);
  }
  for (int r = 1; r < length; r++) x[r * step] /= sqrtl(squares);
}

/* |1 - tau |v|^2| = 1, for a reflector of so many elements. */
static inline wide oracle_tau(const sweep_case *c, int i, int length)
{
  const long double angle = batched_is_complex(c->type) ? 0.3L * (i % 7) - 1 : 0;
  return (1 + cosl(angle) + sinl(angle) * I) / (length > 1 ? 2 : 1);
}

/* ------------------------------------------------------------------ LAPACK's kinds */

/* Singular values or eigenvalues from 1 to LAPACK's ulp, and how far from each other. */
typedef enum oracle_spread { EVEN, GEOMETRIC, CLUSTERED } oracle_spread;

static inline long double oracle_value(const sweep_case *c, oracle_spread spread, int i, int n)
{
  const long double ulp = 2 * sweep_eps(c->type), at = n > 1 ? (long double)i / (n - 1) : 0;
  return spread == EVEN ? 1 - at * (1 - ulp) : spread == GEOMETRIC ? powl(ulp, at) : i == 0 ? 1 : ulp;
}

/* The square roots of the largest and the smallest numbers. */
static inline long double oracle_edge(const sweep_case *c, bool over)
{
  const int exponent = batched_real_type(c->type) == BATCHED_S ? 63 : 511;
  return ldexpl(1, over ? exponent : -exponent);
}

/* x = U x (left) or x U, U unitary: as many random reflectors as make of each element a mixture of all. */
static inline void oracle_mix(const sweep_case *c, bool left, bool both, sweep_dense x)
{
  const int order = left ? x.m : x.n, k = least(order, 8);
  oracle_q q = oracle_new_q(order, k);
  for (int i = 0; i < k; i++) {
    wide *const v = &SWEEP_AT(q.v, 0, i);
    long double squares = 0;
    for (int r = 0; r < order; r++) {
      v[r] = sweep_number(c->type);
      squares += sweep_abs(v[r]) * sweep_abs(v[r]);
    }
    q.tau.x[i] = 2 / squares;
    oracle_bounds(q, i, 0, order);
  }
  oracle_multiply(q, left, false, x);
  if (both) oracle_multiply(q, !left, true, x);
}

static inline void oracle_scale(sweep_dense x, long double s)
{
  for (int64_t e = 0; e < (int64_t)x.m * x.n; e++) x.x[e] *= s;
}

/* A diagonal with such values, of random signs if asked for. */
static inline void oracle_diagonal(const sweep_case *c, oracle_spread spread, bool signs, sweep_dense x)
{
  const int k = least(x.m, x.n);
  oracle_clear(x);
  for (int i = 0; i < k; i++)
    SWEEP_AT(x, i, i) = oracle_value(c, spread, i, k) * (signs && sweep_uniform() < 0 ? -1 : 1);
}

/* ------------------------------------------------------------------ larger matrices */

/* A case of one of LAPACK's kinds, square in every third turn or always, else longer or wider. */
static inline sweep_case oracle_larger_case(int turn, int order, int type, int kind, bool square)
{
  const int shorter = square || turn % 3 == 0 ? order : order - 70;
  return (sweep_case){.type = (batched_type)type,
                      .m = turn % 3 == 1 ? shorter : order,
                      .n = turn % 3 == 1 ? order : shorter,
                      .kind = SWEEP_KINDS + kind,
                      .count = 1};
}

/* LAPACK's kinds of larger orders: on the GPU each in each type, of an order in turn, by the row that a call takes; on
 * the host, where that takes minutes, one per order and type, and by plain loops and lanes to order 481 alone; none
 * there unless all is to be done, as sweep_large_row has several panels, too.
 * flags_step: from one turn's flags to the next one's. */
static inline void oracle_check_larger(const batched_op *op, batched_space space, int nkinds, bool square,
                                       int flags_step, int nflags)
{
  static const int orders[] = {480, 481, 512, 1024, 129, 200, 257};
  batched_ctx *ctx;
  assert_int_equal(batched_create(&ctx, space), BATCHED_SUCCESS);
  for (int turn = 0; space == BATCHED_CUDA && turn < 4 * nkinds; turn++) {
    sweep_case c = oracle_larger_case(turn, orders[turn % 7], turn % 4, turn / 4, square);
    c.flags = turn * flags_step % nflags;
    sweep_check_case(ctx, "auto", &c);
  }
  for (const batched_variant *v = op->variants[space]; space == BATCHED_HOST && is_thorough() && v->name; v++)
    for (int turn = 0; turn < 16; turn++) {
      const bool vendor = strncmp(v->name, "vendor", 6) == 0;
      if (!vendor && (turn >= 8 || turn % 2 == turn / 4 % 2)) continue;
      sweep_case c = oracle_larger_case(turn, orders[turn / 4], turn % 4, 5 * turn % nkinds, square);
      c.flags = turn * flags_step % nflags;
      assert_int_equal(batched_select(ctx, op, v->name), BATCHED_SUCCESS);
      sweep_check_case(ctx, v->name, &c);
    }
  batched_destroy(&ctx);
}

/* The matrix with one field changed. */
#define BAD(x, field, value) \
  ({ \
    batched_matrix bad_ = x; \
    bad_.field = value; \
    bad_; \
  })

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the tests of the QR family share: Q out of stored reflectors, in more digits than any type has.
 */
#ifndef TESTS_BATCHED_QR_ORACLE_H
#define TESTS_BATCHED_QR_ORACLE_H

#include "tests/batched/sweep/sweep.h"

static inline int least(int x, int y)
{
  return x < y ? x : y;
}

static inline sweep_dense oracle_adjoint(sweep_dense x)
{
  sweep_dense y = sweep_new(x.n, x.m);
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(y, j, i) = conjl(SWEEP_AT(x, i, j));
  return y;
}

/* x = H x, or H^H x: reflector i, I - tau v v^H, of those stored in a. */
static inline void oracle_reflect(sweep_dense a, int i, wide tau, bool adjoint, sweep_dense x)
{
  const wide t = adjoint ? conjl(tau) : tau;
  for (int j = 0; j < x.n; j++) {
    wide sum = SWEEP_AT(x, i, j);
    for (int r = i + 1; r < x.m; r++) sum += conjl(SWEEP_AT(a, r, i)) * SWEEP_AT(x, r, j);
    SWEEP_AT(x, i, j) -= t * sum;
    for (int r = i + 1; r < x.m; r++) SWEEP_AT(x, r, j) -= SWEEP_AT(a, r, i) * (t * sum);
  }
}

/* x = Q x or Q^H x with Q = H_1 ... H_k. */
static inline void oracle_apply(sweep_dense a, sweep_dense tau, int k, bool adjoint, sweep_dense x)
{
  for (int s = 0; s < k; s++) {
    const int i = adjoint ? s : k - 1 - s;
    oracle_reflect(a, i, tau.x[i], adjoint, x);
  }
}

/* Reflectors of length 2^1/2, or 1 in the last row: with oracle_tau they make a unitary Q.  What is above them is
 * poison. */
static inline void oracle_reflectors(const sweep_case *c, sweep_dense x)
{
  for (int j = 0; j < least(x.m, x.n); j++) {
    long double squares = 0;
    for (int i = j + 1; i < x.m; i++) {
      SWEEP_AT(x, i, j) = sweep_number(c->type);
      squares += sweep_abs(SWEEP_AT(x, i, j)) * sweep_abs(SWEEP_AT(x, i, j));
    }
    for (int i = j + 1; i < x.m; i++) SWEEP_AT(x, i, j) /= sqrtl(squares);
  }
}

/* |1 - tau |v|^2| = 1. */
static inline void oracle_tau(const sweep_case *c, int order, sweep_dense tau)
{
  for (int i = 0; i < tau.m * tau.n; i++) {
    const long double squares = i == order - 1 ? 1 : 2, angle = batched_is_complex(c->type) ? 0.3L * (i % 7) - 1 : 0;
    tau.x[i] = (1 + cosl(angle) + sinl(angle) * I) / squares;
  }
}

/* QR of a: |A - Q R| / (m |A| eps), column by column, and |Q^H Q - I| / (m eps), the larger; NaN where R's diagonal is
 * not real. */
static inline long double oracle_qr_ratio(const sweep_case *c, sweep_dense a, sweep_dense factors, sweep_dense tau)
{
  const int m = a.m, n = a.n, k = least(m, n);
  if (k == 0) return 0;
  sweep_dense product = sweep_new(m, n), q = sweep_new(m, k);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j && i < m; i++) SWEEP_AT(product, i, j) = SWEEP_AT(factors, i, j);
  oracle_apply(factors, tau, k, false, product);
  long double worst = 0;
  for (int j = 0; j < n; j++) {
    sweep_dense residual = {m, 1, &SWEEP_AT(product, 0, j)}, column = {m, 1, &SWEEP_AT(a, 0, j)};
    for (int i = 0; i < m; i++) residual.x[i] -= column.x[i];
    const long double size = sweep_norm(column), error = sweep_norm(residual), allowed = m * sweep_unit(c, size);
    if (!(error <= 1e3L * allowed)) return NAN;
    if (error > 0) worst = sweep_larger(worst, error / allowed);
  }
  for (int j = 0; j < k; j++) {
    SWEEP_AT(q, j, j) = 1;
    if (cimagl(SWEEP_AT(factors, j, j)) != 0) return NAN;
  }
  oracle_apply(factors, tau, k, false, q);
  const long double orthogonality = sweep_orthogonality(q) / (m * sweep_eps(c->type));
  return sweep_larger(orthogonality, worst);
}

/* The same by one vector, and by each reflector: |1 - tau |v|^2| = 1. */
static inline long double oracle_qr_probe(const sweep_case *c, sweep_dense a, sweep_dense factors, sweep_dense tau)
{
  const int m = a.m, n = a.n, k = least(m, n);
  const sweep_dense v = sweep_vector(c->type, n), exact = sweep_times(BATCHED_NO_TRANS, a, v), y = sweep_new(m, 1);
  long double worst = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j && i < m; i++) y.x[i] += SWEEP_AT(factors, i, j) * v.x[j];
  oracle_apply(factors, tau, k, false, y);
  for (int j = 0; j < k; j++) {
    long double squares = 1;
    for (int i = j + 1; i < m; i++) squares += creall(SWEEP_AT(factors, i, j) * conjl(SWEEP_AT(factors, i, j)));
    if (cimagl(SWEEP_AT(factors, j, j)) != 0) return NAN;
    worst = sweep_larger(worst, fabsl(sweep_abs(1 - tau.x[j] * squares) - 1));
  }
  return sweep_larger(sweep_probe(c, a, exact, y, v), worst / (m * sweep_eps(c->type)));
}

/* A vector of k elements as an operand: a column, or a row with gaps. */
static inline sweep_operand oracle_vector(sweep_role role, int k, bool row)
{
  return row ? (sweep_operand){.role = role, .form = SWEEP_ROW, .m = 1, .n = k}
             : (sweep_operand){.role = role, .form = SWEEP_COLUMN, .m = k, .n = 1};
}

static inline void oracle_clear_info(batched_ctx *ctx, const sweep_case *c, int *info)
{
  for (int64_t b = 0; info && batched_get_space(ctx) == BATCHED_HOST && b < c->count; b++) info[b] = 0;
}

/* The matrix with one field changed. */
#define BAD(x, field, value) \
  ({ \
    batched_matrix bad_ = x; \
    bad_.field = value; \
    bad_; \
  })

#endif

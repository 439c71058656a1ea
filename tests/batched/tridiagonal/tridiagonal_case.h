/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal and bidiagonal matrices of all kinds for the tests, and what they are judged by.
 */
#ifndef TESTS_BATCHED_TRIDIAGONAL_CASE_H
#define TESTS_BATCHED_TRIDIAGONAL_CASE_H

#include <math.h>

#include "tests/batched/sweep/sweep.h"

/* Kinds of our own: elements that fall from 1 through the denormal numbers to 0, as reductions leave them behind the
 * rank of a matrix. */
enum { TRIDIAGONAL_VANISHING = SWEEP_KINDS };
static const char *const tridiagonal_own_kinds[] = {"vanishing", NULL};

/* Element i of d, or of e where `beside`, of a matrix of order n; of the kinds, some stand for matrices that this
 * problem is afraid of: RANK_ONE the second difference, SINGULAR Wilkinson's matrix, whose large eigenvalues are nearly
 * double, NEARLY_SINGULAR a diagonal with couplings about eps, HILBERT numbers whose logarithms are uniform. */
static inline long double tridiagonal_element(const sweep_case *c, bool beside, int i, int n)
{
  const long double x = sweep_uniform(), eps = sweep_eps(c->type);
  switch (c->kind) {
  case SWEEP_ZERO: return 0;
  case SWEEP_IDENTITY: return !beside;
  case SWEEP_DIAGONAL: return beside ? 0 : x;
  case SWEEP_RANK_ONE: return beside ? -1 : 2;
  case SWEEP_SINGULAR: return beside ? 1 : fabsl(i - (n - 1) / 2.0L);
  case SWEEP_NEARLY_SINGULAR: return beside ? 4 * eps * x : 1 + i % 2;
  case SWEEP_HILBERT: return powl(eps, 2 * x);
  case SWEEP_GRADED: return powl(n > 1 ? powl(eps, 1.0L / (n - 1)) : 1, i) * (beside ? x / 2 : 1 + x / 2);
  default: break;
  }
  if ((int)c->kind == TRIDIAGONAL_VANISHING)
    return ldexpl(x, -i * (batched_real_type(c->type) == BATCHED_S ? 160 : 1100) / n);
  return x * sweep_scale(c);
}

static inline void tridiagonal_fill(const sweep_case *c, bool beside, int n, sweep_dense x)
{
  const int length = x.m * x.n, middle = length / 2;
  for (int i = 0; i < length; i++) x.x[i] = tridiagonal_element(c, beside, i, n);
  if (c->kind == SWEEP_BAD && beside == (n > 2) && length > 0)
    x.x[middle] = n % 2 ? __builtin_nanl("") : -__builtin_infl();
}

#define TRIDIAGONAL_KINDS \
  (1u << SWEEP_RANDOM | 1u << SWEEP_LARGE | 1u << SWEEP_SMALL | 1u << SWEEP_ZERO | 1u << SWEEP_IDENTITY | \
   1u << SWEEP_DIAGONAL | 1u << SWEEP_RANK_ONE | 1u << SWEEP_SINGULAR | 1u << SWEEP_NEARLY_SINGULAR | \
   1u << SWEEP_HILBERT | 1u << SWEEP_GRADED | 1u << SWEEP_BAD | 1u << SWEEP_DENORMAL)

/* I - 2 v v^H / |v|^2 for a random v: unitary. */
static inline void fill_reflection(const sweep_case *c, sweep_dense x)
{
  sweep_dense v = sweep_new(x.n, 1);
  long double norm2 = 0;
  for (int i = 0; i < x.n; i++) {
    v.x[i] = sweep_number(c->type);
    norm2 += creall(v.x[i] * conjl(v.x[i]));
  }
  for (int j = 0; j < x.n; j++)
    for (int i = 0; i < x.m; i++) SWEEP_AT(x, i, j) = (i == j) - 2 * v.x[i] * conjl(v.x[j]) / norm2;
}

static inline sweep_dense tridiagonal_of(sweep_dense d, sweep_dense e)
{
  const int n = d.m * d.n;
  sweep_dense t = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(t, i, i) = d.x[i];
    if (i + 1 < n) SWEEP_AT(t, i, i + 1) = SWEEP_AT(t, i + 1, i) = e.x[i];
  }
  return t;
}

static inline sweep_dense bidiagonal_of(bool upper, sweep_dense d, sweep_dense e)
{
  const int n = d.m * d.n;
  sweep_dense t = sweep_new(n, n);
  for (int i = 0; i < n; i++) {
    SWEEP_AT(t, i, i) = d.x[i];
    if (i + 1 < n) SWEEP_AT(t, upper ? i : i + 1, upper ? i + 1 : i) = e.x[i];
  }
  return t;
}

/* x = S x for a real diagonal S. */
static inline void multiply_diagonal(sweep_dense s, sweep_dense x)
{
  for (int i = 0; i < x.m; i++) x.x[i] *= creall(s.x[i]);
}

/* |Z^H (Z v) - v|, or with the rows of Z. */
static inline long double orthogonality_probe(const sweep_case *c, sweep_dense z, bool rows, sweep_dense v)
{
  const sweep_dense one = sweep_new(1, 1);
  one.x[0] = 1;
  const sweep_dense x = sweep_times(rows ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, z, v),
                    y = sweep_times(rows ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, z, x);
  return sweep_probe(c, one, y, v, v);
}

/* How many eigenvalues of the tridiagonal matrix are below x (Sturm). */
static inline int eigenvalues_below(int n, const long double *d, const long double *e, long double x)
{
  long double q = 1;
  int count = 0;
  for (int i = 0; i < n; i++) {
    q = d[i] - x - (i > 0 ? e[i - 1] * e[i - 1] / q : 0);
    if (q == 0) q = 1e-4000L;
    count += q < 0;
  }
  return count;
}

/* The least of some multiples of `unit` within which eigenvalue number k lies from w; infinite where it is farther. */
static inline long double sturm_distance(int n, const long double *d, const long double *e, int k, long double w,
                                         long double unit)
{
  for (long double t = 0.25L; t < 1e6L; t *= 1.5L)
    if (eigenvalues_below(n, d, e, w - t * unit) <= k && eigenvalues_below(n, d, e, w + t * unit) > k) return t;
  return INFINITY;
}

/* The largest such distance of w, ascending, from eigenvalues first, first + 1, ..., in units of eps |T|: LAPACK's
 * dstech asks the same. */
static inline long double sturm_ratio(const sweep_case *c, sweep_dense d, sweep_dense e, int first, int many,
                                      const wide *w)
{
  const int n = d.m * d.n;
  long double x[2][4400], most = 0, ratio = 0;
  for (int i = 0; i < n; i++) {
    x[0][i] = creall(d.x[i]);
    x[1][i] = i < n - 1 ? creall(e.x[i]) : 0;
    most = fmaxl(most, fmaxl(fabsl(x[0][i]), fabsl(x[1][i])));
  }
  for (int i = 0; i < many; i++)
    ratio = sweep_larger(ratio, sturm_distance(n, x[0], x[1], first + i, creall(w[i]), n * sweep_unit(c, most)));
  return ratio;
}

static inline bool is_all_nan(sweep_dense x)
{
  for (int64_t i = 0; i < (int64_t)x.m * x.n; i++)
    if (!isnan(creall(x.x[i]))) return false;
  return true;
}

#endif

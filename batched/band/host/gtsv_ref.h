/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gttrf, gttrs and gtsv.
 */
#include "batched/host/abs1.h"
#include "batched/host/divide.h"

/* The diagonals of a matrix, and how far their elements are apart. */
typedef struct NAME(diagonals) {
  T *dl, *d, *du, *du2;
  int64_t l, s, u, u2;
} NAME(diagonals);

/* Row by row, as LAPACK's gttrf: a row is exchanged with the next one where that starts with a larger element. */
static int NAME(factor)(int n, NAME(diagonals) a, int *ipiv)
{
  int info = 0;
  for (int k = 0; k < n; k++) {
    T *d = a.d + k * a.s, *l = a.dl + k * a.l, *u = a.du + k * a.u;
    const bool below = k < n - 1, right = k < n - 2, exchange = below && NAME(abs1)(*l) > NAME(abs1)(*d);
    ipiv[k] = k + 1 + exchange;
    if (right) a.du2[k * a.u2] = exchange ? u[a.u] : 0;
    if (exchange) {
      const T top = *d, beside = *u;
      *d = *l;
      *u = d[a.s];
      *l = NAME(divide)(top, *d);
      d[a.s] = beside - *l * *u;
      if (right) u[a.u] = -*l * u[a.u];
    } else if (below && *d != 0) {
      *l = NAME(divide)(*l, *d);
      d[a.s] -= *l * *u;
    }
    if (!(NAME(abs1)(*d) > 0) && !info) info = k + 1;
  }
  return info;
}

static NAME(diagonals) NAME(diagonals_of)(const batched_gttrf_args *p, int64_t b)
{
  return (NAME(diagonals)){batched_at(&p->dl, b),        batched_at(&p->d, b),         batched_at(&p->du, b),
                           batched_at(&p->du2, b),       batched_increment(&p->dl, b), batched_increment(&p->d, b),
                           batched_increment(&p->du, b), batched_increment(&p->du2, b)};
}

static int NAME(gttrf)(const batched_gttrf_args *p)
{
  const int64_t each = batched_vector_bound(&p->d);
  for (int64_t b = 0; b < p->d.count; b++)
    p->info[b] = NAME(factor)(batched_vector_length(&p->d, b), NAME(diagonals_of)(p, b), p->ipiv + b * each);
  return BATCHED_SUCCESS;
}

/* The factors of a matrix, and how far the elements of its diagonals are apart. */
typedef struct NAME(factors) {
  const T *dl, *d, *du, *du2;
  int64_t l, s, u, u2;
  const int *ipiv;
} NAME(factors);

static T NAME(conj_if)(bool yes, T x)
{
  return yes ? CONJ(x) : x;
}

static void NAME(solve_plain)(int n, NAME(factors) a, T *x)
{
  for (int k = 0; k < n - 1; k++) {
    const bool exchange = a.ipiv[k] > k + 1;
    const T first = x[k + exchange], second = x[k + !exchange];
    x[k] = first;
    x[k + 1] = second - a.dl[k * a.l] * first;
  }
  for (int k = n - 1; k >= 0; k--) {
    T sum = x[k];
    if (k < n - 1) sum -= a.du[k * a.u] * x[k + 1];
    if (k < n - 2) sum -= a.du2[k * a.u2] * x[k + 2];
    x[k] = NAME(divide)(sum, a.d[k * a.s]);
  }
}

static void NAME(solve_transposed)(bool conj, int n, NAME(factors) a, T *x)
{
  for (int k = 0; k < n; k++) {
    T sum = x[k];
    if (k > 0) sum -= NAME(conj_if)(conj, a.du[(k - 1) * a.u]) * x[k - 1];
    if (k > 1) sum -= NAME(conj_if)(conj, a.du2[(k - 2) * a.u2]) * x[k - 2];
    x[k] = NAME(divide)(sum, NAME(conj_if)(conj, a.d[k * a.s]));
  }
  for (int k = n - 2; k >= 0; k--) {
    const bool exchange = a.ipiv[k] > k + 1;
    const T first = x[k] - NAME(conj_if)(conj, a.dl[k * a.l]) * x[k + 1], second = x[k + 1];
    x[k + exchange] = first;
    x[k + !exchange] = second;
  }
}

static int NAME(gttrs)(const batched_gttrs_args *p)
{
  for (int64_t b = 0; b < p->b.count; b++) {
    const NAME(factors)
      a = {batched_at(&p->dl, b),        batched_at(&p->d, b),          batched_at(&p->du, b),
           batched_at(&p->du2, b),       batched_increment(&p->dl, b),  batched_increment(&p->d, b),
           batched_increment(&p->du, b), batched_increment(&p->du2, b), batched_pivots_of_diagonal(&p->d, p->ipiv, b)};
    for (int j = 0; j < batched_cols(&p->b, b); j++) {
      T *x = (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b);
      if (p->trans == BATCHED_NO_TRANS)
        NAME(solve_plain)(batched_rows(&p->b, b), a, x);
      else
        NAME(solve_transposed)(p->trans == BATCHED_CONJ_TRANS, batched_rows(&p->b, b), a, x);
    }
  }
  return BATCHED_SUCCESS;
}

/* As gttrf, but that U's second diagonal takes the place of L, which right-hand sides have seen once it is there. */
static int NAME(eliminate)(const batched_gtsv_args *p, int64_t b, int n)
{
  const int64_t sl = batched_increment(&p->dl, b), sd = batched_increment(&p->d, b), su = batched_increment(&p->du, b);
  const int64_t ldb = batched_ld(&p->b, b);
  T *dl = batched_at(&p->dl, b), *d = batched_at(&p->d, b), *du = batched_at(&p->du, b), *x = batched_at(&p->b, b);
  int info = 0;
  for (int k = 0; k < n; k++, dl += sl, d += sd, du += su, x++) {
    const bool below = k < n - 1, right = k < n - 2, exchange = below && NAME(abs1)(*dl) > NAME(abs1)(*d);
    const T top = exchange ? *dl : *d;
    if (!(NAME(abs1)(top) > 0) && !info) info = k + 1;
    if (!below) break;
    const T l = top != 0 ? NAME(divide)(exchange ? *d : *dl, top) : 0;
    const T beside = exchange ? d[sd] : *du, fill = exchange && right ? du[su] : 0;
    d[sd] = (exchange ? *du : d[sd]) - l * beside;
    if (right && exchange) du[su] = -l * fill;
    *d = top;
    *du = beside;
    *dl = fill;
    for (int j = 0; j < batched_cols(&p->b, b); j++) {
      T *y = x + j * ldb;
      const T first = y[exchange], second = y[!exchange];
      y[0] = first;
      y[1] = second - l * first;
    }
  }
  return info;
}

static void NAME(back)(const batched_gtsv_args *p, int64_t b, int n)
{
  const int64_t sl = batched_increment(&p->dl, b), sd = batched_increment(&p->d, b), su = batched_increment(&p->du, b);
  const T *dl = batched_at(&p->dl, b), *d = batched_at(&p->d, b), *du = batched_at(&p->du, b);
  for (int j = 0; j < batched_cols(&p->b, b); j++) {
    T *x = (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b);
    for (int k = n - 1; k >= 0; k--) {
      if (k < n - 1) x[k] -= du[k * su] * x[k + 1];
      if (k < n - 2) x[k] -= dl[k * sl] * x[k + 2];
      x[k] = NAME(divide)(x[k], d[k * sd]);
    }
  }
}

static int NAME(gtsv_one)(const batched_gtsv_args *p, int64_t b)
{
  const int n = batched_vector_length(&p->d, b), info = NAME(eliminate)(p, b, n);
  if (info == 0) NAME(back)(p, b, n);
  return info;
}

static int NAME(gtsv)(const batched_gtsv_args *p)
{
  for (int64_t b = 0; b < p->d.count; b++) p->info[b] = NAME(gtsv_one)(p, b);
  return BATCHED_SUCCESS;
}

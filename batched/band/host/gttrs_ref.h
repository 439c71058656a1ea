/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/divide.h"

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

static int NAME(ref)(const batched_gttrs_args *p)
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

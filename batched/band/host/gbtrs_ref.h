/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gbtrs: substitution with gbtrf's factors, one right-hand side after the other, as LAPACK's gbtrs.
 */
#include "batched/band/host/substitute_band.h"

static void NAME(exchange)(T *x, int i, int p)
{
  T t = x[i];
  x[i] = x[p];
  x[p] = t;
}

/* One right-hand side: L is a product of exchanges and columns, each applied in its turn; of op(L) in the opposite
 * order. */
static void NAME(solve)(batched_trans trans, int n, int kl, int ku, const T *ab, int64_t ld, const int *ipiv, T *x)
{
  const T *a = ab + kl + ku;
  const int64_t col = ld - 1;
  const bool conj = trans == BATCHED_CONJ_TRANS;
  if (trans == BATCHED_NO_TRANS) {
    for (int k = 0; k < n; k++) {
      NAME(exchange)(x, k, ipiv[k] - 1);
      for (int i = k + 1; i < n && i <= k + kl; i++) x[i] -= a[i + k * col] * x[k];
    }
    NAME(substitute_band)(n, kl + ku, a, 1, col, false, false, false, x, 1);
    return;
  }
  NAME(substitute_band)(n, kl + ku, a, col, 1, conj, true, false, x, 1);
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n && i <= k + kl; i++) x[k] -= (conj ? CONJ(a[i + k * col]) : a[i + k * col]) * x[i];
    NAME(exchange)(x, k, ipiv[k] - 1);
  }
}

static int NAME(ref)(const batched_gbtrs_args *p)
{
  for (int64_t b = 0; b < p->b.count; b++)
    for (int j = 0; j < batched_cols(&p->b, b); j++) NAME(solve)
  (p->trans, batched_rows(&p->b, b), batched_extent_at(p->kl, b), batched_extent_at(p->ku, b), batched_at(&p->ab, b),
   batched_ld(&p->ab, b), batched_pivots_of_band(&p->ab, p->ipiv, b),
   (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b));
  return BATCHED_SUCCESS;
}

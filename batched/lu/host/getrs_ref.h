/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of getrs: exchanges and two substitutions with getrf's factors, one right-hand side after the other.
 */
#include "batched/triangular/host/substitute_ref.h"

/* One right-hand side: A^-1 = U^-1 L^-1 P^T, and the transposes in the other order. */
static void NAME(solve)(batched_trans trans, int n, const T *a, int64_t ld, const int *ipiv, T *x)
{
  const bool conj = trans == BATCHED_CONJ_TRANS, plain = trans == BATCHED_NO_TRANS;
  for (int i = 0; plain && i < n; i++) {
    T t = x[i];
    x[i] = x[ipiv[i] - 1];
    x[ipiv[i] - 1] = t;
  }
  if (plain) {
    NAME(substitute)(n, a, 1, ld, false, true, true, x, 1);
    NAME(substitute)(n, a, 1, ld, false, false, false, x, 1);
    return;
  }
  NAME(substitute)(n, a, ld, 1, conj, true, false, x, 1);
  NAME(substitute)(n, a, ld, 1, conj, false, true, x, 1);
  for (int i = n - 1; i >= 0; i--) {
    T t = x[i];
    x[i] = x[ipiv[i] - 1];
    x[ipiv[i] - 1] = t;
  }
}

static int NAME(ref)(const batched_getrs_args *p)
{
  for (int64_t b = 0; b < p->b.count; b++)
    for (int j = 0; j < batched_cols(&p->b, b); j++) NAME(solve)
  (p->trans, batched_rows(&p->b, b), batched_at(&p->a, b), batched_ld(&p->a, b), batched_pivots_of(&p->a, p->ipiv, b),
   (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b));
  return BATCHED_SUCCESS;
}

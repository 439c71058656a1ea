/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of getrf, getrs and gesv: LAPACK, matrix by matrix.
 */
#include "batched/host/vendor_pivots.h"

static int NAME(factor)(int m, int n, T *a, int ld, int *ipiv)
{
  if (m == 0 || n == 0) return 0;
  return NAME(pivot_info)(batched_min(m, n), a, ld, (int)LAPACK(getrf)(LAPACK_COL_MAJOR, m, n, a, ld, ipiv));
}

static int NAME(getrf)(const batched_getrf_args *p)
{
  const int64_t each = batched_min(p->a.m, p->a.n);
  for (int64_t i = 0; i < p->a.count; i++)
    p->info[i] = NAME(factor)(batched_rows(&p->a, i), batched_cols(&p->a, i), batched_at(&p->a, i),
                              batched_ld(&p->a, i), p->ipiv + i * each);
  return BATCHED_SUCCESS;
}

static int NAME(getrs)(const batched_getrs_args *p)
{
  const char trans = p->trans == BATCHED_NO_TRANS ? 'N' : p->trans == BATCHED_TRANS ? 'T' : 'C';
  for (int64_t i = 0; i < p->b.count; i++) {
    const int n = batched_rows(&p->b, i), nrhs = batched_cols(&p->b, i);
    if (n > 0 && nrhs > 0) LAPACK(getrs)
    (LAPACK_COL_MAJOR, trans, n, nrhs, batched_at(&p->a, i), batched_ld(&p->a, i), batched_pivots_of(&p->a, p->ipiv, i),
     batched_at(&p->b, i), batched_ld(&p->b, i));
  }
  return BATCHED_SUCCESS;
}

static int NAME(gesv)(const batched_gesv_args *p)
{
  for (int64_t i = 0; i < p->a.count; i++) {
    const int n = batched_rows(&p->a, i), nrhs = batched_cols(&p->b, i), ld = batched_ld(&p->a, i);
    int *ipiv = p->ipiv + i * p->a.n;
    T *a = batched_at(&p->a, i);
    p->info[i] = NAME(factor)(n, n, a, ld, ipiv);
    if (p->info[i] == 0 && n > 0 && nrhs > 0) LAPACK(getrs)
    (LAPACK_COL_MAJOR, 'N', n, nrhs, a, ld, ipiv, batched_at(&p->b, i), batched_ld(&p->b, i));
  }
  return BATCHED_SUCCESS;
}

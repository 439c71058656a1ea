/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of gbtrf, gbtrs, gbsv, pbtrf, pbtrs and pbsv: LAPACK, matrix by matrix.
 */
#include "batched/host/vendor_pivots.h"

static int NAME(factor)(int m, int n, int kl, int ku, T *ab, int ld, int *ipiv)
{
  if (m == 0 || n == 0) return 0;
  const int info = (int)LAPACK(gbtrf)(LAPACK_COL_MAJOR, m, n, kl, ku, ab, ld, ipiv);
  return NAME(pivot_info)(batched_min(m, n), ab + kl + ku, ld - 1, info);
}

static int NAME(gbtrf)(const batched_gbtrf_args *p)
{
  const int64_t each = batched_min(p->m.bound, p->ab.n);
  for (int64_t b = 0; b < p->ab.count; b++)
    p->info[b] =
      NAME(factor)(batched_extent_at(p->m, b), batched_cols(&p->ab, b), batched_extent_at(p->kl, b),
                   batched_extent_at(p->ku, b), batched_at(&p->ab, b), batched_ld(&p->ab, b), p->ipiv + b * each);
  return BATCHED_SUCCESS;
}

static void NAME(solve)(char trans, int n, int kl, int ku, const T *ab, int ld, const int *ipiv,
                        const batched_matrix *x, int64_t b)
{
  const int nrhs = batched_cols(x, b);
  if (n > 0 && nrhs > 0)
    LAPACK(gbtrs)(LAPACK_COL_MAJOR, trans, n, kl, ku, nrhs, ab, ld, ipiv, batched_at(x, b), batched_ld(x, b));
}

static int NAME(gbtrs)(const batched_gbtrs_args *p)
{
  const char trans = p->trans == BATCHED_NO_TRANS ? 'N' : p->trans == BATCHED_TRANS ? 'T' : 'C';
  for (int64_t b = 0; b < p->b.count; b++) NAME(solve)
  (trans, batched_rows(&p->b, b), batched_extent_at(p->kl, b), batched_extent_at(p->ku, b), batched_at(&p->ab, b),
   batched_ld(&p->ab, b), batched_pivots_of_band(&p->ab, p->ipiv, b), &p->b, b);
  return BATCHED_SUCCESS;
}

static int NAME(gbsv)(const batched_gbsv_args *p)
{
  for (int64_t b = 0; b < p->ab.count; b++) {
    const int n = batched_cols(&p->ab, b), kl = batched_extent_at(p->kl, b), ku = batched_extent_at(p->ku, b);
    const int ld = batched_ld(&p->ab, b);
    int *ipiv = p->ipiv + b * p->ab.n;
    T *ab = batched_at(&p->ab, b);
    p->info[b] = NAME(factor)(n, n, kl, ku, ab, ld, ipiv);
    if (p->info[b] == 0) NAME(solve)('N', n, kl, ku, ab, ld, ipiv, &p->b, b);
  }
  return BATCHED_SUCCESS;
}

/* LAPACK goes on over a NaN on the diagonal. */
static int NAME(factor_definite)(char uplo, int n, int kd, T *ab, int ld)
{
  if (n == 0) return 0;
  const int info = (int)LAPACK(pbtrf)(LAPACK_COL_MAJOR, uplo, n, kd, ab, ld);
  return NAME(pivot_info)(n, ab + (uplo == 'U' ? kd : 0), ld - 1, info);
}

static void NAME(solve_definite)(char uplo, int n, int kd, const T *ab, int ld, const batched_matrix *x, int64_t b)
{
  const int nrhs = batched_cols(x, b);
  if (n > 0 && nrhs > 0) LAPACK(pbtrs)(LAPACK_COL_MAJOR, uplo, n, kd, nrhs, ab, ld, batched_at(x, b), batched_ld(x, b));
}

static int NAME(pbtrf)(const batched_pbtrf_args *p)
{
  for (int64_t b = 0; b < p->ab.count; b++)
    p->info[b] = NAME(factor_definite)(lapack_uplo(p->uplo), batched_cols(&p->ab, b), batched_extent_at(p->kd, b),
                                       batched_at(&p->ab, b), batched_ld(&p->ab, b));
  return BATCHED_SUCCESS;
}

static int NAME(pbtrs)(const batched_pbtrs_args *p)
{
  for (int64_t b = 0; b < p->b.count; b++) NAME(solve_definite)
  (lapack_uplo(p->uplo), batched_rows(&p->b, b), batched_extent_at(p->kd, b), batched_at(&p->ab, b),
   batched_ld(&p->ab, b), &p->b, b);
  return BATCHED_SUCCESS;
}

static int NAME(pbsv)(const batched_pbsv_args *p)
{
  for (int64_t b = 0; b < p->ab.count; b++) {
    const int n = batched_cols(&p->ab, b), kd = batched_extent_at(p->kd, b), ld = batched_ld(&p->ab, b);
    T *ab = batched_at(&p->ab, b);
    p->info[b] = NAME(factor_definite)(lapack_uplo(p->uplo), n, kd, ab, ld);
    if (p->info[b] == 0) NAME(solve_definite)(lapack_uplo(p->uplo), n, kd, ab, ld, &p->b, b);
  }
  return BATCHED_SUCCESS;
}

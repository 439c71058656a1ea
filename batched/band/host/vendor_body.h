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

/* y = beta y, with a zero for beta = 0 whatever y was. */
static void NAME(scale)(T beta, int n, T *y, int64_t inc)
{
  for (int i = 0; i < n; i++) y[i * inc] = beta == 0 ? (T)0 : beta * y[i * inc];
}

static int NAME(gbmv)(const batched_gbmv_args *p)
{
  const __auto_type call = CBLAS(gbmv);
  const T alpha = FROM(p->alpha.re, p->alpha.im), beta = FROM(p->beta.re, p->beta.im);
  for (int64_t b = 0; b < p->y.count; b++) {
    const int m = batched_extent_at(p->m, b), n = batched_cols(&p->ab, b);
    const bool empty = alpha == 0 || m == 0 || n == 0;
    if (empty || beta == 0)
      NAME(scale)(beta, p->trans == BATCHED_NO_TRANS ? m : n, batched_at(&p->y, b), batched_increment(&p->y, b));
    if (empty) continue;
    call(CblasColMajor, blas_trans(p->trans), m, n, batched_extent_at(p->kl, b), batched_extent_at(p->ku, b),
         SCALAR(p->alpha), batched_at(&p->ab, b), batched_ld(&p->ab, b), batched_at(&p->x, b),
         batched_increment(&p->x, b), SCALAR(p->beta), batched_at(&p->y, b), batched_increment(&p->y, b));
  }
  return BATCHED_SUCCESS;
}

static int NAME(tbsv)(const batched_tbsv_args *p)
{
  const __auto_type call = CBLAS(tbsv);
  for (int64_t b = 0; b < p->x.count; b++)
    call(CblasColMajor, p->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, blas_trans(p->trans),
         p->diag == BATCHED_UNIT ? CblasUnit : CblasNonUnit, batched_cols(&p->ab, b), batched_extent_at(p->kd, b),
         batched_at(&p->ab, b), batched_ld(&p->ab, b), batched_at(&p->x, b), batched_increment(&p->x, b));
  return BATCHED_SUCCESS;
}

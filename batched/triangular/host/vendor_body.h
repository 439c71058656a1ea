/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.blas of trsv, trsm, trmv and trmm, and vendor.lapacke of trtri: BLAS and LAPACK, matrix by matrix.
 */
#include "batched/host/first_zero.h"
#include "batched/triangular/host/trsm_matrix_ref.h"

/* True where all diagonal elements d != 0 have a normal 1 / d: OpenBLAS multiplies by these in trsm. */
static bool NAME(has_safe_inverses)(int n, const T *a, int64_t ld)
{
  const R most = sizeof(R) == sizeof(float) ? (R)0x1p125 : (R)0x1p1021;
  for (int i = 0; i < n; i++) {
    const T d = a[i + i * ld];
    const R size =
      IS_COMPLEX ? __builtin_fmax(__builtin_fabs(REAL(d)), __builtin_fabs(__imag__ d)) : __builtin_fabs(REAL(d));
    if (size > most || (size < 1 / most && size > 0)) return false;
  }
  return true;
}

static int NAME(trsv)(const batched_trsv_args *t)
{
  const __auto_type call = CBLAS(trsv);
  for (int64_t i = 0; i < t->x.count; i++)
    call(CblasColMajor, t->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, blas_trans(t->trans),
         t->diag == BATCHED_UNIT ? CblasUnit : CblasNonUnit, batched_rows(&t->a, i), batched_at(&t->a, i),
         batched_ld(&t->a, i), batched_at(&t->x, i), batched_increment(&t->x, i));
  return BATCHED_SUCCESS;
}

static int NAME(trmv)(const batched_trmv_args *t)
{
  const __auto_type call = CBLAS(trmv);
  for (int64_t i = 0; i < t->x.count; i++)
    call(CblasColMajor, t->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, blas_trans(t->trans),
         t->diag == BATCHED_UNIT ? CblasUnit : CblasNonUnit, batched_rows(&t->a, i), batched_at(&t->a, i),
         batched_ld(&t->a, i), batched_at(&t->x, i), batched_increment(&t->x, i));
  return BATCHED_SUCCESS;
}

static int NAME(trmm)(const batched_trmm_args *t)
{
  const __auto_type call = CBLAS(trmm);
  for (int64_t i = 0; i < t->b.count; i++)
    call(CblasColMajor, t->side == BATCHED_LEFT ? CblasLeft : CblasRight,
         t->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, blas_trans(t->trans),
         t->diag == BATCHED_UNIT ? CblasUnit : CblasNonUnit, batched_rows(&t->b, i), batched_cols(&t->b, i),
         SCALAR(t->alpha), batched_at(&t->a, i), batched_ld(&t->a, i), batched_at(&t->b, i), batched_ld(&t->b, i));
  return BATCHED_SUCCESS;
}

static int NAME(trtri)(const batched_trtri_args *t)
{
  const __auto_type call = LAPACK(trtri);
  for (int64_t i = 0; i < t->a.count; i++) {
    const int n = batched_rows(&t->a, i), ld = batched_ld(&t->a, i);
    T *a = batched_at(&t->a, i);
    t->info[i] = t->diag == BATCHED_UNIT ? 0 : NAME(first_zero)(n, a, ld);
    if (n > 0 && t->info[i] == 0)
      call(LAPACK_COL_MAJOR, lapack_uplo(t->uplo), t->diag == BATCHED_UNIT ? 'U' : 'N', n, a, ld);
  }
  return BATCHED_SUCCESS;
}

static void NAME(trsm_matrix)(const batched_trsm_args *t, int64_t i)
{
  const int m = batched_rows(&t->b, i), n = batched_cols(&t->b, i);
  const T *const a = batched_at(&t->a, i);
  T *const b = batched_at(&t->b, i);
  const int lda = batched_ld(&t->a, i), ldb = batched_ld(&t->b, i);
  const bool left = t->side == BATCHED_LEFT, unit = t->diag == BATCHED_UNIT;
  const __auto_type call = CBLAS(trsm);
  if (unit || NAME(has_safe_inverses)(left ? m : n, a, lda))
    call(CblasColMajor, left ? CblasLeft : CblasRight, t->uplo == BATCHED_LOWER ? CblasLower : CblasUpper,
         blas_trans(t->trans), unit ? CblasUnit : CblasNonUnit, m, n, SCALAR(t->alpha), a, lda, b, ldb);
  else
    NAME(solve)(t, m, n, a, lda, b, ldb);
}

static int NAME(trsm)(const batched_trsm_args *t)
{
  for (int64_t i = 0; i < t->b.count; i++) NAME(trsm_matrix)(t, i);
  return BATCHED_SUCCESS;
}

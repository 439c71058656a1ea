/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_pivots.h"

static int NAME(trsv)(const batched_trsv_args *t)
{
  const __auto_type call = CBLAS(trsv);
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

static int NAME(trsm)(const batched_trsm_args *t)
{
  const __auto_type call = CBLAS(trsm);
  for (int64_t i = 0; i < t->b.count; i++)
    call(CblasColMajor, t->side == BATCHED_LEFT ? CblasLeft : CblasRight,
         t->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, blas_trans(t->trans),
         t->diag == BATCHED_UNIT ? CblasUnit : CblasNonUnit, batched_rows(&t->b, i), batched_cols(&t->b, i),
         SCALAR(t->alpha), batched_at(&t->a, i), batched_ld(&t->a, i), batched_at(&t->b, i), batched_ld(&t->b, i));
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/host/vendor_pivots.h"

static int NAME(factor)(batched_uplo uplo, int n, T *a, int ld)
{
  if (n == 0) return 0;
  return NAME(pivot_info)(n, a, ld, (int)LAPACK(potrf)(LAPACK_COL_MAJOR, lapack_uplo(uplo), n, a, ld));
}

static int NAME(potrf)(const batched_potrf_args *p)
{
  for (int64_t i = 0; i < p->a.count; i++)
    p->info[i] = NAME(factor)(p->uplo, batched_rows(&p->a, i), batched_at(&p->a, i), batched_ld(&p->a, i));
  return BATCHED_SUCCESS;
}

static int NAME(potrs)(const batched_potrs_args *p)
{
  const __auto_type call = LAPACK(potrs);
  for (int64_t i = 0; i < p->b.count; i++)
    call(LAPACK_COL_MAJOR, lapack_uplo(p->uplo), batched_rows(&p->b, i), batched_cols(&p->b, i), batched_at(&p->a, i),
         batched_ld(&p->a, i), batched_at(&p->b, i), batched_ld(&p->b, i));
  return BATCHED_SUCCESS;
}

static int NAME(posv)(const batched_posv_args *p)
{
  const __auto_type solve = LAPACK(potrs);
  for (int64_t i = 0; i < p->a.count; i++) {
    const int n = batched_rows(&p->a, i), nrhs = batched_cols(&p->b, i), ld = batched_ld(&p->a, i);
    T *a = batched_at(&p->a, i);
    p->info[i] = NAME(factor)(p->uplo, n, a, ld);
    if (p->info[i] == 0 && n > 0 && nrhs > 0)
      solve(LAPACK_COL_MAJOR, lapack_uplo(p->uplo), n, nrhs, a, ld, batched_at(&p->b, i), batched_ld(&p->b, i));
  }
  return BATCHED_SUCCESS;
}

static int NAME(potri)(const batched_potri_args *p)
{
  const __auto_type call = LAPACK(potri);
  for (int64_t i = 0; i < p->a.count; i++) {
    const int n = batched_rows(&p->a, i);
    p->info[i] = NAME(first_zero)(n, batched_at(&p->a, i), batched_ld(&p->a, i));
    if (n > 0 && p->info[i] == 0)
      call(LAPACK_COL_MAJOR, lapack_uplo(p->uplo), n, batched_at(&p->a, i), batched_ld(&p->a, i));
  }
  return BATCHED_SUCCESS;
}

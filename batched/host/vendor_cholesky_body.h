/* SPDX-License-Identifier: BSD-3-Clause */

/* Some libraries take a NaN for a pivot: so the factor's diagonal is looked at before the solve. */
static int NAME(pivot_info)(int n, const T *a, int64_t ld, int info)
{
  for (int j = 0; j < (info ? info - 1 : n); j++)
    if (a[j + j * ld] != a[j + j * ld]) return j + 1;
  return info;
}

static int NAME(posv)(const batched_posv_args *p)
{
  const __auto_type factor = LAPACK(potrf);
  const __auto_type solve = LAPACK(potrs);
  for (int64_t i = 0; i < p->a.count; i++) {
    const int n = batched_rows(&p->a, i), nrhs = batched_cols(&p->b, i), ld = batched_ld(&p->a, i);
    T *a = batched_at(&p->a, i);
    p->info[i] = n == 0 ? 0 : NAME(pivot_info)(n, a, ld, (int)factor(LAPACK_COL_MAJOR, lapack_uplo(p->uplo), n, a, ld));
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
    p->info[i] =
      n == 0 ? 0 : (int)call(LAPACK_COL_MAJOR, lapack_uplo(p->uplo), n, batched_at(&p->a, i), batched_ld(&p->a, i));
  }
  return BATCHED_SUCCESS;
}

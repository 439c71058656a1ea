/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of potrf, potrs, posv and potri: LAPACK, matrix by matrix.
 */
#include "batched/host/first_zero.h"
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

/* y = x^H, of the triangle `uplo` of x. */
static void NAME(turn)(batched_uplo uplo, int n, const T *x, int64_t ldx, T *y, int64_t ldy)
{
  for (int j = 0; j < n; j++)
    for (int i = uplo == BATCHED_UPPER ? 0 : j; i < (uplo == BATCHED_UPPER ? j + 1 : n); i++)
      y[j + i * ldy] = CONJ(x[i + j * ldx]);
}

/* Complex upper factors as lower ones, x: of an upper one OpenBLAS's lauum reads a column behind it. */
static int NAME(potri)(batched_ctx *ctx, const batched_potri_args *p)
{
  const __auto_type call = LAPACK(potri);
  const bool turned = IS_COMPLEX && p->uplo == BATCHED_UPPER;
  T *x = turned ? batched_scratch_push(ctx, (size_t)p->a.n * (size_t)p->a.n * sizeof(T)) : NULL;
  if (turned && !x) return BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < p->a.count; i++) {
    const int n = batched_rows(&p->a, i), ld = batched_ld(&p->a, i);
    T *a = batched_at(&p->a, i);
    p->info[i] = NAME(first_zero)(n, a, ld); /* some libraries overlook one beside a NaN */
    if (n == 0 || p->info[i] > 0) continue;
    if (turned) NAME(turn)(BATCHED_UPPER, n, a, ld, x, n);
    call(LAPACK_COL_MAJOR, turned ? 'L' : lapack_uplo(p->uplo), n, turned ? x : a, turned ? n : ld);
    if (turned) NAME(turn)(BATCHED_LOWER, n, x, n, a, ld);
  }
  if (turned) batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

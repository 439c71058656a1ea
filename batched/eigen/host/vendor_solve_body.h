/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of gelsy (geqp3, and tzrzf where the rank is not full, rank and powers of two as by the composed
 * row) and hegst.
 */
#include "batched/eigen/host/exponents_ref.h"

#if IS_COMPLEX
#define UNMQR unmqr
#define UNMRZ unmrz
#define HEGST hegst
#define ADJOINT 'C'
#else
#define UNMQR ormqr
#define UNMRZ ormrz
#define HEGST sygst
#define ADJOINT 'T'
#endif

/* f: A, m x n; c: B, as many rows as the longer side. */
typedef struct NAME(gelsy_room) {
  T *f, *c, *tau, *tau2, *work;
  R *rwork;
  lapack_int *jpvt;
  int lwork;
} NAME(gelsy_room);

static bool NAME(take_gelsy_room)(batched_ctx *ctx, const batched_gelsy_args *g, NAME(gelsy_room) * r)
{
  const size_t longest = (size_t)batched_max(batched_max(g->a.m, g->a.n), batched_max(g->b.n, 1));
  const size_t square = (size_t)g->a.m * (size_t)g->a.n, sides = (size_t)g->b.m * (size_t)g->b.n;
  const size_t work = 66 * (longest + 66); /* blocks of 64, and their triangles */
  const size_t numbers = square + sides + 2 * longest + work + 3 * BATCHED_VENDOR_READS_BEYOND;
  r->lwork = (int)work;
  r->f = batched_scratch_push(ctx, numbers * sizeof(T) + 2 * longest * sizeof(R) + (longest + 1) * sizeof(lapack_int));
  if (!r->f) return false;
  r->c = r->f + square + BATCHED_VENDOR_READS_BEYOND;
  r->tau = r->c + sides + BATCHED_VENDOR_READS_BEYOND;
  r->tau2 = r->tau + longest;
  r->work = r->tau2 + longest;
  r->rwork = (R *)(r->work + work + BATCHED_VENDOR_READS_BEYOND);
  r->jpvt = (lapack_int *)(r->rwork + 2 * longest);
  return true;
}

/* f P = Q R; the elements of R's diagonal that count. */
static int NAME(factor_for_rank)(int m, int n, double rcond, const NAME(gelsy_room) * r)
{
  const int k = batched_min(m, n);
  int rank = 0;
  for (int j = 0; j < n; j++) r->jpvt[j] = 0;
#if IS_COMPLEX
  LAPACK(geqp3)(LAPACK_COL_MAJOR, m, n, r->f, m, r->jpvt, r->tau, r->work, r->lwork, r->rwork);
#else
  LAPACK(geqp3)(LAPACK_COL_MAJOR, m, n, r->f, m, r->jpvt, r->tau, r->work, r->lwork);
#endif
  const R least = (R)(rcond < 0 ? EPS / 2 : rcond) * ABS(r->f[0]);
  while (rank < k && ABS(r->f[rank + (int64_t)rank * m]) > least) rank++;
  return rank;
}

/* c = P^H x for the x of least norm with the least |f x - c|. */
static void NAME(solve_with_rank)(int m, int n, int nrhs, int rank, const NAME(gelsy_room) * r)
{
  const int ldc = batched_max(m, n);
  if (rank < n) LAPACK(tzrzf)(LAPACK_COL_MAJOR, rank, n, r->f, m, r->tau2, r->work, r->lwork);
  CBLAS(trsm)
  (CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, rank, nrhs, SCALAR(batched_real(1)), r->f, m, r->c,
   ldc);
  for (int j = 0; j < nrhs; j++)
    for (int i = rank; i < n; i++) r->c[i + (int64_t)j * ldc] = 0;
  if (rank < n) LAPACK(UNMRZ)
  (LAPACK_COL_MAJOR, 'L', ADJOINT, n, nrhs, rank, n - rank, r->f, m, r->tau2, r->c, ldc, r->work, r->lwork);
}

static int NAME(gelsy)(batched_ctx *ctx, const batched_gelsy_args *g)
{
  NAME(gelsy_room) r;
  if (!NAME(take_gelsy_room)(ctx, g, &r)) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), nrhs = batched_cols(&g->b, b);
    const int k = batched_min(m, n), ldc = batched_max(m, n);
    const int64_t lda = batched_ld(&g->a, b), ldb = batched_ld(&g->b, b);
    T *const a = batched_at(&g->a, b), *const x = batched_at(&g->b, b);
    int rank = 0;
    const bool finite = k == 0 || NAME(is_finite)(m, n, a, lda, -1);
    if (k > 0 && finite) {
      const int of_a = NAME(exponent_of)(m, n, a, lda), of_b = NAME(exponent_of)(m, nrhs, x, ldb);
      NAME(shift)(-of_a, m, n, a, lda, r.f, m);
      NAME(shift)(-of_b, m, nrhs, x, ldb, r.c, ldc);
      rank = NAME(factor_for_rank)(m, n, g->rcond, &r);
      if (rank > 0 && nrhs > 0) {
        LAPACK(UNMQR)
        (LAPACK_COL_MAJOR, 'L', ADJOINT, m, nrhs, k, r.f, m, r.tau, r.c, ldc, r.work, r.lwork);
        NAME(solve_with_rank)(m, n, nrhs, rank, &r);
        NAME(shift)(of_b - of_a, n, nrhs, r.c, ldc, r.c, ldc);
      }
    }
    for (int64_t j = 0; j < nrhs; j++)
      for (int i = 0; i < n; i++)
        x[(rank > 0 ? r.jpvt[i] - 1 : i) + j * ldb] = rank > 0 ? r.c[i + j * ldc]
                                                      : finite ? 0
                                                               : FROM(__builtin_nan(""), __builtin_nan(""));
    g->rank[b] = rank;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

/* In copies: LAPACK's zhegst conjugates rows of B meanwhile, which other threads may read, too. */
static int NAME(hegst)(batched_ctx *ctx, const batched_hegst_args *h)
{
  const size_t square = (size_t)h->a.n * (size_t)h->a.n + BATCHED_VENDOR_READS_BEYOND;
  T *const x = batched_scratch_push(ctx, 2 * square * sizeof(T)), *const f = x ? x + square : NULL;
  if (!x) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < h->a.count; b++) {
    const int n = batched_rows(&h->a, b);
    const int64_t lda = batched_ld(&h->a, b);
    T *const a = batched_at(&h->a, b);
    if (n == 0) continue;
    NAME(copy)(n, n, a, lda, x, n);
    NAME(copy)(n, n, batched_at(&h->b, b), batched_ld(&h->b, b), f, n);
    LAPACK(HEGST)(LAPACK_COL_MAJOR, h->itype, lapack_uplo(h->uplo), n, x, n, f, n);
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = h->uplo == BATCHED_LOWER ? j : 0; i < (h->uplo == BATCHED_LOWER ? n : j + 1); i++)
        a[i + j * lda] = x[i + j * n];
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

#undef UNMQR
#undef UNMRZ
#undef HEGST
#undef ADJOINT

/* SPDX-License-Identifier: BSD-3-Clause */

/* LAPACK may loop for ever on a NaN: it is kept away. */
static bool NAME(is_finite)(int m, int n, const T *a, int64_t ld, int uplo)
{
  for (int64_t j = 0; j < n; j++)
    for (int i = uplo == BATCHED_LOWER ? (int)j : 0; i < (uplo == BATCHED_UPPER ? batched_min(m, (int)j + 1) : m); i++)
      if (a[i + j * ld] - a[i + j * ld] != 0) return false;
  return true;
}

static void NAME(copy)(int m, int n, const T *a, int64_t lda, T *b, int64_t ldb)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) b[i + j * ldb] = a[i + j * lda];
}

static void NAME(set_nan)(int m, int n, T *a, int64_t row, int64_t col)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i * row + j * col] = FROM(__builtin_nan(""), __builtin_nan(""));
}

static void NAME(store_real)(int n, const R *from, R *to, int64_t inc)
{
  for (int i = 0; i < n; i++) to[i * inc] = from ? from[i] : (R)__builtin_nan("");
}

static int NAME(heev)(batched_ctx *ctx, const batched_heev_args *h)
{
  const int most = h->a.n, lwork = batched_max(64 * most, 1);
  T *x = batched_scratch_push(ctx, ((size_t)most * most + lwork) * sizeof(T) + 4 * (size_t)(most + 1) * sizeof(R));
  if (!x) return BATCHED_NO_MEMORY;
  T *work = x + (size_t)most * most;
  R *w = (R *)(work + lwork), *rwork = w + most;
  (void)rwork;
  for (int64_t i = 0; i < h->a.count; i++) {
    const int n = batched_rows(&h->a, i), ld = batched_ld(&h->a, i);
    T *a = batched_at(&h->a, i);
    int info = n;
    NAME(copy)(n, n, a, ld, x, n);
#if IS_COMPLEX
    for (int j = 0; j < n; j++) x[j + (int64_t)j * n] = REAL(x[j + (int64_t)j * n]);
#endif
    if (NAME(is_finite)(n, n, x, n, h->uplo)) {
#if IS_COMPLEX
      info = n == 0 ? 0
                    : (int)LAPACK(heev)(LAPACK_COL_MAJOR, h->job == BATCHED_VECTORS ? 'V' : 'N', lapack_uplo(h->uplo),
                                        n, x, n, w, work, lwork, rwork);
#else
      info = n == 0 ? 0
                    : (int)LAPACK(syev)(LAPACK_COL_MAJOR, h->job == BATCHED_VECTORS ? 'V' : 'N', lapack_uplo(h->uplo),
                                        n, x, n, w, work, lwork);
#endif
      if (!info && h->job == BATCHED_VECTORS) NAME(copy)(n, n, x, n, a, ld);
    }
    if (info && h->job == BATCHED_VECTORS) NAME(set_nan)(n, n, a, 1, ld);
    NAME(store_real)(n, info ? NULL : w, batched_at(&h->w, i), batched_increment(&h->w, i));
    h->info[i] = info;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(gesvd)(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const int most = batched_max(g->a.m, g->a.n), least = batched_min(g->a.m, g->a.n), lwork = 64 * (most + 1);
  T *x = batched_scratch_push(ctx, ((size_t)g->a.m * g->a.n + lwork) * sizeof(T) + 6 * (size_t)(most + 1) * sizeof(R));
  if (!x) return BATCHED_NO_MEMORY;
  T *work = x + (size_t)g->a.m * g->a.n;
  R *s = (R *)(work + lwork), *rwork = s + least;
  (void)rwork;
  const bool vectors = g->job == BATCHED_VECTORS;
  for (int64_t i = 0; i < g->a.count; i++) {
    const int m = batched_rows(&g->a, i), n = batched_cols(&g->a, i), ld = batched_ld(&g->a, i), k = batched_min(m, n);
    T *a = batched_at(&g->a, i), *u = vectors ? batched_at(&g->u, i) : NULL,
      *vt = vectors ? batched_at(&g->vt, i) : NULL;
    const int ldu = vectors ? batched_ld(&g->u, i) : batched_max(m, 1);
    const int ldvt = vectors ? batched_ld(&g->vt, i) : batched_max(k, 1);
    int info = k;
    if (NAME(is_finite)(m, n, a, ld, -1)) {
      NAME(copy)(m, n, a, ld, x, m);
      info = k == 0 ? 0
                    : (int)LAPACK(gesvd)(LAPACK_COL_MAJOR, vectors ? 'S' : 'N', vectors ? 'S' : 'N', m, n, x, m, s, u,
                                         ldu, vt, ldvt, work, lwork
#if IS_COMPLEX
                                         ,
                                         rwork
#endif
                      );
    }
    if (info && vectors) {
      NAME(set_nan)(m, k, u, 1, ldu);
      NAME(set_nan)(k, n, vt, 1, ldvt);
    }
    NAME(store_real)(k, info ? NULL : s, batched_at(&g->s, i), batched_increment(&g->s, i));
    g->info[i] = info;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

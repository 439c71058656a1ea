/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gemm: C = alpha op(A) op(B) + beta C by its definition.
 */

static inline T NAME(op_at)(batched_trans trans, const T *a, int ld, int i, int j)
{
  if (trans == BATCHED_NO_TRANS) return a[i + (int64_t)j * ld];
  T x = a[j + (int64_t)i * ld];
  return trans == BATCHED_TRANS ? x : CONJ(x);
}

static int NAME(ref)(const batched_gemm_args *g)
{
  const T alpha = FROM(g->alpha.re, g->alpha.im), beta = FROM(g->beta.re, g->beta.im);
  for (int64_t batch = 0; batch < g->c.count; batch++) {
    const T *a = batched_at(&g->a, batch), *b = batched_at(&g->b, batch);
    T *c = batched_at(&g->c, batch);
    int lda = batched_ld(&g->a, batch), ldb = batched_ld(&g->b, batch), ldc = batched_ld(&g->c, batch);
    int m = batched_rows(&g->c, batch), n = batched_cols(&g->c, batch);
    int k = g->transa == BATCHED_NO_TRANS ? batched_cols(&g->a, batch) : batched_rows(&g->a, batch);
    if (alpha == 0) k = 0;
    for (int j = 0; j < n; j++) {
      for (int i = 0; i < m; i++) {
        T sum = 0;
        for (int p = 0; p < k; p++) sum += NAME(op_at)(g->transa, a, lda, i, p) * NAME(op_at)(g->transb, b, ldb, p, j);
        T *out = &c[i + (int64_t)j * ldc];
        *out = beta == 0 ? alpha * sum : alpha * sum + beta * *out;
      }
    }
  }
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of lrgemm: the product by its definition, element by element, and then, for a C of low rank, its SVD.
 */

/* Element (i, j) of op(U V^H), or of op(U) where there is no v. */
static T NAME(element)(batched_trans trans, const batched_matrix *u, const batched_matrix *v, int64_t b, int i, int j)
{
  const T *pu = batched_at(u, b), *pv = batched_at(v, b);
  const int64_t ldu = batched_ld(u, b), ldv = batched_ld(v, b);
  if (lowrank_is_no_factor(v)) return trans == BATCHED_NO_TRANS ? pu[i + j * ldu] : CONJ(pu[j + i * ldu]);
  T sum = 0;
  for (int l = 0; l < batched_cols(u, b); l++) sum += pu[i + l * ldu] * CONJ(pv[j + l * ldv]);
  return sum;
}

/* The number of columns of op(A). */
static int NAME(inner)(const batched_lrgemm_args *g, int64_t b)
{
  if (!lowrank_is_no_factor(&g->av)) return batched_rows(&g->av, b);
  return g->transa == BATCHED_NO_TRANS ? batched_cols(&g->au, b) : batched_rows(&g->au, b);
}

/* x (m x n) = alpha op(A) op(B) + beta C, each element of op(A) and op(B) from its factors again. */
static void NAME(product)(const batched_lrgemm_args *g, int64_t b, int m, int n, T *x)
{
  const T alpha = FROM(g->alpha.re, g->alpha.im), beta = FROM(g->beta.re, g->beta.im);
  const int inner = NAME(inner)(g, b);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      T sum = 0;
      for (int l = 0; l < inner && alpha != 0; l++)
        sum += NAME(element)(g->transa, &g->au, &g->av, b, i, l) * NAME(element)(g->transb, &g->bu, &g->bv, b, l, j);
      const T c = beta == 0 ? 0 : beta * NAME(element)(BATCHED_NO_TRANS, &g->cu, &g->cv, b, i, j);
      x[i + (int64_t)j * m] = alpha * sum + c;
    }
}

static int NAME(ref)(batched_ctx *ctx, const batched_lrgemm_args *g)
{
  const bool dense = lowrank_is_no_factor(&g->cv);
  T *x = batched_scratch_push(ctx, (size_t)g->cu.m * (size_t)(dense ? g->cu.n : g->cv.m) * sizeof(T));
  int status = x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->cu.count && !status; b++) {
    const int m = batched_rows(&g->cu, b), n = dense ? batched_cols(&g->cu, b) : batched_rows(&g->cv, b);
    NAME(product)(g, b, m, n, x);
    T *c = batched_at(&g->cu, b);
    if (!dense)
      status = lowrank_ref_store(ctx, x, m, n, g->cu, g->cv, b, g->ranks, g->t, g->info);
    else
      for (int64_t e = 0; e < (int64_t)m * n; e++) c[e % m + e / m * batched_ld(&g->cu, b)] = x[e];
  }
  if (x) batched_scratch_pop(ctx);
  return status;
}

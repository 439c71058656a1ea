/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.blas of gemm, gemv, syrk, symv, symm and syr2k, and their Hermitian kin: BLAS, matrix by matrix.
 */

/* alpha = 0 is passed on as k = 0: some libraries would read A and B. */
static int NAME(gemm)(const batched_gemm_args *g)
{
  const __auto_type call = CBLAS(gemm);
  const bool used = FROM(g->alpha.re, g->alpha.im) != 0;
  for (int64_t i = 0; i < g->c.count; i++) {
    const int k = !used ? 0 : g->transa == BATCHED_NO_TRANS ? batched_cols(&g->a, i) : batched_rows(&g->a, i);
    call(CblasColMajor, blas_trans(g->transa), blas_trans(g->transb), batched_rows(&g->c, i), batched_cols(&g->c, i), k,
         SCALAR(g->alpha), batched_at(&g->a, i), batched_ld(&g->a, i), batched_at(&g->b, i), batched_ld(&g->b, i),
         SCALAR(g->beta), batched_at(&g->c, i), batched_ld(&g->c, i));
  }
  return BATCHED_SUCCESS;
}

/* BLAS leaves y as it is where the sum is empty, and some read y where beta is 0: such y are set here. */
static void NAME(scale)(const batched_gemv_args *g, int64_t b, T beta)
{
  const int64_t inc = batched_increment(&g->y, b);
  const int n = g->trans == BATCHED_NO_TRANS ? batched_rows(&g->a, b) : batched_cols(&g->a, b);
  T *y = batched_at(&g->y, b);
  for (int i = 0; i < n; i++) y[i * inc] = beta == 0 ? (T)0 : beta * y[i * inc];
}

static int NAME(gemv)(const batched_gemv_args *g)
{
  const __auto_type call = CBLAS(gemv);
  const T alpha = FROM(g->alpha.re, g->alpha.im), beta = FROM(g->beta.re, g->beta.im);
  for (int64_t i = 0; i < g->y.count; i++) {
    const bool empty = alpha == 0 || batched_rows(&g->a, i) == 0 || batched_cols(&g->a, i) == 0;
    if (empty || beta == 0) NAME(scale)(g, i, beta);
    if (empty) continue;
    call(CblasColMajor, blas_trans(g->trans), batched_rows(&g->a, i), batched_cols(&g->a, i), SCALAR(g->alpha),
         batched_at(&g->a, i), batched_ld(&g->a, i), batched_at(&g->x, i), batched_increment(&g->x, i), SCALAR(g->beta),
         batched_at(&g->y, i), batched_increment(&g->y, i));
  }
  return BATCHED_SUCCESS;
}

/* alpha = 0 is passed on as k = 0, which leaves a Hermitian diagonal as it is if beta is 1: it is made real here. */
static int NAME(syrk)(const batched_syrk_args *s)
{
  const bool plain = s->trans == BATCHED_NO_TRANS, used = FROM(s->alpha.re, s->alpha.im) != 0;
  const CBLAS_UPLO uplo = s->uplo == BATCHED_LOWER ? CblasLower : CblasUpper;
  for (int64_t i = 0; i < s->c.count; i++) {
    const int n = batched_rows(&s->c, i), lda = batched_ld(&s->a, i), ldc = batched_ld(&s->c, i);
    const int k = !used ? 0 : plain ? batched_cols(&s->a, i) : batched_rows(&s->a, i);
    const T *a = batched_at(&s->a, i);
    T *c = batched_at(&s->c, i);
#if IS_COMPLEX
    if (s->hermitian) {
      for (int j = 0; j < n; j++) c[j + (int64_t)j * ldc] = REAL(c[j + (int64_t)j * ldc]);
      CBLAS(herk)
      (CblasColMajor, uplo, plain ? CblasNoTrans : CblasConjTrans, n, k, (R)s->alpha.re, a, lda, (R)s->beta.re, c, ldc);
      continue;
    }
    const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
    CBLAS(syrk)(CblasColMajor, uplo, plain ? CblasNoTrans : CblasTrans, n, k, &alpha, a, lda, &beta, c, ldc);
#else
    CBLAS(syrk)
    (CblasColMajor, uplo, plain ? CblasNoTrans : CblasTrans, n, k, (R)s->alpha.re, a, lda, (R)s->beta.re, c, ldc);
#endif
  }
  return BATCHED_SUCCESS;
}

/* Some libraries read y where beta is 0, or A where alpha is: they are not called then with such a y, or at all. */
static int NAME(symv)(const batched_symv_args *s)
{
#if IS_COMPLEX
  const __auto_type call = CBLAS(hemv);
#else
  const __auto_type call = CBLAS(symv);
#endif
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  for (int64_t b = 0; b < s->y.count; b++) {
    const int n = batched_rows(&s->a, b), incy = batched_increment(&s->y, b);
    T *y = batched_at(&s->y, b);
    if (alpha == 0 || beta == 0)
      for (int64_t i = 0; i < n; i++) y[i * incy] = beta == 0 ? (T)0 : beta * y[i * incy];
    if (alpha == 0) continue;
    call(CblasColMajor, s->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, n, SCALAR(s->alpha), batched_at(&s->a, b),
         batched_ld(&s->a, b), batched_at(&s->x, b), batched_increment(&s->x, b), SCALAR(s->beta), y, incy);
  }
  return BATCHED_SUCCESS;
}

/* C = beta C: BLAS is not called where alpha is 0, as some libraries read A and B then. */
static void NAME(scale_matrix)(int m, int n, T beta, T *c, int64_t ldc)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) c[i + j * ldc] = beta == 0 ? (T)0 : beta * c[i + j * ldc];
}

static int NAME(symm)(const batched_symm_args *s)
{
#if IS_COMPLEX
  const __auto_type call = s->hermitian ? CBLAS(hemm) : CBLAS(symm);
#else
  const __auto_type call = CBLAS(symm);
#endif
  const bool used = FROM(s->alpha.re, s->alpha.im) != 0;
  for (int64_t i = 0; i < s->c.count; i++) {
    const int m = batched_rows(&s->c, i), n = batched_cols(&s->c, i);
    if (!used) NAME(scale_matrix)(m, n, FROM(s->beta.re, s->beta.im), batched_at(&s->c, i), batched_ld(&s->c, i));
    if (!used) continue;
    call(CblasColMajor, s->side == BATCHED_LEFT ? CblasLeft : CblasRight,
         s->uplo == BATCHED_LOWER ? CblasLower : CblasUpper, m, n, SCALAR(s->alpha), batched_at(&s->a, i),
         batched_ld(&s->a, i), batched_at(&s->b, i), batched_ld(&s->b, i), SCALAR(s->beta), batched_at(&s->c, i),
         batched_ld(&s->c, i));
  }
  return BATCHED_SUCCESS;
}

/* alpha = 0 as in syrk. */
static int NAME(syr2k)(const batched_syr2k_args *s)
{
  const bool plain = s->trans == BATCHED_NO_TRANS, used = FROM(s->alpha.re, s->alpha.im) != 0;
  const CBLAS_UPLO uplo = s->uplo == BATCHED_LOWER ? CblasLower : CblasUpper;
  for (int64_t i = 0; i < s->c.count; i++) {
    const int n = batched_rows(&s->c, i), ldc = batched_ld(&s->c, i);
    const int k = !used ? 0 : plain ? batched_cols(&s->a, i) : batched_rows(&s->a, i);
    T *c = batched_at(&s->c, i);
#if IS_COMPLEX
    if (s->hermitian) {
      for (int j = 0; j < n; j++) c[j + (int64_t)j * ldc] = REAL(c[j + (int64_t)j * ldc]);
      CBLAS(her2k)
      (CblasColMajor, uplo, plain ? CblasNoTrans : CblasConjTrans, n, k, SCALAR(s->alpha), batched_at(&s->a, i),
       batched_ld(&s->a, i), batched_at(&s->b, i), batched_ld(&s->b, i), (R)s->beta.re, c, ldc);
      continue;
    }
#endif
    CBLAS(syr2k)
    (CblasColMajor, uplo, plain ? CblasNoTrans : CblasTrans, n, k, SCALAR(s->alpha), batched_at(&s->a, i),
     batched_ld(&s->a, i), batched_at(&s->b, i), batched_ld(&s->b, i), SCALAR(s->beta), c, ldc);
  }
  return BATCHED_SUCCESS;
}

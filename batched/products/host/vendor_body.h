/* SPDX-License-Identifier: BSD-3-Clause */

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

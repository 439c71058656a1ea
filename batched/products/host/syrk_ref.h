/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of syrk and herk: C = alpha A A^T + beta C, or with A^H, by its definition, in a triangle.
 */

/* Element (i, p) of the factor A or A^T; `hermitian` in the second place: conjugated. */
static inline T NAME(factor)(const batched_syrk_args *s, const T *a, int ld, int i, int p)
{
  const T x = s->trans == BATCHED_NO_TRANS ? a[i + (int64_t)p * ld] : a[p + (int64_t)i * ld];
  return s->hermitian && s->trans != BATCHED_NO_TRANS ? CONJ(x) : x;
}

static int NAME(ref)(const batched_syrk_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  for (int64_t b = 0; b < s->c.count; b++) {
    const T *a = batched_at(&s->a, b);
    T *c = batched_at(&s->c, b);
    const int lda = batched_ld(&s->a, b), ldc = batched_ld(&s->c, b), n = batched_rows(&s->c, b);
    const int k = alpha == 0 ? 0 : s->trans == BATCHED_NO_TRANS ? batched_cols(&s->a, b) : batched_rows(&s->a, b);
    for (int j = 0; j < n; j++) {
      const int first = s->uplo == BATCHED_LOWER ? j : 0, end = s->uplo == BATCHED_LOWER ? n : j + 1;
      for (int i = first; i < end; i++) {
        T sum = 0, *out = &c[i + (int64_t)j * ldc];
        for (int p = 0; p < k; p++) {
          const T y = NAME(factor)(s, a, lda, j, p);
          sum += NAME(factor)(s, a, lda, i, p) * (s->hermitian ? CONJ(y) : y);
        }
        if (s->hermitian && i == j)
          *out = beta == 0 ? REAL(alpha) * REAL(sum) : REAL(alpha) * REAL(sum) + REAL(beta) * REAL(*out);
        else
          *out = beta == 0 ? alpha * sum : alpha * sum + beta * *out;
      }
    }
  }
  return BATCHED_SUCCESS;
}

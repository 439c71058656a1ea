/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of syr2k and her2k: C = alpha (A B^T + B A^T) + beta C, or with A^H, by its definition, in a triangle.
 */

/* sum_p X(i, p) Y(j, p), or X(i, p) conj(Y(j, p)): X and Y are op(A) and op(B). */
static T NAME(rows_product)(const batched_syr2k_args *s, int k, const T *x, int64_t ldx, int i, const T *y, int64_t ldy,
                            int j)
{
  const bool plain = s->trans == BATCHED_NO_TRANS;
  T sum = 0;
  for (int p = 0; p < k; p++) {
    const T u = plain ? x[i + p * ldx] : x[p + i * ldx], v = plain ? y[j + p * ldy] : y[p + j * ldy];
    sum += !s->hermitian ? u * v : plain ? u * CONJ(v) : CONJ(u) * v;
  }
  return sum;
}

static int NAME(ref)(const batched_syr2k_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  const T other = s->hermitian ? CONJ(alpha) : alpha;
  for (int64_t q = 0; q < s->c.count; q++) {
    const T *a = batched_at(&s->a, q), *b = batched_at(&s->b, q);
    T *c = batched_at(&s->c, q);
    const int lda = batched_ld(&s->a, q), ldb = batched_ld(&s->b, q), ldc = batched_ld(&s->c, q);
    const int n = batched_rows(&s->c, q);
    const int k = alpha == 0 ? 0 : s->trans == BATCHED_NO_TRANS ? batched_cols(&s->a, q) : batched_rows(&s->a, q);
    for (int j = 0; j < n; j++) {
      const int first = s->uplo == BATCHED_LOWER ? j : 0, end = s->uplo == BATCHED_LOWER ? n : j + 1;
      for (int i = first; i < end; i++) {
        T *out = &c[i + (int64_t)j * ldc];
        const T sum = alpha * NAME(rows_product)(s, k, a, lda, i, b, ldb, j) +
                      other * NAME(rows_product)(s, k, b, ldb, i, a, lda, j);
        if (s->hermitian && i == j)
          *out = beta == 0 ? REAL(sum) : REAL(sum) + REAL(beta) * REAL(*out);
        else
          *out = beta == 0 ? sum : sum + beta * *out;
      }
    }
  }
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */

/* C = beta C in C's triangle. */
static void NAME(scale)(const batched_syrk_args *s)
{
  const T beta = FROM(s->beta.re, s->beta.im);
  const bool real_diagonal = IS_COMPLEX && s->hermitian;
  if (beta == 1 && !real_diagonal) return;
  for (int64_t b = 0; b < s->c.count; b++) {
    const int n = batched_rows(&s->c, b);
    T *y = batched_at(&s->c, b);
    for (int j = 0; j < n; j++, y += batched_ld(&s->c, b)) {
      const int first = s->uplo == BATCHED_LOWER ? j : 0, end = s->uplo == BATCHED_LOWER ? n : j + 1;
      if (beta == 0)
        memset(y + first, 0, (size_t)(end - first) * sizeof(T));
      else
        for (int i = first; i < end && beta != 1; i++) y[i] *= beta;
#if IS_COMPLEX
      if (real_diagonal) y[j] = REAL(y[j]);
#endif
    }
  }
}

/* C = S + beta C in C's triangle, for the whole square S. */
static void NAME(merge)(const batched_syrk_args *s, int n, const T *from, int ld, T *c, int ldc)
{
  const T beta = FROM(s->beta.re, s->beta.im);
  for (int j = 0; j < n; j++) {
    const int first = s->uplo == BATCHED_LOWER ? j : 0, end = s->uplo == BATCHED_LOWER ? n : j + 1;
    const T *x = from + (int64_t)j * ld;
    T *y = c + (int64_t)j * ldc;
    T diagonal = x[j];
    if (s->hermitian) diagonal = beta == 0 ? REAL(x[j]) : REAL(x[j]) + REAL(beta) * REAL(y[j]);
    if (beta == 0)
      for (int i = first; i < end; i++) y[i] = x[i];
    else
      for (int i = first; i < end; i++) y[i] = x[i] + beta * y[i];
    if (s->hermitian) y[j] = diagonal;
  }
}

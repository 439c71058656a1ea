/* SPDX-License-Identifier: BSD-3-Clause */

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

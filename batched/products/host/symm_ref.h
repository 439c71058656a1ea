/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of symm and hemm: C = alpha A B + beta C, or alpha B A + beta C, by its definition.
 */
#include "batched/products/host/mirrored_ref.h"

static int NAME(ref)(const batched_symm_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  const bool left = s->side == BATCHED_LEFT;
  for (int64_t q = 0; q < s->c.count; q++) {
    const int m = batched_rows(&s->c, q), n = batched_cols(&s->c, q), k = alpha == 0 ? 0 : left ? m : n;
    const int64_t lda = batched_ld(&s->a, q), ldb = batched_ld(&s->b, q), ldc = batched_ld(&s->c, q);
    const T *a = batched_at(&s->a, q), *b = batched_at(&s->b, q);
    T *c = batched_at(&s->c, q);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        T sum = 0, *out = &c[i + j * ldc];
        for (int p = 0; p < k; p++)
          sum += left ? NAME(mirrored)(s->uplo, s->hermitian, a, lda, i, p) * b[p + j * ldb]
                      : b[i + p * ldb] * NAME(mirrored)(s->uplo, s->hermitian, a, lda, p, j);
        *out = beta == 0 ? alpha * sum : alpha * sum + beta * *out;
      }
  }
  return BATCHED_SUCCESS;
}

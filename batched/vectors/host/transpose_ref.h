/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of transpose: B = op(A).
 */

/* By squares whose columns and rows stay in the cache. */
static int NAME(ref)(const batched_transpose_args *s)
{
  enum { EDGE = 16 };
  const bool conjugate = s->trans == BATCHED_CONJ_TRANS;
  for (int64_t b = 0; b < s->b.count; b++) {
    const int m = batched_rows(&s->a, b), n = batched_cols(&s->a, b);
    const int64_t lda = batched_ld(&s->a, b), ldb = batched_ld(&s->b, b);
    const T *from = batched_at(&s->a, b);
    T *to = batched_at(&s->b, b);
    for (int j0 = 0; j0 < n; j0 += EDGE)
      for (int i0 = 0; i0 < m; i0 += EDGE)
        for (int j = j0; j < batched_min(j0 + EDGE, n); j++)
          for (int i = i0; i < batched_min(i0 + EDGE, m); i++)
            to[j + i * ldb] = conjugate ? CONJ(from[i + j * lda]) : from[i + j * lda];
  }
  return BATCHED_SUCCESS;
}

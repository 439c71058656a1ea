/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gbmv: y = alpha op(A) x + beta y, element by element, over the band alone.
 */

static int NAME(ref)(const batched_gbmv_args *p)
{
  const T alpha = FROM(p->alpha.re, p->alpha.im), beta = FROM(p->beta.re, p->beta.im);
  const bool plain = p->trans == BATCHED_NO_TRANS;
  for (int64_t b = 0; b < p->y.count; b++) {
    const int m = batched_extent_at(p->m, b), n = batched_cols(&p->ab, b);
    const int kl = batched_extent_at(p->kl, b), ku = batched_extent_at(p->ku, b);
    const int before = plain ? kl : ku, behind = plain ? ku : kl, length = plain ? n : m; /* of a row of op(A) */
    const T *a = (const T *)batched_at(&p->ab, b) + ku, *x = batched_at(&p->x, b);
    const int64_t col = batched_ld(&p->ab, b) - (int64_t)1, incx = batched_increment(&p->x, b);
    T *y = batched_at(&p->y, b);
    for (int i = 0; i < (plain ? m : n); i++, y += batched_increment(&p->y, b)) {
      T sum = 0;
      for (int j = batched_max(0, i - before); alpha != 0 && j < length && j - behind <= i; j++) {
        const T e = plain ? a[i + j * col] : a[j + i * col];
        sum += (p->trans == BATCHED_CONJ_TRANS ? CONJ(e) : e) * x[j * incx];
      }
      *y = beta == 0 ? alpha * sum : alpha * sum + beta * *y;
    }
  }
  return BATCHED_SUCCESS;
}

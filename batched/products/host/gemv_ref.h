/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gemv: y = alpha op(A) x + beta y by its definition.
 */

static int NAME(ref)(const batched_gemv_args *g)
{
  const T alpha = FROM(g->alpha.re, g->alpha.im), beta = FROM(g->beta.re, g->beta.im);
  const bool plain = g->trans == BATCHED_NO_TRANS;
  for (int64_t batch = 0; batch < g->y.count; batch++) {
    const T *a = batched_at(&g->a, batch), *x = batched_at(&g->x, batch);
    T *y = batched_at(&g->y, batch);
    int ld = batched_ld(&g->a, batch), incx = batched_increment(&g->x, batch), incy = batched_increment(&g->y, batch);
    int m = batched_rows(&g->a, batch), n = batched_cols(&g->a, batch);
    int rows = plain ? m : n, cols = plain ? n : m;
    if (alpha == 0) cols = 0;
    for (int i = 0; i < rows; i++) {
      T sum = 0;
      for (int j = 0; j < cols; j++) {
        T e = plain ? a[i + (int64_t)j * ld] : a[j + (int64_t)i * ld];
        if (g->trans == BATCHED_CONJ_TRANS) e = CONJ(e);
        sum += e * x[(int64_t)j * incx];
      }
      T *out = &y[(int64_t)i * incy];
      *out = beta == 0 ? alpha * sum : alpha * sum + beta * *out;
    }
  }
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of ger: A = A + alpha x y^T or alpha x y^H.
 */

static int NAME(ref)(const batched_ger_args *g)
{
  const T alpha = FROM(g->alpha.re, g->alpha.im);
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b);
    const int64_t ld = batched_ld(&g->a, b), incx = batched_increment(&g->x, b), incy = batched_increment(&g->y, b);
    if (m == 0) continue;
    for (int j = 0; j < n; j++) {
      const T *x = batched_at(&g->x, b), y = ((const T *)batched_at(&g->y, b))[j * incy];
      const T factor = alpha * (g->trans == BATCHED_CONJ_TRANS ? CONJ(y) : y);
      T *a = (T *)batched_at(&g->a, b) + j * ld;
#pragma omp simd
      for (int i = 0; i < m; i++) a[i] += x[i * incx] * factor;
    }
  }
  return BATCHED_SUCCESS;
}

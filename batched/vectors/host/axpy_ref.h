/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of axpy: Y = Y + alpha X.
 */

static int NAME(ref)(const batched_axpy_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im);
  for (int64_t b = 0; b < s->y.count; b++) {
    const int m = batched_rows(&s->y, b), n = batched_cols(&s->y, b);
    for (int j = 0; j < n; j++) {
      const T *x = (const T *)batched_at(&s->x, b) + (int64_t)j * batched_ld(&s->x, b);
      T *y = (T *)batched_at(&s->y, b) + (int64_t)j * batched_ld(&s->y, b);
#pragma omp simd
      for (int i = 0; i < m; i++) y[i] += alpha * x[i];
    }
  }
  return BATCHED_SUCCESS;
}

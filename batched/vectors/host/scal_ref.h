/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of scal: X = alpha X.
 */

static int NAME(ref)(const batched_scal_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im);
  for (int64_t b = 0; b < s->x.count; b++) {
    const int m = batched_rows(&s->x, b), n = batched_cols(&s->x, b);
    for (int j = 0; j < n; j++) {
      T *x = (T *)batched_at(&s->x, b) + (int64_t)j * batched_ld(&s->x, b);
      if (alpha == 0)
        for (int i = 0; i < m; i++) x[i] = 0;
      else
#pragma omp simd
        for (int i = 0; i < m; i++) x[i] *= alpha;
    }
  }
  return BATCHED_SUCCESS;
}

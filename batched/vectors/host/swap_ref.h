/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of swap: exchanges X and Y.
 */

static int NAME(ref)(const batched_swap_args *s)
{
  for (int64_t b = 0; b < s->y.count; b++) {
    const int m = batched_rows(&s->y, b), n = batched_cols(&s->y, b);
    for (int j = 0; j < n; j++) {
      R *x = (R *)((T *)batched_at(&s->x, b) + (int64_t)j * batched_ld(&s->x, b));
      R *y = (R *)((T *)batched_at(&s->y, b) + (int64_t)j * batched_ld(&s->y, b));
#pragma omp simd
      for (int64_t i = 0; i < (1 + IS_COMPLEX) * (int64_t)m; i++) {
        const R t = x[i];
        x[i] = y[i];
        y[i] = t;
      }
    }
  }
  return BATCHED_SUCCESS;
}

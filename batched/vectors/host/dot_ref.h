/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of dot: x^T y or x^H y.
 */

#if IS_COMPLEX
#define IM_OF(x) (__imag__(x))
#else
#define IM_OF(x) ((R)0)
#endif

static int NAME(ref)(const batched_dot_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t incx = batched_increment(&d->x, b), incy = batched_increment(&d->y, b);
    const T *x = batched_at(&d->x, b), *y = batched_at(&d->y, b);
    R re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
    for (int i = 0; i < n; i++) {
      const T xi = x[i * incx], yi = y[i * incy];
      re += REAL(xi) * REAL(yi);
      if (IS_COMPLEX) {
        const R sign = d->trans == BATCHED_CONJ_TRANS ? -1 : 1;
        re -= sign * IM_OF(xi) * IM_OF(yi);
        im += REAL(xi) * IM_OF(yi) + sign * IM_OF(xi) * REAL(yi);
      }
    }
    *(T *)batched_at(&d->r, b) = FROM(re, im);
  }
  return BATCHED_SUCCESS;
}
#undef IM_OF

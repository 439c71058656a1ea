/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of symv and hemv: y = alpha A x + beta y by its definition.
 */
#include "batched/products/host/mirrored_ref.h"

static int NAME(ref)(const batched_symv_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  for (int64_t b = 0; b < s->y.count; b++) {
    const int n = batched_rows(&s->a, b), terms = alpha == 0 ? 0 : n;
    const int64_t ld = batched_ld(&s->a, b), incx = batched_increment(&s->x, b), incy = batched_increment(&s->y, b);
    const T *a = batched_at(&s->a, b), *x = batched_at(&s->x, b);
    T *y = batched_at(&s->y, b);
    for (int i = 0; i < n; i++) {
      T sum = 0;
      for (int j = 0; j < terms; j++) sum += NAME(mirrored)(s->uplo, s->hermitian, a, ld, i, j) * x[j * incx];
      y[i * incy] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i * incy];
    }
  }
  return BATCHED_SUCCESS;
}

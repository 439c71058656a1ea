/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of symv and hemv: y = alpha A x + beta y, SIMD along the columns of the triangle, each of which is read
 * once for both halves of A.
 */

/* product[first .. end) += a x, and the sum of a x or conj(a) x over them: a column is read once for both halves.
 * `restrict`, here and below: or the compiler has code for arrays that lie near each other, which rounds
 * differently. */
ALWAYS_INLINE T NAME(column)(bool conjugate, int first, int end, const T *restrict a, T xj, const T *restrict x,
                             T *restrict product)
{
  T sum = 0;
  if (IS_COMPLEX) {
    for (int i = first; i < end; i++) {
      product[i] += a[i] * xj;
      sum += (conjugate ? CONJ(a[i]) : a[i]) * x[i];
    }
    return sum;
  }
  R dot = 0;
#pragma omp simd reduction(+ : dot)
  for (int i = first; i < end; i++) {
    product[i] += a[i] * xj;
    dot += REAL(a[i]) * REAL(x[i]);
  }
  return dot;
}

static int NAME(simd)(batched_ctx *ctx, const batched_symv_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  const bool lower = s->uplo == BATCHED_LOWER;
  T *restrict product = batched_scratch_push(ctx, 2 * (size_t)s->a.n * sizeof(T));
  if (!product) return BATCHED_NO_MEMORY;
  T *x = product + s->a.n;
  for (int64_t b = 0; b < s->y.count; b++) {
    const int n = batched_rows(&s->a, b), terms = alpha == 0 ? 0 : n;
    const int64_t ld = batched_ld(&s->a, b), incx = batched_increment(&s->x, b), incy = batched_increment(&s->y, b);
    const T *a = batched_at(&s->a, b), *from = batched_at(&s->x, b);
    T *restrict y = batched_at(&s->y, b);
    for (int i = 0; i < n; i++) product[i] = 0;
    for (int i = 0; i < terms; i++) x[i] = from[i * incx];
    for (int j = 0; j < terms; j++) {
      const T *column = a + j * ld, diagonal = s->hermitian ? REAL(column[j]) : column[j];
      product[j] +=
        diagonal * x[j] + NAME(column)(s->hermitian, lower ? j + 1 : 0, lower ? n : j, column, x[j], x, product);
    }
    for (int i = 0; i < n; i++) y[i * incy] = beta == 0 ? alpha * product[i] : alpha * product[i] + beta * y[i * incy];
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

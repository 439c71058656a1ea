/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of potri: A^-1 from potrf's factor, by solving for the columns of the identity.
 */
#include "batched/host/divide.h"
#include "batched/host/first_zero.h"

/* A column of A^-1 = L^-H L^-1 after the other, by two substitutions.  Element (i, j) of L is at
 * a[i * row + j * col]; for an upper factor it is that of U^T, and the inverse comes out transposed likewise.
 * x: n x n elements of scratch; the triangle is overwritten at the end, for it is needed till then; its diagonal
 * becomes real. */
static int NAME(invert)(batched_uplo uplo, int n, T *a, int ld, T *x)
{
  const int64_t row = uplo == BATCHED_LOWER ? 1 : ld, col = uplo == BATCHED_LOWER ? ld : 1;
  const int zero = NAME(first_zero)(n, a, ld);
  if (zero) return zero;
  for (int j = 0; j < n; j++) {
    T *y = x + (int64_t)j * n;
    for (int i = 0; i < n; i++) {
      T sum = i == j;
      for (int k = j; k < i; k++) sum -= a[i * row + k * col] * y[k];
      y[i] = i < j ? 0 : NAME(divide)(sum, a[i * (row + col)]);
    }
    for (int i = n - 1; i >= j; i--) {
      T sum = y[i];
      for (int k = i + 1; k < n; k++) sum -= CONJ(a[k * row + i * col]) * y[k];
      y[i] = NAME(divide)(sum, CONJ(a[i * (row + col)]));
    }
  }
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++) a[i * row + j * col] = i == j ? (R)x[i + (int64_t)j * n] : x[i + (int64_t)j * n];
  return 0;
}

static int NAME(ref)(batched_ctx *ctx, const batched_potri_args *p)
{
  T *x = batched_scratch_push(ctx, ((size_t)p->a.n * (size_t)p->a.n + 1) * sizeof(T));
  if (!x) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < p->a.count; b++)
    p->info[b] = NAME(invert)(p->uplo, batched_rows(&p->a, b), batched_at(&p->a, b), batched_ld(&p->a, b), x);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

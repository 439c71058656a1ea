/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of trtri: A = A^-1 in its triangle, in place, as LAPACK's trti2.
 */
#include "batched/host/divide.h"
#include "batched/host/first_zero.h"

/* E = E^-1 for a lower triangular E, from the last column to the first: below the diagonal a column becomes minus the
 * inverse of the rest, times the column, over its diagonal element. */
static void NAME(invert)(int n, T *e, int64_t row, int64_t col, bool unit)
{
  for (int j = n - 1; j >= 0; j--) {
    const T d = unit ? (T)1 : NAME(divide)(1, e[j * (row + col)]);
    for (int i = n - 1; i > j; i--) {
      T sum = unit ? e[i * row + j * col] : e[i * (row + col)] * e[i * row + j * col];
      for (int k = j + 1; k < i; k++) sum += e[i * row + k * col] * e[k * row + j * col];
      e[i * row + j * col] = -sum * d;
    }
    if (!unit) e[j * (row + col)] = d;
  }
}

static int NAME(ref)(const batched_trtri_args *t)
{
  for (int64_t b = 0; b < t->a.count; b++) {
    const int n = batched_rows(&t->a, b);
    const int64_t ld = batched_ld(&t->a, b);
    T *a = batched_at(&t->a, b);
    t->info[b] = t->diag == BATCHED_UNIT ? 0 : NAME(first_zero)(n, a, ld);
    if (t->info[b] || n == 0) continue;
    if (t->uplo == BATCHED_LOWER)
      NAME(invert)(n, a, 1, ld, t->diag == BATCHED_UNIT);
    else /* seen from its last element an upper triangle is a lower one */
      NAME(invert)(n, a + (n - 1) * (ld + 1), -1, -ld, t->diag == BATCHED_UNIT);
  }
  return BATCHED_SUCCESS;
}

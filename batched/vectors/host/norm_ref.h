/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of norm: the max, one, infinity or Frobenius norm.
 */
#include "batched/vectors/host/reductions/sizes.h"

/* A NaN is larger than any number. */
static R NAME(larger)(R x, R y)
{
  return y > x || y != y ? y : x;
}

static R NAME(frobenius)(int m, int n, const T *a, int64_t ld)
{
  NAME(sums) s = {0, 0, 0};
  for (int j = 0; j < n; j++) NAME(add_column)(&s, m, a + j * ld, 1);
  return NAME(norm_of)(s);
}

/* The largest of `n` sums of `m` absolute values. */
static R NAME(largest_sum)(int m, int n, const T *a, int64_t step, int64_t ld)
{
  R largest = 0;
  for (int j = 0; j < n; j++) {
    R sum = 0;
    for (int i = 0; i < m; i++) sum += ABS(a[i * step + j * ld]);
    largest = NAME(larger)(largest, sum);
  }
  return largest;
}

static R NAME(largest)(int m, int n, const T *a, int64_t ld)
{
  R largest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) largest = NAME(larger)(largest, ABS(a[i + j * ld]));
  return largest;
}

static int NAME(ref)(const batched_norm_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int m = batched_rows(&d->a, b), n = batched_cols(&d->a, b), ld = batched_ld(&d->a, b);
    const T *a = batched_at(&d->a, b);
    *(R *)batched_at(&d->r, b) = d->kind == BATCHED_MAX_NORM   ? NAME(largest)(m, n, a, ld)
                                 : d->kind == BATCHED_ONE_NORM ? NAME(largest_sum)(m, n, a, 1, ld)
                                 : d->kind == BATCHED_INF_NORM ? NAME(largest_sum)(n, m, a, ld, 1)
                                                               : NAME(frobenius)(m, n, a, ld);
  }
  return BATCHED_SUCCESS;
}

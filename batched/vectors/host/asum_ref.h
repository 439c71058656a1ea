/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of asum: the sum of |re| + |im|.
 */
#include "batched/vectors/host/reductions/sizes.h"

static int NAME(ref)(const batched_asum_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; i++) sum += NAME(abs1)(x + i * inc);
    *(R *)batched_at(&d->r, b) = sum;
  }
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/vectors/host/abs1.h"

static int NAME(ref)(const batched_amax_args *d)
{
  for (int64_t b = 0; b < d->x.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    R largest = -1;
    int index = 0;
    for (int i = 0; i < n; i++) {
      const R size = NAME(abs1)(x + i * inc);
      if (!(size > largest || (size != size && largest == largest))) continue;
      largest = size;
      index = i + 1;
    }
    d->index[b] = index;
  }
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of nrm2: |x|_2 without over- or underflow, in Blue's three sums.
 */
#include "batched/vectors/host/reductions/sizes.h"

static int NAME(ref)(const batched_nrm2_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    NAME(sums) s = {0, 0, 0};
    NAME(add_column)(&s, n, batched_at(&d->x, b), batched_increment(&d->x, b));
    *(R *)batched_at(&d->r, b) = NAME(norm_of)(s);
  }
  return BATCHED_SUCCESS;
}

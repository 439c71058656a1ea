/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of amax: the first element with the largest |re| + |im|.
 */
#include "batched/vectors/host/reductions/sizes.h"

static int NAME(ref)(const batched_amax_args *d)
{
  for (int64_t b = 0; b < d->x.count; b++)
    d->index[b] = NAME(plain_amax)(batched_vector_length(&d->x, b), batched_at(&d->x, b), batched_increment(&d->x, b));
  return BATCHED_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/hydro.h"

#include <math.h>

double *hydro_fetch(hydro *h)
{
  if (!h->copy) return h->state;
  if (batched_copy_to_host(h->ctx, h->copy, h->state, sizeof(double) * (size_t)h->nstate))
    for (int64_t i = 0; i < h->nstate; i++) h->copy[i] = NAN;
  return h->copy;
}

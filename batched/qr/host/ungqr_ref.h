/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of ungqr: the first columns of geqrf's Q.
 */
#include "batched/qr/host/reflectors_ref.h"

static int NAME(ref)(const batched_ungqr_args *g)
{
  for (int64_t b = 0; b < g->a.count; b++) {
    const int k = batched_vector_length(&g->tau, b);
    NAME(generate)
    (batched_rows(&g->a, b), batched_cols(&g->a, b), k, batched_at(&g->a, b), batched_ld(&g->a, b),
     batched_at(&g->tau, b), batched_increment(&g->tau, b));
  }
  return BATCHED_SUCCESS;
}

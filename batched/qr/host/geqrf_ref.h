/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of geqrf: A = Q R by Householder reflectors, column by column, as LAPACK's geqr2.
 */
#include "batched/qr/host/reflectors_ref.h"

static int NAME(ref)(const batched_geqrf_args *g)
{
  for (int64_t b = 0; b < g->a.count; b++) NAME(factor)
  (batched_rows(&g->a, b), batched_cols(&g->a, b), batched_at(&g->a, b), batched_ld(&g->a, b), batched_at(&g->tau, b),
   batched_increment(&g->tau, b));
  return BATCHED_SUCCESS;
}

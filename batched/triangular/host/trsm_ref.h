/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of trsm: B = alpha op(A)^-1 B or alpha B op(A)^-1 by substitution, vector by vector.
 */
#include "batched/triangular/host/trsm_matrix_ref.h"

static int NAME(ref)(const batched_trsm_args *t)
{
  for (int64_t b = 0; b < t->b.count; b++) NAME(solve)
  (t, batched_rows(&t->b, b), batched_cols(&t->b, b), batched_at(&t->a, b), batched_ld(&t->a, b), batched_at(&t->b, b),
   batched_ld(&t->b, b));
  return BATCHED_SUCCESS;
}

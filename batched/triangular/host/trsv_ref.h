/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of trsv: x = op(A)^-1 x by substitution.
 */
#include "batched/triangular/host/substitute_ref.h"

static int NAME(ref)(const batched_trsv_args *t)
{
  const bool flip = t->trans != BATCHED_NO_TRANS;
  for (int64_t b = 0; b < t->x.count; b++) {
    const int64_t ld = batched_ld(&t->a, b);
    NAME(substitute)
    (batched_rows(&t->a, b), batched_at(&t->a, b), flip ? ld : 1, flip ? 1 : ld, t->trans == BATCHED_CONJ_TRANS,
     (t->uplo == BATCHED_LOWER) != flip, t->diag == BATCHED_UNIT, batched_at(&t->x, b), batched_increment(&t->x, b));
  }
  return BATCHED_SUCCESS;
}

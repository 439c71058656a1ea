/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of tbsv: x = op(A)^-1 x by substitution, A a triangular band.
 */
#include "batched/band/host/substitute_band.h"

static int NAME(ref)(const batched_tbsv_args *p)
{
  const bool flip = p->trans != BATCHED_NO_TRANS;
  for (int64_t b = 0; b < p->x.count; b++) {
    const int kd = batched_extent_at(p->kd, b);
    const batched_band_triangle t = batched_triangle_of_band(p->uplo, kd, batched_ld(&p->ab, b), flip);
    NAME(substitute_band)
    (batched_cols(&p->ab, b), kd, (const T *)batched_at(&p->ab, b) + t.above, t.row, t.col,
     p->trans == BATCHED_CONJ_TRANS, (p->uplo == BATCHED_LOWER) != flip, p->diag == BATCHED_UNIT, batched_at(&p->x, b),
     batched_increment(&p->x, b));
  }
  return BATCHED_SUCCESS;
}

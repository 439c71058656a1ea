/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of pbtrs: two substitutions with pbtrf's factor, one right-hand side after the other.
 */
#include "batched/band/host/substitute_band.h"

/* A^-1 = L^-H L^-1 or U^-1 U^-H. */
static int NAME(ref)(const batched_pbtrs_args *p)
{
  const bool upper = p->uplo == BATCHED_UPPER;
  for (int64_t b = 0; b < p->b.count; b++) {
    const int n = batched_rows(&p->b, b), kd = batched_extent_at(p->kd, b);
    const int64_t ld = batched_ld(&p->ab, b);
    const batched_band_triangle forward = batched_triangle_of_band(p->uplo, kd, ld, upper),
                                backward = batched_triangle_of_band(p->uplo, kd, ld, !upper);
    const T *a = (const T *)batched_at(&p->ab, b) + forward.above;
    for (int j = 0; j < batched_cols(&p->b, b); j++) {
      T *x = (T *)batched_at(&p->b, b) + (int64_t)j * batched_ld(&p->b, b);
      NAME(substitute_band)(n, kd, a, forward.row, forward.col, upper, true, false, x, 1);
      NAME(substitute_band)(n, kd, a, backward.row, backward.col, !upper, false, false, x, 1);
    }
  }
  return BATCHED_SUCCESS;
}

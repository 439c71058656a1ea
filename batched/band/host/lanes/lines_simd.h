/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tridiagonal matrices in SIMD lanes: their diagonals are columns.
 */
#include "batched/band/host/lanes/divisor_simd.h"
#include "batched/band/host/lanes/solutions_simd.h"

/* Vectors of one column each. */
ALWAYS_INLINE void NAME(pack_line)(const batched_matrix *x, const batched_group *g, int length, ELEM *to)
{
  NAME(matrices) lanes;
  if (length <= 0) return;
  NAME(matrices_of)(x, g, &lanes);
  NAME(pack_run)(&lanes, 0, 0, length, to);
}

ALWAYS_INLINE void NAME(unpack_line)(const batched_matrix *x, const batched_group *g, int length, const ELEM *from)
{
  NAME(matrices) lanes;
  if (length <= 0) return;
  NAME(matrices_of)(x, g, &lanes);
  NAME(unpack)(&lanes, g->active, 0, 0, length, 1, false, from);
}

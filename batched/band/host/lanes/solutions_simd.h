/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a solve with a matrix in each SIMD lane.
 */
#include "batched/host/lanes.h"

/* Stores the solutions; of matrices that have no inverse they go `elsewhere`. */
ALWAYS_INLINE void NAME(store_sound)(NAME(matrices) b, const batched_group *g, int n, int nrhs, MASK info, T *elsewhere,
                                     const ELEM *y)
{
  for (int l = 0; l < W; l++)
    if (info[l]) {
      b.at[l] = elsewhere;
      b.ld[l] = n;
    }
  NAME(unpack)(&b, g->active, 0, 0, n, nrhs, false, y);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the iterations on tridiagonal and bidiagonal matrices share, with a matrix in each lane: numbers at places that
 * differ from lane to lane, and rotations that wait until there are enough of them to be applied to a row of vectors
 * while it is in the cache.
 */
#include "batched/host/lanes.h"

/* Rotations of so many sweeps are applied to the vectors at once. */
enum { NAME(SWEEPS) = 4, NAME(PARTS) = sizeof(T) / sizeof(R) };

/* Smaller numbers count as zero where they are squared; the largest element is near 1. */
#define SMALL (sizeof(R) == 4 ? 0x1p-100f : (R)0x1p-960)

/* Sweep k turned columns i, i + 1 for i = lo .. hi - 1, or from the last to the first. */
typedef struct NAME(rotations) {
  VEC *c, *s;
  bool backwards;
  int count, n, lo[NAME(SWEEPS)], hi[NAME(SWEEPS)];
} NAME(rotations);

/* Lane l of the element where[l] of x. */
ALWAYS_INLINE VEC NAME(gather_lanes)(const VEC *x, MASK where)
{
  VEC y;
  for (int l = 0; l < W; l++) y[l] = ((const R *)(x + where[l]))[l];
  return y;
}

ALWAYS_INLINE void NAME(scatter_lanes)(VEC *x, MASK where, MASK chosen, VEC y)
{
  for (int l = 0; l < W; l++)
    if (chosen[l]) ((R *)(x + where[l]))[l] = y[l];
}

/* The least l and the greatest m of the lanes that run; n and 0 where none does. */
static void NAME(bound_blocks)(int n, MASK running, MASK l, MASK m, int *least, int *most)
{
  *least = n;
  *most = 0;
  for (int i = 0; i < W; i++) {
    if (!running[i]) continue;
    *least = batched_min(*least, (int)l[i]);
    *most = batched_max(*most, (int)m[i]);
  }
}

/* Turns `rows` rows of z, a constant number of them, from one column of numbers on: the element that a rotation leaves
 * for the next one stays in a register. */
ALWAYS_INLINE void NAME(turn_rows)(int rows, const NAME(rotations) * q, VEC *const z[4])
{
  const int step = q->backwards ? -NAME(PARTS) : NAME(PARTS);
  for (int k = 0; k < q->count; k++) {
    const int length = q->hi[k] - q->lo[k], first = q->backwards ? q->hi[k] : q->lo[k];
    const int64_t turn = k * q->n + first - q->backwards;
    const VEC *c = q->c + turn, *s = q->s + turn;
    VEC x[4], *at[4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
      at[r] = z[r] + first * NAME(PARTS);
      x[r] = *at[r];
    }
    for (int i = 0; i < length; i++) {
#pragma GCC unroll 4
      for (int r = 0; r < rows; r++) {
        const VEC y = at[r][step];
        *at[r] = *c * x[r] + *s * y;
        x[r] = *c * y - *s * x[r];
        at[r] += step;
      }
      c += q->backwards ? -1 : 1;
      s += q->backwards ? -1 : 1;
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) *at[r] = x[r];
  }
}

/* All rotations that wait, on the columns of z, whose element (i, j) is z[i * ld + j]. */
static void NAME(turn_columns)(NAME(rotations) * q, int rows, ELEM *z, int ld)
{
  VEC *const parts = (VEC *)z;
  for (int i = 0; i < rows * NAME(PARTS); i += 4) {
    VEC *at[4];
    for (int r = 0; r < 4; r++) {
      const int row = batched_min(i + r, rows * NAME(PARTS) - 1);
      at[r] = parts + (int64_t)(row / NAME(PARTS)) * ld * NAME(PARTS) + row % NAME(PARTS);
    }
    switch (batched_min(4, rows * NAME(PARTS) - i)) {
    case 1: NAME(turn_rows)(1, q, at); break;
    case 2: NAME(turn_rows)(2, q, at); break;
    case 3: NAME(turn_rows)(3, q, at); break;
    case 4: NAME(turn_rows)(4, q, at); break;
    }
  }
  q->count = 0;
}

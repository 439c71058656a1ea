/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the iterations on tridiagonal and bidiagonal matrices share, with a matrix in each lane: numbers at places that
 * differ from lane to lane, and rotations that wait until there are enough of them to be applied to a row of vectors
 * while it is in the cache.
 */
#include "batched/host/lanes.h"

/* Rotations of so many sweeps, an even number, are applied to the vectors at once. */
enum { NAME(SWEEPS) = 4, NAME(PARTS) = sizeof(T) / sizeof(R) };

/* Smaller numbers count as zero where they are squared; the largest element is near 1. */
#define SMALL (sizeof(R) == 4 ? 0x1p-100f : (R)0x1p-960)

/* Sweep k turned columns i, i + 1 for i = lo .. hi - 1, or from the last to the first, by angles whose cosine and sine
 * are c >= 0 and s. */
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

/* (c, s, r) with c f + s g = r, c g - s f = 0, c >= 0; a rotation by nothing where both are zero or the lane is off. */
ALWAYS_INLINE VEC NAME(rotate_lanes)(MASK on, VEC f, VEC g, VEC *c, VEC *s)
{
  const VEC one = SIMD(splat)(1), zero = {0}, norm2 = f * f + g * g;
  const MASK turn = on & (norm2 > SMALL);
  const VEC inverse = SIMD(with_sign)(SIMD(inverse_sqrt)(SIMD(select)(turn, norm2, one)), f);
  *c = SIMD(select)(turn, f * inverse, one);
  *s = SIMD(select)(turn, g * inverse, zero);
  return SIMD(select)(turn, norm2 * inverse, zero);
}

/* (x, y) = (c x + s y, c y - s x) by three shears: u = x + t y, v = y - s u, u + t v. */
ALWAYS_INLINE void NAME(turn)(VEC t, VEC s, VEC *x, VEC *y)
{
  const VEC u = *x + t * *y, v = *y - s * u;
  *x = u + t * v;
  *y = v;
}

/* Turns `rows` rows of z, a constant number of them, by two sweeps at a time, of which the second follows the first by
 * one column: a column is read and written once for both. */
ALWAYS_INLINE void NAME(turn_rows)(int rows, const NAME(rotations) * q, VEC *const z[4])
{
  const int turn = q->backwards ? -1 : 1, step = turn * NAME(PARTS);
  for (int k = 0; k < q->count; k += 2) {
    const int length = q->hi[k] - q->lo[k], first = q->backwards ? q->hi[k] : q->lo[k];
    const VEC *t = q->c + k * q->n + first - q->backwards, *s = q->s + k * q->n + first - q->backwards;
    const VEC *t2 = t + q->n, *s2 = s + q->n;
    VEC x[4], y[4], *at[4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
      at[r] = z[r] + first * NAME(PARTS);
      x[r] = *at[r];
      y[r] = at[r][step];
      NAME(turn)(*t, *s, &x[r], &y[r]);
    }
    for (int i = 1; i < length; i++) {
      t += turn;
      s += turn;
#pragma GCC unroll 4
      for (int r = 0; r < rows; r++) {
        VEC next = at[r][2 * step];
        NAME(turn)(*t, *s, &y[r], &next);
        NAME(turn)(*t2, *s2, &x[r], &y[r]);
        *at[r] = x[r];
        x[r] = y[r];
        y[r] = next;
        at[r] += step;
      }
      t2 += turn;
      s2 += turn;
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
      NAME(turn)(*t2, *s2, &x[r], &y[r]);
      at[r][0] = x[r];
      at[r][step] = y[r];
    }
  }
}

/* Tangents of half the angles in place of the cosines, and the same columns for both sweeps of a pair: beyond its own
 * a sweep turns by nothing. */
static void NAME(pair_sweeps)(NAME(rotations) * q)
{
  if (q->count % 2) {
    q->lo[q->count] = q->hi[q->count] = q->lo[q->count - 1];
    q->count++;
  }
  for (int k = 0; k < q->count; k += 2) {
    const int lo = batched_min(q->lo[k], q->lo[k + 1]), hi = batched_max(q->hi[k], q->hi[k + 1]);
    for (int sweep = k; sweep < k + 2; sweep++) {
      VEC *const c = q->c + sweep * q->n, *const s = q->s + sweep * q->n;
      for (int i = lo; i < hi; i++) {
        const bool own = i >= q->lo[sweep] && i < q->hi[sweep];
        s[i] = own ? s[i] : (VEC){0};
        c[i] = own ? s[i] / (1 + c[i]) : (VEC){0};
      }
      q->lo[sweep] = lo;
      q->hi[sweep] = hi;
    }
  }
}

/* All rotations that wait, on the columns of z, whose element (i, j) is z[i * ld + j]. */
static void NAME(turn_columns)(NAME(rotations) * q, int rows, ELEM *z, int ld)
{
  VEC *const parts = (VEC *)z;
  NAME(pair_sweeps)(q);
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

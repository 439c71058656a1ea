/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the iterations on tridiagonal and bidiagonal matrices share, with a matrix in each lane: numbers at places that
 * differ from lane to lane, and rotations that wait until there are enough of them to be applied to a row of vectors
 * while it is in the cache.
 */
#include "batched/host/lanes.h"

/* Rotations of so many sweeps are applied to the vectors at once; rows of vectors that are turned together, and steps
 * after which it is the next rows' turn: the rotations of that many are in the first cache. */
enum {
  NAME(SWEEPS) = 4,
  NAME(ROWS) = SIMD_REGISTERS == 32 ? 4 : 2,
  NAME(WINDOW) = 40,
  NAME(PARTS) = sizeof(T) / sizeof(R)
};

/* Smaller numbers count as zero where they are squared; the largest element is near 1. */
#define SMALL (sizeof(R) == 4 ? 0x1p-100f : (R)0x1p-960)

/* A product of cosines below this is not left to the end of the sweeps. */
#define LEAST_PRODUCT (sizeof(R) == 4 ? 0x1p-40f : (R)0x1p-300)

/* Sweep k turned columns i, i + 1 for i = lo .. hi - 1, or from the last to the first, by the angles with cosine and
 * sine c >= 0 and s of turn i + k, or n - 2 - i + k: the one that is applied in this step to a row of vectors, while
 * sweep k + 1 is a column behind. */
typedef struct NAME(angle) {
  VEC c, s;
} NAME(angle);

typedef struct NAME(rotations) {
  NAME(angle) (*turns)[NAME(SWEEPS)]; /* n + SWEEPS */
  VEC *scale;                         /* n, and n */
  bool backwards;
  int count, n, lo[NAME(SWEEPS)], hi[NAME(SWEEPS)];
} NAME(rotations);

/* Vectors of memory for each side of matrices of order n. */
static size_t NAME(rotation_memory)(size_t n)
{
  return 2 * NAME(SWEEPS) * (n + NAME(SWEEPS)) + 2 * n;
}

static NAME(rotations) NAME(no_rotations)(int n, bool backwards, VEC *memory)
{
  NAME(rotations) q = {.n = n, .backwards = backwards};
  q.scale = memory;
  q.turns = (NAME(angle)(*)[NAME(SWEEPS)])(memory + 2 * n);
  return q;
}

/* Where sweep k leaves its rotation of columns i, i + 1. */
ALWAYS_INLINE NAME(angle) * NAME(angle_of)(const NAME(rotations) * q, int k, int i)
{
  return &q->turns[k + (q->backwards ? q->n - 2 - i : i)][k];
}

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

/* (x, y) = (c x + s y, c y - s x) by three shears, u = x + t y, v = y - s u, u + t v, with c for t; or, but for factors
 * of x and y that are left to the end, (x + c y, y - s x). */
ALWAYS_INLINE void NAME(turn)(bool shears, const NAME(angle) * q, VEC *x, VEC *y)
{
  const VEC u = *x + q->c * *y;
  if (shears) {
    const VEC v = *y - q->s * u;
    *x = u + q->c * v;
    *y = v;
  } else {
    *y = *y - q->s * *x;
    *x = u;
  }
}

/* Steps from .. to - 1 of all sweeps for some rows (a constant).  Sweep k turns columns p - k and p - k + 1 in step p,
 * counted from the first one in the order of the sweeps; `length` is the number of the last column. */
ALWAYS_INLINE void NAME(turn_rows)(bool shears, int rows, int from, int to, int first, int length,
                                   const NAME(rotations) * q, VEC *const z[4])
{
  enum { K = NAME(SWEEPS) };
  const int step = q->backwards ? -NAME(PARTS) : NAME(PARTS);
  const NAME(angle)(*turns)[K] = (const NAME(angle)(*)[K])q->turns + (q->backwards ? q->n - 1 - first : first);
  const VEC *const scale = q->scale + first;
  VEC held[4][K], *at[4]; /* held[r][k]: column p - k before step p */
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++) {
    at[r] = z[r] + first * NAME(PARTS);
#pragma GCC unroll 4
    for (int k = 0; k < K; k++) held[r][k] = from >= k && from - k <= length ? at[r][(from - k) * step] : (VEC){0};
  }
  for (int p = from; p < to; p++) {
    const int done = p - K + 1;
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) {
      VEC next = p < length ? at[r][(p + 1) * step] : (VEC){0};
#pragma GCC unroll 4
      for (int k = 0; k < K; k++) {
        VEC x = held[r][k];
        NAME(turn)(shears, &turns[p][k], &x, &next);
        held[r][k] = next;
        next = x;
      }
      if (done >= 0) at[r][done * step] = shears ? next : next * scale[done * (step / NAME(PARTS))];
    }
  }
  const bool last = to == length + K - 1;
#pragma GCC unroll 4
  for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
    for (int k = 0; k < K; k++)
      if (to >= k && to - k <= length)
        at[r][(to - k) * step] = shears || !last ? held[r][k] : held[r][k] * scale[length * (step / NAME(PARTS))];
}

/* Rotations by nothing from lo to hi where sweep k has none, and the products of the cosines of each column; false if
 * one is too small. */
static bool NAME(complete_sweeps)(NAME(rotations) * q, int lo, int hi)
{
  const VEC one = SIMD(splat)(1);
  MASK small = {0};
  for (int i = lo; i <= hi; i++) q->scale[i] = one;
  for (int k = 0; k < NAME(SWEEPS); k++) {
    if (k >= q->count) q->lo[k] = q->hi[k] = lo;
    for (int i = lo; i < q->lo[k]; i++) *NAME(angle_of)(q, k, i) = (NAME(angle)){one, (VEC){0}};
    for (int i = q->hi[k]; i < hi; i++) *NAME(angle_of)(q, k, i) = (NAME(angle)){one, (VEC){0}};
    for (int i = q->lo[k]; i < q->hi[k]; i++) {
      const VEC c = NAME(angle_of)(q, k, i)->c;
      q->scale[i] *= c;
      q->scale[i + 1] *= c;
    }
  }
  for (int i = lo; i <= hi; i++) small |= q->scale[i] < LEAST_PRODUCT;
  return !SIMD(any)(small);
}

/* Factors of the columns instead of cosines: column i is scale[i] times what it is kept as. */
static void NAME(take_out_cosines)(NAME(rotations) * q, int lo, int hi)
{
  VEC *const scale = q->scale, *const inverse = q->scale + q->n;
  for (int i = lo; i <= hi; i++) scale[i] = inverse[i] = SIMD(splat)(1);
  for (int k = 0; k < NAME(SWEEPS); k++)
    for (int j = 0; j < hi - lo; j++) {
      const int i = q->backwards ? hi - 1 - j : lo + j, x = q->backwards ? i + 1 : i, y = q->backwards ? i : i + 1;
      NAME(angle) *const a = NAME(angle_of)(q, k, i);
      const VEC c = a->c, reciprocal = 1 / c, tangent = a->s * reciprocal;
      a->c = tangent * scale[y] * inverse[x];
      a->s = tangent * scale[x] * inverse[y];
      scale[x] *= c;
      scale[y] *= c;
      inverse[x] *= reciprocal;
      inverse[y] *= reciprocal;
    }
}

/* Tangents of half the angles instead of cosines. */
static void NAME(take_tangents)(NAME(rotations) * q, int lo, int hi)
{
  for (int k = 0; k < NAME(SWEEPS); k++)
    for (int i = lo; i < hi; i++) {
      NAME(angle) *const a = NAME(angle_of)(q, k, i);
      a->c = a->s / (1 + a->c);
    }
}

/* Rotations by nothing before and after the sweeps, where their first columns are not there yet or their last ones
 * gone. */
static void NAME(fill_corners)(NAME(rotations) * q, int lo, int hi)
{
  const int first = q->backwards ? q->n - 1 - hi : lo, length = hi - lo;
  for (int p = 0; p < length + NAME(SWEEPS) - 1; p++)
    for (int k = 0; k < NAME(SWEEPS); k++)
      if (p < k || p - k >= length) q->turns[first + p][k] = (NAME(angle)){{0}, {0}};
}

/* Runs through all rows of z, by steps that the rotations' memory is in the first cache for. */
ALWAYS_INLINE void NAME(turn_all_rows)(bool shears, const NAME(rotations) * q, int lo, int hi, int rows, ELEM *z,
                                       int ld)
{
  enum { ROWS = NAME(ROWS) };
  const int first = q->backwards ? hi : lo, length = hi - lo, end = length + NAME(SWEEPS) - 1;
  VEC *const parts = (VEC *)z;
  for (int from = 0; from < end; from += NAME(WINDOW)) {
    const int to = batched_min(from + NAME(WINDOW), end);
    for (int i = 0; i < rows * NAME(PARTS); i += ROWS) {
      VEC *at[4];
      for (int r = 0; r < ROWS; r++) {
        const int row = batched_min(i + r, rows * NAME(PARTS) - 1);
        at[r] = parts + (int64_t)(row / NAME(PARTS)) * ld * NAME(PARTS) + row % NAME(PARTS);
      }
      switch (batched_min(ROWS, rows * NAME(PARTS) - i)) {
      case 1: NAME(turn_rows)(shears, 1, from, to, first, length, q, at); break;
      case 2: NAME(turn_rows)(shears, 2, from, to, first, length, q, at); break;
      case 3: NAME(turn_rows)(shears, 3, from, to, first, length, q, at); break;
      case 4: NAME(turn_rows)(shears, 4, from, to, first, length, q, at); break;
      }
    }
  }
}

/* All rotations that wait, on the columns of z, whose element (i, j) is z[i * ld + j]. */
static void NAME(turn_columns)(NAME(rotations) * q, int rows, ELEM *z, int ld)
{
  int lo = q->n, hi = 0;
  for (int k = 0; k < q->count; k++) {
    lo = batched_min(lo, q->lo[k]);
    hi = batched_max(hi, q->hi[k]);
  }
  if (lo >= hi) return;
  const bool shears = !NAME(complete_sweeps)(q, lo, hi);
  if (shears)
    NAME(take_tangents)(q, lo, hi);
  else
    NAME(take_out_cosines)(q, lo, hi);
  NAME(fill_corners)(q, lo, hi);
  if (shears)
    NAME(turn_all_rows)(true, q, lo, hi, rows, z, ld);
  else
    NAME(turn_all_rows)(false, q, lo, hi, rows, z, ld);
  q->count = 0;
}

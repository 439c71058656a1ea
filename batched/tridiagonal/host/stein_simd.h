/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of stein: inverse iteration as of host.ref, of values that are close to no other one, a value per SIMD
 * lane.  All lanes take as many turns as the slowest; a vector that fails here, and those of close values, are found
 * by host.ref's loops.
 */
#include "batched/tridiagonal/host/stein_ref.h"

#define VEC SIMD(vec)
#define MASK SIMD(mask)

/* T - w I = P L U of every lane: reciprocals of U's diagonal, the two diagonals above it, multipliers, and whether rows
 * i, i + 1 changed; each element W numbers. */
typedef struct NAME(lane_factors) {
  VEC least, last; /* modulus of a pivot; that of U's last one */
  R *reciprocal, *u1, *u2, *l, *swapped, *x;
} NAME(lane_factors);

enum { NAME(LANE_NUMBERS) = 6 * SIMD(LANES) }; /* of each row */

ALWAYS_INLINE VEC NAME(at_least)(VEC pivot, VEC least)
{
  return SIMD(select)(SIMD(abs)(pivot) < least, SIMD(with_sign)(least, pivot), pivot);
}

static void NAME(factor_lanes)(NAME(lane_factors) * f, int n, const R *d, const R *e, VEC w)
{
  enum { W = SIMD(LANES) };
  const VEC zero = SIMD(splat)(0), one = SIMD(splat)(1);
  VEC own = d[0] - w, above = SIMD(splat)(n > 1 ? e[0] : 0);
  for (int i = 0; i < n - 1; i++) {
    const VEC b = SIMD(splat)(e[i]), next = d[i + 1] - w, beyond = SIMD(splat)(i < n - 2 ? e[i + 1] : 0);
    const MASK swap = SIMD(abs)(b) > SIMD(abs)(own), none = ~swap & (own == 0);
    const VEC pivot = SIMD(select)(swap, b, own), other = SIMD(select)(swap, own, b);
    const VEC l = SIMD(select)(none, zero, other / SIMD(select)(none, one, pivot));
    const VEC u1 = SIMD(select)(swap, next, above), u2 = SIMD(select)(swap, beyond, zero);
    SIMD(store)(f->reciprocal + (int64_t)i * W, 1 / NAME(at_least)(pivot, f->least));
    SIMD(store)(f->u1 + (int64_t)i * W, u1);
    SIMD(store)(f->u2 + (int64_t)i * W, u2);
    SIMD(store)(f->l + (int64_t)i * W, l);
    SIMD(store)(f->swapped + (int64_t)i * W, SIMD(select)(swap, one, zero));
    own = SIMD(select)(swap, above, next) - l * u1;
    above = SIMD(select)(swap, zero, beyond) - l * u2;
  }
  own = NAME(at_least)(own, f->least);
  f->last = SIMD(abs)(own);
  SIMD(store)(f->reciprocal + (int64_t)(n - 1) * W, 1 / own);
}

/* Solves for x times `by`; the largest element. */
static VEC NAME(solve_lanes)(const NAME(lane_factors) * f, int n, VEC by)
{
  enum { W = SIMD(LANES) };
  VEC own = SIMD(load)(f->x) * by, most = SIMD(splat)(0);
  for (int i = 0; i < n - 1; i++) {
    const VEC next = SIMD(load)(f->x + (int64_t)(i + 1) * W) * by, l = SIMD(load)(f->l + (int64_t)i * W);
    const MASK swap = SIMD(load)(f->swapped + (int64_t)i * W) != 0;
    SIMD(store)(f->x + (int64_t)i * W, SIMD(select)(swap, next, own));
    own = SIMD(select)(swap, own, next) - l * SIMD(select)(swap, next, own);
  }
  SIMD(store)(f->x + (int64_t)(n - 1) * W, own);
  VEC before = SIMD(splat)(0), after = before; /* x(i + 1), x(i + 2) */
  for (int64_t i = n - 1; i >= 0; i--) {
    VEC y = SIMD(load)(f->x + i * W);
    if (i < n - 1) y = y - SIMD(load)(f->u2 + i * W) * after - SIMD(load)(f->u1 + i * W) * before;
    y = y * SIMD(load)(f->reciprocal + i * W);
    SIMD(store)(f->x + i * W, y);
    most = SIMD(max)(most, SIMD(abs)(y));
    after = before;
    before = y;
  }
  return most;
}

/* Element i of T x. */
ALWAYS_INLINE VEC NAME(product_of_lanes)(int n, const R *d, const R *e, const R *x, int64_t i)
{
  enum { W = SIMD(LANES) };
  VEC y = d[i] * SIMD(load)(x + i * W);
  if (i > 0) y += e[i - 1] * SIMD(load)(x + (i - 1) * W);
  if (i < n - 1) y += e[i] * SIMD(load)(x + (i + 1) * W);
  return y;
}

/* x = by x, of norm 1; the lanes that are eigenvectors: all elements of T x - (x^T T x) x within 8 n eps |T|. */
static MASK NAME(finish_lanes)(const NAME(lane_factors) * f, int n, const R *d, const R *e, VEC by)
{
  enum { W = SIMD(LANES) };
  VEC sum = SIMD(splat)(0), quotient = sum, most = sum;
  for (int64_t i = 0; i < n; i++) {
    const VEC y = SIMD(load)(f->x + i * W) * by;
    SIMD(store)(f->x + i * W, y);
    sum += y * y;
  }
  const VEC norm = SIMD(sqrt)(sum);
  for (int64_t i = 0; i < n; i++) SIMD(store)(f->x + i * W, SIMD(load)(f->x + i * W) / norm);
  for (int64_t i = 0; i < n; i++) quotient += SIMD(load)(f->x + i * W) * NAME(product_of_lanes)(n, d, e, f->x, i);
  for (int64_t i = 0; i < n; i++) {
    const VEC rest = SIMD(abs)(NAME(product_of_lanes)(n, d, e, f->x, i) - quotient * SIMD(load)(f->x + i * W));
    most = SIMD(select)(rest <= most, most, rest); /* a NaN stays */
  }
  return most <= (R)(16 * n) * f->least;
}

/* Columns j[0] .. j[W - 1] of z, from random vectors of their own. */
static void NAME(iterate_lanes)(NAME(lane_factors) * f, const NAME(stein_task) * t, const int *j, bool *done)
{
  enum { W = SIMD(LANES) };
  const int n = t->n;
  VEC w, more = SIMD(splat)(2), most = SIMD(splat)(0);
  for (int l = 0; l < W; l++) w[l] = t->scale * t->w[j[l] * t->incw];
  NAME(factor_lanes)(f, n, t->d, t->e, w);
  for (int l = 0; l < W; l++) NAME(start_vector)(n, j[l], W, f->x + l);
  for (int64_t i = 0; i < n; i++) most = SIMD(max)(most, SIMD(abs)(SIMD(load)(f->x + i * W)));
  const VEC enough = SIMD(splat)(SQRT((R)0.1 / n)), size = (R)n * f->last;
  for (int turn = 0; turn < 5 && SIMD(any)(more >= 0); turn++) {
    most = NAME(solve_lanes)(f, n, size / most);
    more = SIMD(select)(most >= enough, more - 1, more);
  }
  const MASK good = NAME(finish_lanes)(f, n, t->d, t->e, 1 / most);
  for (int l = 0; l < W; l++) {
    T *const z = t->z + j[l] * t->ld;
    for (int64_t i = 0; i < n; i++) z[i] = f->x[i * W + l];
    done[j[l]] = good[l] != 0;
  }
}

static void NAME(isolated_lanes)(const NAME(stein_task) * t, R *work, bool *done)
{
  enum { W = SIMD(LANES) };
  const int64_t each = (int64_t)t->n * W;
  NAME(lane_factors)
  f = {.reciprocal = work,
       .u1 = work + each,
       .u2 = work + 2 * each,
       .l = work + 3 * each,
       .swapped = work + 4 * each,
       .x = work + 5 * each};
  f.least = SIMD(splat)(t->norm * EPS / 2);
  int j[W], lanes = 0;
  for (int at = 0; at < t->k; at++) {
    const R w = t->scale * t->w[at * t->incw];
    const bool below = at > 0 && !(w - t->scale * t->w[(at - 1) * t->incw] > t->close);
    const bool above = at < t->k - 1 && !(t->scale * t->w[(at + 1) * t->incw] - w > t->close);
    if (!below && !above) j[lanes++] = at;
    if (lanes == W || (lanes > 0 && at == t->k - 1)) {
      for (; lanes < W; lanes++) j[lanes] = j[0];
      NAME(iterate_lanes)(&f, t, j, done);
      lanes = 0;
    }
  }
}

static int NAME(stein_simd)(batched_ctx *ctx, const batched_stein_args *g)
{
  return NAME(stein_by)(NAME(isolated_lanes), NAME(LANE_NUMBERS), ctx, g);
}

#undef VEC
#undef MASK

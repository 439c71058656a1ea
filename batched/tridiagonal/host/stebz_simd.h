/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of stebz: the bisection of host.ref for up to four vectors of values of a matrix at a time, a value per
 * SIMD lane.  The Sturm counts read each element of d and e once for all of them, and divisions of different vectors
 * overlap.  The operations and their order are those of host.ref, and so are the bits.
 */
#include "batched/tridiagonal/host/stebz_ref.h"

#define VEC SIMD(vec)
#define MASK SIMD(mask)

/* For each lane the number of eigenvalues that are not larger than x. */
ALWAYS_INLINE void NAME(count_lanes)(int vectors, const NAME(sturm) * s, const VEC *x, MASK *counts)
{
  const VEC least = SIMD(splat)(s->least);
  VEC q[4];
#pragma GCC unroll 4
  for (int v = 0; v < vectors; v++) {
    q[v] = SIMD(splat)(1);
    counts[v] = (MASK){0};
  }
  for (int i = 0; i < s->n; i++) {
    const VEC d = SIMD(splat)(s->d[i]), e2 = SIMD(splat)(i > 0 ? s->e2[i - 1] : 0);
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) {
      q[v] = d - x[v] - e2 / q[v];
      q[v] = SIMD(select)(SIMD(abs)(q[v]) <= least, -least, q[v]);
      counts[v] -= q[v] < 0;
    }
  }
}

/* The values from number `first` on, as many as `vectors` hold or `count`, between low and high. */
ALWAYS_INLINE void NAME(bisect_vectors)(int vectors, const NAME(sturm) * s, int first, int count, R low, R high, R *out)
{
  enum { W = SIMD(LANES) };
  VEC lo[4], hi[4], middle[4];
  MASK number[4], counts[4], running[4], lane = {0};
  const MASK last = lane + (first + count - 1);
  for (int l = 0; l < W; l++) lane[l] = l;
  for (int v = 0; v < vectors; v++) {
    lo[v] = SIMD(splat)(low);
    hi[v] = SIMD(splat)(high);
    number[v] = lane + (first + v * W);
    number[v] = ((number[v] > last) & last) | (~(number[v] > last) & number[v]);
  }
  for (int step = 0; step < 2000; step++) {
    MASK any = {0};
    for (int v = 0; v < vectors; v++) {
      const VEC size = SIMD(max)(SIMD(abs)(lo[v]), SIMD(abs)(hi[v])), width = hi[v] - lo[v];
      middle[v] = (lo[v] + hi[v]) / 2;
      running[v] = ~((width <= EPS * size) | (width <= s->error));
      any |= running[v];
    }
    if (!SIMD(any)(any)) break;
    NAME(count_lanes)(vectors, s, middle, counts);
    for (int v = 0; v < vectors; v++) {
      const MASK above = counts[v] > number[v];
      hi[v] = SIMD(select)(running[v] & above, middle[v], hi[v]);
      lo[v] = SIMD(select)(running[v] & ~above, middle[v], lo[v]);
    }
  }
  for (int v = 0; v * W < count && v < vectors; v++)
    SIMD(store_part)(out + v * W, (lo[v] + hi[v]) / 2, batched_min(W, count - v * W));
}

static void NAME(bisect_lanes)(const NAME(sturm) * s, int first, int count, R lo, R hi, R *out)
{
  enum { W = SIMD(LANES) };
  for (int k = 0; k < count; k += 4 * W) switch (batched_min(4, (count - k + W - 1) / W)) {
    case 1: NAME(bisect_vectors)(1, s, first + k, count - k, lo, hi, out + k); break;
    case 2: NAME(bisect_vectors)(2, s, first + k, count - k, lo, hi, out + k); break;
    default: NAME(bisect_vectors)(4, s, first + k, count - k, lo, hi, out + k);
    }
}

static int NAME(stebz_simd)(batched_ctx *ctx, const batched_stebz_args *g)
{
  return NAME(stebz_by)(NAME(bisect_lanes), ctx, g);
}

#undef VEC
#undef MASK

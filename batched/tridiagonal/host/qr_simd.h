/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Singular values of an upper bidiagonal matrix in each lane by implicit QR (Golub, Kahan), as LINPACK's svdc.  Every
 * lane has a block of its own, elements l .. m, and all blocks are swept together: outside of its block a lane rotates
 * by nothing, so that its result does not depend on the other lanes.  The largest element is near 1, and an e[i] below
 * 2 eps max(|d[i]| + |d[i+1]|, 1/8) is zero: errors are small against the largest singular value.  (A quarter of that,
 * as LINPACK has it, is below what the rotations round off: with repeated values the sweeps then go on for ever.)
 */
#include "batched/tridiagonal/host/rotations_simd.h"

typedef struct NAME(qr) {
  VEC *d, *e;
  MASK l, m;       /* each lane's block */
  MASK running;    /* its block has two elements at least */
  int least, most; /* of l and m of those */
  VEC shift;
} NAME(qr);

/* The last block of each lane that is not diagonal, and the smallest of its diagonal elements. */
static VEC NAME(find_last_blocks)(int n, NAME(qr) * q)
{
  VEC smallest = SIMD(splat)(1);
  q->m = q->l = (MASK){0};
  q->running = (MASK){0};
  MASK open = {0}; /* the block still grows */
  for (int i = n - 2; i >= 0; i--) {
    const VEC a = SIMD(abs)(q->d[i]), b = SIMD(abs)(q->d[i + 1]), tolerance = SIMD(max)(a + b, SIMD(splat)((R)0.125));
    const MASK at = (MASK){0} + i, joined = SIMD(abs)(q->e[i]) > 2 * EPS * tolerance, starts = joined & ~q->running;
    q->m = (starts & (at + 1)) | (~starts & q->m);
    smallest = SIMD(select)(starts, b, smallest);
    open |= starts;
    open &= joined;
    q->running |= starts;
    q->l = (open & at) | (~open & q->l);
    smallest = SIMD(select)(open & (a < smallest), a, smallest);
  }
  NAME(bound_blocks)(n, q->running, q->l, q->m, &q->least, &q->most);
  return smallest;
}

/* The eigenvalue of the last 2 x 2 block of B^T B that is nearer to its last element, as its square root: the smaller
 * singular value of [f g; 0 h] (LAPACK's las2). */
ALWAYS_INLINE VEC NAME(smaller_value_lanes)(VEC f, VEC g, VEC h)
{
  const VEC fa = SIMD(abs)(f), ha = SIMD(abs)(h), sum = fa + ha, difference = fa - ha;
  const VEC most = (SIMD(sqrt)(sum * sum + g * g) + SIMD(sqrt)(difference * difference + g * g)) * (R)0.5;
  return fa * ha / SIMD(select)(most > 0, most, SIMD(splat)(1));
}

/* One sweep of QR of all blocks, from the top; without a shift where a diagonal element is as good as zero, which
 * moves it to the end.  Leaves the rotations from the right and from the left. */
static void NAME(sweep_qr_lanes)(NAME(qr) * q, VEC smallest, const NAME(rotations) * right,
                                 const NAME(rotations) * left)
{
  const VEC one = SIMD(splat)(1), zero = {0};
  const MASK before = q->m + q->running;
  const VEC first = NAME(gather_lanes)(q->d, q->l);
  VEC shift = NAME(smaller_value_lanes)(NAME(gather_lanes)(q->d, before), NAME(gather_lanes)(q->e, before),
                                        NAME(gather_lanes)(q->d, q->m));
  const MASK shifted = q->running & (smallest > EPS / 2);
  shift = SIMD(select)(shifted, shift, zero);
  const VEC ratio = shift / SIMD(select)(shifted, first, one);
  VEC f = SIMD(select)(shifted, (SIMD(abs)(first) - shift) * (SIMD(with_sign)(one, first) + ratio), first);
  VEC g = NAME(gather_lanes)(q->e, q->l);
  for (int i = q->least; i < q->most; i++) {
    const MASK at = (MASK){0} + i, on = q->running & (at >= q->l) & (at < q->m), inner = on & (at > q->l),
               goes_on = on & (at + 1 < q->m);
    const VEC d = q->d[i], e = q->e[i], next = q->d[i + 1], beyond = q->e[i + 1];
    NAME(angle) r, l; /* from the right, from the left */
    const VEC size = NAME(rotate_lanes)(on, f, g, &r.c, &r.s);
    if (i > 0) q->e[i - 1] = SIMD(select)(inner, size, q->e[i - 1]);
    const VEC beside = r.c * e - r.s * d, lower = r.c * next;
    const VEC top = NAME(rotate_lanes)(on, r.c * d + r.s * e, r.s * next, &l.c, &l.s);
    q->d[i] = SIMD(select)(on, top, d);
    q->d[i + 1] = SIMD(select)(on, l.c * lower - l.s * beside, next);
    f = SIMD(select)(on, l.c * beside + l.s * lower, f);
    g = SIMD(select)(goes_on, l.s * beyond, g);
    q->e[i + 1] = SIMD(select)(goes_on, l.c * beyond, beyond);
    *NAME(angle_of)(right, right->count, i) = r;
    *NAME(angle_of)(left, left->count, i) = l;
  }
  NAME(scatter_lanes)(q->e, before, q->running, f);
}

/* d becomes the singular values, with any signs and in no order; v and u, n columns each (v NULL: none), are multiplied
 * by the vectors.  e has n numbers; work: twice rotation_memory(n).  The lanes that did not converge. */
static MASK NAME(diagonalise_bidiagonal)(int n, VEC *d, VEC *e, int rows_v, ELEM *v, int rows_u, ELEM *u, int ld,
                                         VEC *work)
{
  NAME(qr) q = {.d = d, .e = e};
  NAME(rotations) right = NAME(no_rotations)(n, false, work);
  NAME(rotations) left = NAME(no_rotations)(n, false, work + NAME(rotation_memory)((size_t)n));
  for (int steps = 30 * n; steps > 0; steps--) {
    const VEC smallest = NAME(find_last_blocks)(n, &q);
    if (!SIMD(any)(q.running)) break;
    NAME(sweep_qr_lanes)(&q, smallest, &right, &left);
    if (!v) continue;
    right.lo[right.count] = left.lo[left.count] = q.least;
    right.hi[right.count] = left.hi[left.count] = q.most;
    right.count++;
    if (++left.count < NAME(SWEEPS)) continue;
    NAME(turn_columns)(&right, rows_v, v, ld);
    NAME(turn_columns)(&left, rows_u, u, ld);
  }
  if (v) {
    NAME(turn_columns)(&right, rows_v, v, ld);
    NAME(turn_columns)(&left, rows_u, u, ld);
  }
  return q.running;
}

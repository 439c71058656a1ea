/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of a symmetric tridiagonal matrix in each lane by implicit QL with Wilkinson's shift, as EISPACK's tql2.
 * Every lane has a block of its own, elements l .. m, and all blocks are swept together: outside of its block a lane
 * rotates by nothing, so that its result does not depend on the other lanes.  The largest element is near 1.
 */
#include "batched/tridiagonal/host/rotations_simd.h"

typedef struct NAME(ql) {
  VEC *d, *e;
  MASK l, m;       /* each lane's block */
  MASK running;    /* its block has two elements at least */
  int least, most; /* of l and m of those */
} NAME(ql);

/* The next block of each lane, from its l on. */
static void NAME(find_blocks)(int n, NAME(ql) * q)
{
  const VEC half = SIMD(splat)(EPS / 2 * (EPS / 2));
  MASK skip;
  do {
    q->m = (MASK){0} + (n - 1);
    for (int i = n - 2; i >= q->least; i--) {
      const VEC e = q->e[i];
      const MASK small = e * e <= half * SIMD(abs)(q->d[i]) * SIMD(abs)(q->d[i + 1]) + SMALL, at = (MASK){0} + i,
                 taken = small & (at >= q->l);
      q->m = (taken & at) | (~taken & q->m);
    }
    q->running = q->l < n - 1;
    skip = q->running & (q->m == q->l);
    q->l -= skip;
  } while (SIMD(any)(skip));
  NAME(bound_blocks)(n, q->running, q->l, q->m, &q->least, &q->most);
}

/* One sweep of QL of all blocks; leaves the rotations. */
static void NAME(sweep_ql_lanes)(NAME(ql) * q, const NAME(rotations) * turns)
{
  const VEC one = SIMD(splat)(1), zero = {0};
  const MASK next = q->l - q->running;
  const VEC p = NAME(gather_lanes)(q->d, q->l), el = SIMD(select)(q->running, NAME(gather_lanes)(q->e, q->l), one);
  /* el / (t +- sqrt(t^2 + 1)) with t = (d(l + 1) - p) / (2 el), as el^2 / (delta +- sqrt(delta^2 + el^2)) */
  const VEC delta = (NAME(gather_lanes)(q->d, next) - p) * (R)0.5, root = SIMD(sqrt)(delta * delta + el * el);
  VEC g = NAME(gather_lanes)(q->d, q->m) - p + el * (el / (delta + SIMD(with_sign)(root, delta)));
  VEC s = one, c = one, shift = zero;
  for (int i = q->most - 1; i >= q->least; i--) {
    const MASK at = (MASK){0} + i, on = q->running & (at >= q->l) & (at < q->m), inner = on & (at + 1 < q->m);
    const VEC e = q->e[i], f = s * e, b = c * e;
    VEC cn, sn;
    const VEC r = NAME(rotate_lanes)(on, g, f, &cn, &sn);
    q->e[i + 1] = SIMD(select)(inner, r, q->e[i + 1]);
    const VEC h = q->d[i + 1] - shift, t = (q->d[i] - h) * sn + 2 * cn * b, next_shift = sn * t;
    q->d[i + 1] = SIMD(select)(on, h + next_shift, q->d[i + 1]);
    g = SIMD(select)(on, cn * t - b, g);
    shift = SIMD(select)(on, next_shift, shift);
    c = SIMD(select)(on, cn, c);
    s = SIMD(select)(on, sn, s);
    *NAME(angle_of)(turns, turns->count, i) = (NAME(angle)){cn, sn};
  }
  NAME(scatter_lanes)(q->d, q->l, q->running, p - shift);
  NAME(scatter_lanes)(q->e, q->l, q->running, g);
}

/* d becomes the eigenvalues, in no order; z, n columns (NULL: none), is multiplied by the eigenvectors.  e has n
 * numbers, the last of them 0; work: rotation_memory(n).  The lanes that did not converge. */
static MASK NAME(diagonalise_lanes)(int n, VEC *d, VEC *e, int rows, ELEM *z, int ld, VEC *work)
{
  NAME(ql) q = {.d = d, .e = e};
  NAME(rotations) turns = NAME(no_rotations)(n, true, work);
  for (int left = 30 * n; left > 0; left--) {
    NAME(find_blocks)(n, &q);
    if (!SIMD(any)(q.running)) break;
    NAME(sweep_ql_lanes)(&q, &turns);
    turns.lo[turns.count] = q.least;
    turns.hi[turns.count] = q.most;
    turns.count += z != NULL;
    if (turns.count == NAME(SWEEPS)) NAME(turn_columns)(&turns, rows, z, ld);
  }
  if (z) NAME(turn_columns)(&turns, rows, z, ld);
  return q.running;
}

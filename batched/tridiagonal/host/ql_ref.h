/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of a symmetric tridiagonal matrix by implicit QL and QR with Wilkinson's shift, as LAPACK's steqr.
 */
#include "batched/tridiagonal/host/rotation_ref.h"

/* A block of the matrix, numbered from the end whose eigenvalues come first: element i of it is element at + i * step
 * of d, and the off-diagonal between i and i + 1 is element off + i * step of e. */
typedef struct NAME(ql_block) {
  R *d, *e, *z; /* z: `rows` real numbers in a column; NULL: no vectors */
  int rows, order, at, off, step;
  int64_t ld;
} NAME(ql_block);

static inline R *NAME(diagonal)(const NAME(ql_block) * b, int i)
{
  return b->d + b->at + i * b->step;
}

static inline R *NAME(beside)(const NAME(ql_block) * b, int i)
{
  return b->e + b->off + i * b->step;
}

static inline R *NAME(vector_of)(const NAME(ql_block) * b, int i)
{
  return b->z + (b->at + i * b->step) * b->ld;
}

static inline bool NAME(is_negligible)(R x, R y, R e)
{
  const R half = EPS / 2, smallest = sizeof(R) == 4 ? (R)0x1p-126f : (R)0x1p-1022;
  return e * e <= half * half * (R)__builtin_fabs(x) * (R)__builtin_fabs(y) + smallest;
}

/* From d(i), e(i), d(i+1): the eigenvalues, the one larger in modulus first, and their rotation. */
static void NAME(solve_two)(NAME(ql_block) * b, int i)
{
  R *x = NAME(diagonal)(b, i), *y = NAME(diagonal)(b, i + 1), *e = NAME(beside)(b, i), c, s, r;
  const R half = (*y - *x) / 2, h = SQRT(half * half + *e * *e), t = *e / (half < 0 ? half - h : half + h);
  NAME(make_rotation)(1, t, &c, &s, &r); /* tan of the smaller angle is t */
  *x -= t * *e;
  *y += t * *e;
  *e = 0;
  if (b->z) NAME(rotate_real)(b->rows, NAME(vector_of)(b, i + 1), NAME(vector_of)(b, i), c, s);
}

/* One sweep of QL on elements l .. m of the block. */
static void NAME(sweep_ql)(NAME(ql_block) * b, int l, int m)
{
  const R p = *NAME(diagonal)(b, l), el = *NAME(beside)(b, l), t = (*NAME(diagonal)(b, l + 1) - p) / (2 * el);
  const R h = __builtin_fabs(t) > (R)1e18 ? (R)__builtin_fabs(t) : SQRT(t * t + 1);
  R g = *NAME(diagonal)(b, m) - p + el / (t < 0 ? t - h : t + h), s = 1, c = 1, shift = 0;
  for (int i = m - 1; i >= l; i--) {
    R r, *e = NAME(beside)(b, i);
    const R f = s * *e, q = c * *e;
    NAME(make_rotation)(g, f, &c, &s, &r);
    if (i < m - 1) *NAME(beside)(b, i + 1) = r;
    g = *NAME(diagonal)(b, i + 1) - shift;
    r = (*NAME(diagonal)(b, i) - g) * s + 2 * c * q;
    shift = s * r;
    *NAME(diagonal)(b, i + 1) = g + shift;
    g = c * r - q;
    if (b->z) NAME(rotate_real)(b->rows, NAME(vector_of)(b, i + 1), NAME(vector_of)(b, i), c, s);
  }
  *NAME(diagonal)(b, l) -= shift;
  *NAME(beside)(b, l) = g;
}

/* Diagonalises the block; false when the sweeps are used up. */
static bool NAME(iterate_ql)(NAME(ql_block) * b, int *sweeps)
{
  for (int l = 0; l < b->order - 1;) {
    int m = l;
    while (m < b->order - 1 &&
           !NAME(is_negligible)(*NAME(diagonal)(b, m), *NAME(diagonal)(b, m + 1), *NAME(beside)(b, m)))
      m++;
    if (m < b->order - 1) *NAME(beside)(b, m) = 0;
    if (m == l) {
      l++;
    } else if (m == l + 1) {
      NAME(solve_two)(b, l);
      l += 2;
    } else {
      if (--*sweeps < 0) return false;
      NAME(sweep_ql)(b, l, m);
    }
  }
  return true;
}

/* QL of the scaled matrix.  Blocks start at the end with the smaller diagonal element: graded matrices keep their small
 * eigenvalues. */
static bool NAME(diagonalise)(int n, R *d, R *e, int rows, R *z, int64_t ld)
{
  int sweeps = 30 * n;
  for (int lo = 0, hi; lo < n; lo = hi + 1) {
    for (hi = lo; hi < n - 1 && !NAME(is_negligible)(d[hi], d[hi + 1], e[hi]);) hi++;
    if (hi < n - 1) e[hi] = 0;
    const bool flipped = __builtin_fabs(d[hi]) < __builtin_fabs(d[lo]);
    NAME(ql_block) b = {.d = d, .e = e, .z = z, .rows = rows, .order = hi - lo + 1, .ld = ld};
    b.at = flipped ? hi : lo;
    b.off = flipped ? hi - 1 : lo;
    b.step = flipped ? -1 : 1;
    if (!NAME(iterate_ql)(&b, &sweeps)) return false;
  }
  return true;
}

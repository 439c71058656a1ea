/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the Jacobi methods for eigenvalues and singular values share, with a matrix in each lane.  A lane that has
 * converged goes on with rotations by nothing, which change none of its numbers but the signs of zeros; those are
 * removed at the end.  So a matrix's result does not depend on the other lanes.
 */
#include "batched/host/lanes.h"

enum { NAME(MAX_SWEEPS) = 50 };

/* x' = c x - s y, y' = t x + u y, with c, t real and s, u of modulus 1 times a real number. */
typedef struct NAME(rotor) {
  VEC c, t;
  ELEM s, u;
} NAME(rotor);

/* The rotation that makes [app, apq; conj(apq), aqq] diagonal in the lanes `active`; g2 = |apq|^2.  `shift` is what it
 * takes from app and adds to aqq.  The + 0 drops the sign of a zero, which decides between two rotations. */
ALWAYS_INLINE NAME(rotor) NAME(make_rotor)(VEC app, VEC aqq, ELEM apq, VEC g2, MASK active, VEC *shift)
{
  const VEC one = SIMD(splat)(1), zero = {0}, d = aqq - app + 0;
  g2 = SIMD(select)(active, g2, one);
#if IS_COMPLEX
  const VEC inverse = SIMD(inverse_sqrt)(g2), g = g2 * inverse;
  const ELEM e = NAME(conjugate)(NAME(scaled)(apq, inverse));
#else
  const VEC g = SIMD(select)(active, SIMD(abs)(apq), one);
  const ELEM e = SIMD(with_sign)(one, apq);
#endif
  const VEC h2 = d * d + 4 * g2, h = h2 * SIMD(inverse_sqrt)(h2);
  const VEC t = SIMD(with_sign)(2 * g / (SIMD(abs)(d) + h), d);
  const VEC c = SIMD(inverse_sqrt)(1 + t * t), s = t * c;
  *shift = SIMD(select)(active, t * g, zero);
  return (NAME(rotor)){SIMD(select)(active, c, one), SIMD(select)(active, s, zero),
                       NAME(choose)(active, NAME(scaled)(e, s), NAME(make)(zero)),
                       NAME(choose)(active, NAME(scaled)(e, c), NAME(make)(one))};
}

/* The same for elements that are stored conjugated: the first, the second, or both. */
ALWAYS_INLINE void NAME(rotate_two)(const NAME(rotor) * r, ELEM *x, ELEM *y, bool conj_x, bool conj_y)
{
  ELEM a = conj_x ? NAME(conjugate)(*x) : *x, b = conj_y ? NAME(conjugate)(*y) : *y;
  ELEM p = NAME(fms)(NAME(scaled)(a, r->c), r->s, b, false, false);
  ELEM q = NAME(plus)(NAME(scaled)(a, r->t), NAME(times)(r->u, b));
  *x = conj_x ? NAME(conjugate)(p) : p;
  *y = conj_y ? NAME(conjugate)(q) : q;
}

ALWAYS_INLINE void NAME(rotate_columns)(int n, const NAME(rotor) * r, ELEM *x, ELEM *y, int64_t inc)
{
  for (int i = 0; i < n; i++) NAME(rotate_two)(r, &x[i * inc], &y[i * inc], false, false);
}

ALWAYS_INLINE void NAME(set_unit)(int n, ELEM *v)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) v[i + j * n] = NAME(make)(SIMD(splat)(i == j));
}

/* Sorts the lanes of w, each on its own, and notes where each number was. */
ALWAYS_INLINE void NAME(sort_lanes)(int n, VEC *w, MASK *from, bool ascending)
{
  for (int i = 0; i < n; i++) from[i] = (MASK){0} + i;
  for (int i = 1; i < n; i++) {
    for (int j = i; j > 0; j--) {
      VEC a = w[j - 1], b = w[j];
      MASK swap = ascending ? b < a : b > a, f = from[j - 1], h = from[j];
      w[j - 1] = SIMD(select)(swap, b, a);
      w[j] = SIMD(select)(swap, a, b);
      from[j - 1] = (swap & h) | (~swap & f);
      from[j] = (swap & f) | (~swap & h);
    }
  }
}

ALWAYS_INLINE MASK NAME(not_finite)(ELEM x)
{
#if IS_COMPLEX
  return (x.re - x.re != 0) | (x.im - x.im != 0);
#else
  return x - x != 0;
#endif
}

static void NAME(fill_nan)(int m, int n, T *a, int64_t ld)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i + j * ld] = FROM(__builtin_nan(""), __builtin_nan(""));
}

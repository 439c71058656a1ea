/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Q from its reflectors, with a matrix in each lane.  Included behind reflectors_simd.h.
 */

/* Reflectors i < k, of which element t is x[i * next + t * step], or its conjugate, and the first one 1; they begin in
 * row i + first. */
typedef struct NAME(sequence) {
  int k, first;
  const ELEM *x, *tau;
  int64_t next, step;
  bool conjugated;
} NAME(sequence);

/* c -= tau v (v^H c), where v is the second reflector, then the first, for a constant number of columns next to each
 * other, of `len` rows ld apart; product: v[0]^H v[1], the factors of both not conjugated. */
ALWAYS_INLINE void NAME(reflect_twice)(int cols, int len, int64_t ld, const ELEM *const v[2], const ELEM tau[2],
                                       ELEM product, ELEM *c)
{
  ELEM f[2][4]; /* minus tau v^H c */
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) f[0][j] = f[1][j] = NAME(make)((VEC){0});
  for (int i = 0; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) {
      f[0][j] = NAME(fms)(f[0][j], v[0][i], c[i * ld + j], true, false);
      f[1][j] = NAME(fms)(f[1][j], v[1][i], c[i * ld + j], true, false);
    }
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) {
    f[1][j] = NAME(scaled)(NAME(times)(tau[1], f[1][j]), SIMD(splat)(-1));
    f[0][j] = NAME(scaled)(f[0][j], SIMD(splat)(-1));
    f[0][j] = NAME(times)(tau[0], NAME(fms)(f[0][j], product, f[1][j], false, false));
  }
  for (int i = 0; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++)
      c[i * ld + j] =
        NAME(fms)(NAME(fms)(c[i * ld + j], v[1][i], f[1][j], false, false), v[0][i], f[0][j], false, false);
}

/* v[at] = 1 and the reflector's other elements up to `len` behind, and zeros before. */
static void NAME(take_reflector)(const NAME(sequence) * s, int i, int at, int len, ELEM *v)
{
  for (int t = 0; t < at; t++) v[t] = NAME(make)((VEC){0});
  v[at] = NAME(make)(SIMD(splat)(1));
  for (int t = 1; t < len - at; t++) {
    const ELEM e = s->x[i * s->next + t * s->step];
    v[at + t] = s->conjugated ? NAME(conjugate)(e) : e;
  }
}

/* q = H_0 H_1 .. q, element (i, j) at q[i * ld + j]; v: two columns.  `below`: column j has zeros above row j, and the
 * reflectors that begin below do not change it.  Two reflectors are applied at a time, by one product and one update of
 * what they multiply. */
static void NAME(multiply_by_q)(const NAME(sequence) * s, bool below, int rows, int cols, ELEM *q, int ld, ELEM *v)
{
  enum { COLUMNS = 4 }; /* whose factors stay in registers */
  int i = s->k;
  if (i % 2 == 1) {
    const int at = --i + s->first, from = below ? at : 0;
    NAME(take_reflector)(s, i, 0, rows - at, v);
    NAME(reflect_columns)(cols - from, rows - at, ld, 1, v, NAME(conjugate)(s->tau[i]), q + at * ld + from);
  }
  for (i -= 2; i >= 0; i -= 2) {
    const int at = i + s->first, len = rows - at;
    const ELEM *const both[2] = {v, v + rows};
    const ELEM tau[2] = {s->tau[i], s->tau[i + 1]};
    ELEM product = NAME(make)((VEC){0});
    NAME(take_reflector)(s, i, 0, len, v);
    NAME(take_reflector)(s, i + 1, 1, len, v + rows);
    for (int t = 1; t < len; t++) product = NAME(fms)(product, v[t], v[rows + t], true, false);
    product = NAME(scaled)(product, SIMD(splat)(-1));
    int j = below ? at : 0;
    for (; j + COLUMNS <= cols; j += COLUMNS)
      NAME(reflect_twice)(COLUMNS, len, ld, both, tau, product, q + at * ld + j);
    for (; j < cols; j++) NAME(reflect_twice)(1, len, ld, both, tau, product, q + at * ld + j);
  }
}

/* q = the first columns of H_0 H_1 .. */
static void NAME(form_q)(const NAME(sequence) * s, int rows, int cols, ELEM *q, int ld, ELEM *v)
{
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++) q[i * ld + j] = NAME(make)(SIMD(splat)(i == j));
  NAME(multiply_by_q)(s, true, rows, cols, q, ld, v);
}

/* Rotations of a complex Q's columns are real: they turn I, a real matrix, instead, which has half of the numbers, and
 * Q's reflectors multiply that when they are done.  It lies in Q's memory, whose row i has parts for its rows 2 i and
 * 2 i + 1. */
enum { NAME(REALS) = sizeof(ELEM) / sizeof(VEC) };

ALWAYS_INLINE VEC *NAME(real_at)(ELEM *q, int ld, int i, int j)
{
  return (VEC *)&q[i / NAME(REALS) * ld + j] + i % NAME(REALS);
}

/* Leaves what the rotations turn: so many rows of q. */
static int NAME(begin_vectors)(const NAME(sequence) * s, int rows, int cols, ELEM *q, int ld, ELEM *v)
{
  if (NAME(REALS) == 1) {
    NAME(form_q)(s, rows, cols, q, ld, v);
    return rows;
  }
  const int turned = (cols + 1) / 2;
  for (int i = 0; i < turned; i++)
    for (int j = 0; j < cols; j++) q[i * ld + j] = NAME(make)((VEC){0});
  for (int i = 0; i < cols; i++) *NAME(real_at)(q, ld, i, i) = SIMD(splat)(1);
  return turned;
}

/* q = Q and the rotations. */
static void NAME(end_vectors)(const NAME(sequence) * s, int rows, int cols, ELEM *q, int ld, ELEM *v)
{
  if (NAME(REALS) == 1) return;
  for (int i = rows - 1; i >= 0; i--) /* row i takes its numbers from row i / 2 */
    for (int j = 0; j < cols; j++) q[i * ld + j] = NAME(make)(i < cols ? *NAME(real_at)(q, ld, i, j) : (VEC){0});
  NAME(multiply_by_q)(s, false, rows, cols, q, ld, v);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A matrix in each SIMD lane: an element (ELEM) holds that element of W matrices, and all W go through the same
 * operations.  Complex numbers are kept as a vector of real and one of imaginary parts.  Several headers of a body may
 * include it.
 */
#ifndef VEC
#include "batched/host/group.h"

#define VEC SIMD(vec)
#define MASK SIMD(mask)
#define W SIMD(LANES)
#define ELEM NAME(elem)

#if IS_COMPLEX
typedef struct ELEM {
  VEC re, im;
} ELEM;
#define RE(x) ((x).re)

ALWAYS_INLINE ELEM NAME(make)(VEC re)
{
  return (ELEM){re, (VEC){0}};
}

/* c - a b, or c - conj(a) b, or c - a conj(b). */
ALWAYS_INLINE ELEM NAME(fms)(ELEM c, ELEM a, ELEM b, bool conj_a, bool conj_b)
{
  if (conj_a) a.im = -a.im;
  if (conj_b) b.im = -b.im;
  c.re = c.re - a.re * b.re + a.im * b.im;
  c.im = c.im - a.re * b.im - a.im * b.re;
  return c;
}

ALWAYS_INLINE ELEM NAME(scaled)(ELEM a, VEC s)
{
  return (ELEM){a.re * s, a.im * s};
}

ALWAYS_INLINE ELEM NAME(plus)(ELEM a, ELEM b)
{
  return (ELEM){a.re + b.re, a.im + b.im};
}

ALWAYS_INLINE ELEM NAME(times)(ELEM a, ELEM b)
{
  return (ELEM){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

ALWAYS_INLINE ELEM NAME(conjugate)(ELEM a)
{
  return (ELEM){a.re, -a.im};
}

ALWAYS_INLINE VEC NAME(square)(ELEM a)
{
  return a.re * a.re + a.im * a.im;
}

ALWAYS_INLINE MASK NAME(is_zero)(ELEM a)
{
  return (a.re == 0) & (a.im == 0);
}

/* The larger of the parts: an abs that can't overflow. */
ALWAYS_INLINE VEC NAME(magnitude)(ELEM a)
{
  return SIMD(max)(SIMD(abs)(a.re), SIMD(abs)(a.im));
}

ALWAYS_INLINE ELEM NAME(choose)(MASK m, ELEM x, ELEM y)
{
  return (ELEM){SIMD(select)(m, x.re, y.re), SIMD(select)(m, x.im, y.im)};
}
#else
typedef VEC ELEM;
#define RE(x) (x)

ALWAYS_INLINE ELEM NAME(make)(VEC re)
{
  return re;
}

ALWAYS_INLINE ELEM NAME(fms)(ELEM c, ELEM a, ELEM b, bool conj_a, bool conj_b)
{
  (void)conj_a, (void)conj_b;
  return c - a * b;
}

ALWAYS_INLINE ELEM NAME(scaled)(ELEM a, VEC s)
{
  return a * s;
}

ALWAYS_INLINE ELEM NAME(plus)(ELEM a, ELEM b)
{
  return a + b;
}

ALWAYS_INLINE ELEM NAME(times)(ELEM a, ELEM b)
{
  return a * b;
}

ALWAYS_INLINE ELEM NAME(conjugate)(ELEM a)
{
  return a;
}

ALWAYS_INLINE VEC NAME(square)(ELEM a)
{
  return a * a;
}

ALWAYS_INLINE MASK NAME(is_zero)(ELEM a)
{
  return a == 0;
}

ALWAYS_INLINE VEC NAME(magnitude)(ELEM a)
{
  return SIMD(abs)(a);
}

ALWAYS_INLINE ELEM NAME(choose)(MASK m, ELEM x, ELEM y)
{
  return SIMD(select)(m, x, y);
}
#endif

/* |re| + |im|, by which LAPACK compares pivots. */
ALWAYS_INLINE VEC NAME(sizes)(ELEM x)
{
#if IS_COMPLEX
  return SIMD(abs)(x.re) + SIMD(abs)(x.im);
#else
  return SIMD(abs)(x);
#endif
}

/* 1 / d and x / d; complex numbers are scaled by the larger part of d, which avoids over- and underflow. */
ALWAYS_INLINE ELEM NAME(reciprocal)(ELEM d)
{
#if IS_COMPLEX
  VEC s = NAME(magnitude)(d), re = d.re / s, im = d.im / s, r = 1 / (re * re + im * im);
  return (ELEM){re * r / s, -im * r / s};
#else
  return 1 / d;
#endif
}

ALWAYS_INLINE ELEM NAME(quotient)(ELEM x, ELEM d)
{
#if IS_COMPLEX
  VEC s = NAME(magnitude)(d);
  ELEM scaled = {d.re / s, d.im / s}, y = NAME(times)(x, NAME(reciprocal)(scaled));
  return (ELEM){y.re / s, y.im / s};
#else
  return x / d;
#endif
}

/* Lane l of x, without negative zeros. */
ALWAYS_INLINE T NAME(lane)(const ELEM *x, int l)
{
#if IS_COMPLEX
  return FROM(((const R *)&x->re)[l] + 0, ((const R *)&x->im)[l] + 0);
#else
  return ((const R *)x)[l] + 0;
#endif
}

/* The matrices of a group. */
typedef struct NAME(matrices) {
  T *at[SIMD(LANES)];
  int64_t ld[SIMD(LANES)];
  uintptr_t ahead; /* bytes from each to the one to fetch meanwhile; 0: there is none */
} NAME(matrices);

/* An array's matrices are fetched if the next group lies as far from this one in every lane. */
ALWAYS_INLINE uintptr_t NAME(bytes_ahead)(const batched_matrix *a, const batched_group *group)
{
  uintptr_t bytes[SIMD(LANES)];
  if (group->ahead == 0) return 0;
  if (!a->array) return (uintptr_t)(group->ahead * a->stride) * sizeof(T);
  for (int l = 0; l < W; l++) {
    const int64_t b = group->index[l];
    bytes[l] = (uintptr_t)batched_at(a, b + group->ahead) - (uintptr_t)batched_at(a, b);
    if (bytes[l] != bytes[0]) return 0;
  }
  return bytes[0];
}

ALWAYS_INLINE void NAME(matrices_of)(const batched_matrix *a, const batched_group *group, NAME(matrices) * out)
{
  for (int l = 0; l < W; l++) {
    out->at[l] = batched_at(a, group->index[l]);
    out->ld[l] = batched_ld(a, group->index[l]);
  }
  out->ahead = NAME(bytes_ahead)(a, group);
}

/* `reals` numbers, a vector at most, of each matrix: number `first` and those after it, from `offset + column * ld` on.
 * The same of the next group are fetched: the processor's own prefetching can't follow W short matrices in turns. */
ALWAYS_INLINE void NAME(load_rows)(const NAME(matrices) * a, int64_t offset, int64_t column, int first, int reals,
                                   VEC t[SIMD(LANES)])
{
  for (int l = 0; l < W; l++) {
    const R *from = (const R *)(a->at[l] + offset + column * a->ld[l]) + first;
    __builtin_prefetch((const void *)((uintptr_t)from + a->ahead));
    t[l] = SIMD(load_part)(from, reals);
  }
}

/* `len` neighbouring elements, from `offset + column * ld` on, of each matrix. */
ALWAYS_INLINE void NAME(pack_run)(const NAME(matrices) * a, int64_t offset, int64_t column, int len, ELEM *to)
{
  const int reals = len * (int)(sizeof(T) / sizeof(R));
  VEC *out = (VEC *)to;
  for (int i = 0; i < reals; i += W) {
    const int part = reals - i < W ? reals - i : W;
    VEC t[SIMD(LANES)];
    NAME(load_rows)(a, offset, column, i, part, t);
    SIMD(transpose)(t);
#pragma GCC unroll 16
    for (int l = 0; l < W; l++)
      if (l < part) out[i + l] = t[l];
  }
}

/* `len` elements of each of the first lanes, to a place of each lane's own. */
ALWAYS_INLINE void NAME(store_run)(T *const *to, int active, int len, const ELEM *from)
{
  const int reals = len * (int)(sizeof(T) / sizeof(R));
  const VEC *in = (const VEC *)from;
  for (int i = 0; i < reals; i += W) {
    const int part = reals - i < W ? reals - i : W;
    VEC t[SIMD(LANES)];
    for (int l = 0; l < W; l++) t[l] = l < part ? in[i + l] : (VEC){0};
    SIMD(transpose)(t);
    for (int l = 0; l < active; l++) SIMD(store_part)((R *)to[l] + i, t[l], part);
  }
}

ALWAYS_INLINE void NAME(unpack_run)(const NAME(matrices) * a, int active, int64_t offset, int64_t column, int len,
                                    const ELEM *from)
{
  T *to[SIMD(LANES)];
  for (int l = 0; l < active; l++) to[l] = a->at[l] + offset + column * a->ld[l];
  NAME(store_run)(to, active, len, from);
}

ALWAYS_INLINE bool NAME(is_dense)(const NAME(matrices) * a, int m)
{
  for (int l = 0; l < W; l++)
    if (a->ld[l] != m) return false;
  return true;
}

/* The m x n blocks from (i0, j0) on, to and from x with element (i, j) at x[i + j * m]; `dense` if each is one run. */
ALWAYS_INLINE void NAME(pack)(const NAME(matrices) * a, int i0, int j0, int m, int n, bool dense, ELEM *x)
{
  if (dense) {
    NAME(pack_run)(a, i0, j0, m * n, x);
    return;
  }
  for (int j = 0; j < n; j++) NAME(pack_run)(a, i0, j0 + j, m, x + (int64_t)j * m);
}

ALWAYS_INLINE void NAME(unpack)(const NAME(matrices) * a, int active, int i0, int j0, int m, int n, bool dense,
                                const ELEM *x)
{
  if (dense) {
    NAME(unpack_run)(a, active, i0, j0, m * n, x);
    return;
  }
  for (int j = 0; j < n; j++) NAME(unpack_run)(a, active, i0, j0 + j, m, x + (int64_t)j * m);
}

/* Small matrices without gaps move as a whole: that is fewer transpositions than columns. */
ALWAYS_INLINE bool NAME(moves_whole)(const NAME(matrices) * a, int n)
{
  return n < W && NAME(is_dense)(a, n);
}

/* One triangle of n x n matrices, with its diagonal, and back; the other one keeps its bits. */
ALWAYS_INLINE void NAME(pack_triangle)(const NAME(matrices) * a, batched_uplo uplo, int n, ELEM *x)
{
  if (NAME(moves_whole)(a, n)) {
    NAME(pack_run)(a, 0, 0, n * n, x);
    return;
  }
  for (int j = 0; j < n; j++) {
    const int first = uplo == BATCHED_LOWER ? j : 0, len = uplo == BATCHED_LOWER ? n - j : j + 1;
    NAME(pack_run)(a, first, j, len, x + first + j * n);
  }
}

ALWAYS_INLINE void NAME(unpack_triangle)(const NAME(matrices) * a, int active, batched_uplo uplo, int n, const ELEM *x)
{
  if (NAME(moves_whole)(a, n)) {
    NAME(unpack_run)(a, active, 0, 0, n * n, x);
    return;
  }
  for (int j = 0; j < n; j++) {
    const int first = uplo == BATCHED_LOWER ? j : 0, len = uplo == BATCHED_LOWER ? n - j : j + 1;
    NAME(unpack_run)(a, active, first, j, len, x + first + j * n);
  }
}

/* c -= A B with A `rows` x k, B k x `cols`: element (i, p) of A at a[i * ra + p * ca], (p, j) of B at
 * b[p * rb + j * cb].  rows and cols are constants at every call: c stays in registers. */
ALWAYS_INLINE void NAME(tile_update)(int rows, int cols, int k, const ELEM *a, int64_t ra, int64_t ca, bool conj_a,
                                     const ELEM *b, int64_t rb, int64_t cb, bool conj_b, ELEM c[4][4])
{
  for (int p = 0; p < k; p++) {
    ELEM y[4];
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) y[j] = b[p * rb + j * cb];
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      ELEM x = a[i * ra + p * ca];
#pragma GCC unroll 4
      for (int j = 0; j < cols; j++) c[i][j] = NAME(fms)(c[i][j], x, y[j], conj_a, conj_b);
    }
  }
}

/* Edge of the tiles that fit into the registers. */
#define TILE (IS_COMPLEX ? 2 : SIMD_REGISTERS == 32 ? 4 : 3)
#endif

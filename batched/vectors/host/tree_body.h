/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.tree of dot, asum, nrm2, amax: a vector's numbers side by side in the lanes of four registers, joined by a
 * tree at the end.  Elements that do not stand side by side are copied first, a block at a time, so that a result
 * depends on the elements alone.
 */
#include "batched/vectors/host/sizes.h"

#define VEC SIMD(vec)
#define MASK SIMD(mask)
#define W SIMD(LANES)
#define PARTS (1 + IS_COMPLEX)

enum { NAME(BLOCK) = 1024 / PARTS, NAME(REGISTERS) = 4 }; /* elements of a block: a multiple of four registers */

/* Elements first .. first + count - 1 of x as real numbers: x's own, or a copy. */
ALWAYS_INLINE const R *NAME(side_by_side)(const T *x, int64_t inc, int64_t first, int count, T *copy)
{
  if (inc == 1) return (const R *)(x + first);
  for (int i = 0; i < count; i++) copy[i] = x[(first + i) * inc];
  return (const R *)copy;
}

/* A register of the `left` numbers from x on, filled up with zeros. */
ALWAYS_INLINE VEC NAME(some)(const R *x, int left)
{
  return left >= W ? SIMD(load)(x) : left > 0 ? SIMD(load_part)(x, left) : (VEC){0};
}

/* The sums of four registers: of the real and of the imaginary parts. */
ALWAYS_INLINE void NAME(join)(const VEC *sums, R *re, R *im)
{
  const VEC x = SIMD(sums)((sums[0] + sums[1]) + (sums[2] + sums[3]), PARTS);
  *re = x[0];
  *im = IS_COMPLEX ? x[IS_COMPLEX] : 0;
}

/* Sums of x_i y_i and, if complex, of re x_i im y_i and im x_i re y_i in lanes of their own. */
static int NAME(dot)(const batched_dot_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const T *x = batched_at(&d->x, b), *y = batched_at(&d->y, b);
    T x_copy[NAME(BLOCK)], y_copy[NAME(BLOCK)];
    VEC same[NAME(REGISTERS)] = {{0}}, cross[NAME(REGISTERS)] = {{0}};
    for (int first = 0; first < n; first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), n - first), reals = count * PARTS;
      const R *p = NAME(side_by_side)(x, batched_increment(&d->x, b), first, count, x_copy);
      const R *q = NAME(side_by_side)(y, batched_increment(&d->y, b), first, count, y_copy);
      for (int i = 0; i < reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
        for (int k = 0; k < NAME(REGISTERS); k++) {
          const int at = i + k * W;
          if (at >= reals) break;
          const VEC u = NAME(some)(p + at, reals - at), v = NAME(some)(q + at, reals - at);
          same[k] += u * v;
          if (IS_COMPLEX) cross[k] += u * SIMD(swap_neighbours)(v);
        }
      }
    }
    R re_re, im_im, re_im, im_re;
    NAME(join)(same, &re_re, &im_im);
    NAME(join)(cross, &re_im, &im_re);
    const R sign = d->trans == BATCHED_CONJ_TRANS ? -1 : 1;
    *(T *)batched_at(&d->r, b) = FROM(re_re - sign * im_im, re_im + sign * im_re);
  }
  return BATCHED_SUCCESS;
}

static int NAME(asum)(const batched_asum_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    T copy[NAME(BLOCK)];
    VEC sums[NAME(REGISTERS)] = {{0}};
    for (int first = 0; first < n; first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), n - first), reals = count * PARTS;
      const R *p = NAME(side_by_side)(batched_at(&d->x, b), batched_increment(&d->x, b), first, count, copy);
      for (int i = 0; i < reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
        for (int k = 0; k < NAME(REGISTERS); k++) {
          const int at = i + k * W;
          if (at >= reals) break;
          sums[k] += SIMD(abs)(NAME(some)(p + at, reals - at));
        }
      }
    }
    R re, im;
    NAME(join)(sums, &re, &im);
    *(R *)batched_at(&d->r, b) = re + im;
  }
  return BATCHED_SUCCESS;
}

/* The root of the sum of squares where no number is so large or small that its square is not; else by sizes.h. */
static int NAME(nrm2)(const batched_nrm2_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    T copy[NAME(BLOCK)];
    VEC sums[NAME(REGISTERS)] = {{0}};
    MASK extreme = {0};
    for (int first = 0; first < n; first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), n - first), reals = count * PARTS;
      const R *p = NAME(side_by_side)(x, inc, first, count, copy);
      for (int i = 0; i < reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
        for (int k = 0; k < NAME(REGISTERS); k++) {
          const int at = i + k * W;
          if (at >= reals) break;
          const VEC v = NAME(some)(p + at, reals - at), size = SIMD(abs)(v);
          sums[k] += v * v;
          extreme |= (size > NAME(huge)) | ((size < NAME(tiny)) & (v != 0));
        }
      }
    }
    R re, im;
    if (SIMD(any)(extreme)) {
      NAME(sums) s = {0, 0, 0};
      NAME(add_column)(&s, n, x, inc);
      re = NAME(norm_of)(s);
    } else {
      NAME(join)(sums, &re, &im);
      re = SQRT(re + im);
    }
    *(R *)batched_at(&d->r, b) = re;
  }
  return BATCHED_SUCCESS;
}

/* |re x_i| + |im x_i| in the lanes of x_i; of complex numbers twice. */
ALWAYS_INLINE VEC NAME(sizes)(VEC x)
{
  const VEC size = SIMD(abs)(x);
  return IS_COMPLEX ? size + SIMD(swap_neighbours)(size) : size;
}

/* The number in p of the largest of `reals` sizes, or of one that is not a number, and which it is.  As integers sizes
 * stand in this order: every lane keeps its largest and where that was. */
ALWAYS_INLINE R NAME(largest)(const R *p, int reals, int *which)
{
  VEC most[NAME(REGISTERS)];
  MASK at[NAME(REGISTERS)], here = {0};
  for (int l = 0; l < W; l++) here[l] = l;
  for (int k = 0; k < NAME(REGISTERS); k++) {
    most[k] = NAME(sizes)(NAME(some)(p + k * W, reals - k * W));
    at[k] = here + k * W;
  }
  for (int i = NAME(REGISTERS) * W; i < reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
    for (int k = 0; k < NAME(REGISTERS); k++) {
      const VEC size = NAME(sizes)(NAME(some)(p + i + k * W, reals - i - k * W));
      const MASK more = (MASK)size > (MASK)most[k];
      most[k] = SIMD(select)(more, size, most[k]);
      at[k] = (MASK)SIMD(select)(more, (VEC)(here + (i + k * W)), (VEC)at[k]);
    }
  }
  MASK all = (MASK)most[0], first = (MASK){0} + reals;
  for (int k = 1; k < NAME(REGISTERS); k++) all = (MASK)SIMD(select)((MASK)most[k] > all, most[k], (VEC)all);
  const MASK largest = (MASK){0} - SIMD(least)(-all);
  for (int k = 0; k < NAME(REGISTERS); k++) {
    const MASK found = ((MASK)most[k] == largest) & (at[k] < first);
    first = (MASK)SIMD(select)(found, (VEC)at[k], (VEC)first);
  }
  *which = (int)SIMD(least)(first);
  return ((VEC)largest)[0];
}

enum { NAME(FEW) = 8 / PARTS }; /* elements, for which a loop is faster */

static int NAME(amax)(const batched_amax_args *d)
{
  for (int64_t b = 0; b < d->x.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    T copy[NAME(BLOCK)];
    R most = -1;
    int index = 0;
    for (int first = 0; first < n && n > NAME(FEW); first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), n - first);
      int which;
      const R size = NAME(largest)(NAME(side_by_side)(x, inc, first, count, copy), count * PARTS, &which);
      if (size <= most) continue;
      most = size;
      index = 1 + first + which / PARTS;
      if (size != size) break;
    }
    d->index[b] = n > NAME(FEW) && most == most ? index : NAME(plain_amax)(n, x, inc);
  }
  return BATCHED_SUCCESS;
}

#undef VEC
#undef MASK
#undef W
#undef PARTS

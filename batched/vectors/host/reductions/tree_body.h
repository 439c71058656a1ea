/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.tree of dot, asum, nrm2, amax: a vector's numbers side by side in the lanes of four registers, joined by a
 * tree at the end.  Elements that are not contiguous are copied first, a block at a time, so that a result depends on
 * the elements alone.
 */
#include "batched/vectors/host/reductions/sizes.h"

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

/* The same of one register, with zeros in the others. */
ALWAYS_INLINE void NAME(join_one)(VEC sums, R *re, R *im)
{
  const VEC x = SIMD(sums)(sums + (VEC){0}, PARTS);
  *re = x[0];
  *im = IS_COMPLEX ? x[IS_COMPLEX] : 0;
}

/* True for contiguous vectors that fill one register at most. */
ALWAYS_INLINE bool NAME(fill_one)(int n, int64_t inc)
{
  return n <= W / PARTS && inc == 1;
}

ALWAYS_INLINE T NAME(dot_of)(bool conj, R re_re, R im_im, R re_im, R im_re)
{
  const R sign = conj ? -1 : 1;
  (void)re_im, (void)im_re;
  return FROM(re_re - sign * im_im, re_im + sign * im_re);
}

/* Sums of x_i y_i and, if complex, of re x_i im y_i and im x_i re y_i in lanes of their own. */
static int NAME(dot)(const batched_dot_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const T *x = batched_at(&d->x, b), *y = batched_at(&d->y, b);
    const bool conj = d->trans == BATCHED_CONJ_TRANS;
    R re_re, im_im, re_im, im_re;
    if (NAME(fill_one)(n, batched_increment(&d->x, b)) && NAME(fill_one)(n, batched_increment(&d->y, b))) {
      const VEC u = SIMD(load_part)((const R *)x, n * PARTS), v = SIMD(load_part)((const R *)y, n * PARTS);
      NAME(join_one)(u * v, &re_re, &im_im);
      NAME(join_one)(IS_COMPLEX ? u * SIMD(swap_neighbours)(v) : (VEC){0}, &re_im, &im_re);
      *(T *)batched_at(&d->r, b) = NAME(dot_of)(conj, re_re, im_im, re_im, im_re);
      continue;
    }
    T x_copy[NAME(BLOCK)], y_copy[NAME(BLOCK)];
    VEC same[NAME(REGISTERS)] = {{0}}, cross[NAME(REGISTERS)] = {{0}};
    for (int64_t first = 0; first < n; first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), (int)(n - first)), reals = count * PARTS;
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
    NAME(join)(same, &re_re, &im_im);
    NAME(join)(cross, &re_im, &im_re);
    *(T *)batched_at(&d->r, b) = NAME(dot_of)(conj, re_re, im_im, re_im, im_re);
  }
  return BATCHED_SUCCESS;
}

static int NAME(asum)(const batched_asum_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    T copy[NAME(BLOCK)];
    VEC sums[NAME(REGISTERS)] = {{0}};
    for (int64_t first = 0; first < n; first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), (int)(n - first)), reals = count * PARTS;
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

/* The lanes whose square may over- or underflow. */
ALWAYS_INLINE MASK NAME(is_extreme)(VEC v)
{
  const VEC size = SIMD(abs)(v);
  return (size > NAME(huge)) | ((size < NAME(tiny)) & (v != 0));
}

/* The root of the sum of squares where no number is so large or small that its square is not; else by sizes.h. */
static __attribute__((noinline)) R NAME(nrm2_of)(int n, const T *x, int64_t inc)
{
  T copy[NAME(BLOCK)];
  VEC sums[NAME(REGISTERS)] = {{0}};
  MASK extreme = {0};
  for (int64_t first = 0; first < n; first += NAME(BLOCK)) {
    const int count = batched_min(NAME(BLOCK), (int)(n - first)), reals = count * PARTS;
    const R *p = NAME(side_by_side)(x, inc, first, count, copy);
    for (int i = 0; i < reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
      for (int k = 0; k < NAME(REGISTERS); k++) {
        const int at = i + k * W;
        if (at >= reals) break;
        const VEC v = NAME(some)(p + at, reals - at);
        sums[k] += v * v;
        extreme |= NAME(is_extreme)(v);
      }
    }
  }
  R re, im;
  if (!SIMD(any)(extreme)) {
    NAME(join)(sums, &re, &im);
    return SQRT(re + im);
  }
  NAME(sums) s = {0, 0, 0};
  NAME(add_column)(&s, n, x, inc);
  return NAME(norm_of)(s);
}

static int NAME(nrm2)(const batched_nrm2_args *d)
{
  for (int64_t b = 0; b < d->r.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    R *to = batched_at(&d->r, b);
    const bool few = NAME(fill_one)(n, inc);
    const VEC v = few ? SIMD(load_part)((const R *)x, n * PARTS) : (VEC){0};
    if (few && !SIMD(any)(NAME(is_extreme)(v))) {
      R re, im;
      NAME(join_one)(v * v, &re, &im);
      *to = SQRT(re + im);
    } else {
      *to = NAME(nrm2_of)(n, x, inc);
    }
  }
  return BATCHED_SUCCESS;
}

/* |re x_i| + |im x_i| in the lanes of x_i; of complex numbers twice. */
ALWAYS_INLINE VEC NAME(sizes)(VEC x)
{
  const VEC size = SIMD(abs)(x);
  return IS_COMPLEX ? size + SIMD(swap_neighbours)(size) : size;
}

/* The larger of both, lane by lane, as integers: sizes stand in this order, and what is not a number behind all. */
ALWAYS_INLINE MASK NAME(larger)(MASK x, MASK y)
{
#if SIMD_BYTES == 64
  return (MASK)(sizeof(R) == 8 ? _mm512_max_epi64((__m512i)x, (__m512i)y) : _mm512_max_epi32((__m512i)x, (__m512i)y));
#else
  return (MASK)SIMD(select)(x > y, (VEC)x, (VEC)y);
#endif
}

/* The first lane in which x is y, or -1. */
ALWAYS_INLINE int NAME(first_equal)(MASK x, MASK y)
{
#if SIMD_BYTES == 64
  const unsigned equal = sizeof(R) == 8 ? (unsigned)_mm512_cmpeq_epi64_mask((__m512i)x, (__m512i)y)
                                        : (unsigned)_mm512_cmpeq_epi32_mask((__m512i)x, (__m512i)y);
  return equal ? __builtin_ctz(equal) : -1;
#else
  MASK lane = {0};
  if (!SIMD(any)(x == y)) return -1;
  for (int l = 0; l < W; l++) lane[l] = l;
  return (int)SIMD(least)((MASK)SIMD(select)(x == y, (VEC)lane, (VEC)((MASK){0} + W)));
#endif
}

/* The sizes in the register from p[i] on, zeros behind the last. */
ALWAYS_INLINE MASK NAME(sizes_at)(const R *p, int i, int reals)
{
  return (MASK)NAME(sizes)(i + W <= reals ? SIMD(load)(p + i) : SIMD(load_part)(p + i, reals - i));
}

/* In all lanes the largest of all. */
ALWAYS_INLINE MASK NAME(in_all_lanes)(MASK all)
{
#if SIMD_BYTES == 64
  if (sizeof(R) == 8) return (MASK)_mm512_set1_epi64(_mm512_reduce_max_epi64((__m512i)all));
  return (MASK)_mm512_set1_epi32(_mm512_reduce_max_epi32((__m512i)all));
#else
  return (MASK){0} - SIMD(least)(-all);
#endif
}

/* In all lanes the largest of `reals` sizes.  What is left behind whole registers is read with numbers before it: a
 * maximum may see them twice. */
ALWAYS_INLINE MASK NAME(largest)(const R *p, int reals)
{
  MASK most[NAME(REGISTERS)] = {{0}};
  int i = 0;
  if (reals <= W) return NAME(in_all_lanes)(NAME(sizes_at)(p, 0, reals));
  for (; i + NAME(REGISTERS) * W <= reals; i += NAME(REGISTERS) * W) {
#pragma GCC unroll 4
    for (int k = 0; k < NAME(REGISTERS); k++)
      most[k] = NAME(larger)(most[k], (MASK)NAME(sizes)(SIMD(load)(p + i + k * W)));
  }
  for (; i + W <= reals; i += W) most[0] = NAME(larger)(most[0], NAME(sizes_at)(p, i, reals));
  if (i < reals) most[1] = NAME(larger)(most[1], NAME(sizes_at)(p, reals - W, reals));
  return NAME(in_all_lanes)(NAME(larger)(NAME(larger)(most[0], most[1]), NAME(larger)(most[2], most[3])));
}

/* The number of the first of `reals` sizes that is the largest; 0 where that is not a number. */
ALWAYS_INLINE int NAME(place_of)(const R *p, int reals, MASK largest)
{
  for (int i = 0; i < reals; i += W) {
    const int lane = NAME(first_equal)(NAME(sizes_at)(p, i, reals), largest);
    if (lane >= 0) return i + lane;
  }
  return 0;
}

enum { NAME(FEW) = 4 }; /* elements, for which a loop is faster */

/* The largest size of a block, then where it is, if it is larger than those before it. */
static int NAME(amax)(const batched_amax_args *d)
{
  for (int64_t b = 0; b < d->x.count; b++) {
    const int n = batched_vector_length(&d->x, b);
    const int64_t inc = batched_increment(&d->x, b);
    const T *x = batched_at(&d->x, b);
    T copy[NAME(BLOCK)];
    R most = -1;
    int index = 0;
    for (int64_t first = 0; first < n && n > NAME(FEW); first += NAME(BLOCK)) {
      const int count = batched_min(NAME(BLOCK), (int)(n - first));
      const R *p = NAME(side_by_side)(x, inc, first, count, copy);
      const MASK largest = NAME(largest)(p, count * PARTS);
      const R size = ((VEC)largest)[0];
      if (size <= most) continue;
      most = size;
      if (size != size) break;
      index = 1 + (int)first + NAME(place_of)(p, count * PARTS, largest) / PARTS;
    }
    d->index[b] = n > NAME(FEW) && most == most ? index : NAME(plain_amax)(n, x, inc);
  }
  return BATCHED_SUCCESS;
}

#undef VEC
#undef MASK
#undef W
#undef PARTS

/* SPDX-License-Identifier: BSD-3-Clause */

/* |re| + |im|, the size by which BLAS compares and adds. */
ALWAYS_INLINE R NAME(abs1)(const T *x)
{
  const R re = ((const R *)x)[0], im = IS_COMPLEX ? ((const R *)x)[IS_COMPLEX] : 0;
  return (re < 0 ? -re : re) + (im < 0 ? -im : im);
}

/* The first, from 1, of the largest elements, or one that is not a number; 0: there is none. */
ALWAYS_INLINE int NAME(plain_amax)(int n, const T *x, int64_t inc)
{
  R largest = -1;
  int index = 0;
  for (int i = 0; i < n; i++) {
    const R size = NAME(abs1)(x + i * inc);
    if (!(size > largest || (size != size && largest == largest))) continue;
    largest = size;
    index = i + 1;
  }
  return index;
}

/* The 2-norm without over- or underflow: sums of squares of the tiny, the ordinary and the huge numbers apart (Blue,
 * ACM TOMS 4, 1978; bounds of Anderson, Algorithm 978, ACM TOMS 44, 2017).  A NaN is among the ordinary ones. */
#define IS_SINGLE (sizeof(R) == 4)
static const R NAME(tiny) = IS_SINGLE ? (R)0x1p-63 : (R)0x1p-511, NAME(huge) = IS_SINGLE ? (R)0x1p52 : (R)0x1p486;

typedef struct NAME(sums) {
  R small, medium, large;
} NAME(sums);

ALWAYS_INLINE void NAME(add_column)(NAME(sums) * s, int n, const T *x, int64_t inc)
{
  const R up = IS_SINGLE ? (R)0x1p75 : (R)0x1p537, down = IS_SINGLE ? (R)0x1p-76 : (R)0x1p-538;
  R small = 0, medium = 0, large = 0;
#pragma omp simd reduction(+ : small, medium, large)
  for (int i = 0; i < n; i++) {
    for (int part = 0; part < 1 + IS_COMPLEX; part++) {
      const R v = ((const R *)(x + i * inc))[part], a = v < 0 ? -v : v;
      const bool is_large = a > NAME(huge), is_small = a < NAME(tiny);
      const R scaled = a * (is_large ? down : is_small ? up : 1), square = scaled * scaled;
      large += is_large ? square : 0;
      small += is_small ? square : 0;
      medium += is_large || is_small ? 0 : square;
    }
  }
  s->small += small;
  s->medium += medium;
  s->large += large;
}

ALWAYS_INLINE R NAME(norm_of)(NAME(sums) s)
{
  const R up = IS_SINGLE ? (R)0x1p75 : (R)0x1p537, down = IS_SINGLE ? (R)0x1p-76 : (R)0x1p-538;
  if (s.large > 0) return SQRT(s.large + s.medium * down * down) / down;
  if (!(s.small > 0)) return SQRT(s.medium);
  const R x = SQRT(s.medium), y = SQRT(s.small) / up;
  if (!(x > 0)) return x == 0 ? y : x;
  const R most = x > y ? x : y, ratio = (x > y ? y : x) / most;
  return most * SQRT(1 + ratio * ratio);
}
#undef IS_SINGLE

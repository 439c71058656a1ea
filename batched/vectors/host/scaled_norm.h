/* SPDX-License-Identifier: BSD-3-Clause */

/* The 2-norm without over- or underflow: sums of squares of the tiny, the ordinary and the huge numbers apart (Blue,
 * ACM TOMS 4, 1978; bounds of Anderson, Algorithm 978, ACM TOMS 44, 2017).  A NaN is among the ordinary ones. */
#define IS_SINGLE (sizeof(R) == 4)
typedef struct NAME(sums) {
  R small, medium, large;
} NAME(sums);

ALWAYS_INLINE void NAME(add_column)(NAME(sums) * s, int n, const T *x, int64_t inc)
{
  const R tiny = IS_SINGLE ? (R)0x1p-63 : (R)0x1p-511, huge = IS_SINGLE ? (R)0x1p52 : (R)0x1p486;
  const R up = IS_SINGLE ? (R)0x1p75 : (R)0x1p537, down = IS_SINGLE ? (R)0x1p-76 : (R)0x1p-538;
  R small = 0, medium = 0, large = 0;
#pragma omp simd reduction(+ : small, medium, large)
  for (int i = 0; i < n; i++) {
    for (int part = 0; part < 1 + IS_COMPLEX; part++) {
      const R v = ((const R *)(x + i * inc))[part], a = v < 0 ? -v : v;
      const bool is_large = a > huge, is_small = a < tiny;
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

static R NAME(norm_of)(NAME(sums) s)
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of symv and hemv: y = alpha A x + beta y, SIMD along the columns of the triangle, each of which is read
 * once for both halves of A.  A lower triangle of real numbers goes by as many columns as a register has lanes, so that
 * each load of the result is of a register that was stored as one; the diagonal's registers are masked.  Others go by
 * four columns: rows outside of the four are those of registers, the few numbers in between a loop's.  Columns that are
 * left are the last of a lower triangle, the first of an upper one, and have no rows outside.  All go forwards:
 * backwards memory is not fetched ahead.
 */
#define VEC SIMD(vec)
#define W SIMD(LANES)
#define PARTS (1 + IS_COMPLEX)

enum { NAME(COLUMNS) = 4 };

/* a * x, x's real parts in re, and in im its imaginary parts with the signs of i x. */
ALWAYS_INLINE VEC NAME(times)(VEC a, VEC re, VEC im)
{
  return IS_COMPLEX ? a * re + SIMD(swap_neighbours)(a) * im : a * re;
}

/* x in all lanes, for `times`. */
ALWAYS_INLINE void NAME(spread)(T x, VEC *re, VEC *im)
{
  const R imaginary = IMAGINARY(x);
  VEC signs = (VEC){0} + imaginary;
  for (int l = 0; IS_COMPLEX && l < W; l += 2) signs[l] = -imaginary;
  *re = (VEC){0} + REAL(x);
  *im = signs;
}

/* Sums over rows of products of four columns with x: same, and in complex numbers with its parts exchanged. */
typedef struct NAME(symv_sums) {
  VEC same[NAME(COLUMNS)], cross[NAME(COLUMNS)];
} NAME(symv_sums);

/* The rows from number i on, a register or `left` numbers: product += A x of the four columns, and their sums. */
ALWAYS_INLINE void NAME(rows)(bool part, int i, int left, const R *const column[], const VEC *re, const VEC *im,
                              const R *x, R *product, NAME(symv_sums) * sums)
{
  const VEC v = part ? SIMD(load_part)(x + i, left) : SIMD(load)(x + i);
  VEC p = part ? SIMD(load_part)(product + i, left) : SIMD(load)(product + i);
#pragma GCC unroll 4
  for (int k = 0; k < NAME(COLUMNS); k++) {
    const VEC c = part ? SIMD(load_part)(column[k] + i, left) : SIMD(load)(column[k] + i);
    p += NAME(times)(c, re[k], im[k]);
    sums->same[k] += c * v;
    if (IS_COMPLEX) sums->cross[k] += c * SIMD(swap_neighbours)(v);
  }
  if (part)
    SIMD(store_part)(product + i, p, left);
  else
    SIMD(store)(product + i, p);
}

/* Sums of all numbers, or of those at even and at odd places. */
ALWAYS_INLINE void NAME(symv_join)(VEC x, R sum[2])
{
  const VEC all = SIMD(sums)(x, PARTS);
  sum[0] = all[0];
  sum[1] = IS_COMPLEX ? all[IS_COMPLEX] : 0;
}

/* The sum of a x, or conj(a) x, over the rows of column k. */
ALWAYS_INLINE T NAME(symv_sum)(bool conjugate, const NAME(symv_sums) * sums, int k)
{
  R same[2], cross[2];
  NAME(symv_join)(sums->same[k], same);
  NAME(symv_join)(sums->cross[k], cross);
  return conjugate ? FROM(same[0] + same[1], cross[0] - cross[1]) : FROM(same[0] - same[1], cross[0] + cross[1]);
}

/* Columns first .. first + COLUMNS - 1 with the rows begin .. end - 1, which are none of theirs: product += A x in
 * these rows, others += A x in those of the columns. */
ALWAYS_INLINE void NAME(outside)(bool conjugate, const T *a, int64_t ld, int first, int begin, int end, const T *x,
                                 T *product, T *others)
{
  NAME(symv_sums) sums = {{{0}}, {{0}}};
  const R *column[NAME(COLUMNS)];
  VEC re[NAME(COLUMNS)], im[NAME(COLUMNS)];
  const int end_of_rows = end * PARTS;
  int i = begin * PARTS;
  for (int k = 0; k < NAME(COLUMNS); k++) {
    column[k] = (const R *)(a + (first + k) * ld);
    NAME(spread)(x[first + k], &re[k], &im[k]);
  }
  for (; i + W <= end_of_rows; i += W) NAME(rows)(false, i, W, column, re, im, (const R *)x, (R *)product, &sums);
  if (i < end_of_rows) NAME(rows)(true, i, end_of_rows - i, column, re, im, (const R *)x, (R *)product, &sums);
  for (int k = 0; k < NAME(COLUMNS); k++) others[first + k] += NAME(symv_sum)(conjugate, &sums, k);
}

/* The triangle of the columns and rows first .. first + count - 1: others = A x. */
ALWAYS_INLINE void NAME(inside)(bool lower, bool hermitian, const T *a, int64_t ld, int first, int count, const T *x,
                                T *others)
{
  T sum[NAME(COLUMNS)] = {0};
  for (int j = 0; j < count; j++) {
    const T *column = a + (first + j) * ld + first;
    sum[j] += (hermitian ? REAL(column[j]) : column[j]) * x[first + j];
    for (int i = lower ? j + 1 : 0; i < (lower ? count : j); i++) {
      sum[i] += column[i] * x[first + j];
      sum[j] += (hermitian ? CONJ(column[i]) : column[i]) * x[first + i];
    }
  }
  for (int j = 0; j < count; j++) others[first + j] = sum[j];
}

#if !IS_COMPLEX
/* Columns first .. first + W - 1 of a lower triangle, from their rows on: product += A x in these and in those below,
 * others = A x, less the diagonal, in those of the columns. */
ALWAYS_INLINE void NAME(lower_columns)(const T *a, int64_t ld, int first, int n, const T *x, T *product, T *others)
{
  SIMD(mask) lane;
  const T *const begin = a + first * (ld + 1);
  const VEC here = SIMD(load)(x + first);
  VEC same[W], re[W], p = SIMD(load)(product + first);
  for (int l = 0; l < W; l++) lane[l] = l;
#pragma GCC unroll 16
  for (int k = 0; k < W; k++) {
    const SIMD(mask) c = (SIMD(mask))SIMD(load)(begin + k * ld);
    re[k] = (VEC){0} + x[first + k];
    p += (VEC)(c & (lane >= k)) * re[k];
    same[k] = (VEC)(c & (lane > k)) * here;
  }
  SIMD(store)(product + first, p);
  int i = first + W;
  for (; i + W <= n; i += W) {
    const VEC v = SIMD(load)(x + i);
    p = SIMD(load)(product + i);
#pragma GCC unroll 16
    for (int k = 0; k < W; k++) {
      const VEC c = SIMD(load)(a + i + (first + k) * ld);
      p += c * re[k];
      same[k] += c * v;
    }
    SIMD(store)(product + i, p);
  }
  if (i < n) {
    const VEC v = SIMD(load_part)(x + i, n - i);
    p = SIMD(load_part)(product + i, n - i);
#pragma GCC unroll 16
    for (int k = 0; k < W; k++) {
      const VEC c = SIMD(load_part)(a + i + (first + k) * ld, n - i);
      p += c * re[k];
      same[k] += c * v;
    }
    SIMD(store_part)(product + i, p, n - i);
  }
#pragma GCC unroll 16
  for (int k = 0; k < W; k++) others[first + k] = SIMD(sums)(same[k], 1)[0];
}
#endif

/* A x in two parts, n x n: what registers add, and what loops and sums give, or stores of one size would be waited for
 * by loads of the other. */
static void NAME(symv_parts)(bool lower, bool hermitian, int n, const T *a, int64_t ld, const T *x, T *product,
                             T *others)
{
  const int left = n % NAME(COLUMNS);
  int first = lower ? 0 : left;
#if !IS_COMPLEX
  for (; lower && first + W <= n; first += W) NAME(lower_columns)(a, ld, first, n, x, product, others);
#endif
  if (!lower) NAME(inside)(lower, hermitian, a, ld, 0, left, x, others);
  for (; first + NAME(COLUMNS) <= n; first += NAME(COLUMNS)) {
    const int begin = lower ? first + NAME(COLUMNS) : 0, end = lower ? n : first;
    NAME(inside)(lower, hermitian, a, ld, first, NAME(COLUMNS), x, others);
    if (begin < end) NAME(outside)(hermitian, a, ld, first, begin, end, x, product, others);
  }
  if (lower) NAME(inside)(lower, hermitian, a, ld, n - left, left, x, others);
}

static int NAME(simd)(batched_ctx *ctx, const batched_symv_args *s)
{
  const T alpha = FROM(s->alpha.re, s->alpha.im), beta = FROM(s->beta.re, s->beta.im);
  T *restrict product = batched_scratch_push(ctx, 3 * (size_t)s->a.n * sizeof(T));
  if (!product) return BATCHED_NO_MEMORY;
  T *x = product + s->a.n, *others = x + s->a.n;
  for (int64_t b = 0; b < s->y.count; b++) {
    const int n = batched_rows(&s->a, b), terms = alpha == 0 ? 0 : n;
    const int64_t incx = batched_increment(&s->x, b), incy = batched_increment(&s->y, b);
    const T *from = batched_at(&s->x, b);
    T *restrict y = batched_at(&s->y, b);
    memset(product, 0, (size_t)n * sizeof(T));
    if (terms == 0) memset(others, 0, (size_t)n * sizeof(T));
    for (int i = 0; i < terms; i++) x[i] = from[i * incx];
    NAME(symv_parts)
    (s->uplo == BATCHED_LOWER, s->hermitian, terms, batched_at(&s->a, b), batched_ld(&s->a, b), x, product, others);
    for (int i = 0; i < n; i++) {
      const T sum = alpha * (product[i] + others[i]);
      y[i * incy] = beta == 0 ? sum : sum + beta * y[i * incy];
    }
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

#undef VEC
#undef W
#undef PARTS

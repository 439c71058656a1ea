/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gemm: C in tiles of 1 to 4 vectors of rows x at most COLS(vectors) columns that stay in registers:
 * for each p, a column of op(A) times one number of op(B) for each column.  A complex column is a vector of (re, im)
 * pairs; its products with the real and with the imaginary part of b are summed apart, and joined at the end.
 *
 * With each p, a line of what the next matrices' A, B and C hold is fetched; a tile's share of them is about its own
 * number of vectors, and there are mostly as many steps.  Columns that don't fill a line are left to the processor,
 * which finds them by itself.
 */
#define VEC SIMD(vec)
#define W SIMD(LANES)
#define PARTS (IS_COMPLEX ? 2 : 1)
/* The widest tiles: sums fill three quarters of the registers, and half of them with one vector. */
#define SUMS (SIMD_REGISTERS * 3 / 4 / PARTS)
#define COLS(vectors) ((vectors) == 1 ? SUMS * 2 / 3 : SUMS / (vectors))
#define RE_OF(x) REAL(x)
#if IS_COMPLEX
#define IM_OF(x) (__imag__(x))
#else
#define IM_OF(x) ((R)0)
#endif

enum { NAME(LINE) = 64 }; /* bytes of a line of the caches */

/* The part of an operand that is still to be fetched. */
typedef struct NAME(lines) {
  const char *at, *end;
} NAME(lines);

/* The same tile of `count` matrices; the *_next are the distances, in reals, between their operands. */
typedef struct NAME(product) {
  int64_t count, a_next, b_next, c_next;
  int k;
  const R *a; /* view: op(A)'s rows of this tile; column p at a + p * a_step */
  int64_t a_step;
  const T *b; /* view: op(B)'s columns; element (p, j) at b[p * b_row + j * b_col] */
  int64_t b_row, b_col;
  bool conj_b;
  T alpha, beta;
  R *c; /* view: column j at c + j * c_step */
  int64_t c_step;
  NAME(lines) * next; /* borrowed: of the next matrices' A, B and C */
} NAME(product);

/* (-im, re) of each pair: times i. */
ALWAYS_INLINE VEC NAME(times_i)(VEC x)
{
  VEC sign;
  for (int l = 0; l < W; l++) sign[l] = l % 2 ? 1 : -1;
  return SIMD(swap_neighbours)(x) * sign;
}

ALWAYS_INLINE VEC NAME(scaled_by)(VEC x, T s)
{
  return IS_COMPLEX ? x * RE_OF(s) + NAME(times_i)(x) * IM_OF(s) : x * RE_OF(s);
}

/* C of a tile: alpha times the sums, and beta times the old C.  alpha and beta are looked at once, not with every
 * store. */
ALWAYS_INLINE void NAME(finish)(int vectors, int cols, int last, const NAME(product) * g, VEC sum[16][4], R *c)
{
  const T alpha = g->alpha, beta = g->beta;
  const int64_t c_step = g->c_step;
  if (alpha != 1) {
#pragma GCC unroll 16
    for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) sum[j][v] = NAME(scaled_by)(sum[j][v], alpha);
  }
  if (beta != 0) {
#pragma GCC unroll 16
    for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) {
        const VEC old = SIMD(load_part)(c + j * c_step + v * W, v < vectors - 1 ? W : last);
        sum[j][v] += NAME(scaled_by)(old, beta);
      }
  }
#pragma GCC unroll 16
  for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) SIMD(store_part)(c + j * c_step + v * W, sum[j][v], v < vectors - 1 ? W : last);
}

/* A line of each operand, if there is any. */
ALWAYS_INLINE void NAME(fetch)(const char *next[3], const int64_t step[3])
{
  __builtin_prefetch(next[0], 0);
  __builtin_prefetch(next[1], 0);
  __builtin_prefetch(next[2], 1);
#pragma GCC unroll 3
  for (int o = 0; o < 3; o++) next[o] += step[o];
}

/* A tile of one matrix, `vectors` x `cols`, both constant; the last vector has `last` elements. */
ALWAYS_INLINE void NAME(tile)(int vectors, int cols, int last, const NAME(product) * g, const R *a, const T *b, R *c)
{
  VEC re[16][4], im[16][4];
#pragma GCC unroll 16
  for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) re[j][v] = im[j][v] = (VEC){0};
  const bool fetch = vectors > 1 || last == W;
  const bool more = fetch && 2 * vectors * cols > 3 * g->k; // every other step takes two lines
  const char *next[3];
  int64_t step[3];
#pragma GCC unroll 3
  for (int o = 0; o < 3; o++) next[o] = g->next[o].at, step[o] = next[o] < g->next[o].end ? NAME(LINE) : 0;
  for (int p = 0; p < g->k; p++, a += g->a_step, b += g->b_row) {
    if (fetch) NAME(fetch)(next, step);
    if (more && p % 2) NAME(fetch)(next, step);
    VEC x[4];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++) x[v] = v < vectors - 1 ? SIMD(load)(a + v * W) : SIMD(load_part)(a + v * W, last);
#pragma GCC unroll 16
    for (int j = 0; j < cols; j++) {
      T y = b[j * g->b_col];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; v++) {
        re[j][v] += x[v] * RE_OF(y);
        if (IS_COMPLEX) im[j][v] += x[v] * IM_OF(y);
      }
    }
  }
#pragma GCC unroll 3
  for (int o = 0; o < 3; o++) g->next[o].at = next[o];
#pragma GCC unroll 16
  for (int j = 0; j < cols; j++)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; v++)
      if (IS_COMPLEX) re[j][v] += NAME(times_i)(im[j][v]) * (g->conj_b ? (R)-1 : (R)1);
  NAME(finish)(vectors, cols, last, g, re, c);
}

ALWAYS_INLINE void NAME(tiles)(int vectors, int cols, int last, const NAME(product) * g)
{
  for (int64_t i = 0; i < g->count; i++) NAME(tile)
  (vectors, cols, last, g, g->a + i * g->a_next, (const T *)((const R *)g->b + i * g->b_next), g->c + i * g->c_next);
}

#define CASE(vectors, columns) \
  case columns: \
    if (columns <= COLS(vectors)) NAME(tiles)(vectors, columns, last, g); \
    break;
#define CASES_6(v) CASE(v, 1) CASE(v, 2) CASE(v, 3) CASE(v, 4) CASE(v, 5) CASE(v, 6)
#define CASES_8(v) CASES_6(v) CASE(v, 7) CASE(v, 8)
#define CASES_12(v) CASES_8(v) CASE(v, 9) CASE(v, 10) CASE(v, 11) CASE(v, 12)
#define CASES_16(v) CASES_12(v) CASE(v, 13) CASE(v, 14) CASE(v, 15) CASE(v, 16)

static __attribute__((noinline)) void NAME(tile_1)(int cols, int last, const NAME(product) * g)
{
  switch (cols) {
    CASES_16(1)
  }
}

static __attribute__((noinline)) void NAME(tile_2)(int cols, int last, const NAME(product) * g)
{
  switch (cols) {
    CASES_12(2)
  }
}

static __attribute__((noinline)) void NAME(tile_3)(int cols, int last, const NAME(product) * g)
{
  switch (cols) {
    CASES_8(3)
  }
}

static __attribute__((noinline)) void NAME(tile_4)(int cols, int last, const NAME(product) * g)
{
  switch (cols) {
    CASES_6(4)
  }
}

/* Vectors of whole numbers of at most 8 bytes: a complex one of 4 + 4 bytes moves as a double. */
#if IS_COMPLEX
#define WHOLE(f) f##_f64
#else
#define WHOLE(f) SIMD(f)
#endif

/* A block of op(A), at most a vector of numbers in height and depth, by a transposition. */
ALWAYS_INLINE void NAME(pack_block)(bool conj, const T *a, int64_t ld, int rows, int depth, T *to, int step)
{
  VEC sign;
  WHOLE(vec) t[WHOLE(LANES)];
  for (int l = 0; l < W; l++) sign[l] = l % 2 && conj ? -1 : 1;
#pragma GCC unroll 16
  for (int l = 0; l < WHOLE(LANES); l++)
    t[l] = (WHOLE(vec))(l < rows ? SIMD(load_part)((const R *)(a + l * ld), depth * PARTS) : (VEC){0});
  WHOLE(transpose)(t);
#pragma GCC unroll 16
  for (int l = 0; l < WHOLE(LANES); l++)
    if (l < depth) SIMD(store)((R *)(to + (int64_t)l * step), IS_COMPLEX ? (VEC)t[l] * sign : (VEC)t[l]);
}

/* The same, of any size, number by number. */
static void NAME(copy_block)(bool conj, const T *a, int64_t ld, int rows, int depth, T *to, int step)
{
  for (int p = 0; p < depth && !conj; p++)
    for (int i = 0; i < rows; i++) to[(int64_t)p * step + i] = a[p + i * ld];
  for (int p = 0; p < depth && conj; p++)
    for (int i = 0; i < rows; i++) to[(int64_t)p * step + i] = CONJ(a[p + i * ld]);
}

/* Columns of op(A) for `rows` rows from i0 on, one after the other with `step` numbers between them: by blocks, but
 * for few numbers and those of 16 bytes. */
static void NAME(pack_panel)(batched_trans trans, const T *a, int64_t ld, int i0, int rows, int p0, int k, T *to,
                             int step)
{
  enum { SIDE = WHOLE(LANES), SHUFFLES = SIDE * (SIDE > 8 ? 4 : SIDE > 4 ? 3 : SIDE / 2) };
  const bool conj = IS_COMPLEX && trans == BATCHED_CONJ_TRANS;
  a += p0 + (int64_t)i0 * ld;
  if (sizeof(T) > 8) {
    NAME(copy_block)(conj, a, ld, rows, k, to, step);
    return;
  }
  for (int p = 0; p < k; p += SIDE) {
    const int depth = batched_min(SIDE, k - p);
    for (int i = 0; i < rows; i += SIDE) {
      const int height = batched_min(SIDE, rows - i);
      const T *from = a + p + i * ld;
      T *at = to + (int64_t)p * step + i;
      if (2 * height * depth > SHUFFLES)
        NAME(pack_block)(conj, from, ld, height, depth, at, step);
      else
        NAME(copy_block)(conj, from, ld, height, depth, at, step);
    }
  }
}

static inline int NAME(tiles_for)(int n, int most)
{
  return (n + most - 1) / most;
}

/* Columns of C in tiles of nearly equal width; moves g's B and C past them. */
static void NAME(row_panel)(int vectors, int last, int n, NAME(product) * g)
{
  const int tiles = NAME(tiles_for)(n, COLS(vectors));
  for (int t = 0; t < tiles; t++) {
    const int cols = n / tiles + (t < n % tiles);
    if (vectors == 1)
      NAME(tile_1)(cols, last, g);
    else if (vectors == 2)
      NAME(tile_2)(cols, last, g);
    else if (vectors == 3)
      NAME(tile_3)(cols, last, g);
    else
      NAME(tile_4)(cols, last, g);
    g->b += cols * g->b_col;
    g->c += cols * g->c_step;
  }
}

enum { NAME(DEPTH) = 256, NAME(PANEL) = 4 * SIMD_BYTES }; /* k at a time; bytes of a panel's column */

/* Row panels of at most 3 or 4 vectors, whichever makes fewer tiles. */
static int NAME(panels_for)(int vectors, int n)
{
  const int three = NAME(tiles_for)(vectors, 3), four = NAME(tiles_for)(vectors, 4);
  return four * NAME(tiles_for)(n, COLS(4)) < three * NAME(tiles_for)(n, COLS(3)) ? four : three;
}

/* `count` neighbours of one shape, a tile of all of them before the next tile: panels of rows, nearly equal in height,
 * for each DEPTH of k. */
static void NAME(multiply)(const batched_gemm_args *g, int64_t count, int m, int n, int k, const T *a, int64_t lda,
                           const T *b, int64_t ldb, T *c, int64_t ldc, T *panel, NAME(lines) next[3])
{
  const bool plain_a = g->transa == BATCHED_NO_TRANS, plain_b = g->transb == BATCHED_NO_TRANS;
  const int64_t reals = (int64_t)m * PARTS;
  const int vectors = (int)((reals + W - 1) / W);
  const int panels = NAME(panels_for)(vectors, n);
  NAME(product) tile = {.count = count, .alpha = FROM(g->alpha.re, g->alpha.im), .beta = FROM(g->beta.re, g->beta.im)};
  tile.a_next = a && count > 1 ? g->a.stride * PARTS : 0;
  tile.b_next = b && count > 1 ? g->b.stride * PARTS : 0;
  tile.c_next = count > 1 ? g->c.stride * PARTS : 0;
  tile.b_row = plain_b ? 1 : ldb;
  tile.b_col = plain_b ? ldb : 1;
  tile.c_step = ldc * PARTS;
  tile.next = next;
  tile.conj_b = g->transb == BATCHED_CONJ_TRANS;
  for (int p0 = 0; p0 == 0 || p0 < k; p0 += NAME(DEPTH)) {
    tile.k = batched_min(NAME(DEPTH), k - p0);
    for (int panel_index = 0, v0 = 0; panel_index < panels; panel_index++) {
      const int height = vectors / panels + (panel_index < vectors % panels), i0 = (int)((int64_t)v0 * W / PARTS);
      const int64_t left = reals - (int64_t)(v0 + height - 1) * W;
      const int last = left < W ? (int)left : W;
      if (plain_a) {
        tile.a = a ? (const R *)(a + i0 + p0 * lda) : NULL;
        tile.a_step = lda * PARTS;
      } else {
        const int rows = ((height - 1) * W + last) / PARTS;
        tile.a = (const R *)panel;
        tile.a_step = NAME(PANEL) / (int)sizeof(R);
        if (tile.k > 0) NAME(pack_panel)(g->transa, a, lda, i0, rows, p0, tile.k, panel, NAME(PANEL) / (int)sizeof(T));
      }
      tile.b = b ? b + p0 * tile.b_row : NULL;
      tile.c = (R *)(c + i0);
      NAME(row_panel)(height, last, n, &tile);
      v0 += height;
    }
    tile.beta = 1;
  }
}

enum { NAME(NEAR) = 24576 }; /* bytes that the first cache holds */

/* Matrices that one call of multiply takes: those of a uniform strided batch that are near when the next tile comes. */
static int64_t NAME(at_once)(const batched_gemm_args *g, int k)
{
  const bool uniform = !batched_is_variable(&g->a) && !batched_is_variable(&g->b) && !batched_is_variable(&g->c);
  if (!uniform || g->transa != BATCHED_NO_TRANS || !g->a.data || !g->b.data || !g->c.data) return 1;
  const int64_t elements = (int64_t)g->c.m * k + (int64_t)k * g->c.n + (int64_t)g->c.m * g->c.n;
  const int64_t many = NAME(NEAR) / (elements * (int64_t)sizeof(T) + 1);
  return many > 1 ? many : 1;
}

/* The lines of matrices first .. first + count - 1, of those that there are; none of a shared one. */
static NAME(lines) NAME(lines_of)(const batched_matrix *x, int64_t first, int64_t count)
{
  const NAME(lines) none = {(const char *)x, (const char *)x};
  if (count > x->count - first) count = x->count - first;
  if (count <= 0 || (!x->array && x->stride == 0)) return none;
  const int m = batched_rows(x, first), n = batched_cols(x, first);
  if (m == 0 || n == 0) return none;
  const char *at = batched_at(x, first);
  const int64_t elements = (count - 1) * x->stride + (n - 1) * (int64_t)batched_ld(x, first) + m;
  return (NAME(lines)){at, at + elements * (int64_t)sizeof(T)};
}

static int NAME(simd)(batched_ctx *ctx, const batched_gemm_args *g)
{
  const bool plain = g->transa == BATCHED_NO_TRANS;
  const bool used = g->alpha.re != 0 || (IS_COMPLEX && g->alpha.im != 0);
  T *panel = plain ? NULL : batched_scratch_push(ctx, NAME(DEPTH) * NAME(PANEL));
  if (!plain && !panel) return BATCHED_NO_MEMORY;
  for (int64_t i = 0, many = 1; i < g->c.count; i += many) {
    const int k = !used ? 0 : plain ? batched_cols(&g->a, i) : batched_rows(&g->a, i);
    const int m = batched_rows(&g->c, i), n = batched_cols(&g->c, i);
    if (m == 0 || n == 0) continue;
    many = NAME(at_once)(g, k);
    if (many > g->c.count - i) many = g->c.count - i;
    NAME(lines) next[3] = {0};
    if (k > 0) {
      next[0] = NAME(lines_of)(&g->a, i + many, many);
      next[1] = NAME(lines_of)(&g->b, i + many, many);
      next[2] = NAME(lines_of)(&g->c, i + many, many);
    }
    NAME(multiply)
    (g, many, m, n, k, k ? batched_at(&g->a, i) : NULL, batched_ld(&g->a, i), k ? batched_at(&g->b, i) : NULL,
     batched_ld(&g->b, i), batched_at(&g->c, i), batched_ld(&g->c, i), panel, next);
  }
  if (!plain) batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
#undef VEC
#undef W
#undef PARTS
#undef SUMS
#undef COLS
#undef CASE
#undef CASES_6
#undef CASES_8
#undef CASES_12
#undef CASES_16
#undef RE_OF
#undef IM_OF
#undef WHOLE

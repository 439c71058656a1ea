/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gemv: y in registers.  N: vectors of rows, a column of A at a time.  T, C: dot products of several
 * columns at once, and the sums over the lanes of all of them.  Complex numbers are vectors of (re, im) pairs, as in
 * gemm_simd.h.
 */
#include "batched/products/host/fold_simd.h"

#define VEC SIMD(vec)
#define W SIMD(LANES)
#define PARTS (IS_COMPLEX ? 2 : 1)
#define IM_OF(x) (IS_COMPLEX ? ((const R *)&(x))[IS_COMPLEX] : (R)0)

/* x, -x, x, -x, ... */
ALWAYS_INLINE VEC NAME(alternating)(R even, R odd)
{
  VEC x;
  for (int l = 0; l < W; l++) x[l] = l % 2 ? odd : even;
  return x;
}

/* sum(A x) for `vectors` (constant) vectors of rows.  Few rows make `chains` partial sums, to hide the latency. */
ALWAYS_INLINE void NAME(rows)(int vectors, int chains, int last, int n, const R *a, int64_t step, const T *x, R *y)
{
  VEC re[8], im[8];
#pragma GCC unroll 8
  for (int s = 0; s < vectors * chains; s++) re[s] = im[s] = (VEC){0};
  int j = 0;
  for (; j + chains <= n; j += chains) {
#pragma GCC unroll 4
    for (int c = 0; c < chains; c++) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; v++) {
        VEC e = SIMD(load_part)(a + (j + c) * step + v * W, v < vectors - 1 ? W : last);
        re[c * vectors + v] += e * REAL(x[j + c]);
        if (IS_COMPLEX) im[c * vectors + v] += e * IM_OF(x[j + c]);
      }
    }
  }
  for (; j < n; j++) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) {
      VEC e = SIMD(load_part)(a + j * step + v * W, v < vectors - 1 ? W : last);
      re[v] += e * REAL(x[j]);
      if (IS_COMPLEX) im[v] += e * IM_OF(x[j]);
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < vectors; v++) {
#pragma GCC unroll 4
    for (int c = 1; c < chains; c++) {
      re[v] += re[c * vectors + v];
      im[v] += im[c * vectors + v];
    }
    if (IS_COMPLEX) re[v] += SIMD(swap_neighbours)(im[v]) * NAME(alternating)(-1, 1);
    SIMD(store_part)(y + v * W, re[v], v < vectors - 1 ? W : last);
  }
}

/* y = A x, y and x without gaps. */
static void NAME(plain)(int m, int n, const T *a, int64_t ld, const T *x, T *y)
{
  const int64_t reals = (int64_t)m * PARTS;
  for (int64_t i = 0; i < reals; i += 4 * W) {
    const int left = reals - i < 4 * W ? (int)(reals - i) : 4 * W, vectors = (left + W - 1) / W,
              last = left - (vectors - 1) * W;
    const R *rows = (const R *)a + i;
    R *to = (R *)y + i;
    switch (vectors) {
    case 1: NAME(rows)(1, 4, last, n, rows, ld * PARTS, x, to); break;
    case 2: NAME(rows)(2, 4, last, n, rows, ld * PARTS, x, to); break;
    case 3: NAME(rows)(3, 2, last, n, rows, ld * PARTS, x, to); break;
    case 4: NAME(rows)(4, 2, last, n, rows, ld * PARTS, x, to); break;
    }
  }
}

#define DOTS (IS_COMPLEX ? W / 2 : W) /* columns at a time */

/* y[j] = sum of a(i, j) x(i), or of conj(a(i, j)) x(i), for `cols` <= DOTS columns.  Complex: column j's sums of re*re
 * and im*im go to sum[2 j], those of re*im and im*re to sum[2 j + 1]. */
ALWAYS_INLINE void NAME(dots)(int cols, bool conj, int m, const T *a, int64_t ld, const T *x, T *y)
{
  const int64_t reals = (int64_t)m * PARTS;
  VEC sum[SIMD(LANES)];
#pragma GCC unroll 16
  for (int l = 0; l < W; l++) sum[l] = (VEC){0};
  for (int64_t i = 0; i < reals; i += W) {
    const int part = reals - i < W ? (int)(reals - i) : W;
    const VEC xi = SIMD(load_part)((const R *)x + i, part);
    const VEC swapped = SIMD(swap_neighbours)(xi); // NOLINT: of no use in real types
#pragma GCC unroll 16
    for (int j = 0; j < cols; j++) {
      VEC e = SIMD(load_part)((const R *)(a + j * ld) + i, part);
      sum[j * PARTS] += e * xi;
      if (IS_COMPLEX) sum[j * 2 + 1] += e * swapped;
    }
  }
  if (IS_COMPLEX) {
#pragma GCC unroll 8
    for (int j = 0; j < W / 2; j++) {
      sum[2 * j] *=
        NAME(alternating)(1, conj ? 1 : -1); // no index that is not a constant: it would keep sums in memory
      sum[2 * j + 1] *= NAME(alternating)(1, conj ? -1 : 1);
    }
  }
  SIMD(store_part)((R *)y, SIMD(fold)(sum), cols * PARTS);
}

#define CASE(cols) \
  case cols: \
    NAME(dots)((cols) < DOTS ? (cols) : 0, conj, m, a, ld, x, y); \
    break;
#define CASES_3 CASE(1) CASE(2) CASE(3)
#define CASES_7 CASES_3 CASE(4) CASE(5) CASE(6) CASE(7)
#define CASES_15 CASES_7 CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)

/* y = A^T x or A^H x, y and x without gaps. */
static void NAME(transposed)(bool conj, int m, int n, const T *a, int64_t ld, const T *x, T *y)
{
  for (; n >= DOTS; n -= DOTS, a += DOTS * ld, y += DOTS) NAME(dots)(DOTS, conj, m, a, ld, x, y);
  switch (n) {
    CASES_15
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_gemv_args *g)
{
  const T alpha = FROM(g->alpha.re, g->alpha.im), beta = FROM(g->beta.re, g->beta.im);
  const bool plain = g->trans == BATCHED_NO_TRANS;
  T *product = batched_scratch_push(ctx, ((size_t)g->a.m + (size_t)g->a.n) * sizeof(T));
  if (!product) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->y.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), rows = plain ? m : n, cols = plain ? n : m;
    const int64_t incx = batched_increment(&g->x, b), incy = batched_increment(&g->y, b);
    T *y = batched_at(&g->y, b);
    const T *x = batched_at(&g->x, b);
    if (alpha == 0 || cols == 0) {
      for (int i = 0; i < rows; i++) product[i] = 0;
    } else {
      if (incx != 1) {
        T *packed = product + rows;
        for (int i = 0; i < cols; i++) packed[i] = x[i * incx];
        x = packed;
      }
      if (plain)
        NAME(plain)(m, n, batched_at(&g->a, b), batched_ld(&g->a, b), x, product);
      else
        NAME(transposed)(g->trans == BATCHED_CONJ_TRANS, m, n, batched_at(&g->a, b), batched_ld(&g->a, b), x, product);
    }
    if (beta == 0)
      for (int i = 0; i < rows; i++) y[i * incy] = alpha * product[i];
    else
      for (int i = 0; i < rows; i++) y[i * incy] = alpha * product[i] + beta * y[i * incy];
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}
#undef VEC
#undef W
#undef PARTS
#undef IM_OF
#undef DOTS
#undef CASE
#undef CASES_3
#undef CASES_7
#undef CASES_15

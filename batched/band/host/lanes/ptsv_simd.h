/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.simd of pttrf, pttrs and ptsv: a definite tridiagonal matrix in each SIMD lane, L D L^H row by row;
 * right-hand sides four (complex ones two) at a time.
 */
#include "batched/band/host/lanes/lines_simd.h"

/* D's real numbers, of vectors that are columns. */
static void NAME(pack_diagonal)(const batched_matrix *d, const batched_group *g, int n, VEC *to)
{
  for (int k = 0; k < n; k += W) {
    const int part = batched_min(W, n - k);
    VEC t[SIMD(LANES)];
    for (int l = 0; l < W; l++) t[l] = SIMD(load_part)((const R *)batched_at(d, g->index[l]) + k, part);
    SIMD(transpose)(t);
    for (int i = 0; i < part; i++) to[k + i] = t[i];
  }
}

static void NAME(unpack_diagonal)(const batched_matrix *d, const batched_group *g, int n, const VEC *from)
{
  for (int k = 0; k < n; k += W) {
    const int part = batched_min(W, n - k);
    VEC t[SIMD(LANES)];
    for (int i = 0; i < W; i++) t[i] = i < part ? from[k + i] : (VEC){0};
    SIMD(transpose)(t);
    for (int l = 0; l < g->active; l++) SIMD(store_part)((R *)batched_at(d, g->index[l]) + k, t[l], part);
  }
}

/* e becomes L's, and d loses |e|^2 / d.  A matrix with a pivot that is not positive stays as it is from there on. */
static MASK NAME(factor_definite_lines)(int n, VEC *d, ELEM *e)
{
  MASK info = {0};
  VEC pivot = d[0];
  for (int k = 0; k < n; k++) {
    info |= ~(pivot > 0) & (info == 0) & (k + 1);
    d[k] = pivot;
    if (k == n - 1) break;
    const MASK goes_on = info == 0;
#if IS_COMPLEX
    const ELEM l = {e[k].re / pivot, e[k].im / pivot};
    const VEC product = l.re * e[k].re + l.im * e[k].im;
#else
    const ELEM l = e[k] / pivot;
    const VEC product = l * e[k];
#endif
    pivot = SIMD(select)(goes_on, d[k + 1] - product, d[k + 1]);
    e[k] = NAME(choose)(goes_on, l, e[k]);
  }
  return info;
}

/* L D L^H x = y in place; where `conj` says so, e is that of U = L^H. */
ALWAYS_INLINE void NAME(solve_definite_lines)(int sides, bool conj, int n, const VEC *d, const ELEM *e, ELEM *y)
{
  ELEM x[4];
#pragma GCC unroll 4
  for (int j = 0; j < sides; j++) x[j] = y[(int64_t)j * n];
  for (int k = 1; k < n; k++)
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *at = y + k + (int64_t)j * n;
      *at = x[j] = NAME(fms)(*at, e[k - 1], x[j], conj, false);
    }
  for (int k = n - 1; k >= 0; k--)
#pragma GCC unroll 4
    for (int j = 0; j < sides; j++) {
      ELEM *at = y + k + (int64_t)j * n, sum = *at;
#if IS_COMPLEX
      sum = (ELEM){sum.re / d[k], sum.im / d[k]};
#else
      sum = sum / d[k];
#endif
      if (k < n - 1) sum = NAME(fms)(sum, e[k], x[j], !conj, false);
      *at = x[j] = sum;
    }
}

/* All right-hand sides of a group, `y` with room for SIDES of them. */
static void NAME(solve_definite)(const batched_matrix *sides, const batched_group *g, bool conj, const VEC *d,
                                 const ELEM *e, ELEM *y)
{
  NAME(matrices) b;
  if (g->n == 0) return;
  NAME(matrices_of)(sides, g, &b);
  for (int j = 0; j < g->n;) {
    const int some = j + NAME(SIDES) <= g->n ? NAME(SIDES) : 1;
    NAME(pack)(&b, 0, j, g->m, some, false, y);
    if (some > 1 && conj)
      NAME(solve_definite_lines)(NAME(SIDES), true, g->m, d, e, y);
    else if (some > 1)
      NAME(solve_definite_lines)(NAME(SIDES), false, g->m, d, e, y);
    else
      NAME(solve_definite_lines)(1, conj, g->m, d, e, y);
    NAME(unpack)(&b, g->active, 0, j, g->m, some, false, y);
    j += some;
  }
}

/* Factors where told, with info; solves for right-hand sides where there are some. */
static int NAME(ptsv_simd)(batched_ctx *ctx, bool factors, batched_uplo uplo, const batched_ptsv_args *p)
{
  const bool solves = p->b.count > 0, conj = uplo == BATCHED_UPPER;
  const size_t n = (size_t)(solves ? p->b.m : p->d.m);
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, solves ? &p->b : &p->d, W);
  if (status) return status;
  ELEM *e = batched_scratch_push(ctx, n * ((1 + NAME(SIDES)) * sizeof(ELEM) + sizeof(VEC))), *y = e + n;
  VEC *d = (VEC *)(y + NAME(SIDES) * n);
  while (e && batched_groups_next(&groups, &g)) {
    MASK info = {0};
    if (g.m > 0) {
      NAME(pack_diagonal)(&p->d, &g, g.m, d);
      NAME(pack_line)(&p->e, &g, g.m - 1, e);
      if (factors) {
        info = NAME(factor_definite_lines)(g.m, d, e);
        NAME(unpack_diagonal)(&p->d, &g, g.m, d);
        NAME(unpack_line)(&p->e, &g, g.m - 1, e);
      }
      if (solves) NAME(solve_definite)(&p->b, &g, conj, d, e, y);
    }
    for (int l = 0; factors && l < g.active; l++) p->info[g.index[l]] = (int)info[l];
  }
  if (e) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return e ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

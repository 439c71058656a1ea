/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A = Q T Q^H with a matrix in each lane, of the lower triangle as LAPACK's hetd2: element (i, j) at x[i + j * n].  The
 * triangle is read once per column: the update by one reflector and the product with the next one are a single sweep.
 */
#include "batched/qr/host/reflectors_simd.h"

/* A -= v w^H + w v^H, and y -= A u. */
typedef struct NAME(two_sided) {
  const ELEM *v, *w, *u;
  ELEM *y;
} NAME(two_sided);

/* Both for `cols` columns of the triangle from c on; cols is a constant. */
ALWAYS_INLINE void NAME(sweep_columns)(int cols, int n, int c, const NAME(two_sided) * s, ELEM *x)
{
  ELEM vc[2], wc[2], uc[2], sum[2];
  for (int j = 0; j < cols; j++) {
    vc[j] = s->v[c + j];
    wc[j] = s->w[c + j];
    uc[j] = s->u[c + j];
    sum[j] = NAME(make)((VEC){0});
  }
  for (int i = c; i < n; i++) {
    const ELEM v = s->v[i], w = s->w[i], u = s->u[i];
    ELEM y = s->y[i];
#pragma GCC unroll 2
    for (int j = 0; j < cols; j++) {
      ELEM *e = &x[i + (c + j) * n];
      if (i < c + j) continue;
      *e = NAME(fms)(NAME(fms)(*e, v, wc[j], false, true), w, vc[j], false, true);
      if (i == c + j) *e = NAME(make)(RE(*e));
      y = NAME(fms)(y, *e, uc[j], false, false);
      if (i > c + j) sum[j] = NAME(fms)(sum[j], *e, u, true, false);
    }
    s->y[i] = y;
  }
  for (int j = 0; j < cols; j++) s->y[c + j] = NAME(plus)(s->y[c + j], sum[j]);
}

/* w = tau A u - 1/2 tau (w^H u) u from y = -A u, elements `first` .. n - 1. */
static void NAME(finish_product)(int first, int n, ELEM tau, const ELEM *u, const ELEM *y, ELEM *w)
{
  const ELEM minus = NAME(scaled)(tau, SIMD(splat)(-1)), half = NAME(scaled)(tau, SIMD(splat)((R)0.5));
  ELEM dot = NAME(make)((VEC){0});
  for (int i = first; i < n; i++) {
    w[i] = NAME(times)(minus, y[i]);
    dot = NAME(plus)(dot, NAME(times)(NAME(conjugate)(w[i]), u[i]));
  }
  dot = NAME(times)(half, dot);
  for (int i = first; i < n; i++) w[i] = NAME(fms)(w[i], dot, u[i], false, false);
}

/* Leaves d, e and tau, and the reflectors below the diagonal of x; work: four vectors of length n. */
static void NAME(tridiagonalise_lanes)(int n, ELEM *x, VEC *d, VEC *e, ELEM *tau, ELEM *work)
{
  ELEM *v = work, *w = work + n, *u = work + 2 * n, *const y = work + 3 * n;
  for (int i = 0; i < n; i++) v[i] = w[i] = NAME(make)((VEC){0});
  for (int j = 0; j < n; j++) {
    ELEM *const column = x + j * n;
    for (int i = j; i < n; i++)
      column[i] = NAME(fms)(NAME(fms)(column[i], v[i], w[j], false, true), w[i], v[j], false, true);
    column[j] = NAME(make)(RE(column[j]));
    d[j] = RE(column[j]);
    if (j == n - 1) break;
    tau[j] = NAME(make_reflector_lanes)(n - 1 - j, column + j + 1);
    e[j] = RE(column[j + 1]);
    for (int i = j + 1; i < n; i++) {
      u[i] = column[i];
      y[i] = NAME(make)((VEC){0});
    }
    u[j + 1] = NAME(make)(SIMD(splat)(1));
    const NAME(two_sided) s = {v, w, u, y};
    int c = j + 1;
    for (; c < n - 1; c += 2) NAME(sweep_columns)(2, n, c, &s, x);
    if (c < n) NAME(sweep_columns)(1, n, c, &s, x);
    NAME(finish_product)(j + 1, n, tau[j], u, y, w);
    ELEM *const t = v;
    v = u;
    u = t;
  }
}

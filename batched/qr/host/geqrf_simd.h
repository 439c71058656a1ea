/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR with a matrix in each lane: element (i, j) at x[i + j * m].
 */
#include "batched/host/lanes.h"

/* Makes the reflector of `len` elements, as LAPACK's larfg, on a column that a power of two has brought near 1. */
static ELEM NAME(make_reflector_lanes)(int len, ELEM *x)
{
  VEC size = {0}, tail = {0}, up, down;
  for (int i = 0; i < len; i++) size = SIMD(max)(size, NAME(magnitude)(x[i]));
  SIMD(power_of_two)(size, &up, &down);
  const ELEM alpha = NAME(scaled)(x[0], down);
  for (int i = 1; i < len; i++) tail += NAME(square)(NAME(scaled)(x[i], down));
  const VEC norm = SIMD(sqrt)(tail + NAME(square)(alpha)), beta = -SIMD(with_sign)(norm, RE(alpha));
  MASK none = tail == 0;
#if IS_COMPLEX
  none &= alpha.im == 0;
  const ELEM d = {alpha.re - beta, alpha.im}, tau = {(beta - alpha.re) / beta, -alpha.im / beta};
  const VEC r = 1 / NAME(square)(d);
  const ELEM inverse = {d.re * r, -d.im * r};
#else
  const ELEM tau = (beta - alpha) / beta, inverse = 1 / (alpha - beta);
#endif
  const ELEM zero = NAME(make)((VEC){0}), scale = NAME(choose)(none, zero, inverse);
  for (int i = 1; i < len; i++) x[i] = NAME(times)(NAME(scaled)(x[i], down), scale);
  x[0] = NAME(choose)(none, x[0], NAME(make)(beta * up));
  return NAME(choose)(none, zero, tau);
}

/* c = H^H c for a constant number of columns, m elements apart. */
ALWAYS_INLINE void NAME(reflect_lanes)(int cols, int len, int m, const ELEM *v, ELEM tau, ELEM *c)
{
  ELEM f[4]; /* minus v^H c, then times conj(tau) */
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) f[j] = NAME(scaled)(c[j * m], SIMD(splat)(-1));
  for (int i = 1; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) f[j] = NAME(fms)(f[j], v[i], c[i + j * m], true, false);
#pragma GCC unroll 4
  for (int j = 0; j < cols; j++) {
    f[j] = NAME(times)(NAME(conjugate)(tau), f[j]);
    c[j * m] = NAME(plus)(c[j * m], f[j]);
    f[j] = NAME(scaled)(f[j], SIMD(splat)(-1));
  }
  for (int i = 1; i < len; i++)
#pragma GCC unroll 4
    for (int j = 0; j < cols; j++) c[i + j * m] = NAME(fms)(c[i + j * m], v[i], f[j], false, false);
}

static void NAME(factor_lanes)(int m, int n, ELEM *x, ELEM *tau)
{
  for (int j = 0; j < batched_min(m, n); j++) {
    ELEM *v = x + j + j * m;
    tau[j] = NAME(make_reflector_lanes)(m - j, v);
    for (int c = j + 1; c < n; c += 4) {
      switch (batched_min(4, n - c)) {
      case 1: NAME(reflect_lanes)(1, m - j, m, v, tau[j], x + j + c * m); break;
      case 2: NAME(reflect_lanes)(2, m - j, m, v, tau[j], x + j + c * m); break;
      case 3: NAME(reflect_lanes)(3, m - j, m, v, tau[j], x + j + c * m); break;
      case 4: NAME(reflect_lanes)(4, m - j, m, v, tau[j], x + j + c * m); break;
      }
    }
  }
}

static void NAME(store_tau)(const batched_matrix *tau, const batched_group *g, int k, const ELEM *from)
{
  for (int l = 0; l < g->active; l++) {
    T *to = batched_at(tau, g->index[l]);
    const int64_t inc = batched_increment(tau, g->index[l]);
#if IS_COMPLEX
    for (int i = 0; i < k; i++) to[i * inc] = FROM(from[i].re[l], from[i].im[l]);
#else
    for (int i = 0; i < k; i++) to[i * inc] = from[i][l];
#endif
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_geqrf_args *p)
{
  const size_t most = (size_t)p->a.m * (size_t)p->a.n, k = (size_t)batched_min(p->a.m, p->a.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, (most + k) * sizeof(ELEM));
  if (x) {
    while (batched_groups_next(&groups, &g)) {
      if (g.m == 0 || g.n == 0) continue;
      NAME(matrices) a;
      NAME(matrices_of)(&p->a, &g, &a);
      const bool dense = NAME(is_dense)(&a, g.m);
      NAME(pack)(&a, 0, 0, g.m, g.n, dense, x);
      NAME(factor_lanes)(g.m, g.n, x, x + most);
      NAME(unpack)(&a, g.active, 0, 0, g.m, g.n, dense, x);
      NAME(store_tau)(&p->tau, &g, batched_min(g.m, g.n), x + most);
    }
    batched_scratch_pop(ctx);
  }
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

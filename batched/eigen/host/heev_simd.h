/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of heev: the cyclic Jacobi method, two-sided, a matrix per SIMD lane, until no lane has a large element
 * beside the diagonal.
 */
#include "batched/eigen/host/jacobi_simd.h"

/* Zero the element (p, q) of the Hermitian matrix whose upper triangle is in x; tells the lanes where it was not small.
 * Elements beside the diagonal are stored once: the three loops know where. */
ALWAYS_INLINE MASK NAME(zero_element)(int n, int p, int q, ELEM *x, ELEM *v)
{
  const ELEM apq = x[p + q * n];
  const VEC g2 = NAME(square)(apq);
  const MASK active = g2 > (EPS / 16) * (EPS / 16);
  if (!SIMD(any)(active)) return active;
  VEC shift;
  const NAME(rotor) r = NAME(make_rotor)(RE(x[p + p * n]), RE(x[q + q * n]), apq, g2, active, &shift);
  x[p + p * n] = NAME(make)(RE(x[p + p * n]) - shift);
  x[q + q * n] = NAME(make)(RE(x[q + q * n]) + shift);
  x[p + q * n] = NAME(choose)(active, NAME(make)((VEC){0}), apq);
  for (int k = 0; k < p; k++) NAME(rotate_two)(&r, &x[k + p * n], &x[k + q * n], false, false);
  for (int k = p + 1; k < q; k++) NAME(rotate_two)(&r, &x[p + k * n], &x[k + q * n], true, false);
  for (int k = q + 1; k < n; k++) NAME(rotate_two)(&r, &x[p + k * n], &x[q + k * n], true, true);
  if (v) NAME(rotate_columns)(n, &r, v + p * n, v + q * n, 1);
  return active;
}

/* Cyclic sweeps until no lane has an element above eps / 16 (the largest is about 1).  The lanes that did not get
 * there. */
ALWAYS_INLINE MASK NAME(diagonalize_lanes)(int n, ELEM *x, ELEM *v)
{
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = (MASK){0};
    for (int p = 0; p < n - 1; p++)
      for (int q = p + 1; q < n; q++) active |= NAME(zero_element)(n, p, q, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

/* Orders 2 and 3 without loops, in registers. */
ALWAYS_INLINE MASK NAME(diagonalize_2)(ELEM *x, ELEM *v)
{
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = NAME(zero_element)(2, 0, 1, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

ALWAYS_INLINE MASK NAME(diagonalize_3)(ELEM *x, ELEM *v)
{
  MASK active = {0};
  for (int sweep = 0; sweep < NAME(MAX_SWEEPS); sweep++) {
    active = NAME(zero_element)(3, 0, 1, x, v) | NAME(zero_element)(3, 0, 2, x, v) | NAME(zero_element)(3, 1, 2, x, v);
    if (!SIMD(any)(active)) break;
  }
  return active;
}

static MASK NAME(diagonalize_group)(int n, ELEM *x, ELEM *v)
{
  ELEM sx[9], sv[9];
  MASK failed;
  if (n != 2 && n != 3) return NAME(diagonalize_lanes)(n, x, v);
  for (int i = 0; i < n * n; i++) {
    sx[i] = x[i];
    sv[i] = v ? v[i] : x[i];
  }
  if (n == 2)
    failed = v ? NAME(diagonalize_2)(sx, sv) : NAME(diagonalize_2)(sx, NULL);
  else
    failed = v ? NAME(diagonalize_3)(sx, sv) : NAME(diagonalize_3)(sx, NULL);
  for (int i = 0; i < n * n; i++) {
    x[i] = sx[i];
    if (v) v[i] = sv[i];
  }
  return failed;
}

/* The upper triangle in x: brought there from the lower one, made finite, and scaled.  Lanes that were not finite. */
static MASK NAME(prepare)(batched_uplo uplo, int n, ELEM *x, VEC *scale)
{
  MASK bad = {0};
  VEC largest = {0}, inverse;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i <= j; i++) {
      ELEM *e = &x[i + j * n];
      if (uplo == BATCHED_LOWER) *e = NAME(conjugate)(x[j + i * n]);
      if (i == j) *e = NAME(make)(RE(*e));
      bad |= NAME(not_finite)(*e);
      largest = SIMD(max)(NAME(magnitude)(*e), largest);
    }
  }
  largest = SIMD(select)(bad, SIMD(splat)(1), largest);
  SIMD(power_of_two)(largest, scale, &inverse);
  for (int j = 0; j < n; j++)
    for (int i = 0; i <= j; i++)
      x[i + j * n] = NAME(choose)(bad, NAME(make)((VEC){0}), NAME(scaled)(x[i + j * n], inverse));
  return bad;
}

/* Component i of vector j is v[i * row + j * col]; NULL: there are none. */
static void NAME(store)(const batched_heev_args *h, const batched_group *g, MASK failed, const VEC *w, const MASK *from,
                        const ELEM *v, int64_t row, int64_t col)
{
  const int n = g->n;
  for (int l = 0; l < g->active; l++) {
    const int64_t b = g->index[l], inc = batched_increment(&h->w, b), ld = batched_ld(&h->a, b);
    R *to = batched_at(&h->w, b);
    T *a = batched_at(&h->a, b);
    h->info[b] = failed[l] ? n : 0;
    for (int i = 0; i < n; i++) to[i * inc] = failed[l] ? (R)__builtin_nan("") : w[i][l];
    if (v && failed[l]) NAME(fill_nan)(n, n, a, ld);
    if (!v || failed[l]) continue;
    for (int j = 0; j < n; j++) {
      const ELEM *column = v + from[j][l] * col;
      for (int i = 0; i < n; i++) a[i + j * ld] = NAME(lane)(&column[i * row], l);
    }
  }
}

/* Room for a group: x and v for a matrix each, v NULL where there are no vectors; w and from for a vector each. */
static void NAME(solve_by_jacobi)(const batched_heev_args *h, const batched_group *g, ELEM *x, ELEM *v, VEC *w,
                                  MASK *from)
{
  NAME(matrices) a;
  VEC scale;
  NAME(matrices_of)(&h->a, g, &a);
  NAME(pack_triangle)(&a, h->uplo, g->n, x);
  MASK failed = NAME(prepare)(h->uplo, g->n, x, &scale);
  if (v) NAME(set_unit)(g->n, v);
  failed |= NAME(diagonalize_group)(g->n, x, v);
  for (int i = 0; i < g->n; i++) w[i] = RE(x[i + i * g->n]) * scale + 0;
  NAME(sort_lanes)(g->n, w, from, true);
  NAME(store)(h, g, failed, w, from, v, 1, g->n);
}

static int NAME(simd)(batched_ctx *ctx, const batched_heev_args *h)
{
  const size_t most = (size_t)h->a.n;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &h->a, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, 2 * most * most * sizeof(ELEM) + most * (sizeof(VEC) + sizeof(MASK)));
  VEC *w = (VEC *)(x + 2 * most * most);
  while (x && batched_groups_next(&groups, &g))
    NAME(solve_by_jacobi)(h, &g, x, h->job == BATCHED_VECTORS ? x + most * most : NULL, w, (MASK *)(w + most));
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/eigen/host/heev_simd_qr.h"
#undef SMALL
#include "batched/host/lanes_end.h"

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows host.simd of gtsv and gttrf: tridiagonal systems, a matrix in each SIMD lane, by elimination with partial
 * pivoting, where each lane has exchanges of its own.  gtsv: row k of U takes the place of the diagonals' elements k,
 * with the reciprocal of its own diagonal, and the caller's diagonals stay as they are; a matrix with a pivot so small
 * that it may have none is solved by host.ref's loops.  gttrf: L, U and the exchanges are kept as LAPACK keeps them.
 */
#include "batched/band/host/lanes/lines_simd.h"

typedef struct NAME(lines) {
  int n, nrhs;
  ELEM *dl, *d, *du, *y; /* y: column after column */
} NAME(lines);

/* State of the matrices in the lanes: info, and whether a pivot is so small that it may have no reciprocal. */
typedef struct NAME(outcome) {
  MASK info, extreme;
} NAME(outcome);

/* 1 / x, 1 for 0; the lanes where x is 0 or not a number have info k. */
ALWAYS_INLINE ELEM NAME(pivot_reciprocal)(ELEM x, int k, NAME(outcome) * out)
{
  const ELEM one = NAME(make)(SIMD(splat)(1));
  const R least = sizeof(R) == 4 ? 0x1p-122f : (R)0x1p-1018;
  const VEC size = NAME(sizes)(x);
  out->info |= ~(size > 0) & (out->info == 0) & k;
  out->extreme |= size < least;
  return NAME(quotient)(one, NAME(choose)(size == 0, one, x));
}

static NAME(outcome) NAME(eliminate_lines)(const NAME(lines) * a)
{
  const int n = a->n;
  const ELEM zero = NAME(make)((VEC){0});
  ELEM top = a->d[0], right = n > 1 ? a->du[0] : zero;
  NAME(outcome) out = {{0}, {0}};
  for (int k = 0; k < n - 1; k++) {
    const ELEM low = a->dl[k], next = a->d[k + 1], beside = k < n - 2 ? a->du[k + 1] : zero;
    const MASK exchange = NAME(sizes)(low) > NAME(sizes)(top);
    const ELEM u = NAME(choose)(exchange, next, right), fill = NAME(choose)(exchange, beside, zero);
    a->d[k] = NAME(pivot_reciprocal)(NAME(choose)(exchange, low, top), k + 1, &out);
    a->du[k] = u;
    a->dl[k] = fill;
    const ELEM l = NAME(times)(NAME(choose)(exchange, top, low), a->d[k]);
    top = NAME(fms)(NAME(choose)(exchange, right, next), l, u, false, false);
    right = NAME(choose)(exchange, NAME(fms)(zero, l, fill, false, false), beside);
    for (int j = 0; j < a->nrhs; j++) {
      ELEM *y = a->y + k + (int64_t)j * n;
      const ELEM first = NAME(choose)(exchange, y[1], y[0]), second = NAME(choose)(exchange, y[0], y[1]);
      y[0] = first;
      y[1] = NAME(fms)(second, l, first, false, false);
    }
  }
  a->d[n - 1] = NAME(pivot_reciprocal)(top, n, &out);
  return out;
}

static void NAME(substitute_lines)(const NAME(lines) * a, ELEM *y)
{
  const int n = a->n;
  ELEM x1 = NAME(make)((VEC){0}), x2 = x1;
  for (int k = n - 1; k >= 0; k--) {
    ELEM sum = y[k];
    if (k < n - 1) sum = NAME(fms)(sum, a->du[k], x1, false, false);
    if (k < n - 2) sum = NAME(fms)(sum, a->dl[k], x2, false, false);
    x2 = x1;
    y[k] = x1 = NAME(times)(sum, a->d[k]);
  }
}

/* L in dl, U in d, du and du2, as LAPACK's gttrf; exchanged[k]: rows k and k + 1 were exchanged. */
static MASK NAME(factor_lines)(const NAME(lines) * a, ELEM *du2, MASK *exchanged)
{
  const int n = a->n;
  const ELEM zero = NAME(make)((VEC){0}), one = NAME(make)(SIMD(splat)(1));
  ELEM top = a->d[0], right = n > 1 ? a->du[0] : zero;
  MASK info = {0};
  for (int k = 0; k < n; k++) {
    const bool below = k < n - 1;
    const ELEM low = below ? a->dl[k] : zero, next = below ? a->d[k + 1] : zero,
               beside = k < n - 2 ? a->du[k + 1] : zero;
    const MASK exchange = NAME(sizes)(low) > NAME(sizes)(top);
    const ELEM u = NAME(choose)(exchange, next, right), pivot = NAME(choose)(exchange, low, top);
    const VEC size = NAME(sizes)(pivot);
    info |= ~(size > 0) & (info == 0) & (k + 1);
    exchanged[k] = exchange;
    a->d[k] = pivot;
    if (!below) break;
    const ELEM l = NAME(quotient)(NAME(choose)(exchange, top, low), NAME(choose)(size == 0, one, pivot));
    const ELEM fill = NAME(choose)(exchange, beside, zero);
    a->du[k] = u;
    du2[k] = fill;
    a->dl[k] = l;
    top = NAME(fms)(NAME(choose)(exchange, right, next), l, u, false, false);
    right = NAME(choose)(exchange, NAME(fms)(zero, l, fill, false, false), beside);
  }
  return info;
}

static int NAME(gttrf_simd)(batched_ctx *ctx, const batched_gttrf_args *p)
{
  const size_t n = (size_t)batched_vector_bound(&p->d);
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->d, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, n * (4 * sizeof(ELEM) + sizeof(MASK)));
  while (x && batched_groups_next(&groups, &g)) {
    const NAME(lines) a = {g.m, 0, x, x + n, x + 2 * n, NULL};
    ELEM *const du2 = x + 3 * n;
    MASK *const exchanged = (MASK *)(x + 4 * n), info = {0};
    if (a.n > 0) {
      NAME(pack_line)(&p->dl, &g, a.n - 1, a.dl);
      NAME(pack_line)(&p->d, &g, a.n, a.d);
      NAME(pack_line)(&p->du, &g, a.n - 1, a.du);
      info = NAME(factor_lines)(&a, du2, exchanged);
      NAME(unpack_line)(&p->dl, &g, a.n - 1, a.dl);
      NAME(unpack_line)(&p->d, &g, a.n, a.d);
      NAME(unpack_line)(&p->du, &g, a.n - 1, a.du);
      NAME(unpack_line)(&p->du2, &g, a.n - 2, du2);
    }
    for (int l = 0; l < g.active; l++) {
      int *const ipiv = p->ipiv + g.index[l] * (int64_t)n;
      for (int k = 0; k < a.n; k++) ipiv[k] = k + 1 - (int)exchanged[k][l];
      p->info[g.index[l]] = (int)info[l];
    }
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

/* Solves the matrices in the lanes `extreme` where they are, and takes the solutions and what they have in info. */
static void NAME(solve_extreme)(const batched_gtsv_args *p, const batched_group *g, const NAME(lines) * a,
                                NAME(outcome) * out)
{
  NAME(matrices) b;
  for (int l = 0; l < g->active; l++)
    if (out->extreme[l]) out->info[l] = NAME(gtsv_one)(p, g->index[l]);
  if (a->nrhs == 0) return;
  NAME(matrices_of)(&p->b, g, &b);
  for (int j = 0; j < a->nrhs; j++) {
    ELEM *y = a->y + (int64_t)j * a->n;
    NAME(pack)(&b, 0, j, a->n, 1, false, a->d);
    for (int i = 0; i < a->n; i++) y[i] = NAME(choose)(out->extreme, a->d[i], y[i]);
  }
}

static int NAME(gtsv_simd)(batched_ctx *ctx, const batched_gtsv_args *p)
{
  const size_t n = (size_t)p->b.m, numbers = n * ((size_t)p->b.n + 3);
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->b, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, numbers * sizeof(ELEM));
  while (x && batched_groups_next(&groups, &g)) {
    const NAME(lines) a = {g.m, g.n, x, x + n, x + 2 * n, x + 3 * n};
    NAME(matrices) b;
    NAME(outcome) out = {{0}, {0}};
    if (a.n > 0) {
      NAME(pack_line)(&p->dl, &g, a.n - 1, a.dl);
      NAME(pack_line)(&p->d, &g, a.n, a.d);
      NAME(pack_line)(&p->du, &g, a.n - 1, a.du);
      if (a.nrhs > 0) NAME(matrices_of)(&p->b, &g, &b);
      if (a.nrhs > 0) NAME(pack)(&b, 0, 0, a.n, a.nrhs, false, a.y);
      out = NAME(eliminate_lines)(&a);
      for (int j = 0; j < a.nrhs; j++) NAME(substitute_lines)(&a, a.y + (int64_t)j * a.n);
      if (SIMD(any)(out.extreme)) NAME(solve_extreme)(p, &g, &a, &out);
      if (a.nrhs > 0) NAME(unpack)(&b, g.active, 0, 0, a.n, a.nrhs, false, a.y);
    }
    for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)out.info[l];
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/band/host/lanes/gttrs_simd.h"
#include "batched/host/lanes_end.h"

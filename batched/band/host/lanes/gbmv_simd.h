/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gbmv: a matrix in each SIMD lane, column by column; for vectors that are columns, and matrices that
 * have one size.
 */
#include "batched/host/lanes.h"

typedef struct NAME(band) {
  NAME(matrices) a;
  int m, kl, ku;
} NAME(band);

/* The first row of column j, and the one behind its last. */
ALWAYS_INLINE int NAME(top)(const NAME(band) * w, int j)
{
  return batched_max(0, j - w->ku);
}
ALWAYS_INLINE int NAME(bottom)(const NAME(band) * w, int j)
{
  return batched_min(w->m, j + w->kl + 1);
}

/* Columns first .. first + cols - 1, ld apart, each from the band's first row on; in one run where that is no more. */
static void NAME(load_columns)(const NAME(band) * w, int first, int cols, int ld, bool one_run, ELEM *to)
{
  if (one_run) {
    const int last = first + cols - 1, from = w->ku + NAME(top)(w, first) - first;
    const int end = (cols - 1) * ld + w->ku + NAME(bottom)(w, last) - last;
    NAME(pack_run)(&w->a, from, first, end - from, to + from);
    return;
  }
  for (int j = first; j < first + cols; j++) {
    const int top = NAME(top)(w, j), from = w->ku + top - j;
    NAME(pack_run)(&w->a, from, j, NAME(bottom)(w, j) - top, to + (int64_t)(j - first) * ld + from);
  }
}

/* y[top .. bottom) += c x, or the sum of c y, conjugated if told. */
ALWAYS_INLINE void NAME(add_column)(int length, const ELEM *c, ELEM x, ELEM *y)
{
  const ELEM less = NAME(scaled)(x, SIMD(splat)(-1));
  for (int i = 0; i < length; i++) y[i] = NAME(fms)(y[i], c[i], less, false, false);
}
ALWAYS_INLINE ELEM NAME(sum_of_column)(int length, bool conj, const ELEM *c, const ELEM *x)
{
  ELEM even = NAME(make)((VEC){0}), odd = even;
  int i = 0;
  for (; i + 2 <= length; i += 2) {
    even = NAME(fms)(even, c[i], x[i], conj, false);
    odd = NAME(fms)(odd, c[i + 1], x[i + 1], conj, false);
  }
  if (i < length) even = NAME(fms)(even, c[i], x[i], conj, false);
  return NAME(scaled)(NAME(plus)(even, odd), SIMD(splat)(-1));
}

ALWAYS_INLINE ELEM NAME(constant)(batched_scalar s)
{
#if IS_COMPLEX
  return (ELEM){SIMD(splat)((R)s.re), SIMD(splat)((R)s.im)};
#else
  return SIMD(splat)((R)s.re);
#endif
}

/* y = beta y, and what x adds where A is not transposed; else y = alpha op(A) x + beta y. */
ALWAYS_INLINE void NAME(multiply_lanes)(const batched_gbmv_args *p, bool conj, const NAME(band) * w, int n, bool keeps,
                                        ELEM *columns, const ELEM *x, ELEM *y)
{
  enum { COLUMNS = 8 };
  const bool plain = p->trans == BATCHED_NO_TRANS, one_run = NAME(is_dense)(&w->a, w->kl + w->ku + 1);
  const ELEM alpha = NAME(constant)(p->alpha), beta = NAME(constant)(p->beta);
  const int ld = w->kl + w->ku + 1, filled = batched_min(n, w->m + w->ku);
  for (int i = 0; i < (plain ? w->m : n); i++) y[i] = keeps ? NAME(times)(beta, y[i]) : NAME(make)((VEC){0});
  for (int first = 0; first < filled; first += COLUMNS) {
    const int cols = batched_min(COLUMNS, filled - first);
    NAME(load_columns)(w, first, cols, ld, one_run, columns);
    for (int j = first; j < first + cols; j++) {
      const int top = NAME(top)(w, j), length = NAME(bottom)(w, j) - top;
      const ELEM *c = columns + (int64_t)(j - first) * ld + w->ku + top - j;
      if (plain)
        NAME(add_column)(length, c, NAME(times)(alpha, x[j]), y + top);
      else
        y[j] = NAME(plus)(y[j], NAME(times)(alpha, NAME(sum_of_column)(length, conj, c, x + top)));
    }
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_gbmv_args *p)
{
  const int m = p->m.bound, n = p->ab.n, kl = p->kl.bound, ku = p->ku.bound;
  const int lx = p->trans == BATCHED_NO_TRANS ? n : m, ly = p->trans == BATCHED_NO_TRANS ? m : n;
  const bool keeps = !batched_is_zero(p->y.type, p->beta), conj = IS_COMPLEX && p->trans == BATCHED_CONJ_TRANS;
  batched_groups groups;
  batched_group g;
  const int status = batched_groups_begin(ctx, &groups, &p->y, W);
  if (status) return status;
  ELEM *x = batched_scratch_push(ctx, ((size_t)m + (size_t)n + 8 * ((size_t)kl + (size_t)ku + 1)) * sizeof(ELEM));
  ELEM *y = x + lx, *columns = y + ly;
  while (x && batched_groups_next(&groups, &g)) {
    NAME(band) w = {.m = m, .kl = kl, .ku = ku};
    NAME(matrices) from, to;
    NAME(matrices_of)(&p->ab, &g, &w.a);
    NAME(matrices_of)(&p->x, &g, &from);
    NAME(matrices_of)(&p->y, &g, &to);
    if (lx > 0) NAME(pack_run)(&from, 0, 0, lx, x);
    if (keeps) NAME(pack_run)(&to, 0, 0, ly, y);
    if (conj)
      NAME(multiply_lanes)(p, true, &w, n, keeps, columns, x, y);
    else
      NAME(multiply_lanes)(p, false, &w, n, keeps, columns, x, y);
    NAME(unpack_run)(&to, g.active, 0, 0, ly, y);
  }
  if (x) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What trsm and trmm share: B is packed, worked on and written back in chunks of columns or rows, a matrix in each
 * lane.
 */
#include "batched/triangular/host/triangle_simd.h"

/* X = E^-1 X or E X, for an E of order n: element (i, j) of X at x[i * row + j * col]. */
typedef void NAME(triangle_call)(const NAME(triangle) * e, int n, int nrhs, ELEM *x, int64_t row, int64_t col);

static void NAME(clear)(const batched_matrix *b)
{
  for (int64_t i = 0; i < b->count; i++) {
    const int m = batched_rows(b, i), n = batched_cols(b, i), ld = batched_ld(b, i);
    const int runs = m == 0 ? 0 : m == ld ? batched_min(n, 1) : n;
    const size_t run = (size_t)m * (size_t)(m == ld ? n : 1) * sizeof(T);
    for (int j = 0; j < runs; j++) __builtin_memset((T *)batched_at(b, i) + (int64_t)j * ld, 0, run);
  }
}

/* One group: B is packed, worked on and written back in chunks of right-hand sides, which are B's columns or rows. */
static void NAME(apply_to_group)(const batched_trsm_args *t, const batched_group *g, const NAME(triangle) * e,
                                 NAME(triangle_call) * call, ELEM *x)
{
  const bool left = t->side == BATCHED_LEFT, scale = t->alpha.re != 1 || (IS_COMPLEX && t->alpha.im != 0);
  const int n = left ? g->m : g->n, nrhs = left ? g->n : g->m;
#if IS_COMPLEX
  const ELEM alpha = {SIMD(splat)((R)t->alpha.re), SIMD(splat)((R)t->alpha.im)};
#else
  const ELEM alpha = SIMD(splat)((R)t->alpha.re);
#endif
  if (n == 0) return;
  NAME(matrices) b;
  NAME(matrices_of)(&t->b, g, &b);
  const bool dense = NAME(is_dense)(&b, g->m);
  for (int r0 = 0; r0 < nrhs; r0 += NAME(CHUNK)) {
    const int chunk = batched_min(NAME(CHUNK), nrhs - r0), m = left ? n : chunk;
    const int i0 = left ? 0 : r0, j0 = left ? r0 : 0;
    const bool one_run = dense && m == g->m;
    int64_t row = left ? 1 : m, col = left ? m : 1;
    NAME(pack)(&b, i0, j0, m, left ? chunk : n, one_run, x);
    for (int64_t i = 0; scale && i < (int64_t)n * chunk; i++) x[i] = NAME(times)(x[i], alpha);
    ELEM *first = e->row + e->col < 0 ? x + (n - 1) * row : x;
    call(e, n, chunk, first, e->row + e->col < 0 ? -row : row, col);
    NAME(unpack)(&b, g->active, i0, j0, m, left ? chunk : n, one_run, x);
  }
}

/* B = alpha call(op(A), B), or the same from the right. */
static int NAME(apply_triangle)(batched_ctx *ctx, const batched_trsm_args *t, NAME(triangle_call) * call)
{
  if (t->alpha.re == 0 && (!IS_COMPLEX || t->alpha.im == 0)) {
    NAME(clear)(&t->b);
    return BATCHED_SUCCESS;
  }
  const bool left = t->side == BATCHED_LEFT, flip = (t->trans != BATCHED_NO_TRANS) == left;
  const bool shared = batched_is_shared(&t->a) && !batched_is_variable(&t->a) && !batched_is_variable(&t->b);
  const size_t most = (size_t)(left ? t->b.m : t->b.n);
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &t->b, W);
  if (status) return status;
  ELEM *e = batched_scratch_push(ctx, (most + 1 + NAME(CHUNK)) * most * sizeof(ELEM));
  bool packed = false;
  NAME(triangle) triangle = {0};
  while (e && batched_groups_next(&groups, &g)) {
    const int n = left ? g.m : g.n;
    if (!packed || !shared) {
      NAME(matrices) a;
      NAME(matrices_of)(&t->a, &g, &a);
      NAME(pack_triangle)(&a, t->uplo, n, e);
      triangle = NAME(triangle_of)(e, n, t->uplo, flip, t->trans == BATCHED_CONJ_TRANS, e + most * most);
      NAME(invert_diagonal)(n, t->diag == BATCHED_UNIT, &triangle);
      packed = true;
    }
    NAME(apply_to_group)(t, &g, &triangle, call, e + most * (most + 1));
  }
  if (e) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return e ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

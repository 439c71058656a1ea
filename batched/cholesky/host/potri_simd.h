/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of potri: A^-1 from potrf's factor, a matrix per SIMD lane.
 */
#include "batched/triangular/host/triangle_simd.h"

/* A few columns of A^-1 at a time, by solves with L (UPPER: L = U^H) of unit vectors, from the diagonal down: L^-1 has
 * zeros above it, and what is above it of A^-1 is not wanted, so that all of it takes 2/3 n^3 flops.  UPPER: they are
 * conjugated and become rows.  Matrices with a zero pivot stay as they are.  x: TILE n elements; spare: n. */
static void NAME(invert_group)(const NAME(matrices) * m, batched_uplo uplo, const batched_group *g, ELEM *a,
                               ELEM *inverse, ELEM *x, T *spare, MASK zero)
{
  const int n = g->n;
  const bool lower = uplo == BATCHED_LOWER;
  const int64_t row = lower ? 1 : TILE, col = lower ? n : 1;
  NAME(triangle) forward = NAME(triangle_of)(a, n, uplo, !lower, !lower, inverse);
  NAME(triangle) backward = NAME(triangle_of)(a, n, uplo, lower, lower, inverse + n);
  NAME(invert_diagonal)(n, false, &forward);
  for (int i = 0; i < n; i++) backward.inverse[i] = NAME(conjugate)(forward.inverse[n - 1 - i]);
  backward.careful = forward.careful;
  for (int j0 = 0; j0 < n; j0 += TILE) {
    const int cols = batched_min(TILE, n - j0), len = n - j0;
    const NAME(triangle) rest = NAME(triangle_from)(&forward, j0);
    for (int j = 0; j < cols; j++)
      for (int i = 0; i < len; i++) x[i * row + j * col] = NAME(make)(SIMD(splat)(i == j));
    NAME(solve_lanes)(&rest, len, cols, x, row, col);
    NAME(solve_lanes)(&backward, len, cols, x + (len - 1) * row, -row, col);
    for (int j = 0; j < cols; j++) x[j * (row + col)] = NAME(make)(RE(x[j * (row + col)]));
    T *to[SIMD(LANES)];
    for (int j = 0; j < cols && lower; j++) {
      for (int l = 0; l < g->active; l++) to[l] = zero[l] ? spare : m->at[l] + (j0 + j) * (m->ld[l] + 1);
      NAME(store_run)(to, g->active, len - j, x + j * (n + 1));
    }
    for (int i = 0; i < len && !lower; i++) {
      for (int l = 0; l < g->active; l++) to[l] = zero[l] ? spare : m->at[l] + j0 + (j0 + i) * m->ld[l];
      for (int j = 0; j < cols; j++) x[i * row + j] = NAME(conjugate)(x[i * row + j]);
      NAME(store_run)(to, g->active, batched_min(cols, i + 1), x + i * row);
    }
  }
}

static int NAME(simd)(batched_ctx *ctx, const batched_potri_args *p)
{
  const size_t most = (size_t)p->a.n;
  batched_groups groups;
  batched_group g;
  int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  ELEM *a = batched_scratch_push(ctx, ((most + 3 + TILE) * most + 1) * sizeof(ELEM));
  while (a && batched_groups_next(&groups, &g)) {
    NAME(matrices) m;
    NAME(matrices_of)(&p->a, &g, &m);
    NAME(pack_triangle)(&m, p->uplo, g.n, a);
    const MASK info = NAME(first_zeros)(g.n, a);
    if (g.n > 0) NAME(invert_group)
    (&m, p->uplo, &g, a, a + most * most, a + most * (most + 3), (T *)(a + most * (most + 2)), info);
    for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)info[l];
  }
  if (a) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return a ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

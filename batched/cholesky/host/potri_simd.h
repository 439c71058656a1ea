/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of potri: A^-1 from potrf's factor, a matrix per SIMD lane.
 */
#include "batched/triangular/host/triangle_simd.h"

/* Column j0 + j of the inverse of each lane: A^-1 = L^-H L^-1 (LOWER), or U^-1 U^-H, of unit vectors.  What comes
 * before row j0 of L^-1's columns is zero, and of the inverse only the triangle is wanted, with a real diagonal. */
static void NAME(invert_group)(const NAME(matrices) * m, batched_uplo uplo, const batched_group *g, ELEM *a,
                               ELEM *inverse, ELEM *x, MASK zero)
{
  const int n = g->n;
  const bool lower = uplo == BATCHED_LOWER;
  NAME(triangle) forward = NAME(triangle_of)(a, n, uplo, !lower, !lower, inverse);
  NAME(triangle) backward = NAME(triangle_of)(a, n, uplo, lower, lower, inverse + n);
  NAME(invert_diagonal)(n, false, &forward);
  for (int i = 0; i < n; i++) backward.inverse[i] = NAME(conjugate)(forward.inverse[n - 1 - i]);
  backward.careful = forward.careful;
  for (int j0 = 0; j0 < n; j0 += NAME(CHUNK)) {
    const int chunk = batched_min(NAME(CHUNK), n - j0);
    for (int j = 0; j < chunk; j++)
      for (int i = 0; i < n; i++) x[i + j * n] = NAME(make)(SIMD(splat)(i == j0 + j));
    NAME(solve_lanes)(&forward, n, chunk, x, 1, n);
    NAME(solve_lanes)(&backward, n, chunk, x + n - 1, -1, n);
    for (int j = j0; j < j0 + chunk; j++) {
      const int first = lower ? j : 0, len = lower ? n - j : j + 1;
      for (int l = 0; l < g->active; l++) {
        if (zero[l]) continue;
        R *to = (R *)(m->at[l] + first + j * m->ld[l]);
        const R *from = (const R *)(x + first + (j - j0) * n);
        for (int i = 0; i < len * (int)(sizeof(T) / sizeof(R)); i++) to[i] = from[i * W + l];
        if (IS_COMPLEX) to[2 * (j - first) + 1] = 0;
      }
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
  ELEM *a = batched_scratch_push(ctx, ((most + 2 + NAME(CHUNK)) * most + 1) * sizeof(ELEM));
  while (a && batched_groups_next(&groups, &g)) {
    NAME(matrices) m;
    NAME(matrices_of)(&p->a, &g, &m);
    NAME(pack_triangle)(&m, p->uplo, g.n, a);
    MASK info = {0};
    for (int j = g.n - 1; j >= 0; j--) {
      const MASK zero = NAME(is_zero)(a[j * (g.n + 1)]);
      info = (zero & (j + 1)) | (~zero & info);
    }
    if (g.n > 0) NAME(invert_group)(&m, p->uplo, &g, a, a + most * most, a + most * (most + 2), info);
    for (int l = 0; l < g.active; l++) p->info[g.index[l]] = (int)info[l];
  }
  if (a) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return a ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

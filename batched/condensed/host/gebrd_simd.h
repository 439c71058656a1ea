/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of gebrd: a matrix in each lane.  A wide matrix is reduced as A^H = P B^H Q^H.
 */
#include "batched/condensed/host/bidiagonalise_simd.h"

static void NAME(unpack_tall)(const NAME(matrices) * a, int active, int m, int n, const ELEM *x, ELEM *spare)
{
  const ELEM *from = x;
  if (m < n) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) spare[i + j * m] = NAME(conjugate)(x[j + i * n]);
    from = spare;
  }
  NAME(unpack)(a, active, 0, 0, m, n, NAME(is_dense)(a, m), from);
}

typedef struct NAME(room) {
  ELEM *x, *spare, *tauq, *taup, *work;
  VEC *d, *e;
} NAME(room);

static void NAME(reduce_group)(const batched_gebrd_args *p, const batched_group *g, const NAME(room) * r)
{
  const int k = batched_min(g->m, g->n), rows = batched_max(g->m, g->n);
  const bool wide = g->m < g->n;
  NAME(matrices) a;
  NAME(matrices_of)(&p->a, g, &a);
  NAME(pack_tall)(&a, g->m, g->n, r->x, r->spare);
  NAME(bidiagonalise_lanes)(rows, k, r->x, r->d, r->e, r->tauq, r->taup, r->work);
  NAME(unpack_tall)(&a, g->active, g->m, g->n, r->x, r->spare);
  NAME(unpack_reals)(&p->d, g, k, false, r->d);
  NAME(unpack_reals)(&p->e, g, k - 1, false, r->e);
  NAME(unpack_vector)(&p->tauq, g, k, false, wide ? r->taup : r->tauq);
  NAME(unpack_vector)(&p->taup, g, k, false, wide ? r->tauq : r->taup);
}

static int NAME(simd)(batched_ctx *ctx, const batched_gebrd_args *p)
{
  const size_t k = (size_t)batched_min(p->a.m, p->a.n), rows = (size_t)batched_max(p->a.m, p->a.n), most = k * rows;
  batched_groups groups;
  batched_group g;
  NAME(room) r;
  const int status = batched_groups_begin(ctx, &groups, &p->a, W);
  if (status) return status;
  r.x = batched_scratch_push(ctx, (2 * most + 4 * k + rows) * sizeof(ELEM) + 2 * k * sizeof(VEC));
  if (r.x) {
    r.spare = r.x + most;
    r.tauq = r.spare + most;
    r.taup = r.tauq + k;
    r.work = r.taup + k;
    r.d = (VEC *)(r.work + rows + 2 * k);
    r.e = r.d + k;
    while (batched_groups_next(&groups, &g))
      if (g.m > 0 && g.n > 0) NAME(reduce_group)(p, &g, &r);
    batched_scratch_pop(ctx);
  }
  batched_groups_end(ctx, &groups);
  return r.x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

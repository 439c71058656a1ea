/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd of hetrd: a matrix in each lane.  An upper triangle, read from its last element to its first, is a
 * lower one, as in LAPACK's hetd2.
 */
#include "batched/condensed/host/tridiagonalise_simd.h"

static void NAME(reverse)(int64_t n, ELEM *x)
{
  for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
    const ELEM t = x[i];
    x[i] = x[j];
    x[j] = t;
  }
}

typedef struct NAME(room) {
  ELEM *x, *tau, *work;
  VEC *d, *e;
} NAME(room);

static void NAME(reduce_group)(const batched_hetrd_args *h, const batched_group *g, const NAME(room) * r)
{
  const int n = g->n;
  const bool upper = h->uplo == BATCHED_UPPER;
  NAME(matrices) a;
  NAME(matrices_of)(&h->a, g, &a);
  NAME(pack_triangle)(&a, h->uplo, n, r->x);
  if (upper) NAME(reverse)((int64_t)n * n, r->x);
  NAME(tridiagonalise_lanes)(n, r->x, r->d, r->e, r->tau, r->work);
  for (int j = 0; j < n; j++) {
    r->x[j + j * n] = NAME(make)(r->d[j]);
    if (j < n - 1) r->x[j + 1 + j * n] = NAME(make)(r->e[j]);
  }
  if (upper) NAME(reverse)((int64_t)n * n, r->x);
  NAME(unpack_triangle)(&a, g->active, h->uplo, n, r->x);
  NAME(unpack_reals)(&h->d, g, n, upper, r->d);
  NAME(unpack_reals)(&h->e, g, n - 1, upper, r->e);
  NAME(unpack_vector)(&h->tau, g, n - 1, upper, r->tau);
}

static int NAME(simd)(batched_ctx *ctx, const batched_hetrd_args *h)
{
  const size_t n = (size_t)h->a.n;
  batched_groups groups;
  batched_group g;
  NAME(room) r;
  const int status = batched_groups_begin(ctx, &groups, &h->a, W);
  if (status) return status;
  r.x = batched_scratch_push(ctx, n * (n + 5) * sizeof(ELEM) + 2 * n * sizeof(VEC));
  if (r.x) {
    r.tau = r.x + n * n;
    r.work = r.tau + n;
    r.d = (VEC *)(r.work + 4 * n);
    r.e = r.d + n;
    while (batched_groups_next(&groups, &g))
      if (g.n > 0) NAME(reduce_group)(h, &g, &r);
    batched_scratch_pop(ctx);
  }
  batched_groups_end(ctx, &groups);
  return r.x ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}
#include "batched/host/lanes_end.h"

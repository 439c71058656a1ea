/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd_qr of heev: A = Q T Q^H, and T = V diag(w) V^T by QL whose rotations multiply Q, a matrix in each lane
 * throughout; small ones by Jacobi as in host.simd.  Included by heev_simd.h.
 */
#include "batched/condensed/host/tridiagonalise_simd.h"
#include "batched/condensed/host/form_q_simd.h"
#include "batched/tridiagonal/host/ql_simd.h"

enum { NAME(MOST_JACOBI) = 5 };

/* The lower triangle from the upper one. */
static void NAME(turn_over)(int n, ELEM *x)
{
  for (int j = 0; j < n; j++)
    for (int i = j + 1; i < n; i++) x[i + j * n] = NAME(conjugate)(x[j + i * n]);
}

typedef struct NAME(qr_room) {
  ELEM *x, *q, *tau, *work;
  VEC *w, *e, *turns;
  MASK *from;
} NAME(qr_room);

static bool NAME(take_qr_room)(batched_ctx *ctx, size_t n, NAME(qr_room) * r)
{
  const size_t elems = n * n + n * (n + 1) + 5 * n, vecs = 2 * n + 1 + NAME(rotation_memory)(n);
  r->x = batched_scratch_push(ctx, elems * sizeof(ELEM) + vecs * sizeof(VEC) + n * sizeof(MASK));
  if (!r->x) return false;
  r->q = r->x + n * n;
  r->tau = r->q + n * (n + 1);
  r->work = r->tau + n;
  r->w = (VEC *)(r->work + 4 * n);
  r->e = r->w + n;
  r->turns = r->e + n + 1;
  r->from = (MASK *)(r->turns + NAME(rotation_memory)(n));
  return true;
}

static void NAME(solve_by_qr)(const batched_heev_args *h, const batched_group *g, const NAME(qr_room) * r)
{
  const int n = g->n, ld = n | 1; /* odd: rows that are a power of two apart share their places in the cache */
  ELEM *const q = h->job == BATCHED_VECTORS ? r->q : NULL;
  NAME(matrices) a;
  const NAME(sequence) reflectors = {.k = n - 1, .first = 1, .x = r->x + 1, .tau = r->tau, .next = n + 1, .step = 1};
  VEC scale;
  NAME(matrices_of)(&h->a, g, &a);
  NAME(pack_triangle)(&a, h->uplo, n, r->x);
  MASK failed = NAME(prepare)(h->uplo, n, r->x, &scale);
  NAME(turn_over)(n, r->x);
  NAME(tridiagonalise_lanes)(n, r->x, r->w, r->e, r->tau, r->work);
  r->e[n - 1] = (VEC){0};
  const int turned = q ? NAME(begin_vectors)(&reflectors, n, n, q, ld, r->work) : 0;
  failed |= NAME(diagonalise_lanes)(n, r->w, r->e, turned, q, ld, r->turns);
  if (q) NAME(end_vectors)(&reflectors, n, n, q, ld, r->work);
  for (int i = 0; i < n; i++) r->w[i] = r->w[i] * scale + 0;
  NAME(sort_lanes)(n, r->w, r->from, true);
  NAME(store)(h, g, failed, r->w, r->from, q, ld, 1);
}

static int NAME(simd_qr)(batched_ctx *ctx, const batched_heev_args *h)
{
  batched_groups groups;
  batched_group g;
  NAME(qr_room) r;
  const int status = batched_groups_begin(ctx, &groups, &h->a, W);
  if (status) return status;
  const bool has_room = NAME(take_qr_room)(ctx, (size_t)h->a.n, &r);
  while (has_room && batched_groups_next(&groups, &g)) {
    if (g.n <= NAME(MOST_JACOBI))
      NAME(solve_by_jacobi)(h, &g, r.x, h->job == BATCHED_VECTORS ? r.q : NULL, r.w, r.from);
    else
      NAME(solve_by_qr)(h, &g, &r);
  }
  if (has_room) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return has_room ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

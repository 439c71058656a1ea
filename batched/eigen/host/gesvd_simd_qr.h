/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.simd_qr of gesvd: X = Q B P^H, X being A, or A^H where A is wide, and QR of B whose rotations multiply Q and
 * P, a matrix in each lane throughout; those with a short side by Jacobi as in host.simd.  Included by gesvd_simd.h.
 */
#include "batched/condensed/host/bidiagonalise_simd.h"
#include "batched/condensed/host/form_q_simd.h"
#include "batched/tridiagonal/host/qr_simd.h"

enum { NAME(MOST_JACOBI) = 5 };

/* Memory for matrices with sides up to `rows` and k. */
typedef struct NAME(qr_room) {
  ELEM *x, *q, *p, *tauq, *taup, *work;
  VEC *w, *e, *turns;
  MASK *from;
} NAME(qr_room);

static bool NAME(take_qr_room)(batched_ctx *ctx, size_t rows, size_t k, NAME(qr_room) * r)
{
  const size_t elems = rows * k + (rows + k) * (k + 1) + 2 * k + 2 * rows + 2 * k;
  const size_t vecs = 2 * k + 2 * NAME(rotation_memory)(k);
  r->x = batched_scratch_push(ctx, elems * sizeof(ELEM) + vecs * sizeof(VEC) + k * sizeof(MASK));
  if (!r->x) return false;
  r->q = r->x + rows * k;
  r->p = r->q + rows * (k + 1);
  r->tauq = r->p + k * (k + 1);
  r->taup = r->tauq + k;
  r->work = r->taup + k;
  r->w = (VEC *)(r->work + 2 * rows + 2 * k);
  r->e = r->w + k;
  r->turns = r->e + k;
  r->from = (MASK *)(r->turns + 2 * NAME(rotation_memory)(k));
  return true;
}

/* The values, and what multiplies q and p where there are vectors. */
static MASK NAME(solve_tall)(bool vectors, int rows, int k, const NAME(qr_room) * r)
{
  const int ld = k | 1; /* odd: rows that are a power of two apart share their places in the cache */
  const NAME(sequence) left = {.k = k, .x = r->x, .tau = r->tauq, .next = rows + 1, .step = 1};
  const NAME(sequence) right = {k - 1, 1, r->x + rows, r->taup, rows + 1, rows, true};
  NAME(bidiagonalise_lanes)(rows, k, r->x, r->w, r->e, r->tauq, r->taup, r->work);
  r->e[k - 1] = (VEC){0};
  const int turned_q = vectors ? NAME(begin_vectors)(&left, rows, k, r->q, ld, r->work) : 0;
  const int turned_p = vectors ? NAME(begin_vectors)(&right, k, k, r->p, ld, r->work) : 0;
  const MASK failed =
    NAME(diagonalise_bidiagonal)(k, r->w, r->e, turned_p, vectors ? r->p : NULL, turned_q, r->q, ld, r->turns);
  if (vectors) {
    NAME(end_vectors)(&left, rows, k, r->q, ld, r->work);
    NAME(end_vectors)(&right, k, k, r->p, ld, r->work);
  }
  for (int j = 0; j < k; j++) {
    const VEC sign = SIMD(with_sign)(SIMD(splat)(1), r->w[j]);
    r->w[j] = SIMD(abs)(r->w[j]);
    for (int i = 0; vectors && i < k; i++) r->p[i * ld + j] = NAME(scaled)(r->p[i * ld + j], sign);
  }
  return failed;
}

/* Lane l's vectors. */
static void NAME(store_qr_lane)(const batched_gesvd_args *g, int64_t b, int l, int m, int n, const NAME(qr_room) * r)
{
  const int k = batched_min(m, n), ld = k | 1;
  const ELEM *const left = m < n ? r->p : r->q, *const right = m < n ? r->q : r->p;
  T *const u = batched_at(&g->u, b), *const vt = batched_at(&g->vt, b);
  const int64_t ldu = batched_ld(&g->u, b), ldvt = batched_ld(&g->vt, b);
  for (int j = 0; j < k; j++) {
    const int64_t from = r->from[j][l];
    for (int i = 0; i < m; i++) u[i + j * ldu] = NAME(lane)(&left[i * ld + from], l);
    for (int i = 0; i < n; i++) vt[j + i * ldvt] = CONJ(NAME(lane)(&right[i * ld + from], l)) + FROM(0, 0);
  }
}

static void NAME(solve_by_qr)(const batched_gesvd_args *g, const batched_group *group, const NAME(qr_room) * r)
{
  const int m = group->m, n = group->n, k = batched_min(m, n);
  NAME(matrices) a;
  VEC scale;
  NAME(matrices_of)(&g->a, group, &a);
  NAME(pack_tall)(&a, m, n, r->x, r->q);
  MASK failed = NAME(prepare)((int64_t)m * n, 1, r->x, &scale);
  failed |= NAME(solve_tall)(g->job == BATCHED_VECTORS, batched_max(m, n), k, r);
  for (int j = 0; j < k; j++) r->w[j] = r->w[j] * scale;
  NAME(sort_lanes)(k, r->w, r->from, false);
  for (int l = 0; l < group->active; l++)
    if (NAME(store_values)(g, group->index[l], l, failed, k, r->w)) NAME(store_qr_lane)(g, group->index[l], l, m, n, r);
}

static int NAME(simd_qr)(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const int k = batched_min(g->a.m, g->a.n), rows = k > 0 ? batched_max(g->a.m, g->a.n) : 0;
  batched_groups groups;
  batched_group group;
  NAME(qr_room) r;
  const int status = batched_groups_begin(ctx, &groups, &g->a, W);
  if (status) return status;
  const bool has_room = NAME(take_qr_room)(ctx, (size_t)rows, (size_t)k, &r);
  while (has_room && batched_groups_next(&groups, &group)) {
    if (batched_min(group.m, group.n) <= NAME(MOST_JACOBI))
      NAME(solve_by_jacobi)(g, &group, r.x, g->job == BATCHED_VECTORS ? r.q : NULL, r.w, r.from);
    else
      NAME(solve_by_qr)(g, &group, &r);
  }
  if (has_room) batched_scratch_pop(ctx);
  batched_groups_end(ctx, &groups);
  return has_room ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

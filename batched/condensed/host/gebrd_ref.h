/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row host.ref of gebrd: A = Q B P^H by Householder reflectors from both sides in turn, unblocked, as LAPACK's gebd2.
 */
#include "batched/qr/host/reflectors_ref.h"

/* H^H A with the H that makes column j zero below row i; returns its tau, and the element that stays. */
static T NAME(reduce_column)(int m, int n, T *a, int64_t ld, int i, int j, R *stays)
{
  T *const v = a + i + j * ld;
  const T tau = NAME(make_reflector)(m - i, v);
  *stays = REAL(*v);
  for (int c = j + 1; c < n; c++) NAME(reflect)(m - i, v, CONJ(tau), a + i + c * ld, 1, false);
  return tau;
}

/* A G with the G that makes row i zero right of column j.  work: a row and a column. */
static T NAME(reduce_row)(int m, int n, T *a, int64_t ld, int i, int j, R *stays, T *work)
{
  for (int c = j; c < n; c++) work[c - j] = CONJ(a[i + c * ld]);
  const T tau = NAME(make_reflector)(n - j, work);
  *stays = REAL(*work);
  NAME(reflect_rows)(m - i - 1, n - j, work, CONJ(tau), a + i + 1 + j * ld, ld, work + n);
  for (int c = j; c < n; c++) a[i + c * ld] = CONJ(work[c - j]);
  return tau;
}

static void NAME(bidiagonalise)(const batched_gebrd_args *g, int64_t b, T *work)
{
  const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), k = batched_min(m, n);
  const int64_t ld = batched_ld(&g->a, b), sd = batched_increment(&g->d, b), se = batched_increment(&g->e, b);
  const int64_t sq = batched_increment(&g->tauq, b), sp = batched_increment(&g->taup, b);
  T *const a = batched_at(&g->a, b), *const tauq = batched_at(&g->tauq, b), *const taup = batched_at(&g->taup, b);
  R *const d = batched_at(&g->d, b), *const e = batched_at(&g->e, b);
  for (int i = 0; i < k; i++) {
    R last = 0; /* beside the diagonal of the last column, there is nothing */
    R *const beside = i < k - 1 ? &e[i * se] : &last;
    if (m >= n) {
      tauq[i * sq] = NAME(reduce_column)(m, n, a, ld, i, i, &d[i * sd]);
      taup[i * sp] = i + 1 < n ? NAME(reduce_row)(m, n, a, ld, i, i + 1, beside, work) : 0;
    } else {
      taup[i * sp] = NAME(reduce_row)(m, n, a, ld, i, i, &d[i * sd], work);
      tauq[i * sq] = i + 1 < m ? NAME(reduce_column)(m, n, a, ld, i + 1, i, beside) : 0;
    }
  }
}

static int NAME(ref)(batched_ctx *ctx, const batched_gebrd_args *g)
{
  T *const work = batched_scratch_push(ctx, ((size_t)g->a.m + (size_t)g->a.n) * sizeof(T));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < g->a.count; b++) NAME(bidiagonalise)(g, b, work);
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

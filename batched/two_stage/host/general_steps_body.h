/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What ge2gb does between its calls of geqrf and gemm, for one type: copies, triangles, bands, factors of reflectors.
 */

static void NAME(take_tall)(const batched_matrix *a, const batched_matrix *x)
{
  for (int64_t b = 0; b < a->count; b++) {
    const int m = batched_rows(a, b), n = batched_cols(a, b);
    const int64_t lda = batched_ld(a, b), ld = batched_ld(x, b);
    const T *const from = batched_at(a, b);
    T *const to = batched_at(x, b);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        *(m >= n ? &to[i + j * ld] : &to[j + i * ld]) = m >= n ? from[i + j * lda] : CONJ(from[i + j * lda]);
  }
}

/* B, where it is upper (lower) of A, in the same storage. */
static void NAME(store_element)(bool tall, int64_t kd, int64_t i, int64_t j, T e, T *ab, int64_t ldab)
{
  if (i <= j && j - i <= kd) *(tall ? &ab[kd + i - j + j * ldab] : &ab[j - i + i * ldab]) = tall ? e : CONJ(e);
}

static void NAME(store_factors)(int k, int few, const T *from, const batched_matrix *tau, int64_t b)
{
  T *const to = batched_at(tau, b);
  for (int64_t i = 0; i < k; i++) to[i * batched_increment(tau, b)] = i < few ? from[i] : 0;
}

static void NAME(store_band)(const batched_ge2gb_args *g, const batched_matrix *x, const batched_matrix *tauq,
                             const batched_matrix *taup)
{
  for (int64_t b = 0; b < x->count; b++) {
    const int m = batched_rows(x, b), n = batched_cols(x, b), shifted = batched_max(n - g->kd, 0);
    const bool tall = batched_rows(&g->a, b) >= batched_cols(&g->a, b);
    const int64_t ldx = batched_ld(x, b), lda = batched_ld(&g->a, b), ldab = batched_ld(&g->ab, b);
    if (n == 0) continue;
    const T *const from = batched_at(x, b);
    T *const a = batched_at(&g->a, b), *const ab = batched_at(&g->ab, b);
    if (!g->band_alone) {
      NAME(store_factors)(n, n, batched_at(tauq, b), tall ? &g->tauq : &g->taup, b);
      NAME(store_factors)(n, shifted, shifted ? batched_at(taup, b) : NULL, tall ? &g->taup : &g->tauq, b);
    }
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++) {
        const T e = from[i + j * ldx];
        if (!g->band_alone) *(tall ? &a[i + j * lda] : &a[j + i * lda]) = tall ? e : CONJ(e);
        NAME(store_element)(tall, g->kd, i, j, e, ab, ldab);
      }
  }
}

static void NAME(take_reflectors)(const batched_unmbr_ge2gb_args *u, const batched_matrix *v, const batched_matrix *t)
{
  const bool is_q = u->which == BATCHED_Q;
  for (int64_t b = 0; b < v->count; b++) {
    const int order = batched_rows(v, b), k = batched_cols(v, b);
    const int shift = is_q == (batched_rows(&u->a, b) >= batched_cols(&u->a, b)) ? 0 : u->kd;
    const int64_t lda = batched_ld(&u->a, b), ld = batched_ld(v, b), step = batched_increment(&u->tau, b);
    const T *const a = batched_at(&u->a, b), *const tau = batched_at(&u->tau, b);
    T *const to = batched_at(v, b), *const factors = batched_at(t, b);
    for (int64_t j = 0; j < k; j++) {
      const int64_t from = j - shift;
      factors[j] = from >= 0 ? tau[from * step] : 0;
      for (int i = (int)j + 1; i < order; i++)
        to[i + j * ld] = from < 0 ? 0 : is_q ? a[i + from * lda] : CONJ(a[from + i * lda]);
    }
  }
}

static void NAME(take_vectors)(const batched_general_panel *p)
{
  for (int64_t b = 0; b < p->v.count; b++) {
    const int m = batched_rows(&p->v, b), few = batched_rows(&p->tau, b);
    const int64_t ldx = batched_ld(&p->x, b), ld = batched_ld(&p->v, b);
    if (m == 0) continue;
    const T *const x = batched_at(&p->x, b);
    T *const v = batched_at(&p->v, b);
    for (int j = 0; j < p->kd; j++)
      for (int i = 0; i < m; i++) v[i + j * ld] = j >= few || i < j ? 0 : i == j ? 1 : x[i + j * ldx];
  }
}

#include "batched/two_stage/host/triangle_body.h"

static void NAME(form_factors)(const batched_general_panel *p)
{
  const int64_t kd = p->kd, ld = 2 * kd;
  for (int64_t b = 0; b < p->v.count; b++) {
    const T *const products = batched_at(&p->products, b);
    T *const t = batched_at(&p->factors, b);
    NAME(form_triangle)((int)kd, batched_rows(&p->tau, b), products + kd * kd, batched_at(&p->tau, b), t, ld);
    for (int64_t j = 0; j < (p->both ? kd : 0); j++)
      for (int64_t i = 0; i < kd; i++) {
        T sum = 0;
        for (int64_t l = 0; l <= j; l++) sum += CONJ(products[l + i * kd]) * t[l + j * ld];
        t[kd + i + j * ld] = -sum;
      }
  }
}

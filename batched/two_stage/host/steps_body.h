/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What he2hb does between its calls of geqrf and gemm, for one type: copies, triangles, bands, factors of reflectors.
 */

static void NAME(take_whole)(bool lower, const batched_matrix *a, const batched_matrix *x)
{
  for (int64_t b = 0; b < a->count; b++) {
    const int n = batched_cols(a, b);
    const int64_t lda = batched_ld(a, b), ld = batched_ld(x, b);
    const T *const from = batched_at(a, b);
    T *const to = batched_at(x, b);
    for (int j = 0; j < n; j++)
      for (int i = j; i < n; i++) {
        const T e = lower ? from[i + j * lda] : CONJ(from[j + i * lda]);
        to[i + j * ld] = i == j ? (T)REAL(e) : e;
        to[j + i * ld] = i == j ? (T)REAL(e) : CONJ(e);
      }
  }
}

static void NAME(take_panel)(const batched_band_panel *p)
{
  const int first = p->first, kd = p->kd;
  for (int64_t b = 0; b < p->x.count; b++) {
    const int rest = batched_max(batched_cols(&p->x, b) - first, 0), few = batched_min(rest, kd);
    if (rest == 0) continue;
    const int64_t ldx = batched_ld(&p->x, b), ld = batched_ld(&p->block, b);
    const T *const x = (T *)batched_at(&p->x, b) + first + (first - kd) * ldx;
    T *const v = (T *)batched_at(&p->block, b) + kd * ld;
    for (int j = 0; j < kd; j++)
      for (int i = 0; i < rest; i++)
        v[i + j * ld] = v[i + (j + 2 * kd) * ld] = j >= few || i < j ? 0 : i == j ? 1 : x[i + j * ldx];
  }
}

#include "batched/two_stage/host/triangle_body.h"

/* m = -1/2 T^H K T, and K T in K's place. */
static void NAME(form_middle)(int kd, T *k, const T *t, T *m, int64_t ld)
{
  for (int j = kd - 1; j >= 0; j--)
    for (int i = 0; i < kd; i++) {
      T sum = 0;
      for (int l = 0; l <= j; l++) sum += k[i + (int64_t)l * kd] * t[l + j * ld];
      k[i + (int64_t)j * kd] = sum;
    }
  for (int j = 0; j < kd; j++)
    for (int i = 0; i < kd; i++) {
      T sum = 0;
      for (int l = 0; l <= i; l++) sum += CONJ(t[l + i * ld]) * k[l + (int64_t)j * kd];
      m[i + j * ld] = -sum / 2;
    }
}

static void NAME(form_factors)(const batched_band_panel *p)
{
  const int kd = p->kd;
  for (int64_t b = 0; b < p->x.count; b++) {
    const int few = batched_min(batched_max(batched_cols(&p->x, b) - p->first, 0), kd);
    T *const products = batched_at(&p->products, b), *const t = batched_at(&p->factors, b);
    NAME(form_triangle)(kd, few, products + (int64_t)kd * kd, batched_at(&p->tau, b), t, 2 * (int64_t)kd);
    NAME(form_middle)(kd, products, t, t + kd, 2 * (int64_t)kd);
  }
}

static void NAME(store_band)(const batched_he2hb_args *h, const batched_matrix *x, const batched_matrix *factors)
{
  const bool lower = h->uplo == BATCHED_LOWER;
  const int64_t kd = h->kd;
  for (int64_t b = 0; b < x->count; b++) {
    const int n = batched_cols(x, b);
    const int64_t ldx = batched_ld(x, b), lda = batched_ld(&h->a, b), ldab = batched_ld(&h->ab, b);
    const T *const from = batched_at(x, b);
    T *const a = batched_at(&h->a, b), *const ab = batched_at(&h->ab, b), *const tau = batched_at(&h->tau, b);
    for (int64_t i = 0; !h->band_alone && i < n - kd; i++)
      tau[i * batched_increment(&h->tau, b)] = ((T *)batched_at(factors, b))[i];
    for (int64_t j = 0; j < n; j++)
      for (int64_t i = j; i < (h->band_alone ? batched_min(n, j + kd + 1) : n); i++) {
        const T e = i == j ? (T)REAL(from[i + j * ldx]) : from[i + j * ldx];
        if (!h->band_alone) *(lower ? &a[i + j * lda] : &a[j + i * lda]) = lower ? e : CONJ(e);
        if (i - j <= kd) *(lower ? &ab[i - j + j * ldab] : &ab[kd + j - i + i * ldab]) = lower ? e : CONJ(e);
      }
  }
}

static void NAME(take_reflectors)(const batched_unmtr_he2hb_args *u, const batched_matrix *v, const batched_matrix *t)
{
  const bool lower = u->uplo == BATCHED_LOWER;
  const int kd = u->kd;
  for (int64_t b = 0; b < v->count; b++) {
    const int n = batched_cols(v, b), k = batched_max(n - kd, 0);
    const int64_t lda = batched_ld(&u->a, b), ld = batched_ld(v, b), step = batched_increment(&u->tau, b);
    const T *const a = batched_at(&u->a, b), *const tau = batched_at(&u->tau, b);
    T *const to = batched_at(v, b), *const factors = batched_at(t, b);
    for (int j = 0; j < n; j++) {
      const int64_t from = j - (n - k);
      factors[j] = from >= 0 ? tau[from * step] : 0;
      for (int i = j + 1; i < n; i++)
        to[i + j * ld] = from < 0 ? 0 : lower ? a[i + from * lda] : CONJ(a[from + i * lda]);
    }
  }
}

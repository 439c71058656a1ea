/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What heev, gesvd and their drivers by other operations do between the calls, for one type: copies, signs of vectors,
 * triangles, powers of two, NaN where a matrix failed.
 */
#include "batched/eigen/host/exponents_ref.h"

static void NAME(store)(const int *info, const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int m = batched_rows(y, b), n = batched_cols(y, b);
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    if (info[b] <= 0 && from == to) continue;
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        to[i + j * batched_ld(y, b)] =
          info[b] > 0 ? FROM(__builtin_nan(""), __builtin_nan("")) : from[i + j * batched_ld(x, b)];
  }
}

static void NAME(store_values)(const int *info, const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int n = batched_vector_length(y, b);
    const int64_t incx = n > 0 ? batched_increment(x, b) : 1, incy = n > 0 ? batched_increment(y, b) : 1;
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    for (int i = 0; i < n; i++) to[i * incy] = info[b] > 0 ? FROM(__builtin_nan(""), 0) : from[i * incx];
  }
}

/* The number of the largest element, the first of several; -1 in a column of zeros or NaNs. */
static int NAME(largest_of)(int m, const T *x)
{
  R most = 0;
  int at = -1;
  for (int i = 0; i < m; i++) {
    if (!(ABS(x[i]) > most)) continue;
    most = ABS(x[i]);
    at = i;
  }
  return at;
}

static void NAME(fix_signs)(const batched_matrix *z, const batched_matrix *vt)
{
  for (int64_t b = 0; b < z->count; b++) {
    const int m = batched_rows(z, b), n = batched_cols(z, b), cols = vt->count > 0 ? batched_cols(vt, b) : 0;
    for (int64_t j = 0; j < n; j++) {
      T *const x = (T *)batched_at(z, b) + j * batched_ld(z, b), *const y =
                                                                   cols > 0 ? (T *)batched_at(vt, b) + j : NULL;
      const int at = NAME(largest_of)(m, x);
      if (at < 0) continue;
      const R size = ABS(x[at]);
      const T phase = CONJ(x[at]) / size;
      for (int i = 0; i < m; i++) x[i] = i == at ? (T)size : x[i] * phase;
      for (int64_t i = 0; i < cols; i++) y[i * batched_ld(vt, b)] *= CONJ(phase);
    }
  }
}

static void NAME(whole)(bool lower, const batched_matrix *a, const batched_matrix *x)
{
  for (int64_t b = 0; b < a->count; b++) {
    const int n = batched_rows(a, b);
    const int64_t lda = batched_ld(a, b), ldx = batched_ld(x, b);
    const T *const from = batched_at(a, b);
    T *const to = batched_at(x, b);
    for (int64_t j = 0; j < n; j++) {
      to[j + j * ldx] = REAL(from[j + j * lda]);
      for (int64_t i = j + 1; i < n; i++) {
        const T e = lower ? from[i + j * lda] : CONJ(from[j + i * lda]);
        to[i + j * ldx] = e;
        to[j + i * ldx] = CONJ(e);
      }
    }
  }
}

static void NAME(choose)(const batched_gesvdx_args *g, const batched_matrix *s, int *first, int *few)
{
  for (int64_t b = 0; b < s->count; b++) {
    const int k = batched_vector_length(s, b), room = batched_vector_length(&g->s, b);
    const R *const values = batched_at(s, b);
    R *const to = batched_at(&g->s, b);
    int begin = 0, end = k;
    if (g->range == BATCHED_INDEX) {
      begin = batched_min(g->il - 1, k);
      end = batched_min(g->iu, k);
    } else if (g->range == BATCHED_INTERVAL) {
      while (begin < k && values[begin] > g->vu) begin++;
      for (end = begin; end < k && values[end] > g->vl;) end++;
    }
    if (g->info[b] > 0) begin = end = 0;
    first[b] = begin;
    few[b] = batched_min(end - begin, room);
    g->found[b] = end - begin;
    for (int i = 0; i < few[b]; i++) to[i * batched_increment(&g->s, b)] = values[begin + i];
  }
}

static void NAME(take)(const int *first, const int *few, bool rows, const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int m = rows ? few[b] : batched_rows(y, b), n = rows ? batched_cols(y, b) : few[b];
    const int64_t ldx = batched_ld(x, b), ldy = batched_ld(y, b);
    const T *const from = (const T *)batched_at(x, b) + first[b] * (rows ? 1 : ldx);
    T *const to = batched_at(y, b);
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < m; i++) to[i + j * ldy] = from[i + j * ldx];
  }
}

static void NAME(divide_by_values)(double rcond, const batched_matrix *s, const batched_matrix *c, int *rank)
{
  for (int64_t b = 0; b < c->count; b++) {
    const int k = batched_rows(c, b), n = batched_cols(c, b);
    const R *const values = batched_at(s, b), least = k > 0 ? (R)(rcond < 0 ? EPS / 2 : rcond) * values[0] : 0;
    T *const x = batched_at(c, b);
    for (rank[b] = 0; rank[b] < k && values[rank[b]] > least;) rank[b]++;
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < k; i++) {
        T *const e = x + i + j * batched_ld(c, b);
        *e = i < rank[b] ? *e / values[i] : 0;
      }
  }
}

static bool NAME(all_finite)(int m, int n, const T *a, int64_t ld)
{
  bool finite = true;
  for (int64_t j = 0; j < n; j++)
    for (int i = 0; i < m; i++) finite &= a[i + j * ld] - a[i + j * ld] == 0; /* infinity - infinity is a NaN */
  return finite;
}

static void NAME(take_trapezoid)(double rcond, const batched_matrix *f, const batched_matrix *y, int *rank, int *bad)
{
  for (int64_t b = 0; b < f->count; b++) {
    const int m = batched_rows(f, b), n = batched_cols(f, b), k = batched_min(m, n);
    const int64_t ldf = batched_ld(f, b), ldy = batched_ld(y, b);
    const T *const r = batched_at(f, b);
    T *const to = batched_at(y, b);
    const R least = k > 0 ? (R)(rcond < 0 ? EPS / 2 : rcond) * ABS(r[0]) : 0;
    int found = 0;
    bad[b] = !NAME(all_finite)(m, n, r, ldf);
    while (!bad[b] && found < k && ABS(r[found + found * ldf]) > least) found++;
    rank[b] = found;
    for (int64_t i = 0; i < found; i++)
      for (int64_t j = 0; j < n; j++) to[j + i * ldy] = j < i ? 0 : CONJ(r[i + j * ldf]);
  }
}

static void NAME(scale)(const batched_matrix *x, const batched_matrix *y, int *exponent)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int m = batched_rows(y, b), n = batched_cols(y, b);
    const int64_t ldx = batched_ld(x, b);
    exponent[b] = NAME(exponent_of)(m, n, batched_at(x, b), ldx);
    NAME(shift)(-exponent[b], m, n, batched_at(x, b), ldx, batched_at(y, b), batched_ld(y, b));
  }
}

static void NAME(scale_back)(const int *up, const int *down, const batched_matrix *x)
{
  for (int64_t b = 0; b < x->count; b++) {
    const int64_t ld = batched_ld(x, b);
    T *const a = batched_at(x, b);
    NAME(shift)(up[b] - (down ? down[b] : 0), batched_rows(x, b), batched_cols(x, b), a, ld, a, ld);
  }
}

static void NAME(take_rows_to)(const batched_matrix *x, int m, const int *ms, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int rows = batched_rows(y, b), n = batched_cols(y, b), some = ms ? ms[b] : m;
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < rows; i++) to[i + j * batched_ld(y, b)] = i < some ? from[i + j * batched_ld(x, b)] : 0;
  }
}

static void NAME(take_upper)(const batched_matrix *x, const batched_matrix *y)
{
  for (int64_t b = 0; b < y->count; b++) {
    const int m = batched_rows(y, b), n = batched_cols(y, b);
    const T *const from = batched_at(x, b);
    T *const to = batched_at(y, b);
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < m; i++) to[i + j * batched_ld(y, b)] = i <= j ? from[i + j * batched_ld(x, b)] : 0;
  }
}

static void NAME(put_rows)(const batched_matrix *x, const int *jpvt, const batched_matrix *b)
{
  for (int64_t l = 0; l < x->count; l++) {
    const int rows = batched_rows(x, l), n = batched_cols(x, l), *own = jpvt + l * x->m;
    const T *const from = batched_at(x, l);
    T *const to = batched_at(b, l);
    for (int64_t j = 0; j < n; j++)
      for (int i = 0; i < rows; i++) to[own[i] - 1 + j * batched_ld(b, l)] = from[i + j * batched_ld(x, l)];
  }
}

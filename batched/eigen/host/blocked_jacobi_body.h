/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of row host.blocked_jacobi of gesvd (blocked_jacobi.c) for one type: load and order the rows, find pairs of
 * blocks, apply rotations, store.
 */
#include "batched/eigen/host/jacobi_ref.h"

/* The largest element comes to 2^LIFT, so that squares of squares stay in range: those of s are in d. */
#define LIFT (sizeof(R) == 4 ? 0 : 125)
/* A squared norm below which a column counts as zero. */
#define TINY (sizeof(R) == 4 ? 0x1p-120 : 0x1p-250)

static double NAME(size_or_nan)(T x)
{
  const R size = NAME(size)(x);
  return REAL(x) - REAL(x) == 0 && size - size == 0 ? size : __builtin_nan("");
}

/* e of the 2^e that `largest` is scaled by. */
static int NAME(exponent_of)(double largest)
{
  int exponent = 1;
  if (largest > 0) __builtin_frexp(largest, &exponent);
  return LIFT - exponent;
}

/* x 2^e, exactly, in two steps: e may be more than the largest exponent. */
static T NAME(scaled)(T x, int e)
{
  return x * (R)__builtin_ldexp(1, e / 2) * (R)__builtin_ldexp(1, e - e / 2);
}

/* Sizes of rows, and their order; the largest, or NaN. */
static double NAME(order_rows)(const T *a, int rows, int k, int64_t down, int64_t right, double *sizes, int *order)
{
  double largest = 0;
  for (int i = 0; i < rows; i++) {
    sizes[i] = 0;
    for (int j = 0; j < k; j++) {
      const double size = NAME(size_or_nan)(a[i * down + j * right]);
      if (!(size <= sizes[i])) sizes[i] = size;
      if (!(size <= largest)) largest = size;
      if (size != size) return size;
    }
  }
  for (int i = 0; i < rows; i++) {
    int before = 0;
    for (int l = 0; l < rows; l++) before += sizes[l] > sizes[i] || (l < i && sizes[l] == sizes[i]);
    order[before] = i;
  }
  return largest;
}

static void NAME(load)(const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  for (int64_t b = 0; b < g->a.count; b++) {
    const int m = batched_rows(&g->a, b), n = batched_cols(&g->a, b), rows = batched_max(m, n), k = batched_min(m, n);
    const bool wide = m < n;
    const int64_t ld = batched_ld(&g->a, b), down = wide ? ld : 1, right = wide ? 1 : ld;
    const T *const a = batched_at(&g->a, b);
    T *const x = batched_at(&r->x, b);
    int *const order = r->order + b * r->x.m;
    const double largest = NAME(order_rows)(a, rows, k, down, right, r->sizes + b * r->x.m, order);
    const bool good = largest == largest;
    const int e = NAME(exponent_of)(good ? largest : 0);
    r->largest[b] = good ? largest : 0;
    r->moved[b] = r->done[b] = 0;
    g->info[b] = good ? 0 : k;
    for (int64_t j = 0; j < k; j++)
      for (int i = 0; i < rows; i++) {
        const T y = good ? a[order[i] * down + j * right] : 0;
        x[i + j * r->x.ld] = NAME(scaled)(wide ? CONJ(y) : y, e);
        if (!good) order[i] = i;
      }
  }
}

static void NAME(begin)(const batched_jacobi_room *r)
{
  for (int64_t b = 0; b < r->l.count; b++) {
    const int k = batched_cols(&r->l, b);
    const T *const x = batched_at(&r->x, b);
    T *const l = batched_at(&r->l, b), *const v = batched_at(&r->v, b);
    for (int64_t j = 0; j < k; j++)
      for (int64_t i = 0; i < k; i++) {
        l[i + j * r->l.ld] = i >= j ? CONJ(x[j + i * r->x.ld]) : 0;
        if (v) v[i + j * r->v.ld] = i == j;
      }
  }
}

/* Rows first .. first + some - 1 of the columns; those that are not there are zeros. */
static void NAME(gather)(const T *x, int64_t ld, const int *columns, int first, int some, T chunk[PAIR][CHUNK])
{
  for (int c = 0; c < PAIR; c++)
    for (int i = 0; i < CHUNK; i++) chunk[c][i] = columns[c] >= 0 && i < some ? x[first + i + columns[c] * ld] : 0;
}

/* Inner products of the columns. */
static void NAME(gram)(const T *x, int64_t ld, int k, const int *columns, T products[PAIR][PAIR])
{
  T chunk[PAIR][CHUNK];
  for (int p = 0; p < PAIR; p++)
    for (int q = 0; q < PAIR; q++) products[p][q] = 0;
  for (int first = 0; first < k; first += CHUNK) {
    NAME(gather)(x, ld, columns, first, batched_min(k - first, CHUNK), chunk);
    for (int p = 0; p < PAIR; p++)
      for (int q = p; q < PAIR; q++) {
        if (columns[p] < 0 || columns[q] < 0) continue;
        for (int i = 0; i < CHUNK; i++) products[p][q] += CONJ(chunk[p][i]) * chunk[q][i];
      }
  }
  for (int p = 0; p < PAIR; p++)
    for (int q = p + 1; q < PAIR; q++) products[q][p] = CONJ(products[p][q]);
}

/* The columns times w. */
static void NAME(update)(T *x, int64_t ld, int k, const int *columns, T w[PAIR][PAIR])
{
  T chunk[PAIR][CHUNK];
  for (int first = 0; first < k; first += CHUNK) {
    const int some = batched_min(k - first, CHUNK);
    NAME(gather)(x, ld, columns, first, some, chunk);
    for (int q = 0; q < PAIR; q++) {
      if (columns[q] < 0) continue;
      T sum[CHUNK] = {0};
      for (int p = 0; p < PAIR; p++) {
        if (columns[p] < 0) continue;
        for (int i = 0; i < CHUNK; i++) sum[i] += chunk[p][i] * w[q][p];
      }
      for (int i = 0; i < some; i++) x[first + i + columns[q] * ld] = sum[i];
    }
  }
}

/* (x, y) := (c x - s y, conj(s) x + c y) for columns of the square x, or rows. */
static void NAME(turn)(T *x, T *y, int step, R c, T s)
{
  for (int i = 0; i < PAIR * step; i += step) {
    const T a = x[i], b = y[i];
    x[i] = c * a - s * b;
    y[i] = CONJ(s) * a + c * b;
  }
}

/* Makes products[p][q] zero, by the smaller angle, if it is not small: products = J^H products J, w = w J, with w's
 * columns as rows of the array.  1: rotated; 2: by more than a tiny angle. */
static int NAME(rotate_pair)(T products[PAIR][PAIR], T w[PAIR][PAIR], int p, int q, int k)
{
  const double cosine = EPS * (k <= 16 ? 2 : sqrt(k) / 2), near = EPS / (16.0 * k);
  const double xx = REAL(products[p][p]), yy = REAL(products[q][q]);
  const double re = REAL(products[p][q]), im = REAL(products[p][q] * FROM(0, -1)) * IS_COMPLEX, xy2 = re * re + im * im;
  if (!(xy2 > cosine * cosine * xx * yy && xx >= TINY && yy >= TINY)) return 0;
  const double d = yy - xx, h = 1 / sqrt(d * d + 4 * xy2), c = sqrt((1 + fabs(d) * h) / 2), f = d < 0 ? -h / c : h / c;
  const T s = FROM(re * f, -im * f);
  const double shift = xy2 * f / c;
  T *const rows[] = {products[p], products[q]};
  NAME(turn)(&products[0][p], &products[0][q], PAIR, (R)c, s);
  NAME(turn)(rows[0], rows[1], 1, (R)c, CONJ(s));
  products[p][p] = (R)(xx - shift);
  products[q][q] = (R)(yy + shift);
  products[p][q] = products[q][p] = 0;
  NAME(turn)(w[p], w[q], 1, (R)c, s);
  return xy2 > near * xx * yy || xy2 * f * f > near ? 2 : 1;
}

/* One after the other, all pairs of columns of two blocks; 0, 1 or 2: the most that rotate_pair returned. */
static int NAME(diagonalize)(bool within, int k, const int *columns, T products[PAIR][PAIR], T w[PAIR][PAIR])
{
  int most = 0;
  for (int i = 0; i < PAIR; i++)
    for (int j = 0; j < PAIR; j++) w[i][j] = i == j;
  for (int round = within ? 1 - BLOCK : 0; round < BLOCK; round++)
    for (int i = 0; i < BLOCK; i++) {
      int p, q;
      columns_of(round, i, &p, &q);
      if (columns[p] < 0 || columns[q] < 0) continue;
      most = batched_max(most, NAME(rotate_pair)(products, w, p, q, k));
    }
  return most;
}

static void NAME(rotate_blocks)(const batched_jacobi_room *r, int64_t b, int k, const int *columns, bool within)
{
  T products[PAIR][PAIR], w[PAIR][PAIR];
  T *const l = batched_at(&r->l, b), *const v = batched_at(&r->v, b);
  NAME(gram)(l, r->l.ld, k, columns, products);
  const int most = NAME(diagonalize)(within, k, columns, products, w);
  if (most == 0) return;
  NAME(update)(l, r->l.ld, k, columns, w);
  if (v) NAME(update)(v, r->v.ld, k, columns, w);
  if (most > 1) r->moved[b] = 1;
}

static void NAME(rotate_round)(const batched_jacobi_room *r, int round)
{
  for (int64_t b = 0; b < r->l.count; b++) {
    const int k = batched_cols(&r->l, b), blocks = (k + BLOCK - 1) / BLOCK, players = blocks + blocks % 2;
    if (r->done[b] || round >= players - 1) continue;
    for (int i = 0; i < players / 2; i++) {
      int p, q, columns[PAIR];
      meet(players - 1, round, i, &p, &q);
      for (int j = 0; j < PAIR; j++) {
        columns[j] = (j < BLOCK ? p : q) * BLOCK + j % BLOCK;
        if (columns[j] >= k) columns[j] = -1;
      }
      NAME(rotate_blocks)(r, b, k, columns, round == 0);
    }
  }
}

/* y = (V; 0) and v = P U1, in order. */
static void NAME(order_vectors)(const batched_jacobi_room *r, int64_t b, int rows, int k, const double *norms,
                                const int *place)
{
  const T *const l = batched_at(&r->l, b);
  const int *const jpvt = r->jpvt + b * r->l.n;
  T *const v = batched_at(&r->v, b), *const y = batched_at(&r->y, b);
  int rank = 0;
  for (int64_t j = 0; j < k; j++)
    for (int i = 0; i < rows; i++) y[i + place[j] * (int64_t)r->y.ld] = i < k ? v[i + j * r->v.ld] : 0;
  for (int64_t j = 0; j < k; j++) {
    const bool there = norms[j] * norms[j] >= TINY;
    rank += there;
    for (int i = 0; i < k; i++)
      v[jpvt[i] - 1 + place[j] * (int64_t)r->v.ld] = there ? l[i + j * r->l.ld] / (R)norms[j] : 0;
  }
  NAME(complete)(k, k, rank, v, 1, r->v.ld);
}

static void NAME(finish)(const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  for (int64_t b = 0; b < r->l.count; b++) {
    const int k = batched_cols(&r->l, b);
    const T *const l = batched_at(&r->l, b);
    double *const norms = r->sizes + b * r->x.m;
    int *const place = r->place + b * r->x.m;
    if (!r->done[b] && g->info[b] == 0) g->info[b] = k;
    for (int64_t j = 0; j < k; j++) {
      double sum = 0;
      for (int i = 0; i < k; i++) sum += REAL(CONJ(l[i + j * r->l.ld]) * l[i + j * r->l.ld]);
      norms[j] = sqrt(sum);
    }
    for (int j = 0; j < k; j++) {
      place[j] = 0;
      for (int i = 0; i < k; i++) place[j] += norms[i] > norms[j] || (i < j && norms[i] == norms[j]);
    }
    if (g->job == BATCHED_VECTORS) NAME(order_vectors)(r, b, batched_rows(&r->x, b), k, norms, place);
  }
}

static void NAME(put_values)(const batched_gesvd_args *g, const batched_jacobi_room *r, int64_t b, int k)
{
  const int e = NAME(exponent_of)(r->largest[b]), *const place = r->place + b * r->x.m;
  const int64_t inc = k > 0 ? batched_increment(&g->s, b) : 1;
  const double *const norms = r->sizes + b * r->x.m;
  R *const s = batched_at(&g->s, b);
  for (int j = 0; j < k; j++)
    s[place[j] * inc] = (R)(g->info[b] > 0 ? __builtin_nan("") : __builtin_ldexp(norms[j], -e));
}

static void NAME(put_vectors)(const batched_gesvd_args *g, const batched_jacobi_room *r, int64_t b, int k)
{
  const int rows = batched_rows(&r->x, b), *const order = r->order + b * r->x.m;
  const bool wide = batched_rows(&g->a, b) < batched_cols(&g->a, b), good = g->info[b] <= 0;
  const T *const y = batched_at(&r->y, b), *const v = batched_at(&r->v, b);
  const T nan = FROM(__builtin_nan(""), __builtin_nan(""));
  T *const u = batched_at(&g->u, b), *const vt = batched_at(&g->vt, b);
  const int64_t ldu = batched_ld(&g->u, b), ldvt = batched_ld(&g->vt, b);
  for (int64_t j = 0; j < k; j++) {
    for (int64_t i = 0; i < rows; i++) {
      const T e = good ? y[i + j * r->y.ld] : nan;
      *(wide ? &vt[j + order[i] * ldvt] : &u[order[i] + j * ldu]) = wide ? CONJ(e) : e;
    }
    for (int64_t i = 0; i < k; i++) {
      const T e = good ? v[i + j * r->v.ld] : nan;
      *(wide ? &u[i + j * ldu] : &vt[j + i * ldvt]) = wide ? e : CONJ(e);
    }
  }
}

static void NAME(put)(const batched_gesvd_args *g, const batched_jacobi_room *r)
{
  for (int64_t b = 0; b < g->a.count; b++) {
    const int k = batched_cols(&r->x, b);
    NAME(put_values)(g, r, b, k);
    if (g->job == BATCHED_VECTORS) NAME(put_vectors)(g, r, b, k);
  }
}

#undef LIFT
#undef TINY

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.lapacke of heev (heevd, syevd), gesvd (gesdd), gelsd and geev (geevx): LAPACK, matrix by matrix, for
 * those that are finite.
 */

/* LAPACK may loop for ever on a NaN: it is kept away. */
static bool NAME(is_finite)(int m, int n, const T *a, int64_t ld, int uplo)
{
  for (int64_t j = 0; j < n; j++)
    for (int i = uplo == BATCHED_LOWER ? (int)j : 0; i < (uplo == BATCHED_UPPER ? batched_min(m, (int)j + 1) : m); i++)
      if (a[i + j * ld] - a[i + j * ld] != 0) return false;
  return true;
}

static void NAME(copy)(int m, int n, const T *a, int64_t lda, T *b, int64_t ldb)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) b[i + j * ldb] = a[i + j * lda];
}

static void NAME(set_nan)(int m, int n, T *a, int64_t row, int64_t col)
{
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) a[i * row + j * col] = FROM(__builtin_nan(""), __builtin_nan(""));
}

static void NAME(store_real)(int n, const R *from, R *to, int64_t inc)
{
  for (int i = 0; i < n; i++) to[i * inc] = from ? from[i] : (R)__builtin_nan("");
}

/* Memory for LAPACK's divide and conquer, for matrices with sides up to m and n. */
typedef struct NAME(room) {
  int lwork, lrwork, liwork;
  T *x, *work; /* x: m x n */
  R *w, *rwork;
  lapack_int *iwork;
} NAME(room);

static bool NAME(take_room)(batched_ctx *ctx, int m, int n, NAME(room) * r)
{
  const size_t most = (size_t)batched_max(batched_max(m, n), 1), k = (size_t)batched_min(m, n);
  const size_t work = 4 * k * k + 9 * k + 66 * 2 * most + 1, rwork = 1 + 7 * most + 5 * k * k + 2 * most * k;
  r->lwork = (int)work;
  r->lrwork = (int)rwork;
  r->liwork = (int)(3 + 8 * most);
  r->x = batched_scratch_push(ctx, ((size_t)m * (size_t)n + work + BATCHED_VENDOR_READS_BEYOND) * sizeof(T) +
                                     (k + 1 + rwork) * sizeof(R) + (3 + 8 * most) * sizeof(lapack_int) + 64);
  if (!r->x) return false;
  r->work = r->x + (size_t)m * (size_t)n;
  r->w = (R *)(r->work + work + BATCHED_VENDOR_READS_BEYOND);
  r->rwork = r->w + k + 1;
  r->iwork = (lapack_int *)(((uintptr_t)(r->rwork + rwork) + 15) / 16 * 16);
  return true;
}

/* r->x = A -> vectors, r->w the values. */
static int NAME(solve_hermitian)(bool vectors, batched_uplo uplo, int n, const NAME(room) * r)
{
  const char job = vectors ? 'V' : 'N', triangle = lapack_uplo(uplo);
#if IS_COMPLEX
  return (int)LAPACK(heevd)(LAPACK_COL_MAJOR, job, triangle, n, r->x, n, r->w, r->work, r->lwork, r->rwork, r->lrwork,
                            r->iwork, r->liwork);
#else
  return (int)LAPACK(syevd)(LAPACK_COL_MAJOR, job, triangle, n, r->x, n, r->w, r->work, r->lwork, r->iwork, r->liwork);
#endif
}

static int NAME(heev)(batched_ctx *ctx, const batched_heev_args *h)
{
  const bool vectors = h->job == BATCHED_VECTORS;
  NAME(room) r;
  if (!NAME(take_room)(ctx, h->a.n, h->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < h->a.count; i++) {
    const int n = batched_rows(&h->a, i), ld = batched_ld(&h->a, i);
    T *a = batched_at(&h->a, i);
    int info = n;
    NAME(copy)(n, n, a, ld, r.x, n);
#if IS_COMPLEX
    for (int j = 0; j < n; j++) r.x[j + (int64_t)j * n] = REAL(r.x[j + (int64_t)j * n]);
#endif
    if (NAME(is_finite)(n, n, r.x, n, h->uplo)) {
      info = n == 0 ? 0 : NAME(solve_hermitian)(vectors, h->uplo, n, &r);
      if (!info && vectors) NAME(copy)(n, n, r.x, n, a, ld);
    }
    if (info && vectors) NAME(set_nan)(n, n, a, 1, ld);
    NAME(store_real)(n, info ? NULL : r.w, batched_at(&h->w, i), batched_increment(&h->w, i));
    h->info[i] = info;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

static int NAME(solve_general)(bool vectors, int m, int n, T *u, int ldu, T *vt, int ldvt, const NAME(room) * r)
{
  const char job = vectors ? 'S' : 'N';
#if IS_COMPLEX
  return (int)LAPACK(gesdd)(LAPACK_COL_MAJOR, job, m, n, r->x, m, r->w, u, ldu, vt, ldvt, r->work, r->lwork, r->rwork,
                            r->iwork);
#else
  return (int)LAPACK(gesdd)(LAPACK_COL_MAJOR, job, m, n, r->x, m, r->w, u, ldu, vt, ldvt, r->work, r->lwork, r->iwork);
#endif
}

static int NAME(gesvd)(batched_ctx *ctx, const batched_gesvd_args *g)
{
  const bool vectors = g->job == BATCHED_VECTORS;
  NAME(room) r;
  if (!NAME(take_room)(ctx, g->a.m, g->a.n, &r)) return BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < g->a.count; i++) {
    const int m = batched_rows(&g->a, i), n = batched_cols(&g->a, i), ld = batched_ld(&g->a, i), k = batched_min(m, n);
    T *a = batched_at(&g->a, i), *u = vectors ? batched_at(&g->u, i) : NULL,
      *vt = vectors ? batched_at(&g->vt, i) : NULL;
    const int ldu = vectors ? batched_ld(&g->u, i) : batched_max(m, 1);
    const int ldvt = vectors ? batched_ld(&g->vt, i) : batched_max(k, 1);
    int info = k;
    if (NAME(is_finite)(m, n, a, ld, -1)) {
      NAME(copy)(m, n, a, ld, r.x, m);
      info = k == 0 ? 0 : NAME(solve_general)(vectors, m, n, u, ldu, vt, ldvt, &r);
    }
    if (info && vectors) {
      NAME(set_nan)(m, k, u, 1, ldu);
      NAME(set_nan)(k, n, vt, 1, ldvt);
    }
    NAME(store_real)(k, info ? NULL : r.w, batched_at(&g->s, i), batched_increment(&g->s, i));
    g->info[i] = info;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

/* Elements of a gelsd's workspace: its own, reals of a complex one, ints. */
typedef struct NAME(least_squares_room) {
  int work, rwork, iwork;
} NAME(least_squares_room);

static int NAME(least_squares)(int m, int n, int nrhs, double rcond, T *a, T *b, R *s, lapack_int *rank, T *work,
                               NAME(least_squares_room) room, R *rwork, lapack_int *iwork)
{
#if IS_COMPLEX
  return (int)LAPACK(gelsd)(LAPACK_COL_MAJOR, m, n, nrhs, a, m, b, batched_max(m, n), s, (R)rcond, rank, work,
                            room.work, rwork, iwork);
#else
  (void)rwork;
  return (int)LAPACK(gelsd)(LAPACK_COL_MAJOR, m, n, nrhs, a, m, b, batched_max(m, n), s, (R)rcond, rank, work,
                            room.work, iwork);
#endif
}

/* As LAPACK asks for, with what rounding to T may have lost. */
static NAME(least_squares_room) NAME(least_squares_ask)(int m, int n, int nrhs)
{
  T work = 0;
  R rwork = 0;
  lapack_int iwork = 0, rank;
  NAME(least_squares)
  (m, n, nrhs, 0.5, NULL, NULL, NULL, &rank, &work, (NAME(least_squares_room)){-1, 0, 0}, &rwork, &iwork);
  return (NAME(least_squares_room)){(int)(REAL(work) * (1 + 2 * EPS)) + 1, (int)(rwork * (1 + 2 * EPS)) + 1, iwork + 1};
}

static NAME(least_squares_room) NAME(least_squares_most)(const batched_gelsd_args *g)
{
  NAME(least_squares_room) most = {0, 0, 0};
  for (int64_t i = 0; i < g->a.count; i++) {
    const int m = batched_rows(&g->a, i), n = batched_cols(&g->a, i);
    if (m == 0 || n == 0) continue;
    const NAME(least_squares_room) one = NAME(least_squares_ask)(m, n, batched_max(batched_cols(&g->b, i), 1));
    most.work = batched_max(most.work, one.work);
    most.rwork = batched_max(most.rwork, one.rwork);
    most.iwork = batched_max(most.iwork, one.iwork);
    if (!batched_is_variable(&g->a) && !batched_is_variable(&g->b)) break;
  }
  return most;
}

/* Without right-hand sides LAPACK refuses: it gets one, of zeros. */
static int NAME(gelsd)(batched_ctx *ctx, const batched_gelsd_args *g)
{
  const NAME(least_squares_room) most = NAME(least_squares_most)(g);
  const size_t longest = (size_t)batched_max(batched_max(g->a.m, g->a.n), 1), sides = (size_t)batched_max(g->b.n, 1),
               square = (size_t)g->a.m * (size_t)g->a.n + BATCHED_VENDOR_READS_BEYOND;
  T *const x = batched_scratch_push(ctx, (square + longest * sides + (size_t)most.work) * sizeof(T) +
                                           (longest + (size_t)most.rwork) * sizeof(R) +
                                           (size_t)most.iwork * sizeof(lapack_int) + 64);
  if (!x) return BATCHED_NO_MEMORY;
  T *const b = x + square, *const work = b + longest * sides;
  R *const s = (R *)(work + most.work), *const rwork = s + longest;
  lapack_int *const iwork = (lapack_int *)(((uintptr_t)(rwork + most.rwork) + 15) / 16 * 16);
  for (int64_t i = 0; i < g->a.count; i++) {
    const int m = batched_rows(&g->a, i), n = batched_cols(&g->a, i), nrhs = batched_cols(&g->b, i),
              k = batched_min(m, n), rows = batched_max(m, n);
    T *const to = batched_at(&g->b, i);
    lapack_int rank = 0;
    int info = k;
    if (k == 0) {
      for (int j = 0; j < nrhs; j++)
        for (int r = 0; r < n; r++) to[r + (int64_t)j * batched_ld(&g->b, i)] = 0;
      info = 0;
    } else if (NAME(is_finite)(m, n, batched_at(&g->a, i), batched_ld(&g->a, i), -1)) {
      NAME(copy)(m, n, batched_at(&g->a, i), batched_ld(&g->a, i), x, m);
      NAME(copy)(m, nrhs, to, batched_ld(&g->b, i), b, rows);
      for (int r = 0; nrhs == 0 && r < rows; r++) b[r] = 0;
      info = NAME(least_squares)(m, n, batched_max(nrhs, 1), g->rcond, x, b, s, &rank, work, most, rwork, iwork);
      if (!info) NAME(copy)(n, nrhs, b, rows, to, batched_ld(&g->b, i));
    }
    if (info) NAME(set_nan)(n, nrhs, to, 1, batched_ld(&g->b, i));
    NAME(store_real)(k, info ? NULL : s, batched_at(&g->s, i), batched_increment(&g->s, i));
    g->rank[i] = info ? 0 : (int)rank;
    g->info[i] = info;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

#if !IS_COMPLEX
/* Vectors of a real matrix as LAPACK packs them: a column where the value is real, two for a conjugate pair. */
static void NAME(unpack_vectors)(int n, const R *wi, const R *x, R _Complex *v, int64_t ld)
{
  for (int64_t j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      const bool second = j > 0 && wi[j] < 0, paired = wi[j] != 0;
      const R *re = x + i + (second ? j - 1 : j) * n;
      __real__ v[i + j * ld] = *re;
      __imag__ v[i + j * ld] = !paired ? 0 : second ? -re[n] : re[n];
    }
}
#endif

/* geevx with permutations alone: geev's scaling makes |A V - V W| of 5 x 5 matrices whose columns differ by 2^82 some
 * 3e6 n eps |A|, in single precision (2026-11-26). */
static int NAME(geev)(batched_ctx *ctx, const batched_geev_args *g)
{
  const size_t most = (size_t)batched_max(g->a.n, 1), square = most * most, work = 70 * most;
  T *x = batched_scratch_push(ctx, (3 * square + work + 2 * most) * sizeof(T) + 3 * most * sizeof(R));
  if (!x) return BATCHED_NO_MEMORY;
  T *vectors[2] = {x + square, x + 2 * square}, *room = x + 3 * square, *value = room + work;
  R *wi = (R *)(value + 2 * most), *scale = wi + 2 * most, norm;
  lapack_int first, last;
  const batched_matrix *sides[] = {&g->vl, &g->vr};
  for (int64_t b = 0; b < g->a.count; b++) {
    const int n = batched_rows(&g->a, b);
    R _Complex *w = batched_at(&g->w, b);
    const char left = g->vl.count > 0 ? 'V' : 'N', right = g->vr.count > 0 ? 'V' : 'N';
    int info = n;
    if (n > 0 && NAME(is_finite)(n, n, batched_at(&g->a, b), batched_ld(&g->a, b), -1)) {
      NAME(copy)(n, n, batched_at(&g->a, b), batched_ld(&g->a, b), x, n);
#if IS_COMPLEX
      info = (int)LAPACK(geevx)(LAPACK_COL_MAJOR, 'P', left, right, 'N', n, x, n, value, vectors[0], n, vectors[1], n,
                                &first, &last, scale, &norm, NULL, NULL, room, (int)work, wi);
#else
      info = (int)LAPACK(geevx)(LAPACK_COL_MAJOR, 'P', left, right, 'N', n, x, n, value, wi, vectors[0], n, vectors[1],
                                n, &first, &last, scale, &norm, NULL, NULL, room, (int)work, NULL);
#endif
    }
    for (int i = 0; i < n; i++) {
      R _Complex *to = w + i * batched_increment(&g->w, b);
      __real__ *to = info ? (R)__builtin_nan("") : REAL(value[i]);
#if IS_COMPLEX
      __imag__ *to = info ? (R)__builtin_nan("") : __imag__ value[i];
#else
      __imag__ *to = info ? (R)__builtin_nan("") : wi[i];
#endif
    }
    for (int side = 0; side < 2; side++) {
      if (sides[side]->count == 0 || n == 0) continue;
      R _Complex *v = batched_at(sides[side], b);
      const int64_t ld = batched_ld(sides[side], b);
      for (int64_t j = 0; info && j < n; j++)
        for (int i = 0; i < n; i++) v[i + j * ld] = (R)__builtin_nan("") * (1 + 1.0fi);
#if IS_COMPLEX
      if (!info) NAME(copy)(n, n, vectors[side], n, v, ld);
#else
      if (!info) NAME(unpack_vectors)(n, wi, vectors[side], v, ld);
#endif
    }
    g->info[b] = n > 0 ? info : 0;
  }
  batched_scratch_pop(ctx);
  return BATCHED_SUCCESS;
}

#include "batched/eigen/host/vendor_solve_body.h"

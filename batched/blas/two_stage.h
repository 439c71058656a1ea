/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: reductions to tridiagonal matrices by way of a band of kd diagonals beside the main one.
 *   sytrd_sy2sb, hetrd_he2hb   dense to band: he2hb
 *   sytrd_sb2st, hetrd_hb2st   band to tridiagonal: hb2st, whose reflectors stay in v, n x n
 *   ormtr_sy2sb, unmtr_he2hb   products with the Q of the first
 *   ormtr_sb2st, unmtr_hb2st   products with the Q of the second
 * The first two are LAPACK's names, without its work space; LAPACK has no products.
 */
#ifndef BATCHED_BLAS_TWO_STAGE_H
#define BATCHED_BLAS_TWO_STAGE_H

/* Lengths that a variable batch has beside its sizes: lesses = n - 1, and rests = n - kd, both at least 0. */
#define BATCHED_LESS_BY(n, k) ((n) > (k) ? (n) - (k) : 0)

#define BATCHED_DEFINE_TO_BAND(name, T) \
  static inline int batched_##name##_strided(batched_ctx *ctx, batched_uplo uplo, int n, int kd, T *a, int lda, \
                                             int64_t stridea, T *ab, int ldab, int64_t strideab, T *tau, \
                                             int64_t stridetau, int64_t count) \
  { \
    return batched_he2hb(ctx, uplo, kd, batched_strided(a, n, n, lda, stridea, count), \
                         batched_strided(ab, kd + 1, n, ldab, strideab, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS_BY(n, kd), stridetau, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, \
                                              const int *rests, int kd, T *const *a, int lda, const int *ldas, \
                                              T *const *ab, int ldab, const int *ldabs, T *const *tau, int64_t count) \
  { \
    return batched_he2hb(ctx, uplo, kd, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         batched_variable(ab, kd + 1, n, ldab, NULL, ns, ldabs, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS_BY(n, kd), rests, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, batched_uplo uplo, int n, int kd, T *const *a, int lda, \
                                   T *const *ab, int ldab, T *const *tau, int64_t count) \
  { \
    return batched_##name##_variable(ctx, uplo, n, NULL, NULL, kd, a, lda, NULL, ab, ldab, NULL, tau, count); \
  }

#define BATCHED_DEFINE_FROM_BAND(name, T, R) \
  static inline int batched_##name##_strided(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, int kd, \
                                             const T *ab, int ldab, int64_t strideab, R *d, int64_t strided, R *e, \
                                             int64_t stridee, T *v, int ldv, int64_t stridev, int64_t count) \
  { \
    return batched_hb2st(ctx, job, uplo, kd, batched_strided(ab, kd + 1, n, ldab, strideab, count), \
                         BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS_BY(n, 1), stridee, count), \
                         batched_strided(v, n, n, ldv, stridev, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, \
                                              const int *ns, const int *lesses, int kd, T *const *ab, int ldab, \
                                              const int *ldabs, R *const *d, R *const *e, T *const *v, int ldv, \
                                              const int *ldvs, int64_t count) \
  { \
    return batched_hb2st(ctx, job, uplo, kd, batched_variable(ab, kd + 1, n, ldab, NULL, ns, ldabs, count), \
                         BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS_BY(n, 1), lesses, count), \
                         batched_variable(v, n, n, ldv, ns, ns, ldvs, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, int kd, T *const *ab, \
                                   int ldab, R *const *d, R *const *e, T *const *v, int ldv, int64_t count) \
  { \
    return batched_##name##_variable(ctx, job, uplo, n, NULL, NULL, kd, ab, ldab, NULL, d, e, v, ldv, NULL, count); \
  }

#define BATCHED_DEFINE_BY_BAND(name, T) \
  static inline int batched_##name##_strided( \
    batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, int m, int n, int kd, const T *a, \
    int lda, int64_t stridea, const T *tau, int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_unmtr_he2hb(ctx, side, uplo, trans, kd, batched_strided(a, order, order, lda, stridea, count), \
                               BATCHED_VECTORS(tau, BATCHED_LESS_BY(order, kd), stridetau, count), \
                               batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, batched_side side, batched_uplo uplo, \
                                              batched_trans trans, int m, const int *ms, int n, const int *ns, \
                                              const int *rests, int kd, T *const *a, int lda, const int *ldas, \
                                              T *const *tau, T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, *const orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmtr_he2hb(ctx, side, uplo, trans, kd, \
                               batched_variable(a, order, order, lda, orders, orders, ldas, count), \
                               BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS_BY(order, kd), rests, count), \
                               batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, int m, \
                                   int n, int kd, T *const *a, int lda, T *const *tau, T *const *c, int ldc, \
                                   int64_t count) \
  { \
    return batched_##name##_variable(ctx, side, uplo, trans, m, NULL, n, NULL, NULL, kd, a, lda, NULL, tau, c, ldc, \
                                     NULL, count); \
  }

#define BATCHED_DEFINE_BY_TRIDIAGONAL(name, T) \
  static inline int batched_##name##_strided(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, \
                                             int kd, const T *v, int ldv, int64_t stridev, T *c, int ldc, \
                                             int64_t stridec, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_unmtr_hb2st(ctx, side, trans, kd, batched_strided(v, order, order, ldv, stridev, count), \
                               batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, batched_side side, batched_trans trans, int m, \
                                              const int *ms, int n, const int *ns, int kd, T *const *v, int ldv, \
                                              const int *ldvs, T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, *const orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmtr_hb2st(ctx, side, trans, kd, \
                               batched_variable(v, order, order, ldv, orders, orders, ldvs, count), \
                               batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, int kd, \
                                   T *const *v, int ldv, T *const *c, int ldc, int64_t count) \
  { \
    return batched_##name##_variable(ctx, side, trans, m, NULL, n, NULL, kd, v, ldv, NULL, c, ldc, NULL, count); \
  }

BATCHED_DEFINE_TO_BAND(ssytrd_sy2sb, float)
BATCHED_DEFINE_TO_BAND(dsytrd_sy2sb, double)
BATCHED_DEFINE_TO_BAND(chetrd_he2hb, float _Complex)
BATCHED_DEFINE_TO_BAND(zhetrd_he2hb, double _Complex)
BATCHED_DEFINE_FROM_BAND(ssytrd_sb2st, float, float)
BATCHED_DEFINE_FROM_BAND(dsytrd_sb2st, double, double)
BATCHED_DEFINE_FROM_BAND(chetrd_hb2st, float _Complex, float)
BATCHED_DEFINE_FROM_BAND(zhetrd_hb2st, double _Complex, double)
BATCHED_DEFINE_BY_BAND(sormtr_sy2sb, float)
BATCHED_DEFINE_BY_BAND(dormtr_sy2sb, double)
BATCHED_DEFINE_BY_BAND(cunmtr_he2hb, float _Complex)
BATCHED_DEFINE_BY_BAND(zunmtr_he2hb, double _Complex)
BATCHED_DEFINE_BY_TRIDIAGONAL(sormtr_sb2st, float)
BATCHED_DEFINE_BY_TRIDIAGONAL(dormtr_sb2st, double)
BATCHED_DEFINE_BY_TRIDIAGONAL(cunmtr_hb2st, float _Complex)
BATCHED_DEFINE_BY_TRIDIAGONAL(zunmtr_hb2st, double _Complex)

#undef BATCHED_DEFINE_TO_BAND
#undef BATCHED_DEFINE_FROM_BAND
#undef BATCHED_DEFINE_BY_BAND
#undef BATCHED_DEFINE_BY_TRIDIAGONAL
#undef BATCHED_LESS_BY

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: QR and least squares.
 */
#ifndef BATCHED_BLAS_QR_H
#define BATCHED_BLAS_QR_H

#define BATCHED_DEFINE_QR(t, T) \
  static inline int batched_##t##geqrf_strided(batched_ctx *ctx, int m, int n, T *a, int lda, int64_t stridea, T *tau, \
                                               int64_t stridetau, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_geqrf(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count)); \
  } \
  static inline int batched_##t##geqrf_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *mins, T *const *a, int lda, const int *ldas, T *const *tau, \
                                                int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_geqrf(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, mins, count)); \
  } \
  static inline int batched_##t##geqrf(batched_ctx *ctx, int m, int n, T *const *a, int lda, T *const *tau, \
                                       int64_t count) \
  { \
    return batched_##t##geqrf_variable(ctx, m, NULL, n, NULL, NULL, a, lda, NULL, tau, count); \
  } \
\
  static inline int batched_##t##geqp3_strided(batched_ctx *ctx, int m, int n, T *a, int lda, int64_t stridea, \
                                               int *jpvt, T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_geqp3(ctx, batched_strided(a, m, n, lda, stridea, count), jpvt, \
                         BATCHED_VECTORS(tau, m < n ? m : n, stridetau, count)); \
  } \
  static inline int batched_##t##geqp3_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *mins, T *const *a, int lda, const int *ldas, int *jpvt, \
                                                T *const *tau, int64_t count) \
  { \
    return batched_geqp3(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), jpvt, \
                         BATCHED_VECTOR_ARRAY(tau, m < n ? m : n, mins, count)); \
  } \
  static inline int batched_##t##geqp3(batched_ctx *ctx, int m, int n, T *const *a, int lda, int *jpvt, T *const *tau, \
                                       int64_t count) \
  { \
    return batched_##t##geqp3_variable(ctx, m, NULL, n, NULL, NULL, a, lda, NULL, jpvt, tau, count); \
  } \
\
  /* B has max(m, n) rows */ \
  static inline int batched_##t##gels_strided(batched_ctx *ctx, batched_trans trans, int m, int n, int nrhs, T *a, \
                                              int lda, int64_t stridea, T *b, int ldb, int64_t strideb, int *info, \
                                              int64_t count) \
  { \
    const int rows = m > n ? m : n; \
    return batched_gels(ctx, trans, batched_strided(a, m, n, lda, stridea, count), \
                        batched_strided(b, rows, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##gels_variable(batched_ctx *ctx, batched_trans trans, int m, const int *ms, int n, \
                                               const int *ns, const int *maxs, int nrhs, const int *nrhss, \
                                               T *const *a, int lda, const int *ldas, T *const *b, int ldb, \
                                               const int *ldbs, int *info, int64_t count) \
  { \
    const int rows = m > n ? m : n; \
    return batched_gels(ctx, trans, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                        batched_variable(b, rows, nrhs, ldb, maxs, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##gels(batched_ctx *ctx, batched_trans trans, int m, int n, int nrhs, T *const *a, \
                                      int lda, T *const *b, int ldb, int *info, int64_t count) \
  { \
    return batched_##t##gels_variable(ctx, trans, m, NULL, n, NULL, NULL, nrhs, NULL, a, lda, NULL, b, ldb, NULL, \
                                      info, count); \
  }

/* Q is called orthogonal for real and unitary for complex matrices. */
#define BATCHED_DEFINE_Q(mqr, gqr, T) \
  static inline int batched_##mqr##_strided(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, \
                                            int k, const T *a, int lda, int64_t stridea, const T *tau, \
                                            int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int rows = side == BATCHED_LEFT ? m : n; \
    return batched_unmqr(ctx, side, trans, batched_strided(a, rows, k, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count), batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##mqr##_variable(batched_ctx *ctx, batched_side side, batched_trans trans, int m, \
                                             const int *ms, int n, const int *ns, int k, const int *ks, T *const *a, \
                                             int lda, const int *ldas, T *const *tau, T *const *c, int ldc, \
                                             const int *ldcs, int64_t count) \
  { \
    const int rows = side == BATCHED_LEFT ? m : n, *const each = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmqr(ctx, side, trans, batched_variable(a, rows, k, lda, each, ks, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, ks, count), \
                         batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##mqr(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, int k, \
                                  T *const *a, int lda, T *const *tau, T *const *c, int ldc, int64_t count) \
  { \
    return batched_##mqr##_variable(ctx, side, trans, m, NULL, n, NULL, k, NULL, a, lda, NULL, tau, c, ldc, NULL, \
                                    count); \
  } \
\
  static inline int batched_##gqr##_strided(batched_ctx *ctx, int m, int n, int k, T *a, int lda, int64_t stridea, \
                                            const T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_ungqr(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count)); \
  } \
  static inline int batched_##gqr##_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, int k, \
                                             const int *ks, T *const *a, int lda, const int *ldas, T *const *tau, \
                                             int64_t count) \
  { \
    return batched_ungqr(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, ks, count)); \
  } \
  static inline int batched_##gqr(batched_ctx *ctx, int m, int n, int k, T *const *a, int lda, T *const *tau, \
                                  int64_t count) \
  { \
    return batched_##gqr##_variable(ctx, m, NULL, n, NULL, k, NULL, a, lda, NULL, tau, count); \
  }

#define BATCHED_DEFINE_LQ(t, T) \
  static inline int batched_##t##gelqf_strided(batched_ctx *ctx, int m, int n, T *a, int lda, int64_t stridea, T *tau, \
                                               int64_t stridetau, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gelqf(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count)); \
  } \
  static inline int batched_##t##gelqf_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *mins, T *const *a, int lda, const int *ldas, T *const *tau, \
                                                int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gelqf(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, mins, count)); \
  } \
  static inline int batched_##t##gelqf(batched_ctx *ctx, int m, int n, T *const *a, int lda, T *const *tau, \
                                       int64_t count) \
  { \
    return batched_##t##gelqf_variable(ctx, m, NULL, n, NULL, NULL, a, lda, NULL, tau, count); \
  }

/* The same for the reflectors in rows. */
#define BATCHED_DEFINE_Q_OF_ROWS(mlq, glq, T) \
  static inline int batched_##mlq##_strided(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, \
                                            int k, const T *a, int lda, int64_t stridea, const T *tau, \
                                            int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int rows = side == BATCHED_LEFT ? m : n; \
    return batched_unmlq(ctx, side, trans, batched_strided(a, k, rows, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count), batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##mlq##_variable(batched_ctx *ctx, batched_side side, batched_trans trans, int m, \
                                             const int *ms, int n, const int *ns, int k, const int *ks, T *const *a, \
                                             int lda, const int *ldas, T *const *tau, T *const *c, int ldc, \
                                             const int *ldcs, int64_t count) \
  { \
    const int rows = side == BATCHED_LEFT ? m : n, *const each = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmlq(ctx, side, trans, batched_variable(a, k, rows, lda, ks, each, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, ks, count), \
                         batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##mlq(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, int k, \
                                  T *const *a, int lda, T *const *tau, T *const *c, int ldc, int64_t count) \
  { \
    return batched_##mlq##_variable(ctx, side, trans, m, NULL, n, NULL, k, NULL, a, lda, NULL, tau, c, ldc, NULL, \
                                    count); \
  } \
\
  static inline int batched_##glq##_strided(batched_ctx *ctx, int m, int n, int k, T *a, int lda, int64_t stridea, \
                                            const T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_unglq(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, k, stridetau, count)); \
  } \
  static inline int batched_##glq##_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, int k, \
                                             const int *ks, T *const *a, int lda, const int *ldas, T *const *tau, \
                                             int64_t count) \
  { \
    return batched_unglq(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, k, ks, count)); \
  } \
  static inline int batched_##glq(batched_ctx *ctx, int m, int n, int k, T *const *a, int lda, T *const *tau, \
                                  int64_t count) \
  { \
    return batched_##glq##_variable(ctx, m, NULL, n, NULL, k, NULL, a, lda, NULL, tau, count); \
  }

BATCHED_DEFINE_QR(s, float)
BATCHED_DEFINE_QR(d, double)
BATCHED_DEFINE_QR(c, float _Complex)
BATCHED_DEFINE_QR(z, double _Complex)
BATCHED_DEFINE_LQ(s, float)
BATCHED_DEFINE_LQ(d, double)
BATCHED_DEFINE_LQ(c, float _Complex)
BATCHED_DEFINE_LQ(z, double _Complex)
BATCHED_DEFINE_Q_OF_ROWS(sormlq, sorglq, float)
BATCHED_DEFINE_Q_OF_ROWS(dormlq, dorglq, double)
BATCHED_DEFINE_Q_OF_ROWS(cunmlq, cunglq, float _Complex)
BATCHED_DEFINE_Q_OF_ROWS(zunmlq, zunglq, double _Complex)
BATCHED_DEFINE_Q(sormqr, sorgqr, float)
BATCHED_DEFINE_Q(dormqr, dorgqr, double)
BATCHED_DEFINE_Q(cunmqr, cungqr, float _Complex)
BATCHED_DEFINE_Q(zunmqr, zungqr, double _Complex)

#undef BATCHED_DEFINE_QR
#undef BATCHED_DEFINE_LQ
#undef BATCHED_DEFINE_Q_OF_ROWS
#undef BATCHED_DEFINE_Q

#endif

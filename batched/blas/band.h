/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: band matrices, with ldab the number of rows of their storage, and tridiagonal ones.  ipiv:
 * min(m, n) ints for each matrix, side by side in all forms.  In ..._variable kl, ku and kd are bounds, too, and kls,
 * kus and kds hold those of each matrix.
 */
#ifndef BATCHED_BLAS_BAND_H
#define BATCHED_BLAS_BAND_H

#define BATCHED_ONE_LESS(n) ((n) > 1 ? (n)-1 : 0)
#define BATCHED_TWO_LESS(n) ((n) > 2 ? (n)-2 : 0)

#define BATCHED_DEFINE_BAND(t, T) \
  static inline int batched_##t##gbtrf_strided(batched_ctx *ctx, int m, int n, int kl, int ku, T *ab, int ldab, \
                                               int64_t strideab, int *ipiv, int *info, int64_t count) \
  { \
    return batched_gbtrf(ctx, m, kl, ku, batched_strided(ab, ldab, n, ldab, strideab, count), ipiv, info); \
  } \
  static inline int batched_##t##gbtrs_strided(batched_ctx *ctx, batched_trans trans, int n, int kl, int ku, int nrhs, \
                                               const T *ab, int ldab, int64_t strideab, const int *ipiv, T *b, \
                                               int ldb, int64_t strideb, int64_t count) \
  { \
    return batched_gbtrs(ctx, trans, kl, ku, batched_strided(ab, ldab, n, ldab, strideab, count), ipiv, \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
  static inline int batched_##t##gbsv_strided(batched_ctx *ctx, int n, int kl, int ku, int nrhs, T *ab, int ldab, \
                                              int64_t strideab, int *ipiv, T *b, int ldb, int64_t strideb, int *info, \
                                              int64_t count) \
  { \
    return batched_gbsv(ctx, kl, ku, batched_strided(ab, ldab, n, ldab, strideab, count), ipiv, \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##pbtrf_strided(batched_ctx *ctx, batched_uplo uplo, int n, int kd, T *ab, int ldab, \
                                               int64_t strideab, int *info, int64_t count) \
  { \
    return batched_pbtrf(ctx, uplo, kd, batched_strided(ab, ldab, n, ldab, strideab, count), info); \
  } \
  static inline int batched_##t##pbtrs_strided(batched_ctx *ctx, batched_uplo uplo, int n, int kd, int nrhs, \
                                               const T *ab, int ldab, int64_t strideab, T *b, int ldb, \
                                               int64_t strideb, int64_t count) \
  { \
    return batched_pbtrs(ctx, uplo, kd, batched_strided(ab, ldab, n, ldab, strideab, count), \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
  static inline int batched_##t##pbsv_strided(batched_ctx *ctx, batched_uplo uplo, int n, int kd, int nrhs, T *ab, \
                                              int ldab, int64_t strideab, T *b, int ldb, int64_t strideb, int *info, \
                                              int64_t count) \
  { \
    return batched_pbsv(ctx, uplo, kd, batched_strided(ab, ldab, n, ldab, strideab, count), \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##gbmv_strided(batched_ctx *ctx, batched_trans trans, int m, int n, int kl, int ku, \
                                              T alpha, const T *ab, int ldab, int64_t strideab, const T *x, \
                                              int64_t stridex, T beta, T *y, int64_t stridey, int64_t count) \
  { \
    return batched_gbmv(ctx, trans, m, kl, ku, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(ab, ldab, n, ldab, strideab, count), \
                        BATCHED_VECTORS(x, BATCHED_ROWS(trans, n, m), stridex, count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTORS(y, BATCHED_ROWS(trans, m, n), stridey, count)); \
  } \
  static inline int batched_##t##tbsv_strided(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, \
                                              batched_diag diag, int n, int kd, const T *ab, int ldab, \
                                              int64_t strideab, T *x, int64_t stridex, int64_t count) \
  { \
    return batched_tbsv(ctx, uplo, trans, diag, kd, batched_strided(ab, ldab, n, ldab, strideab, count), \
                        BATCHED_VECTORS(x, n, stridex, count)); \
  } \
\
  static inline int batched_##t##gbtrf_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, int kl, \
                                                const int *kls, int ku, const int *kus, T *const *ab, int ldab, \
                                                const int *ldabs, int *ipiv, int *info, int64_t count) \
  { \
    return batched_gbtrf_variable(ctx, batched_each(m, ms), batched_each(kl, kls), batched_each(ku, kus), \
                                  batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), ipiv, info); \
  } \
  static inline int batched_##t##gbtrs_variable(batched_ctx *ctx, batched_trans trans, int n, const int *ns, int kl, \
                                                const int *kls, int ku, const int *kus, int nrhs, const int *nrhss, \
                                                T *const *ab, int ldab, const int *ldabs, const int *ipiv, \
                                                T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_gbtrs_variable(ctx, trans, batched_each(kl, kls), batched_each(ku, kus), \
                                  batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), ipiv, \
                                  batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
  static inline int batched_##t##gbsv_variable(batched_ctx *ctx, int n, const int *ns, int kl, const int *kls, int ku, \
                                               const int *kus, int nrhs, const int *nrhss, T *const *ab, int ldab, \
                                               const int *ldabs, int *ipiv, T *const *b, int ldb, const int *ldbs, \
                                               int *info, int64_t count) \
  { \
    return batched_gbsv_variable(ctx, batched_each(kl, kls), batched_each(ku, kus), \
                                 batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), ipiv, \
                                 batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##pbtrf_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int kd, \
                                                const int *kds, T *const *ab, int ldab, const int *ldabs, int *info, \
                                                int64_t count) \
  { \
    return batched_pbtrf_variable(ctx, uplo, batched_each(kd, kds), \
                                  batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), info); \
  } \
  static inline int batched_##t##pbtrs_variable( \
    batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int kd, const int *kds, int nrhs, const int *nrhss, \
    T *const *ab, int ldab, const int *ldabs, T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_pbtrs_variable(ctx, uplo, batched_each(kd, kds), \
                                  batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), \
                                  batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
  static inline int batched_##t##pbsv_variable( \
    batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int kd, const int *kds, int nrhs, const int *nrhss, \
    T *const *ab, int ldab, const int *ldabs, T *const *b, int ldb, const int *ldbs, int *info, int64_t count) \
  { \
    return batched_pbsv_variable(ctx, uplo, batched_each(kd, kds), \
                                 batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), \
                                 batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##gbmv_variable(batched_ctx *ctx, batched_trans trans, int m, const int *ms, int n, \
                                               const int *ns, int kl, const int *kls, int ku, const int *kus, T alpha, \
                                               T *const *ab, int ldab, const int *ldabs, T *const *x, T beta, \
                                               T *const *y, int64_t count) \
  { \
    return batched_gbmv_variable( \
      ctx, trans, batched_each(m, ms), batched_each(kl, kls), batched_each(ku, kus), BATCHED_SCALAR_OF(alpha), \
      batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), \
      BATCHED_VECTOR_ARRAY(x, BATCHED_ROWS(trans, n, m), BATCHED_ROWS(trans, ns, ms), count), BATCHED_SCALAR_OF(beta), \
      BATCHED_VECTOR_ARRAY(y, BATCHED_ROWS(trans, m, n), BATCHED_ROWS(trans, ms, ns), count)); \
  } \
  static inline int batched_##t##tbsv_variable(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, \
                                               batched_diag diag, int n, const int *ns, int kd, const int *kds, \
                                               T *const *ab, int ldab, const int *ldabs, T *const *x, int64_t count) \
  { \
    return batched_tbsv_variable(ctx, uplo, trans, diag, batched_each(kd, kds), \
                                 batched_variable(ab, ldab, n, ldab, ldabs, ns, ldabs, count), \
                                 BATCHED_VECTOR_ARRAY(x, n, ns, count)); \
  } \
\
  static inline int batched_##t##gbtrf(batched_ctx *ctx, int m, int n, int kl, int ku, T *const *ab, int ldab, \
                                       int *ipiv, int *info, int64_t count) \
  { \
    return batched_gbtrf(ctx, m, kl, ku, batched_array(ab, ldab, n, ldab, count), ipiv, info); \
  } \
  static inline int batched_##t##gbtrs(batched_ctx *ctx, batched_trans trans, int n, int kl, int ku, int nrhs, \
                                       T *const *ab, int ldab, const int *ipiv, T *const *b, int ldb, int64_t count) \
  { \
    return batched_gbtrs(ctx, trans, kl, ku, batched_array(ab, ldab, n, ldab, count), ipiv, \
                         batched_array(b, n, nrhs, ldb, count)); \
  } \
  static inline int batched_##t##gbsv(batched_ctx *ctx, int n, int kl, int ku, int nrhs, T *const *ab, int ldab, \
                                      int *ipiv, T *const *b, int ldb, int *info, int64_t count) \
  { \
    return batched_gbsv(ctx, kl, ku, batched_array(ab, ldab, n, ldab, count), ipiv, \
                        batched_array(b, n, nrhs, ldb, count), info); \
  } \
  static inline int batched_##t##pbtrf(batched_ctx *ctx, batched_uplo uplo, int n, int kd, T *const *ab, int ldab, \
                                       int *info, int64_t count) \
  { \
    return batched_pbtrf(ctx, uplo, kd, batched_array(ab, ldab, n, ldab, count), info); \
  } \
  static inline int batched_##t##pbtrs(batched_ctx *ctx, batched_uplo uplo, int n, int kd, int nrhs, T *const *ab, \
                                       int ldab, T *const *b, int ldb, int64_t count) \
  { \
    return batched_pbtrs(ctx, uplo, kd, batched_array(ab, ldab, n, ldab, count), \
                         batched_array(b, n, nrhs, ldb, count)); \
  } \
  static inline int batched_##t##pbsv(batched_ctx *ctx, batched_uplo uplo, int n, int kd, int nrhs, T *const *ab, \
                                      int ldab, T *const *b, int ldb, int *info, int64_t count) \
  { \
    return batched_pbsv(ctx, uplo, kd, batched_array(ab, ldab, n, ldab, count), batched_array(b, n, nrhs, ldb, count), \
                        info); \
  } \
  static inline int batched_##t##gbmv(batched_ctx *ctx, batched_trans trans, int m, int n, int kl, int ku, T alpha, \
                                      T *const *ab, int ldab, T *const *x, T beta, T *const *y, int64_t count) \
  { \
    return batched_gbmv(ctx, trans, m, kl, ku, BATCHED_SCALAR_OF(alpha), batched_array(ab, ldab, n, ldab, count), \
                        BATCHED_VECTOR_ARRAY(x, BATCHED_ROWS(trans, n, m), NULL, count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTOR_ARRAY(y, BATCHED_ROWS(trans, m, n), NULL, count)); \
  } \
  static inline int batched_##t##tbsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, \
                                      int n, int kd, T *const *ab, int ldab, T *const *x, int64_t count) \
  { \
    return batched_tbsv(ctx, uplo, trans, diag, kd, batched_array(ab, ldab, n, ldab, count), \
                        BATCHED_VECTOR_ARRAY(x, n, NULL, count)); \
  }

#define BATCHED_DEFINE_TRIDIAGONAL(t, T, R) \
  static inline int batched_##t##gttrf_strided(batched_ctx *ctx, int n, T *dl, int64_t stridedl, T *d, \
                                               int64_t strided, T *du, int64_t stridedu, T *du2, int64_t stridedu2, \
                                               int *ipiv, int *info, int64_t count) \
  { \
    return batched_gttrf(ctx, BATCHED_VECTORS(dl, BATCHED_ONE_LESS(n), stridedl, count), \
                         BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(du, BATCHED_ONE_LESS(n), stridedu, count), \
                         BATCHED_VECTORS(du2, BATCHED_TWO_LESS(n), stridedu2, count), ipiv, info); \
  } \
  static inline int batched_##t##gttrs_strided(batched_ctx *ctx, batched_trans trans, int n, int nrhs, const T *dl, \
                                               int64_t stridedl, const T *d, int64_t strided, const T *du, \
                                               int64_t stridedu, const T *du2, int64_t stridedu2, const int *ipiv, \
                                               T *b, int ldb, int64_t strideb, int64_t count) \
  { \
    return batched_gttrs(ctx, trans, BATCHED_VECTORS(dl, BATCHED_ONE_LESS(n), stridedl, count), \
                         BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(du, BATCHED_ONE_LESS(n), stridedu, count), \
                         BATCHED_VECTORS(du2, BATCHED_TWO_LESS(n), stridedu2, count), ipiv, \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
  static inline int batched_##t##gtsv_strided(batched_ctx *ctx, int n, int nrhs, T *dl, int64_t stridedl, T *d, \
                                              int64_t strided, T *du, int64_t stridedu, T *b, int ldb, \
                                              int64_t strideb, int *info, int64_t count) \
  { \
    return batched_gtsv(ctx, BATCHED_VECTORS(dl, BATCHED_ONE_LESS(n), stridedl, count), \
                        BATCHED_VECTORS(d, n, strided, count), \
                        BATCHED_VECTORS(du, BATCHED_ONE_LESS(n), stridedu, count), \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##pttrf_strided(batched_ctx *ctx, int n, R *d, int64_t strided, T *e, int64_t stridee, \
                                               int *info, int64_t count) \
  { \
    return batched_pttrf(ctx, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_ONE_LESS(n), stridee, count), info); \
  } \
  static inline int batched_##t##ptsv_strided(batched_ctx *ctx, int n, int nrhs, R *d, int64_t strided, T *e, \
                                              int64_t stridee, T *b, int ldb, int64_t strideb, int *info, \
                                              int64_t count) \
  { \
    return batched_ptsv(ctx, BATCHED_VECTORS(d, n, strided, count), \
                        BATCHED_VECTORS(e, BATCHED_ONE_LESS(n), stridee, count), \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
\
  static inline int batched_##t##gttrf_variable(batched_ctx *ctx, int n, const int *ns, T *const *dl, T *const *d, \
                                                T *const *du, T *const *du2, int *ipiv, int *info, int64_t count) \
  { \
    return batched_gttrf(ctx, BATCHED_VECTOR_ARRAY(dl, n, ns, count), BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(du, n, ns, count), BATCHED_VECTOR_ARRAY(du2, n, ns, count), ipiv, info); \
  } \
  static inline int batched_##t##gttrs_variable( \
    batched_ctx *ctx, batched_trans trans, int n, const int *ns, int nrhs, const int *nrhss, T *const *dl, \
    T *const *d, T *const *du, T *const *du2, const int *ipiv, T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_gttrs(ctx, trans, BATCHED_VECTOR_ARRAY(dl, n, ns, count), BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(du, n, ns, count), BATCHED_VECTOR_ARRAY(du2, n, ns, count), ipiv, \
                         batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
  static inline int batched_##t##gtsv_variable(batched_ctx *ctx, int n, const int *ns, int nrhs, const int *nrhss, \
                                               T *const *dl, T *const *d, T *const *du, T *const *b, int ldb, \
                                               const int *ldbs, int *info, int64_t count) \
  { \
    return batched_gtsv(ctx, BATCHED_VECTOR_ARRAY(dl, n, ns, count), BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                        BATCHED_VECTOR_ARRAY(du, n, ns, count), \
                        batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##pttrf_variable(batched_ctx *ctx, int n, const int *ns, R *const *d, T *const *e, \
                                                int *info, int64_t count) \
  { \
    return batched_pttrf(ctx, BATCHED_VECTOR_ARRAY(d, n, ns, count), BATCHED_VECTOR_ARRAY(e, n, ns, count), info); \
  } \
  static inline int batched_##t##ptsv_variable(batched_ctx *ctx, int n, const int *ns, int nrhs, const int *nrhss, \
                                               R *const *d, T *const *e, T *const *b, int ldb, const int *ldbs, \
                                               int *info, int64_t count) \
  { \
    return batched_ptsv(ctx, BATCHED_VECTOR_ARRAY(d, n, ns, count), BATCHED_VECTOR_ARRAY(e, n, ns, count), \
                        batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
\
  static inline int batched_##t##gttrf(batched_ctx *ctx, int n, T *const *dl, T *const *d, T *const *du, \
                                       T *const *du2, int *ipiv, int *info, int64_t count) \
  { \
    return batched_gttrf(ctx, BATCHED_VECTOR_ARRAY(dl, BATCHED_ONE_LESS(n), NULL, count), \
                         BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
                         BATCHED_VECTOR_ARRAY(du, BATCHED_ONE_LESS(n), NULL, count), \
                         BATCHED_VECTOR_ARRAY(du2, BATCHED_TWO_LESS(n), NULL, count), ipiv, info); \
  } \
  static inline int batched_##t##gttrs(batched_ctx *ctx, batched_trans trans, int n, int nrhs, T *const *dl, \
                                       T *const *d, T *const *du, T *const *du2, const int *ipiv, T *const *b, \
                                       int ldb, int64_t count) \
  { \
    return batched_gttrs( \
      ctx, trans, BATCHED_VECTOR_ARRAY(dl, BATCHED_ONE_LESS(n), NULL, count), BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
      BATCHED_VECTOR_ARRAY(du, BATCHED_ONE_LESS(n), NULL, count), \
      BATCHED_VECTOR_ARRAY(du2, BATCHED_TWO_LESS(n), NULL, count), ipiv, batched_array(b, n, nrhs, ldb, count)); \
  } \
  static inline int batched_##t##gtsv(batched_ctx *ctx, int n, int nrhs, T *const *dl, T *const *d, T *const *du, \
                                      T *const *b, int ldb, int *info, int64_t count) \
  { \
    return batched_gtsv( \
      ctx, BATCHED_VECTOR_ARRAY(dl, BATCHED_ONE_LESS(n), NULL, count), BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
      BATCHED_VECTOR_ARRAY(du, BATCHED_ONE_LESS(n), NULL, count), batched_array(b, n, nrhs, ldb, count), info); \
  } \
  static inline int batched_##t##pttrf(batched_ctx *ctx, int n, R *const *d, T *const *e, int *info, int64_t count) \
  { \
    return batched_pttrf(ctx, BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_ONE_LESS(n), NULL, count), info); \
  } \
  static inline int batched_##t##ptsv(batched_ctx *ctx, int n, int nrhs, R *const *d, T *const *e, T *const *b, \
                                      int ldb, int *info, int64_t count) \
  { \
    return batched_ptsv(ctx, BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
                        BATCHED_VECTOR_ARRAY(e, BATCHED_ONE_LESS(n), NULL, count), \
                        batched_array(b, n, nrhs, ldb, count), info); \
  }

/* Real matrices need no uplo: LAPACK has none there. */
#define BATCHED_DEFINE_REAL_PTTRS(t, T, R) \
  static inline int batched_##t##pttrs_strided(batched_ctx *ctx, int n, int nrhs, const R *d, int64_t strided, \
                                               const T *e, int64_t stridee, T *b, int ldb, int64_t strideb, \
                                               int64_t count) \
  { \
    return batched_pttrs(ctx, BATCHED_LOWER, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_ONE_LESS(n), stridee, count), \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
\
  static inline int batched_##t##pttrs_variable(batched_ctx *ctx, int n, const int *ns, int nrhs, const int *nrhss, \
                                                R *const *d, T *const *e, T *const *b, int ldb, const int *ldbs, \
                                                int64_t count) \
  { \
    return batched_pttrs(ctx, BATCHED_LOWER, BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, n, ns, count), \
                         batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
\
  static inline int batched_##t##pttrs(batched_ctx *ctx, int n, int nrhs, R *const *d, T *const *e, T *const *b, \
                                       int ldb, int64_t count) \
  { \
    return batched_pttrs(ctx, BATCHED_LOWER, BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_ONE_LESS(n), NULL, count), \
                         batched_array(b, n, nrhs, ldb, count)); \
  }

#define BATCHED_DEFINE_COMPLEX_PTTRS(t, T, R) \
  static inline int batched_##t##pttrs_strided(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, const R *d, \
                                               int64_t strided, const T *e, int64_t stridee, T *b, int ldb, \
                                               int64_t strideb, int64_t count) \
  { \
    return batched_pttrs(ctx, uplo, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_ONE_LESS(n), stridee, count), \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
\
  static inline int batched_##t##pttrs_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int nrhs, \
                                                const int *nrhss, R *const *d, T *const *e, T *const *b, int ldb, \
                                                const int *ldbs, int64_t count) \
  { \
    return batched_pttrs(ctx, uplo, BATCHED_VECTOR_ARRAY(d, n, ns, count), BATCHED_VECTOR_ARRAY(e, n, ns, count), \
                         batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
\
  static inline int batched_##t##pttrs(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, R *const *d, T *const *e, \
                                       T *const *b, int ldb, int64_t count) \
  { \
    return batched_pttrs(ctx, uplo, BATCHED_VECTOR_ARRAY(d, n, NULL, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_ONE_LESS(n), NULL, count), \
                         batched_array(b, n, nrhs, ldb, count)); \
  }

BATCHED_DEFINE_BAND(s, float)
BATCHED_DEFINE_BAND(d, double)
BATCHED_DEFINE_BAND(c, float _Complex)
BATCHED_DEFINE_BAND(z, double _Complex)

BATCHED_DEFINE_TRIDIAGONAL(s, float, float)
BATCHED_DEFINE_TRIDIAGONAL(d, double, double)
BATCHED_DEFINE_TRIDIAGONAL(c, float _Complex, float)
BATCHED_DEFINE_TRIDIAGONAL(z, double _Complex, double)

BATCHED_DEFINE_REAL_PTTRS(s, float, float)
BATCHED_DEFINE_REAL_PTTRS(d, double, double)
BATCHED_DEFINE_COMPLEX_PTTRS(c, float _Complex, float)
BATCHED_DEFINE_COMPLEX_PTTRS(z, double _Complex, double)

#undef BATCHED_ONE_LESS
#undef BATCHED_TWO_LESS
#undef BATCHED_DEFINE_BAND
#undef BATCHED_DEFINE_TRIDIAGONAL
#undef BATCHED_DEFINE_REAL_PTTRS
#undef BATCHED_DEFINE_COMPLEX_PTTRS

#endif

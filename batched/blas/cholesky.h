/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: Cholesky factors, and what is solved with them.
 */
#ifndef BATCHED_BLAS_CHOLESKY_H
#define BATCHED_BLAS_CHOLESKY_H

#define BATCHED_DEFINE_CHOLESKY(t, T) \
  static inline int batched_##t##potrf_strided(batched_ctx *ctx, batched_uplo uplo, int n, T *a, int lda, \
                                               int64_t stridea, int *info, int64_t count) \
  { \
    return batched_potrf(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), info); \
  } \
  static inline int batched_##t##potrf_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, \
                                                T *const *a, int lda, const int *ldas, int *info, int64_t count) \
  { \
    return batched_potrf(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), info); \
  } \
  static inline int batched_##t##potrf(batched_ctx *ctx, batched_uplo uplo, int n, T *const *a, int lda, int *info, \
                                       int64_t count) \
  { \
    return batched_potrf(ctx, uplo, batched_array(a, n, n, lda, count), info); \
  } \
\
  static inline int batched_##t##potrs_strided(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, const T *a, \
                                               int lda, int64_t stridea, T *b, int ldb, int64_t strideb, \
                                               int64_t count) \
  { \
    return batched_potrs(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
  static inline int batched_##t##potrs_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int nrhs, \
                                                const int *nrhss, T *const *a, int lda, const int *ldas, T *const *b, \
                                                int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_potrs(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
  static inline int batched_##t##potrs(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, T *const *a, int lda, \
                                       T *const *b, int ldb, int64_t count) \
  { \
    return batched_potrs(ctx, uplo, batched_array(a, n, n, lda, count), batched_array(b, n, nrhs, ldb, count)); \
  } \
\
  static inline int batched_##t##posv_strided(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, T *a, int lda, \
                                              int64_t stridea, T *b, int ldb, int64_t strideb, int *info, \
                                              int64_t count) \
  { \
    return batched_posv(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##posv_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, int nrhs, \
                                               const int *nrhss, T *const *a, int lda, const int *ldas, T *const *b, \
                                               int ldb, const int *ldbs, int *info, int64_t count) \
  { \
    return batched_posv(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##posv(batched_ctx *ctx, batched_uplo uplo, int n, int nrhs, T *const *a, int lda, \
                                      T *const *b, int ldb, int *info, int64_t count) \
  { \
    return batched_posv(ctx, uplo, batched_array(a, n, n, lda, count), batched_array(b, n, nrhs, ldb, count), info); \
  } \
\
  static inline int batched_##t##potri_strided(batched_ctx *ctx, batched_uplo uplo, int n, T *a, int lda, \
                                               int64_t stridea, int *info, int64_t count) \
  { \
    return batched_potri(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), info); \
  } \
  static inline int batched_##t##potri_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, \
                                                T *const *a, int lda, const int *ldas, int *info, int64_t count) \
  { \
    return batched_potri(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), info); \
  } \
  static inline int batched_##t##potri(batched_ctx *ctx, batched_uplo uplo, int n, T *const *a, int lda, int *info, \
                                       int64_t count) \
  { \
    return batched_potri(ctx, uplo, batched_array(a, n, n, lda, count), info); \
  }

BATCHED_DEFINE_CHOLESKY(s, float)
BATCHED_DEFINE_CHOLESKY(d, double)
BATCHED_DEFINE_CHOLESKY(c, float _Complex)
BATCHED_DEFINE_CHOLESKY(z, double _Complex)

#undef BATCHED_DEFINE_CHOLESKY

#endif

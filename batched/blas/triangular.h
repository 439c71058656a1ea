/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: triangular matrices.
 */
#ifndef BATCHED_BLAS_TRIANGULAR_H
#define BATCHED_BLAS_TRIANGULAR_H

/* trsm and trmm: B is m x n, A of the order that the side asks for */
#define BATCHED_DEFINE_SIDED(op, t, T) \
  static inline int batched_##t##op##_strided( \
    batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, int m, int n, \
    T alpha, const T *a, int lda, int64_t stridea, T *b, int ldb, int64_t strideb, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_##op(ctx, side, uplo, trans, diag, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(a, order, order, lda, stridea, count), \
                        batched_strided(b, m, n, ldb, strideb, count)); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_side side, batched_uplo uplo, \
                                               batched_trans trans, batched_diag diag, int m, const int *ms, int n, \
                                               const int *ns, T alpha, T *const *a, int lda, const int *ldas, \
                                               T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    const int *orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_##op(ctx, side, uplo, trans, diag, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, order, order, lda, orders, orders, ldas, count), \
                        batched_variable(b, m, n, ldb, ms, ns, ldbs, count)); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, \
                                    batched_diag diag, int m, int n, T alpha, T *const *a, int lda, T *const *b, \
                                    int ldb, int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, side, uplo, trans, diag, m, NULL, n, NULL, alpha, a, lda, NULL, b, ldb, \
                                      NULL, count); \
  }

/* trsv and trmv */
#define BATCHED_DEFINE_ONE_VECTOR(op, t, T) \
  static inline int batched_##t##op##_strided(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, \
                                              batched_diag diag, int n, const T *a, int lda, int64_t stridea, T *x, \
                                              int64_t stridex, int64_t count) \
  { \
    return batched_##op(ctx, uplo, trans, diag, batched_strided(a, n, n, lda, stridea, count), \
                        BATCHED_VECTORS(x, n, stridex, count)); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, \
                                               batched_diag diag, int n, const int *ns, T *const *a, int lda, \
                                               const int *ldas, T *const *x, int64_t count) \
  { \
    return batched_##op(ctx, uplo, trans, diag, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        BATCHED_VECTOR_ARRAY(x, n, ns, count)); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, \
                                    int n, T *const *a, int lda, T *const *x, int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, uplo, trans, diag, n, NULL, a, lda, NULL, x, count); \
  }

#define BATCHED_DEFINE_TRIANGULAR(t, T) \
  BATCHED_DEFINE_SIDED(trsm, t, T) \
  BATCHED_DEFINE_SIDED(trmm, t, T) \
  BATCHED_DEFINE_ONE_VECTOR(trsv, t, T) \
  BATCHED_DEFINE_ONE_VECTOR(trmv, t, T) \
\
  static inline int batched_##t##trtri_strided(batched_ctx *ctx, batched_uplo uplo, batched_diag diag, int n, T *a, \
                                               int lda, int64_t stridea, int *info, int64_t count) \
  { \
    return batched_trtri(ctx, uplo, diag, batched_strided(a, n, n, lda, stridea, count), info); \
  } \
  static inline int batched_##t##trtri_variable(batched_ctx *ctx, batched_uplo uplo, batched_diag diag, int n, \
                                                const int *ns, T *const *a, int lda, const int *ldas, int *info, \
                                                int64_t count) \
  { \
    return batched_trtri(ctx, uplo, diag, batched_variable(a, n, n, lda, ns, ns, ldas, count), info); \
  } \
  static inline int batched_##t##trtri(batched_ctx *ctx, batched_uplo uplo, batched_diag diag, int n, T *const *a, \
                                       int lda, int *info, int64_t count) \
  { \
    return batched_trtri(ctx, uplo, diag, batched_array(a, n, n, lda, count), info); \
  }

BATCHED_DEFINE_TRIANGULAR(s, float)
BATCHED_DEFINE_TRIANGULAR(d, double)
BATCHED_DEFINE_TRIANGULAR(c, float _Complex)
BATCHED_DEFINE_TRIANGULAR(z, double _Complex)

#undef BATCHED_DEFINE_SIDED
#undef BATCHED_DEFINE_ONE_VECTOR
#undef BATCHED_DEFINE_TRIANGULAR

#endif

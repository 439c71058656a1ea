/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: products with general, symmetric and Hermitian matrices.
 */
#ifndef BATCHED_BLAS_PRODUCTS_H
#define BATCHED_BLAS_PRODUCTS_H

#define BATCHED_DEFINE_PRODUCTS(t, T) \
  static inline int batched_##t##gemm_strided( \
    batched_ctx *ctx, batched_trans transa, batched_trans transb, int m, int n, int k, T alpha, const T *a, int lda, \
    int64_t stridea, const T *b, int ldb, int64_t strideb, T beta, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    return batched_gemm( \
      ctx, transa, transb, BATCHED_SCALAR_OF(alpha), \
      batched_strided(a, BATCHED_ROWS(transa, m, k), BATCHED_ROWS(transa, k, m), lda, stridea, count), \
      batched_strided(b, BATCHED_ROWS(transb, k, n), BATCHED_ROWS(transb, n, k), ldb, strideb, count), \
      BATCHED_SCALAR_OF(beta), batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##t##gemm_variable( \
    batched_ctx *ctx, batched_trans transa, batched_trans transb, int m, const int *ms, int n, const int *ns, int k, \
    const int *ks, T alpha, T *const *a, int lda, const int *ldas, T *const *b, int ldb, const int *ldbs, T beta, \
    T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    return batched_gemm(ctx, transa, transb, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, BATCHED_ROWS(transa, m, k), BATCHED_ROWS(transa, k, m), lda, \
                                         BATCHED_ROWS(transa, ms, ks), BATCHED_ROWS(transa, ks, ms), ldas, count), \
                        batched_variable(b, BATCHED_ROWS(transb, k, n), BATCHED_ROWS(transb, n, k), ldb, \
                                         BATCHED_ROWS(transb, ks, ns), BATCHED_ROWS(transb, ns, ks), ldbs, count), \
                        BATCHED_SCALAR_OF(beta), batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##t##gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, int m, int n, \
                                      int k, T alpha, T *const *a, int lda, T *const *b, int ldb, T beta, T *const *c, \
                                      int ldc, int64_t count) \
  { \
    return batched_##t##gemm_variable(ctx, transa, transb, m, NULL, n, NULL, k, NULL, alpha, a, lda, NULL, b, ldb, \
                                      NULL, beta, c, ldc, NULL, count); \
  } \
\
  static inline int batched_##t##gemv_strided(batched_ctx *ctx, batched_trans trans, int m, int n, T alpha, \
                                              const T *a, int lda, int64_t stridea, const T *x, int64_t stridex, \
                                              T beta, T *y, int64_t stridey, int64_t count) \
  { \
    const int in = BATCHED_ROWS(trans, n, m), out = BATCHED_ROWS(trans, m, n); \
    return batched_gemv(ctx, trans, BATCHED_SCALAR_OF(alpha), batched_strided(a, m, n, lda, stridea, count), \
                        BATCHED_VECTORS(x, in, stridex, count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTORS(y, out, stridey, count)); \
  } \
  static inline int batched_##t##gemv_variable(batched_ctx *ctx, batched_trans trans, int m, const int *ms, int n, \
                                               const int *ns, T alpha, T *const *a, int lda, const int *ldas, \
                                               T *const *x, T beta, T *const *y, int64_t count) \
  { \
    const int in = BATCHED_ROWS(trans, n, m), out = BATCHED_ROWS(trans, m, n); \
    return batched_gemv(ctx, trans, BATCHED_SCALAR_OF(alpha), batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                        BATCHED_VECTOR_ARRAY(x, in, BATCHED_ROWS(trans, ns, ms), count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTOR_ARRAY(y, out, BATCHED_ROWS(trans, ms, ns), count)); \
  } \
  static inline int batched_##t##gemv(batched_ctx *ctx, batched_trans trans, int m, int n, T alpha, T *const *a, \
                                      int lda, T *const *x, T beta, T *const *y, int64_t count) \
  { \
    return batched_##t##gemv_variable(ctx, trans, m, NULL, n, NULL, alpha, a, lda, NULL, x, beta, y, count); \
  }

/* symv and hemv: op */
#define BATCHED_DEFINE_MIRRORED(op, t, T) \
  static inline int batched_##t##op##_strided(batched_ctx *ctx, batched_uplo uplo, int n, T alpha, const T *a, \
                                              int lda, int64_t stridea, const T *x, int64_t stridex, T beta, T *y, \
                                              int64_t stridey, int64_t count) \
  { \
    return batched_##op(ctx, uplo, BATCHED_SCALAR_OF(alpha), batched_strided(a, n, n, lda, stridea, count), \
                        BATCHED_VECTORS(x, n, stridex, count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTORS(y, n, stridey, count)); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, T alpha, \
                                               T *const *a, int lda, const int *ldas, T *const *x, T beta, \
                                               T *const *y, int64_t count) \
  { \
    return batched_##op(ctx, uplo, BATCHED_SCALAR_OF(alpha), batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        BATCHED_VECTOR_ARRAY(x, n, ns, count), BATCHED_SCALAR_OF(beta), \
                        BATCHED_VECTOR_ARRAY(y, n, ns, count)); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_uplo uplo, int n, T alpha, T *const *a, int lda, \
                                    T *const *x, T beta, T *const *y, int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, uplo, n, NULL, alpha, a, lda, NULL, x, beta, y, count); \
  }

/* View of A where C is rows x cols. */
#define BATCHED_ORDER(side, rows, cols) ((side) == BATCHED_LEFT ? (rows) : (cols))

#define BATCHED_DEFINE_MIRRORED_SIDED(op, t, T) \
  static inline int batched_##t##op##_strided(batched_ctx *ctx, batched_side side, batched_uplo uplo, int m, int n, \
                                              T alpha, const T *a, int lda, int64_t stridea, const T *b, int ldb, \
                                              int64_t strideb, T beta, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    return batched_##op(ctx, side, uplo, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(a, BATCHED_ORDER(side, m, n), BATCHED_ORDER(side, m, n), lda, stridea, count), \
                        batched_strided(b, m, n, ldb, strideb, count), BATCHED_SCALAR_OF(beta), \
                        batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_side side, batched_uplo uplo, int m, \
                                               const int *ms, int n, const int *ns, T alpha, T *const *a, int lda, \
                                               const int *ldas, T *const *b, int ldb, const int *ldbs, T beta, \
                                               T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    return batched_##op(ctx, side, uplo, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, BATCHED_ORDER(side, m, n), BATCHED_ORDER(side, m, n), lda, \
                                         BATCHED_ORDER(side, ms, ns), BATCHED_ORDER(side, ms, ns), ldas, count), \
                        batched_variable(b, m, n, ldb, ms, ns, ldbs, count), BATCHED_SCALAR_OF(beta), \
                        batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_side side, batched_uplo uplo, int m, int n, T alpha, \
                                    T *const *a, int lda, T *const *b, int ldb, T beta, T *const *c, int ldc, \
                                    int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, side, uplo, m, NULL, n, NULL, alpha, a, lda, NULL, b, ldb, NULL, beta, c, \
                                      ldc, NULL, count); \
  }

/* R: the type of beta, T, or the real type of her2k; R_OF makes of it what the call takes. */
#define BATCHED_DEFINE_RANK_2K(op, t, T, R, R_OF) \
  static inline int batched_##t##op##_strided(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, \
                                              T alpha, const T *a, int lda, int64_t stridea, const T *b, int ldb, \
                                              int64_t strideb, R beta, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    return batched_##op(ctx, uplo, trans, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, stridea, count), \
                        batched_strided(b, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), ldb, strideb, count), \
                        R_OF(beta), batched_strided(c, n, n, ldc, stridec, count)); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, \
                                               const int *ns, int k, const int *ks, T alpha, T *const *a, int lda, \
                                               const int *ldas, T *const *b, int ldb, const int *ldbs, R beta, \
                                               T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    return batched_##op(ctx, uplo, trans, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, \
                                         BATCHED_ROWS(trans, ns, ks), BATCHED_ROWS(trans, ks, ns), ldas, count), \
                        batched_variable(b, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), ldb, \
                                         BATCHED_ROWS(trans, ns, ks), BATCHED_ROWS(trans, ks, ns), ldbs, count), \
                        R_OF(beta), batched_variable(c, n, n, ldc, ns, ns, ldcs, count)); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, T alpha, \
                                    T *const *a, int lda, T *const *b, int ldb, R beta, T *const *c, int ldc, \
                                    int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, uplo, trans, n, NULL, k, NULL, alpha, a, lda, NULL, b, ldb, NULL, beta, c, \
                                      ldc, NULL, count); \
  }

#define BATCHED_DEFINE_SYMMETRIC(t, T) \
  BATCHED_DEFINE_MIRRORED(symv, t, T) \
  BATCHED_DEFINE_MIRRORED_SIDED(symm, t, T) \
  BATCHED_DEFINE_RANK_2K(syr2k, t, T, T, BATCHED_SCALAR_OF) \
\
  static inline int batched_##t##syrk_strided(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, \
                                              T alpha, const T *a, int lda, int64_t stridea, T beta, T *c, int ldc, \
                                              int64_t stridec, int64_t count) \
  { \
    return batched_syrk(ctx, uplo, trans, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, stridea, count), \
                        BATCHED_SCALAR_OF(beta), batched_strided(c, n, n, ldc, stridec, count)); \
  } \
  static inline int batched_##t##syrk_variable( \
    batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, const int *ns, int k, const int *ks, T alpha, \
    T *const *a, int lda, const int *ldas, T beta, T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    return batched_syrk(ctx, uplo, trans, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, \
                                         BATCHED_ROWS(trans, ns, ks), BATCHED_ROWS(trans, ks, ns), ldas, count), \
                        BATCHED_SCALAR_OF(beta), batched_variable(c, n, n, ldc, ns, ns, ldcs, count)); \
  } \
  static inline int batched_##t##syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, T alpha, \
                                      T *const *a, int lda, T beta, T *const *c, int ldc, int64_t count) \
  { \
    return batched_##t##syrk_variable(ctx, uplo, trans, n, NULL, k, NULL, alpha, a, lda, NULL, beta, c, ldc, NULL, \
                                      count); \
  }

/* Complex matrices alone; alpha and beta of herk are real. */
#define BATCHED_DEFINE_HERMITIAN(t, T, R) \
  BATCHED_DEFINE_MIRRORED(hemv, t, T) \
  BATCHED_DEFINE_MIRRORED_SIDED(hemm, t, T) \
  BATCHED_DEFINE_RANK_2K(her2k, t, T, R, (double)) \
\
  static inline int batched_##t##herk_strided(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, \
                                              R alpha, const T *a, int lda, int64_t stridea, R beta, T *c, int ldc, \
                                              int64_t stridec, int64_t count) \
  { \
    return batched_herk(ctx, uplo, trans, alpha, \
                        batched_strided(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, stridea, count), \
                        beta, batched_strided(c, n, n, ldc, stridec, count)); \
  } \
  static inline int batched_##t##herk_variable( \
    batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, const int *ns, int k, const int *ks, R alpha, \
    T *const *a, int lda, const int *ldas, R beta, T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    return batched_herk(ctx, uplo, trans, alpha, \
                        batched_variable(a, BATCHED_ROWS(trans, n, k), BATCHED_ROWS(trans, k, n), lda, \
                                         BATCHED_ROWS(trans, ns, ks), BATCHED_ROWS(trans, ks, ns), ldas, count), \
                        beta, batched_variable(c, n, n, ldc, ns, ns, ldcs, count)); \
  } \
  static inline int batched_##t##herk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, int n, int k, R alpha, \
                                      T *const *a, int lda, R beta, T *const *c, int ldc, int64_t count) \
  { \
    return batched_##t##herk_variable(ctx, uplo, trans, n, NULL, k, NULL, alpha, a, lda, NULL, beta, c, ldc, NULL, \
                                      count); \
  }

BATCHED_DEFINE_PRODUCTS(s, float)
BATCHED_DEFINE_PRODUCTS(d, double)
BATCHED_DEFINE_PRODUCTS(c, float _Complex)
BATCHED_DEFINE_PRODUCTS(z, double _Complex)
BATCHED_DEFINE_SYMMETRIC(s, float)
BATCHED_DEFINE_SYMMETRIC(d, double)
BATCHED_DEFINE_SYMMETRIC(c, float _Complex)
BATCHED_DEFINE_SYMMETRIC(z, double _Complex)
BATCHED_DEFINE_HERMITIAN(c, float _Complex, float)
BATCHED_DEFINE_HERMITIAN(z, double _Complex, double)

#undef BATCHED_DEFINE_PRODUCTS
#undef BATCHED_DEFINE_MIRRORED
#undef BATCHED_DEFINE_MIRRORED_SIDED
#undef BATCHED_ORDER
#undef BATCHED_DEFINE_RANK_2K
#undef BATCHED_DEFINE_SYMMETRIC
#undef BATCHED_DEFINE_HERMITIAN

#endif

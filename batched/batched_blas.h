/* SPDX-License-Identifier: BSD-3-Clause
 *
 * batched by the names that one types without looking: batched_<t><op> for arrays of pointers, ..._strided for one
 * array, ..._variable for matrices of sizes of their own.  t is s, d, c or z.  Each is one call of batched.h, in whose
 * terms (shapes, errors, info) they are documented; the order of arguments is that of BLAS and LAPACK, and a bad
 * argument is counted as in batched.h.
 *
 * Pointer arrays and size arrays live in the context's space.  In ..._variable the numbers m, n, k, lda, ... are the
 * largest ones of the batch, and ms, ns, ks, ldas, ... those of each matrix (NULL: all are the largest).
 */
#ifndef BATCHED_BLAS_H
#define BATCHED_BLAS_H

#include "batched.h"

#ifdef __cplusplus
#error \
  "batched_blas.h is for C; from C++ call the functions of batched.h with batched_make_strided and batched_make_array"
#endif

/* alpha and beta: any of the four types. */
#define BATCHED_SCALAR_OF(x) \
  _Generic((x), float _Complex \
           : batched_scalar_complex, double _Complex \
           : batched_scalar_complex, default \
           : batched_scalar_real)(x)

static inline batched_scalar batched_scalar_real(double x)
{
  return batched_real(x);
}

static inline batched_scalar batched_scalar_complex(double _Complex x)
{
  return batched_complex(__real__ x, __imag__ x);
}

/* rows x cols if the operand is taken as it is, cols x rows if transposed */
#define BATCHED_ROWS(trans, rows, cols) ((trans) == BATCHED_NO_TRANS ? (rows) : (cols))

#define BATCHED_DEFINE_BLAS(t, T, R) \
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
                        batched_strided(x, in, 1, in > 1 ? in : 1, stridex, count), BATCHED_SCALAR_OF(beta), \
                        batched_strided(y, out, 1, out > 1 ? out : 1, stridey, count)); \
  } \
  static inline int batched_##t##gemv_variable(batched_ctx *ctx, batched_trans trans, int m, const int *ms, int n, \
                                               const int *ns, T alpha, T *const *a, int lda, const int *ldas, \
                                               T *const *x, T beta, T *const *y, int64_t count) \
  { \
    const int in = BATCHED_ROWS(trans, n, m), out = BATCHED_ROWS(trans, m, n); \
    return batched_gemv( \
      ctx, trans, BATCHED_SCALAR_OF(alpha), batched_variable(a, m, n, lda, ms, ns, ldas, count), \
      batched_variable(x, in, 1, in > 1 ? in : 1, BATCHED_ROWS(trans, ns, ms), NULL, NULL, count), \
      BATCHED_SCALAR_OF(beta), \
      batched_variable(y, out, 1, out > 1 ? out : 1, BATCHED_ROWS(trans, ms, ns), NULL, NULL, count)); \
  } \
  static inline int batched_##t##gemv(batched_ctx *ctx, batched_trans trans, int m, int n, T alpha, T *const *a, \
                                      int lda, T *const *x, T beta, T *const *y, int64_t count) \
  { \
    return batched_##t##gemv_variable(ctx, trans, m, NULL, n, NULL, alpha, a, lda, NULL, x, beta, y, count); \
  } \
\
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
  static inline int batched_##t##trsm_strided( \
    batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, int m, int n, \
    T alpha, const T *a, int lda, int64_t stridea, T *b, int ldb, int64_t strideb, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_trsm(ctx, side, uplo, trans, diag, BATCHED_SCALAR_OF(alpha), \
                        batched_strided(a, order, order, lda, stridea, count), \
                        batched_strided(b, m, n, ldb, strideb, count)); \
  } \
  static inline int batched_##t##trsm_variable(batched_ctx *ctx, batched_side side, batched_uplo uplo, \
                                               batched_trans trans, batched_diag diag, int m, const int *ms, int n, \
                                               const int *ns, T alpha, T *const *a, int lda, const int *ldas, \
                                               T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    const int *orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_trsm(ctx, side, uplo, trans, diag, BATCHED_SCALAR_OF(alpha), \
                        batched_variable(a, order, order, lda, orders, orders, ldas, count), \
                        batched_variable(b, m, n, ldb, ms, ns, ldbs, count)); \
  } \
  static inline int batched_##t##trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, \
                                      batched_diag diag, int m, int n, T alpha, T *const *a, int lda, T *const *b, \
                                      int ldb, int64_t count) \
  { \
    return batched_##t##trsm_variable(ctx, side, uplo, trans, diag, m, NULL, n, NULL, alpha, a, lda, NULL, b, ldb, \
                                      NULL, count); \
  } \
\
  /* u and vt are as large as the values ask for: m x min(m, n) and min(m, n) x n; both NULL for the values alone */ \
  static inline int batched_##t##gesvd_strided(batched_ctx *ctx, int m, int n, const T *a, int lda, int64_t stridea, \
                                               R *s, int64_t strides, T *u, int ldu, int64_t strideu, T *vt, int ldvt, \
                                               int64_t stridevt, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd( \
      ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, batched_strided(a, m, n, lda, stridea, count), \
      batched_strided(s, k, 1, k > 1 ? k : 1, strides, count), batched_strided(u, m, k, ldu, strideu, count), \
      batched_strided(vt, k, n, ldvt, stridevt, count), info); \
  } \
  static inline int batched_##t##gesvd(batched_ctx *ctx, int m, int n, T *const *a, int lda, R *const *s, T *const *u, \
                                       int ldu, T *const *vt, int ldvt, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd(ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, batched_array(a, m, n, lda, count), \
                         batched_array(s, k, 1, k > 1 ? k : 1, count), batched_array(u, m, k, ldu, count), \
                         batched_array(vt, k, n, ldvt, count), info); \
  }

/* Eigenvalues are called syev for real and heev for complex matrices. */
#define BATCHED_DEFINE_EIGEN(op, T, R) \
  static inline int batched_##op##_strided(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, T *a, int lda, \
                                           int64_t stridea, R *w, int64_t stridew, int *info, int64_t count) \
  { \
    return batched_heev(ctx, job, uplo, batched_strided(a, n, n, lda, stridea, count), \
                        batched_strided(w, n, 1, n > 1 ? n : 1, stridew, count), info); \
  } \
  static inline int batched_##op(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, T *const *a, int lda, \
                                 R *const *w, int *info, int64_t count) \
  { \
    return batched_heev(ctx, job, uplo, batched_array(a, n, n, lda, count), \
                        batched_array(w, n, 1, n > 1 ? n : 1, count), info); \
  }

BATCHED_DEFINE_BLAS(s, float, float)
BATCHED_DEFINE_BLAS(d, double, double)
BATCHED_DEFINE_BLAS(c, float _Complex, float)
BATCHED_DEFINE_BLAS(z, double _Complex, double)
BATCHED_DEFINE_EIGEN(ssyev, float, float)
BATCHED_DEFINE_EIGEN(dsyev, double, double)
BATCHED_DEFINE_EIGEN(cheev, float _Complex, float)
BATCHED_DEFINE_EIGEN(zheev, double _Complex, double)

#undef BATCHED_DEFINE_BLAS
#undef BATCHED_DEFINE_EIGEN

#endif

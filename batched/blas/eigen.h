/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: singular values and eigenvalues.
 */
#ifndef BATCHED_BLAS_EIGEN_H
#define BATCHED_BLAS_EIGEN_H

#define BATCHED_DEFINE_SVD(t, T, R) \
  /* u and vt are as large as the values ask for: m x min(m, n) and min(m, n) x n; both NULL for the values alone */ \
  static inline int batched_##t##gesvd_strided(batched_ctx *ctx, int m, int n, const T *a, int lda, int64_t stridea, \
                                               R *s, int64_t strides, T *u, int ldu, int64_t strideu, T *vt, int ldvt, \
                                               int64_t stridevt, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd(ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, \
                         batched_strided(a, m, n, lda, stridea, count), BATCHED_VECTORS(s, k, strides, count), \
                         batched_strided(u, m, k, ldu, strideu, count), \
                         batched_strided(vt, k, n, ldvt, stridevt, count), info); \
  } \
  static inline int batched_##t##gesvd_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *mins, T *const *a, int lda, const int *ldas, R *const *s, \
                                                T *const *u, int ldu, const int *ldus, T *const *vt, int ldvt, \
                                                const int *ldvts, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd(ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, \
                         batched_variable(a, m, n, lda, ms, ns, ldas, count), BATCHED_VECTOR_ARRAY(s, k, mins, count), \
                         batched_variable(u, m, k, ldu, ms, mins, ldus, count), \
                         batched_variable(vt, k, n, ldvt, mins, ns, ldvts, count), info); \
  } \
  static inline int batched_##t##gesvd(batched_ctx *ctx, int m, int n, T *const *a, int lda, R *const *s, T *const *u, \
                                       int ldu, T *const *vt, int ldvt, int *info, int64_t count) \
  { \
    return batched_##t##gesvd_variable(ctx, m, NULL, n, NULL, NULL, a, lda, NULL, s, u, ldu, NULL, vt, ldvt, NULL, \
                                       info, count); \
  }

/* Eigenvalues are called syev for real and heev for complex matrices. */
#define BATCHED_DEFINE_EIGEN(op, T, R) \
  static inline int batched_##op##_strided(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, T *a, int lda, \
                                           int64_t stridea, R *w, int64_t stridew, int *info, int64_t count) \
  { \
    return batched_heev(ctx, job, uplo, batched_strided(a, n, n, lda, stridea, count), \
                        BATCHED_VECTORS(w, n, stridew, count), info); \
  } \
  static inline int batched_##op##_variable(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, \
                                            const int *ns, T *const *a, int lda, const int *ldas, R *const *w, \
                                            int *info, int64_t count) \
  { \
    return batched_heev(ctx, job, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        BATCHED_VECTOR_ARRAY(w, n, ns, count), info); \
  } \
  static inline int batched_##op(batched_ctx *ctx, batched_job job, batched_uplo uplo, int n, T *const *a, int lda, \
                                 R *const *w, int *info, int64_t count) \
  { \
    return batched_##op##_variable(ctx, job, uplo, n, NULL, a, lda, NULL, w, info, count); \
  }

BATCHED_DEFINE_SVD(s, float, float)
BATCHED_DEFINE_SVD(d, double, double)
BATCHED_DEFINE_SVD(c, float _Complex, float)
BATCHED_DEFINE_SVD(z, double _Complex, double)
BATCHED_DEFINE_EIGEN(ssyev, float, float)
BATCHED_DEFINE_EIGEN(dsyev, double, double)
BATCHED_DEFINE_EIGEN(cheev, float _Complex, float)
BATCHED_DEFINE_EIGEN(zheev, double _Complex, double)

#undef BATCHED_DEFINE_SVD
#undef BATCHED_DEFINE_EIGEN

#endif

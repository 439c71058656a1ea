/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: singular values and eigenvalues.
 */
#ifndef BATCHED_BLAS_EIGEN_H
#define BATCHED_BLAS_EIGEN_H

#define BATCHED_DEFINE_SVD(t, T, R) \
  /* u and vt are as large as the values ask for: m x min(m, n) and min(m, n) x n; NULL for one that is not wanted */ \
  static inline int batched_##t##gesvd_strided(batched_ctx *ctx, int m, int n, const T *a, int lda, int64_t stridea, \
                                               R *s, int64_t strides, T *u, int ldu, int64_t strideu, T *vt, int ldvt, \
                                               int64_t stridevt, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd(ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, \
                         batched_strided(a, m, n, lda, stridea, count), BATCHED_VECTORS(s, k, strides, count), \
                         u ? batched_strided(u, m, k, ldu, strideu, count) : (batched_matrix){.count = 0}, \
                         vt ? batched_strided(vt, k, n, ldvt, stridevt, count) : (batched_matrix){.count = 0}, info); \
  } \
  static inline int batched_##t##gesvd_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *mins, T *const *a, int lda, const int *ldas, R *const *s, \
                                                T *const *u, int ldu, const int *ldus, T *const *vt, int ldvt, \
                                                const int *ldvts, int *info, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gesvd(ctx, u || vt ? BATCHED_VECTORS : BATCHED_VALUES, \
                         batched_variable(a, m, n, lda, ms, ns, ldas, count), BATCHED_VECTOR_ARRAY(s, k, mins, count), \
                         u ? batched_variable(u, m, k, ldu, ms, mins, ldus, count) : (batched_matrix){.count = 0}, \
                         vt ? batched_variable(vt, k, n, ldvt, mins, ns, ldvts, count) : (batched_matrix){.count = 0}, \
                         info); \
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

/* Least squares of any rank; b has max(m, n) rows, and s min(m, n) elements. */
#define BATCHED_DEFINE_GELSD(t, T, R) \
  static inline int batched_##t##gelsd_strided(batched_ctx *ctx, int m, int n, int nrhs, const T *a, int lda, \
                                               int64_t stridea, T *b, int ldb, int64_t strideb, R *s, int64_t strides, \
                                               double rcond, int *rank, int *info, int64_t count) \
  { \
    return batched_gelsd(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         batched_strided(b, m > n ? m : n, nrhs, ldb, strideb, count), \
                         BATCHED_VECTORS(s, m < n ? m : n, strides, count), rcond, rank, info); \
  } \
  static inline int batched_##t##gelsd_variable( \
    batched_ctx *ctx, int m, const int *ms, int n, const int *ns, const int *mins, const int *maxs, int nrhs, \
    const int *nrhss, T *const *a, int lda, const int *ldas, T *const *b, int ldb, const int *ldbs, R *const *s, \
    double rcond, int *rank, int *info, int64_t count) \
  { \
    return batched_gelsd(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         batched_variable(b, m > n ? m : n, nrhs, ldb, maxs, nrhss, ldbs, count), \
                         BATCHED_VECTOR_ARRAY(s, m < n ? m : n, mins, count), rcond, rank, info); \
  } \
  static inline int batched_##t##gelsd(batched_ctx *ctx, int m, int n, int nrhs, T *const *a, int lda, T *const *b, \
                                       int ldb, R *const *s, double rcond, int *rank, int *info, int64_t count) \
  { \
    return batched_##t##gelsd_variable(ctx, m, NULL, n, NULL, NULL, NULL, nrhs, NULL, a, lda, NULL, b, ldb, NULL, s, \
                                       rcond, rank, info, count); \
  } \
\
  static inline int batched_##t##gelsy_strided(batched_ctx *ctx, int m, int n, int nrhs, const T *a, int lda, \
                                               int64_t stridea, T *b, int ldb, int64_t strideb, double rcond, \
                                               int *rank, int64_t count) \
  { \
    return batched_gelsy(ctx, batched_strided(a, m, n, lda, stridea, count), \
                         batched_strided(b, m > n ? m : n, nrhs, ldb, strideb, count), rcond, rank); \
  } \
  static inline int batched_##t##gelsy_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                const int *maxs, int nrhs, const int *nrhss, T *const *a, int lda, \
                                                const int *ldas, T *const *b, int ldb, const int *ldbs, double rcond, \
                                                int *rank, int64_t count) \
  { \
    return batched_gelsy(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         batched_variable(b, m > n ? m : n, nrhs, ldb, maxs, nrhss, ldbs, count), rcond, rank); \
  } \
  static inline int batched_##t##gelsy(batched_ctx *ctx, int m, int n, int nrhs, T *const *a, int lda, T *const *b, \
                                       int ldb, double rcond, int *rank, int64_t count) \
  { \
    return batched_##t##gelsy_variable(ctx, m, NULL, n, NULL, NULL, nrhs, NULL, a, lda, NULL, b, ldb, NULL, rcond, \
                                       rank, count); \
  }

/* Eigenvalues of general matrices: w, vl and vr are complex for real matrices, too; vl and vr may be NULL. */
#define BATCHED_DEFINE_GEEV(t, T, C) \
  static inline int batched_##t##geev_strided(batched_ctx *ctx, int n, const T *a, int lda, int64_t stridea, C *w, \
                                              int64_t stridew, C *vl, int ldvl, int64_t stridevl, C *vr, int ldvr, \
                                              int64_t stridevr, int *info, int64_t count) \
  { \
    return batched_geev(ctx, batched_strided(a, n, n, lda, stridea, count), BATCHED_VECTORS(w, n, stridew, count), \
                        batched_strided(vl, n, n, ldvl, stridevl, vl ? count : 0), \
                        batched_strided(vr, n, n, ldvr, stridevr, vr ? count : 0), info); \
  } \
  static inline int batched_##t##geev_variable(batched_ctx *ctx, int n, const int *ns, T *const *a, int lda, \
                                               const int *ldas, C *const *w, C *const *vl, int ldvl, const int *ldvls, \
                                               C *const *vr, int ldvr, const int *ldvrs, int *info, int64_t count) \
  { \
    return batched_geev(ctx, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        BATCHED_VECTOR_ARRAY(w, n, ns, count), \
                        batched_variable(vl, n, n, ldvl, ns, ns, ldvls, vl ? count : 0), \
                        batched_variable(vr, n, n, ldvr, ns, ns, ldvrs, vr ? count : 0), info); \
  } \
  static inline int batched_##t##geev(batched_ctx *ctx, int n, T *const *a, int lda, C *const *w, C *const *vl, \
                                      int ldvl, C *const *vr, int ldvr, int *info, int64_t count) \
  { \
    return batched_##t##geev_variable(ctx, n, NULL, a, lda, NULL, w, vl, ldvl, NULL, vr, ldvr, NULL, info, count); \
  }

/* Some singular values: s has k elements, u k columns and vt k rows, for all min(m, n), for numbers iu - il + 1. */
#define BATCHED_DEFINE_SVDX(t, T, R) \
  static inline int batched_##t##gesvdx_strided( \
    batched_ctx *ctx, batched_job job, batched_range range, int m, int n, const T *a, int lda, int64_t stridea, \
    double vl, double vu, int il, int iu, int *found, int k, R *s, int64_t strides, T *u, int ldu, int64_t strideu, \
    T *vt, int ldvt, int64_t stridevt, int *info, int64_t count) \
  { \
    return batched_gesvdx(ctx, job, range, batched_strided(a, m, n, lda, stridea, count), vl, vu, il, iu, found, \
                          BATCHED_VECTORS(s, k, strides, count), batched_strided(u, m, k, ldu, strideu, count), \
                          batched_strided(vt, k, n, ldvt, stridevt, count), info); \
  } \
  static inline int batched_##t##gesvdx_variable( \
    batched_ctx *ctx, batched_job job, batched_range range, int m, const int *ms, int n, const int *ns, T *const *a, \
    int lda, const int *ldas, double vl, double vu, int il, int iu, int *found, int k, const int *ks, R *const *s, \
    T *const *u, int ldu, const int *ldus, T *const *vt, int ldvt, const int *ldvts, int *info, int64_t count) \
  { \
    return batched_gesvdx(ctx, job, range, batched_variable(a, m, n, lda, ms, ns, ldas, count), vl, vu, il, iu, found, \
                          BATCHED_VECTOR_ARRAY(s, k, ks, count), batched_variable(u, m, k, ldu, ms, ks, ldus, count), \
                          batched_variable(vt, k, n, ldvt, ks, ns, ldvts, count), info); \
  } \
  static inline int batched_##t##gesvdx(batched_ctx *ctx, batched_job job, batched_range range, int m, int n, \
                                        T *const *a, int lda, double vl, double vu, int il, int iu, int *found, int k, \
                                        R *const *s, T *const *u, int ldu, T *const *vt, int ldvt, int *info, \
                                        int64_t count) \
  { \
    return batched_##t##gesvdx_variable(ctx, job, range, m, NULL, n, NULL, a, lda, NULL, vl, vu, il, iu, found, k, \
                                        NULL, s, u, ldu, NULL, vt, ldvt, NULL, info, count); \
  }

/* op: syevx or heevx, with the type; z has k columns, as many as w is long. */
#define BATCHED_DEFINE_EIGENX(op, T, R) \
  static inline int batched_##op##_strided(batched_ctx *ctx, batched_job job, batched_range range, batched_uplo uplo, \
                                           int n, const T *a, int lda, int64_t stridea, double vl, double vu, int il, \
                                           int iu, int *found, int k, R *w, int64_t stridew, T *z, int ldz, \
                                           int64_t stridez, int *info, int64_t count) \
  { \
    return batched_heevx(ctx, job, range, uplo, batched_strided(a, n, n, lda, stridea, count), vl, vu, il, iu, found, \
                         BATCHED_VECTORS(w, k, stridew, count), batched_strided(z, n, k, ldz, stridez, count), info); \
  } \
  static inline int batched_##op##_variable(batched_ctx *ctx, batched_job job, batched_range range, batched_uplo uplo, \
                                            int n, const int *ns, T *const *a, int lda, const int *ldas, double vl, \
                                            double vu, int il, int iu, int *found, int k, const int *ks, R *const *w, \
                                            T *const *z, int ldz, const int *ldzs, int *info, int64_t count) \
  { \
    return batched_heevx(ctx, job, range, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), vl, vu, il, iu, \
                         found, BATCHED_VECTOR_ARRAY(w, k, ks, count), \
                         batched_variable(z, n, k, ldz, ns, ks, ldzs, count), info); \
  } \
  static inline int batched_##op(batched_ctx *ctx, batched_job job, batched_range range, batched_uplo uplo, int n, \
                                 T *const *a, int lda, double vl, double vu, int il, int iu, int *found, int k, \
                                 R *const *w, T *const *z, int ldz, int *info, int64_t count) \
  { \
    return batched_##op##_variable(ctx, job, range, uplo, n, NULL, a, lda, NULL, vl, vu, il, iu, found, k, NULL, w, z, \
                                   ldz, NULL, info, count); \
  }

/* gv, gst: sygv or hegv, and sygst or hegst, with the type. */
#define BATCHED_DEFINE_GENERALISED(gv, gst, T, R) \
  static inline int batched_##gst##_strided(batched_ctx *ctx, int itype, batched_uplo uplo, int n, T *a, int lda, \
                                            int64_t stridea, const T *b, int ldb, int64_t strideb, int64_t count) \
  { \
    return batched_hegst(ctx, itype, uplo, batched_strided(a, n, n, lda, stridea, count), \
                         batched_strided(b, n, n, ldb, strideb, count)); \
  } \
  static inline int batched_##gst##_variable(batched_ctx *ctx, int itype, batched_uplo uplo, int n, const int *ns, \
                                             T *const *a, int lda, const int *ldas, T *const *b, int ldb, \
                                             const int *ldbs, int64_t count) \
  { \
    return batched_hegst(ctx, itype, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         batched_variable(b, n, n, ldb, ns, ns, ldbs, count)); \
  } \
  static inline int batched_##gst(batched_ctx *ctx, int itype, batched_uplo uplo, int n, T *const *a, int lda, \
                                  T *const *b, int ldb, int64_t count) \
  { \
    return batched_##gst##_variable(ctx, itype, uplo, n, NULL, a, lda, NULL, b, ldb, NULL, count); \
  } \
  static inline int batched_##gv##_strided(batched_ctx *ctx, int itype, batched_job job, batched_uplo uplo, int n, \
                                           T *a, int lda, int64_t stridea, T *b, int ldb, int64_t strideb, R *w, \
                                           int64_t stridew, int *info, int64_t count) \
  { \
    return batched_hegv(ctx, itype, job, uplo, batched_strided(a, n, n, lda, stridea, count), \
                        batched_strided(b, n, n, ldb, strideb, count), BATCHED_VECTORS(w, n, stridew, count), info); \
  } \
  static inline int batched_##gv##_variable(batched_ctx *ctx, int itype, batched_job job, batched_uplo uplo, int n, \
                                            const int *ns, T *const *a, int lda, const int *ldas, T *const *b, \
                                            int ldb, const int *ldbs, R *const *w, int *info, int64_t count) \
  { \
    return batched_hegv(ctx, itype, job, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                        batched_variable(b, n, n, ldb, ns, ns, ldbs, count), BATCHED_VECTOR_ARRAY(w, n, ns, count), \
                        info); \
  } \
  static inline int batched_##gv(batched_ctx *ctx, int itype, batched_job job, batched_uplo uplo, int n, T *const *a, \
                                 int lda, T *const *b, int ldb, R *const *w, int *info, int64_t count) \
  { \
    return batched_##gv##_variable(ctx, itype, job, uplo, n, NULL, a, lda, NULL, b, ldb, NULL, w, info, count); \
  }

BATCHED_DEFINE_SVD(s, float, float)
BATCHED_DEFINE_SVD(d, double, double)
BATCHED_DEFINE_SVD(c, float _Complex, float)
BATCHED_DEFINE_SVD(z, double _Complex, double)
BATCHED_DEFINE_EIGEN(ssyev, float, float)
BATCHED_DEFINE_EIGEN(dsyev, double, double)
BATCHED_DEFINE_EIGEN(cheev, float _Complex, float)
BATCHED_DEFINE_EIGEN(zheev, double _Complex, double)
BATCHED_DEFINE_GELSD(s, float, float)
BATCHED_DEFINE_GELSD(d, double, double)
BATCHED_DEFINE_GELSD(c, float _Complex, float)
BATCHED_DEFINE_GELSD(z, double _Complex, double)
BATCHED_DEFINE_GEEV(s, float, float _Complex)
BATCHED_DEFINE_GEEV(d, double, double _Complex)
BATCHED_DEFINE_GEEV(c, float _Complex, float _Complex)
BATCHED_DEFINE_GEEV(z, double _Complex, double _Complex)
BATCHED_DEFINE_SVDX(s, float, float)
BATCHED_DEFINE_SVDX(d, double, double)
BATCHED_DEFINE_SVDX(c, float _Complex, float)
BATCHED_DEFINE_SVDX(z, double _Complex, double)
BATCHED_DEFINE_EIGENX(ssyevx, float, float)
BATCHED_DEFINE_EIGENX(dsyevx, double, double)
BATCHED_DEFINE_EIGENX(cheevx, float _Complex, float)
BATCHED_DEFINE_EIGENX(zheevx, double _Complex, double)
BATCHED_DEFINE_GENERALISED(ssygv, ssygst, float, float)
BATCHED_DEFINE_GENERALISED(dsygv, dsygst, double, double)
BATCHED_DEFINE_GENERALISED(chegv, chegst, float _Complex, float)
BATCHED_DEFINE_GENERALISED(zhegv, zhegst, double _Complex, double)

#undef BATCHED_DEFINE_SVD
#undef BATCHED_DEFINE_EIGEN
#undef BATCHED_DEFINE_GELSD
#undef BATCHED_DEFINE_GEEV
#undef BATCHED_DEFINE_SVDX
#undef BATCHED_DEFINE_EIGENX
#undef BATCHED_DEFINE_GENERALISED

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: symmetric tridiagonal and bidiagonal matrices, d (n) and e (n - 1).
 */
#ifndef BATCHED_BLAS_TRIDIAGONAL_H
#define BATCHED_BLAS_TRIDIAGONAL_H

/* The length of e, one less than the order n, but at least 0; `lesses` holds those of a variable batch. */
#define BATCHED_LESS(n) ((n) > 1 ? (n)-1 : 0)
#define BATCHED_NONE ((batched_matrix){.count = 0})

/* steqr and stedc: Z is n x n (VECTORS), or any x n (MULTIPLY), as many rows as `rows` says. */
#define BATCHED_DEFINE_STEQR(t, op, T, R) \
  static inline int batched_##t##op##_strided(batched_ctx *ctx, batched_job job, int n, R *d, int64_t strided, R *e, \
                                              int64_t stridee, int rows, T *z, int ldz, int64_t stridez, int *info, \
                                              int64_t count) \
  { \
    return batched_##op(ctx, job, BATCHED_VECTORS(d, n, strided, count), \
                        BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), \
                        z ? batched_strided(z, rows, n, ldz, stridez, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##op##_variable(batched_ctx *ctx, batched_job job, int n, const int *ns, \
                                               const int *lesses, R *const *d, R *const *e, int rows, const int *rs, \
                                               T *const *z, int ldz, const int *ldzs, int *info, int64_t count) \
  { \
    return batched_##op(ctx, job, BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                        BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), \
                        z ? batched_variable(z, rows, n, ldz, rs, ns, ldzs, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##op(batched_ctx *ctx, batched_job job, int n, R *const *d, R *const *e, int rows, \
                                    T *const *z, int ldz, int *info, int64_t count) \
  { \
    return batched_##t##op##_variable(ctx, job, n, NULL, NULL, d, e, rows, NULL, z, ldz, NULL, info, count); \
  }

/* vt is n x ncvt, u nru x n, c n x ncc; NULL for one that is not there. */
#define BATCHED_DEFINE_BDSQR(t, T, R) \
  static inline int batched_##t##bdsqr_strided(batched_ctx *ctx, batched_uplo uplo, int n, int ncvt, int nru, int ncc, \
                                               R *d, int64_t strided, R *e, int64_t stridee, T *vt, int ldvt, \
                                               int64_t stridevt, T *u, int ldu, int64_t strideu, T *c, int ldc, \
                                               int64_t stridec, int *info, int64_t count) \
  { \
    return batched_bdsqr(ctx, uplo, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), \
                         vt ? batched_strided(vt, n, ncvt, ldvt, stridevt, count) : BATCHED_NONE, \
                         u ? batched_strided(u, nru, n, ldu, strideu, count) : BATCHED_NONE, \
                         c ? batched_strided(c, n, ncc, ldc, stridec, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##bdsqr_variable( \
    batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, const int *lesses, int ncvt, const int *ncvts, int nru, \
    const int *nrus, int ncc, const int *nccs, R *const *d, R *const *e, T *const *vt, int ldvt, const int *ldvts, \
    T *const *u, int ldu, const int *ldus, T *const *c, int ldc, const int *ldcs, int *info, int64_t count) \
  { \
    return batched_bdsqr(ctx, uplo, BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), \
                         vt ? batched_variable(vt, n, ncvt, ldvt, ns, ncvts, ldvts, count) : BATCHED_NONE, \
                         u ? batched_variable(u, nru, n, ldu, nrus, ns, ldus, count) : BATCHED_NONE, \
                         c ? batched_variable(c, n, ncc, ldc, ns, nccs, ldcs, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##bdsqr(batched_ctx *ctx, batched_uplo uplo, int n, int ncvt, int nru, int ncc, \
                                       R *const *d, R *const *e, T *const *vt, int ldvt, T *const *u, int ldu, \
                                       T *const *c, int ldc, int *info, int64_t count) \
  { \
    return batched_##t##bdsqr_variable(ctx, uplo, n, NULL, NULL, ncvt, NULL, nru, NULL, ncc, NULL, d, e, vt, ldvt, \
                                       NULL, u, ldu, NULL, c, ldc, NULL, info, count); \
  }

/* u and vt are n x n; NULL for one that is not wanted. */
#define BATCHED_DEFINE_BDSDC(t, T, R) \
  static inline int batched_##t##bdsdc_strided(batched_ctx *ctx, batched_uplo uplo, int n, R *d, int64_t strided, \
                                               R *e, int64_t stridee, T *u, int ldu, int64_t strideu, T *vt, int ldvt, \
                                               int64_t stridevt, int *info, int64_t count) \
  { \
    return batched_bdsdc(ctx, uplo, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), \
                         u ? batched_strided(u, n, n, ldu, strideu, count) : BATCHED_NONE, \
                         vt ? batched_strided(vt, n, n, ldvt, stridevt, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##bdsdc_variable( \
    batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, const int *lesses, R *const *d, R *const *e, \
    T *const *u, int ldu, const int *ldus, T *const *vt, int ldvt, const int *ldvts, int *info, int64_t count) \
  { \
    return batched_bdsdc(ctx, uplo, BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), \
                         u ? batched_variable(u, n, n, ldu, ns, ns, ldus, count) : BATCHED_NONE, \
                         vt ? batched_variable(vt, n, n, ldvt, ns, ns, ldvts, count) : BATCHED_NONE, info); \
  } \
  static inline int batched_##t##bdsdc(batched_ctx *ctx, batched_uplo uplo, int n, R *const *d, R *const *e, \
                                       T *const *u, int ldu, T *const *vt, int ldvt, int *info, int64_t count) \
  { \
    return batched_##t##bdsdc_variable(ctx, uplo, n, NULL, NULL, d, e, u, ldu, NULL, vt, ldvt, NULL, info, count); \
  }

/* w is as long as k says, and Z n x k.  found: how many values each matrix has. */
#define BATCHED_DEFINE_STEIN(t, T, R) \
  static inline int batched_##t##stein_strided(batched_ctx *ctx, int n, const R *d, int64_t strided, const R *e, \
                                               int64_t stridee, int k, const int *found, const R *w, int64_t stridew, \
                                               T *z, int ldz, int64_t stridez, int *info, int64_t count) \
  { \
    return batched_stein(ctx, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), found, \
                         BATCHED_VECTORS(w, k, stridew, count), batched_strided(z, n, k, ldz, stridez, count), info); \
  } \
  static inline int batched_##t##stein_variable( \
    batched_ctx *ctx, int n, const int *ns, const int *lesses, R *const *d, R *const *e, int k, const int *ks, \
    const int *found, R *const *w, T *const *z, int ldz, const int *ldzs, int *info, int64_t count) \
  { \
    return batched_stein( \
      ctx, BATCHED_VECTOR_ARRAY(d, n, ns, count), BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), found, \
      BATCHED_VECTOR_ARRAY(w, k, ks, count), batched_variable(z, n, k, ldz, ns, ks, ldzs, count), info); \
  } \
  static inline int batched_##t##stein(batched_ctx *ctx, int n, R *const *d, R *const *e, int k, const int *found, \
                                       R *const *w, T *const *z, int ldz, int *info, int64_t count) \
  { \
    return batched_##t##stein_variable(ctx, n, NULL, NULL, d, e, k, NULL, found, w, z, ldz, NULL, info, count); \
  }

#define BATCHED_DEFINE_STEBZ(t, R) \
  static inline int batched_##t##stebz_strided( \
    batched_ctx *ctx, batched_range range, int n, double vl, double vu, int il, int iu, const R *d, int64_t strided, \
    const R *e, int64_t stridee, int *found, int k, R *w, int64_t stridew, int *info, int64_t count) \
  { \
    return batched_stebz(ctx, range, vl, vu, il, iu, BATCHED_VECTORS(d, n, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), found, \
                         BATCHED_VECTORS(w, k, stridew, count), info); \
  } \
  static inline int batched_##t##stebz_variable( \
    batched_ctx *ctx, batched_range range, int n, const int *ns, const int *lesses, double vl, double vu, int il, \
    int iu, R *const *d, R *const *e, int *found, int k, const int *ks, R *const *w, int *info, int64_t count) \
  { \
    return batched_stebz(ctx, range, vl, vu, il, iu, BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), found, \
                         BATCHED_VECTOR_ARRAY(w, k, ks, count), info); \
  } \
  static inline int batched_##t##stebz(batched_ctx *ctx, batched_range range, int n, double vl, double vu, int il, \
                                       int iu, R *const *d, R *const *e, int *found, int k, R *const *w, int *info, \
                                       int64_t count) \
  { \
    return batched_##t##stebz_variable(ctx, range, n, NULL, NULL, vl, vu, il, iu, d, e, found, k, NULL, w, info, \
                                       count); \
  }

#define BATCHED_DEFINE_TRIDIAGONAL(t, T, R) \
  BATCHED_DEFINE_STEQR(t, steqr, T, R) \
  BATCHED_DEFINE_STEQR(t, stedc, T, R) \
  BATCHED_DEFINE_BDSQR(t, T, R) \
  BATCHED_DEFINE_BDSDC(t, T, R) \
  BATCHED_DEFINE_STEIN(t, T, R)
BATCHED_DEFINE_TRIDIAGONAL(s, float, float)
BATCHED_DEFINE_TRIDIAGONAL(d, double, double)
BATCHED_DEFINE_TRIDIAGONAL(c, float _Complex, float)
BATCHED_DEFINE_TRIDIAGONAL(z, double _Complex, double)
BATCHED_DEFINE_STEBZ(s, float)
BATCHED_DEFINE_STEBZ(d, double)

#undef BATCHED_DEFINE_TRIDIAGONAL
#undef BATCHED_DEFINE_STEQR
#undef BATCHED_DEFINE_BDSQR
#undef BATCHED_DEFINE_BDSDC
#undef BATCHED_DEFINE_STEIN
#undef BATCHED_DEFINE_STEBZ
#undef BATCHED_LESS
#undef BATCHED_NONE

#endif

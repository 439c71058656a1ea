/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: LU with partial pivoting.  ipiv: min(m, n) ints for each matrix, side by side in all forms.
 */
#ifndef BATCHED_BLAS_LU_H
#define BATCHED_BLAS_LU_H

#define BATCHED_DEFINE_LU(t, T) \
  static inline int batched_##t##getrf_strided(batched_ctx *ctx, int m, int n, T *a, int lda, int64_t stridea, \
                                               int *ipiv, int *info, int64_t count) \
  { \
    return batched_getrf(ctx, batched_strided(a, m, n, lda, stridea, count), ipiv, info); \
  } \
  static inline int batched_##t##getrf_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, \
                                                T *const *a, int lda, const int *ldas, int *ipiv, int *info, \
                                                int64_t count) \
  { \
    return batched_getrf(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), ipiv, info); \
  } \
  static inline int batched_##t##getrf(batched_ctx *ctx, int m, int n, T *const *a, int lda, int *ipiv, int *info, \
                                       int64_t count) \
  { \
    return batched_getrf(ctx, batched_array(a, m, n, lda, count), ipiv, info); \
  } \
\
  static inline int batched_##t##getrs_strided(batched_ctx *ctx, batched_trans trans, int n, int nrhs, const T *a, \
                                               int lda, int64_t stridea, const int *ipiv, T *b, int ldb, \
                                               int64_t strideb, int64_t count) \
  { \
    return batched_getrs(ctx, trans, batched_strided(a, n, n, lda, stridea, count), ipiv, \
                         batched_strided(b, n, nrhs, ldb, strideb, count)); \
  } \
  static inline int batched_##t##getrs_variable(batched_ctx *ctx, batched_trans trans, int n, const int *ns, int nrhs, \
                                                const int *nrhss, T *const *a, int lda, const int *ldas, \
                                                const int *ipiv, T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_getrs(ctx, trans, batched_variable(a, n, n, lda, ns, ns, ldas, count), ipiv, \
                         batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count)); \
  } \
  static inline int batched_##t##getrs(batched_ctx *ctx, batched_trans trans, int n, int nrhs, T *const *a, int lda, \
                                       const int *ipiv, T *const *b, int ldb, int64_t count) \
  { \
    return batched_getrs(ctx, trans, batched_array(a, n, n, lda, count), ipiv, batched_array(b, n, nrhs, ldb, count)); \
  } \
\
  static inline int batched_##t##gesv_strided(batched_ctx *ctx, int n, int nrhs, T *a, int lda, int64_t stridea, \
                                              int *ipiv, T *b, int ldb, int64_t strideb, int *info, int64_t count) \
  { \
    return batched_gesv(ctx, batched_strided(a, n, n, lda, stridea, count), ipiv, \
                        batched_strided(b, n, nrhs, ldb, strideb, count), info); \
  } \
  static inline int batched_##t##gesv_variable(batched_ctx *ctx, int n, const int *ns, int nrhs, const int *nrhss, \
                                               T *const *a, int lda, const int *ldas, int *ipiv, T *const *b, int ldb, \
                                               const int *ldbs, int *info, int64_t count) \
  { \
    return batched_gesv(ctx, batched_variable(a, n, n, lda, ns, ns, ldas, count), ipiv, \
                        batched_variable(b, n, nrhs, ldb, ns, nrhss, ldbs, count), info); \
  } \
  static inline int batched_##t##gesv(batched_ctx *ctx, int n, int nrhs, T *const *a, int lda, int *ipiv, T *const *b, \
                                      int ldb, int *info, int64_t count) \
  { \
    return batched_gesv(ctx, batched_array(a, n, n, lda, count), ipiv, batched_array(b, n, nrhs, ldb, count), info); \
  } \
\
  static inline int batched_##t##getri_strided(batched_ctx *ctx, int n, T *a, int lda, int64_t stridea, \
                                               const int *ipiv, int *info, int64_t count) \
  { \
    return batched_getri(ctx, batched_strided(a, n, n, lda, stridea, count), ipiv, info); \
  } \
  static inline int batched_##t##getri_variable(batched_ctx *ctx, int n, const int *ns, T *const *a, int lda, \
                                                const int *ldas, const int *ipiv, int *info, int64_t count) \
  { \
    return batched_getri(ctx, batched_variable(a, n, n, lda, ns, ns, ldas, count), ipiv, info); \
  } \
  static inline int batched_##t##getri(batched_ctx *ctx, int n, T *const *a, int lda, const int *ipiv, int *info, \
                                       int64_t count) \
  { \
    return batched_getri(ctx, batched_array(a, n, n, lda, count), ipiv, info); \
  }

BATCHED_DEFINE_LU(s, float)
BATCHED_DEFINE_LU(d, double)
BATCHED_DEFINE_LU(c, float _Complex)
BATCHED_DEFINE_LU(z, double _Complex)

#undef BATCHED_DEFINE_LU

#endif

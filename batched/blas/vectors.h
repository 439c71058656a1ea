/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: vectors, and matrices element by element.  The r of dot, asum, nrm2 and lange holds `count`
 * numbers side by side.
 */
#ifndef BATCHED_BLAS_VECTORS_H
#define BATCHED_BLAS_VECTORS_H

#define BATCHED_DEFINE_VECTORS(t, T, R) \
  static inline int batched_##t##scal_strided(batched_ctx *ctx, int n, T alpha, T *x, int64_t stridex, int64_t count) \
  { \
    return batched_scal(ctx, BATCHED_SCALAR_OF(alpha), BATCHED_VECTORS(x, n, stridex, count)); \
  } \
  static inline int batched_##t##scal_variable(batched_ctx *ctx, int n, const int *ns, T alpha, T *const *x, \
                                               int64_t count) \
  { \
    return batched_scal(ctx, BATCHED_SCALAR_OF(alpha), BATCHED_VECTOR_ARRAY(x, n, ns, count)); \
  } \
  static inline int batched_##t##scal(batched_ctx *ctx, int n, T alpha, T *const *x, int64_t count) \
  { \
    return batched_##t##scal_variable(ctx, n, NULL, alpha, x, count); \
  } \
  static inline int batched_##t##axpy_strided(batched_ctx *ctx, int n, T alpha, const T *x, int64_t stridex, T *y, \
                                              int64_t stridey, int64_t count) \
  { \
    return batched_axpy(ctx, BATCHED_SCALAR_OF(alpha), BATCHED_VECTORS(x, n, stridex, count), \
                        BATCHED_VECTORS(y, n, stridey, count)); \
  } \
  static inline int batched_##t##axpy_variable(batched_ctx *ctx, int n, const int *ns, T alpha, T *const *x, \
                                               T *const *y, int64_t count) \
  { \
    return batched_axpy(ctx, BATCHED_SCALAR_OF(alpha), BATCHED_VECTOR_ARRAY(x, n, ns, count), \
                        BATCHED_VECTOR_ARRAY(y, n, ns, count)); \
  } \
  static inline int batched_##t##axpy(batched_ctx *ctx, int n, T alpha, T *const *x, T *const *y, int64_t count) \
  { \
    return batched_##t##axpy_variable(ctx, n, NULL, alpha, x, y, count); \
  } \
  static inline int batched_##t##copy_strided(batched_ctx *ctx, int n, const T *x, int64_t stridex, T *y, \
                                              int64_t stridey, int64_t count) \
  { \
    return batched_copy(ctx, BATCHED_VECTORS(x, n, stridex, count), BATCHED_VECTORS(y, n, stridey, count)); \
  } \
  static inline int batched_##t##copy_variable(batched_ctx *ctx, int n, const int *ns, T *const *x, T *const *y, \
                                               int64_t count) \
  { \
    return batched_copy(ctx, BATCHED_VECTOR_ARRAY(x, n, ns, count), BATCHED_VECTOR_ARRAY(y, n, ns, count)); \
  } \
  static inline int batched_##t##copy(batched_ctx *ctx, int n, T *const *x, T *const *y, int64_t count) \
  { \
    return batched_##t##copy_variable(ctx, n, NULL, x, y, count); \
  } \
  /* elements outside of the diagonal become `off`, those on it `diag` */ \
  static inline int batched_##t##laset_strided(batched_ctx *ctx, int m, int n, T off, T diag, T *a, int lda, \
                                               int64_t stridea, int64_t count) \
  { \
    return batched_set(ctx, BATCHED_SCALAR_OF(off), BATCHED_SCALAR_OF(diag), \
                       batched_strided(a, m, n, lda, stridea, count)); \
  } \
  static inline int batched_##t##laset_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, T off, \
                                                T diag, T *const *a, int lda, const int *ldas, int64_t count) \
  { \
    return batched_set(ctx, BATCHED_SCALAR_OF(off), BATCHED_SCALAR_OF(diag), \
                       batched_variable(a, m, n, lda, ms, ns, ldas, count)); \
  } \
  static inline int batched_##t##laset(batched_ctx *ctx, int m, int n, T off, T diag, T *const *a, int lda, \
                                       int64_t count) \
  { \
    return batched_##t##laset_variable(ctx, m, NULL, n, NULL, off, diag, a, lda, NULL, count); \
  } \
  static inline int batched_##t##lange_strided(batched_ctx *ctx, batched_norm_kind kind, int m, int n, const T *a, \
                                               int lda, int64_t stridea, R *r, int64_t count) \
  { \
    return batched_norm(ctx, kind, batched_strided(a, m, n, lda, stridea, count), BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##t##lange_variable(batched_ctx *ctx, batched_norm_kind kind, int m, const int *ms, int n, \
                                                const int *ns, T *const *a, int lda, const int *ldas, R *r, \
                                                int64_t count) \
  { \
    return batched_norm(ctx, kind, batched_variable(a, m, n, lda, ms, ns, ldas, count), BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##t##lange(batched_ctx *ctx, batched_norm_kind kind, int m, int n, T *const *a, int lda, \
                                       R *r, int64_t count) \
  { \
    return batched_##t##lange_variable(ctx, kind, m, NULL, n, NULL, a, lda, NULL, r, count); \
  }

/* B = alpha op(A), A m x n.  alpha = 1 is one call, other numbers take a second one: of scal, on B. */
#define BATCHED_DEFINE_OMATCOPY(t, T) \
  static inline int batched_##t##scaled_transpose(batched_ctx *ctx, batched_trans trans, T alpha, batched_matrix a, \
                                                  batched_matrix b) \
  { \
    const int status = batched_transpose(ctx, trans, a, b); \
    return status || alpha == 1 ? status : batched_scal(ctx, BATCHED_SCALAR_OF(alpha), b); \
  } \
  static inline int batched_##t##omatcopy_strided(batched_ctx *ctx, batched_trans trans, int m, int n, T alpha, \
                                                  const T *a, int lda, int64_t stridea, T *b, int ldb, \
                                                  int64_t strideb, int64_t count) \
  { \
    return batched_##t##scaled_transpose( \
      ctx, trans, alpha, batched_strided(a, m, n, lda, stridea, count), \
      batched_strided(b, BATCHED_ROWS(trans, m, n), BATCHED_ROWS(trans, n, m), ldb, strideb, count)); \
  } \
  static inline int batched_##t##omatcopy_variable(batched_ctx *ctx, batched_trans trans, int m, const int *ms, int n, \
                                                   const int *ns, T alpha, T *const *a, int lda, const int *ldas, \
                                                   T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_##t##scaled_transpose(ctx, trans, alpha, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                                         batched_variable(b, BATCHED_ROWS(trans, m, n), BATCHED_ROWS(trans, n, m), \
                                                          ldb, BATCHED_ROWS(trans, ms, ns), \
                                                          BATCHED_ROWS(trans, ns, ms), ldbs, count)); \
  } \
  static inline int batched_##t##omatcopy(batched_ctx *ctx, batched_trans trans, int m, int n, T alpha, T *const *a, \
                                          int lda, T *const *b, int ldb, int64_t count) \
  { \
    return batched_##t##omatcopy_variable(ctx, trans, m, NULL, n, NULL, alpha, a, lda, NULL, b, ldb, NULL, count); \
  }

/* x^T y is called dot, or dotu, x^H y dotc. */
#define BATCHED_DEFINE_DOT(name, trans, T) \
  static inline int batched_##name##_strided(batched_ctx *ctx, int n, const T *x, int64_t stridex, const T *y, \
                                             int64_t stridey, T *r, int64_t count) \
  { \
    return batched_dot(ctx, trans, BATCHED_VECTORS(x, n, stridex, count), BATCHED_VECTORS(y, n, stridey, count), \
                       BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, int n, const int *ns, T *const *x, T *const *y, T *r, \
                                              int64_t count) \
  { \
    return batched_dot(ctx, trans, BATCHED_VECTOR_ARRAY(x, n, ns, count), BATCHED_VECTOR_ARRAY(y, n, ns, count), \
                       BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, int n, T *const *x, T *const *y, T *r, int64_t count) \
  { \
    return batched_##name##_variable(ctx, n, NULL, x, y, r, count); \
  }

#define BATCHED_DEFINE_SUM(name, call, T, R) \
  static inline int batched_##name##_strided(batched_ctx *ctx, int n, const T *x, int64_t stridex, R *r, \
                                             int64_t count) \
  { \
    return call(ctx, BATCHED_VECTORS(x, n, stridex, count), BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, int n, const int *ns, T *const *x, R *r, \
                                              int64_t count) \
  { \
    return call(ctx, BATCHED_VECTOR_ARRAY(x, n, ns, count), BATCHED_NUMBERS(r, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, int n, T *const *x, R *r, int64_t count) \
  { \
    return batched_##name##_variable(ctx, n, NULL, x, r, count); \
  }

#define BATCHED_DEFINE_SWAP_AND_TRIANGLES(t, T) \
  static inline int batched_##t##swap_strided(batched_ctx *ctx, int n, T *x, int64_t stridex, T *y, int64_t stridey, \
                                              int64_t count) \
  { \
    return batched_swap(ctx, BATCHED_VECTORS(x, n, stridex, count), BATCHED_VECTORS(y, n, stridey, count)); \
  } \
  static inline int batched_##t##swap_variable(batched_ctx *ctx, int n, const int *ns, T *const *x, T *const *y, \
                                               int64_t count) \
  { \
    return batched_swap(ctx, BATCHED_VECTOR_ARRAY(x, n, ns, count), BATCHED_VECTOR_ARRAY(y, n, ns, count)); \
  } \
  static inline int batched_##t##swap(batched_ctx *ctx, int n, T *const *x, T *const *y, int64_t count) \
  { \
    return batched_##t##swap_variable(ctx, n, NULL, x, y, count); \
  } \
  /* the same in one triangle, with its diagonal */ \
  static inline int batched_##t##laset_triangle_strided(batched_ctx *ctx, batched_uplo uplo, int m, int n, T off, \
                                                        T diag, T *a, int lda, int64_t stridea, int64_t count) \
  { \
    return batched_set_triangle(ctx, uplo, BATCHED_SCALAR_OF(off), BATCHED_SCALAR_OF(diag), \
                                batched_strided(a, m, n, lda, stridea, count)); \
  } \
  static inline int batched_##t##laset_triangle_variable(batched_ctx *ctx, batched_uplo uplo, int m, const int *ms, \
                                                         int n, const int *ns, T off, T diag, T *const *a, int lda, \
                                                         const int *ldas, int64_t count) \
  { \
    return batched_set_triangle(ctx, uplo, BATCHED_SCALAR_OF(off), BATCHED_SCALAR_OF(diag), \
                                batched_variable(a, m, n, lda, ms, ns, ldas, count)); \
  } \
  static inline int batched_##t##laset_triangle(batched_ctx *ctx, batched_uplo uplo, int m, int n, T off, T diag, \
                                                T *const *a, int lda, int64_t count) \
  { \
    return batched_##t##laset_triangle_variable(ctx, uplo, m, NULL, n, NULL, off, diag, a, lda, NULL, count); \
  } \
  /* B = A in one triangle, with its diagonal */ \
  static inline int batched_##t##lacpy_triangle_strided(batched_ctx *ctx, batched_uplo uplo, int m, int n, const T *a, \
                                                        int lda, int64_t stridea, T *b, int ldb, int64_t strideb, \
                                                        int64_t count) \
  { \
    return batched_copy_triangle(ctx, uplo, batched_strided(a, m, n, lda, stridea, count), \
                                 batched_strided(b, m, n, ldb, strideb, count)); \
  } \
  static inline int batched_##t##lacpy_triangle_variable(batched_ctx *ctx, batched_uplo uplo, int m, const int *ms, \
                                                         int n, const int *ns, T *const *a, int lda, const int *ldas, \
                                                         T *const *b, int ldb, const int *ldbs, int64_t count) \
  { \
    return batched_copy_triangle(ctx, uplo, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                                 batched_variable(b, m, n, ldb, ms, ns, ldbs, count)); \
  } \
  static inline int batched_##t##lacpy_triangle(batched_ctx *ctx, batched_uplo uplo, int m, int n, T *const *a, \
                                                int lda, T *const *b, int ldb, int64_t count) \
  { \
    return batched_##t##lacpy_triangle_variable(ctx, uplo, m, NULL, n, NULL, a, lda, NULL, b, ldb, NULL, count); \
  }

/* A + alpha x y^T is called ger, or geru, A + alpha x y^H gerc. */
#define BATCHED_DEFINE_GER(name, trans, T) \
  static inline int batched_##name##_strided(batched_ctx *ctx, int m, int n, T alpha, const T *x, int64_t stridex, \
                                             const T *y, int64_t stridey, T *a, int lda, int64_t stridea, \
                                             int64_t count) \
  { \
    return batched_ger(ctx, trans, BATCHED_SCALAR_OF(alpha), BATCHED_VECTORS(x, m, stridex, count), \
                       BATCHED_VECTORS(y, n, stridey, count), batched_strided(a, m, n, lda, stridea, count)); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, int m, const int *ms, int n, const int *ns, T alpha, \
                                              T *const *x, T *const *y, T *const *a, int lda, const int *ldas, \
                                              int64_t count) \
  { \
    return batched_ger(ctx, trans, BATCHED_SCALAR_OF(alpha), BATCHED_VECTOR_ARRAY(x, m, ms, count), \
                       BATCHED_VECTOR_ARRAY(y, n, ns, count), batched_variable(a, m, n, lda, ms, ns, ldas, count)); \
  } \
  static inline int batched_##name(batched_ctx *ctx, int m, int n, T alpha, T *const *x, T *const *y, T *const *a, \
                                   int lda, int64_t count) \
  { \
    return batched_##name##_variable(ctx, m, NULL, n, NULL, alpha, x, y, a, lda, NULL, count); \
  }

/* index[b]: counted from 1, as in Fortran. */
#define BATCHED_DEFINE_AMAX(name, T) \
  static inline int batched_##name##_strided(batched_ctx *ctx, int n, const T *x, int64_t stridex, int *index, \
                                             int64_t count) \
  { \
    return batched_amax(ctx, BATCHED_VECTORS(x, n, stridex, count), index); \
  } \
  static inline int batched_##name##_variable(batched_ctx *ctx, int n, const int *ns, T *const *x, int *index, \
                                              int64_t count) \
  { \
    return batched_amax(ctx, BATCHED_VECTOR_ARRAY(x, n, ns, count), index); \
  } \
  static inline int batched_##name(batched_ctx *ctx, int n, T *const *x, int *index, int64_t count) \
  { \
    return batched_##name##_variable(ctx, n, NULL, x, index, count); \
  }

BATCHED_DEFINE_VECTORS(s, float, float)
BATCHED_DEFINE_VECTORS(d, double, double)
BATCHED_DEFINE_VECTORS(c, float _Complex, float)
BATCHED_DEFINE_VECTORS(z, double _Complex, double)
BATCHED_DEFINE_OMATCOPY(s, float)
BATCHED_DEFINE_OMATCOPY(d, double)
BATCHED_DEFINE_OMATCOPY(c, float _Complex)
BATCHED_DEFINE_OMATCOPY(z, double _Complex)
BATCHED_DEFINE_DOT(sdot, BATCHED_TRANS, float)
BATCHED_DEFINE_DOT(ddot, BATCHED_TRANS, double)
BATCHED_DEFINE_DOT(cdotu, BATCHED_TRANS, float _Complex)
BATCHED_DEFINE_DOT(zdotu, BATCHED_TRANS, double _Complex)
BATCHED_DEFINE_DOT(cdotc, BATCHED_CONJ_TRANS, float _Complex)
BATCHED_DEFINE_DOT(zdotc, BATCHED_CONJ_TRANS, double _Complex)
BATCHED_DEFINE_SUM(snrm2, batched_nrm2, float, float)
BATCHED_DEFINE_SUM(dnrm2, batched_nrm2, double, double)
BATCHED_DEFINE_SUM(scnrm2, batched_nrm2, float _Complex, float)
BATCHED_DEFINE_SUM(dznrm2, batched_nrm2, double _Complex, double)
BATCHED_DEFINE_SUM(sasum, batched_asum, float, float)
BATCHED_DEFINE_SUM(dasum, batched_asum, double, double)
BATCHED_DEFINE_SUM(scasum, batched_asum, float _Complex, float)
BATCHED_DEFINE_SUM(dzasum, batched_asum, double _Complex, double)
BATCHED_DEFINE_SWAP_AND_TRIANGLES(s, float)
BATCHED_DEFINE_SWAP_AND_TRIANGLES(d, double)
BATCHED_DEFINE_SWAP_AND_TRIANGLES(c, float _Complex)
BATCHED_DEFINE_SWAP_AND_TRIANGLES(z, double _Complex)
BATCHED_DEFINE_GER(sger, BATCHED_TRANS, float)
BATCHED_DEFINE_GER(dger, BATCHED_TRANS, double)
BATCHED_DEFINE_GER(cgeru, BATCHED_TRANS, float _Complex)
BATCHED_DEFINE_GER(zgeru, BATCHED_TRANS, double _Complex)
BATCHED_DEFINE_GER(cgerc, BATCHED_CONJ_TRANS, float _Complex)
BATCHED_DEFINE_GER(zgerc, BATCHED_CONJ_TRANS, double _Complex)
BATCHED_DEFINE_AMAX(isamax, float)
BATCHED_DEFINE_AMAX(idamax, double)
BATCHED_DEFINE_AMAX(icamax, float _Complex)
BATCHED_DEFINE_AMAX(izamax, double _Complex)

#undef BATCHED_DEFINE_VECTORS
#undef BATCHED_DEFINE_OMATCOPY
#undef BATCHED_DEFINE_DOT
#undef BATCHED_DEFINE_SUM
#undef BATCHED_DEFINE_SWAP_AND_TRIANGLES
#undef BATCHED_DEFINE_GER
#undef BATCHED_DEFINE_AMAX

#endif

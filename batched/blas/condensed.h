/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of batched_blas.h: reductions to bidiagonal, tridiagonal and Hessenberg matrices.
 */
#ifndef BATCHED_BLAS_CONDENSED_H
#define BATCHED_BLAS_CONDENSED_H

/* Lengths that a variable batch has beside its sizes: mins = min(m, n), lesses = one less than that, or than the order
 * n, but at least 0. */
#define BATCHED_LESS(n) ((n) > 1 ? (n)-1 : 0)

#define BATCHED_DEFINE_GEBRD(t, T, R) \
  static inline int batched_##t##gebrd_strided(batched_ctx *ctx, int m, int n, T *a, int lda, int64_t stridea, R *d, \
                                               int64_t strided, R *e, int64_t stridee, T *tauq, int64_t strideq, \
                                               T *taup, int64_t stridep, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gebrd(ctx, batched_strided(a, m, n, lda, stridea, count), BATCHED_VECTORS(d, k, strided, count), \
                         BATCHED_VECTORS(e, BATCHED_LESS(k), stridee, count), \
                         BATCHED_VECTORS(tauq, k, strideq, count), BATCHED_VECTORS(taup, k, stridep, count)); \
  } \
  static inline int batched_##t##gebrd_variable( \
    batched_ctx *ctx, int m, const int *ms, int n, const int *ns, const int *mins, const int *lesses, T *const *a, \
    int lda, const int *ldas, R *const *d, R *const *e, T *const *tauq, T *const *taup, int64_t count) \
  { \
    const int k = m < n ? m : n; \
    return batched_gebrd(ctx, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(d, k, mins, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(k), lesses, count), \
                         BATCHED_VECTOR_ARRAY(tauq, k, mins, count), BATCHED_VECTOR_ARRAY(taup, k, mins, count)); \
  } \
  static inline int batched_##t##gebrd(batched_ctx *ctx, int m, int n, T *const *a, int lda, R *const *d, R *const *e, \
                                       T *const *tauq, T *const *taup, int64_t count) \
  { \
    return batched_##t##gebrd_variable(ctx, m, NULL, n, NULL, NULL, NULL, a, lda, NULL, d, e, tauq, taup, count); \
  } \
\
  static inline int batched_##t##gehrd_strided(batched_ctx *ctx, int n, int ilo, int ihi, T *a, int lda, \
                                               int64_t stridea, T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_gehrd(ctx, ilo, ihi, batched_strided(a, n, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(n), stridetau, count)); \
  } \
  static inline int batched_##t##gehrd_variable(batched_ctx *ctx, int n, const int *ns, const int *lesses, int ilo, \
                                                int ihi, T *const *a, int lda, const int *ldas, T *const *tau, \
                                                int64_t count) \
  { \
    return batched_gehrd(ctx, ilo, ihi, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(n), lesses, count)); \
  } \
  static inline int batched_##t##gehrd(batched_ctx *ctx, int n, int ilo, int ihi, T *const *a, int lda, T *const *tau, \
                                       int64_t count) \
  { \
    return batched_##t##gehrd_variable(ctx, n, NULL, NULL, ilo, ihi, a, lda, NULL, tau, count); \
  }

/* sytrd for real and hetrd for complex matrices. */
#define BATCHED_DEFINE_TRD(op, T, R) \
  static inline int batched_##op##_strided(batched_ctx *ctx, batched_uplo uplo, int n, T *a, int lda, int64_t stridea, \
                                           R *d, int64_t strided, R *e, int64_t stridee, T *tau, int64_t stridetau, \
                                           int64_t count) \
  { \
    return batched_hetrd(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), \
                         BATCHED_VECTORS(d, n, strided, count), BATCHED_VECTORS(e, BATCHED_LESS(n), stridee, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(n), stridetau, count)); \
  } \
  static inline int batched_##op##_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, \
                                            const int *lesses, T *const *a, int lda, const int *ldas, R *const *d, \
                                            R *const *e, T *const *tau, int64_t count) \
  { \
    return batched_hetrd(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(d, n, ns, count), \
                         BATCHED_VECTOR_ARRAY(e, BATCHED_LESS(n), lesses, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(n), lesses, count)); \
  } \
  static inline int batched_##op(batched_ctx *ctx, batched_uplo uplo, int n, T *const *a, int lda, R *const *d, \
                                 R *const *e, T *const *tau, int64_t count) \
  { \
    return batched_##op##_variable(ctx, uplo, n, NULL, NULL, a, lda, NULL, d, e, tau, count); \
  }

/* Q and P are called orthogonal for real and unitary for complex matrices; `pre` is sor, dor, cun or zun. */
#define BATCHED_DEFINE_GENERATE(pre, T) \
  static inline int batched_##pre##gbr_strided(batched_ctx *ctx, batched_which which, int m, int n, int k, T *a, \
                                               int lda, int64_t stridea, const T *tau, int64_t stridetau, \
                                               int64_t count) \
  { \
    const int order = which == BATCHED_Q ? m : n, length = order < k ? order : k; \
    return batched_ungbr(ctx, which, k, batched_strided(a, m, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, length, stridetau, count)); \
  } \
  /* lengths: of tau */ \
  static inline int batched_##pre##gbr_variable(batched_ctx *ctx, batched_which which, int m, const int *ms, int n, \
                                                const int *ns, int k, const int *lengths, T *const *a, int lda, \
                                                const int *ldas, T *const *tau, int64_t count) \
  { \
    const int order = which == BATCHED_Q ? m : n, length = order < k ? order : k; \
    return batched_ungbr(ctx, which, k, batched_variable(a, m, n, lda, ms, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, length, lengths, count)); \
  } \
  static inline int batched_##pre##gbr(batched_ctx *ctx, batched_which which, int m, int n, int k, T *const *a, \
                                       int lda, T *const *tau, int64_t count) \
  { \
    return batched_##pre##gbr_variable(ctx, which, m, NULL, n, NULL, k, NULL, a, lda, NULL, tau, count); \
  } \
\
  static inline int batched_##pre##gtr_strided(batched_ctx *ctx, batched_uplo uplo, int n, T *a, int lda, \
                                               int64_t stridea, const T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_ungtr(ctx, uplo, batched_strided(a, n, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(n), stridetau, count)); \
  } \
  static inline int batched_##pre##gtr_variable(batched_ctx *ctx, batched_uplo uplo, int n, const int *ns, \
                                                const int *lesses, T *const *a, int lda, const int *ldas, \
                                                T *const *tau, int64_t count) \
  { \
    return batched_ungtr(ctx, uplo, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(n), lesses, count)); \
  } \
  static inline int batched_##pre##gtr(batched_ctx *ctx, batched_uplo uplo, int n, T *const *a, int lda, \
                                       T *const *tau, int64_t count) \
  { \
    return batched_##pre##gtr_variable(ctx, uplo, n, NULL, NULL, a, lda, NULL, tau, count); \
  } \
\
  static inline int batched_##pre##ghr_strided(batched_ctx *ctx, int n, int ilo, int ihi, T *a, int lda, \
                                               int64_t stridea, const T *tau, int64_t stridetau, int64_t count) \
  { \
    return batched_unghr(ctx, ilo, ihi, batched_strided(a, n, n, lda, stridea, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(n), stridetau, count)); \
  } \
  static inline int batched_##pre##ghr_variable(batched_ctx *ctx, int n, const int *ns, const int *lesses, int ilo, \
                                                int ihi, T *const *a, int lda, const int *ldas, T *const *tau, \
                                                int64_t count) \
  { \
    return batched_unghr(ctx, ilo, ihi, batched_variable(a, n, n, lda, ns, ns, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(n), lesses, count)); \
  } \
  static inline int batched_##pre##ghr(batched_ctx *ctx, int n, int ilo, int ihi, T *const *a, int lda, T *const *tau, \
                                       int64_t count) \
  { \
    return batched_##pre##ghr_variable(ctx, n, NULL, NULL, ilo, ihi, a, lda, NULL, tau, count); \
  }

/* a is the whole matrix that was reduced: order x k (Q) or k x order (P), with the order of Q or P.  In ..._variable
 * the sizes of a and c and the lengths of tau are those of each matrix. */
#define BATCHED_DEFINE_MULTIPLY(pre, T) \
  static inline int batched_##pre##mbr_strided( \
    batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, int m, int n, int k, const T *a, \
    int lda, int64_t stridea, const T *tau, int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, length = order < k ? order : k; \
    const int rows = which == BATCHED_Q ? order : length, cols = which == BATCHED_Q ? k : order; \
    return batched_unmbr(ctx, which, side, trans, batched_strided(a, rows, cols, lda, stridea, count), \
                         BATCHED_VECTORS(tau, length, stridetau, count), \
                         batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##pre##mbr_variable( \
    batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, int m, const int *ms, int n, \
    const int *ns, int k, const int *ks, const int *lengths, T *const *a, int lda, const int *ldas, T *const *tau, \
    T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, length = order < k ? order : k; \
    const int *const orders = side == BATCHED_LEFT ? ms : ns; \
    const bool is_q = which == BATCHED_Q; \
    return batched_unmbr(ctx, which, side, trans, \
                         batched_variable(a, is_q ? order : k, is_q ? k : order, lda, is_q ? orders : ks, \
                                          is_q ? ks : orders, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, length, lengths, count), \
                         batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##pre##mbr(batched_ctx *ctx, batched_which which, batched_side side, batched_trans trans, \
                                       int m, int n, int k, T *const *a, int lda, T *const *tau, T *const *c, int ldc, \
                                       int64_t count) \
  { \
    return batched_##pre##mbr_variable(ctx, which, side, trans, m, NULL, n, NULL, k, NULL, NULL, a, lda, NULL, tau, c, \
                                       ldc, NULL, count); \
  } \
\
  static inline int batched_##pre##mtr_strided( \
    batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, int m, int n, const T *a, int lda, \
    int64_t stridea, const T *tau, int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_unmtr(ctx, side, uplo, trans, batched_strided(a, order, order, lda, stridea, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(order), stridetau, count), \
                         batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##pre##mtr_variable(batched_ctx *ctx, batched_side side, batched_uplo uplo, \
                                                batched_trans trans, int m, const int *ms, int n, const int *ns, \
                                                const int *lesses, T *const *a, int lda, const int *ldas, \
                                                T *const *tau, T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, *const orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmtr(ctx, side, uplo, trans, batched_variable(a, order, order, lda, orders, orders, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(order), lesses, count), \
                         batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##pre##mtr(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, \
                                       int m, int n, T *const *a, int lda, T *const *tau, T *const *c, int ldc, \
                                       int64_t count) \
  { \
    return batched_##pre##mtr_variable(ctx, side, uplo, trans, m, NULL, n, NULL, NULL, a, lda, NULL, tau, c, ldc, \
                                       NULL, count); \
  } \
\
  static inline int batched_##pre##mhr_strided(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, \
                                               int ilo, int ihi, const T *a, int lda, int64_t stridea, const T *tau, \
                                               int64_t stridetau, T *c, int ldc, int64_t stridec, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n; \
    return batched_unmhr(ctx, side, trans, ilo, ihi, batched_strided(a, order, order, lda, stridea, count), \
                         BATCHED_VECTORS(tau, BATCHED_LESS(order), stridetau, count), \
                         batched_strided(c, m, n, ldc, stridec, count)); \
  } \
  static inline int batched_##pre##mhr_variable(batched_ctx *ctx, batched_side side, batched_trans trans, int m, \
                                                const int *ms, int n, const int *ns, const int *lesses, int ilo, \
                                                int ihi, T *const *a, int lda, const int *ldas, T *const *tau, \
                                                T *const *c, int ldc, const int *ldcs, int64_t count) \
  { \
    const int order = side == BATCHED_LEFT ? m : n, *const orders = side == BATCHED_LEFT ? ms : ns; \
    return batched_unmhr(ctx, side, trans, ilo, ihi, \
                         batched_variable(a, order, order, lda, orders, orders, ldas, count), \
                         BATCHED_VECTOR_ARRAY(tau, BATCHED_LESS(order), lesses, count), \
                         batched_variable(c, m, n, ldc, ms, ns, ldcs, count)); \
  } \
  static inline int batched_##pre##mhr(batched_ctx *ctx, batched_side side, batched_trans trans, int m, int n, \
                                       int ilo, int ihi, T *const *a, int lda, T *const *tau, T *const *c, int ldc, \
                                       int64_t count) \
  { \
    return batched_##pre##mhr_variable(ctx, side, trans, m, NULL, n, NULL, NULL, ilo, ihi, a, lda, NULL, tau, c, ldc, \
                                       NULL, count); \
  }

BATCHED_DEFINE_GEBRD(s, float, float)
BATCHED_DEFINE_GEBRD(d, double, double)
BATCHED_DEFINE_GEBRD(c, float _Complex, float)
BATCHED_DEFINE_GEBRD(z, double _Complex, double)
BATCHED_DEFINE_TRD(ssytrd, float, float)
BATCHED_DEFINE_TRD(dsytrd, double, double)
BATCHED_DEFINE_TRD(chetrd, float _Complex, float)
BATCHED_DEFINE_TRD(zhetrd, double _Complex, double)
BATCHED_DEFINE_GENERATE(sor, float)
BATCHED_DEFINE_GENERATE(dor, double)
BATCHED_DEFINE_GENERATE(cun, float _Complex)
BATCHED_DEFINE_GENERATE(zun, double _Complex)
BATCHED_DEFINE_MULTIPLY(sor, float)
BATCHED_DEFINE_MULTIPLY(dor, double)
BATCHED_DEFINE_MULTIPLY(cun, float _Complex)
BATCHED_DEFINE_MULTIPLY(zun, double _Complex)

#undef BATCHED_DEFINE_GEBRD
#undef BATCHED_DEFINE_TRD
#undef BATCHED_DEFINE_GENERATE
#undef BATCHED_DEFINE_MULTIPLY
#undef BATCHED_LESS

#endif

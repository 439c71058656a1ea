/* SPDX-License-Identifier: BSD-3-Clause
 *
 * This library's operations: what a variant of each is called with, and their tables of variants.
 * A row finds its arguments checked: types and counts agree, shapes conform, and count > 0.
 */
#ifndef BATCHED_OPERATIONS_H
#define BATCHED_OPERATIONS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_gemm_args {
  batched_trans transa, transb;
  batched_scalar alpha, beta;
  batched_matrix a, b, c;
} batched_gemm_args;

typedef struct batched_gemv_args {
  batched_trans trans;
  batched_scalar alpha, beta;
  batched_matrix a, x, y;
} batched_gemv_args;

typedef struct batched_potrf_args {
  batched_uplo uplo;
  batched_matrix a;
  int *info;
} batched_potrf_args;

typedef struct batched_potrs_args {
  batched_uplo uplo;
  batched_matrix a, b;
} batched_potrs_args;

typedef struct batched_trsm_args {
  batched_side side;
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batched_scalar alpha;
  batched_matrix a, b;
} batched_trsm_args;

typedef struct batched_heev_args {
  batched_job job;
  batched_uplo uplo;
  batched_matrix a, w;
  int *info;
} batched_heev_args;

typedef struct batched_gesvd_args {
  batched_job job;
  batched_matrix a, s, u, vt;
  int *info;
} batched_gesvd_args;

typedef struct batched_scal_args {
  batched_scalar alpha;
  batched_matrix x;
} batched_scal_args;

typedef struct batched_axpy_args {
  batched_scalar alpha;
  batched_matrix x, y;
} batched_axpy_args;

typedef struct batched_copy_args {
  batched_matrix x, y;
} batched_copy_args;

typedef struct batched_set_args {
  batched_scalar off, diag;
  batched_matrix a;
} batched_set_args;

typedef struct batched_transpose_args {
  batched_trans trans;
  batched_matrix a, b;
} batched_transpose_args;

typedef struct batched_dot_args {
  batched_trans trans;
  batched_matrix x, y, r;
} batched_dot_args;

typedef struct batched_nrm2_args {
  batched_matrix x, r;
} batched_nrm2_args;

typedef struct batched_norm_args {
  batched_norm_kind kind;
  batched_matrix a, r;
} batched_norm_args;

/* symv and hemv */
typedef struct batched_symv_args {
  batched_uplo uplo;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, x, y;
} batched_symv_args;

/* syrk and herk; for real types `hermitian` makes no difference */
typedef struct batched_syrk_args {
  batched_uplo uplo;
  batched_trans trans;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, c;
} batched_syrk_args;

typedef batched_trsm_args batched_trmm_args;

typedef struct batched_posv_args {
  batched_uplo uplo;
  batched_matrix a, b;
  int *info;
} batched_posv_args;

typedef batched_potrf_args batched_potri_args;

typedef struct batched_trsv_args {
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batched_matrix a, x;
} batched_trsv_args;

typedef struct batched_trtri_args {
  batched_uplo uplo;
  batched_diag diag;
  batched_matrix a;
  int *info;
} batched_trtri_args;

typedef struct batched_getrf_args {
  batched_matrix a;
  int *ipiv, *info;
} batched_getrf_args;

typedef struct batched_getrs_args {
  batched_trans trans;
  batched_matrix a, b;
  const int *ipiv;
} batched_getrs_args;

typedef struct batched_gesv_args {
  batched_matrix a, b;
  int *ipiv, *info;
} batched_gesv_args;

typedef struct batched_getri_args {
  batched_matrix a;
  const int *ipiv;
  int *info;
} batched_getri_args;

typedef struct batched_geqrf_args {
  batched_matrix a, tau;
} batched_geqrf_args;

typedef struct batched_unmqr_args {
  batched_side side;
  batched_trans trans;
  batched_matrix a, tau, c;
} batched_unmqr_args;

typedef batched_geqrf_args batched_ungqr_args;

typedef struct batched_gels_args {
  batched_trans trans;
  batched_matrix a, b;
  int *info;
} batched_gels_args;

/* Each operation, and its rows in each backend (host/<op>.c, cuda/<op>.cu; cuda/none.c where CUDA was not built). */
#define BATCHED_DECLARE(op) \
  extern const batched_op batched_##op##_op; \
  extern const batched_variant batched_##op##_host[], batched_##op##_cuda[];
/* clang-format off */
#define BATCHED_EACH_OPERATION(X) \
  X(scal) X(axpy) X(copy) X(set) X(transpose) X(dot) X(nrm2) X(norm) \
  X(gemv) X(symv) X(gemm) X(syrk) X(trmm) \
  X(potrf) X(potrs) X(posv) X(potri) X(trsv) X(trsm) X(trtri) \
  X(getrf) X(getrs) X(gesv) X(getri) X(geqrf) X(unmqr) X(ungqr) X(gels) X(heev) X(gesvd)
/* clang-format on */
BATCHED_EACH_OPERATION(BATCHED_DECLARE)
#undef BATCHED_DECLARE

/* Elements of vector b, of a batch that is known to be one of vectors. */
static inline int batched_vector_length(const batched_matrix *x, int64_t b)
{
  return x->n == 1 && !x->ns ? batched_rows(x, b) : batched_cols(x, b);
}

/* Its element i is at batched_at(x, b) + i * increment. */
static inline int batched_increment(const batched_matrix *x, int64_t b)
{
  return x->n == 1 && !x->ns ? 1 : batched_ld(x, b);
}

#ifdef __cplusplus
}
#endif

#endif

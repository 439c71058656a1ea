/* SPDX-License-Identifier: BSD-3-Clause
 *
 * This library's operations: what a variant of each is called with, and their tables of variants.
 * A row finds its arguments checked: types and counts agree, shapes conform, and count > 0.
 */
#ifndef BATCHED_OPERATIONS_H
#define BATCHED_OPERATIONS_H

#include "impl.h"

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

extern const batched_op batched_gemm_op, batched_gemv_op, batched_potrf_op, batched_potrs_op, batched_trsm_op,
  batched_heev_op, batched_gesvd_op;

/* The rows of each backend (host/<op>.c, cuda/<op>.cu; cuda/none.c where CUDA was not built). */
extern const batched_variant batched_gemm_host[], batched_gemv_host[], batched_potrf_host[], batched_potrs_host[],
  batched_trsm_host[], batched_heev_host[], batched_gesvd_host[];
extern const batched_variant batched_gemm_cuda[], batched_gemv_cuda[], batched_potrf_cuda[], batched_potrs_cuda[],
  batched_trsm_cuda[], batched_heev_cuda[], batched_gesvd_cuda[];

/* Element i of vector b starts at batched_at(x, b) + i * increment. */
static inline int batched_increment(const batched_matrix *x, int64_t b)
{
  return x->n == 1 && !x->ns ? 1 : batched_ld(x, b);
}

#ifdef __cplusplus
}
#endif

#endif

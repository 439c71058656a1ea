/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular matrices: what a row of each operation is called with.
 */
#ifndef BATCHED_TRIANGULAR_H
#define BATCHED_TRIANGULAR_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_trsv_args {
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batched_matrix a, x;
} batched_trsv_args;

typedef batched_trsv_args batched_trmv_args;

typedef struct batched_trsm_args {
  batched_side side;
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batched_scalar alpha;
  batched_matrix a, b;
} batched_trsm_args;

typedef batched_trsm_args batched_trmm_args;

typedef struct batched_trtri_args {
  batched_uplo uplo;
  batched_diag diag;
  batched_matrix a;
  int *info;
} batched_trtri_args;

#define BATCHED_TRIANGULAR_OPERATIONS(X) X(trsv) X(trmv) X(trsm) X(trmm) X(trtri)
BATCHED_TRIANGULAR_OPERATIONS(BATCHED_DECLARE)

/* trsv and trmv check the same arguments, and cost the same; so do trsm and trmm. */
int batched_check_triangle_and_vector(const batched_ctx *ctx, const batched_trsv_args *t);
batched_cost batched_triangle_and_vector_cost(const void *args);
int batched_check_triangle(const batched_ctx *ctx, const batched_trsm_args *t);
batched_cost batched_triangle_cost(const void *args);

#ifdef __cplusplus
}
#endif

#endif

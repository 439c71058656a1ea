/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues and singular values: what a row of each operation is called with.
 */
#ifndef BATCHED_EIGEN_H
#define BATCHED_EIGEN_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* Rows `composed` of either space, which call other operations. */
int batched_heev_composed(batched_ctx *ctx, const void *args);
int batched_gesvd_composed(batched_ctx *ctx, const void *args);

#define BATCHED_EIGEN_OPERATIONS(X) X(heev) X(gesvd)
BATCHED_EIGEN_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

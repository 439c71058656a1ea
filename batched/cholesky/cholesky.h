/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky: what a row of each operation is called with.
 */
#ifndef BATCHED_CHOLESKY_H
#define BATCHED_CHOLESKY_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_potrf_args {
  batched_uplo uplo;
  batched_matrix a;
  int *info;
} batched_potrf_args;

typedef struct batched_potrs_args {
  batched_uplo uplo;
  batched_matrix a, b;
} batched_potrs_args;

typedef struct batched_posv_args {
  batched_uplo uplo;
  batched_matrix a, b;
  int *info;
} batched_posv_args;

typedef batched_potrf_args batched_potri_args;

#define BATCHED_CHOLESKY_OPERATIONS(X) X(potrf) X(potrs) X(posv) X(potri)
BATCHED_CHOLESKY_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU with partial pivoting: what a row of each operation is called with.
 */
#ifndef BATCHED_LU_H
#define BATCHED_LU_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#define BATCHED_LU_OPERATIONS(X) X(getrf) X(getrs) X(gesv) X(getri)
BATCHED_LU_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

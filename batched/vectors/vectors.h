/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Vectors and elementwise operations: what a row of each operation is called with.
 */
#ifndef BATCHED_VECTORS_H
#define BATCHED_VECTORS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#define BATCHED_VECTORS_OPERATIONS(X) X(scal) X(axpy) X(copy) X(set) X(transpose) X(dot) X(nrm2) X(norm)
BATCHED_VECTORS_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

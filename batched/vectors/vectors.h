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

/* Part of a matrix that is written: all of it, or a triangle with its diagonal. */
typedef enum batched_region { BATCHED_WHOLE, BATCHED_LOWER_TRIANGLE, BATCHED_UPPER_TRIANGLE } batched_region;

static inline batched_region batched_triangle_region(batched_uplo uplo)
{
  return uplo == BATCHED_LOWER ? BATCHED_LOWER_TRIANGLE : BATCHED_UPPER_TRIANGLE;
}

/* Rows of column j that belong to the region of a matrix of m rows: from the first to before the end. */
static inline int batched_region_first(batched_region region, int j, int m)
{
  return region != BATCHED_LOWER_TRIANGLE ? 0 : j < m ? j : m;
}

static inline int batched_region_end(batched_region region, int j, int m)
{
  return region == BATCHED_UPPER_TRIANGLE && j < m ? j + 1 : m;
}

/* Elements of the region of an m x n matrix, for the cost models. */
static inline double batched_region_elements(batched_region region, int m, int n)
{
  const double k = m < n ? m : n, along = region == BATCHED_LOWER_TRIANGLE ? m : n;
  return region == BATCHED_WHOLE ? (double)m * n : k * along - k * (k - 1) / 2;
}

typedef struct batched_copy_args {
  batched_matrix x, y;
  batched_region region;
} batched_copy_args;

typedef struct batched_swap_args {
  batched_matrix x, y;
} batched_swap_args;

typedef struct batched_set_args {
  batched_scalar off, diag;
  batched_matrix a;
  batched_region region;
} batched_set_args;

typedef struct batched_ger_args {
  batched_trans trans;
  batched_scalar alpha;
  batched_matrix x, y, a;
} batched_ger_args;

typedef struct batched_transpose_args {
  batched_trans trans;
  batched_matrix a, b;
} batched_transpose_args;

typedef struct batched_dot_args {
  batched_trans trans;
  batched_matrix x, y, r;
} batched_dot_args;

typedef struct batched_amax_args {
  batched_matrix x;
  int *index;
} batched_amax_args;

typedef struct batched_asum_args {
  batched_matrix x, r;
} batched_asum_args;

typedef struct batched_nrm2_args {
  batched_matrix x, r;
} batched_nrm2_args;

typedef struct batched_norm_args {
  batched_norm_kind kind;
  batched_matrix a, r;
} batched_norm_args;

#define BATCHED_VECTORS_OPERATIONS(X) \
  X(scal) X(axpy) X(copy) X(swap) X(set) X(ger) X(transpose) X(dot) X(amax) X(asum) X(nrm2) X(norm)
BATCHED_VECTORS_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

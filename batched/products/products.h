/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products: what a row of each operation is called with.
 */
#ifndef BATCHED_PRODUCTS_H
#define BATCHED_PRODUCTS_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_gemv_args {
  batched_trans trans;
  batched_scalar alpha, beta;
  batched_matrix a, x, y;
} batched_gemv_args;

/* symv and hemv */
typedef struct batched_symv_args {
  batched_uplo uplo;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, x, y;
} batched_symv_args;

typedef struct batched_gemm_args {
  batched_trans transa, transb;
  batched_scalar alpha, beta;
  batched_matrix a, b, c;
} batched_gemm_args;

/* syrk and herk; for real types `hermitian` makes no difference */
typedef struct batched_syrk_args {
  batched_uplo uplo;
  batched_trans trans;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, c;
} batched_syrk_args;

/* symm and hemm */
typedef struct batched_symm_args {
  batched_side side;
  batched_uplo uplo;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, b, c;
} batched_symm_args;

/* syr2k and her2k; for real types `hermitian` makes no difference */
typedef struct batched_syr2k_args {
  batched_uplo uplo;
  batched_trans trans;
  bool hermitian;
  batched_scalar alpha, beta;
  batched_matrix a, b, c;
} batched_syr2k_args;

#define BATCHED_PRODUCTS_OPERATIONS(X) X(gemv) X(symv) X(gemm) X(syrk) X(symm) X(syr2k)
BATCHED_PRODUCTS_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Band matrices in LAPACK's storage, and tridiagonal ones as their diagonals: what a row of each operation is called
 * with.  The arguments m, kl, ku and kd are bounds, with the number of each matrix beside them where they differ; n is
 * the number of ab's columns.
 */
#ifndef BATCHED_BAND_H
#define BATCHED_BAND_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_gbtrf_args {
  batched_extent m, kl, ku;
  batched_matrix ab;
  int *ipiv, *info;
} batched_gbtrf_args;

typedef struct batched_gbtrs_args {
  batched_trans trans;
  batched_extent kl, ku;
  batched_matrix ab, b;
  const int *ipiv;
} batched_gbtrs_args;

typedef struct batched_gbsv_args {
  batched_extent kl, ku;
  batched_matrix ab, b;
  int *ipiv, *info;
} batched_gbsv_args;

typedef struct batched_pbtrf_args {
  batched_uplo uplo;
  batched_extent kd;
  batched_matrix ab;
  int *info;
} batched_pbtrf_args;

typedef struct batched_pbtrs_args {
  batched_uplo uplo;
  batched_extent kd;
  batched_matrix ab, b;
} batched_pbtrs_args;

typedef struct batched_pbsv_args {
  batched_uplo uplo;
  batched_extent kd;
  batched_matrix ab, b;
  int *info;
} batched_pbsv_args;

/* The order is d's length; dl and du have n - 1 elements or more, du2 n - 2 or more. */
typedef struct batched_gttrf_args {
  batched_matrix d, dl, du, du2;
  int *ipiv, *info;
} batched_gttrf_args;

typedef struct batched_gttrs_args {
  batched_trans trans;
  batched_matrix d, dl, du, du2, b;
  const int *ipiv;
} batched_gttrs_args;

typedef struct batched_gtsv_args {
  batched_matrix d, dl, du, b;
  int *info;
} batched_gtsv_args;

typedef struct batched_pttrf_args {
  batched_matrix d, e; /* d is real */
  int *info;
} batched_pttrf_args;

typedef struct batched_pttrs_args {
  batched_uplo uplo;
  batched_matrix d, e, b;
} batched_pttrs_args;

typedef struct batched_ptsv_args {
  batched_matrix d, e, b;
  int *info;
} batched_ptsv_args;

typedef struct batched_gbmv_args {
  batched_trans trans;
  batched_scalar alpha, beta;
  batched_extent m, kl, ku;
  batched_matrix ab, x, y;
} batched_gbmv_args;

typedef struct batched_tbsv_args {
  batched_uplo uplo;
  batched_trans trans;
  batched_diag diag;
  batched_extent kd;
  batched_matrix ab, x;
} batched_tbsv_args;

/* a -> ab (pack_band), ab -> a (unpack_band) */
typedef struct batched_pack_band_args {
  batched_extent kl, ku;
  batched_matrix a, ab;
} batched_pack_band_args;
typedef batched_pack_band_args batched_unpack_band_args;

#define BATCHED_GENERAL_BANDS(X) X(gbtrf) X(gbtrs) X(gbsv) X(gbmv) X(pack_band) X(unpack_band)
#define BATCHED_DEFINITE_BANDS(X) X(pbtrf) X(pbtrs) X(pbsv) X(tbsv)
#define BATCHED_TRIDIAGONALS(X) X(gttrf) X(gttrs) X(gtsv) X(pttrf) X(pttrs) X(ptsv)
#define BATCHED_BAND_OPERATIONS(X) BATCHED_GENERAL_BANDS(X) BATCHED_DEFINITE_BANDS(X) BATCHED_TRIDIAGONALS(X)
BATCHED_BAND_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

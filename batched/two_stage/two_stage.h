/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reduction to a tridiagonal, or bidiagonal, matrix in two stages, dense to band and band to tridiagonal (bidiagonal):
 * what a row of each operation is called with.  A kd of n - 1 and more stands for all of a matrix.
 */
#ifndef BATCHED_TWO_STAGE_H
#define BATCHED_TWO_STAGE_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_he2hb_args {
  batched_uplo uplo;
  int kd;
  batched_matrix a, ab, tau;
  bool band_alone; /* a is only read, and tau stays; within other operations */
} batched_he2hb_args;

typedef struct batched_unmtr_he2hb_args {
  batched_side side;
  batched_uplo uplo;
  batched_trans trans;
  int kd;
  batched_matrix a, tau, c;
} batched_unmtr_he2hb_args;

typedef struct batched_hb2st_args {
  batched_job job; /* VALUES: v is not there */
  batched_uplo uplo;
  int kd;
  batched_matrix ab, d, e, v;
} batched_hb2st_args;

typedef struct batched_unmtr_hb2st_args {
  batched_side side;
  batched_trans trans;
  int kd;
  batched_matrix v, c;
} batched_unmtr_hb2st_args;

typedef struct batched_ge2gb_args {
  int kd;
  batched_matrix a, ab, tauq, taup;
  bool band_alone; /* as of he2hb */
} batched_ge2gb_args;

typedef struct batched_unmbr_ge2gb_args {
  batched_which which;
  batched_side side;
  batched_trans trans;
  int kd;
  batched_matrix a, tau, c;
} batched_unmbr_ge2gb_args;

typedef struct batched_gb2bd_args {
  batched_job job; /* VALUES: vq and vp are not there */
  batched_uplo uplo;
  int kd;
  batched_matrix ab, d, e, vq, vp;
} batched_gb2bd_args;

#define BATCHED_TWO_STAGE_OPERATIONS(X) X(he2hb) X(unmtr_he2hb) X(hb2st) X(unmtr_hb2st) X(ge2gb) X(unmbr_ge2gb) X(gb2bd)
BATCHED_TWO_STAGE_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two-sided reductions to bidiagonal, tridiagonal and Hessenberg matrices: what a row of each operation is called with.
 */
#ifndef BATCHED_CONDENSED_H
#define BATCHED_CONDENSED_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_gebrd_args {
  batched_matrix a, d, e, tauq, taup;
} batched_gebrd_args;

typedef struct batched_hetrd_args {
  batched_uplo uplo;
  batched_matrix a, d, e, tau;
} batched_hetrd_args;

typedef struct batched_gehrd_args {
  int ilo, ihi; /* counted from 1; of a variable batch, an ihi beyond a matrix's order stands for this order */
  batched_matrix a, tau;
} batched_gehrd_args;

typedef struct batched_ungbr_args {
  batched_which which;
  int k; /* columns (Q) or rows (P) of the matrix that was reduced */
  batched_matrix a, tau;
} batched_ungbr_args;

typedef struct batched_unmbr_args {
  batched_which which;
  batched_side side;
  batched_trans trans;
  batched_matrix a, tau, c;
} batched_unmbr_args;

typedef struct batched_ungtr_args {
  batched_uplo uplo;
  batched_matrix a, tau;
} batched_ungtr_args;

typedef struct batched_unmtr_args {
  batched_side side;
  batched_uplo uplo;
  batched_trans trans;
  batched_matrix a, tau, c;
} batched_unmtr_args;

typedef batched_gehrd_args batched_unghr_args;

typedef struct batched_unmhr_args {
  batched_side side;
  batched_trans trans;
  int ilo, ihi;
  batched_matrix a, tau, c;
} batched_unmhr_args;

#define BATCHED_CONDENSED_OPERATIONS(X) X(gebrd) X(ungbr) X(unmbr) X(hetrd) X(ungtr) X(unmtr) X(gehrd) X(unghr) X(unmhr)
BATCHED_CONDENSED_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

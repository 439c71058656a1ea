/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR: what a row of each operation is called with.
 */
#ifndef BATCHED_QR_H
#define BATCHED_QR_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct batched_geqrf_args {
  batched_matrix a, tau;
} batched_geqrf_args;

typedef struct batched_unmqr_args {
  batched_side side;
  batched_trans trans;
  batched_matrix a, tau, c;
} batched_unmqr_args;

typedef batched_geqrf_args batched_ungqr_args;

typedef batched_geqrf_args batched_gelqf_args;
typedef batched_unmqr_args batched_unmlq_args;
typedef batched_geqrf_args batched_unglq_args;

typedef struct batched_gels_args {
  batched_trans trans;
  batched_matrix a, b;
  int *info;
} batched_gels_args;

typedef struct batched_geqp3_args {
  batched_matrix a, tau;
  int *jpvt;
} batched_geqp3_args;

#define BATCHED_QR_OPERATIONS(X) X(geqrf) X(geqp3) X(unmqr) X(ungqr) X(gelqf) X(unmlq) X(unglq) X(gels)
BATCHED_QR_OPERATIONS(BATCHED_DECLARE)

/* geqrf and gelqf check the same arguments, and cost the same; so, but for rows and columns of A, do ungqr and unglq,
 * and unmqr and unmlq.  by_rows: of those whose reflectors stand in the rows of A. */
batched_cost batched_reflectors_cost(const void *args);
int batched_check_reflectors(const batched_ctx *ctx, const batched_geqrf_args *g);
batched_cost batched_q_cost(const void *args);
int batched_check_q(const batched_ctx *ctx, const batched_ungqr_args *g, bool by_rows);
batched_cost batched_q_product_cost(const batched_unmqr_args *u, bool by_rows);
int batched_check_q_product(const batched_ctx *ctx, const batched_unmqr_args *u, bool by_rows);

#ifdef __cplusplus
}
#endif

#endif

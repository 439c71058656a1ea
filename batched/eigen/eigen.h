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

typedef struct batched_hegst_args {
  int itype;
  batched_uplo uplo;
  batched_matrix a, b;
} batched_hegst_args;

typedef struct batched_hegv_args {
  int itype;
  batched_job job;
  batched_uplo uplo;
  batched_matrix a, b, w;
  int *info;
} batched_hegv_args;

typedef struct batched_heevx_args {
  batched_job job;
  batched_range range;
  batched_uplo uplo;
  double vl, vu; /* INTERVAL: vl < w <= vu */
  int il, iu;    /* INDEX, counted from 1 */
  batched_matrix a, w, z;
  int *found, *info;
  bool is_signed; /* BATCHED_SIGNED_VECTORS */
} batched_heevx_args;

typedef struct batched_gesvdx_args {
  batched_job job;
  batched_range range;
  double vl, vu; /* INTERVAL: vl < s <= vu */
  int il, iu;    /* INDEX, counted from 1: the largest */
  batched_matrix a, s, u, vt;
  int *found, *info;
  bool is_signed;
} batched_gesvdx_args;

typedef struct batched_gelsd_args {
  double rcond;
  batched_matrix a, b, s;
  int *rank, *info;
} batched_gelsd_args;

typedef struct batched_gelsy_args {
  double rcond;
  batched_matrix a, b;
  int *rank;
} batched_gelsy_args;

/* vl and vr may be absent: count 0. */
typedef struct batched_geev_args {
  batched_matrix a, w, vl, vr;
  int *info;
} batched_geev_args;

/* Rows `composed`, and `two_stage`, of either space, which call other operations. */
int batched_heev_composed(batched_ctx *ctx, const void *args);
int batched_heev_two_stage(batched_ctx *ctx, const void *args);
int batched_gesvd_composed(batched_ctx *ctx, const void *args);
int batched_gesvd_composed_qr(batched_ctx *ctx, const void *args);
int batched_gesvd_two_stage(batched_ctx *ctx, const void *args);
int batched_hegst_composed(batched_ctx *ctx, const void *args);
int batched_hegv_composed(batched_ctx *ctx, const void *args);
int batched_heevx_composed(batched_ctx *ctx, const void *args);
int batched_gesvdx_composed(batched_ctx *ctx, const void *args);
int batched_gelsd_composed(batched_ctx *ctx, const void *args);
int batched_gelsy_composed(batched_ctx *ctx, const void *args);

/* gesvd where one side is absent, or job is FULL_VECTORS. */
int batched_gesvd_sides(batched_ctx *ctx, const batched_gesvd_args *g);

/* Fits of composed_qr: one side is longer than the other. */
bool batched_gesvd_fits_qr(const batched_gesvd_args *g);

#define BATCHED_EIGEN_OPERATIONS(X) X(heev) X(gesvd) X(hegst) X(hegv) X(heevx) X(gesvdx) X(gelsd) X(gelsy) X(geev)
BATCHED_EIGEN_OPERATIONS(BATCHED_DECLARE)

#ifdef __cplusplus
}
#endif

#endif

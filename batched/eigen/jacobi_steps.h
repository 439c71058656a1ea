/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of rows blocked_jacobi of gesvd, on the host (host/blocked_jacobi.c) and on a GPU (cuda/blocked_jacobi.cu).
 * Of each matrix, X = A, or A^H where A is wide, has `rows` rows and k <= rows columns.
 */
#ifndef BATCHED_EIGEN_JACOBI_STEPS_H
#define BATCHED_EIGEN_JACOBI_STEPS_H

#include "batched/eigen/eigen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows, of either space, and what fits them. */
int batched_gesvd_blocked_jacobi(batched_ctx *ctx, const void *args);
bool batched_gesvd_fits_blocked_jacobi(const batched_gesvd_args *g);

/* Columns of a block; an even number. */
enum { BATCHED_JACOBI_BLOCK = 16 };

/* Memory of a part of a batch. */
typedef struct batched_jacobi_room {
  batched_matrix x, tau, l, v, y; /* v, y: with vectors */
  int *rows, *mins;               /* of each matrix of a variable batch */
  double *largest;                /* element of A */
  double *sizes;                  /* of rows, then of columns: as many for each matrix as x has rows */
  int *order;                     /* row order[i] of X is row i of x */
  int *place;                     /* where column j comes when values descend */
  int *jpvt, *moved, *done;
} batched_jacobi_room;

typedef struct batched_jacobi_steps {
  /* x = X, scaled by a power of two, with its rows in descending order of their largest elements; 0, and info[b] > 0,
   * where A has a NaN or an infinity. */
  int (*load)(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r);
  /* l = R^H of x's factors, v = I. */
  int (*begin)(batched_ctx *ctx, const batched_jacobi_room *r);
  /* Round `round` of a sweep: rotates the columns of l, and of v, in pairs of blocks that do not overlap.  The first
   * round makes columns of the same block orthogonal, too. */
  int (*rotate)(batched_ctx *ctx, const batched_jacobi_room *r, int round);
  /* After a sweep: done[b] = 1 where no rotation was by more than a tiny angle. */
  int (*close)(batched_ctx *ctx, const batched_jacobi_room *r);
  /* l = U1 diag(s): sizes of its columns, and the place of each when they descend; y = (V; 0) and v = P U1, with their
   * columns in that order. */
  int (*finish)(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r);
  /* s; u and vt from y, the left vectors of X with its rows in order, and v, the right ones. */
  int (*put)(batched_ctx *ctx, const batched_gesvd_args *g, const batched_jacobi_room *r);
} batched_jacobi_steps;

extern const batched_jacobi_steps batched_jacobi_host_steps, batched_jacobi_cuda_steps;

static inline const batched_jacobi_steps *batched_jacobi_steps_of(const batched_ctx *ctx)
{
  return batched_get_space(ctx) == BATCHED_HOST ? &batched_jacobi_host_steps : &batched_jacobi_cuda_steps;
}

#ifdef __cplusplus
}
#endif

#endif

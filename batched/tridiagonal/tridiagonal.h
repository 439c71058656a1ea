/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Eigenvalues of symmetric tridiagonal and singular values of bidiagonal matrices: what a row of each operation is
 * called with.
 */
#ifndef BATCHED_TRIDIAGONAL_H
#define BATCHED_TRIDIAGONAL_H

#include "batched/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Without vectors z is not looked at.  VECTORS: z starts as I; MULTIPLY: as what is there. */
typedef struct batched_steqr_args {
  batched_job job;
  batched_matrix d, e, z;
  int *info;
} batched_steqr_args;

typedef batched_steqr_args batched_stedc_args;

/* Each of vt, u and c may be absent: count 0. */
typedef struct batched_bdsqr_args {
  batched_uplo uplo;
  batched_matrix d, e, vt, u, c;
  int *info;
} batched_bdsqr_args;

/* One of u and vt, not both, may be absent. */
typedef struct batched_bdsdc_args {
  batched_uplo uplo;
  batched_matrix d, e, u, vt;
  int *info;
} batched_bdsdc_args;

typedef struct batched_stebz_args {
  batched_range range;
  double vl, vu; /* INTERVAL: vl < w <= vu */
  int il, iu;    /* INDEX, counted from 1 */
  batched_matrix d, e, w;
  int *found, *info;
} batched_stebz_args;

typedef struct batched_stein_args {
  batched_matrix d, e, w, z;
  const int *found; /* NULL: as many as w is long */
  int *info;
} batched_stein_args;

#define BATCHED_TRIDIAGONAL_OPERATIONS(X) X(steqr) X(stedc) X(bdsqr) X(bdsdc) X(stebz) X(stein)
BATCHED_TRIDIAGONAL_OPERATIONS(BATCHED_DECLARE)

static inline bool batched_is_absent(const batched_matrix *a)
{
  return a->count == 0;
}

/* The type of the vectors. */
static inline batched_type batched_bdsdc_type(const batched_bdsdc_args *b)
{
  return batched_is_absent(&b->u) ? b->vt.type : b->u.type;
}

#ifdef __cplusplus
}
#endif

#endif

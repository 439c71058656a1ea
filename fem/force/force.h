/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For authors of corner forces.
 *
 * A row is a struct of functions and a line in a table (host/force.c, cuda/force.cu).  F is (dim nd) x nt in each zone,
 * F_(c,i),j = sum over the points q of weight_q (sigma_q adj(J_q)^T grad phi_i)_c b_j; a row need not form it.
 */
#ifndef FEM_FORCE_H
#define FEM_FORCE_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vectors are in the context's memory.  All return a batched_status; only setup may allocate. */
typedef struct fem_force_functions {
  /* Makes f->store; leaves it NULL where it fails. */
  int (*setup)(batched_ctx *ctx, fem_force *f);
  /* From the state x, v [dim][ndofs], e [nzones][nt]: the stress at all points, kept for the calls below.  Lowers the
   * number *time_step to the smallest estimate of this rank's zones; 0 where a zone is inverted or a value no
   * number. */
  int (*stress)(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step);
  /* Adds F 1 of zones [first, last) to out [dim][ndofs]; first is a multiple of 8 or nzones. */
  int (*apply)(batched_ctx *ctx, fem_force *f, int first, int last, double *out);
  /* F^T v of all zones: out [nzones][nt]. */
  int (*power)(batched_ctx *ctx, fem_force *f, const double *v, double *out);
  /* Destroys f->store, which is not NULL. */
  void (*teardown)(batched_ctx *ctx, fem_force *f);
  /* Visits what never changes in f->store; NULL: nothing is said. */
  void (*constants)(const fem_force *f, fem_constant_visit *visit, void *user);
} fem_force_functions;

#ifdef __cplusplus
}
#endif

#endif

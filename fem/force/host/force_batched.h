/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What force_batched.c, which goes through the zones, and force_batched_points.c, which goes through their points,
 * share.  Matrices are column-major.
 */
#ifndef FEM_HOST_FORCE_BATCHED_H
#define FEM_HOST_FORCE_BATCHED_H

#include "fem/fem.h"

typedef struct force_batched {            // all owned
  int chunk;                              // zones done together
  double *d;                              // [nq][dim][nd]: nd x (nq dim), derivatives of the nodes' functions
  double *b;                              // [nq][nt]: nt x nq
  double *ones;                           // [nt]
  double *f;                              // [nzones][nt][dim][nd]: F_z is (nd dim) x nt
  double *x, *v;                          // [chunk][dim][nd]: nd x dim
  double *jacobian, *slope;               // [chunk][nq][dim][dim], grad v in reference coordinates
  double *adjugate, *l, *eps, *sigma, *a; // the same shape
  double *eigenvalues, *singular;         // [chunk][nq][dim]
  double *energy;                         // [chunk][nq]
  double *az;                             // [chunk][nq][dim][nd]: A_z is (nd dim) x nq
  int *info;                              // [chunk][nq]
} force_batched;

/* A dim x dim matrix for each of n points. */
static inline batched_matrix fem_point_matrices(const fem_space *s, double *data, int64_t n)
{
  return batched_strided(data, s->dim, s->dim, s->dim, s->dim * s->dim, n);
}

/* Kernels 1, 2 and 4 at the first npoints points of the chunk that begins with zone `first`: from jacobian, slope and
 * energy to adjugate and sigma, which is the stress times the weight.  Lowers *time_step. */
int fem_host_force_points(batched_ctx *ctx, const fem_force *force, int first, int64_t npoints, double *time_step);

#endif

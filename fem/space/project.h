/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of a position, as vectors on the space.
 */
#ifndef FEM_SPACE_PROJECT_H
#define FEM_SPACE_PROJECT_H

#include "fem/space/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of a position x [dim], with a number or a vector v [dim] as value. */
typedef double (*fem_function)(const void *user, const double *x);
typedef void (*fem_vector_function)(const void *user, const double *x, double *v);

/* Bernstein coefficients e [nzones][nt] of the polynomial that interpolates f at the (t+1)^dim Gauss points, or at the
 * points of the lattice of order t that these give.  f NULL: 1. */
int fem_project_scalar(const fem_space *s, const double *x, fem_function f, const void *user, double *e);
/* u [dim][ndofs]: f at the nodes, whose positions are evaluated as those of any point are, in one zone of those that
 * share a node, the same on any number of ranks: f may jump there.  Collective; a rank's status is its own. */
int fem_project_vector(const fem_space *s, const mesh *m, const double *x, fem_vector_function f, const void *user,
                       double *u);
/* The largest difference of a vector function between places that are one node of a periodic mesh: the same on any
 * number of ranks, but for rounding. */
typedef struct fem_seam_gap {
  double difference, largest; /* of a component; of its values anywhere */
  int component;
  double place[2][3], value[2];
} fem_seam_gap;

/* All zero without seams.  Collective, as is the status. */
int fem_compare_across_seams(const fem_space *s, const mesh *m, const double *x, fem_vector_function f,
                             const void *user, fem_seam_gap *gap);
/* The delta of strength `energy` (an energy) at the vertices nearest to the origin, as specific energy e
 * [nzones][nt] where the density is 1: the start of a Sedov blast.  Each wall through these vertices leaves half of it,
 * the other half is its mirror image; beyond a seam it goes on.  *distance: of these vertices from the origin, 0 if it
 * is no more than coordinates are rounded by.  Collective, as is the status. */
int fem_project_delta(const fem_space *s, const double *x, double energy, double *e, double *distance);

#ifdef __cplusplus
}
#endif

#endif

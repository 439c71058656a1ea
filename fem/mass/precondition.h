/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses, a preconditioner of the velocity's mass matrix M = sum_z P_z^T M_z P_z, where P_z takes the nodes of a
 * zone out of a vector:
 *   P r = sum_z P_z^T S_z (M^ (x) M^ (x) M^)^-1 S_z P_z r,   S_z = sqrt(diag M^ diag M_z) / diag M
 * with M^ the mass matrix of a factor of the reference zone.  S_z makes the diagonal of the reference zone that of M_z
 * and, twice diag M_z / diag M, weights the zones of a node so that they sum to one: the average of the inverses of the
 * discontinuous matrix.  One small matrix serves all zones, and S_z is all that is kept of each.
 *
 * The eigenvalues of P M lie close together whatever the mesh and the density are: conjugate gradients take 7 to 13
 * iterations to 1e-8 at any order, those with the diagonal 20 to 48.  Additive Schwarz methods with such weights are
 * Mandel's balancing, Commun. Numer. Meth. Eng. 9 (1993), 233-241; scaled reference inverses are those of Chan, Hewett,
 * Warburton, SIAM J. Sci. Comput. 39 (2017), A2935-A2961, with the weight at the nodes.
 *
 * A simplex has one factor, and so M^ is the dense matrix of the whole reference zone.
 */
#ifndef FEM_MASS_PRECONDITION_H
#define FEM_MASS_PRECONDITION_H

#include "fem/mass/mass.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The store of a row, on the host. */
typedef struct fem_zone_inverse {
  const batched_variant *row;
  const struct fem_precondition_functions *functions; /* of the row */
  void *store;                                        /* owned by the row */
  double *inverse;                                    /* owned, [d1][d1]: M^^-1 */
  double *scale; /* owned, [nzones][nd]: S_z; NULL after set-up, when the row has its own */
} fem_zone_inverse;

typedef struct fem_precondition_functions {
  /* Makes m->zone_inverse->store, and adds to m->matrix what the row can do for conjugate gradients.  All ranks come
   * here, or none.  After a failure teardown takes what there is. */
  int (*setup)(batched_ctx *ctx, fem_mass *m);
  /* z = P r, or z += P r where `adds`, by this rank's zones; of it FEM_SHARED does at least what other ranks share, and
   * FEM_REST what is left.  Vectors [dim][ndofs]. */
  int (*apply)(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z);
  bool adds;
  void (*teardown)(batched_ctx *ctx, fem_mass *m); /* store is not NULL */
  void (*constants)(const fem_mass *m, fem_constant_visit *visit, void *user);
} fem_precondition_functions;

/* Makes m->zone_inverse for an m that is complete but for it.  Collective. */
int fem_precondition_create(batched_ctx *ctx, fem_mass *m);
void fem_precondition_destroy(batched_ctx *ctx, fem_mass *m);
void fem_precondition_constants(const fem_mass *m, fem_constant_visit *visit, void *user);

/* z = P r, constrained, by all ranks. */
int fem_precondition(batched_ctx *ctx, fem_mass *m, const double *r, double *z);

/* The diagonal of the mass matrix of one zone, [nd], from density [nq]; spare: [2][nq + nd]. */
void fem_zone_diagonal(const fem_space *s, const double *density, double *spare, double *diagonal);

#ifdef __cplusplus
}
#endif

#endif

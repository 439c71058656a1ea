/* SPDX-License-Identifier: BSD-3-Clause
 *
 * For authors of mass matrices, of the velocity and of the energy.
 *
 * A row is a struct of functions and a line in a table (host/velocity_mass.c, cuda/velocity_mass.cu, and so on).  A row
 * of the velocity is a product; the sum over ranks, the constraints and conjugate gradients around it are the same for
 * all (velocity_mass.c), unless it solves in its own way.
 */
#ifndef FEM_MASS_H
#define FEM_MASS_H

#include "fem/fem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Dofs that other ranks share (others may go with them): their sums are done first, and travel while the rest is
 * computed.  On one rank there is the rest alone. */
typedef enum fem_part { FEM_SHARED, FEM_REST } fem_part;

/* All return a batched_status; vectors are in the context's memory. */
typedef struct fem_mass_functions {
  /* Makes m->store, and adds to m->matrix what the row can do for conjugate gradients.  All ranks come here, or none.
   * After a failure teardown takes what there is. */
  int (*setup)(batched_ctx *ctx, fem_mass *m);
  /* y = M x of the velocity, or y += M x where `adds`, by this rank's zones at the dofs of one part; x, y
   * [dim][ndofs]. */
  int (*product)(batched_ctx *ctx, fem_mass *m, fem_part part, const double *x, double *y);
  bool adds;
  /* x = M^-1 b, as fem_velocity_mass_solve and fem_energy_mass_solve; NULL: conjugate gradients with m->matrix. */
  int (*solve)(batched_ctx *ctx, fem_mass *m, const double *b, double *x);
  bool direct; /* solve does not iterate, and leaves it to mass.c to count it */
  /* Destroys m->store, which is not NULL, and sets it to NULL. */
  void (*teardown)(batched_ctx *ctx, fem_mass *m);
  /* Visits what never changes in m->store; NULL: nothing is said. */
  void (*constants)(const fem_mass *m, fem_constant_visit *visit, void *user);
} fem_mass_functions;

/* The row for m, and its set-up, after *m has been filled in.  Takes what m owns if it fails.  Collective; for mass.c's
 * neighbours. */
int fem_mass_set_up(batched_ctx *ctx, fem_mass **mass, const fem_mass *m);

/* x = M^-1 b by conjugate gradients with m->matrix, at most so many iterations; nothing is counted.  late: as in
 * solver_pcg_args. */
int fem_mass_iterate(batched_ctx *ctx, fem_mass *m, const double *b, double *x, int max_iterations, int *iterations,
                     bool *converged, const solver_outcome **late);

/* Adds a solve's iterations, [ncomp], to the sums of the mass. */
void fem_mass_count(fem_mass *m, int ncomp, const int *iterations, const bool *converged);

/* The same later: see fem_mass_settle; only where options.late is set. */
void fem_mass_postpone(fem_mass *m, const solver_outcome *outcome);

#ifdef __cplusplus
}
#endif

#endif

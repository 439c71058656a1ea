/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The discretisation: Q_k continuous position and velocity (Gauss-Lobatto nodes), Q_t discontinuous specific internal
 * energy (Bernstein coefficients), one tensor Gauss rule for everything; on triangles and tetrahedra P_k, P_t and a
 * symmetric rule.
 *
 * Three kinds of arrays, all double, last index fastest:
 *   L-vector  per rank      kinematic [dim][ndofs]           thermodynamic [nzones][nt]
 *   E-vector  per zone      kinematic [nzones][dim][nd]      (thermodynamic: the L-vector is one)
 *   Q-vector  per point     [nzones][nq]
 * Nodes, coefficients and points of a zone are lexicographic, first reference direction fastest (but the points of a
 * simplex, which have no order).  Quantities have the units of the problem.  Set-up functions return STATUS_OK, or
 * STATUS_MACHINE where memory is out, unless they say otherwise; those that take a context, and operations, return a
 * batched_status.
 *
 * Source of the method: Dobrev, Kolev, Rieben, SIAM J. Sci. Comput. 34(5), 2012, B606-B641.
 */
#ifndef FEM_H
#define FEM_H

#include "batched/variant.h"
#include "fem/space/material.h"
#include "fem/space/project.h"
#include "fem/space/rule.h"
#include "fem/space/space.h"
#include "solvers/solvers.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All operations of this layer, ended by NULL. */
extern const batched_op *const fem_operations[];

/* ------------------------------------------------------------------ operations
 *
 * A stage of a time step (app/stage.c) calls, at the state (x, v, e), in this order:
 *
 *   fem_force_update                                         stress, time-step estimate
 *   fem_force_apply, fem_constrain, fem_velocity_mass_solve  M_v a = -F 1
 *   fem_force_power, fem_source_add, fem_energy_mass_solve   M_e p = F^T v + source
 *
 * Vectors live in the memory of the context.  An operator (fem_force, fem_mass) chooses its row at set-up, and keeps
 * what the row needs between calls (`store`).  Each call is counted and timed as an operation of its own name under the
 * operator's deck key.  Authors of rows: force/force.h and mass/mass.h. */

typedef struct fem_force {
  const fem_space *space;       /* borrowed */
  const fem_material *material; /* borrowed */
  const batched_variant *row;
  const struct fem_force_functions *functions; /* of the row */
  void *store;                                 /* owned by the row */
} fem_force;

/* Arguments of a corner force's fits, likes and cost. */
typedef struct fem_force_args {
  const fem_force *force;
  int first, last; /* zones of the call; at set-up: all */
} fem_force_args;

extern const batched_op fem_stress_op, fem_force_op, fem_power_op; /* key "corner_force" */

int fem_force_create(batched_ctx *ctx, fem_force **f, const fem_space *s, const fem_material *m);
void fem_force_destroy(batched_ctx *ctx, fem_force **f);

/* Takes the state: stress at all points, kept for the next two calls; *time_step is lowered (this rank's minimum). */
int fem_force_update(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e,
                     double *time_step);
/* F 1, summed over ranks: out [dim][ndofs] */
int fem_force_apply(batched_ctx *ctx, fem_force *f, double *out);
/* F^T v: out [nzones][nt] */
int fem_force_power(batched_ctx *ctx, fem_force *f, const double *v, double *out);

/* Sets constrained entries of the L-vector u [dim][ndofs] to zero. */
typedef struct fem_constrain_args {
  const fem_space *space;
  double *u;
} fem_constrain_args;

extern const batched_op fem_constrain_op; /* key "constrain" */
int fem_constrain(batched_ctx *ctx, const fem_space *s, double *u);

/* Preconditioners of conjugate gradients with M_v. */
typedef enum fem_preconditioner {
  FEM_JACOBI,      /* its diagonal */
  FEM_ZONE_INVERSE /* inverses of the zones' matrices, scaled: fem/mass/precondition.h */
} fem_preconditioner;

/* Parameters of the solves with both mass matrices. */
typedef struct fem_mass_options {
  double tolerance;   /* of conjugate gradients, where a row has some; see solver_pcg_args */
  int max_iterations; /* likewise */
  bool coupled;       /* velocity: the components are one system: they stop together */
  bool iterated;      /* energy: `auto` takes conjugate gradients over all zones, not factors or inverses of blocks */
  fem_preconditioner preconditioner; /* velocity */
  bool late; /* a row on a GPU need not wait for a solve: what it came to is counted by fem_mass_settle */
} fem_mass_options;

/* Also what fits, likes and cost of a mass matrix see. */
typedef struct fem_mass {
  const fem_space *space;
  const fem_material *material;
  const batched_op *op;
  const batched_variant *row;
  const struct fem_mass_functions *functions; /* of the row */
  void *store;                                /* owned by the row */
  fem_mass_options options;
  solver_operator matrix; /* as conjugate gradients see it */
  /* In the context's memory: the inverse diagonal of the kinematic mass matrix, [ndofs] (NULL for the thermodynamic),
   * and the vectors of conjugate gradients. */
  double *inverse_diagonal, *work;         /* owned */
  struct fem_zone_inverse *zone_inverse;   /* owned: what FEM_ZONE_INVERSE keeps; NULL otherwise */
  int64_t iterations, solves, unconverged; /* sums so far; iterations: over components */
  int last_iterations;                     /* of the last solve, the most of any component */
  const solver_outcome *late[SOLVER_LATE]; /* borrowed, [nlate]: of solves that are not counted yet, oldest first */
  int nlate;
  int64_t rounds; /* of all solves by a row that refines: solver_pcg_args */
  double waited;  /* seconds of all solves in messages and reductions over ranks */
} fem_mass;

extern const batched_op fem_velocity_solve_op; /* key "velocity_mass" */
extern const batched_op fem_precondition_op;   /* key "zone_inverse" */
extern const batched_op fem_energy_solve_op;   /* key "energy_mass" */

/* M_v a = b for all components, constrained entries zero.  Vectors [dim][ndofs]. */
int fem_velocity_mass_create(batched_ctx *ctx, fem_mass **m, const fem_space *s, const fem_material *mat,
                             const fem_mass_options *options);
int fem_velocity_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *a);
/* y = M_v x, unconstrained. */
int fem_velocity_mass_apply(batched_ctx *ctx, fem_mass *m, const double *x, double *y);

/* M_e p = b.  Vectors [nzones][nt]. */
int fem_energy_mass_create(batched_ctx *ctx, fem_mass **m, const fem_space *s, const fem_material *mat,
                           const fem_mass_options *options);
int fem_energy_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *p);

/* Counts the solves that have not been, once the device is done with them. */
int fem_mass_settle(batched_ctx *ctx, fem_mass *m);

void fem_mass_destroy(batched_ctx *ctx, fem_mass **m);

/* Adds the energy source at the positions x: out_j += sum_q weight det J(x) s(x_q) b_j, out [nzones][nt]. */
typedef struct fem_source_args {
  const fem_space *space;
  const fem_material *material;
  const double *x;
  double *out;
} fem_source_args;

extern const batched_op fem_source_op; /* key "source" */
int fem_source_add(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *x, double *out);

/* Internal and kinetic energy of this rank: sums over the points of mass e and mass v^2 / 2. */
typedef struct fem_energies_args {
  const fem_space *space;
  const fem_material *material;
  const double *v, *e;
  double *sums; // out, [2]: internal, kinetic
} fem_energies_args;

extern const batched_op fem_energies_op; /* key "energies" */
/* Over all ranks, on the host; not numbers if that fails.  Collective. */
int fem_energies(batched_ctx *ctx, const fem_space *s, const fem_material *m, const double *v, const double *e,
                 double *internal, double *kinetic);

/* The largest coefficient of the artificial viscosity at the points of each zone of a state in the host's memory:
 * out [nzones].  Returns STATUS_OK or STATUS_MACHINE (out of memory). */
int fem_zone_viscosity(const fem_space *s, const fem_material *m, const double *x, const double *v, const double *e,
                       double *out);

/* Arrays that do not change after set-up, of which a run's results are made, in the memory of the context: to be
 * visited once each. */
typedef solver_constant_visit fem_constant_visit;
void fem_space_constants(const fem_space *s, fem_constant_visit *visit, void *user);
void fem_material_constants(const fem_space *s, const fem_material *m, fem_constant_visit *visit, void *user);
void fem_force_constants(const fem_force *f, fem_constant_visit *visit, void *user);
void fem_mass_constants(const fem_mass *m, fem_constant_visit *visit, void *user);

#ifdef __cplusplus
}
#endif

#endif

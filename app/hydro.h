/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run of the hydrodynamics: the discrete problem, its state and its clock.
 */
#ifndef APP_HYDRO_H
#define APP_HYDRO_H

#include "app/balance.h"
#include "app/deck/deck.h"
#include "app/guard.h"
#include "app/machine/gpu.h"
#include "app/machine/pulse.h"
#include "app/results/parts.h"
#include "batched/note.h"
#include "batched/recording.h"
#include "fem/fem.h"
#include "solvers/solvers.h"

/* What the host decides by, and says, after an attempt: the smallest time-step estimate since it was reset, this
 * rank's, or what it was reset to if that is smaller; 1; internal and kinetic energy of the state, this rank's. */
enum { HYDRO_ESTIMATE, HYDRO_ONE, HYDRO_ENERGIES, HYDRO_RESULTS = HYDRO_ENERGIES + 2 };

/* Counts since the start of the problem. */
typedef struct hydro_counts {
  int64_t attempts, evaluations, velocity_iterations, energy_iterations, energy_solves;
} hydro_counts;

/* Cost of a step, repeated attempts included. */
typedef struct hydro_effort {
  double dt;
  int64_t attempts, velocity_iterations, energy_iterations;
} hydro_effort;

/* All vectors are in the memory of the context.  A state is one vector (x, v, e): positions and velocities of the
 * nodes, [dim][ndofs] each, and the Bernstein coefficients of the specific internal energy, [nzones][nt].  A derivative
 * has the same layout. */
typedef struct hydro {
  batched_ctx *ctx;       /* owned */
  gpu gpu;                /* that the context is on */
  run_parts parts;        /* where the time went so far */
  pulse *pulse;           /* borrowed: who listens; NULL: nobody */
  deck *deck;             /* borrowed; learns its dimension from a mesh file */
  const problem *problem; /* borrowed, a row of problems[] */
  const solver_rk *rk;    /* borrowed; NULL: the energy-conserving two-stage method (rk2avg) */
  problem_setting setting;
  uint64_t mesh_checksum; /* of the mesh as it was read, or of the box, before refinement */
  mesh *mesh;             /* owned, as all below */
  fem_space *space;
  fem_material *material;
  fem_force *force;
  fem_mass *velocity_mass, *energy_mass;

  int64_t nkinematic, nthermodynamic, nstate; /* entries on this rank: dim x ndofs, nzones x nt, sum */
  double *state;                              // [nstate], now
  double *before;                             // [nstate], at the start of the step
  double *stages;                             // [nstages][nstate], derivatives
  double *force_one;                          // [dim][ndofs], F 1
  double *power;                              // [nzones][nt], F^T v
  double *weight;                             // [dim][ndofs], M_v g; NULL without gravity
  double *copy;                               // [nstate], on the host: see hydro_fetch; NULL where the state is there
  double *origin; // [dim][ndofs], on the host: initial positions on a periodic mesh, NULL on others

  balance balance;    /* of energy */
  guard *guard;       /* owned; NULL: nobody looks for bits that flip */
  const char *damage; /* what was found to have changed on this rank; NULL: nothing */

  batched_recording *recordings[SOLVER_MAX_STAGES]; /* owned: of the stages of an attempt */
  int recording;                                    /* the one that is made, or would be */
  bool may_record;   /* stages of this attempt are recorded, but those that are checked */
  bool is_recording; /* this one is */
  bool never_waits;  /* the host has to wait for no solve */

  bool stress_is_current; /* the corner force has seen `state` */
  bool force_is_current;  /* and force_one is its F 1 */
  bool is_ahead;          /* the first stage of the next attempt is enqueued, behind the last attempt */
  double *results;        /* owned, in the context's memory, [HYDRO_RESULTS] */
  batched_note *note;     /* owned: the results of the last attempt */
  double energies[2];     /* internal and kinetic, of `state`, on this rank */
  double time;
  double dt;       /* of the next step */
  double dt_taken; /* of the last attempt */
  int64_t steps, attempts, evaluations;
  hydro_counts earlier; /* what runs before this one did: none of it is in the seconds of this run's operations */
  hydro_counts done;    /* at the end of the last step, or where this run began */
  hydro_effort effort;  /* of the last step; 0: there was none */
  int cuts;             /* of the step that is being made */
  bool last;            /* no more steps after this one */
  int failure;          /* the batched_status that made a step fail on this rank */
} hydro;

/* The state on the host: itself, or a copy as of now, good until the next step.  It is NaN if the device failed,
 * which the next step reports. */
double *hydro_fetch(hydro *h);

/* After the last step: the memory of the stages becomes scratch of the context. */
void hydro_give_stages(hydro *h);

/* Parts of a state or of a derivative; const where that is. */
#define hydro_x(h, state) (state)
#define hydro_v(h, state) ((state) + (h)->nkinematic)
#define hydro_e(h, state) ((state) + 2 * (h)->nkinematic)

/* Mesh, spaces, operators and initial state as the deck says.  Collective; all ranks get the same exit_status, with a
 * sentence in message[size]. */
int hydro_create(hydro **h, deck *d, char *message, size_t size);
void hydro_destroy(hydro **h);

/* Evaluates the right-hand side once and forgets it, so that the device loads its kernels, and the solvers make what
 * they keep, before steps are timed: some milliseconds on a device that has just been woken.  Part of hydro_create;
 * returns a batched_status. */
int hydro_rehearse(hydro *h);

/* The time step of the initial state; run it once before the first step.  Returns STATUS_OK, or with a sentence
 * STATUS_RUN (the state), STATUS_INPUT (a variant) or STATUS_MACHINE. */
int hydro_start(hydro *h, char *message, size_t size);

typedef enum hydro_outcome { HYDRO_ACCEPTED, HYDRO_REPEATED, HYDRO_COLLAPSED, HYDRO_FAILED } hydro_outcome;

/* Attempts one step, of length dt_taken.  ACCEPTED: time, state and dt are the new ones.  REPEATED: the step was too
 * large, or tangled a zone; the state is the old one, dt is smaller.  COLLAPSED: a zone is still tangled, or a value no
 * number, after time.max_cuts cuts, or dt is below DBL_EPSILON, as in Laghos; the state is the old one, see fault.h. 
 * FAILED: the machine (out of memory). */
hydro_outcome hydro_step(hydro *h);

/* If this rank failed and there are others, says why and ends all: they may wait for messages that it can't send. */
void hydro_abandon(const hydro *h);

/* One sentence for HYDRO_FAILED; returns STATUS_MACHINE, or STATUS_INPUT for a variant that can't do this shape. */
int hydro_explain(const hydro *h, char *message, size_t size);

#endif

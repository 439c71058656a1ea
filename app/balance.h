/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The balance of energy: what the total energy E, internal and kinetic, should be.
 *
 *    E(t) - E(0) = work = (w, x)(t) - (w, x)(0)                      of gravity, w = M_v g
 *                       + (M_v u, v)(t) - (M_v u, v)(0) + int (u, F 1) dt   of pistons, u: their velocity
 *                       + int source dt                               of the energy source
 *
 * u is the velocity of nodes at walls that move, and 0 elsewhere; the integral over F 1 is that of the Runge-Kutta
 * method itself, so that what is left, the imbalance, is the error of the time steps in E, of the solves, and of the
 * machine.  The source is integrated by the trapezoidal rule.
 */
#ifndef APP_BALANCE_H
#define APP_BALANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "solvers/solvers.h"

struct hydro;

typedef struct balance {
  double initial;           // E at the start of the problem
  double internal, kinetic; // of the state after step `at`
  int64_t at;
  double work;                     // since the start of the problem
  double error, jump;              // the imbalance of the last step, and the largest change of it in a step
  int64_t steps;                   // since the start of the run
  bool jumps;                      // the last step's is a thousand times as large as any before, as after a flipped bit
  double most;                     // the largest size of E and of the work so far: what the imbalance is compared with
  double potential, inertia;       // (w, x) and (M_v u, v) of the state now, of all ranks
  double power;                    // of the source there
  double *piston, *piston_inertia; // owned, in the context's memory, [dim][ndofs]: u and M_v u; NULL: no piston
  double *ones;                    // owned, there, [nzones][nt]; NULL: no source
  int stage;                       // of the attempt, so far
  double forces[SOLVER_MAX_STAGES]; // (u, F 1) of each, this rank's
} balance;

/* With the state at the start of a run.  Collective; a batched_status, the worst of all ranks. */
int balance_create(struct hydro *h);
void balance_destroy(struct hydro *h);

/* For the state now, at the start of the problem, or after it was read from a checkpoint with `initial` and `work`.
 * Collective; a batched_status. */
int balance_begin(struct hydro *h, bool resumed);

/* True where gravity, pistons or a source do work. */
bool balance_is_open(const struct hydro *h);

/* Takes F 1 of the next stage of an attempt.  A batched_status of this rank. */
int balance_take_force(struct hydro *h);

/* After a step that was accepted.  Collective; where it fails on any rank, energy or work are not numbers on all. */
void balance_step(struct hydro *h);

/* E(t) - E(0) - work, relative to the largest E and work so far. */
double balance_error(const balance *b);

/* True where the imbalance is too large for a result; then a sentence is in message[size]. */
bool balance_is_lost(const struct hydro *h, char *message, size_t size);

#endif

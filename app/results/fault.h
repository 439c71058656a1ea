/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A step that can't be made: which zone it was, where, and in what state.
 */
#ifndef APP_FAULT_H
#define APP_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hydro hydro;
typedef struct json json;
typedef struct output_run output_run;

/* From harmless to worst: of several ranks the worst is told of. */
typedef enum fault_kind { FAULT_NONE, FAULT_SQUEEZED, FAULT_INVERTED, FAULT_NAN } fault_kind;

typedef struct fault {
  fault_kind kind;
  int64_t step;       // that could not be made
  double time, dt;    // where it started, its last length
  int cuts;           // how often it was cut
  int stage;          // of the integrator, in which the zone was first seen so; 0: before the step
  int64_t zone;       // number in the whole mesh
  int dim;            // entries of position
  double position[3]; // of its middle, before the step
  double jacobian;    // smallest in that stage
  double density[2];  // least and most at its quadrature points, before the step
  double energy[2];   // specific internal, likewise
  double speed;       // most at its nodes, before the step
} fault;

/* True if all of a state in the host's memory is finite.  A GPU's is not read: there a NaN in positions and energies
 * shows in the time step, one in velocities a stage later. */
bool fault_state_is_finite(const hydro *h);

/* Finds the zone after a step that failed: `state` is what it started from, the stages are those of its last attempt.
 * Collective; all ranks get the same.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int fault_find(const hydro *h, fault *f);

/* Collective; writes the state before the step to output.directory, as a checkpoint fault_STEP.h5 that is never
 * deleted, and as fields.  Returns STATUS_OK with a sentence that says where, or STATUS_MACHINE with one that says why
 * not. */
int fault_dump(hydro *h, const output_run *run, char *message, size_t size);

/* One sentence about it. */
void fault_print(const fault *f, char *text, size_t size);
void fault_write_json(const fault *f, json *j, const char *key);

#endif

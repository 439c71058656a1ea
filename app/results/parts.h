/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the time of a whole run goes, from the command to the report: parts that follow each other and add up to it.
 */
#ifndef APP_PARTS_H
#define APP_PARTS_H

/* In the order in which they come. */
typedef enum run_part {
  PART_LAUNCH,   /* until the deck is known: loading the program, MPI */
  PART_DEVICE,   /* context */
  PART_MESH,     /* reading or making it, dealing it to ranks */
  PART_SPACE,    /* numbering of the nodes, walls, memory of the state */
  PART_MATERIAL, /* positions, geometry and masses at the points */
  PART_STATE,    /* velocities and energies of the problem */
  PART_PLACE,    /* copies to a GPU */
  PART_FORCE,    /* operators */
  PART_VELOCITY,
  PART_ENERGY,
  PART_START, /* first time step, energies of the start; or the checkpoint to go on from */
  PART_FILES,
  PART_STEPS,   /* all steps, and what is written between them */
  PART_RESULTS, /* last files; norms, energies, errors against exact solutions */
  PART_LIMITS,  /* what the machine gives: bandwidth and flops */
  RUN_PARTS
} run_part;

extern const char *const part_names[RUN_PARTS];

typedef struct run_parts {
  double last; /* when the last part ended, by batched_seconds */
  double seconds[RUN_PARTS];
} run_parts;

/* The first part began with this process, and ends here. */
void parts_begin(run_parts *p);
/* Books the time since the last part to this one. */
void parts_take(run_parts *p, run_part part);
/* The sum of parts first .. last. */
double parts_sum(const run_parts *p, run_part first, run_part last);

#endif

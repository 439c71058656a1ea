/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine-readable report of a run.
 */
#ifndef APP_REPORT_H
#define APP_REPORT_H

#include "app/deck/deck.h"
#include "app/machine/provenance.h"
#include "app/results/fault.h"
#include "app/results/parts.h"
#include "app/results/split.h"
#include "mesh/boundary.h"

/* Version of the report's JSON: 1 had no `schema`; raised where a key goes, or means something else. */
enum { REPORT_SCHEMA = 2 };

/* Everything a report says, as plain numbers; -1 where a number does not exist (and the key is left out then). */
typedef struct report {
  const char *status;     /* done unconverged stopped failed */
  const provenance *made; /* borrowed; NULL: not said */
  const deck *deck;
  int ranks, threads;
  const char *backend, *device;
  int gpus;                                          /* of all ranks */
  const char *messages;                              /* where those between ranks lie; NULL: there are none */
  int64_t zones, kinematic_dofs, thermodynamic_dofs; /* global; kinematic: dim x nodes */
  uint64_t mesh_checksum;                            /* of the mesh as it was read */
  mesh_boundary boundary;                            /* of the mesh at the start */
  int quadrature_points;                             /* per zone */
  int64_t steps, attempts;
  double time, dt;
  double norm_e, norm_v, norm_x;
  double energy_initial, energy_final;    /* total: internal + kinetic */
  double energy_internal, energy_kinetic; /* final */
  double energy_work, energy_imbalance;   /* from outside, and what is left: see balance.h */
  int nerrors;
  struct {
    const char *name; /* "velocity.linf", "density.l1", ... */
    double value;
  } errors[16];
  int64_t iterations_velocity, iterations_energy;
  int64_t rounds_velocity;                          /* of iterations in single precision, refined; 0: in double */
  int64_t unconverged_velocity, unconverged_energy; /* solves that ended at max_iterations */
  const fault *fault;                               /* borrowed: why it failed; NULL: it did not, or not in a step */
  /* seconds in the solves and kernels (max over ranks) and rates as in measure.c, in millions a second */
  struct {
    double velocity_solve, energy_solve, force, points, major, loop, setup, output;
    double starved; /* of the rank that was kept longest from its core by others */
  } seconds;
  struct {
    double velocity_solve, energy_solve, force, points, total, fom0;
  } rate;
  const run_parts *parts;        /* borrowed: of this rank; NULL: not measured */
  const run_split *split;        /* borrowed; NULL: not measured */
  batched_ctx *ctx;              /* borrowed: operations */
  double bandwidth, peak_flops;  /* measured limits of this machine, bytes/s and flops/s; 0: not measured */
  double joules_cpu, joules_gpu; /* -1: this machine does not tell */
  double host_peak, device_peak; /* bytes, largest of the ranks; 0: take this process's */
} report;

/* The largest amount of memory that this process had, bytes. */
double report_host_peak(void);

/* Writes JSON, numbers with 17 significant digits; through a temporary file and a rename, so that there is a whole
 * report or none.  Operations are those of this rank's context.  Returns STATUS_OK, or as report_check does. */
int report_write(const report *r, const char *path, char *message, size_t size);

/* Fraction of the machine's limit that an operation reached: the least time that the flops and bytes of its model take,
 * over the time they took; -1: not known. */
double report_fraction_of_limit(const report *r, const batched_stats *s);

/* The table for people: operations and the figure of merit. */
void report_print(const report *r, FILE *to);

#endif

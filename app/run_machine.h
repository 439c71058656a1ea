/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a run is made, and what it takes of the machine.  For run.c only.
 */
#ifndef APP_RUN_MACHINE_H
#define APP_RUN_MACHINE_H

#include "app/hydro.h"
#include "app/machine/energy_meter.h"
#include "app/results/report.h"

typedef struct run_machine {
  energy_meter *meter; // owned; on the first rank of a machine or of a GPU
  bool first_here;     // the first rank of this machine
  double begun;        // by batched_seconds
  double waited;       // for a core until then, see core_wait_seconds
  bool told;           // that others use the cores
  provenance made;
} run_machine;

/* The date is now, and the joules are counted from here on.  One rank a machine reads the counters of its processors,
 * one rank a GPU those of the GPU.  Collective. */
void run_machine_open(run_machine *m, const gpu *g);

/* After a step: counters that are short have to be read now and then. */
void run_machine_sample(run_machine *m);

/* Warns, once, on stderr where others use the cores so much that a rank was kept from its own for a quarter of the time
 * until now.  Collective. */
void run_machine_watch(run_machine *m);

/* Device, joules and memory, into the report, which points to names in m and h.  Collective. */
void run_machine_measure(run_machine *m, const hydro *h, report *r);

void run_machine_destroy(run_machine *m);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Joules that a run took, where the machine tells: processors by Linux's powercap counters, a GPU by NVML.
 *
 * The counters belong to the whole machine or GPU: one rank a machine reads the processors', one rank a GPU the GPU's.
 */
#ifndef APP_ENERGY_METER_H
#define APP_ENERGY_METER_H

typedef struct energy_meter energy_meter;

typedef struct energy_meter_source {
  const char *powercap;   /* a folder; NULL: where Linux has it; "": don't look */
  const char *nvml;       /* a shared library; NULL: the driver's */
  const char *gpu_bus_id; /* PCI bus id of the GPU, "0000:41:00.0"; NULL: no GPU */
} energy_meter_source;

/* Never fails on account of the machine: what can't be read is unavailable.  NULL when memory is out. */
energy_meter *energy_meter_create(const energy_meter_source *source);
void energy_meter_destroy(energy_meter **m);

/* Counts from zero again. */
void energy_meter_start(energy_meter *m);
/* The processors' counters are short: call this at least every ten minutes, as often as you like. */
void energy_meter_sample(energy_meter *m);

/* Joules since the start; -1: unavailable.  A meter that is NULL knows nothing. */
double energy_meter_cpu_joules(energy_meter *m);
double energy_meter_gpu_joules(energy_meter *m);

#endif

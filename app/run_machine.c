/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_machine.h"

#include <math.h>

#include "app/machine/core_wait.h"

void run_machine_open(run_machine *m, const gpu *g)
{
  m->begun = batched_seconds();
  provenance_find(&m->made);
  m->waited = core_wait_seconds();
  m->first_here = comm_local_rank() == 0;
  energy_meter_source source = {.powercap = m->first_here ? NULL : "", .gpu_bus_id = g->first ? g->about.bus_id : NULL};
  if (m->first_here || g->first) m->meter = energy_meter_create(&source);
  if (m->meter) energy_meter_start(m->meter);
}

void run_machine_sample(run_machine *m)
{
  energy_meter_sample(m->meter);
}

/* Seconds since the start for which this rank was kept from its core; -1: the system does not tell. */
static double wait_of_rank(const run_machine *m)
{
  return m->waited < 0.0 ? -1.0 : core_wait_seconds() - m->waited;
}

/* The same of the unluckiest rank. */
static double longest_wait(const run_machine *m)
{
  double waited = wait_of_rank(m);
  comm_max(&waited, 1);
  return waited;
}

void run_machine_watch(run_machine *m)
{
  const double least = 3.0, much = 0.25; // seconds, and the share of the time
  double most[] = {batched_seconds() - m->begun, wait_of_rank(m)};
  comm_max(most, 2);
  const double elapsed = most[0], waited = most[1];
  if (m->told || elapsed < least || waited < much * elapsed) return;
  m->told = true;
  if (comm_rank() == 0)
    fprintf(stderr,
            "shocklet: warning: until now a rank was kept from its core for %.0f %% of the time, as others use it%s\n",
            100.0 * fmin(waited / elapsed, 1.0), comm_size() > 1 ? "; fewer ranks may be faster" : "");
}

/* The sum over the ranks that read a counter; -1 if one of them can't. */
static double sum_joules(bool reads, double joules)
{
  double sums[2] = {reads ? joules : 0.0, reads && joules < 0.0};
  comm_sum(sums, 2);
  return sums[1] > 0.0 ? -1.0 : sums[0];
}

void run_machine_measure(run_machine *m, const hydro *h, report *r)
{
  const gpu *g = &h->gpu;
  r->threads = 1;
  r->backend = g->number < 0 ? "host" : "cuda";
  r->gpus = g->distinct;
  r->messages = comm_size() > 1 ? halo_path(h->space->halo) : NULL;
  r->made = &m->made;
  r->device = g->number < 0 ? m->made.processor : g->about.name;
  r->joules_cpu = sum_joules(m->first_here, energy_meter_cpu_joules(m->meter));
  r->joules_gpu = sum_joules(g->first, energy_meter_gpu_joules(m->meter));
  if (g->distinct == 0) r->joules_gpu = -1.0;
  r->seconds.starved = longest_wait(m);
  double peaks[2] = {report_host_peak(), (double)batched_peak_bytes(BATCHED_CUDA)};
  comm_max(peaks, 2);
  r->host_peak = peaks[0];
  r->device_peak = peaks[1];
}

void run_machine_destroy(run_machine *m)
{
  energy_meter_destroy(&m->meter);
}

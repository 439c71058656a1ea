/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/checkpoint/resume.h"

#include <float.h>

int hydro_resume(hydro *h, const deck *then, char *message, size_t size)
{
  const double dt = h->dt;
  const deck *d = h->deck;
  const bool last = h->last, more = d->time.final != then->time.final || d->time.max_steps != then->time.max_steps;
  const fem_mass *v = h->velocity_mass, *e = h->energy_mass;
  const int64_t evaluations = h->evaluations;
  if (d->time.final != then->time.final && h->time > d->time.final) {
    snprintf(message, size, "--restart: time.final is %.9g, but the checkpoint is of t = %.9g", d->time.final, h->time);
    return STATUS_INPUT;
  }
  int status = hydro_start(h, message, size);
  h->evaluations = evaluations; // that of this state was counted by the run that wrote it
  h->earlier = h->done = (hydro_counts){h->attempts, evaluations - 1, v->iterations, e->iterations, e->solves};
  h->last = more ? h->time >= d->time.final || (d->time.max_steps >= 0 && h->attempts > d->time.max_steps) : last;
  // where the last step was cut to end at `final`, what comes after it takes its own measure
  const bool cut = last && h->time >= then->time.final * (1.0 - 4.0 * DBL_EPSILON);
  const bool slower = d->time.cfl < then->time.cfl && h->dt < dt; // asked for, as after a fault
  if (!(cut && more) && !slower) h->dt = dt;
  return status;
}

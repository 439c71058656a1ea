/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One time step and the choice of its length: an attempt integrates the equations (app/stage.h) over a time step, and
 * is repeated with a shorter one if the state that comes out allows no step as long.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "app/hydro.h"
#include "app/results/fault.h"
#include "app/stage.h"
#include "fem/late.h"

/* As in Laghos: a repeated step is `shorter` times as long; where the estimate is above `far_below` steps, the next
 * step is `longer` times as long. */
static const double shorter = 0.85, longer = 1.02, far_below = 1.25;

/* No decision needs an estimate above so many steps.  The bound spares ranks where nothing moves the estimates of all
 * their points. */
static const double beyond = 2.0;

/* Sets the estimate to `most`, on the device, so that the host need not wait. */
static int reset_estimate(hydro *h, double most)
{
  return solver_combine(
    h->ctx, &(solver_combine_args){
              .n = 1, .nterms = 1, .c = {most}, .x = {h->results + HYDRO_ONE}, .y = h->results + HYDRO_ESTIMATE});
}

/* Sums the energies of the state, and sends them to the host with its estimate. */
static int note_results(hydro *h)
{
  const int status = fem_energies_here(h->ctx, h->space, h->material, hydro_v(h, h->state), hydro_e(h, h->state),
                                       h->results + HYDRO_ENERGIES);
  return status ? status : batched_note_take(h->note, 0, h->results, HYDRO_RESULTS * sizeof *h->results);
}

/* Integrates over dt, then takes the stress and the estimate of the new state, with which the next attempt begins. */
static int attempt(hydro *h, double dt)
{
  int status = reset_estimate(h, beyond * dt);
  if (!status) status = stage_integrate(h, dt);
  if (!status) status = guard_sum_attempt(h);
  if (!status) status = stage_stress(h, h->state);
  return status ? status : note_results(h);
}

static int count_stages(const hydro *h)
{
  return h->rk ? h->rk->nstages : 2;
}

/* Tests whether the device can do an attempt without the host, except for stages that are checked. */
static bool may_record(const hydro *h)
{
  const bool has_messages = !halo_alone(h->space->halo) && !halo_is_immediate(h->space->halo);
  return h->never_waits && !has_messages && !h->balance.piston;
}

/* The same, with its stages recorded where they can be. */
static int attempt_recorded(hydro *h, double dt)
{
  const int stages = count_stages(h);
  const bool is_checked = guard_will_check(h, stages - h->is_ahead);
  h->may_record = may_record(h);
  h->recording = h->is_ahead;
  stage_begin_recording(h);
  int status = attempt(h, dt);
  status = stage_end_recording(h, status);
  h->is_ahead = false;
  if (!is_checked) h->never_waits = h->velocity_mass->nlate == stages && h->energy_mass->nlate == stages;
  return status ? status : batched_note_end(h->note);
}

/* Enqueues the first stage of the next attempt, which needs no time step: the device does it while the host decides on
 * the step.  On one rank only: it was not tried on several GPUs. */
static int go_ahead(hydro *h)
{
  h->stress_is_current = true;
  h->may_record = may_record(h) && h->rk && !balance_is_open(h) && comm_size() == 1;
  if (h->last || !h->may_record || guard_will_check(h, 1)) return BATCHED_SUCCESS;
  h->is_ahead = true;
  h->recording = 0;
  stage_begin_recording(h);
  return stage_end_recording(h, stage_derivative(h, h->state, h->stages));
}

/* Drops what was done ahead, as the next attempt begins at another state. */
static int come_back(hydro *h)
{
  h->stress_is_current = h->force_is_current = false;
  if (!h->is_ahead) return BATCHED_SUCCESS;
  h->is_ahead = false;
  fem_mass_forget(h->velocity_mass);
  fem_mass_forget(h->energy_mass);
  return guard_forget_stage(h);
}

void hydro_abandon(const hydro *h)
{
  char message[512];
  if (!h->failure || comm_size() == 1) return;
  const int status = hydro_explain(h, message, sizeof message);
  fprintf(stderr, "shocklet: rank %d, %s\n", comm_rank(), message);
  comm_abort(status);
}

/* Begins the next step with the force of its first stage, which needs no time step.  Not where sums over nodes go
 * without messages: GPUs wait for each other in them, best where the step begins. */
static int work_ahead(hydro *h)
{
  if (h->last || h->space->blocking || halo_is_immediate(h->space->halo) || comm_size() == 1) return BATCHED_SUCCESS;
  h->force_is_current = true;
  return fem_force_apply(h->ctx, h->force, h->force_one);
}

/* Awaits what the attempt came to on this rank, behind which the device already has its next work. */
static int take_results(hydro *h, double *estimate)
{
  fem_mass *const masses[] = {h->velocity_mass, h->energy_mass};
  const int solves[] = {masses[0]->nlate, masses[1]->nlate};
  int status = go_ahead(h);
  if (!status) status = batched_note_await(h->note);
  if (status) return status;
  const double *results = batched_note_read(h->note);
  *estimate = results[HYDRO_ESTIMATE];
  for (int i = 0; i < 2; i++) {
    h->energies[i] = results[HYDRO_ENERGIES + i];
    fem_mass_settle_first(h->ctx, masses[i], solves[i]);
  }
  return guard_check_attempt(h);
}

/* The smallest estimate of all ranks and all stages, the new state's included.  0: a zone was inverted, or a value is
 * not a number, in some stage.  -1: the machine failed.  The next step's work begins while the ranks compare theirs. */
static double reduce_estimate(hydro *h, int status)
{
  double estimate = -1.0;
  if (!status) status = take_results(h, &estimate);
  if (!status && !fault_state_is_finite(h)) estimate = 0.0;
  h->failure = status;
  hydro_abandon(h);
  if (status) estimate = -1.0;
  comm_request among_ranks;
  comm_min_begin(&among_ranks, &estimate);
  if (!status) h->failure = work_ahead(h);
  hydro_abandon(h);
  comm_min_end(&among_ranks);
  return estimate;
}

int hydro_start(hydro *h, char *message, size_t size)
{
  int status = reset_estimate(h, INFINITY);
  if (!status) status = stage_stress(h, h->state);
  if (!status) status = note_results(h);
  if (!status) status = batched_note_end(h->note);
  h->dt = reduce_estimate(h, status);
  h->last = false;
  if (h->dt > 0.0 && isfinite(h->dt)) return 0;
  if (isinf(h->dt)) { // nothing moves and nothing sounds: any step will do
    h->dt = h->deck->time.final;
    return 0;
  }
  if (h->dt < 0.0) return hydro_explain(h, message, size);
  snprintf(message, size, "the initial state allows no time step: a zone is inverted or a value is not a number");
  return STATUS_RUN;
}

int hydro_explain(const hydro *h, char *message, size_t size)
{
  char why[256];
  if (h->damage) {
    guard_explain(h, message, size);
    return STATUS_MACHINE;
  }
  snprintf(message, size, "step %lld: %s", (long long)h->steps + 1,
           batched_explain(h->ctx, h->failure, why, sizeof why));
  if (h->failure == BATCHED_DOES_NOT_FIT) deck_add_variants(h->deck, message, size);
  return h->failure == BATCHED_DOES_NOT_FIT || h->failure == BATCHED_NO_VARIANT ? STATUS_INPUT : STATUS_MACHINE;
}

static void take_effort(hydro *h, double dt)
{
  const hydro_counts before = h->done, now = {.attempts = h->attempts,
                                              .velocity_iterations = h->velocity_mass->iterations,
                                              .energy_iterations = h->energy_mass->iterations};
  h->effort = (hydro_effort){dt, now.attempts - before.attempts, now.velocity_iterations - before.velocity_iterations,
                             now.energy_iterations - before.energy_iterations};
  h->done = now;
}

hydro_outcome hydro_step(hydro *h)
{
  const deck *d = h->deck;
  double dt = h->dt;
  if (h->time + dt >= d->time.final) {
    dt = d->time.final - h->time;
    h->last = true;
  }
  if (h->attempts == d->time.max_steps) h->last = true;
  h->dt_taken = dt;

  double *old = h->state;
  h->state = h->before;
  h->before = old;
  const int status = attempt_recorded(h, dt);
  h->attempts++;
  const double estimate = reduce_estimate(h, status);
  if (estimate < 0.0) return HYDRO_FAILED;

  if (estimate < dt) {
    h->before = h->state;
    h->state = old;
    h->failure = come_back(h);
    hydro_abandon(h);
    if (h->failure) return HYDRO_FAILED;
    h->dt = shorter * dt;
    h->cuts++;
    h->last = d->time.max_steps >= 0 && h->attempts > d->time.max_steps;
    const bool tangled = estimate == 0.0 && h->cuts > d->time.max_cuts;
    return tangled || h->dt < DBL_EPSILON ? HYDRO_COLLAPSED : HYDRO_REPEATED;
  }
  guard_accept(h);
  h->time += dt;
  h->steps++;
  h->cuts = 0;
  take_effort(h, dt);
  h->dt = estimate > far_below * dt ? longer * dt : dt;
  return HYDRO_ACCEPTED;
}

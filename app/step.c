/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One time step of
 *
 *    dx/dt = v        M_v dv/dt = -F 1 (+ M_v g)        M_e de/dt = F^T v (+ source)
 *
 * and the choice of its length.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "app/hydro.h"
#include "app/results/fault.h"
#include "fem/late.h"

/* A step that is repeated is shorter by the first; one that is far below its estimate is followed by a longer one, as
 * in Laghos. */
static const double shorter = 0.85, longer = 1.02, far_below = 1.25;

/* An estimate above so many steps need not be known: without a bound, ranks where nothing moves would find those
 * of all their points. */
static const double beyond = 2.0;

/* 1. Stress at the quadrature points of the state, and its time-step estimate. */
static int take_stress(hydro *h, const double *y)
{
  h->evaluations++;
  pulse_beat(h->pulse, PULSE_FORCES, h->steps + 1);
  return fem_force_update(h->ctx, h->force, hydro_x(h, y), hydro_v(h, y), hydro_e(h, y), h->results + HYDRO_ESTIMATE);
}

/* 2. M_v a = -F 1 + M_v g */
static int accelerate(hydro *h, double *a)
{
  int status = h->force_is_current ? BATCHED_SUCCESS : fem_force_apply(h->ctx, h->force, h->force_one);
  h->force_is_current = false;
  if (!status) status = balance_take_force(h);
  solver_combine_args b = {.n = h->nkinematic, .nterms = 1, .c = {-1.0, 1.0}, .x = {h->force_one, h->weight}};
  if (h->weight) b.nterms = 2;
  b.y = h->force_one;
  if (!status) status = solver_combine(h->ctx, &b);
  if (!status) status = fem_constrain(h->ctx, h->space, h->force_one);
  pulse_beat(h->pulse, PULSE_VELOCITY, h->steps + 1);
  if (!status) status = fem_velocity_mass_solve(h->ctx, h->velocity_mass, h->force_one, a);
  return status ? status : guard_check_solve(h, a);
}

/* 3. M_e p = F^T v + source(x) */
static int heat(hydro *h, const double *x, const double *v, double *p)
{
  int status = fem_force_power(h->ctx, h->force, v, h->power);
  if (!status) status = fem_source_add(h->ctx, h->space, h->material, x, h->power);
  pulse_beat(h->pulse, PULSE_ENERGY, h->steps + 1);
  return status ? status : fem_energy_mass_solve(h->ctx, h->energy_mass, h->power, p);
}

/* y = a + c b */
static int combine(hydro *h, int64_t n, double *y, const double *a, double c, const double *b)
{
  return solver_combine(h->ctx, &(solver_combine_args){.n = n, .nterms = 2, .c = {1.0, c}, .x = {a, b}, .y = y});
}

/* What follows is recorded, unless its solve is to be checked, for which the host waits. */
static void begin_recording(hydro *h)
{
  h->is_recording = h->may_record && !guard_will_check(h, 1) && batched_recording_begin(h->ctx);
}

static int end_recording(hydro *h, int status)
{
  const bool is_recording = h->is_recording;
  h->is_recording = false;
  return is_recording ? batched_recording_run(h->ctx, &h->recordings[h->recording], status) : status;
}

/* What was recorded so far is launched, and what follows is recorded while the device does it.  Behind a first stage
 * that is ahead the next one's recording has begun with the attempt. */
static int begin_stage(hydro *h)
{
  const bool has_begun = h->is_ahead;
  h->is_ahead = false;
  if (has_begun) return BATCHED_SUCCESS;
  const int status = end_recording(h, BATCHED_SUCCESS);
  h->recording++;
  if (!status) begin_recording(h);
  return status;
}

/* k = d/dt (x, v, e) at the state y. */
static int do_stage(hydro *h, const double *y, double *k)
{
  const solver_combine_args velocity = {
    .n = h->nkinematic, .nterms = 1, .c = {1.0}, .x = {hydro_v(h, y)}, .y = hydro_x(h, k)};
  int status = guard_begin_stage(h, y);
  if (!status) status = solver_combine(h->ctx, &velocity);
  if (!status && !h->stress_is_current) status = take_stress(h, y);
  h->stress_is_current = false;
  if (!status) status = accelerate(h, hydro_v(h, k));
  if (!status) status = heat(h, hydro_x(h, y), hydro_v(h, y), hydro_e(h, k));
  return status ? status : guard_end_stage(h, y, k);
}

/* The right-hand side. */
static int derivative(void *user, const double *y, double *k)
{
  hydro *h = user;
  const bool is_first = y == h->before;
  if (is_first && h->is_ahead) return BATCHED_SUCCESS;
  const int status = is_first ? BATCHED_SUCCESS : begin_stage(h);
  return status ? status : do_stage(h, y, k);
}

/* Half of the energy-conserving two-stage method: with the force of the state `at`, but the average velocity
 * vbar = v0 + dt/2 a in its work, to y = y0 + advance (vbar, a, p).  Source: Dobrev, Kolev, Rieben 2012, section 7. */
static int averaged_stage(hydro *h, const double *y0, const double *at, double *y, double dt, double advance)
{
  double *k = h->stages;
  int status = BATCHED_SUCCESS;
  if (!h->stress_is_current) status = take_stress(h, at);
  h->stress_is_current = false;
  if (!status) status = accelerate(h, hydro_v(h, k));
  if (!status) status = combine(h, h->nkinematic, hydro_x(h, k), hydro_v(h, y0), 0.5 * dt, hydro_v(h, k));
  if (!status) status = heat(h, hydro_x(h, at), hydro_x(h, k), hydro_e(h, k));
  return status ? status : combine(h, h->nstate, y, y0, advance, k);
}

static int integrate(hydro *h, double dt)
{
  h->balance.stage = 0;
  if (h->rk) return solver_rk_step(h->ctx, h->rk, h->nstate, dt, h->before, h->state, h->stages, derivative, h);
  int status = averaged_stage(h, h->before, h->before, h->state, dt, 0.5 * dt);
  if (!status) status = begin_stage(h);
  return status ? status : averaged_stage(h, h->before, h->state, h->state, dt, dt);
}

/* The estimate is `most` again; by the device itself, so that the host need not wait. */
static int forget_estimate(hydro *h, double most)
{
  return solver_combine(
    h->ctx, &(solver_combine_args){
              .n = 1, .nterms = 1, .c = {most}, .x = {h->results + HYDRO_ONE}, .y = h->results + HYDRO_ESTIMATE});
}

/* Energies and estimate of the state, on their way to the host. */
static int note_results(hydro *h)
{
  const int status = fem_energies_here(h->ctx, h->space, h->material, hydro_v(h, h->state), hydro_e(h, h->state),
                                       h->results + HYDRO_ENERGIES);
  return status ? status : batched_note_take(h->note, 0, h->results, HYDRO_RESULTS * sizeof *h->results);
}

/* The state of an attempt, its sums, and the stress and the estimate of what came out, with which the next begins. */
static int attempt(hydro *h, double dt)
{
  int status = forget_estimate(h, beyond * dt);
  if (!status) status = integrate(h, dt);
  if (!status) status = guard_sum_attempt(h);
  if (!status) status = take_stress(h, h->state);
  return status ? status : note_results(h);
}

static int count_stages(const hydro *h)
{
  return h->rk ? h->rk->nstages : 2;
}

/* Is an attempt work that the device can do by itself, but for checks? */
static bool may_record(const hydro *h)
{
  const bool has_messages = !halo_alone(h->space->halo) && !halo_is_immediate(h->space->halo);
  return h->never_waits && !has_messages && !h->balance.piston;
}

static int attempt_at_once(hydro *h, double dt)
{
  const int stages = count_stages(h);
  const bool is_checked = guard_will_check(h, stages - h->is_ahead);
  h->may_record = may_record(h);
  h->recording = h->is_ahead;
  begin_recording(h);
  int status = attempt(h, dt);
  status = end_recording(h, status);
  h->is_ahead = false;
  if (!is_checked) h->never_waits = h->velocity_mass->nlate == stages && h->energy_mass->nlate == stages;
  return status ? status : batched_note_end(h->note);
}

/* The first stage of the next attempt needs no time step: the device does it while the host reads this one's, energies
 * and requests to stop.  Of several ranks none goes ahead: that was not tried on several GPUs. */
static int go_ahead(hydro *h)
{
  h->stress_is_current = true;
  h->may_record = may_record(h) && h->rk && !balance_is_open(h) && comm_size() == 1;
  if (h->last || !h->may_record || guard_will_check(h, 1)) return BATCHED_SUCCESS;
  h->is_ahead = true;
  h->recording = 0;
  begin_recording(h);
  return end_recording(h, do_stage(h, h->state, h->stages));
}

/* The next attempt begins at another state. */
static int come_back(hydro *h)
{
  h->stress_is_current = h->force_is_current = false;
  if (!h->is_ahead) return BATCHED_SUCCESS;
  h->is_ahead = false;
  fem_mass_forget(h->velocity_mass);
  fem_mass_forget(h->energy_mass);
  return guard_forget_stage(h);
}

/* Other ranks may wait for messages that this one can't send any more, so they are ended, too. */
static void abandon(const hydro *h)
{
  char message[512];
  const int status = hydro_explain(h, message, sizeof message);
  fprintf(stderr, "shocklet: rank %d, %s\n", comm_rank(), message);
  comm_abort(status);
}

/* The next step's first work, which needs no time step; but if sums over nodes need no messages, GPUs wait for each
 * other in them, best where the step begins. */
static int work_ahead(hydro *h)
{
  if (h->last || h->space->blocking || halo_is_immediate(h->space->halo) || comm_size() == 1) return BATCHED_SUCCESS;
  h->force_is_current = true;
  return fem_force_apply(h->ctx, h->force, h->force_one);
}

/* What the attempt came to on this rank, when the device is done with it; its next work is enqueued before. */
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

/* The smallest estimate of all ranks; the state's own is among them, and its stress is ready for the next step, whose
 * first work goes on while the ranks hear of each other's.  It is 0 if a zone was inverted, or a value no number, in
 * any stage.  -1: the machine failed. */
static double reduce_estimate(hydro *h, int status)
{
  double estimate = -1.0;
  if (!status) status = take_results(h, &estimate);
  if (!status && !fault_state_is_finite(h)) estimate = 0.0;
  h->failure = status;
  if (status && comm_size() > 1) abandon(h);
  if (status) estimate = -1.0;
  comm_request among_ranks;
  comm_min_begin(&among_ranks, &estimate);
  if (!status) h->failure = work_ahead(h);
  if (h->failure && comm_size() > 1) abandon(h);
  comm_min_end(&among_ranks);
  return estimate;
}

/* As if there had been no solve. */
static void forget_solves(fem_mass *m)
{
  m->iterations = m->solves = m->unconverged = m->rounds = 0;
  m->last_iterations = 0;
  m->waited = 0.0;
}

/* The solves have zeros on the right, which take no iterations. */
int hydro_rehearse(hydro *h)
{
  double *y = h->state, *k = h->stages;
  fem_mass *masses[] = {h->velocity_mass, h->energy_mass};
  int status = take_stress(h, y);
  if (!status) status = combine(h, h->nkinematic, hydro_x(h, k), hydro_v(h, y), 0.0, hydro_v(h, y));
  if (!status) status = fem_force_apply(h->ctx, h->force, h->force_one);
  if (!status) status = fem_constrain(h->ctx, h->space, h->force_one);
  if (!status) status = batched_fill_zero(h->ctx, h->force_one, sizeof(double) * (size_t)h->nkinematic);
  if (!status) status = fem_velocity_mass_solve(h->ctx, h->velocity_mass, h->force_one, hydro_v(h, k));
  if (!status) status = heat(h, hydro_x(h, y), hydro_v(h, k), hydro_e(h, k));
  if (!status) status = combine(h, h->nstate, h->before, y, 0.0, k);
  for (int i = 0; i < 2 && !status; i++) status = fem_mass_settle(h->ctx, masses[i]);
  for (int i = 0; i < 2; i++) forget_solves(masses[i]);
  h->evaluations = 0;
  if (status && comm_size() > 1) {
    h->failure = status;
    abandon(h);
  }
  return status;
}

int hydro_start(hydro *h, char *message, size_t size)
{
  int status = forget_estimate(h, INFINITY);
  if (!status) status = take_stress(h, h->state);
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
  const int status = attempt_at_once(h, dt);
  h->attempts++;
  const double estimate = reduce_estimate(h, status);
  if (estimate < 0.0) return HYDRO_FAILED;

  if (estimate < dt) {
    h->before = h->state;
    h->state = old;
    h->failure = come_back(h);
    if (h->failure && comm_size() > 1) abandon(h);
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

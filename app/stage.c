/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The equations: stress, accelerations and heating, and the stages made of them.
 */
#include "app/stage.h"

#include "fem/late.h"

/* 1. Stress, and the time-step estimate. */
int stage_stress(hydro *h, const double *y)
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
  const solver_combine_args b = {.n = h->nkinematic,
                                 .nterms = h->weight ? 2 : 1,
                                 .c = {-1.0, 1.0},
                                 .x = {h->force_one, h->weight},
                                 .y = h->force_one};
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

int stage_derivative(hydro *h, const double *y, double *k)
{
  const solver_combine_args velocity = {
    .n = h->nkinematic, .nterms = 1, .c = {1.0}, .x = {hydro_v(h, y)}, .y = hydro_x(h, k)};
  int status = guard_begin_stage(h, y);
  if (!status) status = solver_combine(h->ctx, &velocity);
  if (!status && !h->stress_is_current) status = stage_stress(h, y);
  h->stress_is_current = false;
  if (!status) status = accelerate(h, hydro_v(h, k));
  if (!status) status = heat(h, hydro_x(h, y), hydro_v(h, y), hydro_e(h, k));
  return status ? status : guard_end_stage(h, y, k);
}

void stage_begin_recording(hydro *h)
{
  h->is_recording = h->may_record && !guard_will_check(h, 1) && batched_recording_begin(h->ctx);
}

int stage_end_recording(hydro *h, int status)
{
  const bool is_recording = h->is_recording;
  h->is_recording = false;
  return is_recording ? batched_recording_run(h->ctx, &h->recordings[h->recording], status) : status;
}

/* Launches the stage that was recorded, and records the next one while the device is busy.  If the first stage was
 * ahead, the recording of the second has begun with the attempt. */
static int begin_next_stage(hydro *h)
{
  const bool has_begun = h->is_ahead;
  h->is_ahead = false;
  if (has_begun) return BATCHED_SUCCESS;
  const int status = stage_end_recording(h, BATCHED_SUCCESS);
  h->recording++;
  if (!status) stage_begin_recording(h);
  return status;
}

/* y = a + c b */
static int combine(hydro *h, int64_t n, double *y, const double *a, double c, const double *b)
{
  return solver_combine(h->ctx, &(solver_combine_args){.n = n, .nterms = 2, .c = {1.0, c}, .x = {a, b}, .y = y});
}

/* The right-hand side, for the time integrator.  A first stage that was ahead is there already. */
static int derivative(void *user, const double *y, double *k)
{
  hydro *h = user;
  const bool is_first = y == h->before;
  if (is_first && h->is_ahead) return BATCHED_SUCCESS;
  const int status = is_first ? BATCHED_SUCCESS : begin_next_stage(h);
  return status ? status : stage_derivative(h, y, k);
}

/* One of the two stages of the energy-conserving method: y = y0 + advance (vbar, a, p).  The force is that of the state
 * `at`, its work p that of the average velocity vbar = v0 + dt/2 a.  Source: Dobrev, Kolev, Rieben 2012, section 7. */
static int averaged_stage(hydro *h, const double *y0, const double *at, double *y, double dt, double advance)
{
  double *k = h->stages;
  int status = BATCHED_SUCCESS;
  if (!h->stress_is_current) status = stage_stress(h, at);
  h->stress_is_current = false;
  if (!status) status = accelerate(h, hydro_v(h, k));
  if (!status) status = combine(h, h->nkinematic, hydro_x(h, k), hydro_v(h, y0), 0.5 * dt, hydro_v(h, k));
  if (!status) status = heat(h, hydro_x(h, at), hydro_x(h, k), hydro_e(h, k));
  return status ? status : combine(h, h->nstate, y, y0, advance, k);
}

int stage_integrate(hydro *h, double dt)
{
  h->balance.stage = 0;
  if (h->rk) return solver_rk_step(h->ctx, h->rk, h->nstate, dt, h->before, h->state, h->stages, derivative, h);
  int status = averaged_stage(h, h->before, h->before, h->state, dt, 0.5 * dt);
  if (!status) status = begin_next_stage(h);
  return status ? status : averaged_stage(h, h->before, h->state, h->state, dt, dt);
}

/* Sets the counts to those before any solve. */
static void forget_solves(fem_mass *m)
{
  m->iterations = m->solves = m->unconverged = m->rounds = 0;
  m->last_iterations = 0;
  m->waited = 0.0;
}

/* With zeros on the right, a solve takes no iterations. */
int hydro_rehearse(hydro *h)
{
  double *y = h->state, *k = h->stages;
  fem_mass *masses[] = {h->velocity_mass, h->energy_mass};
  int status = stage_stress(h, y);
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
  h->failure = status;
  hydro_abandon(h);
  return status;
}

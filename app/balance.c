/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/balance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/hydro.h"

/* A run whose energy comes from nowhere, or goes nowhere, is no result.  The error of the time steps was at most
 * 1.5e-3, of riemann-6 on its coarsest mesh, where the problems ran with their own time.cfl. */
static const double allowed = 0.1;

bool balance_is_open(const hydro *h)
{
  return h->weight || h->balance.piston || h->balance.ones;
}

/* (a, b) of kinematic vectors over the dofs that this rank owns, added to *sum. */
static int add_dot(const hydro *h, const double *a, const double *b, double *sum)
{
  const fem_space *s = h->space;
  int status = BATCHED_SUCCESS;
  for (int c = 0; c < s->dim && !status; c++) {
    double part = NAN;
    status = solver_dot(h->ctx, s->nowned, a + (int64_t)c * s->ndofs, b + (int64_t)c * s->ndofs, &part);
    *sum += part;
  }
  return status;
}

/* Power of the source on this rank; h->power is free between steps. */
static int find_power(const hydro *h, double *power)
{
  int status = batched_fill_zero(h->ctx, h->power, sizeof(double) * (size_t)h->nthermodynamic);
  if (!status) status = fem_source_add(h->ctx, h->space, h->material, hydro_x(h, h->state), h->power);
  return status ? status : solver_dot(h->ctx, h->nthermodynamic, h->power, h->balance.ones, power);
}

/* The terms of the balance that the state says. */
typedef struct terms {
  double potential, inertia, power;
} terms;

static int find_terms(const hydro *h, terms *t)
{
  const balance *b = &h->balance;
  int status = BATCHED_SUCCESS;
  *t = (terms){0};
  if (h->weight) status = add_dot(h, h->weight, hydro_x(h, h->state), &t->potential);
  if (!status && b->piston) status = add_dot(h, b->piston_inertia, hydro_v(h, h->state), &t->inertia);
  if (!status && b->ones) status = find_power(h, &t->power);
  return status;
}

/* ------------------------------------------------------------------ set-up */

/* The velocity that walls have, of the initial state. */
static void copy_piston(const hydro *h, const double *v, double *u)
{
  const fem_space *s = h->space;
  for (int c = 0; c < s->dim; c++)
    for (int i = 0; i < s->ndofs; i++) {
      const int64_t at = (int64_t)c * s->ndofs + i;
      u[at] = s->essential[i] >> c & 1 ? v[at] : 0.0;
    }
}

static int make_piston(hydro *h)
{
  balance *b = &h->balance;
  const size_t bytes = sizeof(double) * (size_t)h->nkinematic;
  double *u = malloc(bytes + 1);
  b->piston = batched_allocate(h->ctx, bytes + sizeof(double));
  b->piston_inertia = batched_allocate(h->ctx, bytes + sizeof(double));
  int status = comm_worst(u && b->piston && b->piston_inertia ? BATCHED_SUCCESS : BATCHED_NO_MEMORY);
  if (!status) {
    copy_piston(h, hydro_v(h, hydro_fetch(h)), u);
    status = comm_worst(batched_copy_from_host(h->ctx, b->piston, u, bytes));
  }
  free(u);
  return status ? status : comm_worst(fem_velocity_mass_apply(h->ctx, h->velocity_mass, b->piston, b->piston_inertia));
}

static int make_ones(hydro *h)
{
  const int64_t n = h->nthermodynamic;
  double *ones = malloc(sizeof(double) * ((size_t)n + 1));
  h->balance.ones = batched_allocate(h->ctx, sizeof(double) * ((size_t)n + 1));
  int status = ones && h->balance.ones ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t i = 0; i < n && ones; i++) ones[i] = 1.0;
  if (!status) status = batched_copy_from_host(h->ctx, h->balance.ones, ones, sizeof(double) * (size_t)n);
  free(ones);
  return comm_worst(status);
}

int balance_create(hydro *h)
{
  int status = h->problem->driven ? make_piston(h) : BATCHED_SUCCESS;
  if (!status && h->material->source != POINT_NO_SOURCE) status = make_ones(h);
  return status;
}

void balance_destroy(hydro *h)
{
  balance *b = &h->balance;
  double *vectors[] = {b->piston, b->piston_inertia, b->ones};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) batched_release(h->ctx, vectors[i]);
  b->piston = b->piston_inertia = b->ones = NULL;
}

/* ------------------------------------------------------------------ in a run */

static double largest(const balance *b)
{
  return fmax(b->most, fmax(fabs(b->internal) + fabs(b->kinetic), fabs(b->work)));
}

/* Those of the state, which came with the estimate of its time step. */
static void take_energies(hydro *h)
{
  double energies[2] = {h->energies[0], h->energies[1]};
  comm_sum(energies, 2);
  h->balance.internal = energies[0], h->balance.kinetic = energies[1];
}

int balance_begin(hydro *h, bool resumed)
{
  balance *b = &h->balance;
  terms t;
  const int status = comm_worst(find_terms(h, &t));
  if (status) return status;
  take_energies(h);
  comm_sum(&t.potential, 1), comm_sum(&t.inertia, 1), comm_sum(&t.power, 1);
  b->potential = t.potential, b->inertia = t.inertia, b->power = t.power;
  if (!resumed) b->initial = b->internal + b->kinetic, b->work = 0.0;
  b->most = fabs(b->initial);
  b->most = largest(b);
  b->at = h->steps;
  b->stage = 0;
  b->error = balance_error(b);
  return BATCHED_SUCCESS;
}

int balance_take_force(hydro *h)
{
  balance *b = &h->balance;
  if (!b->piston || b->stage >= SOLVER_MAX_STAGES) return BATCHED_SUCCESS;
  double *sum = &b->forces[b->stage++];
  *sum = 0.0;
  return add_dot(h, b->piston, h->force_one, sum);
}

/* Weight of a stage in the step.  In the averaging method the second stage alone moves the state; its work is that of
 * the average velocity, which is the piston's own. */
static double weight_of(const hydro *h, int stage)
{
  return h->rk ? h->rk->b[stage] : stage == 1 ? 1.0 : 0.0;
}

/* The errors of time steps change gradually, once the first few are over. */
static void watch(balance *b)
{
  const int64_t first = 10;
  const double error = balance_error(b), jump = fabs(error - b->error), least = 1e-9;
  b->jumps = b->steps++ > first && jump > fmax(1e3 * b->jump, least);
  b->jump = fmax(b->jump, jump);
  b->error = error;
}

void balance_step(hydro *h)
{
  balance *b = &h->balance;
  terms t = {0};
  double sums[4] = {0.0};
  take_energies(h);
  if (balance_is_open(h)) {
    if (find_terms(h, &t)) t.potential = NAN;
    for (int i = 0; i < b->stage; i++) sums[3] += weight_of(h, i) * b->forces[i];
    sums[0] = t.potential, sums[1] = t.inertia, sums[2] = t.power;
    comm_sum(sums, 4);
    b->work += sums[0] - b->potential + sums[1] - b->inertia;
    b->work += h->dt_taken * (sums[3] + 0.5 * (sums[2] + b->power));
    b->potential = sums[0], b->inertia = sums[1], b->power = sums[2];
  }
  b->at = h->steps;
  b->most = largest(b);
  watch(b);
}

double balance_error(const balance *b)
{
  const double error = b->internal + b->kinetic - b->initial - b->work;
  return b->most > 0.0 ? error / b->most : error;
}

bool balance_is_lost(const hydro *h, char *message, size_t size)
{
  const balance *b = &h->balance;
  const double error = balance_error(b), now = b->internal + b->kinetic;
  if (isfinite(now) && fabs(error) <= allowed) return false;
  const int n =
    snprintf(message, size, "the energy balance is lost in step %lld: the total energy went from %.9g to %.9g",
             (long long)h->steps, b->initial, now);
  if (balance_is_open(h) && n > 0 && (size_t)n < size)
    snprintf(message + n, size - (size_t)n, ", but gravity, pistons and sources gave it %.9g", b->work);
  return true;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run amounts to: norms, energies, errors against exact solutions, rates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/hydro.h"

void hydro_energies(hydro *h, double *internal, double *kinetic)
{
  fem_energies(h->ctx, h->space, h->material, hydro_v(h, h->state), hydro_e(h, h->state), internal, kinetic);
}

double hydro_norm_e(hydro *h)
{
  double square;
  if (solver_square(h->ctx, h->nthermodynamic, hydro_e(h, h->state), &square)) square = NAN;
  comm_sum(&square, 1);
  return sqrt(square);
}

/* ------------------------------------------------------------------ errors */

/* Integrals over the moving mesh of a difference's length, and its maximum. */
typedef struct error_sums {
  double linf, l1, l2;
} error_sums;

static void add_error(error_sums *e, double length, double volume)
{
  e->linf = fmax(e->linf, length);
  e->l1 += length * volume;
  e->l2 += length * length * volume;
}

static error_sums reduce(error_sums e)
{
  double sums[2] = {e.l1, e.l2};
  comm_sum(sums, 2);
  comm_max(&e.linf, 1);
  return (error_sums){.linf = e.linf, .l1 = sums[0], .l2 = sqrt(sums[1])};
}

static void add_to_report(report *r, const char *name, double value)
{
  if (r->nerrors == (int)(sizeof r->errors / sizeof *r->errors)) return;
  r->errors[r->nerrors].name = name;
  r->errors[r->nerrors++].value = value;
}

/* One zone's fields at the points of a rule. */
typedef struct zone_values {
  double *jacobian, *position, *velocity, *density; /* owned: [n][dim][dim], [n][dim], [n][dim], [n] */
} zone_values;

static bool values_create(zone_values *v, int n, int dim)
{
  v->jacobian = malloc(sizeof(double) * (size_t)(n * dim * dim));
  v->position = malloc(sizeof(double) * (size_t)(n * dim));
  v->velocity = malloc(sizeof(double) * (size_t)(n * dim));
  v->density = malloc(sizeof(double) * (size_t)n);
  return v->jacobian && v->position && v->velocity && v->density;
}

static void values_destroy(zone_values *v)
{
  free(v->jacobian);
  free(v->position);
  free(v->velocity);
  free(v->density);
}

static double distance(int dim, const double *a, const double *b)
{
  double sum = 0.0;
  for (int c = 0; c < dim; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

/* Velocity against the initial one at the points' present places, by a Gauss rule of degree 2k + 3. */
static void measure_steady(const hydro *h, double *state, report *r)
{
  const fem_space *s = h->space;
  fem_rule rule = {0};
  zone_values at = {0};
  error_sums sums = {0};
  bool ok = !fem_rule_create_gauss(&rule, s, s->k + 2) && values_create(&at, rule.n, s->dim);
  for (int z = 0; ok && z < s->nzones; z++) {
    fem_rule_gradients(&rule, s, z, s->dim, hydro_x(h, state), at.jacobian);
    fem_rule_values(&rule, s, z, s->dim, hydro_x(h, state), at.position);
    fem_rule_values(&rule, s, z, s->dim, hydro_v(h, state), at.velocity);
    for (int q = 0; q < rule.n; q++) {
      double x[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
      memcpy(x, at.position + q * s->dim, sizeof(double) * (size_t)s->dim);
      h->problem->velocity(&h->setting, x, v);
      const double volume = fem_rule_weight(&rule, q) * fem_determinant(s->dim, at.jacobian + q * s->dim * s->dim);
      add_error(&sums, distance(s->dim, at.velocity + q * s->dim, v), volume);
    }
  }
  values_destroy(&at);
  fem_rule_destroy(&rule);
  sums = reduce(sums);
  if (comm_worst(!ok)) return;
  add_to_report(r, "velocity.linf", sums.linf);
  add_to_report(r, "velocity.l1", sums.l1);
  add_to_report(r, "velocity.l2", sums.l2);
}

/* Adds one zone's errors; false where the exact state is not defined. */
static bool add_exact(const hydro *h, const fem_rule *rule, const zone_values *at, error_sums *density,
                      error_sums *velocity)
{
  const int dim = rule->dim;
  for (int q = 0; q < rule->n; q++) {
    problem_state exact;
    double x[3] = {0.0, 0.0, 0.0};
    memcpy(x, at->position + q * dim, sizeof(double) * (size_t)dim);
    if (!h->problem->exact(&h->setting, h->time, x, &exact)) return false;
    const double volume = fem_rule_weight(rule, q) * fem_determinant(dim, at->jacobian + q * dim * dim);
    add_error(density, fabs(at->density[q] - exact.density), volume);
    add_error(velocity, distance(dim, at->velocity + q * dim, exact.velocity), volume);
  }
  return true;
}

/* Density, projected to the thermodynamic space, and velocity against the exact state; by the rule of degree
 * 2 max(2 (max(k, t) + 1), quadrature order). */
static void measure_exact(const hydro *h, double *state, report *r)
{
  const fem_space *s = h->space;
  const int smooth = 2 * ((s->k > s->t ? s->k : s->t) + 1), asked = h->deck->discretization.quadrature_order;
  const int n1 = (smooth > asked ? smooth : asked) + 1;
  fem_rule rule = {0};
  zone_values at = {0};
  error_sums density = {0}, velocity = {0};
  double *rho = malloc(sizeof(double) * ((size_t)h->nthermodynamic + 1)), *x = hydro_x(h, state);
  bool known = rho && !fem_rule_create_gauss(&rule, s, n1 < FEM_MAX_POINTS ? n1 : FEM_MAX_POINTS) &&
               values_create(&at, rule.n, s->dim) && !fem_project_density(s, h->material, x, rho);
  for (int z = 0; known && z < s->nzones; z++) {
    fem_rule_energies(&rule, s, rho + (int64_t)z * s->nt, at.density);
    fem_rule_gradients(&rule, s, z, s->dim, x, at.jacobian);
    fem_rule_values(&rule, s, z, s->dim, x, at.position);
    fem_rule_values(&rule, s, z, s->dim, hydro_v(h, state), at.velocity);
    known = add_exact(h, &rule, &at, &density, &velocity);
  }
  values_destroy(&at);
  fem_rule_destroy(&rule);
  free(rho);
  density = reduce(density);
  velocity = reduce(velocity);
  if (comm_worst(!known)) return;
  add_to_report(r, "density.l1", density.l1);
  add_to_report(r, "density.l2", density.l2);
  if (h->problem->steady) return;
  add_to_report(r, "velocity.l1", velocity.l1);
  add_to_report(r, "velocity.l2", velocity.l2);
}

/* ------------------------------------------------------------------ rates */

/* Seconds of an operation over all its variants, on this rank. */
static double seconds_of(const hydro *h, const batched_op *op)
{
  const batched_stats *rows;
  double seconds = 0.0;
  const int n = batched_get_stats(h->ctx, &rows);
  for (int i = 0; i < n; i++)
    if (rows[i].op == op) seconds += rows[i].seconds;
  return seconds;
}

static double per_second(double work, double seconds)
{
  return seconds > 0.0 ? 1e-6 * work / seconds : 0.0;
}

/* What this run did: a checkpoint counts on from the start of the problem. */
static hydro_counts counts_of(const hydro *h)
{
  const fem_mass *v = h->velocity_mass, *e = h->energy_mass;
  const hydro_counts *before = &h->earlier;
  return (hydro_counts){.attempts = h->attempts - before->attempts,
                        .evaluations = h->evaluations - before->evaluations,
                        .velocity_iterations = v->iterations - before->velocity_iterations,
                        .energy_iterations = e->iterations - before->energy_iterations,
                        .energy_solves = e->solves - before->energy_solves};
}

/* Times are the largest of any rank; rates as CEED's Laghos defines its figures of merit. */
static void measure_rates(hydro *h, report *r)
{
  double t[5] = {seconds_of(h, &fem_velocity_solve_op), seconds_of(h, &fem_energy_solve_op),
                 seconds_of(h, &fem_force_op) + seconds_of(h, &fem_power_op), seconds_of(h, &fem_stress_op), 0.0};
  t[4] = t[0] + t[2] + t[3];
  comm_max(t, 5);
  r->seconds.velocity_solve = t[0];
  r->seconds.energy_solve = t[1];
  r->seconds.force = t[2];
  r->seconds.points = t[3];
  r->seconds.major = t[4];

  const hydro_counts n = counts_of(h);
  int64_t energy_work = n.energy_iterations > n.energy_solves ? n.energy_iterations : n.energy_solves;
  energy_work *= h->nthermodynamic;
  comm_sum_int64(&energy_work, 1);
  const double stages = (double)n.attempts * hydro_rate_stages(h->deck->time.integrator);
  const double dofs = (double)(r->kinematic_dofs + r->thermodynamic_dofs);
  const int64_t sweeps = n.velocity_iterations / h->space->dim; // whole, as Laghos counts
  r->rate.velocity_solve = per_second((double)r->kinematic_dofs * (double)sweeps, t[0]);
  r->rate.energy_solve = per_second((double)energy_work, t[1]);
  r->rate.force = per_second(stages * dofs, t[2]);
  r->rate.points = per_second((double)n.evaluations * (double)r->zones * r->quadrature_points, t[3]);
  r->rate.total =
    t[4] > 0.0 ? (r->rate.velocity_solve * t[0] + r->rate.force * t[2] + r->rate.points * t[3]) / t[4] : 0.0;
  r->rate.fom0 = per_second(stages * dofs, t[4]);
}

void hydro_measure(hydro *h, report *r)
{
  const fem_space *s = h->space;
  double *state = hydro_fetch(h);
  r->deck = h->deck;
  r->ctx = h->ctx;
  r->ranks = comm_size();
  r->zones = s->nzones_global;
  r->kinematic_dofs = s->ndofs_global * s->dim;
  r->thermodynamic_dofs = s->nzones_global * s->nt;
  r->quadrature_points = s->nq;
  r->steps = h->steps;
  r->attempts = h->attempts;
  r->time = h->time;
  r->dt = h->dt;
  r->norm_x = fem_norm_kinematic(s, s->dim, hydro_x(h, state));
  r->norm_v = fem_norm_kinematic(s, s->dim, hydro_v(h, state));
  r->norm_e = fem_norm_local(h->nthermodynamic, hydro_e(h, state));
  hydro_energies(h, &r->energy_internal, &r->energy_kinetic);
  r->energy_final = r->energy_internal + r->energy_kinetic;
  r->iterations_velocity = h->velocity_mass->iterations;
  r->iterations_energy = h->energy_mass->iterations;
  r->unconverged_velocity = h->velocity_mass->unconverged;
  r->unconverged_energy = h->energy_mass->unconverged;
  r->nerrors = 0;
  if (h->problem->steady) measure_steady(h, state, r);
  if (h->problem->exact) measure_exact(h, state, r);
  measure_rates(h, r);
}

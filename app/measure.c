/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run amounts to: norms, energies, errors against exact solutions, rates.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "hydro.h"

void hydro_energies(const hydro *h, double *internal, double *kinetic)
{
  hydro *run = (hydro *)h;
  *internal = fem_internal_energy(h->space, h->material, hydro_e(h, run->state));
  *kinetic = fem_kinetic_energy(h->space, h->material, hydro_v(h, run->state));
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
static void measure_steady(hydro *h, report *r)
{
  const fem_space *s = h->space;
  fem_rule rule;
  zone_values at = {0};
  error_sums sums = {0};
  if (fem_rule_create_gauss(&rule, s, s->k + 2)) return;
  bool ok = values_create(&at, rule.n, s->dim);
  for (int z = 0; ok && z < s->nzones; z++) {
    fem_rule_gradients(&rule, s, z, s->dim, hydro_x(h, h->state), at.jacobian);
    fem_rule_values(&rule, s, z, s->dim, hydro_x(h, h->state), at.position);
    fem_rule_values(&rule, s, z, s->dim, hydro_v(h, h->state), at.velocity);
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
  add_to_report(r, "velocity.linf", sums.linf);
  add_to_report(r, "velocity.l1", sums.l1);
  add_to_report(r, "velocity.l2", sums.l2);
}

static bool by_cholesky(int n, double *a, double *b)
{
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    if (!(a[j * n + j] > 0.0)) return false;
    a[j * n + j] = sqrt(a[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
  return true;
}

/* Thermodynamic basis function j at point q of the space's own rule. */
static double bernstein(const fem_space *s, int j, int q)
{
  double value = 1.0;
  for (int d = 0; d < s->dim; d++, j /= s->t1, q /= s->q1) value *= s->bt[q % s->q1 * s->t1 + j % s->t1];
  return value;
}

/* The density of a zone, projected to the thermodynamic space: M rho = sum_q mass_q b_j, with M of unit weight on the mesh as it
 * is.  jacobian: [nq][dim][dim]; matrix, rho: work [nt][nt], out [nt]. */
static bool project_density(const hydro *h, int zone, const double *jacobian, double *matrix, double *rho)
{
  const fem_space *s = h->space;
  memset(matrix, 0, sizeof(double) * (size_t)(s->nt * s->nt));
  memset(rho, 0, sizeof(double) * (size_t)s->nt);
  for (int q = 0; q < s->nq; q++) {
    const double volume = s->weight[q] * fem_determinant(s->dim, jacobian + q * s->dim * s->dim);
    const double mass = h->material->mass[(int64_t)zone * s->nq + q];
    for (int i = 0; i < s->nt; i++) {
      const double b = bernstein(s, i, q);
      rho[i] += mass * b;
      for (int j = 0; j <= i; j++) matrix[i * s->nt + j] += volume * b * bernstein(s, j, q);
    }
  }
  return by_cholesky(s->nt, matrix, rho);
}

/* Projected density and velocity against the exact state. */
static void measure_exact(hydro *h, report *r)
{
  const fem_space *s = h->space;
  const int smooth = 2 * ((s->k > s->t ? s->k : s->t) + 1), asked = h->deck->discretization.quadrature_order;
  const int n1 = (smooth > asked ? smooth : asked) + 1;
  fem_rule own, rule;
  zone_values at = {0};
  error_sums density = {0}, velocity = {0};
  if (fem_rule_create_gauss(&own, s, s->q1)) return;
  if (fem_rule_create_gauss(&rule, s, n1 < FEM_MAX_POINTS ? n1 : FEM_MAX_POINTS)) return;
  double *matrix = malloc(sizeof(double) * (size_t)(s->nt * s->nt)), *rho = malloc(sizeof(double) * (size_t)s->nt);
  double *own_jacobian = malloc(sizeof(double) * (size_t)(s->nq * s->dim * s->dim));
  bool ok = values_create(&at, rule.n, s->dim) && matrix && rho && own_jacobian, known = true;
  for (int z = 0; ok && known && z < s->nzones; z++) {
    fem_rule_gradients(&own, s, z, s->dim, hydro_x(h, h->state), own_jacobian);
    ok = project_density(h, z, own_jacobian, matrix, rho);
    fem_rule_energies(&rule, s, rho, at.density);
    fem_rule_gradients(&rule, s, z, s->dim, hydro_x(h, h->state), at.jacobian);
    fem_rule_values(&rule, s, z, s->dim, hydro_x(h, h->state), at.position);
    fem_rule_values(&rule, s, z, s->dim, hydro_v(h, h->state), at.velocity);
    for (int q = 0; q < rule.n && known; q++) {
      problem_state exact;
      double x[3] = {0.0, 0.0, 0.0};
      memcpy(x, at.position + q * s->dim, sizeof(double) * (size_t)s->dim);
      known = h->problem->exact(&h->setting, h->time, x, &exact);
      const double volume = fem_rule_weight(&rule, q) * fem_determinant(s->dim, at.jacobian + q * s->dim * s->dim);
      add_error(&density, fabs(at.density[q] - exact.density), volume);
      add_error(&velocity, distance(s->dim, at.velocity + q * s->dim, exact.velocity), volume);
    }
  }
  values_destroy(&at);
  fem_rule_destroy(&own);
  fem_rule_destroy(&rule);
  free(matrix);
  free(rho);
  free(own_jacobian);
  double unknown = ok && known ? 0.0 : 1.0;
  comm_max(&unknown, 1);
  density = reduce(density);
  velocity = reduce(velocity);
  if (unknown > 0.0) return;
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

  int64_t energy_work = h->energy_mass->iterations > h->energy_mass->solves ? h->energy_mass->iterations : h->energy_mass->solves;
  energy_work *= h->nthermodynamic;
  comm_sum_int64(&energy_work, 1);
  const double stages = (double)h->attempts * hydro_rate_stages(h->deck->time.integrator);
  const double dofs = (double)(r->kinematic_dofs + r->thermodynamic_dofs);
  const double sweeps = (double)(r->iterations_velocity / h->space->dim);
  r->rate.velocity_solve = per_second((double)r->kinematic_dofs * sweeps, t[0]);
  r->rate.energy_solve = per_second((double)energy_work, t[1]);
  r->rate.force = per_second(stages * dofs, t[2]);
  r->rate.points = per_second((double)h->evaluations * (double)r->zones * r->quadrature_points, t[3]);
  r->rate.total = t[4] > 0.0
                    ? (r->rate.velocity_solve * t[0] + r->rate.force * t[2] + r->rate.points * t[3]) / t[4]
                    : 0.0;
  r->rate.fom0 = per_second(stages * dofs, t[4]);
}

void hydro_measure(hydro *h, report *r)
{
  const fem_space *s = h->space;
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
  r->norm_x = fem_norm_kinematic(s, s->dim, hydro_x(h, h->state));
  r->norm_v = fem_norm_kinematic(s, s->dim, hydro_v(h, h->state));
  r->norm_e = fem_norm_local(h->nthermodynamic, hydro_e(h, h->state));
  hydro_energies(h, &r->energy_internal, &r->energy_kinetic);
  r->energy_final = r->energy_internal + r->energy_kinetic;
  r->iterations_velocity = h->velocity_mass->iterations;
  r->iterations_energy = h->energy_mass->iterations;
  r->nerrors = 0;
  if (h->problem->steady) measure_steady(h, r);
  if (h->problem->exact) measure_exact(h, r);
  measure_rates(h, r);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a run amounts to: norms, energies, errors against exact solutions, rates.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/results/measure.h"
#include "fem/space/points.h"
#include "fem/space/share.h"

void hydro_energies(hydro *h, double *internal, double *kinetic)
{
  if (h->guard && h->balance.at == h->steps) { // nobody else has changed the state
    *internal = h->balance.internal, *kinetic = h->balance.kinetic;
    return;
  }
  fem_energies(h->ctx, h->space, h->material, hydro_v(h, h->state), hydro_e(h, h->state), internal, kinetic);
}

double hydro_norm_e(hydro *h)
{
  double square;
  if (solver_dot(h->ctx, h->nthermodynamic, hydro_e(h, h->state), hydro_e(h, h->state), &square)) square = NAN;
  comm_sum(&square, 1);
  if (isnan(square) || (square >= 1e-280 && square <= DBL_MAX)) return sqrt(square);
  return fem_norm_local(h->nthermodynamic, hydro_e(h, hydro_fetch(h))); // the square over- or underflows
}

/* ------------------------------------------------------------------ errors */

bool hydro_knows_exact(const hydro *h)
{
  const problem *p = h->problem;
  if (!p->exact) return false;
  if (h->mesh->coarse->nseams == 0 || p->steady) return true;
  return p->profile == PROFILE_X && !mesh_coarse_repeats(h->mesh->coarse, 0);
}

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

/* Fields of a block of zones at the points of a rule. */
typedef struct block_values {
  fem_points at;
  real *jacobian, *position, *velocity, *density; /* owned: [n][dim][dim], [n][dim], [n][dim], [n] */
} block_values;

static bool values_create(block_values *v, const fem_rule *r, const fem_space *s)
{
  const bool made = !fem_points_create(&v->at, r, s);
  v->jacobian = fem_points_allocate(r->n * s->dim * s->dim);
  v->position = fem_points_allocate(r->n * s->dim);
  v->velocity = fem_points_allocate(r->n * s->dim);
  v->density = fem_points_allocate(r->n);
  return made && v->jacobian && v->position && v->velocity && v->density;
}

static void values_destroy(block_values *v)
{
  fem_points_destroy(&v->at);
  free(v->jacobian);
  free(v->position);
  free(v->velocity);
  free(v->density);
}

/* Those of the next block; rho: Bernstein coefficients of the density, or NULL.  False after the last. */
static bool values_next(block_values *v, const hydro *h, double *state, const double *rho)
{
  const int dim = h->space->dim;
  if (!fem_points_next(&v->at)) return false;
  fem_points_kinematic(&v->at, dim, hydro_x(h, state), v->position, v->jacobian);
  fem_points_kinematic(&v->at, dim, hydro_v(h, state), v->velocity, NULL);
  if (rho) fem_points_thermodynamic(&v->at, rho, v->density);
  return true;
}

/* The distance of vector a in a lane from b. */
static double distance(int dim, const real *a, int lane, const double *b)
{
  double sum = 0.0;
  for (int c = 0; c < dim; c++) sum += (a[c][lane] - b[c]) * (a[c][lane] - b[c]);
  return sqrt(sum);
}

/* Velocity against the initial one at the points' present places, by a Gauss rule of degree 2k + 3. */
static void measure_steady(const hydro *h, double *state, report *r)
{
  const fem_space *s = h->space;
  const int dim = s->dim;
  fem_rule rule = {0};
  block_values v = {0};
  error_sums sums = {0};
  const bool ok = !fem_rule_create_gauss(&rule, s, s->k + 2) && values_create(&v, &rule, s);
  while (ok && values_next(&v, h, state, NULL))
    for (int q = 0; q < rule.n; q++) {
      const real volume = v.at.weight[q] * fem_points_determinant(dim, v.jacobian + q * dim * dim);
      for (int lane = 0; lane < v.at.zones; lane++) {
        double x[3] = {0.0, 0.0, 0.0}, exact[3] = {0.0, 0.0, 0.0};
        for (int c = 0; c < dim; c++) x[c] = v.position[q * dim + c][lane];
        h->problem->velocity(&h->setting, x, exact);
        add_error(&sums, distance(dim, v.velocity + q * dim, lane, exact), volume[lane]);
      }
    }
  values_destroy(&v);
  fem_rule_destroy(&rule);
  sums = reduce(sums);
  if (comm_worst(!ok)) return;
  add_to_report(r, "velocity.linf", sums.linf);
  add_to_report(r, "velocity.l1", sums.l1);
  add_to_report(r, "velocity.l2", sums.l2);
}

/* True where the shock has reached none of these places. */
static bool are_ahead(const problem_setting *setting, int dim, const real *position)
{
  real square = position[0] * position[0];
  for (int c = 1; c < dim; c++) square += position[c] * position[c];
  return setting->ahead > 0.0 && real_all(square > setting->ahead);
}

/* The exact state at point q of each lane; false where it is not defined. */
static bool find_exact(const hydro *h, const problem_setting *setting, const block_values *v, int q, real *density,
                       real velocity[3])
{
  const int dim = h->space->dim;
  double values[4][LANES];
  if (are_ahead(setting, dim, v->position + q * dim)) {
    *density = real_of(1.0);
    for (int c = 0; c < dim; c++) velocity[c] = real_of(0.0);
    return true;
  }
  for (int lane = 0; lane < LANES; lane++) {
    problem_state exact;
    double x[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < dim; c++) x[c] = v->position[q * dim + c][lane];
    if (!h->problem->exact(setting, h->time, x, &exact)) return false;
    values[0][lane] = exact.density;
    for (int c = 0; c < dim; c++) values[1 + c][lane] = exact.velocity[c];
  }
  memcpy(density, values[0], sizeof *density);
  memcpy(velocity, values[1], sizeof *velocity * (size_t)dim);
  return true;
}

static void add_lanes(error_sums *e, real l1, real l2)
{
  for (int lane = 0; lane < LANES; lane++) {
    e->l1 += l1[lane];
    e->l2 += l2[lane];
  }
}

/* Adds a block's errors; false where the exact state is not defined. */
static bool add_exact(const hydro *h, const problem_setting *setting, const block_values *v, error_sums *density,
                      error_sums *velocity)
{
  const int dim = h->space->dim;
  double inside[LANES];
  real there, l1[2] = {real_of(0.0), real_of(0.0)}, l2[2] = {real_of(0.0), real_of(0.0)};
  for (int lane = 0; lane < LANES; lane++) inside[lane] = lane < v->at.zones;
  memcpy(&there, inside, sizeof there);
  for (int q = 0; q < v->at.rule->n; q++) {
    real rho, u[3];
    if (!find_exact(h, setting, v, q, &rho, u)) return false;
    const real volume = there * v->at.weight[q] * fem_points_determinant(dim, v->jacobian + q * dim * dim);
    const real miss = real_abs(v->density[q] - rho);
    real square = real_of(0.0);
    for (int c = 0; c < dim; c++) square += (v->velocity[q * dim + c] - u[c]) * (v->velocity[q * dim + c] - u[c]);
    l1[0] += miss * volume;
    l2[0] += miss * miss * volume;
    l1[1] += real_sqrt(square) * volume;
    l2[1] += square * volume;
  }
  add_lanes(density, l1[0], l2[0]);
  add_lanes(velocity, l1[1], l2[1]);
  return true;
}

/* The errors of each chunk of zones: of the density, of the velocity. */
typedef struct exact_errors {
  const hydro *h;
  const problem_setting *setting; /* prepared for the time */
  const fem_rule *rule;
  double *state;
  const double *rho;
  error_sums (*sums)[2]; /* [chunks] */
} exact_errors;

static int measure_chunk(void *data, int chunk, int first, int end)
{
  const exact_errors *e = data;
  block_values v = {0};
  error_sums *sums = e->sums[chunk];
  bool known = values_create(&v, e->rule, e->h->space);
  sums[0] = sums[1] = (error_sums){0};
  fem_points_within(&v.at, first, end);
  while (known && values_next(&v, e->h, e->state, e->rho)) known = add_exact(e->h, e->setting, &v, &sums[0], &sums[1]);
  values_destroy(&v);
  return !known;
}

/* Density, projected to the thermodynamic space, and velocity against the exact state; by the rule of degree
 * 2 max(2 (max(k, t) + 1), quadrature order). */
static void measure_exact(const hydro *h, double *state, report *r)
{
  const fem_space *s = h->space;
  const int smooth = 2 * ((s->k > s->t ? s->k : s->t) + 1), asked = h->deck->discretization.quadrature_order;
  const int n1 = (smooth > asked ? smooth : asked) + 1, chunks = fem_chunks(s);
  fem_rule rule = {0};
  error_sums density = {0}, velocity = {0};
  problem_setting setting = h->setting;
  double *rho = malloc(sizeof(double) * ((size_t)h->nthermodynamic + 1));
  error_sums(*sums)[2] = malloc(sizeof *sums * ((size_t)chunks + 1));
  exact_errors errors = {h, &setting, &rule, state, rho, sums};
  bool known = rho && sums && !fem_rule_create_gauss(&rule, s, n1 < FEM_MAX_POINTS ? n1 : FEM_MAX_POINTS) &&
               !fem_project_density(s, h->material, hydro_x(h, state), rho);
  problem_prepare(h->problem, &setting, h->time);
  known = known && !fem_for_chunks(s, measure_chunk, &errors);
  problem_release(&setting);
  for (int i = 0; known && i < chunks; i++) {
    density.l1 += sums[i][0].l1, density.l2 += sums[i][0].l2;
    velocity.l1 += sums[i][1].l1, velocity.l2 += sums[i][1].l2;
  }
  fem_rule_destroy(&rule);
  free(sums);
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

double hydro_seconds_of(const hydro *h, const batched_op *op)
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

/* Counts of this run alone: those of a checkpoint go on from the start of the problem. */
static hydro_counts counts_of(const hydro *h)
{
  const fem_mass *v = h->velocity_mass, *e = h->energy_mass;
  const hydro_counts *before = &h->earlier;
  return (hydro_counts){.attempts = h->attempts - before->attempts,
                        .evaluations = h->evaluations - before->evaluations,
                        .velocity_iterations = v->iterations - before->velocity_iterations,
                        .energy_iterations = e->iterations - before->energy_iterations,
                        .energy_solves = e->solves - e->nlate - before->energy_solves};
}

/* Stages of a step as CEED's Laghos counts them: the number of its solver, which for Verner's 8 stages is 6. */
static const int rate_stages[] = {
  [RK_EULER] = 1, [RK_RK2] = 2, [RK_RK3] = 3, [RK_RK4] = 4, [RK_RK6] = 6, [RK_RK2AVG] = 2,
};

/* Times are the largest of any rank; rates as CEED's Laghos defines its figures of merit. */
static void measure_rates(hydro *h, report *r)
{
  double t[5] = {hydro_seconds_of(h, &fem_velocity_solve_op), hydro_seconds_of(h, &fem_energy_solve_op),
                 hydro_seconds_of(h, &fem_force_op) + hydro_seconds_of(h, &fem_power_op),
                 hydro_seconds_of(h, &fem_stress_op), 0.0};
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
  const double stages = (double)n.attempts * rate_stages[h->deck->time.integrator];
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

/* Norm of the positions; of the displacement on a periodic mesh, where positions of images differ. */
static double norm_of_positions(const hydro *h, const double *x)
{
  const fem_space *s = h->space;
  if (!h->origin) return fem_norm_kinematic(s, s->dim, x);
  double *u = malloc(sizeof *u * ((size_t)h->nkinematic + 1));
  if (comm_worst(!u)) {
    free(u);
    return NAN;
  }
  for (int64_t i = 0; i < h->nkinematic; i++) u[i] = x[i] - h->origin[i];
  const double norm = fem_norm_kinematic(s, s->dim, u);
  free(u);
  return norm;
}

void hydro_measure(hydro *h, report *r)
{
  const fem_space *s = h->space;
  double *state = hydro_fetch(h);
  r->deck = h->deck;
  r->ctx = h->ctx;
  r->ranks = comm_size();
  r->zones = s->nzones_global;
  r->mesh_checksum = h->mesh_checksum;
  r->kinematic_dofs = s->ndofs_global * s->dim;
  r->thermodynamic_dofs = s->nzones_global * s->nt;
  r->quadrature_points = s->nq;
  r->steps = h->steps;
  r->attempts = h->attempts;
  r->time = h->time;
  r->dt = h->dt;
  r->norm_x = norm_of_positions(h, hydro_x(h, state));
  r->norm_v = fem_norm_kinematic(s, s->dim, hydro_v(h, state));
  r->norm_e = fem_norm_local(h->nthermodynamic, hydro_e(h, state));
  hydro_energies(h, &r->energy_internal, &r->energy_kinetic);
  r->energy_initial = h->balance.initial;
  r->energy_work = h->balance.work;
  r->energy_imbalance = balance_error(&h->balance);
  r->energy_final = r->energy_internal + r->energy_kinetic;
  r->iterations_velocity = h->velocity_mass->iterations;
  r->rounds_velocity = h->velocity_mass->rounds;
  r->iterations_energy = h->energy_mass->iterations;
  r->unconverged_velocity = h->velocity_mass->unconverged;
  r->unconverged_energy = h->energy_mass->unconverged;
  r->nerrors = 0;
  if (h->problem->steady) measure_steady(h, state, r);
  if (hydro_knows_exact(h)) measure_exact(h, state, r);
  measure_rates(h, r);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the mass matrices share: M_v of the velocity (continuous, global, one scalar matrix for all components) and M_e
 * of the energy (block diagonal, a block per zone).  Neither changes in time.
 */
#include "fem/mass/mass.h"
#include "fem/mass/precondition.h"

#include <stdlib.h>
#include <string.h>

#include "batched/charge.h"
#include "fem/late.h"
#include "fem/tables.h"
#include "mesh/comm/traffic.h"

int fem_mass_set_up(batched_ctx *ctx, fem_mass **mass, const fem_mass *start)
{
  fem_mass *m = *mass = malloc(sizeof *m);
  if (m) {
    *m = *start;
    m->matrix.data = m;
    const size_t vectors = m->options.preconditioner == FEM_ZONE_INVERSE ? 4 : 3;
    m->work = batched_allocate(ctx, sizeof(double) * (vectors * (size_t)(m->matrix.ncomp * m->matrix.n) + 1));
  } else {
    batched_release(ctx, start->inverse_diagonal);
  }
  int status = comm_worst(m && m->work ? BATCHED_SUCCESS : BATCHED_NO_MEMORY);
  if (!status) status = batched_keep(ctx, m->op, m, &m->row);
  if (!status) {
    m->functions = m->row->functions;
    status = m->functions->setup(ctx, m);
  }
  if (m && m->options.preconditioner == FEM_ZONE_INVERSE) {
    status = comm_worst(status);
    if (!status && !m->functions->solve) status = fem_precondition_create(ctx, m);
  }
  if (status) fem_mass_destroy(ctx, mass);
  return status;
}

void fem_mass_destroy(batched_ctx *ctx, fem_mass **mass)
{
  fem_mass *m = *mass;
  if (!m) return;
  solver_operator_forget(&m->matrix);
  fem_precondition_destroy(ctx, m);
  if (m->store) m->functions->teardown(ctx, m);
  batched_release(ctx, m->inverse_diagonal);
  batched_release(ctx, m->work);
  free(m);
  *mass = NULL;
}

void fem_mass_constants(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const size_t diagonal = sizeof(double) * (size_t)m->space->ndofs;
  if (m->inverse_diagonal) visit(user, "the diagonal of a mass matrix", m->inverse_diagonal, diagonal);
  if (m->zone_inverse) fem_precondition_constants(m, visit, user);
  if (m->functions->constants) m->functions->constants(m, visit, user);
}

/* ------------------------------------------------------------------ solves */

int fem_mass_iterate(batched_ctx *ctx, fem_mass *m, const double *b, double *x, int max_iterations, int *iterations,
                     bool *converged, const solver_outcome **late)
{
  int rounds = 0;
  const int status = solver_pcg(ctx, &(solver_pcg_args){.matrix = &m->matrix,
                                                        .coupled = m->options.coupled,
                                                        .b = b,
                                                        .x = x,
                                                        .work = m->work,
                                                        .tolerance = m->options.tolerance,
                                                        .max_iterations = max_iterations,
                                                        .iterations = iterations,
                                                        .converged = converged,
                                                        .late = late,
                                                        .rounds = &rounds});
  m->rounds += rounds;
  return status;
}

void fem_mass_count(fem_mass *m, int ncomp, const int *iterations, const bool *converged)
{
  bool all = true;
  m->last_iterations = 0;
  for (int c = 0; c < ncomp; c++) {
    m->iterations += iterations[c];
    if (iterations[c] > m->last_iterations) m->last_iterations = iterations[c];
    all = all && converged[c];
  }
  if (!all) m->unconverged++;
}

/* last_iterations of a solve that is not counted yet. */
enum { UNKNOWN = -1 };

void fem_mass_postpone(fem_mass *m, const solver_outcome *outcome)
{
  m->late[m->nlate++] = outcome;
  m->last_iterations = UNKNOWN;
}

void fem_mass_settle_first(batched_ctx *ctx, fem_mass *m, int n)
{
  for (int i = 0; i < n; i++) {
    fem_mass_count(m, m->matrix.ncomp, m->late[i]->iterations, m->late[i]->converged);
    batched_charge(ctx, m->op, m->row, m->op->cost(m));
  }
  m->nlate -= n;
  memmove(m->late, m->late + n, sizeof *m->late * (size_t)m->nlate);
}

int fem_mass_settle(batched_ctx *ctx, fem_mass *m)
{
  const int status = m->nlate > 0 ? batched_synchronize(ctx) : BATCHED_SUCCESS;
  if (!status) fem_mass_settle_first(ctx, m, m->nlate);
  return status;
}

void fem_mass_forget(fem_mass *m)
{
  m->solves -= m->nlate;
  m->nlate = 0;
}

static int conjugate_gradients(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  int iterations[SOLVER_MAX_COMPONENTS];
  bool converged[SOLVER_MAX_COMPONENTS];
  const solver_outcome *late = NULL;
  int status =
    fem_mass_iterate(ctx, m, b, x, m->options.max_iterations, iterations, converged, m->options.late ? &late : NULL);
  if (!status && late)
    fem_mass_postpone(m, late);
  else if (!status)
    fem_mass_count(m, m->matrix.ncomp, iterations, converged);
  return status;
}

/* Counts a solve without iterations, in its turn. */
static void count_direct(fem_mass *m)
{
  static const solver_outcome none = {.converged = {true, true, true}};
  if (m->options.late)
    fem_mass_postpone(m, &none);
  else
    fem_mass_count(m, m->matrix.ncomp, none.iterations, none.converged);
}

static int solve(batched_ctx *ctx, fem_mass *m, const double *b, double *x)
{
  batched_call call;
  const comm_traffic before = comm_traffic_so_far();
  int status = m->nlate == SOLVER_LATE ? fem_mass_settle(ctx, m) : BATCHED_SUCCESS;
  if (!status) status = batched_begin(&call, ctx, m->op, m->row);
  if (status) return status;
  status = m->functions->solve ? m->functions->solve(ctx, m, b, x) : conjugate_gradients(ctx, m, b, x);
  if (!status && m->functions->direct) count_direct(m);
  if (!status) m->solves++;
  const comm_traffic own = comm_traffic_since(before);
  m->waited += own.halo_seconds + own.reduction_seconds;
  return batched_end(&call, m, status);
}

int fem_velocity_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *a)
{
  return solve(ctx, m, b, a);
}

int fem_energy_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *p)
{
  return solve(ctx, m, b, p);
}

/* ------------------------------------------------------------------ the model of their work */

/* Flops of one matrix-free product in a zone: values at the points of n1^dim coefficients, and back. */
static double product_flops(const fem_space *s, int n1)
{
  double work = 0.0, in = 1.0, out = s->q1;
  for (int d = 1; d < s->factors; d++) in *= n1;
  for (int d = 0; d < s->factors; d++, in /= n1, out *= s->q1) work += in * n1 * out;
  return 4.0 * work + s->nq;
}

/* The iterations of the last solve, each one product, 4 dot products and 3 updates of vectors of `unknowns` entries. */
static batched_cost cost_of_iterations(const fem_mass *m, int ncomp, int n1, double unknowns)
{
  const fem_space *s = m->space;
  const double iterations = (double)m->last_iterations;
  const double flops = ncomp * s->nzones * product_flops(s, n1) + 15.0 * ncomp * unknowns;
  const double bytes = 8.0 * (s->nzones * (double)s->nq + ncomp * 12.0 * unknowns);
  return (batched_cost){.flops = iterations * flops, .bytes = iterations * bytes};
}

static batched_cost velocity_cost(const void *p)
{
  const fem_mass *m = p;
  if (m->last_iterations == UNKNOWN) return (batched_cost){0};
  return cost_of_iterations(m, m->space->dim, m->space->d1, m->space->ndofs);
}

/* Without iterations: the blocks' factors or inverses times the vector. */
static batched_cost energy_cost(const void *p)
{
  const fem_mass *m = p;
  const double block = (double)m->space->nt * m->space->nt, zones = m->space->nzones;
  if (m->last_iterations == UNKNOWN) return (batched_cost){0};
  if (m->last_iterations == 0) return (batched_cost){.flops = 2.0 * zones * block, .bytes = 8.0 * zones * block};
  return cost_of_iterations(m, 1, m->space->t1, (double)m->space->nzones * m->space->nt);
}

const batched_op fem_velocity_solve_op = {.name = "velocity_solve",
                                          .key = "velocity_mass",
                                          .variants = {fem_host_velocity_mass, fem_cuda_velocity_mass},
                                          .cost = velocity_cost};
const batched_op fem_energy_solve_op = {.name = "energy_solve",
                                        .key = "energy_mass",
                                        .variants = {fem_host_energy_mass, fem_cuda_energy_mass},
                                        .cost = energy_cost};

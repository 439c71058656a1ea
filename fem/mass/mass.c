/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The mass matrices: M_v of the velocity (continuous, global, one scalar matrix for all components) and M_e of the
 * energy (block diagonal, a block a zone).  Neither changes in time.
 */
#include <math.h>
#include <stdlib.h>

#include "fem/fem.h"
#include "fem/tables.h"
#include "mesh/comm/traffic.h"

/* Model work of one matrix-free product in a zone: values at the points of n1^dim coefficients, and back. */
static double product_flops(const fem_space *s, int n1)
{
  double work = 0.0, in = 1.0, out = s->q1;
  for (int d = 1; d < s->dim; d++) in *= n1;
  for (int d = 0; d < s->dim; d++, in /= n1, out *= s->q1) work += in * n1 * out;
  return 4.0 * work + s->nq;
}

/* A solve: its iterations, each one product, 4 dot products and 3 updates of vectors of `unknowns` entries. */
static batched_cost solve_cost(const fem_mass_args *a, int ncomp, int n1, double unknowns)
{
  const fem_space *s = a->mass->space;
  const double iterations = a->task == FEM_MASS_SOLVE ? (double)a->mass->last_iterations : 0.0;
  const double flops = ncomp * s->nzones * product_flops(s, n1) + 15.0 * ncomp * unknowns;
  const double bytes = 8.0 * (s->nzones * (double)s->nq + ncomp * 12.0 * unknowns);
  return (batched_cost){.flops = iterations * flops, .bytes = iterations * bytes};
}

static batched_cost velocity_cost(const void *p)
{
  const fem_mass_args *a = p;
  return solve_cost(a, a->mass->space->dim, a->mass->space->d1, a->mass->space->ndofs);
}

/* Without iterations: the blocks' factors or inverses times the vector. */
static batched_cost energy_cost(const void *p)
{
  const fem_mass_args *a = p;
  const double block = (double)a->mass->space->nt * a->mass->space->nt, zones = a->mass->space->nzones;
  if (a->task == FEM_MASS_SOLVE && a->mass->last_iterations == 0)
    return (batched_cost){.flops = 2.0 * zones * block, .bytes = 8.0 * zones * block};
  return solve_cost(a, 1, a->mass->space->t1, (double)a->mass->space->nzones * a->mass->space->nt);
}

bool fem_energy_is_iterated(const fem_space *s)
{
  static const double condition_1d[] = {1, 3, 10, 35, 126, 462, 1716, 6435, 24310};
  return fem_is_standard(s) && pow(condition_1d[s->t], s->dim) < 2000.0;
}

const batched_op fem_velocity_solve_op = {.name = "velocity_solve",
                                          .key = "velocity_mass",
                                          .variants = {fem_host_velocity_mass, fem_cuda_velocity_mass},
                                          .cost = velocity_cost};
const batched_op fem_energy_solve_op = {.name = "energy_solve",
                                        .key = "energy_mass",
                                        .variants = {fem_host_energy_mass, fem_cuda_energy_mass},
                                        .cost = energy_cost};

/* Integrates one direction: in [outer][q1][inner] against the squares of the functions of a table [q1][n] to out
 * [outer][n][inner]. */
static void integrate_squares(int outer, int inner, int n, int q1, const double *table, const double *in, double *out)
{
  for (int a = 0; a < outer; a++)
    for (int i = 0; i < n; i++)
      for (int b = 0; b < inner; b++) {
        double sum = 0.0;
        for (int q = 0; q < q1; q++) {
          const double phi = table[q * n + i];
          sum += phi * phi * in[(a * q1 + q) * inner + b];
        }
        out[(a * n + i) * inner + b] = sum;
      }
}

/* diagonal_i += sum over zones and points of density phi_i^2; spare has shape [2][nq + nd]. */
static void add_squares(const fem_space *s, const fem_material *material, double *spare, double *diagonal)
{
  for (int z = 0; z < s->nzones; z++) {
    const double *in = material->density + (int64_t)z * s->nq;
    int outer = s->nq / s->q1, inner = 1;
    for (int d = 0; d < s->dim; d++, outer /= s->q1, inner *= s->d1) {
      double *out = spare + (d % 2) * (s->nq + s->nd);
      integrate_squares(outer, inner, s->d1, s->q1, s->b, in, out);
      in = out;
    }
    for (int i = 0; i < s->nd; i++) diagonal[s->dofs[(int64_t)z * s->nd + i]] += in[i];
  }
}

static int make_inverse_diagonal(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  double *diagonal = calloc((size_t)s->ndofs + 1, sizeof *diagonal);
  double *spare = malloc(sizeof *spare * 2 * (size_t)(s->nq + s->nd));
  m->inverse_diagonal = batched_allocate(ctx, sizeof(double) * ((size_t)s->ndofs + 1));
  if (diagonal && spare) add_squares(s, m->material, spare, diagonal);
  int status = diagonal && spare && m->inverse_diagonal ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  free(spare);
  if (comm_worst(status)) {
    free(diagonal);
    return BATCHED_NO_MEMORY;
  }
  halo_sum_begin(NULL, s->halo, 1, diagonal);
  halo_sum_end(NULL, s->halo, 1, diagonal);
  for (int i = 0; i < s->ndofs; i++) diagonal[i] = 1.0 / diagonal[i];
  status = batched_copy_from_host(ctx, m->inverse_diagonal, diagonal, sizeof(double) * (size_t)s->ndofs);
  free(diagonal);
  return comm_worst(status);
}

/* Set-up may be collective: all ranks come to it, or none. */
static int create(batched_ctx *ctx, const batched_op *op, fem_mass **mass, fem_mass start, int64_t vector)
{
  fem_mass *m = *mass = malloc(sizeof *m);
  if (m) {
    *m = start;
    m->work = batched_allocate(ctx, sizeof(double) * (3 * (size_t)vector + 1));
  } else {
    batched_release(ctx, start.inverse_diagonal);
  }
  int status = comm_worst(m && m->work ? BATCHED_SUCCESS : BATCHED_NO_MEMORY);
  fem_mass_args args = {.task = FEM_MASS_SETUP, .mass = m};
  if (!status) status = batched_run(ctx, op, &args);
  if (status) fem_mass_destroy(ctx, op, mass);
  return status;
}

int fem_velocity_mass_create(batched_ctx *ctx, fem_mass **mass, const fem_space *s, const fem_material *material,
                             double tolerance, int max_iterations)
{
  fem_mass m = {.space = s, .material = material, .tolerance = tolerance, .max_iterations = max_iterations};
  *mass = NULL;
  int status = make_inverse_diagonal(ctx, &m);
  if (status) {
    batched_release(ctx, m.inverse_diagonal);
    return status;
  }
  return create(ctx, &fem_velocity_solve_op, mass, m, (int64_t)s->dim * s->ndofs);
}

int fem_energy_mass_create(batched_ctx *ctx, fem_mass **mass, const fem_space *s, const fem_material *material,
                           double tolerance, int max_iterations)
{
  fem_mass m = {.space = s, .material = material, .tolerance = tolerance, .max_iterations = max_iterations};
  return create(ctx, &fem_energy_solve_op, mass, m, (int64_t)s->nzones * s->nt);
}

void fem_mass_destroy(batched_ctx *ctx, const batched_op *op, fem_mass **mass)
{
  fem_mass *m = *mass;
  if (!m) return;
  fem_mass_args args = {.task = FEM_MASS_TEARDOWN, .mass = m};
  solver_pcg_forget(&m->cache);
  if (m->store) batched_run(ctx, op, &args);
  batched_release(ctx, m->inverse_diagonal);
  batched_release(ctx, m->work);
  free(m);
  *mass = NULL;
}

static int solve(batched_ctx *ctx, const batched_op *op, fem_mass *m, const double *b, double *x)
{
  fem_mass_args args = {.task = FEM_MASS_SOLVE, .mass = m, .b = b, .x = x};
  const comm_traffic before = comm_traffic_so_far();
  const int status = batched_run(ctx, op, &args);
  const comm_traffic own = comm_traffic_since(before);
  m->waited += own.halo_seconds + own.reduction_seconds;
  return status;
}

int fem_velocity_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *a)
{
  return solve(ctx, &fem_velocity_solve_op, m, b, a);
}

int fem_velocity_mass_apply(batched_ctx *ctx, fem_mass *m, const double *x, double *y)
{
  fem_mass_args args = {.task = FEM_MASS_APPLY, .mass = m, .b = x, .x = y};
  return batched_run(ctx, &fem_velocity_solve_op, &args);
}

int fem_energy_mass_solve(batched_ctx *ctx, fem_mass *m, const double *b, double *p)
{
  return solve(ctx, &fem_energy_solve_op, m, b, p);
}

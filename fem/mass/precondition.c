/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/precondition.h"

#include <math.h>
#include <stdlib.h>

#include "fem/space/share.h"
#include "fem/tables.h"

/* The inverse [d1][d1] of the mass matrix of a factor of the reference zone, and its diagonal [d1]. */
static bool invert_reference(const fem_space *s, double *inverse, double *diagonal)
{
  const int n = s->d1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int q = 0; q < s->q1; q++) sum += s->weights[q] * s->b[q * n + i] * s->b[q * n + j];
      inverse[i * n + j] = sum;
    }
  for (int i = 0; i < n; i++) diagonal[i] = inverse[i * n + i];
  return fem_invert(n, inverse);
}

/* What S_z is made of: inverse_diagonal [ndofs] is that of M, reference [d1] the diagonal of a factor. */
typedef struct scaling {
  const fem_mass *m;
  const double *inverse_diagonal, *reference;
  double *scale; // [nzones][nd]
} scaling;

static int make_scale(void *data, int chunk, int first, int end)
{
  const scaling *all = data;
  const fem_space *s = all->m->space;
  double *spare = malloc(sizeof *spare * 2 * (size_t)(s->nq + s->nd));
  (void)chunk;
  for (int64_t z = first; spare && z < end; z++) {
    double *of_zone = all->scale + z * s->nd;
    fem_zone_diagonal(s, all->m->material->density + z * s->nq, spare, of_zone);
    for (int i = 0; i < s->nd; i++) {
      double square = of_zone[i];
      for (int d = 0, rest = i; d < s->factors; d++, rest /= s->d1) square *= all->reference[rest % s->d1];
      of_zone[i] = sqrt(square) * all->inverse_diagonal[s->dofs[z * s->nd + i]];
    }
  }
  free(spare);
  return spare ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static int make_tables(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  fem_zone_inverse *p = m->zone_inverse;
  double *diagonal = malloc(sizeof *diagonal * ((size_t)s->ndofs + 1)),
         *reference = malloc(sizeof(double) * (size_t)s->d1);
  p->inverse = malloc(sizeof(double) * (size_t)s->d1 * (size_t)s->d1);
  p->scale = malloc(sizeof(double) * ((size_t)s->nzones * (size_t)s->nd + 1));
  int status = diagonal && reference && p->inverse && p->scale ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  if (!status) status = batched_copy_to_host(ctx, diagonal, m->inverse_diagonal, sizeof *diagonal * (size_t)s->ndofs);
  if (!status && !invert_reference(s, p->inverse, reference)) status = BATCHED_DOES_NOT_FIT;
  if (!status) status = fem_for_chunks(s, make_scale, &(scaling){m, diagonal, reference, p->scale});
  free(diagonal);
  free(reference);
  return status;
}

static int precondition(batched_ctx *ctx, void *mass, const double *r, double *z)
{
  return fem_precondition(ctx, mass, r, z);
}

int fem_precondition_create(batched_ctx *ctx, fem_mass *m)
{
  fem_zone_inverse *p = m->zone_inverse = calloc(1, sizeof *p);
  int status = comm_worst(p ? make_tables(ctx, m) : BATCHED_NO_MEMORY);
  if (!status) status = batched_keep(ctx, &fem_precondition_op, m, &p->row);
  if (status) return status;
  p->functions = p->row->functions;
  m->matrix.precondition = precondition;
  status = p->functions->setup(ctx, m);
  free(p->scale);
  p->scale = NULL;
  return status;
}

void fem_precondition_destroy(batched_ctx *ctx, fem_mass *m)
{
  fem_zone_inverse *p = m->zone_inverse;
  if (!p) return;
  if (p->store) p->functions->teardown(ctx, m);
  free(p->inverse);
  free(p->scale);
  free(p);
  m->zone_inverse = NULL;
}

void fem_precondition_constants(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  if (m->zone_inverse->functions->constants) m->zone_inverse->functions->constants(m, visit, user);
}

/* As fem_velocity_mass_apply: sums over ranks travel while the rest of the zones is being done. */
static int apply(batched_ctx *ctx, fem_mass *m, const double *r, double *z)
{
  const fem_space *s = m->space;
  const fem_precondition_functions *row = m->zone_inverse->functions;
  int status = BATCHED_SUCCESS;
  if (row->adds) status = batched_fill_zero(ctx, z, sizeof(double) * (size_t)s->dim * (size_t)s->ndofs);
  if (halo_alone(s->halo)) return status ? status : row->apply(ctx, m, FEM_REST, r, z);
  if (!status) status = row->apply(ctx, m, FEM_SHARED, r, z);
  const int begun = halo_sum_begin(ctx, s->halo, s->dim, z); // whatever happened: neighbours wait for it
  if (!status) status = begun;
  if (!status) status = row->apply(ctx, m, FEM_REST, r, z);
  const int ended = halo_sum_end(ctx, s->halo, s->dim, z);
  return status ? status : ended;
}

int fem_precondition(batched_ctx *ctx, fem_mass *m, const double *r, double *z)
{
  batched_call call;
  int status = batched_begin(&call, ctx, &fem_precondition_op, m->zone_inverse->row);
  if (status) return status;
  status = apply(ctx, m, r, z);
  if (!status) status = fem_constrain(ctx, m->space, z);
  return batched_end(&call, m, status);
}

/* Two products with S_z and one with the inverse of each factor; S_z, and the nodes twice. */
static batched_cost cost(const void *mass)
{
  const fem_mass *m = mass;
  const fem_space *s = m->space;
  const double nodes = (double)s->nzones * s->nd;
  return (batched_cost){.flops = s->dim * nodes * (2.0 + 2.0 * s->factors * s->d1),
                        .bytes = 8.0 * (nodes + 2.0 * s->dim * s->ndofs)};
}

const batched_op fem_precondition_op = {.name = "precondition",
                                        .key = "zone_inverse",
                                        .variants = {fem_host_precondition, fem_cuda_precondition},
                                        .cost = cost};

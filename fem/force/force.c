/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force: F_(i,c),j = integral of sigma : grad(phi_i e_c) b_j over the moving zones.
 *
 * Three operations of the seam, one per use in a step, share a table of variants and the deck key "corner_force":
 *   stress  state -> what the variant keeps of it, and the time-step estimate
 *   force   F 1
 *   power   F^T v
 */
#include <stdlib.h>
#include <string.h>

#include "fem/force/force.h"
#include "fem/tables.h"

/* Model work of sum factorisation: one field's values at the points of a zone from its nodes, in multiplications.  A
 * simplex has one dense table. */
static double contraction(const fem_space *s, int n1)
{
  double work = 0.0, in = 1.0, out = s->q1;
  for (int d = 1; d < s->factors; d++) in *= n1;
  for (int d = 0; d < s->factors; d++, in /= n1, out *= s->q1) work += in * n1 * out;
  return work;
}

/* Flops of the physics at one point: a model's, with two Jacobi sweeps, whichever way a row takes to the eigenpair. */
static double point_flops(int dim)
{
  static const double flops[] = {0, 60, 220, 800};
  return flops[dim];
}

static batched_cost stress_cost(const void *p)
{
  const fem_force_args *a = p;
  const fem_space *s = a->force->space;
  double zones = a->last - a->first, dim = s->dim;
  double flops = 2.0 * (2.0 * dim * dim * contraction(s, s->d1) + contraction(s, s->t1)) + s->nq * point_flops(s->dim);
  double doubles = (2.0 * dim * dim + 2.0) * s->nq + s->nt + 2.0 * dim * s->nd;
  return (batched_cost){.flops = zones * flops, .bytes = 8.0 * zones * doubles};
}

static batched_cost force_cost(const void *p)
{
  const fem_force_args *a = p;
  const fem_space *s = a->force->space;
  double zones = a->last - a->first, dim = s->dim;
  double flops = 2.0 * dim * dim * contraction(s, s->d1);
  return (batched_cost){.flops = zones * flops, .bytes = 8.0 * zones * (dim * dim * s->nq + 2.0 * dim * s->nd)};
}

static batched_cost power_cost(const void *p)
{
  const fem_force_args *a = p;
  const fem_space *s = a->force->space;
  double zones = a->last - a->first, dim = s->dim;
  double flops = 2.0 * (dim * dim * (contraction(s, s->d1) + s->nq) + contraction(s, s->t1));
  return (batched_cost){.flops = zones * flops, .bytes = 8.0 * zones * (dim * dim * s->nq + dim * s->nd + s->nt)};
}

const batched_op fem_stress_op = {
  .name = "stress", .key = "corner_force", .variants = {fem_host_force, fem_cuda_force}, .cost = stress_cost};
const batched_op fem_force_op = {
  .name = "force", .key = "corner_force", .variants = {fem_host_force, fem_cuda_force}, .cost = force_cost};
const batched_op fem_power_op = {
  .name = "power", .key = "corner_force", .variants = {fem_host_force, fem_cuda_force}, .cost = power_cost};

static fem_force_args whole(const fem_force *f)
{
  return (fem_force_args){.force = f, .first = 0, .last = f->space->nzones};
}

int fem_force_create(batched_ctx *ctx, fem_force **force, const fem_space *s, const fem_material *m)
{
  fem_force *f = *force = calloc(1, sizeof *f);
  if (!f) return BATCHED_NO_MEMORY;
  f->space = s;
  f->material = m;
  const fem_force_args args = whole(f);
  int status = batched_keep(ctx, &fem_stress_op, &args, &f->row);
  if (!status) {
    f->functions = f->row->functions;
    status = f->functions->setup(ctx, f);
  }
  if (status) fem_force_destroy(ctx, force);
  return status;
}

void fem_force_destroy(batched_ctx *ctx, fem_force **force)
{
  fem_force *f = *force;
  if (!f) return;
  if (f->store) f->functions->teardown(ctx, f);
  free(f);
  *force = NULL;
}

void fem_force_constants(const fem_force *f, fem_constant_visit *visit, void *user)
{
  if (f->functions->constants) f->functions->constants(f, visit, user);
}

int fem_force_update(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e,
                     double *time_step)
{
  const fem_force_args args = whole(f);
  batched_call call;
  int status = batched_begin(&call, ctx, &fem_stress_op, f->row);
  return status ? status : batched_end(&call, &args, f->functions->stress(ctx, f, x, v, e, time_step));
}

static int apply_zones(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  if (first >= last) return BATCHED_SUCCESS;
  const fem_force_args args = {.force = f, .first = first, .last = last};
  batched_call call;
  int status = batched_begin(&call, ctx, &fem_force_op, f->row);
  return status ? status : batched_end(&call, &args, f->functions->apply(ctx, f, first, last, out));
}

int fem_force_apply(batched_ctx *ctx, fem_force *f, double *out)
{
  const fem_space *s = f->space;
  const int first = s->blocking || halo_is_immediate(s->halo) ? s->nzones : fem_first_zones(s);
  int status = batched_fill_zero(ctx, out, sizeof(double) * (size_t)s->dim * (size_t)s->ndofs);
  if (!status) status = apply_zones(ctx, f, 0, first, out);
  const int begun = halo_sum_begin(ctx, s->halo, s->dim, out); // whatever happened: neighbours wait for it
  if (!status) status = begun;
  if (!status) status = apply_zones(ctx, f, first, s->nzones, out);
  const int ended = halo_sum_end(ctx, s->halo, s->dim, out);
  return status ? status : ended;
}

int fem_force_power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  const fem_force_args args = whole(f);
  batched_call call;
  int status = batched_begin(&call, ctx, &fem_power_op, f->row);
  return status ? status : batched_end(&call, &args, f->functions->power(ctx, f, v, out));
}

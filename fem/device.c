/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies of the constant arrays of a space and a material in the memory of a GPU.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"

/* A copy in the context's memory, never NULL unless memory is out. */
static void *place(batched_ctx *ctx, const void *host, size_t bytes)
{
  void *p = batched_allocate(ctx, bytes ? bytes : 1);
  if (!p || batched_copy_from_host(ctx, p, host, bytes) == BATCHED_SUCCESS) return p;
  batched_release(ctx, p);
  return NULL;
}

/* start [ndofs + 1] and entry [nzones * nd] of fem_device_space; false: no memory. */
static bool invert_dofs(const fem_space *s, int **start, int **entry)
{
  const int n = s->nzones * s->nd;
  *start = calloc((size_t)s->ndofs + 2, sizeof **start);
  *entry = malloc(((size_t)n + 1) * sizeof **entry);
  if (!*start || !*entry) return false;
  for (int i = 0; i < n; i++) (*start)[s->dofs[i] + 2]++;
  for (int i = 0; i < s->ndofs; i++) (*start)[i + 2] += (*start)[i + 1];
  for (int i = 0; i < n; i++) (*entry)[(*start)[s->dofs[i] + 1]++] = i;
  return true;
}

static void destroy_space(fem_device_space **device)
{
  fem_device_space *d = *device;
  if (!d) return;
  void *all[] = {d->dofs, d->constrained, d->dof_start, d->dof_entry, d->b, d->g, d->bt, d->weight};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) batched_release(d->ctx, all[i]);
  free(d);
  *device = NULL;
}

int fem_space_place(batched_ctx *ctx, fem_space *s)
{
  if (batched_get_space(ctx) == BATCHED_HOST) return BATCHED_SUCCESS;
  if ((int64_t)s->nzones * s->nd > INT32_MAX) return BATCHED_NO_MEMORY; // more nodes than an int counts
  int *start, *entry;
  const bool ok = invert_dofs(s, &start, &entry);
  fem_device_space *d = s->device = calloc(1, sizeof *d);
  if (d && ok) {
    const size_t nodes = (size_t)s->nzones * (size_t)s->nd * sizeof(int);
    const size_t table = (size_t)s->q1 * (size_t)s->d1 * sizeof(double);
    const size_t slopes = (size_t)fem_slope_table(s->dim, s->factors, s->dim - 1) + 1;
    d->ctx = ctx;
    d->dofs = place(ctx, s->dofs, nodes);
    d->constrained = place(ctx, s->constrained, (size_t)s->constrained_start[s->dim] * sizeof(int));
    d->dof_start = place(ctx, start, ((size_t)s->ndofs + 1) * sizeof(int));
    d->dof_entry = place(ctx, entry, nodes);
    d->b = place(ctx, s->b, table);
    d->g = place(ctx, s->g, slopes * table);
    d->bt = place(ctx, s->bt, (size_t)s->q1 * (size_t)s->t1 * sizeof(double));
    d->weight = place(ctx, s->weight, (size_t)s->nq * sizeof(double));
  }
  free(start);
  free(entry);
  if (d && d->dofs && d->constrained && d->dof_start && d->dof_entry && d->b && d->g && d->bt && d->weight)
    return BATCHED_SUCCESS;
  destroy_space(&s->device);
  return BATCHED_NO_MEMORY;
}

void fem_space_unplace(fem_space *s)
{
  destroy_space(&s->device);
}

void fem_material_unplace(fem_material *m)
{
  fem_device_material *d = m->device;
  if (!d) return;
  double *all[] = {d->mass, d->density, d->initial_inverse, d->gamma};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) batched_release(d->ctx, all[i]);
  free(d);
  m->device = NULL;
}

int fem_material_place(batched_ctx *ctx, const fem_space *s, fem_material *m)
{
  if (batched_get_space(ctx) == BATCHED_HOST) return BATCHED_SUCCESS;
  const size_t points = (size_t)s->nzones * (size_t)s->nq * sizeof(double);
  fem_device_material *d = m->device = calloc(1, sizeof *d);
  if (!d) return BATCHED_NO_MEMORY;
  d->ctx = ctx;
  d->mass = place(ctx, m->mass, points);
  d->density = place(ctx, m->density, points);
  d->gamma = place(ctx, m->gamma, (size_t)s->nzones * sizeof(double));
  if (d->mass && d->density && d->gamma) return BATCHED_SUCCESS;
  fem_material_unplace(m);
  return BATCHED_NO_MEMORY;
}

/* At all points; NULL: no memory. */
static double *spread_inverse(const fem_space *s, const fem_material *m)
{
  const size_t dd = (size_t)(s->dim * s->dim);
  double *all = malloc(sizeof *all * ((size_t)s->nzones * (size_t)s->nq * dd + 1));
  for (int64_t z = 0; all && z < s->nzones; z++)
    for (int q = 0; q < s->nq; q++)
      memcpy(all + (size_t)(z * s->nq + q) * dd, fem_initial_inverse(s, m, z, q), sizeof *all * dd);
  return all;
}

int fem_material_place_inverse(const fem_space *s, const fem_material *m)
{
  fem_device_material *d = m->device;
  const size_t entries = (size_t)s->nzones * (size_t)s->nq * (size_t)(s->dim * s->dim);
  if (d->initial_inverse) return BATCHED_SUCCESS;
  double *all = m->affine ? spread_inverse(s, m) : m->initial_inverse;
  if (all) d->initial_inverse = place(d->ctx, all, entries * sizeof(double));
  if (m->affine) free(all);
  return d->initial_inverse ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

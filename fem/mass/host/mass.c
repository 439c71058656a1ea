/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/host/mass.h"

#include <stdlib.h>

#include "fem/mass/host/single.h"
#include "fem/mass/host/zone_lanes.h"

void sumfact_mass_add(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                      double *y)
{
  const zone_lanes zones = {m->ncomp, m->n1, m->table, m->dofs, m->density};
  zone_lanes_multiply(&zones, s, first, last, stride, x, y);
}

int sumfact_mass_create(sumfact_mass *m, const fem_space *s, const fem_material *material, int ncomp, int n1,
                        const double *table, const int *dofs)
{
  const int nd = fem_power(n1, s->dim);
  *m = (sumfact_mass){.ncomp = ncomp, .n1 = n1, .table = table};
  m->dofs = tensor_block_dofs(s->nzones, nd, dofs);
  m->density = tensor_block_data(s->threads, s->nzones, s->nq, material->density);
  if (m->dofs && m->density) return BATCHED_SUCCESS;
  sumfact_mass_destroy(m);
  return BATCHED_NO_MEMORY;
}

void sumfact_mass_constants(const sumfact_mass *m, const fem_space *s, fem_constant_visit *visit, void *user)
{
  const size_t zones = (size_t)tensor_blocks(s->nzones) * LANES;
  visit(user, "the nodes of a mass matrix", m->dofs, sizeof(int) * zones * (size_t)fem_power(m->n1, s->dim));
  visit(user, "the density of a mass matrix", m->density, sizeof(double) * zones * (size_t)s->nq);
}

void sumfact_mass_destroy(sumfact_mass *m)
{
  free(m->dofs);
  free(m->density);
  single_zones_destroy(&m->single);
  m->dofs = NULL;
  m->density = NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/host/mass.h"

#include <stdlib.h>

#include "fem/mass/host/single.h"
#include "fem/mass/host/zone_lanes.h"

void sumfact_mass_add(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                      double *y)
{
  const zone_lanes zones = {m->ncomp, m->n1, m->table, {m->dofs, m->runs}, m->density, m->even};
  zone_lanes_multiply(&zones, s, first, last, stride, x, y);
}

/* The mass matrix of a direction of the reference zone; NULL: no memory. */
static double *make_line(const fem_space *s, int n1, const double *table)
{
  double *line = calloc((size_t)(n1 * n1), sizeof *line);
  for (int q = 0; line && q < s->q1; q++)
    for (int i = 0; i < n1; i++)
      for (int j = 0; j < n1; j++) line[i * n1 + j] += s->weights[q] * table[q * n1 + i] * table[q * n1 + j];
  return line;
}

/* The density of each zone over the weights of the rule, in blocks; NULL: no memory. */
static double *make_densities(const fem_space *s, const fem_material *material)
{
  double *zones = malloc(sizeof *zones * ((size_t)s->nzones + 1)), weight = 0.0;
  for (int q = 0; q < s->nq; q++) weight += s->weight[q];
  for (int64_t z = 0; zones && z < s->nzones; z++) {
    zones[z] = 0.0;
    for (int q = 0; q < s->nq; q++) zones[z] += material->density[z * s->nq + q] / weight;
  }
  double *blocks = zones ? tensor_block_data(s->threads, s->nzones, 1, zones) : NULL;
  free(zones);
  return blocks;
}

int sumfact_mass_create(sumfact_mass *m, const fem_space *s, const fem_material *material, int ncomp, int n1,
                        const double *table, const int *dofs)
{
  const int nd = fem_power(n1, s->dim);
  *m = (sumfact_mass){.ncomp = ncomp, .n1 = n1, .even = fem_material_is_even(s, material)};
  if (m->even) m->line = make_line(s, n1, table);
  m->table = m->even ? m->line : table;
  const bool placed = tensor_nodes_create(s->nzones, n1, nd, dofs, &m->dofs, &m->runs);
  m->density =
    m->even ? make_densities(s, material) : tensor_block_data(s->threads, s->nzones, s->nq, material->density);
  if (m->table && placed && m->density) return BATCHED_SUCCESS;
  sumfact_mass_destroy(m);
  return BATCHED_NO_MEMORY;
}

void sumfact_mass_constants(const sumfact_mass *m, const fem_space *s, fem_constant_visit *visit, void *user)
{
  const size_t zones = (size_t)tensor_blocks(s->nzones) * LANES;
  visit(user, "the nodes of a mass matrix", m->dofs, sizeof(int) * zones * (size_t)fem_power(m->n1, s->dim));
  visit(user, "the runs of a mass matrix", m->runs,
        sizeof(int) * zones / LANES * (size_t)tensor_runs(fem_power(m->n1, s->dim)));
  visit(user, "the density of a mass matrix", m->density, sizeof(double) * zones * (size_t)(m->even ? 1 : s->nq));
  if (m->line) visit(user, "the mass matrix of a direction", m->line, sizeof(double) * (size_t)(m->n1 * m->n1));
}

struct single_zones *sumfact_mass_single(sumfact_mass *m, const fem_space *s, const fem_material *material)
{
  if (!m->single)
    m->single = m->even ? single_zones_create(s, m->n1 * m->n1, m->line, 1, LANES, m->density)
                        : single_zones_create(s, s->q1 * m->n1, m->table, s->nq, 1, material->density);
  return m->single;
}

void sumfact_mass_destroy(sumfact_mass *m)
{
  free(m->line);
  free(m->dofs);
  free(m->runs);
  free(m->density);
  single_zones_destroy(&m->single);
  m->line = NULL;
  m->dofs = m->runs = NULL;
  m->density = NULL;
}

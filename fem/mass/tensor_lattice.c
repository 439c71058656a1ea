/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/tensor_lattice.h"

#include <stdlib.h>

void tensor_lattice_destroy(tensor_lattice *l)
{
  free(l->dof);
  free(l->zone);
  *l = (tensor_lattice){0};
}

/* The zone whose first node is each dof, or -1; false: two zones have the same one, or memory is out. */
static bool index_first_nodes(const fem_space *s, int *zone_at)
{
  for (int i = 0; i < s->ndofs; i++) zone_at[i] = -1;
  for (int z = 0; z < s->nzones; z++) {
    int *at = &zone_at[s->dofs[(int64_t)z * s->nd]];
    if (*at >= 0) return false;
    *at = z;
  }
  return true;
}

/* The zone after this one along a direction, or -1. */
static int next_zone(const fem_space *s, const int *zone_at, int zone, int direction)
{
  return zone_at[s->dofs[(int64_t)zone * s->nd + s->k * fem_power(s->d1, direction)]];
}

/* The only zone that is after no other; -1: there is none, or there are several. */
static int first_zone(const fem_space *s, const int *zone_at, bool *follows)
{
  int first = -1;
  for (int z = 0; z < s->nzones; z++) follows[z] = false;
  for (int z = 0; z < s->nzones; z++)
    for (int d = 0; d < s->dim; d++) {
      const int next = next_zone(s, zone_at, z, d);
      if (next >= 0) follows[next] = true;
    }
  for (int z = 0; z < s->nzones; z++) {
    if (follows[z]) continue;
    if (first >= 0) return -1;
    first = z;
  }
  return first;
}

/* Cells per direction, counted from the first zone; false: their product is not the number of zones. */
static bool count_cells(const fem_space *s, const int *zone_at, int first, int cells[3])
{
  int64_t all = 1;
  for (int d = 0; d < 3; d++) {
    cells[d] = 1;
    for (int z = first; d < s->dim && (z = next_zone(s, zone_at, z, d)) >= 0 && cells[d] < s->nzones;) cells[d]++;
    all *= cells[d];
  }
  return all == s->nzones;
}

/* The zones of all cells, from their neighbours before; false: there is a gap. */
static bool fill_zones(const fem_space *s, const int *zone_at, int first, const int cells[3], int *zone)
{
  zone[0] = first;
  for (int i = 1; i < s->nzones; i++) {
    int back = 1, d = 0;
    while (i / back % cells[d] == 0) back *= cells[d++];
    const int before = zone[i - back];
    zone[i] = before >= 0 ? next_zone(s, zone_at, before, d) : -1;
    if (zone[i] < 0) return false;
  }
  return true;
}

/* The dofs of all lattice nodes; false: two zones do not agree on one, or a dof has no node. */
static bool fill_dofs(const fem_space *s, tensor_lattice *l, const int cells[3])
{
  const int64_t all = (int64_t)l->n[0] * l->n[1] * l->n[2];
  if (all != s->ndofs) return false;
  for (int64_t i = 0; i < all; i++) l->dof[i] = -1;
  for (int i = 0; i < s->nzones; i++) {
    const int cell[3] = {i % cells[0], i / cells[0] % cells[1], i / cells[0] / cells[1]};
    for (int j = 0; j < s->nd; j++) {
      const int node[3] = {j % s->d1, s->dim > 1 ? j / s->d1 % s->d1 : 0, s->dim > 2 ? j / s->d1 / s->d1 : 0};
      int64_t at = 0;
      for (int d = s->dim; d-- > 0;) at = at * l->n[d] + cell[d] * s->k + node[d];
      const int dof = s->dofs[(int64_t)l->zone[i] * s->nd + j];
      if (l->dof[at] >= 0 && l->dof[at] != dof) return false;
      l->dof[at] = dof;
    }
  }
  return true;
}

bool tensor_lattice_make(const fem_space *s, tensor_lattice *l)
{
  *l = (tensor_lattice){.dof = malloc(((size_t)s->ndofs + 1) * sizeof *l->dof),
                        .zone = malloc(((size_t)s->nzones + 1) * sizeof *l->zone)};
  int *zone_at = malloc(((size_t)s->ndofs + 1) * sizeof *zone_at), cells[3];
  bool *follows = malloc(((size_t)s->nzones + 1) * sizeof *follows);
  bool ok = l->dof && l->zone && zone_at && follows && s->nzones > 0 && index_first_nodes(s, zone_at);
  const int first = ok ? first_zone(s, zone_at, follows) : -1;
  ok = first >= 0 && count_cells(s, zone_at, first, cells) && fill_zones(s, zone_at, first, cells, l->zone);
  for (int d = 0; ok && d < 3; d++) {
    l->n[d] = d < s->dim ? cells[d] * s->k + 1 : 1;
    ok = l->n[d] <= TENSOR_MOST_NODES;
  }
  ok = ok && fill_dofs(s, l, cells);
  free(zone_at);
  free(follows);
  if (!ok) tensor_lattice_destroy(l);
  return ok;
}

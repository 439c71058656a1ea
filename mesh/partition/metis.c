/* SPDX-License-Identifier: BSD-3-Clause */
#include <metis.h>
#include <stdlib.h>

#include "mesh/partition/partition.h"
#include "mesh/topology.h"

/* Coarse zones that share a facet. */
typedef struct graph {
  idx_t *first;      /* owned, [nzones + 1] */
  idx_t *neighbours; /* owned, [first[nzones]] */
} graph;

/* Zones on either side of each facet, -1 where there is none: shape [facets][2]. */
static int *facet_sides(const mesh_coarse *c, const mesh_entities *t)
{
  size_t n = (size_t)t->count[c->dim - 1];
  int *sides = malloc((2 * n + 1) * sizeof *sides);
  if (!sides) return NULL;
  for (size_t i = 0; i < 2 * n; i++) sides[i] = -1;
  for (int z = 0; z < c->nzones; z++) {
    for (int f = 0; f < mesh_shape_facets(c->shape, c->dim); f++) {
      int *side = sides + 2 * (size_t)t->of[(int64_t)z * t->ncodes + mesh_facet_code(c->shape, c->dim, f)];
      side[side[0] >= 0] = z;
    }
  }
  return sides;
}

static void fill_graph(graph *g, const mesh_coarse *c, const mesh_entities *t, const int *sides)
{
  idx_t n = 0;
  for (int z = 0; z < c->nzones; z++) {
    g->first[z] = n;
    for (int f = 0; f < mesh_shape_facets(c->shape, c->dim); f++) {
      const int *side = sides + 2 * (size_t)t->of[(int64_t)z * t->ncodes + mesh_facet_code(c->shape, c->dim, f)];
      int other = side[0] == z ? side[1] : side[0];
      if (other >= 0) g->neighbours[n++] = other;
    }
  }
  g->first[c->nzones] = n;
}

static bool graph_create(graph *g, const mesh_coarse *c)
{
  *g = (graph){0};
  mesh_entities *t = mesh_entities_create(c);
  int *sides = t ? facet_sides(c, t) : NULL;
  if (sides) {
    g->first = malloc(((size_t)c->nzones + 1) * sizeof *g->first);
    g->neighbours = malloc(((size_t)c->nzones * 6 + 1) * sizeof *g->neighbours);
  }
  bool ok = g->first && g->neighbours;
  if (ok) fill_graph(g, c, t, sides);
  free(sides);
  mesh_entities_destroy(t);
  return ok;
}

/* STATUS_OK, -1 (METIS can't do it, on no rank), or STATUS_MACHINE: it has no memory, on this rank. */
static int call_metis(graph *g, idx_t n, idx_t nparts, idx_t *part)
{
  idx_t options[METIS_NOPTIONS], ncon = 1, cut;
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1; // the same parts in every run and on every rank
  int (*method)(idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, idx_t *, real_t *, real_t *, idx_t *,
                idx_t *, idx_t *) = nparts <= 8 ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status =
    method(&n, &ncon, g->first, g->neighbours, NULL, NULL, NULL, &nparts, NULL, NULL, options, &cut, part);
  return status == METIS_OK ? 0 : status == METIS_ERROR_MEMORY ? STATUS_MACHINE : -1;
}

/* Tests whether the largest part is at most a tenth above the mean; -1: no memory. */
static int is_balanced(const idx_t *part, int n, int nparts)
{
  int64_t *count = calloc((size_t)nparts, sizeof *count), largest = 0;
  if (!count) return -1;
  for (int z = 0; z < n; z++) {
    if (++count[part[z]] > largest) largest = count[part[z]];
  }
  free(count);
  return largest * 10 * nparts <= (int64_t)11 * n;
}

static int take(mesh_share *share, const idx_t *part, int n, int64_t cells, int rank)
{
  int64_t mine = 0;
  for (int z = 0; z < n; z++) mine += part[z] == rank;
  share->nzones = mine * cells;
  int64_t *id = share->zone_ids = malloc(((size_t)share->nzones + 1) * sizeof *id);
  if (!id) return STATUS_MACHINE;
  for (int z = 0; z < n; z++) {
    for (int64_t i = 0; part[z] == rank && i < cells; i++) *id++ = z * cells + i;
  }
  return 0;
}

int mesh_partition_metis(mesh_share *share, const mesh_coarse *c, const int subdivision[3], int nranks, int rank)
{
  enum { FEWEST_PER_PART = 8 };
  *share = (mesh_share){0};
  if (nranks < 2 || c->nzones / FEWEST_PER_PART < nranks) return -1;
  graph g;
  idx_t *part = malloc((size_t)c->nzones * sizeof *part);
  int status = part && graph_create(&g, c) ? STATUS_OK : STATUS_MACHINE;
  if (!part) g = (graph){0};
  if (!status) status = call_metis(&g, c->nzones, nranks, part);
  int balanced = status ? 0 : is_balanced(part, c->nzones, nranks);
  if (!status)
    status = balanced < 0 ? STATUS_MACHINE
             : balanced   ? take(share, part, c->nzones, mesh_cells(subdivision), rank)
                          : -1;
  free(g.first);
  free(g.neighbours);
  free(part);
  return status;
}

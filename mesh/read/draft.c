/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mesh/read/draft.h"
#include "mesh/simplex/lattice.h"

bool mesh_draft_create(mesh_draft *d, scan *s, mesh_shape shape, int dim)
{
  d->c = calloc(1, sizeof *d->c);
  if (!d->c) return scan_fail_memory(s);
  d->c->dim = dim;
  d->c->shape = shape;
  return true;
}

bool mesh_draft_make_zones(mesh_draft *d, scan *s, int n)
{
  d->c->nzones = n;
  d->c->zones = malloc((mesh_coarse_zone_entries(d->c) + 1) * sizeof *d->c->zones);
  d->zone_at = malloc(((size_t)n + 1) * sizeof *d->zone_at);
  return (d->c->zones && d->zone_at) || scan_fail_memory(s);
}

bool mesh_draft_make_faces(mesh_draft *d, scan *s, int n)
{
  d->c->nfaces = n;
  d->c->faces = malloc((mesh_coarse_face_entries(d->c) + 1) * sizeof *d->c->faces);
  d->c->attributes = malloc(((size_t)n + 1) * sizeof *d->c->attributes);
  d->face_at = malloc(((size_t)n + 1) * sizeof *d->face_at);
  return (d->c->faces && d->c->attributes && d->face_at) || scan_fail_memory(s);
}

bool mesh_draft_make_vertices(mesh_draft *d, scan *s, int n)
{
  d->c->vertices = malloc(((size_t)n * (size_t)d->c->dim + 1) * sizeof *d->c->vertices);
  d->c->nvertices = n;
  return d->c->vertices || scan_fail_memory(s);
}

void mesh_draft_destroy(mesh_draft *d)
{
  mesh_coarse_destroy(&d->c);
  free(d->zone_at);
  free(d->face_at);
  *d = (mesh_draft){0};
}

void mesh_draft_set(int *corners, mesh_shape shape, int ncorners, const int *around)
{
  for (int i = 0; i < ncorners; i++) corners[i] = around[shape == MESH_TENSOR && (i & 2) ? i ^ 1 : i];
}

int mesh_corner_node(mesh_shape shape, int dim, int p, int corner)
{
  int node = 0, stride = 1, m[4] = {0};
  m[corner & 3] = p;
  if (shape == MESH_SIMPLEX) return simplex_place(dim, p, m);
  for (int d = 0; d < dim; d++, stride *= p + 1) node += corner >> d & 1 ? p * stride : 0;
  return node;
}

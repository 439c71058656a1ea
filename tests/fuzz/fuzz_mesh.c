/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Any bytes as a mesh file, MFEM's or Gmsh's: a mesh whose numbers are in range, or a sentence on one line.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/coarse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void want(int truth)
{
  if (!truth) abort();
}

static void check_vertices(const mesh_coarse *c, size_t n, const int *vertices)
{
  for (size_t i = 0; i < n; i++) want(vertices[i] >= 0 && vertices[i] < c->nvertices);
}

static void check_finite(int64_t n, const double *x)
{
  for (int64_t i = 0; i < n; i++) want(isfinite(x[i]));
}

static void check_curve(const mesh_coarse *c, const mesh_curve *curve)
{
  want(curve->order >= 1 && curve->nroots > 0 && !curve->root == !curve->place);
  check_finite((int64_t)curve->nroots * mesh_nodes_in_zone(c->shape, c->dim, curve->order) * c->dim, curve->nodes);
  for (int z = 0; curve->root && z < c->nzones; z++) want(curve->root[z] >= 0 && curve->root[z] < curve->nroots);
  if (curve->place) check_finite((int64_t)mesh_coarse_zone_entries(c) * c->dim, curve->place);
}

static void check_mesh(const mesh_coarse *c)
{
  want(c->dim >= 1 && c->dim <= 3 && c->nzones > 0 && c->nvertices > 0 && c->nfaces >= 0 && c->nseams >= 0);
  check_vertices(c, mesh_coarse_zone_entries(c), c->zones);
  check_vertices(c, mesh_coarse_face_entries(c), c->faces);
  check_vertices(c, 2 * (size_t)c->nseams * (size_t)mesh_coarse_facet_corners(c), c->seams);
  check_finite((int64_t)c->nvertices * c->dim, c->vertices);
  if (c->curve) check_curve(c, c->curve);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char message[1024] = "";
  mesh_coarse *c = NULL;
  const int status = mesh_coarse_parse(&c, "fuzz.mesh", (const char *)data, size, message, sizeof message);
  want((status == 0 && c) || (status == 2 && !c));
  if (c) check_mesh(c);
  const size_t n = strnlen(message, sizeof message);
  want(c || (n > 0 && n < sizeof message && !strchr(message, '\n')));
  mesh_coarse_destroy(&c);
  return 0;
}

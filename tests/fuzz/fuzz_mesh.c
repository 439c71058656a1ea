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

static void check_mesh(const mesh_coarse *c)
{
  want(c->dim >= 1 && c->dim <= 3 && c->nzones > 0 && c->nvertices > 0 && c->nfaces >= 0);
  for (int64_t i = 0; i < (int64_t)c->nzones << c->dim; i++) want(c->zones[i] >= 0 && c->zones[i] < c->nvertices);
  for (int64_t i = 0; i < (int64_t)c->nfaces << (c->dim - 1); i++) want(c->faces[i] >= 0 && c->faces[i] < c->nvertices);
  for (int64_t i = 0; i < (int64_t)c->nvertices * c->dim; i++) want(isfinite(c->vertices[i]));
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

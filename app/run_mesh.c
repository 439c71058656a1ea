/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run_mesh.h"

#include "app/machine/collective_status.h"
#include "app/machine/memory.h"
#include "app/setup.h"

static void print_boundary(const hydro *h, const mesh_boundary *b)
{
  const int dim = h->mesh->dim;
  printf("%lld zones; faces on the boundary: ", (long long)h->mesh->nzones_global);
  for (int axis = 0; axis < dim; axis++) printf("%lld walls of %c, ", (long long)b->walls[axis], "xyz"[axis]);
  printf("%lld free\n", (long long)b->free);
}

static void warn(void *user, const char *sentence)
{
  fprintf(stderr, "shocklet: warning: %s: %s\n", (const char *)user, sentence);
}

/* Checks the walls of a mesh from a file; the problem sets those of a box. */
static int examine(const hydro *h, const mesh_sides *sides)
{
  bool open[6];
  for (int i = 0; i < 6; i++) open[i] = mesh_wall_axis(3, h->problem->attributes[i]) < 0;
  mesh_examine_attributes(h->mesh, sides, open, warn, h->deck->mesh.file);
  return mesh_examine_geometry(h->mesh, sides, warn, h->deck->mesh.file);
}

/* On the first rank, which has all coarse zones, as every rank has. */
static int say(const hydro *h, bool quiet, report *r)
{
  mesh_sides sides;
  int status = mesh_sides_create(&sides, h->mesh);
  if (!status) {
    mesh_boundary_count(h->mesh, &sides, &r->boundary);
    if (!quiet) print_boundary(h, &r->boundary);
    if (h->deck->mesh.file[0]) status = examine(h, &sides);
  }
  mesh_sides_destroy(&sides);
  return status;
}

int run_mesh_say(const hydro *h, bool quiet, report *r, char *message, size_t size)
{
  const int status = comm_rank() == 0 ? say(h, quiet, r) : STATUS_OK;
  return collective_status(status ? memory_refuse_setup(message, size) : STATUS_OK, message, size);
}

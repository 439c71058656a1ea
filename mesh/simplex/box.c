/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/simplex/simplex.h"

/* Corners of a cell, bit d of each for direction d, that its triangles and tetrahedra have: those of MFEM. */
static const int triangles[2][3] = {{0, 3, 2}, {0, 1, 3}};
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 5, 1, 7}, {0, 4, 5, 7},
                                     {0, 3, 2, 7}, {0, 2, 6, 7}, {0, 6, 4, 7}};

typedef struct box {
  int dim;
  int n[3]; // cells along each direction; 1 beyond dim
} box;

static int cells_of(const box *b)
{
  return b->n[0] * b->n[1] * b->n[2];
}

static int vertices_of(const box *b)
{
  return (b->n[0] + 1) * (b->n[1] + 1) * (b->dim == 3 ? b->n[2] + 1 : 1);
}

/* Position of a vertex on the lattice. */
static void place_of(const box *b, int vertex, int at[3])
{
  for (int d = 0; d < 3; d++) {
    at[d] = vertex % (b->n[d] + 1);
    vertex /= b->n[d] + 1;
  }
}

static int vertex_at(const box *b, int cell, int corner)
{
  int vertex = 0, stride = 1;
  for (int d = 0; d < b->dim; d++) {
    vertex += stride * (cell % b->n[d] + (corner >> d & 1));
    cell /= b->n[d];
    stride *= b->n[d] + 1;
  }
  return vertex;
}

static void set_zones(mesh_coarse *c, const box *b)
{
  const int parts = b->dim == 3 ? 6 : 2;
  int *zone = c->zones;
  for (int cell = 0; cell < cells_of(b); cell++)
    for (int part = 0; part < parts; part++)
      for (int i = 0; i <= b->dim; i++)
        *zone++ = vertex_at(b, cell, b->dim == 3 ? tetrahedra[part][i] : triangles[part][i]);
}

static void set_vertices(mesh_coarse *c, const box *b, const double *lower, const double *upper)
{
  for (int v = 0; v < c->nvertices; v++) {
    int at[3];
    place_of(b, v, at);
    for (int d = 0; d < b->dim; d++)
      c->vertices[(int64_t)v * b->dim + d] = mesh_between(lower[d], upper[d], at[d], b->n[d]);
  }
}

/* The side 2*axis + (0 or 1) of the box on which these vertices lie; -1: they lie on none. */
static int side_of(const box *b, const int *vertices)
{
  int first[3], at[3];
  place_of(b, vertices[0], first);
  for (int axis = 0; axis < b->dim; axis++) {
    bool same = first[axis] == 0 || first[axis] == b->n[axis];
    for (int i = 1; i < b->dim && same; i++) {
      place_of(b, vertices[i], at);
      same = at[axis] == first[axis];
    }
    if (same) return 2 * axis + (first[axis] != 0);
  }
  return -1;
}

static void set_faces(mesh_coarse *c, const box *b, const int *attributes)
{
  int n = 0;
  for (int z = 0; z < c->nzones; z++)
    for (int lacking = 0; lacking <= b->dim; lacking++) {
      int face[3], k = 0;
      for (int i = 0; i <= b->dim; i++)
        if (i != lacking) face[k++] = mesh_coarse_zone(c, z)[i];
      const int side = side_of(b, face);
      if (side < 0) continue;
      for (int i = 0; i < k; i++) mesh_coarse_face(c, n)[i] = face[i];
      c->attributes[n++] = attributes[side];
    }
}

int mesh_simplex_box(mesh_coarse **coarse, int dim, const int zones[3], const double *lower, const double *upper,
                     const int *attributes)
{
  const box b = {.dim = dim, .n = {zones[0], zones[1], dim == 3 ? zones[2] : 1}};
  const int nfaces = dim == 2 ? 2 * (b.n[0] + b.n[1]) : 4 * (b.n[0] * b.n[1] + b.n[1] * b.n[2] + b.n[2] * b.n[0]);
  mesh_coarse *c = *coarse =
    mesh_coarse_allocate(MESH_SIMPLEX, dim, vertices_of(&b), cells_of(&b) * (dim == 3 ? 6 : 2), nfaces);
  if (!c) return STATUS_MACHINE;
  set_zones(c, &b);
  set_vertices(c, &b, lower, upper);
  mesh_simplex_orient(c);
  set_faces(c, &b, attributes);
  return mesh_simplex_mark(c);
}

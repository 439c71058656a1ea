/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of the nodes of Gmsh's elements: corners, insides of edges, insides of faces, and the inside, each of these
 * again as an element, of a lower order (gmsh.info/doc/texinfo, "Node ordering").
 */
#include <string.h>

#include "mesh/read/gmsh.h"
#include "mesh/simplex/lattice.h"

/* An element, or a part of one: places of its corners, in Gmsh's order, on the lattice of the whole. */
typedef struct element {
  mesh_shape shape;
  int e, p; // dimensions, order
  int corners[MESH_MAX_CORNERS][3];
} element;

typedef struct parts {
  int ncorners, nedges, nfaces, face_corners;
  int edges[12][2], faces[6][4];
} parts;

static const parts parts_of[2][4] =
  {
    [MESH_TENSOR] =
      {
        [1] = {2, 1, 0, 0, {{0, 1}}, {{0}}},
        [2] = {4, 4, 0, 0, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {{0}}},
        [3] = {8,
               12,
               6,
               4,
               {{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 5}, {2, 3}, {2, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 6}, {6, 7}},
               {{0, 3, 2, 1}, {0, 1, 5, 4}, {0, 4, 7, 3}, {1, 2, 6, 5}, {2, 3, 7, 6}, {4, 5, 6, 7}}}},
    [MESH_SIMPLEX] = {
      [2] = {3, 3, 0, 0, {{0, 1}, {1, 2}, {2, 0}}, {{0}}},
      [3] = {
        4, 6, 4, 3, {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}}}};

/* Bit d: the corner, in Gmsh's order, is at the end of direction d. */
static int bits_of(mesh_shape shape, int corner)
{
  if (shape == MESH_SIMPLEX) return corner ? 1 << (corner - 1) : 0;
  return corner & 2 ? corner ^ 1 : corner;
}

/* The corner at the end of direction d from corner 0. */
static int end_of(mesh_shape shape, int d)
{
  static const int tensor[3] = {1, 3, 4};
  return shape == MESH_SIMPLEX ? d + 1 : tensor[d];
}

/* The inside of an element as an element: one layer of nodes less on every side. */
static element inside(const element *of)
{
  element in = *of;
  in.p = of->p - (of->shape == MESH_SIMPLEX ? of->e + 1 : 2);
  for (int i = 0; i < parts_of[of->shape][of->e].ncorners && in.p >= 0; i++)
    for (int axis = 0; axis < 3; axis++) {
      int at = of->corners[0][axis];
      for (int d = 0; d < of->e; d++) {
        const int step = (of->corners[end_of(of->shape, d)][axis] - of->corners[0][axis]) / of->p;
        at += step * (1 + (bits_of(of->shape, i) >> d & 1) * in.p);
      }
      in.corners[i][axis] = at;
    }
  return in;
}

static element face_of(const element *of, const int *corners, int n)
{
  element face = {.shape = of->shape, .e = 2, .p = of->p};
  for (int i = 0; i < n; i++) memcpy(face.corners[i], of->corners[corners[i]], sizeof face.corners[i]);
  return face;
}

static int (*list_inner_edges(const element *el, int (*at)[3]))[3]
{
  const parts *own = &parts_of[el->shape][el->e];
  for (int i = 0; i < own->nedges; i++) {
    const int *a = el->corners[own->edges[i][0]], *b = el->corners[own->edges[i][1]];
    for (int j = 1; j < el->p; j++, at++)
      for (int axis = 0; axis < 3; axis++) (*at)[axis] = a[axis] + (b[axis] - a[axis]) / el->p * j;
  }
  return at;
}

/* Appends the places of an element's nodes, which are left out below order 0: the depth is at most the order. */
static int (*list_nodes(const element *el, int (*at)[3]))[3]
{
  const parts *own = &parts_of[el->shape][el->e];
  if (el->p < 0) return at;
  const int ncorners = el->p == 0 ? 1 : own->ncorners;
  for (int i = 0; i < ncorners; i++, at++) memcpy(*at, el->corners[i], sizeof *at);
  if (el->p < 2) return at;
  at = list_inner_edges(el, at);
  for (int i = 0; i < own->nfaces; i++) {
    const element face = face_of(el, own->faces[i], own->face_corners), in = inside(&face);
    at = list_nodes(&in, at);
  }
  if (el->e == 1) return at;
  const element in = inside(el);
  return list_nodes(&in, at);
}

void gmsh_order(mesh_shape shape, int dim, int p, int *node)
{
  element whole = {.shape = shape, .e = dim, .p = p};
  int at[GMSH_MAX_NODES][3];
  for (int i = 0; i < parts_of[shape][dim].ncorners; i++)
    for (int d = 0; d < 3; d++) whole.corners[i][d] = d < dim && bits_of(shape, i) >> d & 1 ? p : 0;
  const int n = (int)(list_nodes(&whole, at) - at);
  for (int i = 0; i < n; i++) {
    const int m[4] = {p - at[i][0] - at[i][1] - at[i][2], at[i][0], at[i][1], at[i][2]};
    node[i] = shape == MESH_SIMPLEX ? simplex_place(dim, p, m) : at[i][0] + (p + 1) * (at[i][1] + (p + 1) * at[i][2]);
  }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * VTK's numbers of the nodes of Lagrange triangles and tetrahedra: corners, edges, faces, and what is inside as a
 * smaller triangle or tetrahedron.  A node is named by its barycentric indices.
 */
#include <string.h>

#include "app/files/vtkhdf.h"
#include "mesh/simplex/lattice.h"

typedef struct place {
  int m[4];
} place;

typedef struct listing {
  int dim, order;
  int *next; // where the next node's number goes
} listing;

static void add(listing *l, place a)
{
  *l->next++ = simplex_place(l->dim, l->order, a.m);
}

/* a + (b - a) i / p, on the lattice */
static place between(place a, place b, int i, int p)
{
  for (int d = 0; d < 4; d++) a.m[d] += (b.m[d] - a.m[d]) / p * i;
  return a;
}

/* One step from corner `from` of n, order p, towards each of the others. */
static place inwards(const place *corners, int n, int from, int p)
{
  place a = corners[from];
  for (int i = 0; i < n; i++)
    for (int d = 0; d < 4; d++) a.m[d] += (corners[i].m[d] - corners[from].m[d]) / p;
  return a;
}

static void add_edge(listing *l, place a, place b, int p)
{
  for (int i = 1; i < p; i++) add(l, between(a, b, i, p));
}

/* Appends a triangle of order p; without its boundary if that belongs to another entity. */
static void add_triangle(listing *l, const place *first, int p, bool inside_only)
{
  place corners[3], inner[3];
  memcpy(corners, first, sizeof corners);
  for (; p > 0; p -= 3) {
    for (int i = 0; i < 3 && !inside_only; i++) add(l, corners[i]);
    for (int i = 0; i < 3 && !inside_only; i++) add_edge(l, corners[i], corners[(i + 1) % 3], p);
    for (int i = 0; i < 3; i++) inner[i] = inwards(corners, 3, i, p);
    memcpy(corners, inner, sizeof corners);
    inside_only = false;
  }
  if (p == 0) add(l, corners[0]);
}

static void add_tetrahedron(listing *l, const place *first)
{
  static const int edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
  static const int faces[4][3] = {{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}};
  place corners[4], inner[4];
  int p = l->order;
  memcpy(corners, first, sizeof corners);
  for (; p > 0; p -= 4) {
    for (int i = 0; i < 4; i++) add(l, corners[i]);
    for (int i = 0; i < 6; i++) add_edge(l, corners[edges[i][0]], corners[edges[i][1]], p);
    for (int i = 0; i < 4; i++)
      add_triangle(l, (place[]){corners[faces[i][0]], corners[faces[i][1]], corners[faces[i][2]]}, p, true);
    for (int i = 0; i < 4; i++) inner[i] = inwards(corners, 4, i, p);
    memcpy(corners, inner, sizeof corners);
  }
  if (p == 0) add(l, corners[0]);
}

void vtkhdf_simplex_order(int dim, int order, int *node)
{
  listing l = {.dim = dim, .order = order, .next = node};
  place corners[4] = {{{0}}};
  for (int i = 0; i <= dim; i++) corners[i].m[i] = order;
  if (dim == 2)
    add_triangle(&l, corners, order, false);
  else
    add_tetrahedron(&l, corners);
}

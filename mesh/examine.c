/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Warns of attributes of the boundary that were hardly meant.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh/boundary.h"
#include "mesh/coarse.h"

/* Faces of one kind: how many, and the first of them. */
typedef struct tally {
  int n;
  const mesh_side *first;
} tally;

static void add(tally *t, const mesh_side *side)
{
  if (t->n++ == 0) t->first = side;
}

/* "(0.5, 1)" */
static const char *place(const mesh_coarse *c, const mesh_side *side, char text[96])
{
  double x[MESH_MAX_DIM];
  mesh_side_middle(c, side, x);
  int n = 0;
  for (int axis = 0; axis < c->dim; axis++)
    n += snprintf(text + n, 96 - (size_t)n, "%s%.6g", axis ? ", " : "(", x[axis]);
  snprintf(text + n, 96 - (size_t)n, ")");
  return text;
}

/* Tests whether the face is in a plane (in 2D on a line) perpendicular to the axis, but for rounding errors. */
static bool is_across(const mesh_coarse *c, const mesh_side *side, int axis)
{
  double extent = 0, along = 0;
  for (int i = 1; i < mesh_coarse_facet_corners(c); i++) {
    for (int d = 0; d < c->dim; d++) {
      const double *x = c->vertices + d;
      const double step = fabs(x[(int64_t)side->vertices[i] * c->dim] - x[(int64_t)side->vertices[0] * c->dim]);
      extent = fmax(extent, step);
      if (d == axis) along = fmax(along, step);
    }
  }
  return along <= 1e-9 * extent;
}

/* The sides of the problem's box that a face may stand for: bit 2*axis + side for each of the largest components of its
 * normal, of which there are two where it looks diagonally. */
static unsigned sides_of(const mesh_coarse *c, const mesh_side *side)
{
  double normal[MESH_MAX_DIM], largest = 0;
  unsigned bits = 0;
  mesh_side_normal(c, side, normal);
  for (int axis = 0; axis < c->dim; axis++) largest = fmax(largest, fabs(normal[axis]));
  for (int axis = 0; axis < c->dim; axis++)
    if (fabs(normal[axis]) >= (1 - 1e-6) * largest) bits |= 1u << (2 * axis + (normal[axis] > 0));
  return bits;
}

/* "3 of the 8 walls", "the only wall" */
static const char *share_of(int n, int all, const char *what, char text[64])
{
  if (all == 1)
    snprintf(text, 64, "the only %s", what);
  else
    snprintf(text, 64, "%d of the %d %ss", n, all, what);
  return text;
}

static void tell_walls(const mesh_coarse *c, const tally askew[3], const int walls[3], mesh_tell *tell, void *user)
{
  char sentence[400], at[96], share[64];
  for (int axis = 0; axis < c->dim; axis++) {
    if (askew[axis].n == 0) continue;
    const char name = "xyz"[axis];
    snprintf(sentence, sizeof sentence,
             "%s of %c (boundary attribute %d, or wall_%c) %s in no %s %c = const, the first around %s; "
             "a wall holds the motion along its own axis alone",
             share_of(askew[axis].n, walls[axis], "wall", share), name, axis + 1, name,
             askew[axis].n == 1 ? "lies" : "lie", c->dim == 2 ? "line" : "plane", name,
             place(c, askew[axis].first, at));
    tell(user, sentence);
  }
}

static void tell_unknown(const mesh_coarse *c, const tally *unknown, mesh_tell *tell, void *user)
{
  char sentence[400], at[96];
  if (unknown->n == 0) return;
  snprintf(
    sentence, sizeof sentence,
    "%d boundary faces are free, as their attribute is no wall's, the first around %s with attribute %d; walls are "
    "1%s%s, or in Gmsh the physical groups wall_x%s%s",
    unknown->n, place(c, unknown->first, at), unknown->first->attribute, c->dim > 1 ? ", 2" : "",
    c->dim > 2 ? ", 3" : "", c->dim > 1 ? ", wall_y" : "", c->dim > 2 ? ", wall_z" : "");
  tell(user, sentence);
}

static void tell_free(const mesh_coarse *c, const tally *wrong, unsigned sides, int nfree, mesh_tell *tell, void *user)
{
  char sentence[500], names[96] = "", at[96], share[64];
  if (wrong->n == 0) return;
  for (int i = 0; i < 6; i++) {
    const size_t n = strlen(names);
    if (sides >> i & 1)
      snprintf(names + n, sizeof names - n, "%sof %s %c", n ? ", " : "", i % 2 ? "high" : "low", "xyz"[i / 2]);
  }
  snprintf(sentence, sizeof sentence,
           "%s %s where the problem has walls (%s), the first around %s; gas leaves there "
           "as into a vacuum",
           share_of(wrong->n, nfree, "free face", share), wrong->n == 1 ? "is on a side" : "are on sides", names,
           place(c, wrong->first, at));
  tell(user, sentence);
}

void mesh_examine_attributes(const mesh *m, const mesh_sides *sides, const bool open[6], mesh_tell *tell, void *user)
{
  const mesh_coarse *c = m->coarse;
  tally askew[3] = {{0}}, unknown = {0}, wrong = {0};
  int walls[3] = {0}, nfree = 0;
  unsigned may = 0, closed = 0;
  for (int i = 0; i < 6; i++) may |= (unsigned)open[i] << i;
  for (int i = 0; i < sides->n; i++) {
    const mesh_side *side = &sides->items[i];
    const int axis = mesh_wall_axis(c->dim, side->attribute);
    if (axis >= 0) {
      walls[axis]++;
      if (!is_across(c, side, axis)) add(&askew[axis], side);
      continue;
    }
    nfree++;
    if (side->attribute != MESH_FREE) add(&unknown, side);
    const unsigned on = sides_of(c, side);
    if (on & may) continue;
    add(&wrong, side);
    closed |= on;
  }
  tell_walls(c, askew, walls, tell, user);
  tell_unknown(c, &unknown, tell, user);
  tell_free(c, &wrong, closed, nfree, tell, user);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mesh/box_tree.h"

#include <math.h>
#include <stdlib.h>

static double middle(const mesh_box_tree *t, int place, int axis)
{
  const mesh_bounds *b = &t->bounds[t->items[place]];
  return 0.5 * b->low[axis] + 0.5 * b->high[axis];
}

/* Reorders items [from, to) so that the middles of those before `cut` are not above those from `cut` on (Hoare's
 * selection). */
static void split_at(mesh_box_tree *t, int from, int to, int cut, int axis)
{
  for (int low = from, high = to - 1; low < high;) {
    const double pivot = middle(t, low + (high - low) / 2, axis);
    int i = low, j = high;
    while (i <= j) {
      while (middle(t, i, axis) < pivot) i++;
      while (middle(t, j, axis) > pivot) j--;
      if (i > j) break;
      const int item = t->items[i];
      t->items[i++] = t->items[j];
      t->items[j--] = item;
    }
    if (cut <= j)
      high = j;
    else if (cut >= i)
      low = i;
    else
      return;
  }
}

static mesh_bounds bounds_of(const mesh_box_tree *t, int from, int to)
{
  mesh_bounds all = t->bounds[t->items[from]];
  for (int i = from + 1; i < to; i++) {
    const mesh_bounds *b = &t->bounds[t->items[i]];
    for (int d = 0; d < t->dim; d++) {
      all.low[d] = fmin(all.low[d], b->low[d]);
      all.high[d] = fmax(all.high[d], b->high[d]);
    }
  }
  return all;
}

enum { LEAF = 4 }; /* items at most, which are looked at one by one */

/* The first of a node's second half. */
static int half_of(int from, int to)
{
  return from + (to - from + 1) / 2;
}

static void build(mesh_box_tree *t, int64_t node, int from, int to)
{
  const mesh_bounds b = t->parts[node] = bounds_of(t, from, to);
  if (to - from <= LEAF) return;
  int axis = 0;
  for (int d = 1; d < t->dim; d++)
    if (b.high[d] - b.low[d] > b.high[axis] - b.low[axis]) axis = d;
  const int cut = half_of(from, to);
  split_at(t, from, to, cut, axis);
  build(t, 2 * node, from, cut);
  build(t, 2 * node + 1, cut, to);
}

bool mesh_box_tree_create(mesh_box_tree *t, int dim, int n, mesh_bounds *bounds)
{
  *t = (mesh_box_tree){.dim = dim, .n = n, .bounds = bounds};
  t->items = malloc(((size_t)n + 1) * sizeof *t->items);
  t->parts = malloc((2 * (size_t)n + 2) * sizeof *t->parts);
  if (!bounds || !t->items || !t->parts) {
    mesh_box_tree_destroy(t);
    return false;
  }
  for (int i = 0; i < n; i++) t->items[i] = i;
  if (n > 0) build(t, 1, 0, n);
  return true;
}

void mesh_box_tree_destroy(mesh_box_tree *t)
{
  free(t->items);
  free(t->bounds);
  free(t->parts);
  *t = (mesh_box_tree){0};
}

static bool holds(int dim, const mesh_bounds *b, const double *x)
{
  for (int d = 0; d < dim; d++)
    if (!(x[d] >= b->low[d] && x[d] <= b->high[d])) return false;
  return true;
}

/* False where the search is over. */
static bool search(const mesh_box_tree *t, int64_t node, int from, int to, const double *x,
                   bool (*visit)(void *user, int item), void *user)
{
  if (!holds(t->dim, &t->parts[node], x)) return true;
  if (to - from > LEAF) {
    const int cut = half_of(from, to);
    return search(t, 2 * node, from, cut, x, visit, user) && search(t, 2 * node + 1, cut, to, x, visit, user);
  }
  for (int i = from; i < to; i++)
    if (holds(t->dim, &t->bounds[t->items[i]], x) && !visit(user, t->items[i])) return false;
  return true;
}

void mesh_box_tree_find(const mesh_box_tree *t, const double *x, bool (*visit)(void *user, int item), void *user)
{
  if (t->n > 0) search(t, 1, 0, t->n, x, visit, user);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Boxes in a tree, to find those that hold a point: each level cuts its boxes into two halves by their middles.
 */
#ifndef MESH_BOX_TREE_H
#define MESH_BOX_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* Bounds of one item, or of a part of the tree. */
typedef struct mesh_bounds {
  double low[3], high[3];
} mesh_bounds;

typedef struct mesh_box_tree {
  int dim, n;
  int *items;          /* owned, [n]: the items in the order of the tree's leaves */
  mesh_bounds *bounds; /* owned, [n] by item */
  mesh_bounds *parts;  /* owned, [2n]: of node i, whose halves are nodes 2i and 2i + 1; the root is node 1 */
} mesh_box_tree;

/* Takes over the bounds of n items, which malloc gave; frees them also where it fails: false when memory is out. */
bool mesh_box_tree_create(mesh_box_tree *t, int dim, int n, mesh_bounds *bounds);
void mesh_box_tree_destroy(mesh_box_tree *t);

/* Calls visit(user, item) for each item whose bounds hold x, until one returns false. */
void mesh_box_tree_find(const mesh_box_tree *t, const double *x, bool (*visit)(void *user, int item), void *user);

#endif

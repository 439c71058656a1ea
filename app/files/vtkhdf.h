/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One VTKHDF file: an unstructured grid of high-order Lagrange cells in parts, one part a rank, written part by part or
 * all at once.  Layout 1.0, which every reader from VTK 9.1 on takes.  A file may also be made of others: it has all
 * their parts, as virtual datasets, and no data of its own.
 */
#ifndef APP_VTKHDF_H
#define APP_VTKHDF_H

#include <stdbool.h>

#include "app/files/output.h"

/* A file that others are made of. */
typedef struct vtkhdf_source {
  char name[128]; /* in the same folder */
  int nparts;
  int64_t nzones;
} vtkhdf_source;

/* Offset of a part, and the total. */
typedef struct vtkhdf_place {
  int part, nparts;
  int64_t first_zone, nzones; /* first of this part; of all parts */
} vtkhdf_place;

/* Creates the file with room for all parts.  zones: for the shape and names only.  False, with the reason, if it
 * cannot. */
bool vtkhdf_create(const char *path, const output_zones *zones, const vtkhdf_place *place, const output_run *run,
                   int64_t step, double time, char *reason, size_t size);

/* The same, made of n files that are there. */
bool vtkhdf_create_of(const char *path, const output_zones *zones, int n, const vtkhdf_source *sources,
                      const output_run *run, int64_t step, double time, char *reason, size_t size);

/* Adds a part; shared: other ranks add theirs at the same time, which takes hdf_shares(). */
bool vtkhdf_append(const char *path, bool shared, const output_zones *zones, const vtkhdf_place *place, char *reason,
                   size_t size);

/* node[i]: which node, counted with the first direction fastest, is number i of a VTK cell of this order. */
void vtkhdf_node_order(mesh_shape shape, int dim, int order, int *node);
void vtkhdf_simplex_order(int dim, int order, int *node); /* the same for a triangle or tetrahedron */

#endif

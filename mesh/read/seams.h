/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Seams of periodic mesh files.
 */
#ifndef MESH_READ_SEAMS_H
#define MESH_READ_SEAMS_H

#include "mesh/read/draft.h"

/* Zones whose curve has the nodes of neighbours at other places: where all nodes of a facet are apart is a seam, and
 * the vertices there are doubled, so that each side has its own; sets all vertices.  Nothing where there is no seam. */
bool mesh_draft_cut_seams(mesh_draft *d, scan *s);

/* Vertex `image` of one side is `vertex` of the other; `pairs` [n] ascend. */
typedef struct mesh_vertex_pair {
  int image, vertex;
} mesh_vertex_pair;

/* Facets of the rim whose vertices are all images become seams, together with those that have the vertices; and are
 * boundary faces no more.  *found: how many.  at: where in the file that is said. */
bool mesh_draft_add_seams(mesh_draft *d, scan *s, const mesh_vertex_pair *pairs, int n, size_t at, int *found);

/* Checks that the sides of every seam are the same but for a shift, and of different zones. */
bool mesh_draft_check_seams(const mesh_draft *d, scan *s);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Meshes of triangles and tetrahedra: boxes, the order of a zone's corners, refinement.  What is done is what MFEM
 * does, to the last zone: the smallest singular value of a zone's Jacobian depends on which corner is the first, and
 * the time step on that.
 */
#ifndef MESH_SIMPLEX_H
#define MESH_SIMPLEX_H

#include "mesh/coarse.h"

/* A box of zones[0] x zones[1] (x zones[2]) cells, of which each is cut into 2 triangles or 6 tetrahedra around a
 * diagonal, marked; attributes as for mesh_coarse_box.  Returns STATUS_OK, or STATUS_MACHINE when memory is out. */
int mesh_simplex_box(mesh_coarse **coarse, int dim, const int zones[3], const double *lower, const double *upper,
                     const int *attributes);

/* Gives every zone a positive Jacobian: exchanges its first two corners where it has a negative one. */
void mesh_simplex_orient(mesh_coarse *c);

/* Makes the longest edge of every zone its first one, from corner 0 to corner 1.  Returns STATUS_OK, or STATUS_MACHINE
 * when memory is out. */
int mesh_simplex_mark(mesh_coarse *c);

/* Cuts every zone into 4 triangles or 8 tetrahedra by the middles of its edges.  STATUS_OK, or STATUS_MACHINE, where
 * memory is out, or an int does not count the zones' parts. */
int mesh_simplex_refine(mesh_coarse **coarse);

#endif

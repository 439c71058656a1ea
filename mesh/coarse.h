/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Coarse meshes, for the inside of the mesh layer.
 */
#ifndef MESH_COARSE_H
#define MESH_COARSE_H

#include "mesh/topology.h"

/* Uninitialised arrays of these lengths; NULL when memory is out. */
mesh_coarse *mesh_coarse_allocate(int dim, int nvertices, int nzones, int nfaces);

/* Smallest Jacobian determinant at the corners of a zone whose corners x have shape [2^dim][dim]. */
double mesh_smallest_jacobian(int dim, const double *x);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The multilinear map from the unit segment, square or cube, or the linear one from the unit simplex, to a coarse zone.
 */
#ifndef MESH_SMALL_MAP_H
#define MESH_SMALL_MAP_H

#include "mesh/mesh.h"

/* The reference point r, [dim], that a zone's map takes to x, by Newton's method; corners: [corners][dim].  False where
 * there is none near the zone. */
bool mesh_invert_map(mesh_shape shape, int dim, const double *corners, const double *x, double *r);

#endif

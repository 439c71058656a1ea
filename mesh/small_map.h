/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The multilinear map from the unit segment, square or cube to a coarse zone.
 */
#ifndef MESH_SMALL_MAP_H
#define MESH_SMALL_MAP_H

#include <stdbool.h>

/* The reference point r, [dim], that a zone's map takes to x, by Newton's method; corners: [2^dim][dim].  False where
 * there is none near the zone. */
bool mesh_invert_map(int dim, const double *corners, const double *x, double *r);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with the velocity's mass matrix, and with zone inverses, in single precision: what iterations need whose
 * residual is in double (row host.mixed of pcg).
 */
#ifndef FEM_HOST_SINGLE_H
#define FEM_HOST_SINGLE_H

#include "fem/fem.h"

/* Tables and scales of all zones as floats. */
typedef struct single_zones single_zones;

/* table [entries]; scale, of n numbers per zone, in blocks [block][n][lanes] of `lanes` zones.  NULL: no memory.
 * Products with one number per zone are of zones of one density (zone_lanes.h), their table [d1][d1]. */
single_zones *single_zones_create(const fem_space *s, int entries, const double *table, int n, int lanes,
                                  const double *scale);
void single_zones_destroy(single_zones **zones);

/* y = M x, summed over ranks, constrained entries zero: table [q1][d1], scale the density at the points.  Vectors
 * [dim][ndofs]. */
int single_zones_multiply(single_zones *zones, const fem_space *s, const float *x, float *y);
/* z = P r likewise: table [d1][d1], scale S_z (fem/mass/precondition.h). */
int single_zones_invert(single_zones *zones, const fem_space *s, const float *r, float *z);

#endif

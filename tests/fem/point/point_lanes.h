/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The physics at a point as the vectorised kernels compile it, for test_point_lanes.c, which compiles it for one
 * double.
 */
#ifndef TESTS_FEM_POINT_LANES_H
#define TESTS_FEM_POINT_LANES_H

#include "fem/point/point_constants.h"

enum { POINT_LANES_MOST = 16, POINT_INPUT = 31 };

/* How many points at once. */
int point_lanes(void);
/* inputs [lanes][POINT_INPUT], in the order of point_input; a [lanes][9], steps [lanes]. */
void point_lanes_stress(int dim, const point_constants *k, const double *inputs, double *a, double *steps);
/* a [lanes][9], vectors [lanes][3], values [lanes] */
void point_lanes_eigenpair(int dim, const double *a, double *vectors, double *values);
void point_lanes_singular(int dim, const double *a, double *values);

#endif

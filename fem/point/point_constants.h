/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the physics at a point is told once for a run.
 */
#ifndef FEM_POINT_CONSTANTS_H
#define FEM_POINT_CONSTANTS_H

#include <stdbool.h>

/* Energy sources of the problems that have one. */
typedef enum point_source { POINT_NO_SOURCE, POINT_TAYLOR_GREEN } point_source;

/* Constants of a run, the same at all points. */
typedef struct point_constants {
  double h0;      /* length scale: (volume / zones)^(1/dim) / order */
  double cfl;     /* time-step estimates are scaled by it */
  double order;   /* kinematic order */
  bool viscosity; /* artificial viscosity on */
  bool vorticity; /* reduce its linear term where the flow shears */
} point_constants;

#endif

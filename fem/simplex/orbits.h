/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quadrature rules that every permutation of the corners leaves as they are, as data: orbits of points.
 */
#ifndef FEM_SIMPLEX_ORBITS_H
#define FEM_SIMPLEX_ORBITS_H

#include "fem/simplex/simplex.h"

/* The points of an orbit have all permutations of its barycentric coordinates, a digit of its name for each value: how
 * many coordinates have it.  The values are the parameters, the last follows from the sum, which is 1. */
typedef enum simplex_orbit_kind {
  ORBIT_3,
  ORBIT_21,
  ORBIT_111,
  ORBIT_4,
  ORBIT_31,
  ORBIT_22,
  ORBIT_211,
  ORBIT_1111
} simplex_orbit_kind;

typedef struct simplex_orbit {
  simplex_orbit_kind kind;
  double parameters[3];
  double weight; // of each point; those of a rule sum to 1/dim!
} simplex_orbit;

typedef struct simplex_orbits {
  int norbits, npoints;
  const simplex_orbit *orbits;
} simplex_orbits;

/* The rule exact for polynomials of each degree. */
extern const simplex_orbits simplex_triangle_rules[SIMPLEX_MAX_DEGREE + 1];
extern const simplex_orbits simplex_tetrahedron_rules[SIMPLEX_MAX_DEGREE + 1];

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One point of a zone: which one has a given position, and what fields are there.
 */
#ifndef APP_ZONE_POINT_H
#define APP_ZONE_POINT_H

#include "fem/fem.h"

typedef struct zone_point {
  const fem_space *space; // borrowed
  fem_rule rule;          // owned: the point's `dim` coordinates in every direction; of a simplex the point
  int n;                  // points of the rule per factor
  int q;                  // the tensor point that has the d-th coordinate in direction d
  double *work;           // owned, [rule.n][dim][dim]
} zone_point;

/* False when memory is out; destroy in any case. */
bool zone_point_create(zone_point *p, const fem_space *s);
void zone_point_destroy(zone_point *p);

/* Takes the point to the reference coordinates xi [dim]. */
void zone_point_aim(zone_point *p, const double *xi);

/* There: the polynomial of the coefficients e [nt]; the L-vector u [dim][ndofs] in a zone, as value [dim]. */
double zone_point_scalar(zone_point *p, const double *e);
void zone_point_vector(zone_point *p, int zone, const double *u, double *value);

/* Finds the point of the zone at the position `at` [dim], where x [dim][ndofs] are the nodes: xi [3] are its
 * coordinates. False: there is none. */
bool zone_point_find(zone_point *p, int zone, const double *x, const double *at, double *xi);

#endif

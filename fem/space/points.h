/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Fields at the points of a rule, a block of LANES zones at a time, by sum factorisation at run-time sizes: for set-up
 * and errors.  Simplices have one dense table instead.  A `real` has a zone in each lane; the lanes beyond the last
 * zone repeat it.
 */
#ifndef FEM_SPACE_POINTS_H
#define FEM_SPACE_POINTS_H

#include "fem/fem.h"
#include "fem/host/lanes.h"

typedef struct fem_points {
  const fem_rule *rule;   /* borrowed */
  const fem_space *space; /* borrowed */
  int zone, zones;        /* of the block: the first, and how many */
  int end;                /* behind the last zone */
  double *weight;         /* owned, [n]: of the rule's points on the reference zone */
  real *work;             /* owned, [9][room]: the nodes' values, and partial sums */
  int room;
} fem_points;

/* Returns STATUS_OK, or STATUS_MACHINE when memory is out; may be destroyed in either case. */
int fem_points_create(fem_points *p, const fem_rule *rule, const fem_space *s);
void fem_points_destroy(fem_points *p);

/* Zones [first, end) alone. */
static inline void fem_points_within(fem_points *p, int first, int end)
{
  p->zone = first;
  p->zones = 0;
  p->end = end;
}

/* Goes to the next block; false after the last.  Starts before the first. */
bool fem_points_next(fem_points *p);

/* The zone in a lane. */
static inline int fem_points_zone(const fem_points *p, int lane)
{
  return p->zone + (lane < p->zones ? lane : p->zones - 1);
}

/* u [ncomp][ndofs]: value [n][ncomp], gradient [n][ncomp][dim] on the reference zone; either may be NULL. */
void fem_points_kinematic(fem_points *p, int ncomp, const double *u, real *value, real *gradient);
/* e [nzones][nt]: value [n] */
void fem_points_thermodynamic(fem_points *p, const double *e, real *value);

/* Memory for n reals; NULL when it is out.  To be freed. */
real *fem_points_allocate(int n);

/* The determinant of a dim x dim row-major matrix. */
static inline real fem_points_determinant(int dim, const real *j)
{
  if (dim == 1) return j[0];
  if (dim == 2) return j[0] * j[3] - j[1] * j[2];
  return j[0] * (j[4] * j[8] - j[5] * j[7]) - j[1] * (j[3] * j[8] - j[5] * j[6]) + j[2] * (j[3] * j[7] - j[4] * j[6]);
}

#endif

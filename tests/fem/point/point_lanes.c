/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fem/point/point_lanes.h"

#include "fem/host/lanes.h"
#include "fem/point/point.h"

_Static_assert(sizeof(point_input) == POINT_INPUT * sizeof(real), "point_input has changed");
_Static_assert((int)LANES <= (int)POINT_LANES_MOST, "more lanes than the test has room for");

int point_lanes(void)
{
  return LANES;
}

/* n doubles of each lane, [LANES][n], to n short vectors, and back */
static void load(int n, const double *from, real *to)
{
  for (int i = 0; i < n; i++)
    for (int l = 0; l < LANES; l++) to[i][l] = from[l * n + i];
}

static void store(int n, const real *from, double *to)
{
  for (int i = 0; i < n; i++)
    for (int l = 0; l < LANES; l++) to[l * n + i] = from[i][l];
}

void point_lanes_stress(int dim, const point_constants *k, const double *inputs, double *a, double *steps)
{
  point_input in;
  real out[9] = {{0}};
  load(POINT_INPUT, inputs, (real *)&in);
  const real most = real_of(INFINITY);
  real step = dim == 1   ? point_stress(1, k, &in, most, out)
              : dim == 2 ? point_stress(2, k, &in, most, out)
                         : point_stress(3, k, &in, most, out);
  store(9, out, a);
  store(1, &step, steps);
}

void point_lanes_eigenpair(int dim, const double *a, double *vectors, double *values)
{
  real matrix[9], s[3] = {{0}};
  load(9, a, matrix);
  real value = point_smallest_eigenpair(dim, matrix, s);
  store(3, s, vectors);
  store(1, &value, values);
}

void point_lanes_singular(int dim, const double *a, double *values)
{
  real matrix[9], adj[9];
  load(9, a, matrix);
  real value = point_smallest_singular(dim, matrix, point_adjugate(dim, matrix, adj));
  store(1, &value, values);
}

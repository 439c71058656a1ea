/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quadrature rules from their orbits.
 */
#include "fem/simplex/orbits.h"

#include <stdbool.h>

/* Which of the orbit's values each barycentric coordinate has, in the first point. */
static const int first_point[][4] = {
  [ORBIT_3] = {0, 0, 0},     [ORBIT_21] = {0, 0, 1},    [ORBIT_111] = {0, 1, 2},    [ORBIT_4] = {0, 0, 0, 0},
  [ORBIT_31] = {0, 0, 0, 1}, [ORBIT_22] = {0, 0, 1, 1}, [ORBIT_211] = {0, 0, 1, 2}, [ORBIT_1111] = {0, 1, 2, 3},
};

static void exchange(int *a, int i, int j)
{
  const int old = a[i];
  a[i] = a[j], a[j] = old;
}

/* To the next permutation of a[n] in lexicographic order; false after the last. */
static bool next_permutation(int n, int *a)
{
  int i = n - 2, j = n - 1;
  while (i >= 0 && a[i] >= a[i + 1]) i--;
  if (i < 0) return false;
  while (a[j] <= a[i]) j--;
  exchange(a, i, j);
  for (int low = i + 1, high = n - 1; low < high; low++, high--) exchange(a, low, high);
  return true;
}

/* The values of an orbit: the last is what is left of 1. */
static void set_values(int dim, const simplex_orbit *orbit, double values[4])
{
  const int *which = first_point[orbit->kind];
  const int last = which[dim];
  int repeats = 0;
  double sum = 0.0;
  for (int i = 0; i <= dim; i++) {
    repeats += which[i] == last;
    if (which[i] != last) sum += orbit->parameters[which[i]];
  }
  for (int v = 0; v < last; v++) values[v] = orbit->parameters[v];
  values[last] = (1.0 - sum) / repeats;
}

static const simplex_orbits *orbits_of(int dim, int degree)
{
  return &(dim == 3 ? simplex_tetrahedron_rules : simplex_triangle_rules)[degree];
}

int simplex_rule_points(int dim, int degree)
{
  return orbits_of(dim, degree)->npoints;
}

void simplex_rule(int dim, int degree, double *points, double *weights)
{
  const simplex_orbits *rule = orbits_of(dim, degree);
  for (int o = 0; o < rule->norbits; o++) {
    const simplex_orbit *orbit = &rule->orbits[o];
    double values[4];
    int which[4];
    set_values(dim, orbit, values);
    for (int i = 0; i <= dim; i++) which[i] = first_point[orbit->kind][i];
    do {
      for (int i = 1; i <= dim; i++) *points++ = values[which[i]];
      *weights++ = orbit->weight;
    } while (next_permutation(dim + 1, which));
  }
}

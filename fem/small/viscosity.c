/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where the artificial viscosity acts, for people to look at: a time step has it in its stress.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"
#include "fem/point/point.h"

/* The coefficient at a point, as point_stress has it. */
static double coefficient(int dim, const point_constants *k, const point_input *in)
{
  double adj[9], l[9], eps[9], s[3], density, pressure, sound;
  const double det = point_adjugate(dim, in->jacobian, adj);
  point_gas(in, in->weight * det, &density, &pressure, &sound);
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) {
      l[i * dim + j] = 0.0;
      for (int g = 0; g < dim; g++) l[i * dim + j] += in->gradient[i * dim + g] * adj[g * dim + j] / det;
    }
  for (int i = 0; i < dim; i++)
    for (int j = 0; j < dim; j++) eps[i * dim + j] = 0.5 * (l[i * dim + j] + l[j * dim + i]);
  const double mu = point_smallest_eigenpair(dim, eps, s);
  return point_viscosity(dim, k, in, l, mu, s, density, sound);
}

/* The fields of one zone at its points. */
typedef struct zone_points {
  double *jacobian, *gradient, *energy; // owned: [nq][dim][dim] twice, [nq]
} zone_points;

static double largest(const fem_space *s, const fem_material *m, int zone, const zone_points *at)
{
  const size_t square = sizeof(double) * (size_t)(s->dim * s->dim);
  double most = 0.0;
  for (int q = 0; q < s->nq; q++) {
    const int64_t point = (int64_t)zone * s->nq + q;
    const int64_t here = (int64_t)q * s->dim * s->dim;
    point_input in = {.mass = m->mass[point], .weight = s->weight[q], .energy = at->energy[q], .gamma = m->gamma[zone]};
    memcpy(in.jacobian, at->jacobian + here, square);
    memcpy(in.gradient, at->gradient + here, square);
    memcpy(in.initial_inverse, fem_initial_inverse(s, m, zone, q), square);
    const point_constants *const k = &m->constants;
    const double eta = s->dim == 1   ? coefficient(1, k, &in)
                       : s->dim == 2 ? coefficient(2, k, &in)
                                     : coefficient(3, k, &in);
    most = fmax(most, eta);
  }
  return most;
}

int fem_zone_viscosity(const fem_space *s, const fem_material *m, const double *x, const double *v, const double *e,
                       double *out)
{
  memset(out, 0, sizeof(double) * (size_t)s->nzones);
  if (!m->constants.viscosity) return 0;
  const size_t square = sizeof(double) * (size_t)(s->nq * s->dim * s->dim);
  zone_points at = {malloc(square), malloc(square), malloc(sizeof(double) * (size_t)s->nq)};
  fem_rule rule = {0};
  const bool enough = at.jacobian && at.gradient && at.energy && !fem_rule_create_own(&rule, s);
  for (int z = 0; enough && z < s->nzones; z++) {
    fem_rule_gradients(&rule, s, z, s->dim, x, at.jacobian);
    fem_rule_gradients(&rule, s, z, s->dim, v, at.gradient);
    fem_rule_energies(&rule, s, e + (int64_t)z * s->nt, at.energy);
    out[z] = largest(s, m, z, &at);
  }
  fem_rule_destroy(&rule);
  free(at.jacobian);
  free(at.gradient);
  free(at.energy);
  return enough ? STATUS_OK : STATUS_MACHINE;
}

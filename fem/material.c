/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "fem.h"
#include "point.h"

/* What can be wrong with a material, so that all ranks can agree on it. */
enum { GOOD, BAD_VOLUME, BAD_DENSITY, BAD_GAMMA, NO_MEMORY };
static const char *const complaints[] = {
  [GOOD] = NULL,
  [BAD_VOLUME] = "a zone of the mesh has no positive volume",
  [BAD_DENSITY] = "the density is not positive everywhere",
  [BAD_GAMMA] = "gamma is not greater than 1 everywhere",
  [NO_MEMORY] = "out of memory",
};

static bool positive(double a)
{
  return isfinite(a) && a > 0.0;
}

/* J0^-1, the volumes and both masses at the points of all zones; rho: Bernstein coefficients of the density. */
static int fill(fem_material *m, const fem_space *s, const double *x, const double *rho, fem_function density,
                const void *user)
{
  const int dim = s->dim, nq = s->nq;
  fem_rule r;
  if (fem_rule_create_gauss(&r, s, s->q1)) return NO_MEMORY;
  double *jacobian = malloc(sizeof(double) * (size_t)(nq * dim * dim)), *value = malloc(sizeof(double) * (size_t)nq);
  double *position = malloc(sizeof(double) * (size_t)(nq * dim));
  int status = jacobian && value && position ? GOOD : NO_MEMORY;
  for (int z = 0; z < s->nzones && status != NO_MEMORY; z++) {
    fem_rule_gradients(&r, s, z, dim, x, jacobian);
    fem_rule_values(&r, s, z, dim, x, position);
    fem_rule_energies(&r, s, rho + (int64_t)z * s->nt, value);
    for (int q = 0; q < nq; q++) {
      const int64_t at = (int64_t)z * nq + q;
      const double *j = jacobian + q * dim * dim, volume = s->weight[q] * fem_determinant(dim, j);
      double adj[9], at_point = density(user, position + q * dim);
      point_adjugate(dim, j, adj);
      for (int i = 0; i < dim * dim; i++) m->initial_inverse[at * dim * dim + i] = adj[i] / (volume / s->weight[q]);
      m->mass[at] = value[q] * volume;
      m->density[at] = at_point * volume;
      m->volume += volume;
      if (!positive(volume)) status = BAD_VOLUME;
      if (status == GOOD && !positive(at_point)) status = BAD_DENSITY;
    }
  }
  fem_rule_destroy(&r);
  free(jacobian);
  free(value);
  free(position);
  return status;
}

/* gamma at the centres of the zones */
static int fill_gamma(fem_material *m, const fem_space *s, const double *x, fem_function gamma, const void *user)
{
  fem_rule centre;
  int status = GOOD;
  if (fem_rule_create(&centre, s, 1, (double[]){0.5}, NULL)) return NO_MEMORY;
  for (int z = 0; z < s->nzones; z++) {
    double position[3] = {0.0, 0.0, 0.0};
    fem_rule_values(&centre, s, z, s->dim, x, position);
    m->gamma[z] = gamma(user, position);
    if (!(isfinite(m->gamma[z]) && m->gamma[z] > 1.0)) status = BAD_GAMMA;
  }
  fem_rule_destroy(&centre);
  return status;
}

int fem_material_create(fem_material **material, const fem_space *s, const double *x, fem_function density,
                        fem_function gamma, const void *user, const char **bad)
{
  *bad = NULL;
  fem_material *m = *material = calloc(1, sizeof *m);
  size_t zones = (size_t)s->nzones + 1, points = zones * (size_t)s->nq;
  double *rho = malloc(sizeof(double) * zones * (size_t)s->nt);
  if (m) {
    m->mass = malloc(sizeof(double) * points);
    m->density = malloc(sizeof(double) * points);
    m->initial_inverse = malloc(sizeof(double) * points * (size_t)(s->dim * s->dim));
    m->gamma = malloc(sizeof(double) * zones);
  }
  int64_t status = m && rho && m->mass && m->density && m->initial_inverse && m->gamma ? GOOD : NO_MEMORY;
  if (!status && fem_project_scalar(s, x, density, user, rho)) status = NO_MEMORY;
  if (!status) status = fill(m, s, x, rho, density, user);
  if (!status) status = fill_gamma(m, s, x, gamma, user);
  free(rho);
  comm_max_int64(&status, 1);
  if (status) {
    fem_material_destroy(material);
    *bad = complaints[status];
    return status == NO_MEMORY ? 3 : 2;
  }
  comm_sum(&m->volume, 1);
  m->constants.h0 = pow(m->volume / (double)s->nzones_global, 1.0 / s->dim) / s->k;
  m->constants.order = s->k;
  return 0;
}

void fem_material_destroy(fem_material **material)
{
  fem_material *m = *material;
  if (!m) return;
  free(m->mass);
  free(m->density);
  free(m->initial_inverse);
  free(m->gamma);
  fem_material_unplace(m);
  free(m);
  *material = NULL;
}

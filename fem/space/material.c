/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"
#include "fem/point/point.h"

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

/* The fields of one zone at its points. */
typedef struct zone_fields {
  double *jacobian, *position, *rho; // [nq][dim][dim], [nq][dim], [nq]: the density's interpolation
} zone_fields;

/* J0^-1, of hexes J0^-T, and both masses at the points of a zone.  Inlined with dim known. */
static inline __attribute__((always_inline)) int fill_zone(fem_material *m, const fem_space *s, int dim, int zone,
                                                           const zone_fields *at, fem_function density,
                                                           const void *user)
{
  const bool hexes = dim == 3 && s->shape == MESH_TENSOR;
  int status = GOOD;
  for (int q = 0; q < s->nq; q++) {
    const int64_t point = (int64_t)zone * s->nq + q;
    const double *j = at->jacobian + q * dim * dim, det = fem_determinant(dim, j), volume = s->weight[q] * det;
    double adj[9], inverse = 1.0 / det, at_point = density(user, at->position + q * dim);
    point_adjugate(dim, j, adj);
    double *initial = m->initial_inverse + point * dim * dim;
    for (int i = 0; i < dim; i++)
      for (int k = 0; k < dim; k++) initial[i * dim + k] = (hexes ? adj[k * dim + i] : adj[i * dim + k]) * inverse;
    m->mass[point] = at->rho[q] * volume;
    m->density[point] = at_point * volume;
    m->volume += volume;
    if (!positive(volume)) status = BAD_VOLUME;
    if (status == GOOD && !positive(at_point)) status = BAD_DENSITY;
  }
  return status;
}

/* J0^-1, the volumes and both masses at the points of all zones; rho: Bernstein coefficients of the density. */
static int fill(fem_material *m, const fem_space *s, const double *x, const double *rho, fem_function density,
                const void *user)
{
  const int dim = s->dim, nq = s->nq;
  fem_rule r;
  if (fem_rule_create_own(&r, s)) return NO_MEMORY;
  zone_fields at = {.jacobian = malloc(sizeof(double) * (size_t)(nq * dim * dim)),
                    .position = malloc(sizeof(double) * (size_t)(nq * dim)),
                    .rho = malloc(sizeof(double) * (size_t)nq)};
  int status = at.jacobian && at.position && at.rho ? GOOD : NO_MEMORY;
  for (int z = 0; z < s->nzones && status != NO_MEMORY; z++) {
    fem_rule_gradients(&r, s, z, dim, x, at.jacobian);
    fem_rule_values(&r, s, z, dim, x, at.position);
    fem_rule_energies(&r, s, rho + (int64_t)z * s->nt, at.rho);
    const int bad = dim == 1   ? fill_zone(m, s, 1, z, &at, density, user)
                    : dim == 2 ? fill_zone(m, s, 2, z, &at, density, user)
                               : fill_zone(m, s, 3, z, &at, density, user);
    if (status == GOOD || bad == BAD_VOLUME) status = bad;
  }
  fem_rule_destroy(&r);
  free(at.jacobian);
  free(at.position);
  free(at.rho);
  return status;
}

/* gamma at the centres of the zones */
static int fill_gamma(fem_material *m, const fem_space *s, const double *x, fem_function gamma, const void *user)
{
  fem_rule centre;
  int status = GOOD;
  if (fem_rule_create_middle(&centre, s)) return NO_MEMORY;
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
    return status == NO_MEMORY ? STATUS_MACHINE : STATUS_INPUT;
  }
  comm_sum(&m->volume, 1);
  const double reference = s->shape == MESH_TENSOR ? 1.0 : s->dim == 2 ? 0.5 : 1.0 / 6; // volume of a zone
  m->constants.h0 = pow(m->volume / reference / (double)s->nzones_global, 1.0 / s->dim) / s->k;
  m->constants.order = s->k;
  return 0;
}

int fem_first_inverted(const fem_space *s, const double *x, double *position, double *determinant)
{
  fem_rule r;
  const int dim = s->dim, square = dim * dim;
  double *jacobian = malloc(sizeof *jacobian * (size_t)(s->nq * square));
  double *at = malloc(sizeof *at * (size_t)(s->nq * dim));
  int found = -1;
  const bool ready = jacobian && at && !fem_rule_create_own(&r, s);
  for (int z = 0; ready && z < s->nzones && found < 0; z++) {
    fem_rule_gradients(&r, s, z, dim, x, jacobian);
    for (int q = 0; q < s->nq && found < 0; q++) {
      *determinant = fem_determinant(dim, jacobian + q * square);
      if (positive(*determinant)) continue;
      found = z;
      fem_rule_values(&r, s, z, dim, x, at);
      memcpy(position, at + q * dim, sizeof *at * (size_t)dim);
    }
  }
  if (ready) fem_rule_destroy(&r);
  free(jacobian);
  free(at);
  return found;
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

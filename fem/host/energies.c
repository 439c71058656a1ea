/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal and kinetic energy on the host: zone by zone, point by point.
 */
#include <stdlib.h>

#include "../fem.h"
#include "../tables.h"

static double internal_of(const fem_rule *r, const fem_energies_args *a, int zone, double *value)
{
  const fem_space *s = a->space;
  const double *mass = a->material->mass + (int64_t)zone * s->nq;
  double sum = 0.0;
  fem_rule_energies(r, s, a->e + (int64_t)zone * s->nt, value);
  for (int q = 0; q < s->nq; q++) sum += mass[q] * value[q];
  return sum;
}

static double kinetic_of(const fem_rule *r, const fem_energies_args *a, int zone, double *value)
{
  const fem_space *s = a->space;
  const double *mass = a->material->mass + (int64_t)zone * s->nq;
  double sum = 0.0;
  fem_rule_values(r, s, zone, s->dim, a->v, value);
  for (int q = 0; q < s->nq; q++) {
    double square = 0.0;
    for (int c = 0; c < s->dim; c++) square += value[q * s->dim + c] * value[q * s->dim + c];
    sum += 0.5 * mass[q] * square;
  }
  return sum;
}

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_energies_args *a = p;
  const fem_space *s = a->space;
  fem_rule r;
  double *value = malloc(sizeof(double) * (size_t)(s->nq * s->dim)), internal = 0.0, kinetic = 0.0;
  int status = fem_rule_create_gauss(&r, s, s->q1) || !value ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
  for (int z = 0; z < s->nzones && !status; z++) {
    internal += internal_of(&r, a, z, value);
    kinetic += kinetic_of(&r, a, z, value);
  }
  fem_rule_destroy(&r);
  free(value);
  a->sums[0] = internal;
  a->sums[1] = kinetic;
  return status;
}

const batched_variant fem_host_energies[] = {
  {.name = "host.ref", .run = run_ref},
  {0},
};

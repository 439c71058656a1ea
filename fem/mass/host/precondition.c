/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses on the host: fem/mass/precondition.h.
 *   host.sumfact   a block of LANES zones at a time, by sum factorisation; a simplex has one dense factor
 *   host.ref       zone by zone, plain loops
 */
#include <stdlib.h>

#include "fem/mass/host/mass.h"
#include "fem/mass/host/single.h"
#include "fem/mass/host/zone_lanes.h"
#include "fem/mass/precondition.h"
#include "fem/tables.h"

/* ------------------------------------------------------------------ host.sumfact */

typedef struct inverse_blocks {
  int *dofs, *runs;     /* owned: tensor_nodes */
  double *scale;        /* owned, [block][nd][LANES] */
  single_zones *single; /* owned: the same in single precision, once it was asked for */
} inverse_blocks;

static int apply_sumfact(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  (void)ctx;
  const fem_space *s = m->space;
  const inverse_blocks *p = m->zone_inverse->store;
  const zone_lanes zones = {
    .ncomp = s->dim, .n1 = s->d1, .table = m->zone_inverse->inverse, .nodes = {p->dofs, p->runs}, .scale = p->scale};
  int first, last;
  fem_part_zones(s, part, &first, &last);
  zone_lanes_invert(&zones, s, first, last, s->ndofs, r, z);
  return BATCHED_SUCCESS;
}

static int invert_single(batched_ctx *ctx, void *mass, const float *r, float *z)
{
  (void)ctx;
  const fem_mass *m = mass;
  const fem_space *s = m->space;
  inverse_blocks *p = m->zone_inverse->store;
  if (!p->single) {
    p->single = single_zones_create(s, s->d1 * s->d1, m->zone_inverse->inverse, s->nd, LANES, p->scale);
    const int status = comm_worst(p->single ? BATCHED_SUCCESS : BATCHED_NO_MEMORY);
    if (status) return status;
  }
  return single_zones_invert(p->single, s, r, z);
}

static int setup_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const fem_space *s = m->space;
  inverse_blocks *p = m->zone_inverse->store = calloc(1, sizeof *p);
  if (!p) return BATCHED_NO_MEMORY;
  m->matrix.precondition_single = invert_single;
  const bool placed = tensor_nodes_create(s->nzones, s->d1, s->nd, s->dofs, &p->dofs, &p->runs);
  p->scale = tensor_block_data(s->threads, s->nzones, s->nd, m->zone_inverse->scale);
  return placed && p->scale ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

static void teardown_sumfact(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  inverse_blocks *p = m->zone_inverse->store;
  free(p->dofs);
  free(p->runs);
  free(p->scale);
  single_zones_destroy(&p->single);
  free(p);
  m->zone_inverse->store = NULL;
}

static void constants_of_sumfact(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const inverse_blocks *p = m->zone_inverse->store;
  const size_t nodes = (size_t)tensor_blocks(m->space->nzones) * LANES * (size_t)m->space->nd;
  visit(user, "the nodes of a preconditioner", p->dofs, sizeof(int) * nodes);
  visit(user, "the runs of a preconditioner", p->runs,
        sizeof(int) * (size_t)tensor_blocks(m->space->nzones) * (size_t)tensor_runs(m->space->nd));
  visit(user, "the scale of a preconditioner", p->scale, sizeof(double) * nodes);
}

static const fem_precondition_functions sumfact = {.setup = setup_sumfact,
                                                   .apply = apply_sumfact,
                                                   .adds = true,
                                                   .teardown = teardown_sumfact,
                                                   .constants = constants_of_sumfact};

/* ------------------------------------------------------------------ host.ref */

static int setup_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  const size_t n = (size_t)m->space->nzones * (size_t)m->space->nd;
  double *scale = m->zone_inverse->store = malloc(sizeof *scale * (n + 1));
  for (size_t i = 0; scale && i < n; i++) scale[i] = m->zone_inverse->scale[i];
  return scale ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

/* Entry (i, j) of the inverse of the reference zone's matrix. */
static double inverse_entry(const fem_space *s, const double *inverse, int i, int j)
{
  double product = 1.0;
  for (int d = 0; d < s->factors; d++, i /= s->d1, j /= s->d1) product *= inverse[i % s->d1 * s->d1 + j % s->d1];
  return product;
}

static int apply_ref(batched_ctx *ctx, fem_mass *m, fem_part part, const double *r, double *z)
{
  (void)ctx;
  const fem_space *s = m->space;
  int first, last;
  fem_part_zones(s, part, &first, &last);
  for (int zone = first; zone < last; zone++) {
    const int *dofs = s->dofs + (int64_t)zone * s->nd;
    const double *scale = (const double *)m->zone_inverse->store + (int64_t)zone * s->nd;
    for (int i = 0; i < s->nd; i++)
      for (int j = 0; j < s->nd; j++) {
        const double entry = scale[i] * inverse_entry(s, m->zone_inverse->inverse, i, j) * scale[j];
        for (int64_t c = 0; c < s->dim; c++) z[c * s->ndofs + dofs[i]] += entry * r[c * s->ndofs + dofs[j]];
      }
  }
  return BATCHED_SUCCESS;
}

static void teardown_ref(batched_ctx *ctx, fem_mass *m)
{
  (void)ctx;
  free(m->zone_inverse->store);
  m->zone_inverse->store = NULL;
}

static void constants_of_ref(const fem_mass *m, fem_constant_visit *visit, void *user)
{
  const size_t n = (size_t)m->space->nzones * (size_t)m->space->nd;
  visit(user, "the scale of a preconditioner", m->zone_inverse->store, sizeof(double) * n);
}

static const fem_precondition_functions ref = {
  .setup = setup_ref, .apply = apply_ref, .adds = true, .teardown = teardown_ref, .constants = constants_of_ref};

const batched_variant fem_host_precondition[] = {
  {.name = "host.sumfact", .functions = &sumfact},
  {.name = "host.ref", .functions = &ref},
  {0},
};

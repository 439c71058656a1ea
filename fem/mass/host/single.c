/* SPDX-License-Identifier: BSD-3-Clause */
#define LANES_SINGLE
#include "fem/mass/host/single.h"

#include <stdlib.h>
#include <string.h>

#include "fem/mass/host/zone_lanes.h"
#include "mesh/comm/share.h"

struct single_zones {
  bool even;            /* products of zones of one density each */
  float *table, *scale; /* owned, as all below */
  int *dofs, *runs;
  int nsummed;  /* dofs that a sum over ranks changes, */
  int *summed;  /* which ones, */
  double *sums; /* and their sums: [dim][ndofs]; NULL: there are none */
};

static bool fill(single_zones *p, const fem_space *s, int entries, const double *table, int n, int lanes,
                 const double *scale)
{
  const int64_t blocks = tensor_blocks(s->nzones);
  p->even = n == 1;
  p->table = malloc(sizeof(float) * (size_t)entries);
  p->scale = comm_allocate_large(sizeof(float) * ((size_t)blocks * (size_t)n + 1) * LANES);
  p->dofs = malloc(sizeof(int) * ((size_t)blocks * (size_t)s->nd + 1) * LANES);
  p->runs = malloc(sizeof(int) * ((size_t)blocks * (size_t)tensor_runs(s->nd) + 1));
  if (!p->table || !p->scale || !p->dofs || !p->runs) return false;
  for (int i = 0; i < entries; i++) p->table[i] = (float)table[i];
  for (int64_t at = 0; at < blocks * LANES; at++) { // the last block is filled up with copies of the last zone
    const int64_t zone = at < s->nzones ? at : s->nzones - 1, block = at / LANES, lane = at % LANES;
    const double *from = scale + zone / lanes * n * lanes + zone % lanes;
    for (int i = 0; i < n; i++) p->scale[(block * n + i) * LANES + lane] = (float)from[(int64_t)i * lanes];
    for (int i = 0; i < s->nd; i++) p->dofs[(block * s->nd + i) * LANES + lane] = s->dofs[zone * s->nd + i];
  }
  tensor_find_runs(s->nzones, s->d1, s->nd, p->dofs, p->runs);
  return true;
}

static bool list_summed(single_zones *p, const fem_space *s)
{
  if (halo_alone(s->halo)) return true;
  p->summed = calloc((size_t)s->ndofs + 1, sizeof(int));
  p->sums = calloc((size_t)(s->dim * (int64_t)s->ndofs) + 1, sizeof(double));
  if (!p->summed || !p->sums) return false;
  halo_mark_summed(s->halo, p->summed);
  for (int i = 0; i < s->ndofs; i++)
    if (p->summed[i]) p->summed[p->nsummed++] = i;
  return true;
}

single_zones *single_zones_create(const fem_space *s, int entries, const double *table, int n, int lanes,
                                  const double *scale)
{
  single_zones *p = calloc(1, sizeof *p);
  if (p && (!fill(p, s, entries, table, n, lanes, scale) || !list_summed(p, s))) single_zones_destroy(&p);
  return p;
}

void single_zones_destroy(single_zones **zones)
{
  single_zones *p = *zones;
  if (!p) return;
  free(p->table);
  free(p->scale);
  free(p->dofs);
  free(p->runs);
  free(p->summed);
  free(p->sums);
  free(p);
  *zones = NULL;
}

/* Sums over ranks, in double precision, and walls. */
static int finish(single_zones *p, const fem_space *s, float *y)
{
  int status = BATCHED_SUCCESS;
  if (p->sums) {
    for (int64_t c = 0; c < s->dim; c++)
      for (int i = 0; i < p->nsummed; i++)
        p->sums[c * s->ndofs + p->summed[i]] = (double)y[c * s->ndofs + p->summed[i]];
    status = halo_sum_begin(NULL, s->halo, s->dim, p->sums);
    const int ended = halo_sum_end(NULL, s->halo, s->dim, p->sums);
    if (!status) status = ended;
    for (int64_t c = 0; c < s->dim; c++)
      for (int i = 0; i < p->nsummed; i++) y[c * s->ndofs + p->summed[i]] = (float)p->sums[c * s->ndofs + p->summed[i]];
  }
  for (int c = 0; c < s->dim; c++)
    for (int i = s->constrained_start[c]; i < s->constrained_start[c + 1]; i++)
      y[(int64_t)c * s->ndofs + s->constrained[i]] = 0.0f;
  return status;
}

static zone_lanes lanes_of(const single_zones *p, const fem_space *s)
{
  return (zone_lanes){s->dim, s->d1, p->table, {p->dofs, p->runs}, p->scale, p->even};
}

int single_zones_multiply(single_zones *p, const fem_space *s, const float *x, float *y)
{
  const zone_lanes zones = lanes_of(p, s);
  memset(y, 0, sizeof *y * (size_t)s->dim * (size_t)s->ndofs);
  zone_lanes_multiply(&zones, s, 0, s->nzones, s->ndofs, x, y);
  return finish(p, s, y);
}

int single_zones_invert(single_zones *p, const fem_space *s, const float *r, float *z)
{
  const zone_lanes zones = lanes_of(p, s);
  memset(z, 0, sizeof *z * (size_t)s->dim * (size_t)s->ndofs);
  zone_lanes_invert(&zones, s, 0, s->nzones, s->ndofs, r, z);
  return finish(p, s, z);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Internal and kinetic energy on the host.
 *   host.sumfact   a block of LANES zones at a time, by sum factorisation
 *   host.ref       zone by zone, point by point
 */
#include <stdlib.h>
#include <string.h>

#include "fem/host/tensor.h"
#include "fem/tables.h"

/* ------------------------------------------------------------------ host.sumfact */

/* A lane is zone first + l; lanes beyond the last zone have copies of it, and no mass. */
typedef struct zone_lanes {
  int first, zones;
  int zone[LANES]; /* relative to `first` */
} zone_lanes;

static zone_lanes lanes_of(const fem_space *s, int first)
{
  zone_lanes b = {.first = first, .zones = s->nzones - first < LANES ? s->nzones - first : LANES};
  for (int l = 0; l < LANES; l++) b.zone[l] = l < b.zones ? l : b.zones - 1;
  return b;
}

/* 1 for lanes with a zone, 0 for others.  (Storing to single lanes from a variable one on, gcc 12 takes their
 * address for aligned.) */
static inline real lanes_there(const zone_lanes *b)
{
  double is[LANES];
  real there;
  for (int l = 0; l < LANES; l++) is[l] = l < b->zones;
  memcpy(&there, is, sizeof there);
  return there;
}

/* Entry i of each lane's zone in an array of `each` entries per zone. */
POINT_FN real lane_entries(const zone_lanes *b, const double *data, int each, int i)
{
  int index[LANES];
  for (int l = 0; l < LANES; l++) index[l] = b->zone[l] * each + i;
  return real_gather(data + (int64_t)b->first * each, index);
}

/* Entries of a component of an L-vector at node i of each lane's zone. */
POINT_FN real lane_nodes(const zone_lanes *b, const fem_space *s, const double *component, int i)
{
  int index[LANES];
  for (int l = 0; l < LANES; l++) index[l] = s->dofs[((int64_t)b->first + b->zone[l]) * s->nd + i];
  return real_gather(component, index);
}

typedef enum integrand { LINEAR, SQUARE } integrand;

/* Sum over the points of mass u, or of mass u^2, where u has n1 functions a direction; mass has shape [nq][LANES]. */
POINT_FN real integral(int dim, int n1, int q1, const double *table, const real *mass, const real *u, integrand what)
{
  const int plane = dim >= 2 ? n1 * n1 : n1;
  real uz[TENSOR_MAX_PLANE], row[TENSOR_MAX_1D], value[FEM_MAX_POINTS], sum = real_of(0.0);
  for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
    const real *in = u;
    if (dim == 3) {
      tensor_sum(n1, plane, table + qz * n1, u, uz);
      in = uz;
    }
    for (int qy = 0; qy < tensor_rows(dim, q1); qy++, mass += q1) {
      const real *line = in;
      if (dim >= 2) {
        tensor_sum(n1, n1, table + qy * n1, in, row);
        line = row;
      }
      tensor_row(q1, n1, table, line, value);
      for (int q = 0; q < q1; q++) sum += mass[q] * (what == SQUARE ? value[q] * value[q] : value[q]);
    }
  }
  return sum;
}

POINT_FN void add_block(const fem_energies_args *a, const zone_lanes *b, real *mass, real sums[2], int dim, int d1,
                        int t1, int q1)
{
  const fem_space *s = a->space;
  real u[TENSOR_MAX_ZONE];
  const real there = lanes_there(b);
  const int nq = fem_power(q1, dim), nt = fem_power(t1, dim), nd = fem_power(d1, dim);
  for (int q = 0; q < nq; q++) mass[q] = there * lane_entries(b, a->material->mass, nq, q);
  for (int i = 0; i < nt; i++) u[i] = lane_entries(b, a->e, nt, i);
  sums[0] += integral(dim, t1, q1, s->bt, mass, u, LINEAR);
  for (int c = 0; c < dim; c++) {
    for (int i = 0; i < nd; i++) u[i] = lane_nodes(b, s, a->v + (int64_t)c * s->ndofs, i);
    sums[1] += 0.5 * integral(dim, d1, q1, s->b, mass, u, SQUARE);
  }
}

/* Sums over all zones, by lanes. */
POINT_FN void add_blocks(const fem_energies_args *a, real *mass, real sums[2], int dim, int d1, int t1, int q1)
{
  for (int first = 0; first < a->space->nzones; first += LANES) {
    const zone_lanes b = lanes_of(a->space, first);
    add_block(a, &b, mass, sums, dim, d1, t1, q1);
  }
}

typedef void add_function(const fem_energies_args *a, real *mass, real sums[2]);

#define SHAPE(DIM, D1, Q1) \
  static void add_##DIM##_##D1##_##Q1(const fem_energies_args *a, real *mass, real sums[2]) \
  { \
    add_blocks(a, mass, sums, DIM, D1, D1 - 1, Q1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static void add_any(const fem_energies_args *a, real *mass, real sums[2])
{
  const fem_space *s = a->space;
  add_blocks(a, mass, sums, s->dim, s->d1, s->t1, s->q1);
}

static add_function *find_add(const fem_space *s)
{
#define SHAPE(DIM, D1, Q1) \
  if (s->dim == DIM && s->d1 == D1 && s->t1 == D1 - 1 && s->q1 == Q1) return add_##DIM##_##D1##_##Q1;
#include "fem/shapes.def"
#undef SHAPE
  return add_any;
}

static int run_sumfact(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_energies_args *a = p;
  real sums[2] = {real_of(0.0), real_of(0.0)};
  real *mass = aligned_alloc(sizeof(real), sizeof(real) * (size_t)a->space->nq);
  if (!mass) return BATCHED_NO_MEMORY;
  find_add(a->space)(a, mass, sums);
  free(mass);
  a->sums[0] = a->sums[1] = 0.0;
  for (int l = 0; l < LANES; l++) a->sums[0] += sums[0][l], a->sums[1] += sums[1][l];
  return BATCHED_SUCCESS;
}

/* ------------------------------------------------------------------ host.ref */

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
  int status = fem_rule_create_own(&r, s) || !value ? BATCHED_NO_MEMORY : BATCHED_SUCCESS;
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

static bool fits_sumfact(const void *p)
{
  return ((const fem_energies_args *)p)->space->shape == MESH_TENSOR;
}

const batched_variant fem_host_energies[] = {
  {.name = "host.sumfact", .fits = fits_sumfact, .run = run_sumfact},
  {.name = "host.ref", .run = run_ref},
  {0},
};

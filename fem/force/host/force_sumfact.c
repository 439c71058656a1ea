/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force by sum factorisation: F is never formed, the stress is kept at the points, LANES zones go side by
 * side.  A block's fields are contracted plane by plane and row by row (fields.h), and the physics of a row of points
 * runs while its gradients are in the first-level cache.
 */
#include <stdlib.h>

#include "fem/force/host/force.h"
#include "fem/host/fields.h"
#include "fem/point/point.h"
#include "mesh/comm/share.h"

typedef struct sizes {
  void (*stress)(const fem_force *f, const double *x, const double *v, const double *e, double *time_step);
  void (*apply)(const fem_force *f, int first, int last, double *out);
  void (*power)(const fem_force *f, const double *v, double *out);
} sizes;

typedef struct store {     // all owned
  sizes compiled;          // for the sizes of the space
  int *dofs, *runs;        // tensor_nodes
  double *mass;            // [block][nq][LANES]
  bool affine;             // all zones were parallelepipeds at the start
  double *initial_inverse; // [block][nq][dim][dim][LANES]; where affine [block][dim][dim][LANES], for all points
  double *gamma;           // [block][LANES]
  double *a;               // [block][nq][dim][dim][LANES]: stress, see point_stress
} store;

POINT_FN tensor_nodes nodes_of(const store *st)
{
  return (tensor_nodes){st->dofs, st->runs};
}

/* ------------------------------------------------------------------ stress */

/* The physics on one row of points: gradients of position and velocity, energies -> stress; returns the smallest
 * step of this row and before.  inverses: dim, or 0 where there is one for all points. */
POINT_FN real stress_row(int dim, int q1, const point_constants *k, const double *weight, real gamma, const real *mass,
                         const real *initial_inverse, int inverses, const field_row *x, const field_row *v,
                         const real *energy, real smallest, real *a)
{
  for (int q = 0; q < q1; q++) {
    point_input in;
    for (int c = 0; c < dim; c++)
      for (int g = 0; g < dim; g++) {
        in.jacobian[c * dim + g] = x[c].along[g][q];
        in.gradient[c * dim + g] = v[c].along[g][q];
        in.initial_inverse[c * dim + g] = initial_inverse[(q * inverses + c) * dim + g];
      }
    in.mass = mass[q];
    in.weight = real_of(weight[q]);
    in.energy = energy[q];
    in.gamma = gamma;
    smallest = real_min(smallest, point_stress(dim, k, &in, smallest, a + q * dim * dim));
  }
  return smallest;
}

POINT_FN double lowest_lane(real a)
{
  double lowest = a[0];
  for (int l = 1; l < LANES; l++) lowest = a[l] < lowest ? a[l] : lowest;
  return lowest;
}

POINT_FN void stress(const fem_force *force, const double *x, const double *v, const double *energy, double *time_step,
                     int dim, int d1, int t1, int q1)
{
  const fem_space *s = force->space;
  const store *st = force->store;
  const point_constants k = force->material->constants;
  const int nd = fem_power(d1, dim), nt = fem_power(t1, dim), nq = fem_power(q1, dim);
  const double *fields[2] = {x, v};
  real u[2][3][TENSOR_MAX_ZONE], e[TENSOR_MAX_ZONE], e_plane[TENSOR_MAX_PLANE], e_row[FEM_MAX_POINTS];
  field_plane planes[2][3];
  field_row rows[2][3];
  real smallest = real_of(*time_step);
  for (int b = 0; b < tensor_blocks(s->nzones); b++) {
    for (int f = 0; f < 2; f++)
      for (int c = 0; c < dim; c++)
        tensor_gather(nd, d1, nodes_of(st), b, s->nzones - b * LANES, fields[f] + (int64_t)c * s->ndofs, u[f][c]);
    field_load_zones(nt, b, s->nzones, energy, e);
    for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
      for (int f = 0; f < 2; f++)
        for (int c = 0; c < dim; c++) field_to_plane(dim, d1, s, qz, u[f][c], &planes[f][c]);
      field_energy_to_plane(dim, t1, s, qz, e, e_plane);
      for (int qy = 0; qy < tensor_rows(dim, q1); qy++) {
        for (int f = 0; f < 2; f++)
          for (int c = 0; c < dim; c++) field_to_row(dim, d1, q1, s, qy, &planes[f][c], &rows[f][c]);
        field_energy_to_row(dim, t1, q1, s, qy, e_plane, e_row);
        const int first = (qz * q1 + qy) * q1;
        const int64_t at = (int64_t)b * nq + first;
        smallest = stress_row(dim, q1, &k, s->weight + first, ((const real *)st->gamma)[b], (const real *)st->mass + at,
                              (const real *)st->initial_inverse + (st->affine ? b : at) * dim * dim,
                              st->affine ? 0 : dim, rows[0], rows[1], e_row, smallest, (real *)st->a + at * dim * dim);
      }
    }
    smallest = real_of(lowest_lane(smallest));
  }
  *time_step = lowest_lane(smallest);
}

/* ------------------------------------------------------------------ F 1 */

POINT_FN void apply(const fem_force *force, int first, int last, double *out, int dim, int d1, int q1)
{
  const fem_space *s = force->space;
  const store *st = force->store;
  const int nd = fem_power(d1, dim), nq = fem_power(q1, dim), dd = dim * dim;
  real u[TENSOR_MAX_ZONE];
  field_plane p;
  field_row r;
  for (int b = first / LANES; b < tensor_blocks(last); b++)
    for (int c = 0; c < dim; c++) {
      const real *a = (const real *)st->a + (int64_t)b * nq * dd;
      tensor_zero(nd, u);
      for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
        tensor_zero(dim >= 2 ? d1 * d1 : d1, p.value);
        tensor_zero(dim >= 2 ? d1 * d1 : d1, p.slope);
        for (int qy = 0; qy < tensor_rows(dim, q1); qy++) {
          for (int q = 0; q < q1; q++)
            for (int g = 0; g < dim; g++) r.along[g][q] = a[((qz * q1 + qy) * q1 + q) * dd + c * dim + g];
          field_from_row(dim, d1, q1, s, qy, &r, &p);
        }
        field_from_plane(dim, d1, s, qz, &p, u);
      }
      const real tiny = real_of(DBL_EPSILON * DBL_EPSILON);
      for (int i = 0; i < nd; i++) u[i] = real_select(real_abs(u[i]) < tiny, real_of(0.0), u[i]);
      tensor_scatter(nd, d1, nodes_of(st), b, last - b * LANES, u, out + (int64_t)c * s->ndofs);
    }
}

/* ------------------------------------------------------------------ F^T v */

POINT_FN void power(const fem_force *force, const double *v, double *out, int dim, int d1, int t1, int q1)
{
  const fem_space *s = force->space;
  const store *st = force->store;
  const int nd = fem_power(d1, dim), nt = fem_power(t1, dim), nq = fem_power(q1, dim), dd = dim * dim;
  const int t_plane = dim >= 2 ? t1 * t1 : t1;
  real u[3][TENSOR_MAX_ZONE], e[TENSOR_MAX_ZONE], e_plane[TENSOR_MAX_PLANE], work[FEM_MAX_POINTS];
  field_plane planes[3];
  field_row r;
  for (int b = 0; b < tensor_blocks(s->nzones); b++) {
    const real *a = (const real *)st->a + (int64_t)b * nq * dd;
    for (int c = 0; c < dim; c++)
      tensor_gather(nd, d1, nodes_of(st), b, s->nzones - b * LANES, v + (int64_t)c * s->ndofs, u[c]);
    tensor_zero(nt, e);
    for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
      for (int c = 0; c < dim; c++) field_to_plane(dim, d1, s, qz, u[c], &planes[c]);
      tensor_zero(t_plane, e_plane);
      for (int qy = 0; qy < tensor_rows(dim, q1); qy++) {
        tensor_zero(q1, work);
        for (int c = 0; c < dim; c++) {
          field_to_row(dim, d1, q1, s, qy, &planes[c], &r);
          for (int q = 0; q < q1; q++)
            for (int g = 0; g < dim; g++) work[q] += a[((qz * q1 + qy) * q1 + q) * dd + c * dim + g] * r.along[g][q];
        }
        field_energy_from_row(dim, t1, q1, s, qy, work, e_plane);
      }
      if (dim == 3)
        tensor_spread(t1, t_plane, s->bt + qz * t1, e_plane, e);
      else
        for (int i = 0; i < nt; i++) e[i] = e_plane[i];
    }
    field_store_zones(nt, b, s->nzones, e, out);
  }
}

/* ------------------------------------------------------------------ sizes */

#define SHAPE(DIM, D1, Q1) \
  static void stress_##DIM##_##D1##_##Q1(const fem_force *f, const double *x, const double *v, const double *e, \
                                         double *time_step) \
  { \
    stress(f, x, v, e, time_step, DIM, D1, D1 - 1, Q1); \
  } \
  static void apply_##DIM##_##D1##_##Q1(const fem_force *f, int first, int last, double *out) \
  { \
    apply(f, first, last, out, DIM, D1, Q1); \
  } \
  static void power_##DIM##_##D1##_##Q1(const fem_force *f, const double *v, double *out) \
  { \
    power(f, v, out, DIM, D1, D1 - 1, Q1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static void stress_any(const fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  const fem_space *s = f->space;
  if (s->dim == 1) stress(f, x, v, e, time_step, 1, s->d1, s->t1, s->q1);
  if (s->dim == 2) stress(f, x, v, e, time_step, 2, s->d1, s->t1, s->q1);
  if (s->dim == 3) stress(f, x, v, e, time_step, 3, s->d1, s->t1, s->q1);
}

static void apply_any(const fem_force *f, int first, int last, double *out)
{
  const fem_space *s = f->space;
  if (s->dim == 1) apply(f, first, last, out, 1, s->d1, s->q1);
  if (s->dim == 2) apply(f, first, last, out, 2, s->d1, s->q1);
  if (s->dim == 3) apply(f, first, last, out, 3, s->d1, s->q1);
}

static void power_any(const fem_force *f, const double *v, double *out)
{
  const fem_space *s = f->space;
  if (s->dim == 1) power(f, v, out, 1, s->d1, s->t1, s->q1);
  if (s->dim == 2) power(f, v, out, 2, s->d1, s->t1, s->q1);
  if (s->dim == 3) power(f, v, out, 3, s->d1, s->t1, s->q1);
}

/* The functions compiled for the sizes of a space, or those for any. */
static sizes find_sizes(const fem_space *s)
{
#define SHAPE(DIM, D1, Q1) \
  if (s->dim == DIM && s->d1 == D1 && s->t1 == D1 - 1 && s->q1 == Q1) \
    return (sizes){stress_##DIM##_##D1##_##Q1, apply_##DIM##_##D1##_##Q1, power_##DIM##_##D1##_##Q1};
#include "fem/shapes.def"
#undef SHAPE
  return (sizes){stress_any, apply_any, power_any};
}

/* ------------------------------------------------------------------ the row */

static void teardown(batched_ctx *ctx, fem_force *f)
{
  (void)ctx;
  store *st = f->store;
  free(st->dofs);
  free(st->runs);
  free(st->mass);
  free(st->initial_inverse);
  free(st->gamma);
  free(st->a);
  free(st);
  f->store = NULL;
}

static int setup(batched_ctx *ctx, fem_force *f)
{
  const fem_space *s = f->space;
  const fem_material *m = f->material;
  const int dd = s->dim * s->dim;
  store *st = f->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  const size_t points = ((size_t)tensor_blocks(s->nzones) + 1) * (size_t)s->nq * LANES;
  st->compiled = find_sizes(s);
  const bool placed = tensor_nodes_create(s->nzones, s->d1, s->nd, s->dofs, &st->dofs, &st->runs);
  st->mass = tensor_block_data(s->threads, s->nzones, s->nq, m->mass);
  st->affine = m->affine;
  st->initial_inverse = tensor_block_data(s->threads, s->nzones, st->affine ? dd : s->nq * dd, m->initial_inverse);
  st->gamma = tensor_block_data(s->threads, s->nzones, 1, m->gamma);
  st->a = comm_allocate_large(sizeof(double) * points * (size_t)dd);
  if (placed && st->mass && st->initial_inverse && st->gamma && st->a) return BATCHED_SUCCESS;
  teardown(ctx, f);
  return BATCHED_NO_MEMORY;
}

static sizes compiled_for(const fem_force *f)
{
  return ((const store *)f->store)->compiled;
}

static int run_stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e,
                      double *time_step)
{
  (void)ctx;
  compiled_for(f).stress(f, x, v, e, time_step);
  return BATCHED_SUCCESS;
}

static int run_apply(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  (void)ctx;
  compiled_for(f).apply(f, first, last, out);
  return BATCHED_SUCCESS;
}

static int run_power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  (void)ctx;
  compiled_for(f).power(f, v, out);
  return BATCHED_SUCCESS;
}

static void constants(const fem_force *f, fem_constant_visit *visit, void *user)
{
  const fem_space *s = f->space;
  const store *st = f->store;
  const size_t zones = (size_t)tensor_blocks(s->nzones) * LANES, points = sizeof(double) * zones * (size_t)s->nq;
  visit(user, "the nodes of the zones", st->dofs, sizeof(int) * zones * (size_t)s->nd);
  visit(user, "the runs of nodes", st->runs, sizeof(int) * zones / LANES * (size_t)tensor_runs(s->nd));
  visit(user, "the mass at the points", st->mass, points);
  visit(user, "the initial shape of the zones", st->initial_inverse,
        (st->affine ? sizeof(double) * zones : points) * (size_t)(s->dim * s->dim));
  visit(user, "gamma of the zones", st->gamma, sizeof(double) * zones);
}

const fem_force_functions fem_host_force_sumfact = {
  .setup = setup,
  .stress = run_stress,
  .apply = run_apply,
  .power = run_power,
  .teardown = teardown,
  .constants = constants,
};

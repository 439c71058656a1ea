/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The energy source on the host.
 *   host.sumfact   a block of LANES zones at a time, by sum factorisation; the source itself lane by lane
 *   host.ref       zone by zone, point by point
 */
#include <stdlib.h>

#include "fem/host/fields.h"
#include "fem/point/point.h"
#include "fem/tables.h"

/* ------------------------------------------------------------------ host.sumfact */

/* The nodes of a block, [nd][LANES]; lanes beyond the last zone have those of the last zone. */
POINT_FN void block_dofs(const fem_space *s, int nd, int block, int *dofs)
{
  for (int l = 0; l < LANES; l++) {
    const int zone = block * LANES + l < s->nzones ? block * LANES + l : s->nzones - 1;
    for (int i = 0; i < nd; i++) dofs[i * LANES + l] = s->dofs[(int64_t)zone * nd + i];
  }
}

/* Positions at row qy of a plane. */
POINT_FN void positions_of_row(int dim, int d1, int q1, const fem_space *s, int qy, const real *plane, real *values)
{
  real line[TENSOR_MAX_1D];
  if (dim >= 2) tensor_sum(d1, d1, s->b + qy * d1, plane, line);
  tensor_row(q1, d1, s->b, dim >= 2 ? line : plane, values);
}

/* Determinant of the Jacobian at point q: x[c].along[g] are its entries. */
POINT_FN real determinant(int dim, const field_row *x, int q)
{
#define J(c, g) x[c].along[g][q]
  if (dim == 1) return J(0, 0);
  if (dim == 2) return J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0);
  return J(0, 0) * (J(1, 1) * J(2, 2) - J(1, 2) * J(2, 1)) - J(0, 1) * (J(1, 0) * J(2, 2) - J(1, 2) * J(2, 0)) +
         J(0, 2) * (J(1, 0) * J(2, 1) - J(1, 1) * J(2, 0));
#undef J
}

/* The source at point q of every lane. */
POINT_FN real source_at(point_source source, int dim, real (*position)[FEM_MAX_POINTS], int q)
{
  real strength = real_of(0.0);
  for (int l = 0; l < LANES; l++) {
    double x[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < dim; c++) x[c] = position[c][q][l];
    strength[l] = point_source_at(source, x);
  }
  return strength;
}

/* Integrals over one block, whose positions are u, with the functions of the energy: e [nt]. */
POINT_FN void integrate(const fem_space *s, point_source source, real (*u)[TENSOR_MAX_ZONE], real *e, int dim, int d1,
                        int t1, int q1)
{
  const int nt = fem_power(t1, dim), t_plane = dim >= 2 ? t1 * t1 : t1;
  real e_plane[TENSOR_MAX_PLANE], strength[FEM_MAX_POINTS], position[3][FEM_MAX_POINTS];
  field_plane planes[3];
  field_row rows[3];
  tensor_zero(nt, e);
  for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
    for (int c = 0; c < dim; c++) field_to_plane(dim, d1, s, qz, u[c], &planes[c]);
    tensor_zero(t_plane, e_plane);
    for (int qy = 0; qy < tensor_rows(dim, q1); qy++) {
      const double *weight = s->weight + (qz * q1 + qy) * q1;
      for (int c = 0; c < dim; c++) {
        field_to_row(dim, d1, q1, s, qy, &planes[c], &rows[c]);
        positions_of_row(dim, d1, q1, s, qy, planes[c].value, position[c]);
      }
      for (int q = 0; q < q1; q++)
        strength[q] = weight[q] * determinant(dim, rows, q) * source_at(source, dim, position, q);
      field_energy_from_row(dim, t1, q1, s, qy, strength, e_plane);
    }
    if (dim == 3)
      tensor_spread(t1, t_plane, s->bt + qz * t1, e_plane, e);
    else
      for (int i = 0; i < nt; i++) e[i] = e_plane[i];
  }
}

POINT_FN void add_blocks(const fem_source_args *a, int dim, int d1, int t1, int q1)
{
  const fem_space *s = a->space;
  const int nd = fem_power(d1, dim), nt = fem_power(t1, dim);
  real u[3][TENSOR_MAX_ZONE], e[TENSOR_MAX_ZONE];
  int dofs[TENSOR_MAX_ZONE * LANES];
  for (int b = 0; b < tensor_blocks(s->nzones); b++) {
    block_dofs(s, nd, b, dofs);
    for (int c = 0; c < dim; c++)
      for (int i = 0; i < nd; i++) u[c][i] = real_gather(a->x + (int64_t)c * s->ndofs, dofs + i * LANES);
    integrate(s, a->material->source, u, e, dim, d1, t1, q1);
    const int zones = s->nzones - b * LANES < LANES ? s->nzones - b * LANES : LANES;
    double *out = a->out + (int64_t)b * LANES * nt;
    for (int l = 0; l < zones; l++)
      for (int i = 0; i < nt; i++) out[l * nt + i] += e[i][l];
  }
}

typedef void add_function(const fem_source_args *a);

#define SHAPE(DIM, D1, Q1) \
  static void add_##DIM##_##D1##_##Q1(const fem_source_args *a) \
  { \
    add_blocks(a, DIM, D1, D1 - 1, Q1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static void add_any(const fem_source_args *a)
{
  const fem_space *s = a->space;
  if (s->dim == 1) add_blocks(a, 1, s->d1, s->t1, s->q1);
  if (s->dim == 2) add_blocks(a, 2, s->d1, s->t1, s->q1);
  if (s->dim == 3) add_blocks(a, 3, s->d1, s->t1, s->q1);
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
  const fem_source_args *args = p;
  find_add(args->space)(args);
  return BATCHED_SUCCESS;
}

static bool fits_sumfact(const void *p)
{
  return ((const fem_source_args *)p)->space->shape == MESH_TENSOR;
}

/* ------------------------------------------------------------------ host.ref */

static int run_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_source_args *args = p;
  const fem_space *s = args->space;
  const fem_material *m = args->material;
  const int dim = s->dim, nq = s->nq;
  fem_rule r;
  double *jacobian = malloc(sizeof(double) * (size_t)(nq * dim * dim)),
         *position = malloc(sizeof(double) * (size_t)(nq * dim));
  if (fem_rule_create_own(&r, s) || !jacobian || !position) {
    fem_rule_destroy(&r);
    free(jacobian);
    free(position);
    return BATCHED_NO_MEMORY;
  }
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&r, s, z, dim, args->x, jacobian);
    fem_rule_values(&r, s, z, dim, args->x, position);
    for (int q = 0; q < nq; q++) {
      double strength =
        s->weight[q] * fem_determinant(dim, jacobian + q * dim * dim) * point_source_at(m->source, position + q * dim);
      for (int j = 0; j < s->nt; j++)
        args->out[(int64_t)z * s->nt + j] += strength * fem_basis_at(s, s->t1, s->bt, -1, NULL, j, q);
    }
  }
  fem_rule_destroy(&r);
  free(jacobian);
  free(position);
  return BATCHED_SUCCESS;
}

const batched_variant fem_host_source[] = {
  {.name = "host.sumfact", .fits = fits_sumfact, .run = run_sumfact},
  {.name = "host.ref", .run = run_ref},
  {0},
};

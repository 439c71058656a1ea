/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/mass/host/mass.h"

#include <stdlib.h>

#include "fem/host/tensor.h"

/* One block of LANES zones, one component: y = B^T D B u with the tensor basis B, row by row. */
POINT_FN void block_product(int dim, int n1, int q1, const double *table, const real *density, const real *u, real *y)
{
  const int plane = dim >= 2 ? n1 * n1 : n1;
  real uz[TENSOR_MAX_PLANE], yz[TENSOR_MAX_PLANE];
  real row[TENSOR_MAX_1D], points[FEM_MAX_POINTS];
  tensor_zero(dim == 3 ? plane * n1 : plane, y);
  for (int qz = 0; qz < tensor_planes(dim, q1); qz++) {
    const real *in = u;
    real *out = y;
    if (dim == 3) {
      tensor_sum(n1, plane, table + qz * n1, u, uz);
      tensor_zero(plane, yz);
      in = uz, out = yz;
    }
    for (int qy = 0; qy < tensor_rows(dim, q1); qy++) {
      const real *d = density + (qz * q1 + qy) * q1;
      if (dim >= 2)
        tensor_sum(n1, n1, table + qy * n1, in, row);
      else
        for (int i = 0; i < n1; i++) row[i] = in[i];
      tensor_row(q1, n1, table, row, points);
      for (int q = 0; q < q1; q++) points[q] *= d[q];
      tensor_row_transposed(q1, n1, table, points, row);
      if (dim >= 2)
        tensor_spread(n1, n1, table + qy * n1, row, out);
      else
        for (int i = 0; i < n1; i++) out[i] = row[i];
    }
    if (dim == 3) tensor_spread(n1, plane, table + qz * n1, yz, y);
  }
}

POINT_FN void product(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                      double *y, int dim, int n1, int q1)
{
  real u[TENSOR_MAX_ZONE], v[TENSOR_MAX_ZONE];
  const int nd = fem_power(n1, dim);
  for (int b = tensor_blocks(first); b < tensor_blocks(last); b++) { // no block is done twice, also when none is left
    const int *dofs = m->dofs + (int64_t)b * nd * LANES;
    const real *density = (const real *)m->density + (int64_t)b * s->nq;
    for (int c = 0; c < m->ncomp; c++) {
      tensor_gather(nd, dofs, x + c * stride, u);
      block_product(dim, n1, q1, m->table, density, u, v);
      tensor_scatter(nd, last - b * LANES, dofs, v, y + c * stride);
    }
  }
}

typedef void product_function(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride,
                              const double *x, double *y);

#define SHAPE(DIM, N1, Q1) \
  static void product_##DIM##_##N1##_##Q1(const sumfact_mass *m, const fem_space *s, int first, int last, \
                                          int64_t stride, const double *x, double *y) \
  { \
    product(m, s, first, last, stride, x, y, DIM, N1, Q1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static void product_any(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                        double *y)
{
  product(m, s, first, last, stride, x, y, s->dim, m->n1, s->q1);
}

static product_function *find_product(int dim, int n1, int q1)
{
#define SHAPE(DIM, N1, Q1) \
  if (dim == DIM && n1 == N1 && q1 == Q1) return product_##DIM##_##N1##_##Q1;
#include "fem/shapes.def"
#undef SHAPE
  return product_any;
}

void sumfact_mass_add(const sumfact_mass *m, const fem_space *s, int first, int last, int64_t stride, const double *x,
                      double *y)
{
  find_product(s->dim, m->n1, s->q1)(m, s, first, last, stride, x, y);
}

int sumfact_mass_create(sumfact_mass *m, const fem_space *s, const fem_material *material, int ncomp, int n1,
                        const double *table, const int *dofs)
{
  const int nd = fem_power(n1, s->dim);
  *m = (sumfact_mass){.ncomp = ncomp, .n1 = n1, .table = table};
  m->dofs = tensor_block_dofs(s->nzones, nd, dofs);
  m->density = tensor_block_data(s->threads, s->nzones, s->nq, material->density);
  if (m->dofs && m->density) return BATCHED_SUCCESS;
  sumfact_mass_destroy(m);
  return BATCHED_NO_MEMORY;
}

void sumfact_mass_constants(const sumfact_mass *m, const fem_space *s, fem_constant_visit *visit, void *user)
{
  const size_t zones = (size_t)tensor_blocks(s->nzones) * LANES;
  visit(user, "the nodes of a mass matrix", m->dofs, sizeof(int) * zones * (size_t)fem_power(m->n1, s->dim));
  visit(user, "the density of a mass matrix", m->density, sizeof(double) * zones * (size_t)s->nq);
}

void sumfact_mass_destroy(sumfact_mass *m)
{
  free(m->dofs);
  free(m->density);
  m->dofs = NULL;
  m->density = NULL;
}

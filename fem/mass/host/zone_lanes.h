/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with zones' mass matrices and with their scaled inverses by sum factorisation, for blocks of LANES zones.
 * mass.c and precondition.c have them for numbers in double precision, single.c in single (lanes.h).
 */
#ifndef FEM_HOST_ZONE_LANES_H
#define FEM_HOST_ZONE_LANES_H

#include "fem/host/tensor.h"

/* The zones of a rank in blocks of LANES. */
typedef struct zone_lanes {
  int ncomp, n1;       /* components side by side; functions per direction */
  const number *table; /* [q1][n1] of products, [n1][n1] of even ones and of inverses */
  tensor_nodes nodes;
  const number *scale; /* of products the density at the points, [block][nq][LANES], of even ones [block][LANES]; of
                          inverses S_z, [block][nd][LANES] */
  bool even;           /* products of zones of one density each: table is the reference zone's matrix of a direction */
} zone_lanes;

/* ------------------------------------------------------------------ products */

/* One block of LANES zones, one component: y = B^T D B u with the tensor basis B, row by row. */
POINT_FN void block_product(int dim, int n1, int q1, const number *table, const real *density, const real *u, real *y)
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

POINT_FN void product(const zone_lanes *m, const fem_space *s, int first, int last, int64_t stride, const number *x,
                      number *y, int dim, int n1, int q1)
{
  real u[TENSOR_MAX_ZONE], v[TENSOR_MAX_ZONE];
  const int nd = fem_power(n1, dim);
  for (int b = tensor_blocks(first); b < tensor_blocks(last); b++) { // no block is done twice, also when none is left
    const real *density = (const real *)m->scale + (int64_t)b * s->nq;
    for (int c = 0; c < m->ncomp; c++) {
      tensor_gather(nd, n1, m->nodes, b, last - b * LANES, x + c * stride, u);
      block_product(dim, n1, q1, m->table, density, u, v);
      tensor_scatter(nd, n1, m->nodes, b, last - b * LANES, v, y + c * stride);
    }
  }
}

typedef void product_function(const zone_lanes *m, const fem_space *s, int first, int last, int64_t stride,
                              const number *x, number *y);

/* The velocity's functions, and the energy's, of which a direction has one less. */
#define SHAPE(DIM, N1, Q1) \
  static void product_##DIM##_##N1##_##Q1(const zone_lanes *m, const fem_space *s, int first, int last, \
                                          int64_t stride, const number *x, number *y) \
  { \
    product(m, s, first, last, stride, x, y, DIM, N1, Q1); \
  } \
  static void energy_product_##DIM##_##N1##_##Q1(const zone_lanes *m, const fem_space *s, int first, int last, \
                                                 int64_t stride, const number *x, number *y) \
  { \
    product(m, s, first, last, stride, x, y, DIM, N1 - 1, Q1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static void product_any(const zone_lanes *m, const fem_space *s, int first, int last, int64_t stride, const number *x,
                        number *y)
{
  product(m, s, first, last, stride, x, y, s->dim, m->n1, s->q1);
}

static product_function *find_product(int dim, int n1, int q1)
{
#define SHAPE(DIM, N1, Q1) \
  if (dim == DIM && n1 == N1 && q1 == Q1) return product_##DIM##_##N1##_##Q1; \
  if (dim == DIM && n1 == N1 - 1 && q1 == Q1) return energy_product_##DIM##_##N1##_##Q1;
#include "fem/shapes.def"
#undef SHAPE
  return product_any;
}

/* ------------------------------------------------------------------ one matrix in all directions */

/* A direction with `inner` entries before it: out[o][i][j] = sum_l a[i][l] in[o][l][j], for a symmetric a. */
POINT_FN void along(int outer, int n, int inner, const number *a, const real *in, real *out)
{
  for (int o = 0; o < outer; o++, in += n * inner, out += n * inner)
    for (int i = 0; i < n; i++) tensor_sum(n, inner, a + i * n, in, out + i * inner);
}

/* The same in all directions, of u or v, whichever is returned; the other one is lost. */
POINT_FN real *along_all(int factors, int n, const number *a, real *u, real *v)
{
  const int nd = fem_power(n, factors);
  along(nd / n, n, 1, a, u, v);
  if (factors >= 2) along(nd / n / n, n, n, a, v, u);
  if (factors == 3) along(1, n, n * n, a, u, v);
  return factors == 2 ? u : v;
}

/* Products where all zones have one density each: a number times the reference zone's matrix. */
POINT_FN void multiply_even(const zone_lanes *m, int first, int last, int64_t stride, const number *x, number *y,
                            int factors, int n)
{
  const int nd = fem_power(n, factors);
  real u[TENSOR_MAX_ZONE], v[TENSOR_MAX_ZONE];
  for (int b = tensor_blocks(first); b < tensor_blocks(last); b++) {
    const real density = ((const real *)m->scale)[b];
    for (int c = 0; c < m->ncomp; c++) {
      tensor_gather(nd, n, m->nodes, b, last - b * LANES, x + c * stride, u);
      real *out = along_all(factors, n, m->table, u, v);
      for (int i = 0; i < nd; i++) out[i] *= density;
      tensor_scatter(nd, n, m->nodes, b, last - b * LANES, out, y + c * stride);
    }
  }
}

POINT_FN void invert(const zone_lanes *m, int first, int last, int64_t stride, const number *r, number *z, int factors,
                     int n)
{
  const int nd = fem_power(n, factors);
  real u[TENSOR_MAX_ZONE], v[TENSOR_MAX_ZONE];
  for (int b = tensor_blocks(first); b < tensor_blocks(last); b++) {
    const real *scale = (const real *)m->scale + (int64_t)b * nd;
    for (int c = 0; c < m->ncomp; c++) {
      tensor_gather(nd, n, m->nodes, b, last - b * LANES, r + c * stride, u);
      for (int i = 0; i < nd; i++) u[i] *= scale[i];
      real *out = along_all(factors, n, m->table, u, v);
      for (int i = 0; i < nd; i++) out[i] *= scale[i];
      tensor_scatter(nd, n, m->nodes, b, last - b * LANES, out, z + c * stride);
    }
  }
}

typedef void along_function(const zone_lanes *m, int first, int last, int64_t stride, const number *x, number *y);

/* The energy has a function less per direction: of the smallest shapes one. */
#define EVEN(DIM, N) \
  static void multiply_even_##DIM##_##N(const zone_lanes *m, int first, int last, int64_t stride, const number *x, \
                                        number *y) \
  { \
    multiply_even(m, first, last, stride, x, y, DIM, N); \
  }
#define SHAPE(DIM, N1, Q1) EVEN(DIM, N1)
#include "fem/shapes.def"
#undef SHAPE
EVEN(1, 1)
EVEN(2, 1)
EVEN(3, 1)
#undef EVEN

static along_function *find_even(int dim, int n)
{
#define EVEN(DIM, N) \
  if (dim == DIM && n == N) return multiply_even_##DIM##_##N;
#define SHAPE(DIM, N1, Q1) EVEN(DIM, N1)
#include "fem/shapes.def"
#undef SHAPE
  EVEN(1, 1)
  EVEN(2, 1)
  EVEN(3, 1)
#undef EVEN
  return NULL;
}

/* y += M x of zones [first, last), first a multiple of LANES; x and y have shape [ncomp][stride]. */
static inline void zone_lanes_multiply(const zone_lanes *m, const fem_space *s, int first, int last, int64_t stride,
                                       const number *x, number *y)
{
  along_function *even = m->even ? find_even(s->dim, m->n1) : NULL;
  if (even)
    even(m, first, last, stride, x, y);
  else if (m->even)
    multiply_even(m, first, last, stride, x, y, s->dim, m->n1);
  else
    find_product(s->dim, m->n1, s->q1)(m, s, first, last, stride, x, y);
}

#define SHAPE(DIM, N1, Q1) \
  static void invert_##DIM##_##N1(const zone_lanes *m, int first, int last, int64_t stride, const number *r, \
                                  number *z) \
  { \
    invert(m, first, last, stride, r, z, DIM, N1); \
  }
#include "fem/shapes.def"
#undef SHAPE

static along_function *find_invert(const fem_space *s)
{
#define SHAPE(DIM, N1, Q1) \
  if (s->factors == s->dim && s->dim == DIM && s->d1 == N1) return invert_##DIM##_##N1;
#include "fem/shapes.def"
#undef SHAPE
  return NULL;
}

/* z += P r of zones [first, last), as above; a simplex has one dense factor. */
static inline void zone_lanes_invert(const zone_lanes *m, const fem_space *s, int first, int last, int64_t stride,
                                     const number *r, number *z)
{
  along_function *known = find_invert(s);
  if (known)
    known(m, first, last, stride, r, z);
  else
    invert(m, first, last, stride, r, z, s->factors, m->n1);
}

#endif

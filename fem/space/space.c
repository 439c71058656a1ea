/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes a space: its sizes and tables here, its dofs in number.c.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/fem.h"
#include "fem/simplex/simplex.h"
#include "fem/space/number.h"
#include "mesh/comm/share.h"
#include "mesh/simplex/lattice.h"

static void simplex_tables(const fem_space *s, int n, const double *points, double *b, double *g, double *bt)
{
  double bernstein[FEM_MAX_FUNCTIONS], slope[3 * FEM_MAX_FUNCTIONS];
  for (int q = 0; q < n; q++) {
    simplex_bernstein(s->dim, s->k, 1, points + q * s->dim, bernstein, slope);
    simplex_to_lagrange(1, s->nd, bernstein, s->modal, b + q * s->nd);
    for (int d = 0; g && d < s->dim; d++)
      simplex_to_lagrange(1, s->nd, slope + d * s->nd, s->modal, g + (d * n + q) * s->nd);
  }
  simplex_bernstein(s->dim, s->t, n, points, bt, NULL);
}

void fem_space_tables(const fem_space *s, int n, const double *points, double *b, double *g, double *bt)
{
  if (s->shape == MESH_SIMPLEX) return simplex_tables(s, n, points, b, g, bt);
  fem_lagrange(s->d1, s->nodes, n, points, b, g);
  fem_bernstein(s->t, n, points, bt);
}

double *fem_space_lattice(const fem_space *s, int order, const double *line)
{
  const int n = fem_per_factor(s, order);
  double *points = malloc(sizeof(double) * (size_t)(n * s->dim));
  if (points && s->shape == MESH_SIMPLEX) simplex_lattice_points(s->dim, order, line, points);
  if (points && s->shape == MESH_TENSOR) memcpy(points, line, sizeof(double) * (size_t)n);
  return points;
}

int fem_corner_node(const fem_space *s, int order, int corner)
{
  int node = 0, stride = 1, m[4] = {0};
  m[corner & 3] = order;
  if (s->shape == MESH_SIMPLEX) return simplex_place(s->dim, order, m);
  for (int d = 0; d < s->dim; d++, stride *= order + 1) node += corner >> d & 1 ? order * stride : 0;
  return node;
}

/* Nodes, points, weights, and what the tables of a simplex are made with. */
static int make_points(fem_space *s, int order)
{
  double line[FEM_MAX_ORDER + 1];
  fem_gauss_lobatto(s->k, line);
  s->nodes = fem_space_lattice(s, s->k, line);
  if (!s->nodes) return STATUS_MACHINE;
  if (s->shape == MESH_TENSOR) {
    fem_gauss(s->q1, s->points, s->weights);
    return STATUS_OK;
  }
  simplex_rule(s->dim, order, s->points, s->weights);
  s->modal = calloc((size_t)(s->nd * s->nd), sizeof(double));
  if (!s->modal) return STATUS_MACHINE;
  simplex_bernstein(s->dim, s->k, s->nd, s->nodes, s->modal, NULL);
  fem_invert(s->nd, s->modal);
  return STATUS_OK;
}

static int make_tables(fem_space *s, int order)
{
  const size_t slopes = (size_t)fem_slope_table(s->dim, s->factors, s->dim - 1) + 1;
  s->points = calloc((size_t)(s->q1 * s->dim), sizeof(double));
  s->weights = calloc((size_t)s->q1, sizeof(double));
  s->b = calloc((size_t)(s->q1 * s->d1), sizeof(double));
  s->g = calloc(slopes * (size_t)(s->q1 * s->d1), sizeof(double));
  s->bt = calloc((size_t)(s->q1 * s->t1), sizeof(double));
  s->weight = calloc((size_t)s->nq, sizeof(double));
  if (!s->points || !s->weights || !s->b || !s->g || !s->bt || !s->weight || make_points(s, order))
    return STATUS_MACHINE;
  for (int q = 0; q < s->nq; q++) {
    s->weight[q] = 1.0;
    for (int d = 0, rest = q; d < s->factors; d++, rest /= s->q1) s->weight[q] *= s->weights[rest % s->q1];
  }
  fem_space_tables(s, s->q1, s->points, s->b, s->g, s->bt);
  return STATUS_OK;
}

/* The part that needs no communication. */
static int start(fem_space *s, const mesh *m, int k, int t, int quadrature_order)
{
  const int order = quadrature_order > 0 ? quadrature_order : 3 * k + t - 1;
  s->dim = m->dim, s->k = k, s->t = t;
  s->shape = m->shape, s->factors = m->shape == MESH_SIMPLEX ? 1 : m->dim;
  s->d1 = fem_per_factor(s, k), s->t1 = fem_per_factor(s, t);
  s->q1 = m->shape == MESH_SIMPLEX ? simplex_rule_points(m->dim, order) : order / 2 + 1;
  s->nd = fem_power(s->d1, s->factors), s->nt = fem_power(s->t1, s->factors), s->nq = fem_power(s->q1, s->factors);
  s->nzones = m->nzones, s->nshared = m->nshared, s->nzones_global = m->nzones_global;
  s->ndofs_global = mesh_nodes_global(m, k);
  return make_tables(s, order);
}

int fem_space_create(fem_space **space, const mesh *m, int k, int t, int quadrature_order, fem_numbering numbering)
{
  fem_space *s = *space = calloc(1, sizeof *s);
  int status = comm_worst(s ? start(s, m, k, t, quadrature_order) : STATUS_MACHINE);
  const int threads = comm_share_cores();
  if (s) s->threads = threads;
  if (!status) status = fem_number_dofs(s, m, numbering);
  if (!status) status = fem_mark_essential(s, m);
  if (status) fem_space_destroy(space);
  return status;
}

void fem_space_destroy(fem_space **space)
{
  fem_space *s = *space;
  if (!s) return;
  double *tables[] = {s->nodes, s->points, s->modal, s->weights, s->b, s->g, s->bt, s->weight};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) free(tables[i]);
  free(s->dofs);
  free(s->essential);
  free(s->constrained);
  halo_destroy(&s->halo);
  halo_destroy(&s->places);
  fem_space_unplace(s);
  free(s);
  *space = NULL;
}

int fem_first_zones(const fem_space *s)
{
  enum { BLOCK = 8 }; /* a multiple of the lanes of the host's kernels, so that no vector is done twice */
  int first = (s->nshared + BLOCK - 1) / BLOCK * BLOCK;
  return first < s->nzones ? first : s->nzones;
}

void fem_constrain_host(const fem_space *s, double *u)
{
  for (int c = 0; c < s->dim; c++)
    for (int i = s->constrained_start[c]; i < s->constrained_start[c + 1]; i++)
      u[(int64_t)c * s->ndofs + s->constrained[i]] = 0.0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Positions of the nodes of curved zones: each zone is a part of a root, whose polynomial has its own order and nodes.
 */
#include "fem/space/curve.h"

#include "fem/simplex/simplex.h"

/* The Lagrange basis of the roots. */
typedef struct root_basis {
  mesh_shape shape;
  int dim, order, n;                                     // n: nodes of a root
  double line[FEM_MAX_ORDER + 1];                        // of a tensor root
  double inverse[FEM_MAX_FUNCTIONS * FEM_MAX_FUNCTIONS]; // of a simplex: its nodes' Bernstein values
} root_basis;

static void prepare(root_basis *r, const mesh *m)
{
  const mesh_curve *v = m->coarse->curve;
  r->shape = m->shape, r->dim = m->dim, r->order = v->order;
  r->n = mesh_nodes_in_zone(m->shape, m->dim, v->order);
  if (v->line == MESH_GAUSS_LOBATTO)
    fem_gauss_lobatto(v->order, r->line);
  else
    for (int i = 0; i <= v->order; i++) r->line[i] = (double)i / v->order;
  if (m->shape == MESH_TENSOR) return;
  double nodes[FEM_MAX_FUNCTIONS * 3];
  simplex_lattice_points(m->dim, v->order, r->line, nodes);
  simplex_bernstein(m->dim, v->order, r->n, nodes, r->inverse, NULL);
  fem_invert(r->n, r->inverse);
}

/* All functions of the basis at a point: value [n]. */
static void evaluate(const root_basis *r, const double *at, double *value)
{
  double bernstein[FEM_MAX_FUNCTIONS], b[3][FEM_MAX_ORDER + 1];
  if (r->shape == MESH_SIMPLEX) {
    simplex_bernstein(r->dim, r->order, 1, at, bernstein, NULL);
    simplex_to_lagrange(1, r->n, bernstein, r->inverse, value);
    return;
  }
  for (int d = 0; d < r->dim; d++) fem_lagrange(r->order + 1, r->line, 1, at + d, b[d], NULL);
  for (int i = 0; i < r->n; i++) {
    value[i] = 1.0;
    for (int d = 0, rest = i; d < r->dim; d++, rest /= r->order + 1) value[i] *= b[d][rest % (r->order + 1)];
  }
}

/* Reference coordinate d of node i of the space. */
static double coordinate(const fem_space *s, int i, int d)
{
  if (s->shape == MESH_SIMPLEX) return s->nodes[i * s->dim + d];
  for (int k = 0; k < d; k++) i /= s->d1;
  return s->nodes[i % s->d1];
}

static void set_zone(const fem_space *s, const root_basis *r, const mesh_part *part, int zone, const int *last,
                     double *x)
{
  double value[(FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1) * (FEM_MAX_ORDER + 1)];
  for (int i = 0; i < s->nd; i++) {
    const int64_t place = (int64_t)zone * s->nd + i;
    const int dof = s->dofs[place];
    if (last && last[dof] != place) continue;
    double at[3];
    for (int c = 0; c < s->dim; c++) {
      at[c] = part->origin[c];
      for (int d = 0; d < s->dim; d++) at[c] += part->step[d][c] * coordinate(s, i, d);
    }
    evaluate(r, at, value);
    for (int c = 0; c < s->dim; c++) {
      double sum = 0.0;
      for (int j = 0; j < r->n; j++) sum += value[j] * part->nodes[j * s->dim + c];
      x[(int64_t)c * s->ndofs + dof] = sum;
    }
  }
}

void fem_curve_positions(const fem_space *s, const mesh *m, const int *last, double *x)
{
  root_basis r;
  prepare(&r, m);
  for (int z = 0; z < s->nzones; z++) {
    mesh_part part;
    mesh_zone_part(m, z, &part);
    set_zone(s, &r, &part, z, last, x);
  }
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions to coefficients: interpolates them zone by zone.
 */
#include <stdlib.h>
#include <string.h>

#include "fem/host/tensor.h"
#include "fem/space/share.h"

enum { NODES_EACH = 1 << 14 }; /* of a chunk */

/* Replaces the values [n]^factors at points by the coefficients: applies the n x n matrix along every factor. */
static void apply_tensor(int factors, int n, const double *a, double *u)
{
  double line[FEM_MAX_FUNCTIONS];
  int total = 1, stride = 1;
  for (int d = 0; d < factors; d++) total *= n;
  for (int d = 0; d < factors; d++, stride *= n)
    for (int start = 0; start < total; start++) {
      if (start / stride % n != 0) continue;
      for (int i = 0; i < n; i++) line[i] = u[start + i * stride];
      for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) sum += a[i * n + j] * line[j];
        u[start + i * stride] = sum;
      }
    }
}

/* A function and where it is taken. */
typedef struct scalar_projection {
  const fem_space *s;
  const fem_rule *points;
  const double *x, *inverse; /* of the Vandermonde matrix [t1][t1] */
  fem_function f;
  const void *user;
  double *e;
} scalar_projection;

static int project_scalar_chunk(void *data, int chunk, int first, int end)
{
  const scalar_projection *p = data;
  const fem_space *s = p->s;
  fem_rule points;
  double *position = malloc(sizeof(double) * (size_t)(s->nt * s->dim));
  const int status = fem_rule_borrow(&points, p->points) || !position ? STATUS_MACHINE : STATUS_OK;
  (void)chunk;
  for (int z = first; !status && z < end; z++) {
    double *ez = p->e + (int64_t)z * s->nt;
    if (!p->f && z > first) {
      memcpy(ez, ez - s->nt, sizeof *ez * (size_t)s->nt);
      continue;
    }
    if (p->f) fem_rule_values(&points, s, z, s->dim, p->x, position);
    for (int i = 0; i < s->nt; i++) ez[i] = p->f ? p->f(p->user, position + i * s->dim) : 1.0;
    apply_tensor(s->factors, s->t1, p->inverse, ez);
  }
  fem_rule_give_back(&points);
  free(position);
  return status;
}

int fem_project_scalar(const fem_space *s, const double *x, fem_function f, const void *user, double *e)
{
  double line[FEM_MAX_ORDER + 1], weights[FEM_MAX_ORDER + 1];
  fem_rule r = {0};
  fem_gauss(s->t + 1, line, weights);
  double *points = fem_space_lattice(s, s->t, line);
  int status = points ? fem_rule_create(&r, s, s->t1, points, NULL) : STATUS_MACHINE;
  free(points);
  if (!status) {
    fem_invert(s->t1, r.bt);
    scalar_projection p = {s, &r, x, r.bt, f, user, e};
    status = fem_for_chunks(s, project_scalar_chunk, &p);
  }
  fem_rule_destroy(&r);
  return status;
}

/* The same for a vector at the nodes. */
typedef struct vector_projection {
  const fem_space *s;
  const fem_rule *nodes;
  const double *x;
  fem_vector_function f;
  const void *user;
  const int *last; /* fem_last_touches; NULL: zones come one after the other */
  double *u;
} vector_projection;

static int project_vector_chunk(void *data, int chunk, int first, int end)
{
  const vector_projection *p = data;
  const fem_space *s = p->s;
  fem_rule nodes;
  double *position = malloc(sizeof(double) * (size_t)(s->nd * s->dim));
  const int status = fem_rule_borrow(&nodes, p->nodes) || !position ? STATUS_MACHINE : STATUS_OK;
  (void)chunk;
  for (int64_t z = first; !status && z < end; z++) {
    fem_rule_values(&nodes, s, (int)z, s->dim, p->x, position);
    for (int i = 0; i < s->nd; i++) {
      const int dof = s->dofs[z * s->nd + i];
      if (p->last && p->last[dof] != z * s->nd + i) continue;
      double at[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
      memcpy(at, position + i * s->dim, sizeof(double) * (size_t)s->dim);
      p->f(p->user, at, v);
      for (int c = 0; c < s->dim; c++) p->u[(int64_t)c * s->ndofs + dof] = v[c];
    }
  }
  fem_rule_give_back(&nodes);
  free(position);
  return status;
}

/* True where the position that is evaluated at a node is its coefficient, to the last bit: then zones and ranks that
 * share a node agree on it.  Not across seams; and tables of simplices are the identity but for rounding. */
static bool nodes_are_exact(const fem_space *s)
{
  double b[TENSOR_MAX_PLANE], g[TENSOR_MAX_PLANE];
  if (s->shape == MESH_SIMPLEX || s->places) return false;
  fem_lagrange(s->d1, s->nodes, s->d1, s->nodes, b, g);
  for (int i = 0; i < s->d1 * s->d1; i++)
    if (b[i] != (i % (s->d1 + 1) == 0)) return false;
  return true;
}

static int project_nodes(void *data, int chunk, int first, int end)
{
  const vector_projection *p = data;
  const fem_space *s = p->s;
  (void)chunk;
  for (int64_t i = first; i < end; i++) {
    double at[3] = {0.0, 0.0, 0.0}, v[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < s->dim; c++) at[c] = p->x[(int64_t)c * s->ndofs + i];
    p->f(p->user, at, v);
    for (int c = 0; c < s->dim; c++) p->u[(int64_t)c * s->ndofs + i] = v[c];
  }
  return STATUS_OK;
}

int fem_project_vector(const fem_space *s, const mesh *m, const double *x, fem_vector_function f, const void *user,
                       double *u)
{
  if (nodes_are_exact(s))
    return comm_share_out(s->threads, s->ndofs, NODES_EACH, project_nodes,
                          &(vector_projection){.s = s, .x = x, .f = f, .user = user, .u = u});
  fem_rule nodes;
  int *last = fem_last_touches(s, m, s->halo), status = fem_rule_create(&nodes, s, s->d1, s->nodes, NULL);
  if (!status) {
    vector_projection p = {s, &nodes, x, f, user, last, u};
    status = last ? fem_for_chunks(s, project_vector_chunk, &p) : project_vector_chunk(&p, 0, 0, s->nzones);
  }
  fem_rule_destroy(&nodes);
  fem_take_last(s, last, s->halo, s->dim, u);
  free(last);
  return status;
}

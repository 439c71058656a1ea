/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The corner force as the definition says, in the plainest loops: the oracle of all others.
 */
#include <stdlib.h>

#include "fem/force/host/force.h"
#include "fem/point/point.h"

typedef struct store { // all owned
  fem_rule rule;
  double *a;         // [nzones][nq][dim][dim]: stress, see point_stress
  double *x, *v, *e; // one zone's fields at the points: [nq][dim][dim], [nq][dim][dim], [nq]
} store;

static void teardown(fem_force *f)
{
  store *st = f->store;
  if (!st) return;
  fem_rule_destroy(&st->rule);
  free(st->a);
  free(st->x);
  free(st->v);
  free(st->e);
  free(st);
  f->store = NULL;
}

static int setup(fem_force *f)
{
  const fem_space *s = f->space;
  store *st = f->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  size_t zone = sizeof(double) * (size_t)s->nq * (size_t)(s->dim * s->dim);
  st->a = malloc(zone * ((size_t)s->nzones + 1));
  st->x = malloc(zone);
  st->v = malloc(zone);
  st->e = malloc(zone);
  if (!fem_rule_create_gauss(&st->rule, s, s->q1) && st->a && st->x && st->v && st->e) return BATCHED_SUCCESS;
  teardown(f);
  return BATCHED_NO_MEMORY;
}

static void stress(const fem_force_args *args)
{
  const fem_space *s = args->force->space;
  const fem_material *m = args->force->material;
  const int dim = s->dim, dd = dim * dim;
  store *st = args->force->store;
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&st->rule, s, z, dim, args->x, st->x);
    fem_rule_gradients(&st->rule, s, z, dim, args->v, st->v);
    fem_rule_energies(&st->rule, s, args->e + (int64_t)z * s->nt, st->e);
    for (int q = 0; q < s->nq; q++) {
      const int64_t at = (int64_t)z * s->nq + q;
      point_input in = {.mass = m->mass[at], .weight = s->weight[q], .energy = st->e[q], .gamma = m->gamma[z]};
      for (int i = 0; i < dd; i++) {
        in.jacobian[i] = st->x[q * dd + i];
        in.gradient[i] = st->v[q * dd + i];
        in.initial_inverse[i] = m->initial_inverse[at * dd + i];
      }
      double step = point_stress(dim, &m->constants, &in, INFINITY, st->a + at * dd);
      if (step < *args->time_step) *args->time_step = step;
    }
  }
}

/* (F 1)_(i,c) = sum over q, g of a[q][c][g] dphi_i/dxi_g(q), since the b_j sum to 1 */
static void apply(const fem_force_args *args)
{
  const fem_space *s = args->force->space;
  const int dim = s->dim;
  const store *st = args->force->store;
  for (int z = args->first; z < args->last; z++)
    for (int i = 0; i < s->nd; i++) {
      double sum[3] = {0.0, 0.0, 0.0};
      for (int q = 0; q < s->nq; q++) {
        const double *a = st->a + ((int64_t)z * s->nq + q) * dim * dim;
        for (int g = 0; g < dim; g++) {
          const double d = fem_tensor_at(s, s->d1, s->b, g, s->g, i, q); // dphi_i/dxi_g
          for (int c = 0; c < dim; c++) sum[c] += a[c * dim + g] * d;
        }
      }
      const int dof = s->dofs[(int64_t)z * s->nd + i];
      for (int c = 0; c < dim; c++) args->f[(int64_t)c * s->ndofs + dof] += fem_flush_tiny(sum[c]);
    }
}

/* (F^T v)_j = sum over q of b_j(q) (a(q) : dv/dxi(q)) */
static void power(const fem_force_args *args)
{
  const fem_space *s = args->force->space;
  const int dd = s->dim * s->dim;
  store *st = args->force->store;
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&st->rule, s, z, s->dim, args->v, st->v);
    for (int q = 0; q < s->nq; q++) {
      const double *a = st->a + ((int64_t)z * s->nq + q) * dd;
      st->e[q] = 0.0;
      for (int i = 0; i < dd; i++) st->e[q] += a[i] * st->v[q * dd + i];
    }
    for (int j = 0; j < s->nt; j++) {
      double sum = 0.0;
      for (int q = 0; q < s->nq; q++) sum += fem_tensor_at(s, s->t1, s->bt, -1, NULL, j, q) * st->e[q];
      args->power[(int64_t)z * s->nt + j] = sum;
    }
  }
}

int fem_host_force_ref(batched_ctx *ctx, const void *p)
{
  (void)ctx;
  const fem_force_args *args = p;
  switch (args->task) {
  case FEM_FORCE_SETUP: return setup(args->force);
  case FEM_FORCE_STRESS: stress(args); break;
  case FEM_FORCE_APPLY: apply(args); break;
  case FEM_FORCE_POWER: power(args); break;
  case FEM_FORCE_TEARDOWN: teardown(args->force); break;
  }
  return BATCHED_SUCCESS;
}

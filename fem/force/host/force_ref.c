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

static void teardown(batched_ctx *ctx, fem_force *f)
{
  (void)ctx;
  store *st = f->store;
  fem_rule_destroy(&st->rule);
  free(st->a);
  free(st->x);
  free(st->v);
  free(st->e);
  free(st);
  f->store = NULL;
}

static int setup(batched_ctx *ctx, fem_force *f)
{
  const fem_space *s = f->space;
  store *st = f->store = calloc(1, sizeof *st);
  if (!st) return BATCHED_NO_MEMORY;
  size_t zone = sizeof(double) * (size_t)s->nq * (size_t)(s->dim * s->dim);
  st->a = malloc(zone * ((size_t)s->nzones + 1));
  st->x = malloc(zone);
  st->v = malloc(zone);
  st->e = malloc(zone);
  if (!fem_rule_create_own(&st->rule, s) && st->a && st->x && st->v && st->e) return BATCHED_SUCCESS;
  teardown(ctx, f);
  return BATCHED_NO_MEMORY;
}

static int stress(batched_ctx *ctx, fem_force *f, const double *x, const double *v, const double *e, double *time_step)
{
  (void)ctx;
  const fem_space *s = f->space;
  const fem_material *m = f->material;
  const int dim = s->dim, dd = dim * dim;
  store *st = f->store;
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&st->rule, s, z, dim, x, st->x);
    fem_rule_gradients(&st->rule, s, z, dim, v, st->v);
    fem_rule_energies(&st->rule, s, e + (int64_t)z * s->nt, st->e);
    for (int q = 0; q < s->nq; q++) {
      const int64_t at = (int64_t)z * s->nq + q;
      point_input in = {.mass = m->mass[at], .weight = s->weight[q], .energy = st->e[q], .gamma = m->gamma[z]};
      for (int i = 0; i < dd; i++) {
        in.jacobian[i] = st->x[q * dd + i];
        in.gradient[i] = st->v[q * dd + i];
        in.initial_inverse[i] = fem_initial_inverse(s, m, z, q)[i];
      }
      double step = point_stress(dim, &m->constants, &in, INFINITY, st->a + at * dd);
      if (step < *time_step) *time_step = step;
    }
  }
  return BATCHED_SUCCESS;
}

/* (F 1)_(i,c) = sum over q, g of a[q][c][g] dphi_i/dxi_g(q), since the b_j sum to 1 */
static int apply(batched_ctx *ctx, fem_force *f, int first, int last, double *out)
{
  (void)ctx;
  const fem_space *s = f->space;
  const int dim = s->dim;
  const store *st = f->store;
  for (int z = first; z < last; z++)
    for (int i = 0; i < s->nd; i++) {
      double sum[3] = {0.0, 0.0, 0.0};
      for (int q = 0; q < s->nq; q++) {
        const double *a = st->a + ((int64_t)z * s->nq + q) * dim * dim;
        for (int g = 0; g < dim; g++) {
          const double d = fem_basis_at(s, s->d1, s->b, g, s->g, i, q); // dphi_i/dxi_g
          for (int c = 0; c < dim; c++) sum[c] += a[c * dim + g] * d;
        }
      }
      const int dof = s->dofs[(int64_t)z * s->nd + i];
      for (int c = 0; c < dim; c++) out[(int64_t)c * s->ndofs + dof] += fem_flush_tiny(sum[c]);
    }
  return BATCHED_SUCCESS;
}

/* (F^T v)_j = sum over q of b_j(q) (a(q) : dv/dxi(q)) */
static int power(batched_ctx *ctx, fem_force *f, const double *v, double *out)
{
  (void)ctx;
  const fem_space *s = f->space;
  const int dd = s->dim * s->dim;
  store *st = f->store;
  for (int z = 0; z < s->nzones; z++) {
    fem_rule_gradients(&st->rule, s, z, s->dim, v, st->v);
    for (int q = 0; q < s->nq; q++) {
      const double *a = st->a + ((int64_t)z * s->nq + q) * dd;
      st->e[q] = 0.0;
      for (int i = 0; i < dd; i++) st->e[q] += a[i] * st->v[q * dd + i];
    }
    for (int j = 0; j < s->nt; j++) {
      double sum = 0.0;
      for (int q = 0; q < s->nq; q++) sum += fem_basis_at(s, s->t1, s->bt, -1, NULL, j, q) * st->e[q];
      out[(int64_t)z * s->nt + j] = sum;
    }
  }
  return BATCHED_SUCCESS;
}

const fem_force_functions fem_host_force_ref = {
  .setup = setup,
  .stress = stress,
  .apply = apply,
  .power = power,
  .teardown = teardown,
};

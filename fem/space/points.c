/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/space/points.h"

#include <stdlib.h>

enum { FIELDS = 4 }; /* of an expansion: its value, and slopes along up to three directions */

real *fem_points_allocate(int n)
{
  return aligned_alloc(64, (sizeof(real) * (size_t)(n > 0 ? n : 1) + 63) / 64 * 64);
}

int fem_points_create(fem_points *p, const fem_rule *r, const fem_space *s)
{
  const int most = r->n1 > r->d1 ? r->n1 : r->d1;
  *p =
    (fem_points){.rule = r, .space = s, .end = s->nzones, .room = fem_power(most > r->t1 ? most : r->t1, r->factors)};
  p->weight = malloc(sizeof(double) * (size_t)r->n);
  p->work = fem_points_allocate((1 + 2 * FIELDS) * p->room);
  if (!p->weight || !p->work) return STATUS_MACHINE;
  for (int q = 0; q < r->n; q++) p->weight[q] = fem_rule_weight(r, q);
  return STATUS_OK;
}

void fem_points_destroy(fem_points *p)
{
  free(p->weight);
  free(p->work);
  p->weight = NULL, p->work = NULL;
}

bool fem_points_next(fem_points *p)
{
  const int next = p->zone + p->zones, left = p->end - next;
  p->zone = next;
  p->zones = left < LANES ? left : LANES;
  return left > 0;
}

/* Contracts one direction: in [after][n][before] with a table [n1][n] to out [after][n1][before][stride]. */
static inline __attribute__((always_inline)) void contract_known(int n1, int n, int before, int after,
                                                                 const double *restrict table, const real *restrict in,
                                                                 real *restrict out, int stride)
{
  for (int a = 0; a < after; a++)
    for (int q = 0; q < n1; q++)
      for (int b = 0; b < before; b++) {
        const double *row = table + q * n;
        const real *from = in + a * n * before + b;
        real sum = row[0] * from[0];
        for (int i = 1; i < n; i++) sum += row[i] * from[i * before];
        out[((a * n1 + q) * before + b) * stride] = sum;
      }
}

static void contract(int n1, int n, int before, int after, const double *table, const real *in, real *out, int stride)
{
  switch (n) {
  case 1: contract_known(n1, 1, before, after, table, in, out, stride); break;
  case 2: contract_known(n1, 2, before, after, table, in, out, stride); break;
  case 3: contract_known(n1, 3, before, after, table, in, out, stride); break;
  case 4: contract_known(n1, 4, before, after, table, in, out, stride); break;
  case 5: contract_known(n1, 5, before, after, table, in, out, stride); break;
  default: contract_known(n1, n, before, after, table, in, out, stride);
  }
}

/* Value (f = 0) and slopes (f = 1 + direction) of an expansion of u at all points, to the [f] that are not NULL.  What
 * they have in common, all factors before that of the slope, is done once. */
static void expand(fem_points *p, int n, const double *table, const double *slopes, const real *u, real *const out[],
                   const int stride[])
{
  const fem_rule *r = p->rule;
  const real *in[FIELDS] = {u};
  for (int d = 0; d < r->factors; d++) {
    const int before = fem_power(r->n1, d), after = fem_power(n, r->factors - 1 - d);
    const bool last = d == r->factors - 1;
    for (int f = slopes ? r->dim : 0; f >= 0; f--) {
      const int special = f > 0 ? fem_slope_factor(r->dim, r->factors, f - 1) : -1;
      real *to = last ? out[f] : p->work + (1 + d % 2 * FIELDS + f) * p->room;
      if (special > d || !to) continue;
      const double *with =
        special == d ? slopes + (int64_t)fem_slope_table(r->dim, r->factors, f - 1) * r->n1 * n : table;
      contract(r->n1, n, before, after, with, special == d ? in[0] : in[f], to, last ? stride[f] : 1);
      in[f] = to;
    }
  }
}

void fem_points_kinematic(fem_points *p, int ncomp, const double *u, real *value, real *gradient)
{
  const fem_rule *r = p->rule;
  const fem_space *s = p->space;
  const int all = ncomp * r->dim;
  real *nodes = p->work;
  for (int c = 0; c < ncomp; c++) {
    for (int l = 0; l < LANES; l++) {
      const int *dofs = s->dofs + (int64_t)fem_points_zone(p, l) * s->nd;
      for (int i = 0; i < s->nd; i++) nodes[i][l] = u[(int64_t)c * s->ndofs + dofs[i]];
    }
    real *out[FIELDS] = {value ? value + c : NULL};
    for (int g = 0; gradient && g < r->dim; g++) out[1 + g] = gradient + c * r->dim + g;
    expand(p, r->d1, r->b, gradient ? r->g : NULL, nodes, out, (int[FIELDS]){ncomp, all, all, all});
  }
}

void fem_points_thermodynamic(fem_points *p, const double *e, real *value)
{
  const fem_space *s = p->space;
  real *coefficients = p->work;
  for (int l = 0; l < LANES; l++)
    for (int i = 0; i < s->nt; i++) coefficients[i][l] = e[(int64_t)fem_points_zone(p, l) * s->nt + i];
  expand(p, s->t1, p->rule->bt, NULL, coefficients, (real *[FIELDS]){value}, (int[FIELDS]){1});
}

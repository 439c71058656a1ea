/* SPDX-License-Identifier: BSD-3-Clause
 *
 * M_v of the velocity: its diagonal, and what surrounds the product of a row.
 */
#include <stdlib.h>

#include "fem/mass/mass.h"
#include "fem/mass/precondition.h"
#include "fem/space/share.h"

/* Integrates one factor: in [outer][q1][inner] against the squares of the functions of a table [q1][n] to out
 * [outer][n][inner]. */
static void integrate_squares(int outer, int inner, int n, int q1, const double *table, const double *in, double *out)
{
  for (int a = 0; a < outer; a++)
    for (int i = 0; i < n; i++)
      for (int b = 0; b < inner; b++) {
        double sum = 0.0;
        for (int q = 0; q < q1; q++) {
          const double phi = table[q * n + i];
          sum += phi * phi * in[(a * q1 + q) * inner + b];
        }
        out[(a * n + i) * inner + b] = sum;
      }
}

void fem_zone_diagonal(const fem_space *s, const double *density, double *spare, double *diagonal)
{
  const double *in = density;
  int outer = s->nq / s->q1, inner = 1;
  for (int d = 0; d < s->factors; d++, outer /= s->q1, inner *= s->d1) {
    double *out = d == s->factors - 1 ? diagonal : spare + (d % 2) * (s->nq + s->nd);
    integrate_squares(outer, inner, s->d1, s->q1, s->b, in, out);
    in = out;
  }
}

/* The diagonals of all zones [nzones][nd], at the same time. */
typedef struct zone_diagonals {
  const fem_space *s;
  const fem_material *m;
  double *all;
} zone_diagonals;

static int fill_diagonals(void *data, int chunk, int first, int end)
{
  const zone_diagonals *d = data;
  const fem_space *s = d->s;
  double *spare = malloc(sizeof *spare * 2 * (size_t)(s->nq + s->nd));
  (void)chunk;
  for (int64_t z = first; spare && z < end; z++)
    fem_zone_diagonal(s, d->m->density + z * s->nq, spare, d->all + z * s->nd);
  free(spare);
  return spare ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
}

/* diagonal_i += sum over zones, in their order, and points of density phi_i^2. */
static int add_squares(const fem_space *s, const fem_material *material, double *diagonal)
{
  const int64_t n = (int64_t)s->nzones * s->nd;
  zone_diagonals d = {s, material, malloc(sizeof(double) * ((size_t)n + 1))};
  const int status = d.all ? fem_for_chunks(s, fill_diagonals, &d) : BATCHED_NO_MEMORY;
  for (int64_t i = 0; !status && i < n; i++) diagonal[s->dofs[i]] += d.all[i];
  free(d.all);
  return status;
}

static int make_inverse_diagonal(batched_ctx *ctx, fem_mass *m)
{
  const fem_space *s = m->space;
  double *diagonal = calloc((size_t)s->ndofs + 1, sizeof *diagonal);
  m->inverse_diagonal = batched_allocate(ctx, sizeof(double) * ((size_t)s->ndofs + 1));
  int status = diagonal && m->inverse_diagonal ? add_squares(s, m->material, diagonal) : BATCHED_NO_MEMORY;
  if (comm_worst(status)) {
    free(diagonal);
    return BATCHED_NO_MEMORY;
  }
  halo_sum_begin(NULL, s->halo, 1, diagonal);
  halo_sum_end(NULL, s->halo, 1, diagonal);
  for (int i = 0; i < s->ndofs; i++) diagonal[i] = 1.0 / diagonal[i];
  status = batched_copy_from_host(ctx, m->inverse_diagonal, diagonal, sizeof(double) * (size_t)s->ndofs);
  free(diagonal);
  return comm_worst(status);
}

/* y = M x, summed over ranks while the rest of the dofs is being done. */
int fem_velocity_mass_apply(batched_ctx *ctx, fem_mass *m, const double *x, double *y)
{
  const fem_space *s = m->space;
  const fem_mass_functions *row = m->functions;
  int status = BATCHED_SUCCESS;
  if (row->adds) status = batched_fill_zero(ctx, y, sizeof(double) * (size_t)s->dim * (size_t)s->ndofs);
  if (halo_alone(s->halo)) return status ? status : row->product(ctx, m, FEM_REST, x, y);
  if (!status) status = row->product(ctx, m, FEM_SHARED, x, y);
  if (!status && s->blocking) status = row->product(ctx, m, FEM_REST, x, y);
  const int begun = halo_sum_begin(ctx, s->halo, s->dim, y); // whatever happened: neighbours wait for it
  if (!status) status = begun;
  if (!status && !s->blocking) status = row->product(ctx, m, FEM_REST, x, y);
  const int ended = halo_sum_end(ctx, s->halo, s->dim, y);
  return status ? status : ended;
}

static int apply_constrained(batched_ctx *ctx, void *mass, const double *x, double *y)
{
  fem_mass *m = mass;
  int status = fem_velocity_mass_apply(ctx, m, x, y);
  return status ? status : fem_constrain(ctx, m->space, y);
}

int fem_velocity_mass_create(batched_ctx *ctx, fem_mass **mass, const fem_space *s, const fem_material *material,
                             const fem_mass_options *options)
{
  fem_mass m = {.space = s,
                .material = material,
                .op = &fem_velocity_solve_op,
                .options = *options,
                .matrix = {.ncomp = s->dim, .n = s->ndofs, .nowned = s->nowned, .apply = apply_constrained}};
  *mass = NULL;
  int status = make_inverse_diagonal(ctx, &m);
  if (status) {
    batched_release(ctx, m.inverse_diagonal);
    return status;
  }
  m.matrix.inverse_diagonal = m.inverse_diagonal;
  return fem_mass_set_up(ctx, mass, &m);
}

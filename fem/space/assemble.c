/* SPDX-License-Identifier: BSD-3-Clause */
#include "fem/space/assemble.h"

#include <stdlib.h>

double *fem_assemble_basis(const fem_space *s, int n1, const double *table)
{
  const int n = fem_power(n1, s->factors);
  double *basis = malloc(sizeof(double) * (size_t)n * (size_t)s->nq);
  for (int i = 0; basis && i < n * s->nq; i++) basis[i] = fem_basis_at(s, n1, table, -1, NULL, i % n, i / n);
  return basis;
}

static int pair_of(int i, int j)
{
  return i > j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/* The first direction is the fastest of the functions, of the points, and of the pairs. */
static void find_places(fem_assembly *a, int n1)
{
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < a->n; j++) {
      int place = 0, stride = 1;
      for (int d = 0, k = i, l = j; d < a->factors; d++, k /= n1, l /= n1, stride *= a->npairs)
        place += stride * pair_of(k % n1, l % n1);
      a->place[i * a->n + j] = place;
    }
}

int fem_assembly_create(fem_assembly *a, const fem_space *s, int n1, const double *table)
{
  *a = (fem_assembly){.factors = s->factors, .q1 = s->q1, .n = fem_power(n1, s->factors), .npairs = n1 * (n1 + 1) / 2};
  const size_t most = (size_t)fem_power(a->npairs > a->q1 ? a->npairs : a->q1, a->factors);
  a->pairs = malloc(sizeof(double) * (size_t)(a->npairs * a->q1));
  a->place = malloc(sizeof(int) * (size_t)a->n * (size_t)a->n);
  for (int i = 0; i < 2; i++) a->work[i] = malloc(sizeof(double) * most);
  if (!a->pairs || !a->place || !a->work[0] || !a->work[1]) return BATCHED_NO_MEMORY;
  for (int i = 0; i < n1; i++)
    for (int j = 0; j <= i; j++)
      for (int q = 0; q < a->q1; q++) a->pairs[pair_of(i, j) * a->q1 + q] = table[q * n1 + i] * table[q * n1 + j];
  find_places(a, n1);
  return BATCHED_SUCCESS;
}

/* out[p][i] = sum_q pairs[p][q] in[i][q]: the direction that was the fastest of `in` becomes the slowest, so that
 * all come to be the fastest in turn. */
static void integrate_direction(const fem_assembly *a, int n, const double *in, double *out)
{
  for (int p = 0; p < a->npairs; p++)
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int q = 0; q < a->q1; q++) sum += a->pairs[p * a->q1 + q] * in[i * a->q1 + q];
      out[p * n + i] = sum;
    }
}

void fem_assembly_zone(const fem_assembly *a, const double *weights, double *matrix)
{
  const double *in = weights;
  int n = fem_power(a->q1, a->factors - 1);
  for (int d = 0; d < a->factors; d++, n = n / a->q1 * a->npairs) {
    integrate_direction(a, n, in, a->work[d % 2]);
    in = a->work[d % 2];
  }
  for (int i = 0; i < a->n * a->n; i++) matrix[i] = in[a->place[i]];
}

void fem_assembly_destroy(fem_assembly *a)
{
  free(a->pairs);
  free(a->place);
  for (int i = 0; i < 2; i++) free(a->work[i]);
  *a = (fem_assembly){0};
}

int fem_assemble_velocity(const fem_space *s, const fem_material *material, solver_csr **matrix)
{
  solver_csr *a = *matrix = solver_csr_create(s->ndofs, s->nzones, s->nd, s->dofs);
  double *zone = malloc(sizeof(double) * (size_t)s->nd * (size_t)s->nd);
  fem_assembly assembly = {0};
  const bool ok = a && zone && !fem_assembly_create(&assembly, s, s->d1, s->b);
  for (int z = 0; ok && z < s->nzones; z++) {
    fem_assembly_zone(&assembly, material->density + (int64_t)z * s->nq, zone);
    solver_csr_add(a, s->nd, s->dofs + (int64_t)z * s->nd, zone);
  }
  free(zone);
  fem_assembly_destroy(&assembly);
  if (ok) return BATCHED_SUCCESS;
  solver_csr_destroy(matrix);
  return BATCHED_NO_MEMORY;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "assemble.h"

#include <stdlib.h>

double *fem_assemble_basis(const fem_space *s, int n1, const double *table)
{
  const int n = fem_power(n1, s->dim);
  double *basis = malloc(sizeof(double) * (size_t)n * (size_t)s->nq);
  for (int i = 0; basis && i < n * s->nq; i++) basis[i] = fem_tensor_at(s, n1, table, -1, NULL, i % n, i / n);
  return basis;
}

void fem_assemble_zone(const fem_space *s, const fem_material *material, int zone, int n, const double *basis,
                       double *matrix)
{
  for (int i = 0; i < n * n; i++) matrix[i] = 0.0;
  for (int q = 0; q < s->nq; q++) {
    const double density = material->density[(int64_t)zone * s->nq + q], *b = basis + (size_t)q * (size_t)n;
    for (int i = 0; i < n; i++) {
      const double left = density * b[i];
      for (int j = 0; j < n; j++) matrix[i * n + j] += left * b[j];
    }
  }
}

int fem_assemble_velocity(const fem_space *s, const fem_material *material, solver_csr **matrix)
{
  solver_csr *a = *matrix = solver_csr_create(s->ndofs, s->nzones, s->nd, s->dofs);
  double *zone = malloc(sizeof(double) * (size_t)s->nd * (size_t)s->nd), *basis = fem_assemble_basis(s, s->d1, s->b);
  const bool ok = a && zone && basis;
  for (int z = 0; ok && z < s->nzones; z++) {
    fem_assemble_zone(s, material, z, s->nd, basis, zone);
    solver_csr_add(a, s->nd, s->dofs + (int64_t)z * s->nd, zone);
  }
  free(zone);
  free(basis);
  if (ok) return BATCHED_SUCCESS;
  solver_csr_destroy(matrix);
  return BATCHED_NO_MEMORY;
}

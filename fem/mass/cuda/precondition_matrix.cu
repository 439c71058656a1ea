/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Zone inverses as an assembled matrix beside that of row cuda.csr of velocity_mass, whose pattern is the same, for
 * conjugate gradients in one kernel (solvers/cuda/pcg_components.cu), of small meshes; of several ranks its rows are
 * made whole as those of the matrix (solvers/cuda/pcg_whole.cu).  Assembled on the host, at set-up.
 */
#include <cstdlib>

#include "fem/mass/cuda/mass.cuh"
#include "fem/mass/cuda/precondition.cuh"
#include "solvers/cuda/pcg_division.cuh"

namespace fem_cuda
{

/* S_z (M^ (x) M^ (x) M^)^-1 S_z of a zone: matrix [nd][nd]. */
static void make_zone(const fem_space *s, const double *inverse, const double *scale, double *matrix)
{
  for (int i = 0; i < s->nd; i++)
    for (int j = 0; j < s->nd; j++) {
      double product = scale[i] * scale[j];
      for (int d = 0, k = i, l = j; d < s->factors; d++, k /= s->d1, l /= s->d1)
        product *= inverse[k % s->d1 * s->d1 + l % s->d1];
      matrix[i * s->nd + j] = product;
    }
}

static solver_csr *assemble(const fem_mass *m)
{
  const fem_space *s = m->space;
  solver_csr *a = solver_csr_create(s->ndofs, s->nzones, s->nd, s->dofs);
  double *zone = static_cast<double *>(malloc(sizeof(double) * (size_t)s->nd * (size_t)s->nd));
  for (int64_t z = 0; a && zone && z < s->nzones; z++) {
    make_zone(s, m->zone_inverse->inverse, m->zone_inverse->scale + z * s->nd, zone);
    solver_csr_add(a, s->nd, s->dofs + z * s->nd, zone);
  }
  if (!zone) solver_csr_destroy(&a);
  free(zone);
  return a;
}

/* The part of a matrix becomes its whole rows. */
static int complete(const solver_whole_rows &rows, solver_csr **matrix)
{
  solver_csr *part = *matrix;
  const int status = solvers_cuda::whole_rows_complete(part, rows, matrix);
  solver_csr_destroy(&part);
  return status;
}

int setup_inverse_matrix(batched_ctx *ctx, fem_mass *m, solver_csr **matrix)
{
  const solver_whole_rows *rows = m->matrix.whole;
  const bool whole = halo_alone(m->space->halo) || rows;
  if (m->functions != &velocity_csr || !m->matrix.csr || !whole || !is_small(m->space)) return BATCHED_SUCCESS;
  *matrix = assemble(m);
  const bool failed = rows ? comm_worst(!*matrix) || complete(*rows, matrix) : !*matrix;
  if (failed) return BATCHED_NO_MEMORY;
  m->matrix.inverse = *matrix;
  return prepare_csr(ctx, m);
}

} // namespace fem_cuda

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with M_v on a GPU; conjugate gradients around them: fem/mass/velocity_mass.c.
 *   cuda.sumfact   matrix-free: velocity_sumfact.cu
 *   cuda.csr       assembled, compressed sparse rows, for small meshes: velocity_csr.cu
 *   vendor.csr     the same with cuSPARSE's product; with kernels.pcg vendor.cublas, all by the vendor
 *   cuda.tensor    the exact inverse, of a box of uniform density on one rank: velocity_tensor.cu
 */
#include "batched/cuda/launch.cuh"
#include "fem/mass/cuda/mass.cuh"
#include "fem/mass/tensor_box.h"
#include "fem/tables.h"

namespace fem_cuda
{

/* Doubles in the vectors and the zones' matrices. */
static double size_of(const fem_space *s)
{
  return (double)s->nzones_global / comm_size() * s->nd * (s->nd + 9);
}

/* solvers/cuda/pcg_resident.cu.  Nor does it take much time to assemble. */
bool is_small(const fem_space *s)
{
  const double work = (double)s->nzones_global / comm_size() * s->nd * s->nd * s->nq;
  const bool connected = comm_size() == 1 || (halo_apart(s->halo) && !s->places);
  return connected && size_of(s) <= 4.6e6 && work <= 1e9;
}

/* Entries in a rank's share of M_v on a lattice of quads or hexes; all ranks say the same. */
static double entries_of(const fem_space *s)
{
  double row = 1.0, dofs = (double)s->nzones_global / comm_size();
  for (int d = 0; d < s->dim; d++) row *= s->d1 + 1, dofs *= s->d1 - 1;
  return row * (comm_size() == 1 ? s->ndofs : dofs);
}

/* Zone inverses are on the chip, too, as a matrix (precondition_matrix.cu), or are applied by the passes of
 * cuda.sumfact, on one rank in a recorded loop; around an assembled matrix the host loops. */
static bool is_large(const void *mass)
{
  const fem_mass *m = static_cast<const fem_mass *>(mass);
  if (m->options.preconditioner != FEM_ZONE_INVERSE) return !is_small(m->space);
  const bool alone = comm_size() > 1 || halo_alone(m->space->halo);
  return !(alone && is_small(m->space) && entries_of(m->space) <= 2e6);
}

static bool fits_sumfact(const void *mass)
{
  return static_cast<const fem_mass *>(mass)->space->shape == MESH_TENSOR;
}

} // namespace fem_cuda

const batched_variant fem_cuda_velocity_mass[] = {
  {"cuda.sumfact", fem_cuda::fits_sumfact, fem_cuda::is_large, nullptr, &fem_cuda::velocity_sumfact},
  {"cuda.csr", nullptr, nullptr, nullptr, &fem_cuda::velocity_csr},
  {"vendor.csr", nullptr, nullptr, nullptr, &fem_cuda::velocity_csr_vendor},
  {"cuda.tensor", tensor_box_fits, nullptr, nullptr, &fem_cuda::velocity_tensor},
  BATCHED_LAST_ROW,
};

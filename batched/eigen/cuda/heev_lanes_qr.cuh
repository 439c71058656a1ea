/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes_qr of heev: A = Q T Q^H with a lane per row, T = V diag(w) V^T by QL with a lane per matrix, which
 * logs its rotations, and Z = Q V with a lane per row, whose numbers stay in registers (heev_lanes_qr.cu).
 */
#ifndef BATCHED_EIGEN_CUDA_HEEV_LANES_QR_CUH
#define BATCHED_EIGEN_CUDA_HEEV_LANES_QR_CUH

#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

bool fits_lanes_qr(const batched_heev_args &);
int lanes_qr(batched_ctx *ctx, const batched_heev_args &);

} // namespace batched_cuda::eigen

#endif

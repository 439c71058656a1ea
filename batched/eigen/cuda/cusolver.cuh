/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's rows of heev and gesvd (cusolver.cu).
 */
#ifndef BATCHED_EIGEN_CUDA_CUSOLVER_CUH
#define BATCHED_EIGEN_CUDA_CUSOLVER_CUH

#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

bool heev_vendor_fits(const batched_heev_args &);
int heev_vendor(batched_ctx *ctx, const batched_heev_args &);
bool heev_xsyev_fits(const batched_heev_args &);
int heev_xsyev(batched_ctx *ctx, const batched_heev_args &);
bool gesvd_vendor_fits(const batched_gesvd_args &);
int gesvd_vendor(batched_ctx *ctx, const batched_gesvd_args &);

} // namespace batched_cuda::eigen

#endif

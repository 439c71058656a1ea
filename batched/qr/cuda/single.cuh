/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of geqrf, ungqr and unmqr that other types share with double precision, for the lists of rows.
 */
#ifndef BATCHED_QR_CUDA_SINGLE_CUH
#define BATCHED_QR_CUDA_SINGLE_CUH

#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* cuda.panels_tc, with the arguments of run_panels(): single precision (panels_wy.cu). */
int run_strips(batched_ctx *ctx, const panel_args<float> &g);
inline bool panels_tc_fit(batched_type type, int rows)
{
  return type == BATCHED_S && rows <= 1024 && strips_fit(rows);
}
inline int run_panels_tc(batched_ctx *ctx, panel_job job, bool adjoint, const batch<float> &a, const batch<float> &tau,
                         const batch<float> &c)
{
  return run_strips(ctx, panel_args<float>{job, adjoint, a, tau, c, tau.m > 0 && tau.n > 0, 1, false});
}

/* cuda.warp_tc of geqrf (geqrf_warp_tc.cuh). */
constexpr bool warp_tc_fits(batched_type type, int m, int n)
{
  const int most = type == BATCHED_D ? 64 : type == BATCHED_Z ? 48 : 80;
  return m <= most && n <= most;
}
template <class T> int run_warp_tc(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau);

} // namespace batched_cuda::qr

#endif

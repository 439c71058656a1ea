/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels of pbtrf: Cholesky's factors of wide bands, a block per matrix, as in row cuda.window
 * (pbtrf_window.cuh), but with columns that stay in global memory.
 *
 * grid      a block per matrix
 * block     kd + NB threads, rounded up to whole warps
 * shared    a panel's rows below its triangle, kd NB numbers, and two columns of NB
 * takes     all four types, any n, kd to 496, uniform and variable
 * reads     one triangle of ab, of which the kd columns behind a panel stay in the caches; writes it and info (the
 *           first minor that is not positive; columns from there on are no factors)
 * accuracy  |L L^H - A| < 30 n eps |A|; multiplies by reciprocal roots
 */
#ifndef BATCHED_BAND_CUDA_PBTRF_PANELS_CUH
#define BATCHED_BAND_CUDA_PBTRF_PANELS_CUH

#include "batched/band/cuda/pbtrf_window.cuh"

namespace batched_cuda::band
{

template <class T, int NB> __global__ void __launch_bounds__(512) pbtrf_panels(pbtrf_call<T> c)
{
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    window_cholesky<T, NB, true> f(definite_band_of(c, b), shared_array<T>());
    f.factor_in_place();
    if (threadIdx.x == 0) c.info[b] = f.info;
    __syncthreads();
  }
}

template <class T> bool panels_can_factor(const pbtrf_call<T> &c)
{
  return pbtrf_depth(c) + DEFINITE_PANEL <= 512;
}

template <class T> int launch_pbtrf_panels(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  const int depth = pbtrf_depth(c);
  const definite_window<DEFINITE_PANEL> w(depth);
  return launch(ctx, pbtrf_panels<T, DEFINITE_PANEL>, c.ab.count, (depth + DEFINITE_PANEL + 31) / 32 * 32,
                (size_t)(DEFINITE_PANEL * (w.pitch + 2)) * sizeof(T), c);
}

} // namespace batched_cuda::band

#endif

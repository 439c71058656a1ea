/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of gtsv: tridiagonal systems by elimination with partial pivoting, a thread per matrix, straight
 * from global memory; right-hand sides are eliminated in the same pass.
 *
 * grid      a thread per matrix, 64 a block
 * takes     all four types, any n and number of right-hand sides, uniform and variable
 * reads     dl, d, du, b; writes U over (d, du, dl), X over b, info (first pivot that is zero or NaN)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GTSV_REFERENCE_CUH
#define BATCHED_BAND_CUDA_GTSV_REFERENCE_CUH

#include "batched/band/cuda/tridiagonal.cuh"

namespace batched_cuda::band
{

template <class T> __global__ void gtsv_reference(gtsv_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; b < c.d.count; b += threads) {
    const int n = c.d.length(b), nrhs = n > 0 ? c.b.cols(b) : 0;
    const gtsv_lines<T> a = {line_of(c.dl, b),
                             line_of(c.d, b),
                             line_of(c.du, b),
                             nrhs > 0 ? c.b.at(b) : nullptr,
                             nrhs > 0 ? c.b.leading(b) : (int64_t)0,
                             n,
                             nrhs};
    c.info[b] = n > 0 ? solve_alone(a) : 0;
  }
}

} // namespace batched_cuda::band

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of pbtrf: Cholesky's factors of positive definite bands, a block per matrix, column after column:
 * unblocked, right-looking, as LAPACK's pbtf2.  Element (i, j) of L, or of U's transpose, i >= j, is e(i, j); both are
 * updated as e(i, c) -= e(i, j) conj(e(c, j)).
 *
 * grid      a block per matrix
 * block     32 to 256 threads, as many as an update of kd x kd has work for; two barriers a column
 * takes     all four types, any n, kd, uniform and variable
 * reads     one triangle of ab; writes it and info (the first minor that is not positive; its columns are not written)
 * accuracy  |L L^H - A| < 30 n eps |A|
 */
#ifndef BATCHED_BAND_CUDA_PBTRF_CUH
#define BATCHED_BAND_CUDA_PBTRF_CUH

#include "batched/band/cuda/gbtrf.cuh"

namespace batched_cuda::band
{

template <class T> struct pbtrf_call {
  bool upper;
  extent kd;
  batch<T> ab;
  int *info;
};

/* Column j; false if its pivot is not positive. */
template <class T>
__device__ __forceinline__ bool factor_definite_column(const strided<T> &e, int n, int kd, int j, const thread_grid &t)
{
  const real_of<T> pivot = real(e(j, j)), d = sqrt(pivot);
  const int end = min(n, j + kd + 1);
  if (!(pivot > 0)) return false;
  __syncthreads();
  if (threadIdx.x == 0) e(j, j) = make<T>(d);
  for (int i = j + 1 + threadIdx.x; i < end; i += blockDim.x) e(i, j) = make<T>(real(e(i, j)) / d, imag(e(i, j)) / d);
  __syncthreads();
  for (int i = j + 1 + t.i; i < end; i += t.rows) {
    const T l = e(i, j);
    for (int c = j + 1 + t.j; c <= i; c += t.columns) e(i, c) = mad(-l, conj(e(c, j)), e(i, c));
  }
  __syncthreads();
  return true;
}

template <class T> __global__ void pbtrf_reference(pbtrf_call<T> c, int log_rows)
{
  const thread_grid t(log_rows);
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    const int n = c.ab.cols(b), kd = c.kd.at(b);
    int info = 0;
    if (n > 0) {
      const int64_t col = c.ab.leading(b) - (int64_t)1;
      const strided<T> e = {c.ab.at(b) + (c.upper ? kd : 0), c.upper ? col : 1, c.upper ? 1 : col};
      for (int j = 0; !info && j < n; j++)
        if (!factor_definite_column(e, n, kd, j, t)) info = j + 1;
    }
    if (threadIdx.x == 0) c.info[b] = info;
  }
}

template <class T> int launch_pbtrf_reference(batched_ctx *ctx, const pbtrf_call<T> &c)
{
  const int kd = c.kd.bound < c.ab.n ? c.kd.bound : c.ab.n;
  const lu_block block(kd, kd);
  return launch(ctx, pbtrf_reference<T>, c.ab.count, block.threads, 0, c, block.log_rows);
}

} // namespace batched_cuda::band

#endif

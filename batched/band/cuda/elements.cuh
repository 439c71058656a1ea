/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.elements of pack_band and unpack_band, pack_elements: ab(ku + i - j, j) = A(i, j) in the band, or back, with
 * zeros outside of it.
 *
 * grid      a block per column of A, whose threads take its rows in turn: those in the band (pack_band), or all
 * block     128 threads
 * shared    none
 * takes     all four types, any m, n, kl, ku, uniform and variable
 * reads     A (pack_band) or ab (unpack_band) inside of the band; writes the other: all of A, of ab what is in the band
 * accuracy  exact
 */
#ifndef BATCHED_BAND_CUDA_ELEMENTS_CUH
#define BATCHED_BAND_CUDA_ELEMENTS_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

template <class T> struct pack_call {
  extent kl, ku;
  batch<T> a, ab;
};

template <class T, bool PACK> __global__ void pack_elements(pack_call<T> c)
{
  for (int64_t g = blockIdx.x; g < c.a.count * c.a.n; g += gridDim.x) {
    const int64_t b = g / c.a.n, j = g % c.a.n;
    const int64_t m = c.a.rows(b), kl = c.kl.at(b), ku = c.ku.at(b);
    if (m == 0 || j >= c.a.cols(b)) continue;
    T *a = c.a.at(b) + j * c.a.leading(b), *ab = c.ab.at(b) + j * c.ab.leading(b) + ku - j;
    const int64_t first = max((int64_t)0, j - ku), end = min(m, j + kl + 1);
    if (PACK) {
      for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) ab[i] = a[i];
    } else {
      for (int64_t i = threadIdx.x; i < m; i += blockDim.x) a[i] = i >= first && i < end ? ab[i] : make<T>(0);
    }
  }
}

template <bool PACK> int run_elements(batched_ctx *ctx, const batched_pack_band_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    const pack_call<T> c = {p.kl, p.ku, view<T>(p.a), view<T>(p.ab)};
    return launch(ctx, pack_elements<T, PACK>, c.a.count * c.a.n, 128, 0, c);
  });
}

} // namespace batched_cuda::band

#endif

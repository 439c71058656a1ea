/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of gbmv: a thread per element of y, which adds up its row of op(A) in order.
 *
 * grid      a block per 128 elements of a y
 * block     128 threads
 * takes     all four types, any m, n, kl, ku, A and x shared or not, uniform and variable
 * reads     ab inside of the band and x, if alpha is not 0; y, if beta is not 0; writes y
 */
#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> struct gbmv_call {
  batched_trans trans;
  T alpha, beta;
  extent m, kl, ku;
  batch<T> ab, x, y;
};

/* Element i of op(A) x; before, behind: how far its row reaches to the left and to the right. */
template <class T> __device__ __forceinline__ T dot_row(const gbmv_call<T> &c, int64_t b, int i, int length)
{
  const bool plain = c.trans == BATCHED_NO_TRANS;
  const int kl = c.kl.at(b), ku = c.ku.at(b), before = plain ? kl : ku, behind = plain ? ku : kl;
  const int64_t col = c.ab.leading(b) - (int64_t)1, inc = c.x.increment(b);
  const int64_t down = plain ? 1 : col, right = plain ? col : 1;
  const int64_t first = max(0, i - before), end = min((int64_t)length, i + (int64_t)behind + 1);
  T sum = make<T>(0);
  if (first >= end) return sum;
  const T *a = c.ab.at(b) + ku + i * down, *x = c.x.at(b);
  for (int64_t j = first; j < end; j++)
    sum = mad(conj_if(c.trans == BATCHED_CONJ_TRANS, a[j * right]), x[j * inc], sum);
  return sum;
}

template <class T> __global__ void gbmv_reference(gbmv_call<T> c, int tiles)
{
  const bool plain = c.trans == BATCHED_NO_TRANS;
  for (int64_t g = blockIdx.x; g < c.y.count * tiles; g += gridDim.x) {
    const int64_t b = g / tiles;
    const int64_t i = g % tiles * blockDim.x + threadIdx.x;
    const int m = c.m.at(b), n = c.ab.cols(b);
    if (i >= (plain ? m : n)) continue;
    T *y = c.y.at(b) + i * c.y.increment(b);
    T sum = make<T>(0);
    if (c.alpha != make<T>(0)) sum = c.alpha * dot_row(c, b, (int)i, plain ? n : m);
    *y = c.beta == make<T>(0) ? sum : mad(c.beta, *y, sum);
  }
}

int reference(batched_ctx *ctx, const batched_gbmv_args &p)
{
  constexpr int threads = 128;
  return with_type(p.y.type, [&](auto t) {
    using T = decltype(t);
    const gbmv_call<T> c = {p.trans, make<T>(p.alpha), make<T>(p.beta), p.m,         p.kl,
                            p.ku,    view<T>(p.ab),    view<T>(p.x),    view<T>(p.y)};
    const int tiles = (int)ceil_div(p.trans == BATCHED_NO_TRANS ? p.m.bound : p.ab.n, threads);
    return launch(ctx, gbmv_reference<T>, c.y.count * tiles, threads, 0, c, tiles);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gbmv_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};

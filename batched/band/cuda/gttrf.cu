/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.reference of gttrf: LU of tridiagonal matrices with partial pivoting, row after row, a thread per matrix,
 * straight from global memory.
 *
 * grid      a thread per matrix, 64 a block
 * takes     all four types, any n, uniform and variable
 * reads     d, dl, du; writes them, du2, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  |P L U - A| < 30 n eps |A|
 */
#include "batched/band/cuda/tridiagonal.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> struct gttrf_call {
  batch<T> dl, d, du, du2;
  int *ipiv, *info;
  int npivots;
};

template <class T> __device__ __forceinline__ int factor(const gttrf_call<T> &c, int64_t b, int n, int *ipiv)
{
  const line<T> dl = line_of(c.dl, b), d = line_of(c.d, b), du = line_of(c.du, b), du2 = line_of(c.du2, b);
  int info = 0;
  T first = n > 0 ? d[0] : make<T>(0), second = n > 1 ? du[0] : make<T>(0);
  for (int k = 0; k < n - 1; k++) {
    const bool right = k < n - 2;
    const eliminated<T> e = eliminate_row<T>({dl[k], first, second, d[k + 1], right ? du[k + 1] : make<T>(0)});
    d[k] = e.d;
    du[k] = e.u;
    dl[k] = e.l;
    if (right) du2[k] = e.fill;
    ipiv[k] = k + 1 + e.exchanged;
    if (is_bad_pivot(e.d) && !info) info = k + 1;
    first = e.next;
    second = e.beside;
  }
  if (n > 0) {
    d[n - 1] = first;
    ipiv[n - 1] = n;
    if (is_bad_pivot(first) && !info) info = n;
  }
  return info;
}

template <class T> __global__ void gttrf_reference(gttrf_call<T> c)
{
  const int64_t threads = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; b < c.d.count; b += threads)
    c.info[b] = factor(c, b, c.d.length(b), c.ipiv + b * c.npivots);
}

int reference(batched_ctx *ctx, const batched_gttrf_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    const gttrf_call<T> c = {
      view<T>(p.dl), view<T>(p.d), view<T>(p.du), view<T>(p.du2), p.ipiv, p.info, batched_vector_bound(&p.d)};
    return launch(ctx, gttrf_reference<T>, ceil_div(c.d.count, 64), 64, 0, c);
  });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gttrf_cuda[] = {
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};

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
#include "batched/band/cuda/gtsv/gtsv_warp.cuh"

namespace batched_cuda::band
{
namespace
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

template <class T> gtsv_call<T> typed(const batched_gtsv_args &p)
{
  return {view<T>(p.dl), view<T>(p.d), view<T>(p.du), view<T>(p.b), p.info};
}

int reference(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    return launch(ctx, gtsv_reference<T>, ceil_div(p.d.count, 64), 64, 0, typed<T>(p));
  });
}

bool fits_warp(const batched_gtsv_args &p)
{
  return p.b.n > 0 && !p.b.ns &&
         holds_for(p.d.type, [&](auto t) { return gtsv_warp_bytes<decltype(t)>(p.d) <= most_shared(); });
}
int warp(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) {
    using T = decltype(t);
    return launch_gtsv_warp(ctx, typed<T>(p), gtsv_warp_bytes<T>(p.d));
  });
}

bool fits_thread(const batched_gtsv_args &p)
{
  return p.b.n == 1 && !p.b.ns;
}
int thread(batched_ctx *ctx, const batched_gtsv_args &p)
{
  return with_type(p.d.type, [&](auto t) { return launch_gtsv_thread(ctx, typed<decltype(t)>(p)); });
}

} // namespace
} // namespace batched_cuda::band

using namespace batched_cuda;
using namespace batched_cuda::band;

const batched_variant batched_gtsv_cuda[] = {
  row<fits_warp, batched_by_table, warp>("cuda.warp"),
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};

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
#include "batched/band/cuda/gtsv_thread.cuh"

namespace batched_cuda::band
{
namespace
{

template <class T> struct gtsv_lines {
  line<T> dl, d, du;
  T *x;
  int64_t ldb;
  int n, nrhs;
};

template <class T> __device__ __forceinline__ int eliminate(const gtsv_lines<T> &a)
{
  int info = 0;
  T first = a.d[0], second = a.n > 1 ? a.du[0] : make<T>(0);
  for (int k = 0; k < a.n - 1; k++) {
    const eliminated<T> e =
      eliminate_row<T>({a.dl[k], first, second, a.d[k + 1], k < a.n - 2 ? a.du[k + 1] : make<T>(0)});
    const bool zero = e.d == make<T>(0);
    a.d[k] = e.d;
    a.du[k] = e.u;
    a.dl[k] = e.fill;
    if (is_bad_pivot(e.d) && !info) info = k + 1;
    for (int j = 0; j < a.nrhs; j++) {
      T *y = a.x + k + j * a.ldb;
      const T y0 = y[0], y1 = y[1], top = select(e.exchanged, y1, y0), low = select(e.exchanged, y0, y1);
      y[0] = top;
      y[1] = zero ? low : mad(-e.l, top, low);
    }
    first = e.next;
    second = e.beside;
  }
  a.d[a.n - 1] = first;
  return is_bad_pivot(first) && !info ? a.n : info;
}

template <class T> __device__ __forceinline__ void substitute_back(const gtsv_lines<T> &a, int j)
{
  T *x = a.x + j * a.ldb, x1 = make<T>(0), x2 = x1;
  for (int k = a.n - 1; k >= 0; k--) {
    T sum = x[k];
    if (k < a.n - 1) sum = mad(-a.du[k], x1, sum);
    if (k < a.n - 2) sum = mad(-a.dl[k], x2, sum);
    x2 = x1;
    x[k] = x1 = divide(sum, a.d[k]);
  }
}

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
    const int info = n > 0 ? eliminate(a) : 0;
    for (int j = 0; info == 0 && j < nrhs; j++) substitute_back(a, j);
    c.info[b] = info;
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
  row<fits_thread, nullptr, thread>("cuda.thread"),
  row<nullptr, nullptr, reference>("cuda.reference"),
  BATCHED_LAST_ROW,
};

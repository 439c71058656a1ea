/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes_8x8 of gemv: order 8 in double precision; a warp has 8 matrices, and reads each by one access of 16
 * bytes per lane.  Lane 4 c + r gets rows 2 r and 2 r + 1 of column c.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMV_LANES_8X8_CUH
#define BATCHED_PRODUCTS_CUDA_GEMV_LANES_8X8_CUH

#include "batched/products/cuda/gemv.cuh"

namespace batched_cuda::products
{

/* A reduction of N sums over pairs of lanes that differ in `bit`: each lane keeps half of the sums, of both lanes. */
template <int N> __device__ __forceinline__ void fold(double (&sum)[8], int bit)
{
  const bool upper = threadIdx.x & bit;
#pragma unroll
  for (int u = 0; u < N / 2; u++) {
    const double give = upper ? sum[u] : sum[u + N / 2], keep = upper ? sum[u + N / 2] : sum[u];
    sum[u] = keep + shuffle_xor(give, bit);
  }
}

/* y = alpha op(A) x + beta y.
 *   algorithm  products in registers, sums by exchanging halves among the lanes
 *   grid       a block of 128 threads per 32 matrices
 *   registers  8 matrices, 16 bytes of each per lane; no shared memory
 *   takes      double, 8 x 8, uniform strided; A, its columns, x and y at multiples of 16 bytes, increments 1
 *   memory     A and x once, y once from (beta != 0) and to global memory
 *   accuracy   sums by a tree */
template <bool plain> static __global__ void __launch_bounds__(128, 8) multiply_8x8(gemv_product<double> p)
{
  const int lane = threadIdx.x % 32, r = lane % 4, c = lane / 4;
  const int64_t first = ((int64_t)blockIdx.x * 4 + threadIdx.x / 32) * 8;
  const int count = (int)min((int64_t)8, p.y.count - first);
  if (count <= 0) return;
  double2 x[8], e[8];
#pragma unroll
  for (int b = 0; b < 8; b++) {
    const double *const from = p.x.data + (b < count ? first + b : first) * p.x.stride;
    if (plain)
      x[b].x = x[b].y = from[c];
    else
      x[b] = reinterpret_cast<const double2 *>(from)[r];
  }
#pragma unroll
  for (int b = 0; b < 8; b++)
    e[b] = __ldcs(reinterpret_cast<const double2 *>(p.a.data + (b < count ? first + b : first) * p.a.stride + 2 * r +
                                                    (int64_t)c * p.a.ld));
  double sum[8], other[8], y[2];
  if (plain) {
#pragma unroll
    for (int b = 0; b < 8; b++) sum[b] = e[b].x * x[b].x, other[b] = e[b].y * x[b].y;
    fold<8>(sum, 16), fold<8>(other, 16);
    fold<4>(sum, 8), fold<4>(other, 8);
    fold<2>(sum, 4), fold<2>(other, 4);
    y[0] = sum[0], y[1] = other[0];
  } else {
#pragma unroll
    for (int b = 0; b < 8; b++) sum[b] = mad(e[b].x, x[b].x, e[b].y * x[b].y);
    fold<8>(sum, 2), fold<4>(sum, 1);
    /* two matrices, of which lanes c and c ^ 1 take one each */
    const bool upper = c % 2 != 0;
    const double got = shuffle_xor(upper ? sum[0] : sum[1], 4);
    y[0] = upper ? got : sum[0], y[1] = upper ? sum[1] : got;
  }
  const int b = plain ? c : 2 * r + c % 2, i = plain ? 2 * r : c / 2 * 2;
  if (b >= count) return;
  double2 *const to = reinterpret_cast<double2 *>(p.y.data + (first + b) * p.y.stride + i);
  const double2 old = p.beta != 0 ? *to : double2{0, 0};
  *to = p.beta == 0 ? double2{p.alpha * y[0], p.alpha * y[1]}
                    : double2{mad(p.beta, old.x, p.alpha * y[0]), mad(p.beta, old.y, p.alpha * y[1])};
}

static bool lanes_8x8_fits(const gemv_product<double> &p)
{
  const auto is_plain = [](const batch<double> &x) {
    return !x.array && !x.is_variable() && x.stride % 2 == 0 && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
  };
  return p.a.m == 8 && p.a.n == 8 && p.a.ld % 2 == 0 && p.alpha != 0 && is_plain(p.a) && is_plain(p.x) &&
         is_plain(p.y) && p.x.increment(0) == 1 && p.y.increment(0) == 1 && p.y.count <= INT_MAX;
}

static int multiply_lanes_8x8(batched_ctx *ctx, const gemv_product<double> &p)
{
  return launch(ctx, p.plain ? multiply_8x8<true> : multiply_8x8<false>, ceil_div(p.y.count, 32), 128, 0, p);
}

} // namespace batched_cuda::products

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * trsv for n <= 16: 8 or 16 lanes of a warp a matrix, an unknown in each.  The next matrix is on its way into registers
 * while one is solved for; shared memory turns rows of A into columns.
 */
#ifndef BATCHED_CUDA_TRSV_LANES_CUH
#define BATCHED_CUDA_TRSV_LANES_CUH

#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::triangular
{

static constexpr int lanes_threads = 128;

/* A matrix on its way: this lane's row or column of it, and element of the right-hand side. */
template <class T, int W> struct arriving_system {
  int n;
  T *x; /* of this lane */
  T e[W], rhs;

  __device__ __forceinline__ void load(const triangle_form &f, const batch<T> &a, const batch<T> &v, int64_t b,
                                       int lane)
  {
    n = b < v.count ? v.length(b) : 0;
    if (lane >= n) return;
    const auto triangle = triangle_of<const T>(f, a.at(b), a.leading(b), n);
    /* neighbouring lanes along a column of A */
    const T *from = f.flip ? &triangle(0, lane) : &triangle(lane, 0);
    const int64_t step = f.flip ? triangle.row : triangle.col;
#pragma unroll
    for (int k = 0; k < W; k++) {
      if (k < n && (f.flip ? k >= lane : k <= lane)) e[k] = *from;
      from += step;
    }
    x = v.at(b) + (int64_t)(f.backward ? n - 1 - lane : lane) * v.increment(b);
    rhs = conj_if(f.conj, *x);
  }
};

template <class T, int W>
__global__ void __launch_bounds__(lanes_threads) trsv_lanes(triangle_form f, batch<T> a, batch<T> v)
{
  constexpr int ld = W + 1, groups = lanes_threads / W;
  const int lane = threadIdx.x % W, group = threadIdx.x / W, of_warp = threadIdx.x / 32 * (32 / W);
  T *const tile = shared_array<T>() + group * W * ld, *const to = f.flip ? tile + lane * ld : tile + lane;
  const int step = f.flip ? 1 : ld;
  arriving_system<T, W> next = {};
  next.load(f, a, v, (int64_t)blockIdx.x * groups + group, lane);
  for (int64_t first = (int64_t)blockIdx.x * groups; first + of_warp < v.count; first += (int64_t)gridDim.x * groups) {
    const int n = next.n;
    T *const own = next.x, x = next.rhs;
#pragma unroll
    for (int k = 0; k < W; k++) to[k * step] = next.e[k];
    __syncwarp();
    next.load(f, a, v, first + (int64_t)gridDim.x * groups + group, lane);
    reciprocal<T> d = {1, make<T>(1)};
    if (!f.unit && lane < n) d = reciprocal_of(tile[lane * ld + lane]);
    T y = d.scale * x;
#pragma unroll
    for (int j = 0; j < W; j++) {
      if (j >= a.m) break;
      const T yj = shuffle(y * d.inverse, j, W);
      if (lane > j && lane < n) y = mad(-(d.scale * tile[j * ld + lane]), yj, y);
    }
    if (lane < n) *own = conj_if(f.conj, y * d.inverse);
    __syncwarp();
  }
}

template <class T, int W>
static int launch_trsv_lanes(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  constexpr int groups = lanes_threads / W;
  int device = 0, processors = 132, resident = 4;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  const size_t shared = groups * W * (W + 1) * sizeof(T);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, trsv_lanes<T, W>, lanes_threads, shared);
  const int64_t blocks = ceil_div(x.count, groups), most = (int64_t)processors * (resident > 0 ? resident : 1);
  return launch(ctx, trsv_lanes<T, W>, blocks < most ? blocks : most, lanes_threads, shared, f, a, x);
}

/* For vectors of at most 16 elements. */
template <class T> static int trsv_by_lanes(batched_ctx *ctx, triangle_form f, const batch<T> &a, const batch<T> &x)
{
  return a.m <= 8 ? launch_trsv_lanes<T, 8>(ctx, f, a, x) : launch_trsv_lanes<T, 16>(ctx, f, a, x);
}

} // namespace batched_cuda::triangular

#endif

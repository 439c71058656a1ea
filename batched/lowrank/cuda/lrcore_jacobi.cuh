/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.jacobi of lrcore.
 */
#ifndef BATCHED_LOWRANK_CUDA_LRCORE_JACOBI_CUH
#define BATCHED_LOWRANK_CUDA_LRCORE_JACOBI_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/eigen/cuda/jacobi.cuh"
#include "batched/lowrank/compose.h"

namespace batched_cuda::lowrank
{

/* Each of the lanes that share two columns has `parts` of their numbers: for the orders from core_least on 5 or 6. */
constexpr int core_least = 33, core_order = 48, core_lanes = 8, core_sweeps = 30;

template <class T> struct cores {
  batch<T> a, p, t;
  batch<real_of<T>> s;
  int *info;
  bool has_triangle;
};

/* Columns start in different banks. */
static DEVICE int core_leading(int k)
{
  return (k + 7) / 16 * 16 + 8;
}
template <class T> size_t core_bytes(int k, bool has_triangle)
{
  return (size_t)(k + k % 2) * (core_leading(k) * sizeof(T) + sizeof(real_of<T>)) +
         (has_triangle ? 2 * (size_t)(k + 1) * k * sizeof(T) : 0);
}

/* A matrix T^H A of order k, and later T P, from parts in shared memory. */
template <class T> struct core_triangle {
  T *upper, *a; /* k x k, by columns of k + 1, T transposed */
  int k;

  __device__ __forceinline__ void load(const batch<T> &t, const batch<T> &from, int64_t b) const
  {
    const T *const x = t.at(b), *const y = from.at(b);
    const int ldt = t.leading(b), lda = from.leading(b);
    for (int e = threadIdx.x; e < k * k; e += blockDim.x) {
      const int i = e % k, j = e / k;
      upper[j + i * (k + 1)] = i <= j ? x[i + (int64_t)j * ldt] : make<T>(0);
      a[i + j * (k + 1)] = y[i + (int64_t)j * lda];
    }
    __syncthreads();
  }
  /* (T^H A)(i, j) */
  __device__ __forceinline__ T product(int i, int j) const
  {
    T sum = make<T>(0);
    for (int l = 0; l <= i; l++) sum = mad(conj(upper[i + l * (k + 1)]), a[l + j * (k + 1)], sum);
    return sum;
  }
  /* row i of T times x */
  __device__ __forceinline__ T times(int i, const T *x) const
  {
    T sum = make<T>(0);
    for (int l = i; l < k; l++) sum = mad(upper[l + i * (k + 1)], x[l], sum);
    return sum;
  }
};

/* Two columns of which eight lanes have each eighth row: x and y.  Below the last row are zeros. */
template <class T, int parts> struct core_pair {
  T x[parts], y[parts], *at_x, *at_y;

  __device__ __forceinline__ core_pair(T *x0, T *y0, int lane) : at_x(x0 + lane), at_y(y0 + lane)
  {
#pragma unroll
    for (int i = 0; i < parts; i++) x[i] = at_x[core_lanes * i], y[i] = at_y[core_lanes * i];
  }
  /* |x|^2, |y|^2 and x^H y */
  __device__ __forceinline__ void products(real_of<T> &xx, real_of<T> &yy, T &xy) const
  {
    const unsigned mask = 0xffu << threadIdx.x % warp_size / core_lanes * core_lanes;
    xx = yy = 0;
    xy = make<T>(0);
#pragma unroll
    for (int i = 0; i < parts; i++) {
      xx += square(x[i]);
      yy += square(y[i]);
      xy = mad(conj(x[i]), y[i], xy);
    }
#pragma unroll
    for (int half = core_lanes / 2; half > 0; half /= 2) {
      xx += shuffle_xor(xx, half, warp_size, mask);
      yy += shuffle_xor(yy, half, warp_size, mask);
      xy += shuffle_xor(xy, half, warp_size, mask);
    }
  }
  __device__ __forceinline__ void rotate(const eigen::rotation<T> &r)
  {
#pragma unroll
    for (int i = 0; i < parts; i++) {
      at_x[core_lanes * i] = mad(-r.s, y[i], r.c * x[i]);
      at_y[core_lanes * i] = mad(conj(r.s), x[i], r.c * y[i]);
    }
  }
};

/* Makes two columns orthogonal, unless one's square is negligible; whether that took more than a tiny rotation. */
template <int parts, class T> __device__ __forceinline__ bool meet(T *x, T *y, int lane, int k, real_of<T> negligible)
{
  using R = real_of<T>;
  core_pair<T, parts> pair(x, y, lane);
  R xx, yy;
  T xy;
  pair.products(xx, yy, xy);
  const R size = square(xy), both = xx * yy;
  if (!(xx > negligible && yy > negligible && size > eigen::jacobi_tolerance<R>(k) * both)) return false;
  const eigen::rotation<T> r = eigen::jacobi_rotation(xx, yy, xy, size);
  pair.rotate(r);
  const R near = eigen::jacobi_near<R>(k);
  return size > near * both || square(r.s) > near;
}

/* A = P S W^H of small square matrices, without W
 *   algorithm  one-sided Jacobi, Hestenes 1958, columns in pairs by a round-robin tournament, until a sweep has tiny
 *              rotations alone; then columns by descending norm
 *   grid       a block per matrix; 8 lanes per pair of columns
 *   shared     the matrix; with T this, and the matrix once more
 *   takes      all types, square matrices of one order from 33 to 48
 *   memory     A once read, P and S once written
 *   accuracy   singular values to k eps |A|, 0 far below that; columns of P are orthonormal, zeros where it is 0
 * With T: T^H A = P S W^H, and T P instead of P, from products of columns.
 * Columns below eps / 2 of the largest element, with T below k eps / 8, are left alone: rounding errors of samples
 * beyond the rank, which would take most of the sweeps. */
template <class T, int parts> __global__ void __launch_bounds__(core_order / 2 * core_lanes) lrcore_jacobi(cores<T> f)
{
  using R = real_of<T>;
  __shared__ maximum_of<R> shared_largest[core_order / 2 * core_lanes / warp_size];
  const int k = f.a.n, even = k + k % 2, ld = core_leading(k), lane = threadIdx.x % core_lanes;
  T *const x = shared_array<T>();
  R *const norms = reinterpret_cast<R *>(x + even * ld);
  T *const parts_of_product = reinterpret_cast<T *>(norms + even);
  const core_triangle<T> triangle = {parts_of_product, parts_of_product + (k + 1) * k, k};
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    const T *a = f.a.at(b);
    const int lda = f.a.leading(b);
    maximum_of<R> most;
    bool finite = true;
    if (f.has_triangle) triangle.load(f.t, f.a, b);
    for (int e = threadIdx.x; e < even * ld; e += blockDim.x) {
      const int i = e % ld, j = e / ld;
      T value = make<T>(0);
      if (i < k && j < k) value = f.has_triangle ? triangle.product(i, j) : a[i + (int64_t)j * lda];
      finite = finite && eigen::is_finite(value);
      most.add(eigen::magnitude(value));
      x[e] = value;
    }
    finite = __syncthreads_and(finite);
    const R largest = merge_block(most, shared_largest).result();
    const eigen::power_scale<R> scale(largest, eigen::jacobi_lift<R>);
    const R negligible = square((f.has_triangle ? k / R(8) : R(0.5)) * eps_of<R> * scale.up(largest));
    for (int e = threadIdx.x; e < even * ld; e += blockDim.x) x[e] = scale.up(x[e]);
    __syncthreads();

    const int around = even - 1;
    bool rotated = finite && largest > 0;
    for (int sweep = 0; rotated && sweep < core_sweeps; sweep++) {
      bool mine = false;
      for (int round = 0; round < around; round++) {
        const int i = threadIdx.x / core_lanes;
        const int up = round + i, down = round - i;
        const int p = i == 0 ? around : up < around ? up : up - around, q = down < 0 ? down + around : down;
        if (2 * i < even) mine |= meet<parts>(x + min(p, q) * ld, x + max(p, q) * ld, lane, k, negligible);
        __syncthreads();
      }
      rotated = __syncthreads_or(mine);
    }

    for (int j = threadIdx.x; j < k; j += blockDim.x) {
      R sum = 0;
      for (int i = 0; i < k; i++) sum += square(x[i + j * ld]);
      norms[j] = !finite ? R(NAN) : sum > negligible ? sqrt(sum) : R(0);
    }
    __syncthreads();
    T *const p = f.p.at(b);
    R *const s = f.s.at(b);
    const int ldp = f.p.leading(b), increment = f.s.increment(b);
    for (int j = threadIdx.x / core_lanes; j < k; j += blockDim.x / core_lanes) {
      const R norm = norms[j], inverse = norm > 0 ? 1 / norm : finite ? R(0) : R(NAN);
      int place = finite ? 0 : j;
      for (int i = 0; i < k && finite; i++) place += norms[i] > norm || (norms[i] == norm && i < j);
      for (int i = lane; i < k; i += core_lanes)
        p[i + (int64_t)place * ldp] = (f.has_triangle ? triangle.times(i, x + j * ld) : x[i + j * ld]) * inverse;
      if (lane == 0) s[(int64_t)place * increment] = scale.down(norm);
    }
    if (threadIdx.x == 0) f.info[b] = !finite || rotated;
    __syncthreads();
  }
}

static inline bool fits_lrcore_jacobi(const batched_lrcore_args &c)
{
  return c.a.m == c.a.n && c.a.n >= core_least && c.a.n <= core_order && !batched_is_variable(&c.a) &&
         !batched_is_variable(&c.p) && !batched_is_variable(&c.s);
}

static inline int run_lrcore_jacobi(batched_ctx *ctx, const batched_lrcore_args &c)
{
  return with_type(c.a.type, [&](auto type) {
    using T = decltype(type);
    const bool has_triangle = lowrank_is_there(&c.t);
    const cores<T> f = {view<T>(c.a), view<T>(c.p), view<T>(c.t), view<real_of<T>>(c.s), c.info, has_triangle};
    const int k = c.a.n, pairs = (k + k % 2) / 2;
    const int threads = (int)ceil_div(pairs * core_lanes, warp_size) * warp_size;
    constexpr int parts = (core_least + core_lanes - 1) / core_lanes;
    return launch(ctx, k <= core_lanes * parts ? lrcore_jacobi<T, parts> : lrcore_jacobi<T, parts + 1>, f.a.count,
                  threads, core_bytes<T>(k, has_triangle), f);
  });
}

} // namespace batched_cuda::lowrank

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.lanes and cuda.block of trmv: x = op(A) x in place.  Lanes read neighbours of a column of A; strips of 8
 * columns give each row's sum (op(A) = A), or the sums of 8 columns, which a tree adds up (A transposed).
 */
#ifndef BATCHED_TRIANGULAR_CUDA_TRMV_CUH
#define BATCHED_TRIANGULAR_CUDA_TRMV_CUH

#include "batched/cuda/reduce.cuh"
#include "batched/triangular/cuda/vector_call.cuh"

namespace batched_cuda::triangular
{

constexpr int trmv_strip = 8;

/* One matrix of the batch. */
template <class T> struct stored_triangle {
  bool lower, unit, conj;
  const T *a;
  int64_t ld;
  int n;

  __device__ __forceinline__ stored_triangle(const vector_call<T> &s, int64_t b)
      : lower(s.uplo == BATCHED_LOWER), unit(s.diag == BATCHED_UNIT), conj(s.trans == BATCHED_CONJ_TRANS), a(nullptr),
        ld(1), n(b < s.x.count ? s.x.length(b) : 0)
  {
    if (n == 0) return;
    a = s.a.at(b);
    ld = s.a.leading(b);
  }
  __device__ __forceinline__ bool has(int i, int j) const
  {
    return i < n && j < n && (lower ? i >= j : i <= j);
  }
  /* Element (i, j), of those that there are. */
  __device__ __forceinline__ T at(int i, int j) const
  {
    return unit && i == j ? make<T>(1) : conj_if(conj, a[i + j * ld]);
  }
  /* Elements (i, j0 + u); 0 where there is none. */
  __device__ __forceinline__ void load(int i, int j0, T (&e)[trmv_strip]) const
  {
#pragma unroll
    for (int u = 0; u < trmv_strip; u++) e[u] = has(i, j0 + u) ? at(i, j0 + u) : make<T>(0);
  }
};

/* ------------------------------------------------------------------ cuda.lanes */

/* n <= R = 8, 16 or 32: R lanes per matrix, a row each.
 *   grid       a block of 256 threads per 256 / R matrices
 *   registers  a strip of 8 columns; no shared memory
 *   takes      n <= 32, all types, uniform and variable, A shared or not
 *   memory     the triangle and x once from, x once to global memory
 *   accuracy   sums in an order that n alone decides */
template <class T, int R> static __global__ void __launch_bounds__(256, 2) multiply_in_lanes(vector_call<T> s)
{
  const int r = threadIdx.x % R, each = blockDim.x / R;
  const bool flip = s.trans != BATCHED_NO_TRANS;
  for (int64_t first = (int64_t)blockIdx.x * each; first < s.x.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / R;
    const stored_triangle<T> t(s, b);
    T *const own = r < t.n ? s.x.at(b) + (int64_t)r * s.x.increment(b) : nullptr;
    const T x = r < t.n ? *own : make<T>(0);
    const int most = __reduce_max_sync(all_lanes, t.n);
    T total = make<T>(0);
    for (int j0 = 0; j0 < most; j0 += trmv_strip) {
      T e[trmv_strip];
      t.load(r, j0, e);
      if (flip) {
#pragma unroll
        for (int u = 0; u < trmv_strip; u++) e[u] = t.has(r, j0 + u) ? e[u] * x : make<T>(0);
        const T sum = sum_transposed<trmv_strip, R>(e);
        if (r >= j0 && r < j0 + trmv_strip) total = sum;
      } else {
#pragma unroll
        for (int u = 0; u < trmv_strip; u++) {
          const T xj = shuffle(x, j0 + u, R);
          if (t.has(r, j0 + u)) total = mad(e[u], xj, total);
        }
      }
    }
    if (r < t.n) *own = total;
  }
}

/* ------------------------------------------------------------------ cuda.block */

/* Each warp takes strips in turn.  op(A) = A: it adds to sums of its own in shared memory, and those of the warps are
 * added at the end.
 *   grid       a block of 64 to 256 threads per matrix
 *   shared     n elements, and with op(A) = A n per warp
 *   takes      n <= 1024, all types, uniform and variable, A shared or not
 *   memory     the triangle and x once from, x once to global memory
 *   accuracy   sums in an order that n alone decides */
template <class T> static __global__ void __launch_bounds__(256, 2) multiply_in_block(vector_call<T> s)
{
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
  const bool flip = s.trans != BATCHED_NO_TRANS;
  T *const x = shared_array<T>(), *const sums = x + s.a.m, *const mine = sums + (int64_t)w * s.a.m;
  for (int64_t b = blockIdx.x; b < s.x.count; b += gridDim.x) {
    const stored_triangle<T> t(s, b);
    T *const own = t.n > 0 ? s.x.at(b) : nullptr;
    const int64_t inc = s.x.increment(b);
    for (int i = threadIdx.x; i < t.n; i += blockDim.x) x[i] = own[i * inc];
    for (int i = lane; i < t.n && !flip; i += 32) mine[i] = make<T>(0);
    __syncthreads();
    for (int j0 = trmv_strip * w; j0 < t.n; j0 += trmv_strip * warps) {
      const int begin = t.lower ? j0 : 0, end = t.lower ? t.n : min(j0 + trmv_strip, t.n);
      T part[trmv_strip] = {};
      __syncwarp();
      for (int i = begin + lane; i - lane < end; i += 32) {
        T e[trmv_strip], sum = make<T>(0);
        t.load(i, j0, e);
        if (flip) {
          const T xi = x[min(i, t.n - 1)];
#pragma unroll
          for (int u = 0; u < trmv_strip; u++)
            if (t.has(i, j0 + u)) part[u] = mad(e[u], xi, part[u]);
        } else {
#pragma unroll
          for (int u = 0; u < trmv_strip; u++)
            if (t.has(i, j0 + u)) sum = mad(e[u], x[j0 + u], sum);
          if (i < end) mine[i] += sum;
        }
      }
      if (flip) {
        const T sum = sum_transposed<trmv_strip, 32>(part);
        if (lane < trmv_strip && j0 + lane < t.n) own[(j0 + lane) * inc] = sum;
      }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < t.n && !flip; i += blockDim.x) {
      T sum = sums[i];
      for (int k = 1; k < warps; k++) sum += sums[(int64_t)k * s.a.m + i];
      own[i * inc] = sum;
    }
    __syncthreads();
  }
}

} // namespace batched_cuda::triangular

#endif

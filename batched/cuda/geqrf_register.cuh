/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR of matrices of up to M x M in registers: M (or 32) lanes a matrix, a lane has a column.  A tile in shared memory takes the
 * matrix from and to memory, and passes the column of each step on to the other lanes.
 */
#ifndef BATCHED_CUDA_GEQRF_REGISTER_CUH
#define BATCHED_CUDA_GEQRF_REGISTER_CUH

#include "householder.cuh"

namespace batched_cuda
{

/* The steps are taken in stages of `steps`, with as many rows fewer in each.  Element (i, j) of the tile is at
 * first + i + j ld: every x starts at 16 bytes, and lanes that read a row meet different banks. */
template <int M, class T> struct register_shape {
  static constexpr int lanes = M == 24 ? 32 : M, steps = M <= 8 ? 1 : 4, ld = M + 3, first = pack<T>::size - 1;
  static constexpr int elements = (first + lanes * ld + 3) / 4 * 4 + 4, warps = 4, per_block = warps * 32 / lanes;
  static constexpr size_t bytes = per_block * elements * sizeof(T);
};

template <int M, class T> struct register_qr {
  using shape = register_shape<M, T>;
  using R = real_of<T>;
  static constexpr int V = pack<T>::size, lanes = shape::lanes;
  T a[M]; /* rows j.. of this lane's column; those beyond the matrix are 0 */
  T tau, inverse;
  T *tile;
  int lane;

  __device__ __forceinline__ T &at(int i, int j)
  {
    return tile[shape::first + i + j * shape::ld];
  }

  /* Column j's elements from j on into the tile. */
  template <int S> __device__ __forceinline__ void publish(int j)
  {
    T *to = &at(j, j);
    to[0] = a[0];
#pragma unroll
    for (int i = 1; i < S; i += V) {
      if (i + V <= S) {
        pack<T> p;
#pragma unroll
        for (int v = 0; v < V; v++) p.x[v] = a[i + v];
        *reinterpret_cast<pack<T> *>(to + i) = p;
      } else {
#pragma unroll
        for (int v = i; v < S; v++) to[v] = a[v];
      }
    }
  }

  /* x^H times this lane's column, x being the column of the step below its first element. */
  template <int S> __device__ __forceinline__ T dot(int j)
  {
    const T *x = &at(j, j);
    T d[4] = {};
#pragma unroll
    for (int i = 1; i < S; i += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(x + i);
#pragma unroll
      for (int v = 0; v < V && i + v < S; v++) d[(i + v) % 4] = conj_mad(p.x[v], a[i + v], d[(i + v) % 4]);
    }
    return (d[0] + d[1]) + (d[2] + d[3]);
  }

  /* a(i) -= f x(i), and up by a row. */
  template <int S> __device__ __forceinline__ void update(int j, T f)
  {
    const T *x = &at(j, j);
    asm volatile("" ::: "memory"); /* read x again: registers are dearer */
#pragma unroll
    for (int i = 1; i < S; i += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(x + i);
#pragma unroll
      for (int v = 0; v < V && i + v < S; v++) a[i + v - 1] = mad(-f, p.x[v], a[i + v]);
    }
    a[S - 1] = make<T>(0);
  }

  /* The column of a lane that is told to is brought near 1.  Returns the factor that takes it back. */
  template <int S> __device__ __forceinline__ R rescale(bool mine)
  {
    R size = 0, s = 1;
    if (mine) {
#pragma unroll
      for (int i = 0; i < S; i++) size = fmax(size, largest_part(a[i]));
      s = column_scale(size);
#pragma unroll
      for (int i = 0; i < S; i++) a[i] = s * a[i];
    }
    return 1 / s;
  }

  template <int S> __device__ __forceinline__ void step(int j, int k)
  {
    T d, alpha;
    R tail, back = 1;
    for (bool again = false;; again = true) {
      if (lane == j) publish<S>(j);
      __syncwarp();
      d = dot<S>(j);
      tail = shuffle(real(d), j, lanes);
      alpha = shuffle(a[0], j, lanes);
      const bool careful = j < k && !is_moderate<T>(tail + square(alpha));
      if (again || !__any_sync(0xffffffffu, careful)) break;
      __syncwarp();
      back = rescale<S>(careful && lane == j);
    }
    const reflector<T> h = reflect(alpha, tail);
    const T f = conj(h.tau) * (a[0] + conj(h.inverse) * d);
    if (lane == j) {
      tau = h.tau;
      inverse = h.inverse;
      at(j, j) = make<T>(h.beta * back);
    } else if (lane > j) {
      at(j, lane) = a[0] - f;
    }
    update<S>(j, f * h.inverse);
  }

  template <int S> __device__ __forceinline__ void stages(int k, int most)
  {
    if constexpr (S > 0) {
      if (M - S >= most) return;
#pragma unroll 1
      for (int t = 0; t < shape::steps; t++) step<S>(M - S + t, k);
      stages<S - shape::steps>(k, most);
    }
  }
};

template <int M, class T> static __global__ void __launch_bounds__(128) factor_in_registers(batch<T> a, batch<T> tau)
{
  using shape = register_shape<M, T>;
  const int own = threadIdx.x / shape::lanes;
  register_qr<M, T> q;
  q.tau = q.inverse = make<T>(0);
  q.lane = threadIdx.x % shape::lanes;
  q.tile = shared_array<T>() + own * shape::elements;
  for (int64_t first = (int64_t)blockIdx.x * shape::per_block; first < a.count;
       first += (int64_t)gridDim.x * shape::per_block) {
    const int64_t b = first + own;
    const int m = b < a.count ? a.rows(b) : 0, n = b < a.count && m > 0 ? a.cols(b) : 0, k = min(m, n);
    const int64_t ld = n > 0 ? a.leading(b) : 0;
    T *p = n > 0 ? a.at(b) + q.lane : nullptr;
#pragma unroll(M <= 8 ? M : 4)
    for (int j = 0; j < n; j++)
      if (q.lane < m) start_copy(&q.at(q.lane, j), p + j * ld);
    wait_copies();
    __syncwarp();
#pragma unroll
    for (int i = 0; i < M; i++) q.a[i] = i < m && q.lane < n ? q.at(i, q.lane) : make<T>(0);
    __syncwarp();
    q.template stages<M>(k, min(a.m, a.n));
    __syncwarp();
#pragma unroll(M <= 8 ? M : 4)
    for (int j = 0; j < a.n; j++) {
      const T inverse = shuffle(q.inverse, j, shape::lanes);
      if (j >= n || q.lane >= m) continue;
      const T x = q.at(q.lane, j);
      p[j * ld] = q.lane > j ? x * inverse : x;
    }
    if (q.lane < k) tau.at(b)[(int64_t)q.lane * tau.increment(b)] = q.tau;
    __syncwarp();
  }
}

} // namespace batched_cuda

#endif

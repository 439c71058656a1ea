/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First kernel of heev_lanes_qr.cu, n <= 32: A = Q T Q^H by Householder's reflectors, one per column, as LAPACK's
 * sytd2; A is scaled by a power of two to a largest element of about 1. Column k of what is left is always element 0 of
 * a row, as an update moves the others by one. Vectors pass through shared memory.
 *
 * grid       a block per warp of matrices, 1 to 10 of them (grid-stride over the batch)
 * block      a warp: a row per lane, or up to three
 * registers  rows N elements per lane: as many blocks per multiprocessor as lanes_share finds room for
 * shared     the matrices, whole, as they are read (not in d); vectors of the step and of the last one
 * reads      a (one triangle); writes a (the reflectors below the diagonal), d, e, tau, and the largest element
 */
#ifndef BATCHED_EIGEN_CUDA_LANES_QR_REDUCE_CUH
#define BATCHED_EIGEN_CUDA_LANES_QR_REDUCE_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/cuda/lanes_qr/memory.cuh"

namespace batched_cuda::eigen
{

/* Of a matrix: column k below the diagonal, of this step and of the last one; what A makes of the reflector; and the
 * lanes' parts of their product.  Behind the last row of what is left come zeros. */
template <class T, int N> struct alignas(16) lanes_reduce_room {
  using S = lanes_share<T, N>;
  static constexpr int places = (S::rows * S::lanes + 3) / 4 * 4 + 4;
  T u[2][places], p[places], parts[(S::lanes + 1) / 2 * 2];
};

/* The sum of N numbers, by a tree. */
template <int N, class T> __device__ __forceinline__ T tree_sum(const T *x)
{
  if constexpr (N == 1)
    return x[0];
  else
    return tree_sum<(N + 1) / 2>(x) + tree_sum<N / 2>(x + (N + 1) / 2);
}

template <class T, int N> struct lanes_reduction {
  using R = real_of<T>;
  using S = lanes_share<T, N>;
  static constexpr bool even = (S::lanes & (S::lanes - 1)) == 0; /* a power of two */

  T x[S::rows][N]; /* column k of what is left is element 0 */
  R d[S::rows], e[S::rows];
  T tau[S::rows];
  int lane, n; /* of the matrix; its order, 0 where there is none */

  /* Steps k of which rows FIRST * lanes .. are to be updated, and all after them. */
  template <int FIRST>
  __device__ __forceinline__ void steps(int order, lanes_reduce_room<T, N> &room, T *a, int64_t leading)
  {
    const int from = FIRST == 0 ? 0 : FIRST * S::lanes - 1;
#pragma unroll 1
    for (int k = from; k < order - 1 && k < (FIRST + 1) * S::lanes - 1; k++)
      step<FIRST>(k, order - 1 - k, room, a + k * leading);
    if constexpr (FIRST + 1 < S::rows) steps<FIRST + 1>(order, room, a, leading);
  }

  /* Where row i is kept while column k is eliminated: those up to k behind the others. */
  static __device__ __forceinline__ int place(int i, int k)
  {
    return i > k ? i - k - 1 : S::rows * S::lanes + i - k - 1;
  }

  template <int FIRST> __device__ __forceinline__ void step(int k, int left, lanes_reduce_room<T, N> &room, T *column)
  {
    T *const u = room.u[k & 1];
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
      const int i = lane + r * S::lanes;
      if (lane < S::lanes) u[place(i, k)] = i > k ? x[r][0] : make<T>(0);
    }
    __syncwarp();
    T q[S::rows][2];
    R norm[2] = {0, 0};
#pragma unroll
    for (int r = FIRST; r < S::rows; r++) q[r][0] = q[r][1] = make<T>(0);
#pragma unroll
    for (int j0 = 1; j0 < N; j0 += S::chunk)
      if (j0 <= left) {
#pragma unroll
        for (int j = j0; j < j0 + S::chunk && j < N; j++) {
          const T uj = u[j - 1];
          norm[j % 2] = real(mad(conj(uj), uj, make<T>(norm[j % 2])));
#pragma unroll
          for (int r = FIRST; r < S::rows; r++) q[r][j % 2] = mad(x[r][j], uj, q[r][j % 2]);
        }
      }
    const T alpha = u[0];
    const R norm2 = norm[0] + norm[1];
    const bool some = norm2 > lanes_least_square<R>;
    const R inverse = some ? -copysign(inverse_root(norm2), real(alpha)) : R(0), beta = norm2 * inverse;
    const T over = some ? inverse_of(alpha - make<T>(beta)) : make<T>(0);
    const T factor = some ? make<T>((beta - real(alpha)) * inverse, -imag(alpha) * inverse) : make<T>(0);
    const T t = factor * square(over);
    T part = make<T>(0), v[S::rows], p[S::rows];
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
      const int i = lane + r * S::lanes;
      if (i == k) d[r] = real(x[r][0]), e[r] = beta, tau[r] = factor;
      if (r < FIRST) {
        p[r] = make<T>(0);
      } else {
        v[r] = i == k + 1 ? alpha - make<T>(beta) : i > k ? x[r][0] : make<T>(0);
        p[r] = i > k ? t * (q[r][0] + q[r][1] - beta * x[r][1]) : make<T>(0);
        part = mad(conj(p[r]), v[r], part);
        if (i > k && i < n) column[i] = v[r] * over;
      }
      if (lane < S::lanes) room.p[place(i, k)] = p[r];
    }
    if (!even && lane < S::lanes) room.parts[lane] = part;
    __syncwarp();
    const T dot = even ? sum_lanes(part, S::lanes) : tree_sum<S::lanes>(room.parts);
    const R twice = real(t * dot);
    T w[S::rows];
#pragma unroll
    for (int r = FIRST; r < S::rows; r++) {
      w[r] = twice * v[r] - p[r];
      v[r] = -v[r];
    }
#pragma unroll
    for (int j0 = 1; j0 < N; j0 += S::chunk)
      if (j0 <= left) {
#pragma unroll
        for (int j = j0; j < j0 + S::chunk && j < N; j++) {
          const T uj = conj(u[j - 1]), pj = conj(room.p[j - 1]);
#pragma unroll
          for (int r = FIRST; r < S::rows; r++) x[r][j - 1] = mad(w[r], uj, mad(v[r], pj, x[r][j]));
        }
      }
#pragma unroll
    for (int r = FIRST; r < S::rows; r++) x[r][0] = x[r][0] - beta * w[r];
  }
};

/* Whether each lane loads its rows by itself, without a tile: fewer instructions, the same sectors. */
template <class T> constexpr bool lanes_load_rows = !is_complex<T> && sizeof(T) == 8;

template <class T, int N>
__global__ void __launch_bounds__(32, lanes_share<T, N>::blocks(64))
  lanes_reduce(batch<T> a, bool lower, lanes_memory<T> m)
{
  using R = real_of<T>;
  using S = lanes_share<T, N>;
  __shared__ __align__(16) lanes_reduce_room<T, N> rooms[S::mats];
  const int thread = (int)threadIdx.x, ld = a.n | 1, size = ld * a.n;
  const int group = thread / S::lanes < S::mats ? thread / S::lanes : 0; /* of lanes behind the last one: any */
  lanes_reduction<T, N> own;
  own.lane = thread < S::mats * S::lanes ? thread % S::lanes : thread;
  T *const tiles = shared_array<T>();
  for (int64_t first = blockIdx.x * (int64_t)S::mats; first < a.count; first += gridDim.x * (int64_t)S::mats) {
    const int there = (int)(a.count - first < S::mats ? a.count - first : S::mats);
    const int64_t b = first + group;
    const bool has = group < there && own.lane < S::lanes;
    own.n = has ? a.cols(b) : 0;
    const T *const from = own.n > 0 ? a.at(b) : nullptr;
    const int64_t leading = own.n > 0 ? a.leading(b) : 0;
    if constexpr (!lanes_load_rows<T>) {
      load_hermitian(a, lower, first, there, size, tiles);
      __syncwarp();
    }
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
      const int i = own.lane + r * S::lanes;
#pragma unroll
      for (int j = 0; j < N; j++) {
        const bool inside = i < own.n && j < own.n;
        if constexpr (lanes_load_rows<T>)
          own.x[r][j] = inside ? *((lower ? i >= j : i <= j) ? from + i + j * leading : from + j + i * leading) : T(0);
        else
          own.x[r][j] = inside ? tiles[group * size + i + j * ld] : make<T>(0);
      }
#pragma unroll
      for (int j = 0; j < N; j++) {
        good = good && is_finite(own.x[r][j]);
        largest = fmax(largest, magnitude(own.x[r][j]));
      }
      own.d[r] = own.e[r] = 0;
      own.tau[r] = make<T>(0);
    }
    R *const lanes_largest = reinterpret_cast<R *>(rooms[group].parts);
    if (own.lane < S::lanes) lanes_largest[own.lane] = good ? largest : R(NAN);
    __syncwarp();
    largest = 0;
#pragma unroll
    for (int l = 0; l < S::lanes; l++) {
      const R other = lanes_largest[l];
      largest = other <= largest ? largest : other; /* NaN stays */
    }
    good = largest == largest;
    __syncwarp();
    const power_scale<R> scale(good ? largest : R(0), 1);
#pragma unroll
    for (int r = 0; r < S::rows; r++)
#pragma unroll
      for (int j = 0; j < N; j++) own.x[r][j] = good ? scale.up(own.x[r][j]) : make<T>(0);

    own.template steps<0>(a.n, rooms[group], own.n > 0 ? a.at(b) : nullptr, own.n > 0 ? a.leading(b) : 0);
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
      const int i = own.lane + r * S::lanes;
      if (i == a.n - 1) own.d[r] = real(own.x[r][0]);
      if (i < own.n) {
        m.d[b * m.n + i] = own.d[r];
        m.e[b * m.n + i] = own.e[r];
        m.tau[b * m.n + i] = own.tau[r];
      }
    }
    if (own.lane == 0 && group < there) m.largest[b] = largest;
    __syncwarp();
  }
}

} // namespace batched_cuda::eigen

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Third kernel of heev_lanes_qr.cu: Z = Q times the logged rotations, with a row of Z per lane, or up to three, in
 * registers: reflectors and rotations act on columns, so that lanes need nothing of each other. Two sweeps at a
 * time, the second a column behind the first.
 *
 * grid       a block per warp of matrices, or beyond 32 per matrix (grid-stride over the batch)
 * block      a warp; beyond 32 two
 * registers  rows N elements per lane
 * shared     reflectors, in whose place rotations of the next sweeps come, a column per lane; values and their places
 * reads      reflectors, tau, the log; writes w (ascending), z, info (n where A is not finite or QL did not converge)
 */
#ifndef BATCHED_EIGEN_CUDA_LANES_QR_ROTATE_CUH
#define BATCHED_EIGEN_CUDA_LANES_QR_ROTATE_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/cuda/lanes_qr/memory.cuh"

namespace batched_cuda::eigen
{

/* Pairs of sweeps whose rotations are on their way while one is applied. */
constexpr int lanes_pairs_ahead = 2;

/* Shared memory of a matrix: reflectors in columns of N, their factors, rotations of sweeps by their columns, values
 * and the places where they go, and what the sweeps act on. */
template <class T, int N> struct alignas(16) lanes_rotate_room {
  union {
    T v[(N - 1) * N];
    lanes_turn<real_of<T>> turns[lanes_share<T, N>::warps][2 * lanes_pairs_ahead + 2][N];
  };
  T tau[N];
  real_of<T> d[N];
  int place[N];
  unsigned short extents[lanes_most_sweeps * N];
};

template <int WARPS> __device__ __forceinline__ void sync_warps()
{
  if (WARPS == 1)
    __syncwarp();
  else
    __syncthreads();
}

/* A rotation of columns j and j + 1. */
template <class T, int ROWS, int N>
__device__ __forceinline__ void lanes_turn_columns(const lanes_turn<real_of<T>> &t, int j, T (&x)[ROWS][N])
{
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const T upper = x[r][j + 1], own = x[r][j];
    x[r][j + 1] = t.c * upper + t.s * own;
    x[r][j] = t.c * own - t.s * upper;
  }
}

/* Z = Q, which the reflectors make of the identity in x. order: of the largest matrix. */
template <class T, int N>
__device__ __forceinline__ void lanes_apply_reflectors(const lanes_rotate_room<T, N> &own, bool lower, int order,
                                                       T (&x)[lanes_share<T, N>::rows][N])
{
  using S = lanes_share<T, N>;
  constexpr int rows = S::rows;
#pragma unroll 1
  for (int k = 0; k < order - 1; k++) {
    const int from = lower ? k + 1 : 0, end = lower ? N : order - 1 - k; /* where v may have numbers */
    const T *const vk = own.v + k * N;
    T p[rows][2];
#pragma unroll
    for (int r = 0; r < rows; r++) p[r][0] = p[r][1] = make<T>(0);
#pragma unroll
    for (int j0 = 0; j0 < N; j0 += S::chunk)
      if (j0 + S::chunk > from && j0 < end) {
#pragma unroll
        for (int j = j0; j < j0 + S::chunk && j < N; j++)
#pragma unroll
          for (int r = 0; r < rows; r++) p[r][j % 2] = mad(x[r][j], vk[j], p[r][j % 2]);
      }
#pragma unroll
    for (int r = 0; r < rows; r++) p[r][0] = -((p[r][0] + p[r][1]) * own.tau[k]);
#pragma unroll
    for (int j0 = 0; j0 < N; j0 += S::chunk)
      if (j0 + S::chunk > from && j0 < end) {
#pragma unroll
        for (int j = j0; j < j0 + S::chunk && j < N; j++)
#pragma unroll
          for (int r = 0; r < rows; r++) x[r][j] = mad(p[r][0], conj(vk[j]), x[r][j]);
      }
  }
}

/* Z = Z times the rotations of the sweeps of matrix b; l: this lane's number among those that share them. */
template <class T, int N>
__device__ __forceinline__ void lanes_apply_rotations(lanes_rotate_room<T, N> &own, const lanes_memory<T> &m, int64_t b,
                                                      int sweeps, int warp, int l, T (&x)[lanes_share<T, N>::rows][N])
{
  using R = real_of<T>;
  using S = lanes_share<T, N>;
  const int most = __reduce_max_sync(all_lanes, sweeps);
  const lanes_turn<R> *log = m.log + b * (int64_t)m.rotations;
  const auto extent_of = [&](int s) { return s < sweeps ? (int)own.extents[s] : 0; };
  /* Begins to load the rotations of sweeps s and s + 1, this lane's of them: lanes have columns. */
  const auto fetch = [&](int s) {
#pragma unroll
    for (int second = 0; second < 2; second++) {
      const int extent = extent_of(s + second), low = extent & 255, high = extent >> 8;
#pragma unroll
      for (int piece = 0; piece < (N + S::lanes - 1) / S::lanes; piece++) {
        const int j = l + S::lanes * piece;
        lanes_turn<R> *const to = own.turns[warp][(s + second) % (2 * lanes_pairs_ahead + 2)] + j;
        if (j >= low && j < high)
          copy_async(shared_address(to), log + (high - 1 - j), true);
        else if (j < N)
          *to = {1, 0};
      }
      log += high - low;
    }
    copy_commit();
  };
#pragma unroll
  for (int s = 0; s < 2 * lanes_pairs_ahead; s += 2) fetch(s);
#pragma unroll 1
  for (int s = 0; s < most; s += 2) {
    copy_wait<lanes_pairs_ahead - 1>();
    __syncwarp();
    fetch(s + 2 * lanes_pairs_ahead);
    const lanes_turn<R> *const one = own.turns[warp][s % (2 * lanes_pairs_ahead + 2)], *const two = one + N;
    const int first = extent_of(s), second = extent_of(s + 1);
    int from = first > 0 ? first & 255 : N, to = max(first >> 8, (second >> 8) - 1);
    if (second > 0) from = min(from, (second & 255) - 1);
    if (S::mats > 1) from = __reduce_min_sync(all_lanes, from), to = __reduce_max_sync(all_lanes, to);
#pragma unroll
    for (int j0 = (N - 2) / 4 * 4; j0 >= 0; j0 -= 4) {
      if (j0 + 3 < from || j0 >= to) continue;
#pragma unroll
      for (int j = j0 + 3; j >= j0; j--) {
        if (j > N - 2) continue;
        lanes_turn_columns(one[j], j, x);
        if (j + 1 <= N - 2) lanes_turn_columns(two[j + 1], j + 1, x);
      }
    }
    if (from < 0) lanes_turn_columns(two[0], 0, x);
  }
}

/* v: reflectors, below the diagonal or above it, as hetrd leaves them, whose memory may be z's. */
template <class T, int N>
__global__ void __launch_bounds__(32 * lanes_share<T, N>::warps, lanes_share<T, N>::blocks(48))
  lanes_rotate(batch<T> v, bool lower, batch<T> z, batch<real_of<T>> w, lanes_memory<T> m, int *info)
{
  using R = real_of<T>;
  using S = lanes_share<T, N>;
  constexpr int W = S::warps, lanes = S::lanes * W, rows = S::rows;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const bool idle = lane >= S::mats * S::lanes;
  const int group = idle ? 0 : lane / S::lanes;
  /* The first row; this lane's number among those that share rotations. */
  const int i0 = idle ? N : lane % S::lanes + warp * S::lanes, l = idle ? N : lane % S::lanes;
  lanes_rotate_room<T, N> &own = shared_array<lanes_rotate_room<T, N>>()[group];
  for (int64_t first = blockIdx.x * (int64_t)S::mats; first < z.count; first += gridDim.x * (int64_t)S::mats) {
    const int64_t b = first + group;
    const bool there = b < z.count && !idle;
    const int n = there ? z.cols(b) : 0, many = there ? m.many[b] : 0, sweeps = max(many, 0);
    const R largest = there ? m.largest[b] : R(0);
    const bool good = many >= 0 && largest == largest;
    if (n > 0) {
      const T *const from = v.at(b);
      const int64_t leading = v.leading(b);
      for (int at = i0; at < (z.n - 1) * N; at += lanes) {
        const int k = at / N, j = at % N;
        const int one = lower ? k + 1 : n - 2 - k, column = lower ? k : one + 1; /* Q = H_0 H_1 ..., or ... H_1 H_0 */
        const bool inside = lower ? j > one && j < n : j < one;
        if (j == one)
          own.v[at] = make<T>(1);
        else
          copy_async(shared_address(own.v + at), inside ? from + j + column * leading : from, inside);
      }
      for (int j = i0; j < N; j += lanes) {
        own.tau[j] = j < n - 1 ? m.tau[b * m.n + (lower ? j : n - 2 - j)] : make<T>(0);
        own.d[j] = j < n ? m.d[b * m.n + j] : R(0);
      }
      for (int s = i0; s < sweeps; s += lanes) own.extents[s] = m.extents[b * m.sweeps + s];
    }
    copy_commit();
    copy_wait<0>();
    sync_warps<W>();
    T x[rows][N];
#pragma unroll
    for (int r = 0; r < rows; r++)
#pragma unroll
      for (int j = 0; j < N; j++) x[r][j] = make<T>(i0 + r * lanes == j);
    lanes_apply_reflectors(own, lower, z.n, x);
    sync_warps<W>();
    lanes_apply_rotations(own, m, b, sweeps, warp, l, x);

    copy_wait<0>();
    const power_scale<R> scale(good ? largest : R(0), 1);
    for (int j = i0; j < n; j += lanes) {
      const R mine = own.d[j];
      int place = 0;
      for (int k = 0; k < n; k++) place += own.d[k] < mine || (own.d[k] == mine && k < j);
      own.place[j] = place;
      w.at(b)[place * (int64_t)w.increment(b)] = good ? scale.down(mine) + 0 : R(NAN);
    }
    if (there && i0 == 0) info[b] = good ? 0 : n;
    sync_warps<W>();
    if (n > 0) {
      const int64_t leading = z.leading(b);
#pragma unroll
      for (int r = 0; r < rows; r++) {
        T *const to = z.at(b) + i0 + r * lanes;
#pragma unroll
        for (int j = 0; j < N; j++)
          if (j < n && i0 + r * lanes < n) to[own.place[j] * leading] = good ? x[r][j] + make<T>(0) : not_a_number<T>();
      }
    }
    sync_warps<W>();
  }
}

} // namespace batched_cuda::eigen

#endif

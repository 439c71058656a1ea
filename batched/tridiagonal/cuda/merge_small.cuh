/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges of stedc's lowest levels, of two parts that have at most 16 or 32 columns together: all of merge.cuh's steps
 * by a block, on chip.  Four lanes find a root; lane j of N lanes has small vector j, whose elements stay in its
 * registers; the product goes row by row, in place, N lanes to a row.
 *
 * grid      a block per merge
 * block     four threads per column: 64 or 128
 * shared    the vectors of the two parts, 8.5 KB in d, 4.3 KB in s, of 32 columns, and 2 KB
 * takes     s and d, merges of at most 32 columns
 * memory    reads and writes the merge's vectors once
 * accuracy  that of merge.cuh
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_MERGE_SMALL_CUH
#define BATCHED_TRIDIAGONAL_CUDA_MERGE_SMALL_CUH

#include "batched/tridiagonal/cuda/merge.cuh"

namespace batched_cuda::tridiagonal
{

constexpr int small_merge = 32, small_root_lanes = 4;

/* Shared memory of a merge of up to N columns.  poles and z: those of the columns that are left; `own` and `spread`:
 * those of every column of the two parts, with 0 in `spread` where it was dropped. */
template <class R, int N> struct small_room {
  R v[N][N + 1];
  merge_column<R> columns[N];
  R poles[N], z[N], nearest[N], offsets[N], own[N], spread[N];
  int left; /* columns; -1: nothing couples the parts */
};

template <class R> __device__ __forceinline__ R largest_of_warp(R x)
{
  for (int half = 16; half > 0; half /= 2) x = fmax(x, shuffle_xor(x, half));
  return x;
}

/* Deflates, by a warp, in the order of merge.cuh; rotations are left to all. */
template <class R, int N>
__device__ void deflate_small(const conquest<R> &c, small_room<R, N> &m, int64_t merge, int64_t b, const part_extent &x)
{
  const int lane = threadIdx.x % 32, size = x.end - x.begin, n1 = x.middle - x.begin;
  const int64_t at = b * c.n + x.begin;
  const R e = c.e[b * c.n + x.middle - 1], rho = 2 * fabs(e), half = sqrt(R(0.5));
  const bool there = lane < size;
  const R d = there ? c.d[at + lane] : R(0);
  const R z = there ? (lane >= n1 && e < 0 ? -half : half) * m.v[lane < n1 ? n1 - 1 : n1][lane] : R(0);
  const R part = largest_of_warp(fabs(z)), tol = 4 * eps_of<R> * fmax(largest_of_warp(fabs(d)), part);
  if (rho * part <= tol) {
    if (lane == 0) m.left = -1;
    return;
  }
  if (there) m.own[lane] = d;
  __syncwarp();
  int place = 0;
  for (int i = 0; i < size; i++) place += m.own[i] < d || (m.own[i] == d && i < lane);
  if (there) m.columns[place] = {d, z, lane, lane < n1 ? 1 : 2};
  __syncwarp();
  if (lane == 0) {
    deflate_in_order(c, at, merge, size, tol, rho, m.columns, (const merge_column<R> *)nullptr, -1);
    m.left = c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS];
  }
}

/* Root j of k, by small_root_lanes lanes, and element j of z again. */
template <class R, int N> __device__ void solve_small(small_room<R, N> &m, int k, R rho)
{
  const int own = threadIdx.x / small_root_lanes, part = threadIdx.x % small_root_lanes, j = min(own, k - 1);
  const secular_equation<R, false> f = {k, m.poles, m.z, rho, part, small_root_lanes};
  const secular_root<R> r = f.root(j, own < k);
  const R mine = m.poles[j];
  if (part == 0) {
    m.nearest[own] = m.poles[r.origin];
    m.offsets[own] = r.x;
  }
  __syncthreads();
  R product = 1;
  for (int i = part; i < k; i += small_root_lanes) {
    const R gap = mine - m.nearest[i] - m.offsets[i];
    product *= i == j ? gap : gap * inverse_of(mine - m.poles[i]);
  }
  for (int half = small_root_lanes / 2; half > 0; half /= 2) product *= shuffle_xor(product, half);
  const R again = copysign(sqrt(fabs(product)), m.z[j]);
  __syncthreads();
  if (part == 0) m.z[own] = again;
}

template <class R, int N> __global__ void __launch_bounds__(small_root_lanes *N) merge_small(conquest<R> c, int level)
{
  constexpr int groups = small_root_lanes; /* of N threads */
  __shared__ small_room<R, N> m;
  const int t = threadIdx.x, j = t % N, group = t / N;
  for (int64_t merge = blockIdx.x; merge < c.count << level; merge += gridDim.x) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    if (!x.is_merge()) continue;
    const int size = x.end - x.begin;
    const int64_t at = b * c.n + x.begin;
    R *const v = c.matrix(c.v, b) + x.begin + (int64_t)x.begin * c.n;
#pragma unroll
    for (int i = group; i < N; i += groups) m.v[j][i] = j < size && i < size ? v[j + (int64_t)i * c.n] : R(0);
    __syncthreads();
    if (t < 32) deflate_small(c, m, merge, b, x);
    __syncthreads();
    const int k = m.left;
    if (k < 0) {
      __syncthreads();
      continue;
    }
    const int rotations = c.parts[MERGE_NUMBERS * merge + ROTATIONS];
    for (int i = 0; t < N && i < rotations; i++) {
      R *const p = &m.v[t][c.pairs[2 * (at + i)]], *const q = &m.v[t][c.pairs[2 * (at + i) + 1]];
      const R cosine = c.cosines[at + i], sine = c.sines[at + i], xp = *p, xq = *q;
      *p = cosine * xp + sine * xq;
      *q = cosine * xq - sine * xp;
    }
    const int kept = j < k ? c.kept[at + j] : 0, dropped = j >= k && j < size ? c.dropped[at + j - k] : -1;
    R value = dropped >= 0 ? c.d[at + dropped] : R(0);
    if (t < N) {
      m.poles[j] = j < k ? c.poles[at + j] : R(0);
      m.z[j] = j < k ? c.weights[at + j] : R(0);
      m.spread[j] = 0;
      m.own[j] = 0;
    }
    __syncthreads();
    if (k > 0) {
      solve_small(m, k, 2 * fabs(c.e[b * c.n + x.middle - 1]));
      __syncthreads();
      if (j < k) value = m.nearest[j] + m.offsets[j];
      if (t < k) m.spread[kept] = m.z[j], m.own[kept] = m.poles[j];
    }
    __syncthreads();
    R s[N], sum = 0;
    const R nearest = m.nearest[j], offset = m.offsets[j];
#pragma unroll
    for (int i = 0; i < N; i++) {
      const R weight = m.spread[i];
      s[i] = j < k ? (weight != 0 ? weight * inverse_of(m.own[i] - nearest - offset) : R(0)) : R(i == dropped);
      sum += s[i] * s[i];
    }
    const R inverse = sum > 0 ? 1 / sqrt(sum) : R(0);
#pragma unroll
    for (int i = 0; i < N; i++) s[i] *= inverse;
#pragma unroll 1
    for (int r = group; r < N; r += groups) {
      R x0 = 0, x1 = 0;
#pragma unroll
      for (int i = 0; i < N; i += 2) {
        x0 += m.v[r][i] * s[i];
        x1 += m.v[r][i + 1] * s[i + 1];
      }
      __syncwarp();
      m.v[r][j] = x0 + x1;
    }
    if (t < size) c.d[at + t] = value;
    __syncthreads();
    for (int i = group; i < size; i += groups)
      if (j < size) v[j + (int64_t)i * c.n] = m.v[j][i];
    __syncthreads();
  }
}

} // namespace batched_cuda::tridiagonal

#endif

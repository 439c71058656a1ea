/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Merges of stedc's lowest levels, of two parts that have at most 32 columns together: all of merge.cuh's steps by one
 * warp, on chip.  Lane j finds root j, element j of z, and small vector j, whose elements stay in its registers; the
 * product goes row by row, in place.
 *
 * grid      four merges of a level to a block
 * block     128 threads, a warp per merge
 * shared    the vectors of the two parts, 34 KB in d, 17 KB in s, and 5 KB
 * takes     s and d, merges of at most 32 columns
 * memory    reads and writes the merge's vectors once
 * accuracy  that of merge.cuh
 */
#ifndef BATCHED_TRIDIAGONAL_CUDA_MERGE_SMALL_CUH
#define BATCHED_TRIDIAGONAL_CUDA_MERGE_SMALL_CUH

#include "batched/tridiagonal/cuda/merge.cuh"

namespace batched_cuda::tridiagonal
{

constexpr int small_merge = 32, small_warps = 4;

/* Shared memory of a warp.  poles and z: those of the columns that are left; `own` and `spread`: those of every column
 * of the two parts, with 0 in `spread` where it was dropped. */
template <class R> struct small_room {
  R v[small_merge][small_merge + 1];
  merge_column<R> columns[small_merge];
  R poles[small_merge], z[small_merge], nearest[small_merge], offsets[small_merge], own[small_merge],
    spread[small_merge];
};

template <class R> __device__ __forceinline__ R largest_of_warp(R x)
{
  for (int half = 16; half > 0; half /= 2) x = fmax(x, shuffle_xor(x, half));
  return x;
}

/* Deflates; `columns` left of size, in the order of merge.cuh, and rotations done.  -1: nothing couples the parts. */
template <class R>
__device__ int deflate_small(const conquest<R> &c, small_room<R> &m, int64_t merge, int64_t b, const part_extent &x)
{
  const int lane = threadIdx.x % 32, size = x.end - x.begin, n1 = x.middle - x.begin;
  const int64_t at = b * c.n + x.begin;
  const R e = c.e[b * c.n + x.middle - 1], rho = 2 * fabs(e), half = sqrt(R(0.5));
  const bool there = lane < size;
  const R d = there ? c.d[at + lane] : R(0);
  const R z = there ? (lane >= n1 && e < 0 ? -half : half) * m.v[lane < n1 ? n1 - 1 : n1][lane] : R(0);
  const R part = largest_of_warp(fabs(z)), tol = 4 * eps_of<R> * fmax(largest_of_warp(fabs(d)), part);
  if (rho * part <= tol) return -1;
  m.own[lane] = d;
  __syncwarp();
  int place = 0;
  for (int i = 0; i < size; i++) place += m.own[i] < d || (m.own[i] == d && i < lane);
  if (there) m.columns[place] = {d, z, lane, lane < n1 ? 1 : 2};
  __syncwarp();
  if (lane == 0) deflate_in_order(c, at, merge, size, tol, rho, m.columns, (const merge_column<R> *)nullptr, -1);
  __syncwarp();
  const int rotations = c.parts[MERGE_NUMBERS * merge + ROTATIONS];
  for (int i = 0; i < rotations; i++) {
    R *const p = &m.v[lane][c.pairs[2 * (at + i)]], *const q = &m.v[lane][c.pairs[2 * (at + i) + 1]];
    const R cosine = c.cosines[at + i], sine = c.sines[at + i], xp = *p, xq = *q;
    *p = cosine * xp + sine * xq;
    *q = cosine * xq - sine * xp;
  }
  return c.parts[MERGE_NUMBERS * merge + LEFT_COLUMNS];
}

/* Root `lane` of k, and z again; the value. */
template <class R> __device__ R solve_small(small_room<R> &m, int k, R rho)
{
  const int lane = threadIdx.x % 32, j = min(lane, k - 1);
  const secular_equation<R, false> f = {k, m.poles, m.z, rho, 0, 1};
  const secular_root<R> r = f.root(j, lane < k);
  const R pole = m.poles[r.origin], mine = m.poles[j];
  m.nearest[lane] = pole;
  m.offsets[lane] = r.x;
  __syncwarp();
  R product = 1;
  for (int i = 0; i < k; i++) {
    const R gap = mine - m.nearest[i] - m.offsets[i];
    product *= i == j ? gap : gap * inverse_of(mine - m.poles[i]);
  }
  const R again = copysign(sqrt(fabs(product)), m.z[j]);
  __syncwarp();
  m.z[lane] = again;
  __syncwarp();
  return pole + r.x;
}

template <class R> __global__ void __launch_bounds__(32 * small_warps) merge_small(conquest<R> c, int level)
{
  __shared__ small_room<R> rooms[small_warps];
  small_room<R> &m = rooms[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  const int64_t merges = c.count << level;
  for (int64_t merge = blockIdx.x * (int64_t)small_warps + threadIdx.x / 32; merge < merges;
       merge += gridDim.x * (int64_t)small_warps) {
    const int64_t b = merge >> level;
    const part_extent x(c.orders[b], level, (int)(merge - (b << level)));
    if (!x.is_merge()) continue;
    const int size = x.end - x.begin;
    const int64_t at = b * c.n + x.begin;
    R *const v = c.matrix(c.v, b) + x.begin + (int64_t)x.begin * c.n;
#pragma unroll 4
    for (int j = 0; j < small_merge; j++) m.v[lane][j] = lane < size && j < size ? v[lane + (int64_t)j * c.n] : R(0);
    __syncwarp();
    const int k = deflate_small(c, m, merge, b, x);
    __syncwarp();
    if (k < 0) continue;
    const int kept = lane < k ? c.kept[at + lane] : 0;
    const int dropped = lane >= k && lane < size ? c.dropped[at + lane - k] : -1;
    R value = dropped >= 0 ? c.d[at + dropped] : R(0);
    m.poles[lane] = lane < k ? c.poles[at + lane] : R(0);
    m.z[lane] = lane < k ? c.weights[at + lane] : R(0);
    m.spread[lane] = 0;
    m.own[lane] = 0;
    __syncwarp();
    if (k > 0) {
      const R root = solve_small(m, k, 2 * fabs(c.e[b * c.n + x.middle - 1]));
      if (lane < k) value = root, m.spread[kept] = m.z[lane], m.own[kept] = m.poles[lane];
    }
    __syncwarp();
    R s[small_merge], sum = 0;
    const R nearest = m.nearest[lane], offset = m.offsets[lane];
#pragma unroll
    for (int i = 0; i < small_merge; i++) {
      const R weight = m.spread[i];
      s[i] = lane < k ? (weight != 0 ? weight * inverse_of(m.own[i] - nearest - offset) : R(0)) : R(i == dropped);
      sum += s[i] * s[i];
    }
    const R inverse = sum > 0 ? 1 / sqrt(sum) : R(0);
#pragma unroll
    for (int i = 0; i < small_merge; i++) s[i] *= inverse;
    for (int r = 0; r < size; r++) {
      R x0 = 0, x1 = 0;
#pragma unroll
      for (int i = 0; i < small_merge; i += 2) {
        x0 += m.v[r][i] * s[i];
        x1 += m.v[r][i + 1] * s[i + 1];
      }
      __syncwarp();
      m.v[r][lane] = x0 + x1;
    }
    if (lane < size) c.d[at + lane] = value;
    __syncwarp();
    for (int j = 0; j < size; j++)
      if (lane < size) v[lane + (int64_t)j * c.n] = m.v[lane][j];
    __syncwarp();
  }
}

} // namespace batched_cuda::tridiagonal

#endif

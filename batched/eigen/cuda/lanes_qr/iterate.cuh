/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Second kernel of heev_lanes_qr.cu: the eigenvalues of T by implicit QL with Wilkinson's shift, a matrix per lane, and
 * a log of the rotations, sweep by sweep. Sweeps of a warp's matrices begin together.
 *
 * grid      a block per 32 matrices, or per fewer, so that all multiprocessors have some (grid-stride over the batch)
 * block     a warp
 * shared    d and e of each matrix; two lines of the log of each, which are written whole: coalesced
 * reads     d, e; writes d (not in order), the log, each sweep's first and last element, the number of sweeps or -1
 */
#ifndef BATCHED_EIGEN_CUDA_LANES_QR_ITERATE_CUH
#define BATCHED_EIGEN_CUDA_LANES_QR_ITERATE_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/cuda/lanes_qr/memory.cuh"

namespace batched_cuda::eigen
{

/* QL on block l .. hi of a matrix whose element i is d[i * step] and e[i * step]. */
template <class R> struct lane_iteration {
  R *d, *e;
  int step, n, l, hi;
  R tolerance;

  __device__ __forceinline__ bool is_coupled(int i) const
  {
    return fabs(e[i * step]) > tolerance;
  }
  /* The block that begins at l, or the first one after it of more than one element; false if there is none. */
  __device__ __forceinline__ bool find_block()
  {
    for (; l < n - 1; l++) {
      for (hi = l; hi < n - 1 && is_coupled(hi); hi++) {
      }
      if (hi > l) return true;
    }
    return false;
  }

  R above, g, sine, cosine, shift, next_d, next_e;
  int i, cut; /* the rotation that is due; the first element behind l that nothing couples to the next */

  /* A sweep: begin, turn_next for each rotation, and end, which finds the block of the next sweep, if there is one. */
  __device__ __forceinline__ void begin()
  {
    const R p = d[l * step], el = e[l * step], t = (d[(l + 1) * step] - p) * R(0.5) * inverse_of(el);
    const R h2 = fma(t, t, R(1)), h = h2 * inverse_root(h2);
    above = d[hi * step];
    g = above - p + el * inverse_of(t < 0 ? t - h : t + h);
    sine = cosine = 1;
    shift = 0;
    i = hi - 1;
    cut = hi;
    next_d = d[i * step];
    next_e = e[i * step];
  }
  __device__ __forceinline__ lanes_turn<R> turn_next()
  {
    const R f = sine * next_e, q = cosine * next_e, own = next_d;
    const int after = i > l ? i - 1 : l;
    next_e = e[after * step];
    next_d = d[after * step];
    const R norm2 = fma(g, g, f * f);
    const bool some = norm2 > lanes_least_square<R>;
    const R inverse = inverse_root(some ? norm2 : R(1), rough_inverse_root(some ? norm2 : R(1)));
    const R r = some ? norm2 * inverse : g;
    cosine = some ? g * inverse : R(1);
    sine = some ? f * inverse : R(0);
    if (i < hi - 1) {
      e[(i + 1) * step] = r;
      if (fabs(r) <= tolerance) cut = i + 1;
    }
    g = above - shift;
    const R w = fma(own - g, sine, 2 * cosine * q);
    shift = sine * w;
    d[(i + 1) * step] = g + shift;
    g = fma(cosine, w, -q);
    above = own;
    i--;
    return {cosine, sine};
  }
  __device__ __forceinline__ bool end()
  {
    d[l * step] = above - shift;
    e[l * step] = g;
    hi = cut;
    if (fabs(g) <= tolerance) l++;
    if (l < hi) return true;
    l = hi + 1;
    return find_block();
  }
};

/* Rotations of a warp's matrices on their way to the log, which gets whole lines of so many bytes. */
template <class R, int BYTES> struct lanes_log_lines {
  static constexpr int line = BYTES / (int)sizeof(lanes_turn<R>), room = 2 * line;
  lanes_turn<R> turns[32][room + 1];

  /* Writes a line of each matrix that has one, or what is left of each. `count`: rotations of this lane's matrix, of
   * which `written` are in the log; both of 0 where there is no matrix. */
  __device__ __forceinline__ void write(lanes_turn<R> *log, int64_t rotations, int count, int &written, bool rest)
  {
    const int lane = (int)threadIdx.x;
    __syncwarp();
#pragma unroll 1
    for (int first = 0; first < 32; first += 32 / line) {
      const int from = first + lane / line, entry = lane % line;
      const int base = __shfl_sync(all_lanes, written, from), due = __shfl_sync(all_lanes, count, from) - base;
      if (rest ? entry < due : due >= line) log[from * rotations + base + entry] = turns[from][base % room + entry];
    }
    if (count - written >= line) written += line;
    __syncwarp();
  }
};

/* `each` matrices to a warp, a lane each.  `scaled`: T is, and m.largest says how; else this finds it. */
template <class T, int BYTES>
__global__ void __launch_bounds__(32) lanes_iterate(batch<real_of<T>> w, lanes_memory<T> m, int each, bool scaled)
{
  using R = real_of<T>;
  using lines_of = lanes_log_lines<R, BYTES>;
  __shared__ lines_of lines;
  const int lane = (int)threadIdx.x;
  R *const memory = shared_array<R>() + lane;
  for (int64_t first = blockIdx.x * (int64_t)each; first < w.count; first += gridDim.x * (int64_t)each) {
    const int64_t b = first + lane;
    const bool there = lane < each && b < w.count;
    lane_iteration<R> ql = {memory, memory + m.n * each, each, there ? w.length(b) : 0, 0, 0, 0};
    R largest = 0;
    bool good = true;
    for (int i = 0; i < ql.n; i++) {
      const R d = m.d[b * m.n + i], e = i < ql.n - 1 ? m.e[b * m.n + i] : R(0);
      ql.d[i * each] = d;
      ql.e[i * each] = e;
      good = good && is_finite(d) && is_finite(e);
      largest = fmax(largest, fmax(fabs(d), fabs(e)));
    }
    if (!scaled) {
      const power_scale<R> scale(good ? largest : R(0), 1);
      for (int i = 0; i < ql.n; i++) {
        ql.d[i * each] = good ? scale.up(ql.d[i * each]) : R(0);
        ql.e[i * each] = good ? scale.up(ql.e[i * each]) : R(0);
      }
      if (there) m.largest[b] = good ? largest : R(NAN);
      largest = good ? scale.up(largest) : R(0);
    }
    ql.tolerance = eps_of<R> / 4 * largest;
    int count = 0, written = 0, many = 0, clock = 0;
    bool more = largest > 0 && ql.find_block();
    while (__any_sync(all_lanes, more)) {
      int length = more ? ql.hi - ql.l : 0;
      if (count + length > m.rotations || many == m.sweeps) {
        many = -1;
        more = false;
        length = 0;
      }
      if (length > 0) {
        m.extents[b * m.sweeps + many++] = (unsigned short)(ql.l | ql.hi << 8);
        ql.begin();
      }
      const int steps = __reduce_max_sync(all_lanes, length);
#pragma unroll 1
      for (int t = 0; t < steps; t++) {
        if (t < length) lines.turns[lane][count++ % lines_of::room] = ql.turn_next();
        if (++clock % lines_of::line == 0) lines.write(m.log + first * m.rotations, m.rotations, count, written, false);
      }
      if (length > 0) more = ql.end();
      __syncwarp();
    }
    lines.write(m.log + first * m.rotations, m.rotations, count, written, false);
    lines.write(m.log + first * m.rotations, m.rotations, count, written, true);
    if (there) {
      m.many[b] = many;
      for (int i = 0; i < ql.n; i++) m.d[b * m.n + i] = ql.d[i * each];
    }
    __syncwarp();
  }
}

} // namespace batched_cuda::eigen

#endif

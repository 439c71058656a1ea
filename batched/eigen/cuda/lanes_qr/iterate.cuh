/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Second kernel of heev_lanes_qr.cu: the eigenvalues of T by implicit QL, a matrix per lane, and a log of the
 * rotations, sweep by sweep. Sweeps of a warp's matrices begin together. The shift is Wilkinson's, from which
 * Laguerre's iteration goes on to an eigenvalue of the block (Li and Zeng, "The Laguerre iteration in solving the
 * symmetric tridiagonal eigenproblem, revisited", 1994): a few steps for fewer sweeps.
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

/* Laguerre's iteration for the shift of a sweep: sweeps for a value that have it, steps, and one of a T with elements
 * of about 1 after which there is no other: the error that it leaves is about its cube. */
constexpr int lanes_most_tries = 4, lanes_most_steps = 3;
template <class R> constexpr R lanes_last_step = sizeof(R) == 4 ? R(0x1p-8) : R(0x1p-18);

/* QL on block l .. hi of a matrix whose element i is d[i * step] and e[i * step]. */
template <class R> struct lane_iteration {
  static constexpr R floor_square = sizeof(R) == 4 ? R(0x1p-126) : R(0x1p-960); /* nothing beside the least square */
  R *d, *e;
  int step, n, l, hi;
  R tolerance;
  int tries = 0; /* sweeps that l had */

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

  /* Wilkinson's shift: the eigenvalue of the block's first two rows and columns that is nearer to its first element. */
  __device__ __forceinline__ R wilkinson() const
  {
    const R p = d[l * step], el = e[l * step], t = (d[(l + 1) * step] - p) * R(0.5) * inverse_of(el);
    const R h2 = fma(t, t, R(1)), h = h2 * inverse_root(h2);
    return p - el * inverse_of(t < 0 ? t - h : t + h);
  }
  /* What x lacks to an eigenvalue of the block, by a step of Laguerre's iteration on the characteristic polynomial,
   * whose value p, p' = a and p'' / 2 = c come from the recurrence of determinants. Any number where these leave the
   * range. */
  __device__ __forceinline__ R laguerre(R x) const
  {
    R p = d[hi * step] - x, a = -1, c = 0, p2 = 1, a2 = 0, c2 = 0;
#pragma unroll 4
    for (int j = hi - 1; j >= l; j--) {
      const R t = d[j * step] - x, ej = e[j * step], square = ej * ej;
      const R p1 = p, a1 = a, c1 = c;
      p = fma(t, p1, -(square * p2));
      a = fma(t, a1, -fma(square, a2, p1));
      c = fma(t, c1, -fma(square, c2, a1));
      p2 = p1, a2 = a1, c2 = c1;
    }
    const R m = R(hi - l + 1), inverse = inverse_of(a), newton = p * inverse;
    const R h2 = (m - 1) * fma(-2 * m * newton, c * inverse, m - 1);
    const bool some = h2 > R(0x1p-40);
    return -m * newton * inverse_of(1 + (some ? h2 * inverse_root(h2) : R(0)));
  }
  __device__ __forceinline__ R find_shift() const
  {
    const R start = wilkinson(), far = fabs(e[l * step]);
    R x = start;
    if (hi > l + 1 && tries < lanes_most_tries)
#pragma unroll 1
      for (int k = 0; k < lanes_most_steps; k++) {
        const R lacks = laguerre(x);
        if (!(fabs(x + lacks - start) <= far)) break;
        x += lacks;
        if (fabs(lacks) < lanes_last_step<R>) break;
      }
    return x;
  }

  /* A sweep: begin, turn_next for each rotation, and end, which finds the block of the next sweep, if there is one. */
  __device__ __forceinline__ void begin()
  {
    above = d[hi * step];
    g = above - find_shift();
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
    const R norm2 = fma(g, g, fma(f, f, floor_square)); /* positive */
    const bool some = norm2 > lanes_least_square<R>;
    const R inverse = inverse_root(norm2, rough_inverse_root(norm2));
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
    tries++;
    if (fabs(g) <= tolerance) l++, tries = 0;
    if (l < hi) return true;
    l = hi + 1;
    tries = 0;
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
    const int lane = (int)threadIdx.x, entry = lane % line, state = written << 6 | (count - written);
    lanes_turn<R> turn[line];
    bool wanted[line];
    lanes_turn<R> *to[line];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < line; k++) {
      const int from = k * (32 / line) + lane / line, other = __shfl_sync(all_lanes, state, from);
      const int base = other >> 6, due = other & 63;
      wanted[k] = rest ? entry < due : due >= line;
      turn[k] = turns[from][base % room + entry];
      to[k] = log + (from * rotations + base + entry);
    }
#pragma unroll
    for (int k = 0; k < line; k++)
      if (wanted[k]) *to[k] = turn[k];
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
    ql.tolerance = 2 * eps_of<R> * largest;
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes_qr of heev, with vectors: Householder's reduction to a tridiagonal matrix, QL with Wilkinson's shift,
 * and the product of reflectors and rotations (Bowdler, Martin, Reinsch and Wilkinson, "The QR and QL algorithms for
 * symmetric matrices", 1968), each by a kernel with as much of a matrix to a lane as keeps all lanes busy:
 *
 *   reduce    a row per lane, in registers; column k of what is left is always element 0 of the row, as an update moves
 *             the others by one.  Vectors pass through shared memory.
 *   iterate   a matrix per lane.  Sweeps of a warp's matrices begin together; rotations go to a log in scratch memory.
 *   rotate    a row of Z per lane, in registers: reflectors and rotations act on columns, so that lanes need nothing of
 *             each other.
 *
 * launches  3, of chunks of as many matrices as have 4 GB of scratch memory; beyond 32 a copy and hetrd instead of
 *           reduce
 * grid      reduce: a block per warp of matrices (1, 2 or 4 of them); iterate: a block per 32 matrices, or fewer, for
 *           all multiprocessors to have some; rotate: a block per warp of matrices, or, beyond 32, per matrix
 * block     a warp; rotate beyond 32: two
 * shared    reduce: the matrices; iterate: diagonals; rotate: reflectors
 * takes     all four types, n <= 32, uniform and variable; s, d and c to 64
 * reads     a (one triangle); writes w (ascending), a (vectors), info
 * scratch   2 n^2 + 16 n rotations, and some vectors, per matrix
 * accuracy  |A - Z W Z^H| and orthogonality < 30 n eps; off-diagonals below eps / 4 times T's largest element
 *           count as zero
 */
#include "batched/eigen/cuda/heev_lanes_qr.cuh"
#include "batched/condensed/condensed.h"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/steps.h"

namespace batched_cuda::eigen
{
namespace
{

template <class R> struct alignas(2 * sizeof(R)) turn {
  R c, s;
};

/* Numbers of a chunk's matrices, in scratch memory: n of each vector, `rotations` and `sweeps` places in the logs. */
template <class T> struct lanes_memory {
  real_of<T> *d, *e, *largest; /* largest: the element by which a matrix is scaled; NaN if it is not finite */
  T *tau;
  turn<real_of<T>> *log;
  unsigned short *extents; /* of a sweep: its first element, and 256 times its last one */
  int *many;               /* sweeps; -1: did not converge */
  int n, rotations, sweeps;
};

/* Squares below this count as zero where a norm is found; matrices have a largest element of about 1. */
template <class R> constexpr R least_square = sizeof(R) == 4 ? R(0x1p-100) : R(0x1p-900);

/* Sweeps to a value, at most. */
constexpr int most_sweeps = 8;

/* Lanes of a matrix of up to N columns. */
template <int N> constexpr int lanes_for = N <= 8 ? 8 : N <= 16 ? 16 : 32;

/* ------------------------------------------------------------------ reduce */

template <class T, int N> struct reduce_vectors {
  T v[2][lanes_for<N>], w[lanes_for<N>];
};

template <class T, int N> __global__ void __launch_bounds__(32) reduce(batch<T> a, bool lower, lanes_memory<T> m)
{
  using R = real_of<T>;
  constexpr int G = lanes_for<N>, mats = 32 / G;
  __shared__ __align__(16) reduce_vectors<T, N> vectors[mats];
  const int lane = (int)threadIdx.x, group = lane / G, i = lane % G, ld = a.n | 1, size = ld * a.n;
  const unsigned mask = G == 32 ? all_lanes : ((1u << (G % 32)) - 1) << group * G;
  T *const tiles = shared_array<T>();
  reduce_vectors<T, N> &own = vectors[group];
  for (int64_t first = blockIdx.x * (int64_t)mats; first < a.count; first += gridDim.x * (int64_t)mats) {
    const int there = (int)(a.count - first < mats ? a.count - first : mats);
    const int64_t b = first + group;
    const int n = group < there ? a.cols(b) : 0;
    load_hermitian(a, lower, first, there, size, tiles);
    __syncwarp();
    T x[N];
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int j = 0; j < N; j++) {
      x[j] = i < n && j < n ? tiles[group * size + i + j * ld] : make<T>(0);
      good = good && is_finite(x[j]);
      largest = fmax(largest, magnitude(x[j]));
    }
    good = (__ballot_sync(all_lanes, !good) & mask) == 0;
    for (int half = G / 2; half > 0; half /= 2) largest = fmax(largest, shuffle_xor(largest, half, G));
    const power_scale<R> scale(largest, 1);
#pragma unroll
    for (int j = 0; j < N; j++) x[j] = good ? scale.up(x[j]) : make<T>(0);

    T *const column = n > 0 ? a.at(b) + i : nullptr;
    const int64_t leading = n > 0 ? a.leading(b) : 0;
    R d = 0, e = 0;
    T tau = make<T>(0);
#pragma unroll 1
    for (int k = 0; k < a.n - 1; k++) {
      const int left = a.n - 1 - k;
      const T alpha = shuffle(x[0], k + 1, G);
      const R rest = sum_lanes(i > k + 1 ? square(x[0]) : R(0), G), norm2 = square(alpha) + rest;
      const bool some = norm2 > least_square<R>;
      const R inverse = some ? -copysign(inverse_root(norm2), real(alpha)) : R(0), beta = norm2 * inverse;
      const T t = some ? make<T>((beta - real(alpha)) * inverse, -imag(alpha) * inverse) : make<T>(0);
      const T over = some ? inverse_of(alpha - make<T>(beta)) : make<T>(0);
      const T v = i == k + 1 ? make<T>(1) : i > k ? x[0] * over : make<T>(0);
      if (i == k) d = real(x[0]), e = beta, tau = t;
      if (i > k && i < n) column[k * leading] = v;
      T *const vs = own.v[k & 1], *const ws = own.w;
      const int slot = i > k ? i - k - 1 : G + i - k - 1;
      vs[slot] = v;
      __syncwarp();
      T p = make<T>(0), q = make<T>(0);
#pragma unroll
      for (int j0 = 1; j0 < N; j0 += 4)
        if (j0 <= left) {
#pragma unroll
          for (int j = j0; j < j0 + 4 && j < N; j++) {
            if (j % 2)
              p = mad(x[j], vs[j - 1], p);
            else
              q = mad(x[j], vs[j - 1], q);
          }
        }
      p = t * (p + q);
      const T dot = sum_lanes(conj(p) * v, G);
      const T w = i > k ? p - R(0.5) * (t * dot) * v : make<T>(0);
      ws[slot] = w;
      __syncwarp();
      const T less_v = -v, less_w = -w;
#pragma unroll
      for (int j0 = 1; j0 < N; j0 += 4)
        if (j0 <= left) {
#pragma unroll
          for (int j = j0; j < j0 + 4 && j < N; j++)
            x[j - 1] = mad(less_w, conj(vs[j - 1]), mad(less_v, conj(ws[j - 1]), x[j]));
        }
    }
    if (i == a.n - 1) d = real(x[0]);
    if (i < n) {
      m.d[b * m.n + i] = d;
      m.e[b * m.n + i] = e;
      m.tau[b * m.n + i] = tau;
    }
    if (i == 0 && group < there) m.largest[b] = good ? largest : R(NAN);
    __syncwarp();
  }
}

/* ------------------------------------------------------------------ iterate */

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
  __device__ __forceinline__ turn<R> turn_next()
  {
    const R f = sine * next_e, q = cosine * next_e, own = next_d;
    const int after = i > l ? i - 1 : l;
    next_e = e[after * step];
    next_d = d[after * step];
    const R norm2 = fma(g, g, f * f);
    const bool some = norm2 > least_square<R>;
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

/* Rotations of a warp's matrices on their way to the log, which gets whole lines of 128 bytes. */
template <class R> struct log_lines {
  static constexpr int line = 128 / (int)sizeof(turn<R>), room = 2 * line;
  turn<R> turns[32][room + 1];

  /* Writes a line of each matrix that has one, or what is left of each. `count`: rotations of this lane's matrix, of
   * which `written` are in the log; both of 0 where there is no matrix. */
  __device__ __forceinline__ void write(turn<R> *log, int64_t rotations, int count, int &written, bool rest)
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
template <class T>
__global__ void __launch_bounds__(32) iterate(batch<real_of<T>> w, lanes_memory<T> m, int each, bool scaled)
{
  using R = real_of<T>;
  __shared__ log_lines<R> lines;
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
        if (t < length) lines.turns[lane][count++ % log_lines<R>::room] = ql.turn_next();
        if (++clock % log_lines<R>::line == 0)
          lines.write(m.log + first * m.rotations, m.rotations, count, written, false);
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

/* ------------------------------------------------------------------ rotate */

/* Sweeps whose rotations are on their way while one is applied. */
constexpr int sweeps_ahead = 3;

/* Shared memory of a matrix: reflectors in columns of N, their factors, rotations of sweeps by their columns, values
 * and the places where they go, and what the sweeps act on. */
template <class T, int N, int WARPS> struct rotate_room {
  T v[(N - 1) * N], tau[N];
  turn<real_of<T>> turns[WARPS][sweeps_ahead + 1][N];
  real_of<T> d[N];
  int place[N];
  unsigned short extents[most_sweeps * N];
};

/* Warps that a matrix's rows need. */
template <int N> constexpr int warps_for = N <= 32 ? 1 : 2;

template <int WARPS> __device__ __forceinline__ void sync_warps()
{
  if (WARPS == 1)
    __syncwarp();
  else
    __syncthreads();
}

/* v: reflectors, below the diagonal or above it, as hetrd leaves them, whose memory may be z's. */
template <class T, int N>
__global__ void __launch_bounds__(32 * warps_for<N>)
  rotate(batch<T> v, bool lower, batch<T> z, batch<real_of<T>> w, lanes_memory<T> m, int *info)
{
  using R = real_of<T>;
  constexpr int G = lanes_for<N>, mats = 32 / G, W = warps_for<N>, lanes = G * W, pieces = (N + 31) / 32;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, group = W > 1 ? 0 : lane / G;
  const int i = W > 1 ? (int)threadIdx.x : lane % G, l = lane % G; /* the row; the lane of those that share rotations */
  rotate_room<T, N, W> &own = shared_array<rotate_room<T, N, W>>()[group];
  for (int64_t first = blockIdx.x * (int64_t)mats; first < z.count; first += gridDim.x * (int64_t)mats) {
    const int64_t b = first + group;
    const bool there = b < z.count;
    const int n = there ? z.cols(b) : 0, many = there ? m.many[b] : 0, sweeps = max(many, 0);
    const R largest = there ? m.largest[b] : R(0);
    const bool good = many >= 0 && largest == largest;
    if (n > 0) {
      const T *const from = v.at(b);
      const int64_t leading = v.leading(b);
      for (int k = 0; k < z.n - 1; k++) {
        const int one = lower ? k + 1 : n - 2 - k, column = lower ? k : one + 1; /* Q = H_0 H_1 ..., or ... H_1 H_0 */
        for (int j = i; j < N; j += lanes) {
          T *const to = own.v + k * N + j;
          const bool inside = lower ? j > one && j < n : j < one;
          if (j == one)
            *to = make<T>(1);
          else
            copy_async(shared_address(to), inside ? from + j + column * leading : from, inside);
        }
      }
      for (int j = i; j < N; j += lanes) {
        own.tau[j] = j < n - 1 ? m.tau[b * m.n + (lower ? j : n - 2 - j)] : make<T>(0);
        own.d[j] = j < n ? m.d[b * m.n + j] : R(0);
      }
      for (int s = i; s < sweeps; s += lanes) own.extents[s] = m.extents[b * m.sweeps + s];
    }
    copy_commit();
    copy_wait<0>();
    sync_warps<W>();
    T x[N];
#pragma unroll
    for (int j = 0; j < N; j++) x[j] = make<T>(i == j);
#pragma unroll 1
    for (int k = 0; k < z.n - 1; k++) {
      const int from = lower ? k + 1 : 0, end = lower ? N : z.n - 1 - k; /* where v may have numbers */
      const T *const vk = own.v + k * N;
      T p = make<T>(0), q = make<T>(0);
#pragma unroll
      for (int j0 = 0; j0 < N; j0 += 4)
        if (j0 + 3 >= from && j0 < end) {
#pragma unroll
          for (int j = j0; j < j0 + 4; j += 2) {
            p = mad(x[j], vk[j], p);
            q = mad(x[j + 1], vk[j + 1], q);
          }
        }
      const T s = -((p + q) * own.tau[k]);
#pragma unroll
      for (int j0 = 0; j0 < N; j0 += 4)
        if (j0 + 3 >= from && j0 < end) {
#pragma unroll
          for (int j = j0; j < j0 + 4; j++) x[j] = mad(s, conj(vk[j]), x[j]);
        }
    }

    int most = sweeps;
    if (mats > 1)
      for (int half = 16; half >= G; half /= 2) most = max(most, __shfl_xor_sync(all_lanes, most, half));
    const turn<R> *log = m.log + b * (int64_t)m.rotations;
    /* Begins to load the rotations of sweep s, this lane's of them: lanes have columns. */
    const auto fetch = [&](int s) {
      const int extent = s < sweeps ? own.extents[s] : 0, low = extent & 255, high = extent >> 8;
#pragma unroll
      for (int piece = 0; piece < pieces; piece++) {
        const int j = l + 32 * piece;
        turn<R> *const to = own.turns[warp][s % (sweeps_ahead + 1)] + j;
        if (j >= low && j < high)
          copy_async(shared_address(to), log + (high - 1 - j), true);
        else if (j < N)
          *to = {1, 0};
      }
      log += high - low;
      copy_commit();
    };
#pragma unroll
    for (int s = 0; s < sweeps_ahead; s++) fetch(s);
#pragma unroll 1
    for (int s = 0; s < most; s++) {
      const turn<R> *const turns = own.turns[warp][s % (sweeps_ahead + 1)];
      copy_wait<sweeps_ahead - 1>();
      __syncwarp();
      fetch(s + sweeps_ahead);
      const int extent = s < sweeps ? own.extents[s] : 0, from = extent & 255, to = extent >> 8;
#pragma unroll
      for (int j0 = (N - 2) / 4 * 4; j0 >= 0; j0 -= 4) {
        if (mats == 1 && (j0 + 3 < from || j0 >= to)) continue;
#pragma unroll
        for (int j = j0 + 3; j >= j0; j--) {
          if (j > N - 2) continue;
          const turn<R> t = turns[j];
          const T upper = x[j + 1], own_x = x[j];
          x[j + 1] = t.c * upper + t.s * own_x;
          x[j] = t.c * own_x - t.s * upper;
        }
      }
    }

    copy_wait<0>();
    const power_scale<R> scale(good ? largest : R(0), 1);
    for (int j = i; j < n; j += lanes) {
      const R mine = own.d[j];
      int place = 0;
      for (int k = 0; k < n; k++) place += own.d[k] < mine || (own.d[k] == mine && k < j);
      own.place[j] = place;
      w.at(b)[place * (int64_t)w.increment(b)] = good ? scale.down(mine) + 0 : R(NAN);
    }
    if (there && i == 0) info[b] = good ? 0 : n;
    sync_warps<W>();
    if (i < n) {
      T *const to = z.at(b) + i;
      const int64_t leading = z.leading(b);
#pragma unroll
      for (int j = 0; j < N; j++)
        if (j < n) to[own.place[j] * leading] = good ? x[j] + make<T>(0) : not_a_number<T>();
    }
    sync_warps<W>();
  }
}

/* ------------------------------------------------------------------ launches */

template <class T, int N> int launch_reduce(batched_ctx *ctx, const batch<T> &a, bool lower, const lanes_memory<T> &m)
{
  constexpr int mats = 32 / lanes_for<N>;
  return launch(ctx, reduce<T, N>, ceil_div(a.count, mats), 32, (size_t)(mats * (a.n | 1) * a.n) * sizeof(T), a, lower,
                m);
}

template <class T>
int launch_iterate(batched_ctx *ctx, const batch<real_of<T>> &w, const lanes_memory<T> &m, bool scaled)
{
  const int64_t warps = 4 * multiprocessors();
  const int each = (int)(w.count >= 32 * warps ? 32 : ceil_div(w.count, warps));
  return launch(ctx, iterate<T>, ceil_div(w.count, each), 32, (size_t)(2 * m.n * each) * sizeof(real_of<T>), w, m, each,
                scaled);
}

template <class T, int N>
int launch_rotate(batched_ctx *ctx, const batch<T> &v, bool lower, const batch<T> &z, const batch<real_of<T>> &w,
                  const lanes_memory<T> &m, int *info)
{
  constexpr int mats = 32 / lanes_for<N>;
  return launch(ctx, rotate<T, N>, ceil_div(z.count, mats), 32 * warps_for<N>,
                mats * sizeof(rotate_room<T, N, warps_for<N>>), v, lower, z, w, m, info);
}

/* One matrix, or some, to a warp. */
template <class T, int N> int run_small(batched_ctx *ctx, const batched_heev_args &h, const lanes_memory<T> &m)
{
  const batch<T> a = view<T>(h.a);
  const batch<real_of<T>> w = view<real_of<T>>(h.w);
  int status = launch_reduce<T, N>(ctx, a, h.uplo == BATCHED_LOWER, m);
  if (!status) status = launch_iterate<T>(ctx, w, m, true);
  return status ? status : launch_rotate<T, N>(ctx, a, true, a, w, m, h.info);
}

template <class T> lanes_memory<T> lay_out(batched_pile *pile, int n, int64_t count)
{
  using R = real_of<T>;
  lanes_memory<T> m = {};
  m.n = n;
  m.rotations = (2 * n * n + 15) / 16 * 16 + 16 * n; /* whole lines */
  m.sweeps = most_sweeps * n;
  const auto take = [&](auto **x, int64_t many) {
    *x = static_cast<std::remove_reference_t<decltype(**x)> *>(
      batched_pile_take(pile, (size_t)(count * many) * sizeof(**x)));
  };
  take(&m.d, n);
  take(&m.e, n);
  take(&m.largest, 1);
  take(&m.tau, n);
  take(&m.log, m.rotations);
  take(&m.extents, m.sweeps);
  take(&m.many, 1);
  static_assert(sizeof(turn<R>) == 2 * sizeof(R));
  return m;
}

/* Up to order 64, by hetrd. */
template <class T>
int run_large(batched_ctx *ctx, batched_pile *pile, const batched_heev_args &h, const lanes_memory<T> &m)
{
  const int n = h.a.n;
  const int64_t count = h.a.count;
  const batched_sizes sizes = batched_pile_sizes(pile, &h.a);
  const batched_matrix x = batched_pile_matrices(pile, h.a.type, n, n, h.a.ms, h.a.ns, count);
  if (!pile->at) return BATCHED_SUCCESS;
  const auto vectors = [&](batched_type type, void *data, int length, const int *lengths) {
    return batched_with_sizes(batched_make_strided(type, data, length, 1, length, n, count), lengths, NULL, NULL);
  };
  int status = sizes.mins ? batched_eigen_cuda_steps.find_sizes(ctx, &h.a, &sizes) : (int)BATCHED_SUCCESS;
  if (!status) status = batched_copy(ctx, h.a, x);
  if (!status)
    status =
      batched_hetrd(ctx, h.uplo, x, vectors(h.w.type, m.d, n, sizes.mins),
                    vectors(h.w.type, m.e, n - 1, sizes.mins_less), vectors(h.a.type, m.tau, n - 1, sizes.mins_less));
  const batch<T> v = view<T>(x), z = view<T>(h.a);
  const batch<real_of<T>> w = view<real_of<T>>(h.w);
  if (!status) status = launch_iterate<T>(ctx, w, m, false);
  if (status) return status;
  const bool lower = h.uplo == BATCHED_LOWER;
  if (n <= 40) return launch_rotate<T, 40>(ctx, v, lower, z, w, m, h.info);
  if (n <= 48) return launch_rotate<T, 48>(ctx, v, lower, z, w, m, h.info);
  if (n <= 56) return launch_rotate<T, 56>(ctx, v, lower, z, w, m, h.info);
  return launch_rotate<T, 64>(ctx, v, lower, z, w, m, h.info);
}

template <class T> int run_part(batched_ctx *ctx, batched_pile *pile, const batched_heev_args &h)
{
  const lanes_memory<T> m = lay_out<T>(pile, h.a.n, h.a.count);
  if constexpr (sizeof(T) < 16)
    if (h.a.n > 32) return run_large<T>(ctx, pile, h, m);
  if (!pile->at) return BATCHED_SUCCESS;
  if (h.a.n <= 8) return run_small<T, 8>(ctx, h, m);
  if (h.a.n <= 12) return run_small<T, 12>(ctx, h, m);
  if (h.a.n <= 16) return run_small<T, 16>(ctx, h, m);
  if (h.a.n <= 20) return run_small<T, 20>(ctx, h, m);
  if (h.a.n <= 24) return run_small<T, 24>(ctx, h, m);
  if (h.a.n <= 28) return run_small<T, 28>(ctx, h, m);
  return run_small<T, 32>(ctx, h, m);
}

int drive(batched_ctx *ctx, batched_pile *pile, const void *args)
{
  const auto &h = *static_cast<const batched_heev_args *>(args);
  return with_type(h.a.type, [&](auto t) { return run_part<decltype(t)>(ctx, pile, h); });
}

} // namespace

bool fits_lanes_qr(const batched_heev_args &h)
{
  return h.job == BATCHED_VECTORS && h.a.n <= (h.a.type == BATCHED_Z ? 32 : 64) &&
         (h.a.n <= 32 || batched_hetrd_cuda[0].name);
}

int lanes_qr(batched_ctx *ctx, const batched_heev_args &h)
{
  return batched_run_in_parts(ctx, &batched_heev_op, drive, &h);
}

} // namespace batched_cuda::eigen

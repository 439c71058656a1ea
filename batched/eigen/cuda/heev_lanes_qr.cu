/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes_qr of heev, with vectors: Householder's reduction to a tridiagonal matrix, QL with Wilkinson's shift,
 * and the product of reflectors and rotations (Bowdler, Martin, Reinsch and Wilkinson, "The QR and QL algorithms for
 * symmetric matrices", 1968), each by a kernel with as much of a matrix to a lane as keeps all lanes busy:
 *
 *   reduce    up to three rows per lane, in registers; column k of what is left is always element 0 of a row, as an
 *             update moves the others by one.  Vectors pass through shared memory.
 *   iterate   a matrix per lane.  Sweeps of a warp's matrices begin together; rotations go to a log in scratch memory.
 *   rotate    as many rows of Z per lane, in registers: reflectors and rotations act on columns, so that lanes need
 *             nothing of each other.  Two sweeps at a time, the second a column behind the first.
 *
 * launches  3, of chunks of as many matrices as have 4 GB of scratch memory; beyond 32 a copy and hetrd instead of
 *           reduce
 * grid      reduce: a block per warp of matrices (1 to 10 of them); iterate: a block per 32 matrices, or fewer, for
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

/* How matrices of up to N columns share a warp: lane l of a matrix's `lanes` has rows l, l + lanes, ... of it, as many
 * as registers have room for, so that a number read from shared memory serves several rows.  Beyond 32 a matrix has two
 * warps. */
template <class T, int N> struct share {
  static constexpr int rows = N > 32 ? 1 : N * sizeof(T) <= 160 ? 2 : N == 24 && sizeof(T) == 8 ? 3 : 1;
  static constexpr int warps = N > 32 ? 2 : 1, lanes = N > 32 ? 32 : (N + rows - 1) / rows, mats = 32 / lanes;
  static constexpr int chunk = rows > 1 ? 4 : 8; /* columns that are read at a time */
  /* Blocks per multiprocessor, whose quarters have registers for 512 in each lane: those of the rows, and `more`. */
  static constexpr int blocks(int more)
  {
    return 512 / (rows * N * (int)sizeof(T) / 4 + more) * 4 / warps;
  }
};

/* ------------------------------------------------------------------ reduce */

/* Of a matrix: column k below the diagonal, of this step and of the last one; what A makes of the reflector; and the
 * lanes' parts of their product.  Behind the last row of what is left come zeros. */
template <class T, int N> struct alignas(16) reduce_room {
  using S = share<T, N>;
  static constexpr int places = (S::rows * S::lanes + 3) / 4 * 4 + 4;
  T u[2][places], p[places], parts[(S::lanes + 1) / 2 * 2];
};

/* The sum of N numbers, by a tree. */
template <int N, class T> __device__ __forceinline__ T sum_of(const T *x)
{
  if constexpr (N == 1)
    return x[0];
  else
    return sum_of<(N + 1) / 2>(x) + sum_of<N / 2>(x + (N + 1) / 2);
}

template <class T, int N> struct reduction {
  using R = real_of<T>;
  using S = share<T, N>;
  static constexpr bool even = (S::lanes & (S::lanes - 1)) == 0; /* a power of two */

  T x[S::rows][N]; /* column k of what is left is element 0 */
  R d[S::rows], e[S::rows];
  T tau[S::rows];
  int lane, n; /* of the matrix; its order, 0 where there is none */

  /* Steps k of which rows FIRST * lanes .. are to be updated, and all after them. */
  template <int FIRST> __device__ __forceinline__ void steps(int order, reduce_room<T, N> &room, T *a, int64_t leading)
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

  template <int FIRST> __device__ __forceinline__ void step(int k, int left, reduce_room<T, N> &room, T *column)
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
    const bool some = norm2 > least_square<R>;
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
    const T dot = even ? sum_lanes(part, S::lanes) : sum_of<S::lanes>(room.parts);
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

template <class T, int N>
__global__ void __launch_bounds__(32, share<T, N>::blocks(64)) reduce(batch<T> a, bool lower, lanes_memory<T> m)
{
  using R = real_of<T>;
  using S = share<T, N>;
  __shared__ __align__(16) reduce_room<T, N> rooms[S::mats];
  const int thread = (int)threadIdx.x, ld = a.n | 1, size = ld * a.n;
  const int group = thread / S::lanes < S::mats ? thread / S::lanes : 0; /* of lanes behind the last one: any */
  reduction<T, N> own;
  own.lane = thread < S::mats * S::lanes ? thread % S::lanes : thread;
  T *const tiles = shared_array<T>();
  for (int64_t first = blockIdx.x * (int64_t)S::mats; first < a.count; first += gridDim.x * (int64_t)S::mats) {
    const int there = (int)(a.count - first < S::mats ? a.count - first : S::mats);
    const int64_t b = first + group;
    const bool has = group < there && own.lane < S::lanes;
    own.n = has ? a.cols(b) : 0;
    load_hermitian(a, lower, first, there, size, tiles);
    __syncwarp();
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int r = 0; r < S::rows; r++) {
      const int i = own.lane + r * S::lanes;
#pragma unroll
      for (int j = 0; j < N; j++) {
        own.x[r][j] = i < own.n && j < own.n ? tiles[group * size + i + j * ld] : make<T>(0);
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

/* Rotations of a warp's matrices on their way to the log, which gets whole lines of so many bytes. */
template <class R, int BYTES> struct log_lines {
  static constexpr int line = BYTES / (int)sizeof(turn<R>), room = 2 * line;
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
template <class T, int BYTES>
__global__ void __launch_bounds__(32) iterate(batch<real_of<T>> w, lanes_memory<T> m, int each, bool scaled)
{
  using R = real_of<T>;
  using lines_of = log_lines<R, BYTES>;
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

/* ------------------------------------------------------------------ rotate */

/* Pairs of sweeps whose rotations are on their way while one is applied. */
constexpr int pairs_ahead = 2;

/* Shared memory of a matrix: reflectors in columns of N, their factors, rotations of sweeps by their columns, values
 * and the places where they go, and what the sweeps act on. */
template <class T, int N> struct alignas(16) rotate_room {
  union {
    T v[(N - 1) * N];
    turn<real_of<T>> turns[share<T, N>::warps][2 * pairs_ahead + 2][N];
  };
  T tau[N];
  real_of<T> d[N];
  int place[N];
  unsigned short extents[most_sweeps * N];
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
__device__ __forceinline__ void turn_columns(const turn<real_of<T>> &t, int j, T (&x)[ROWS][N])
{
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const T upper = x[r][j + 1], own = x[r][j];
    x[r][j + 1] = t.c * upper + t.s * own;
    x[r][j] = t.c * own - t.s * upper;
  }
}

/* v: reflectors, below the diagonal or above it, as hetrd leaves them, whose memory may be z's. */
template <class T, int N>
__global__ void __launch_bounds__(32 * share<T, N>::warps, share<T, N>::blocks(48))
  rotate(batch<T> v, bool lower, batch<T> z, batch<real_of<T>> w, lanes_memory<T> m, int *info)
{
  using R = real_of<T>;
  using S = share<T, N>;
  constexpr int W = S::warps, lanes = S::lanes * W, rows = S::rows;
  const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
  const bool idle = lane >= S::mats * S::lanes;
  const int group = idle ? 0 : lane / S::lanes;
  /* The first row; this lane's number among those that share rotations. */
  const int i0 = idle ? N : lane % S::lanes + warp * S::lanes, l = idle ? N : lane % S::lanes;
  rotate_room<T, N> &own = shared_array<rotate_room<T, N>>()[group];
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
#pragma unroll 1
    for (int k = 0; k < z.n - 1; k++) {
      const int from = lower ? k + 1 : 0, end = lower ? N : z.n - 1 - k; /* where v may have numbers */
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

    sync_warps<W>();
    const int most = __reduce_max_sync(all_lanes, sweeps);
    const turn<R> *log = m.log + b * (int64_t)m.rotations;
    const auto extent_of = [&](int s) { return s < sweeps ? (int)own.extents[s] : 0; };
    /* Begins to load the rotations of sweeps s and s + 1, this lane's of them: lanes have columns. */
    const auto fetch = [&](int s) {
#pragma unroll
      for (int second = 0; second < 2; second++) {
        const int extent = extent_of(s + second), low = extent & 255, high = extent >> 8;
#pragma unroll
        for (int piece = 0; piece < (N + S::lanes - 1) / S::lanes; piece++) {
          const int j = l + S::lanes * piece;
          turn<R> *const to = own.turns[warp][(s + second) % (2 * pairs_ahead + 2)] + j;
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
    for (int s = 0; s < 2 * pairs_ahead; s += 2) fetch(s);
#pragma unroll 1
    for (int s = 0; s < most; s += 2) {
      copy_wait<pairs_ahead - 1>();
      __syncwarp();
      fetch(s + 2 * pairs_ahead);
      const turn<R> *const one = own.turns[warp][s % (2 * pairs_ahead + 2)], *const two = one + N;
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
          turn_columns(one[j], j, x);
          if (j + 1 <= N - 2) turn_columns(two[j + 1], j + 1, x);
        }
      }
      if (from < 0) turn_columns(two[0], 0, x);
    }

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

/* ------------------------------------------------------------------ launches */

template <class T, int N> int launch_reduce(batched_ctx *ctx, const batch<T> &a, bool lower, const lanes_memory<T> &m)
{
  constexpr int mats = share<T, N>::mats;
  return launch(ctx, reduce<T, N>, ceil_div(a.count, mats), 32, (size_t)(mats * (a.n | 1) * a.n) * sizeof(T), a, lower,
                m);
}

template <class T>
int launch_iterate(batched_ctx *ctx, const batch<real_of<T>> &w, const lanes_memory<T> &m, bool scaled)
{
  const int64_t warps = 4 * multiprocessors();
  const int each = (int)(w.count >= 32 * warps ? 32 : ceil_div(w.count, warps));
  auto *const kernel = m.n <= 24 ? iterate<T, 64> : iterate<T, 32>; /* short lines where many warps need the room */
  return launch(ctx, kernel, ceil_div(w.count, each), 32, (size_t)(2 * m.n * each) * sizeof(real_of<T>), w, m, each,
                scaled);
}

template <class T, int N>
int launch_rotate(batched_ctx *ctx, const batch<T> &v, bool lower, const batch<T> &z, const batch<real_of<T>> &w,
                  const lanes_memory<T> &m, int *info)
{
  using S = share<T, N>;
  return launch(ctx, rotate<T, N>, ceil_div(z.count, S::mats), 32 * S::warps, S::mats * sizeof(rotate_room<T, N>), v,
                lower, z, w, m, info);
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
  if (h.a.n <= 10) return run_small<T, 10>(ctx, h, m);
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

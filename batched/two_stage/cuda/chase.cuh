/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.shared and cuda.block of hb2st and gb2bd: bulge chasing in LAPACK's order of tasks (hb2st_kernels), many
 * sweeps at once, with a block per matrix.  Task k of sweep s works on the kd rows and columns from s + 1 + k kd on,
 * and has to wait for task k + 1 of sweep s - 1: so the block does task t - 2 s of each sweep s in step t, and there is
 * a barrier between steps.  A team of 8, 16 or 32 lanes has a task: a lane per row or column of its blocks.  Of kd = 8
 * and 16 (holds_task) a block lies in the team's registers, so that an element is read and written once per task: a
 * lane sums along its line, and the lanes exchange halves of what is summed across lines.
 *
 *   grid       a block per matrix (block: so many as run at once)
 *   block      a team per sweep in flight, up to 512 threads
 *   registers  a line of a block, up to 32 numbers; 16 numbers of z are two lanes'
 *   shared     shared: the band and its bulges and the vectors of the sweeps in flight (block: these are in scratch
 *              memory, and of gb2bd a block of kd x kd of each team that holds its task is here)
 *   takes      all four types, any n and kd; shared: what fits
 *   reads      the band once; writes d, e, and the operation's vectors
 *
 * What is chased is a Chase, hb2st_task or gb2bd_task, with
 *
 *   scalar, ab, d, e, kd                    operands of the call
 *   band_elements(n, kd), slot_elements(kd) memory of a matrix: its band, and what each sweep keeps
 *   leading(kd), origin(kd)                 element (i, j) of the band is at origin + i + j leading
 *   block_at(row, height, ld)               the first element of a task, from there
 *   load(b, n, kd, memory)                  the band, scaled; returns by how much it was
 *   chase<N, FAR>(team, place, block, ld, slot, near)
 *                                           a task, of which the first element is at `block`; N: elements of a line in
 *                                           registers at a time; FAR: what lies across a team's lanes goes through its
 *                                           shared memory `near`
 *   beside(ld)                              where e(i) is, from d(i)
 */
#ifndef BATCHED_TWO_STAGE_CUDA_CHASE_CUH
#define BATCHED_TWO_STAGE_CUDA_CHASE_CUH

#include "batched/two_stage/steps.h"
#include "batched/cuda/reduce.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::two_stage
{

static DEVICE int clamp_width(int n, int kd)
{
  return kd < n - 1 ? kd : n > 2 ? n - 1 : 1;
}

/* At most. */
static DEVICE int sweeps_in_flight(int n, int kd)
{
  return (n - 1 + kd - 1) / kd / 2 + 1;
}

/* Elements for a matrix: the band, and behind it what the sweeps in flight keep, and zeros for teams without a task. */
template <class Chase> int64_t chase_elements(const Chase &g)
{
  const int n = g.ab.n, kd = clamp_width(n, g.kd);
  return Chase::band_elements(n, kd) + (int64_t)(sweeps_in_flight(n, kd) + 1) * Chase::slot_elements(kd);
}

/* Lanes that share a task, P of them a line of it; all teams of a warp are in the same place of the code, one without a
 * task having no rows.  Sums of
 * real numbers are the same bits for any P. */
template <int G, int P = 1> struct team {
  static constexpr int lanes = G, parts = P, lines = G / P, sums = 4 / P;
  static_assert(P == 1 || (G == 32 && 4 % P == 0), "a task's lanes must be those of a warp to share a line");
  int lane, line, part;

  __device__ team() : lane(threadIdx.x % G), line(P == 1 ? lane : lane % lines), part(P == 1 ? 0 : lane / lines)
  {
  }
  template <class T> __device__ __forceinline__ T sum(T x) const
  {
    for (int half = G / 2; half > 0; half /= 2) x += shuffle_xor(x, half, G);
    return x;
  }
  /* The lane's u-th element of a line, and the sum of a line of which it has added every fourth of these to x[0], the
   * next ones to x[1], and so on. */
  __device__ __forceinline__ int element(int u) const
  {
    return u / sums * 4 + part * sums + u % sums;
  }
  template <class T> __device__ __forceinline__ T sum_line(const T (&x)[sums]) const
  {
    T sum = x[0];
    if constexpr (P == 1) sum = (x[0] + x[1]) + (x[2] + x[3]);
    if constexpr (P == 2) sum = x[0] + x[1];
    for (int other = lines; other < G; other *= 2) sum += shuffle_xor(sum, other, G);
    return sum;
  }
};

/* Sums over a team's lines of the N values that each of its lanes has: left in x[0], that of value line N / lines. */
template <int N, int half, class T, int M, int G, int P>
static __device__ __forceinline__ void add_across_lines(const team<G, P> &team, T (&x)[M])
{
  if constexpr (half > 0) {
    if constexpr (N > 1) {
      const bool upper = team.line & half;
#pragma unroll
      for (int u = 0; u < N / 2; u++) {
        const T give = upper ? x[u] : x[u + N / 2], keep = upper ? x[u + N / 2] : x[u];
        x[u] = keep + shuffle_xor(give, half, G);
      }
    } else {
      x[0] += shuffle_xor(x[0], half, G);
    }
    add_across_lines<(N > 1 ? N / 2 : 1), half / 2>(team, x);
  }
}

/* A lane's elements of a line that all lanes read, by twos where these are neighbours: `line` is aligned to two. */
template <class T, int M, int G, int P>
static __device__ __forceinline__ void read_elements(const team<G, P> &team, const T *line, T (&x)[M])
{
  struct alignas(2 * sizeof(T)) pair {
    T x, y;
  };
#pragma unroll
  for (int u = 0; u<M; u += team.sums> 1 ? 2 : 1) {
    if constexpr (team.sums > 1) {
      const pair both = *reinterpret_cast<const pair *>(line + team.element(u));
      x[u] = both.x;
      x[u + 1] = both.y;
    } else {
      x[u] = line[team.element(u)];
    }
  }
}

/* True where a task of as many rows and columns as a team has lines is in the registers of its lanes. */
template <class T, class Team>
constexpr bool holds_task = Team::lines <= 16 && Team::lines / Team::parts * sizeof(T) <= 128;

/* Elements of a block of such a task in shared memory, on its way from or to global memory. */
template <int LINES> constexpr int staging = LINES *(LINES + 1);

/* Elements of a line that a lane has in registers at a time, of a band of up to G diagonals (32: any). */
template <class T, int G> constexpr int held = G < 256 / (int)sizeof(T) ? G : 256 / (int)sizeof(T);

/* A task of sweep s of matrix b: rows and columns row .. row + m - 1 (m = 0: no task), and a block beside them that is
 * `height` high: kd (inner), or 1 in the first task of a sweep.  Its first line is reduced. */
struct chase_place {
  int64_t b, row;
  int s, kd, m, height;
  bool inner;
};

static __device__ __forceinline__ chase_place place_of(int64_t b, int n, int kd, int s, int64_t row)
{
  const bool active = s >= 0 && row < n, inner = active && row > s + 1;
  return {b, row, s, kd, active ? (int)min((int64_t)kd, n - row) : 0, inner ? kd : 1, inner};
}

/* The place that a task's vector goes to; nullptr: none. */
template <class T> static __device__ __forceinline__ T *vector_at(bool wanted, const batch<T> &v, const chase_place &p)
{
  return wanted && p.m > 0 ? v.at(p.b) + p.row + p.s * (int64_t)v.leading(p.b) : nullptr;
}

/* The reflector of alpha, 1 where there is no task, and a column below it, of a matrix whose largest element is near 1;
 * squares(f): those of the lane's elements below alpha, times f, added up.  What is so small that squares underflow is
 * 0.  alpha and the column have to be multiplied by `scale`. */
template <class T, class F, int G, int P>
static __device__ __forceinline__ qr::reflector<T> reflect_scaled(const team<G, P> &team, T alpha, F squares,
                                                                  real_of<T> &scale)
{
  using R = real_of<T>;
  constexpr R least = sizeof(R) == 4 ? R(0x1p-40) : R(0x1p-400), up = sizeof(R) == 4 ? R(0x1p40) : R(0x1p400);
  R tail = team.sum(squares(R(1)));
  scale = 1;
  if (__any_sync(~0u, tail + square(alpha) <= least)) {
    const R larger = team.sum(squares(up));
    if (tail + square(alpha) <= least) {
      const bool zero = larger + square(up * alpha) <= least;
      scale = up;
      alpha = up * (zero ? make<T>(real(alpha)) : alpha);
      tail = zero ? R(0) : larger;
    }
  }
  return qr::reflect(alpha, tail);
}

/* The reflector that makes zeros of a column, or (ROW) of the conjugate of a row, but its first element. */
template <bool ROW, class T, int G, int P>
static __device__ __forceinline__ void annihilate(const team<G, P> &team, int m, T *line, int step, T *v, T *tau)
{
  using R = real_of<T>;
  R scale;
  const auto squares = [&](R factor) {
    R sum = 0;
    for (int i = team.lane; i < m; i += G)
      if (i > 0) sum += square(factor * line[i * step]);
    return sum;
  };
  const qr::reflector<T> h = reflect_scaled(team, m > 0 ? conj_if(ROW, line[0]) : make<T>(1), squares, scale);
  __syncwarp();
  for (int i = team.lane; i < m; i += G) {
    v[i] = i == 0 ? make<T>(1) : (scale * conj_if(ROW, line[i * step])) * h.inverse;
    line[i * step] = make<T>(i == 0 ? h.beta * qr::inverse_scale(scale) : R(0));
  }
  if (team.lane == 0 && m > 0) *tau = h.tau;
  __syncwarp();
}

/* Lines first .. count - 1 of n elements, `next` apart: x = x H (rows) or H^H x (LEFT: columns). */
template <bool LEFT, int N, class T, int G, int P>
static __device__ __forceinline__ void turn_lines(const team<G, P> &team, int first, int count, int n, T *lines,
                                                  int64_t next, int step, const T *v, const T *tau)
{
  constexpr int M = N / P;
  for (int at = first; at < count; at += team.lines) {
    if (P == 1 && at + team.line >= count) continue;
    const bool there = P == 1 || at + team.line < count;
    T *const line = lines + (at + team.line) * next;
    T x[M], sums[team.sums];
    for (T &sum : sums) sum = make<T>(0);
    for (int from = 0; there && from < n; from += N) {
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int i = from + team.element(u);
        x[u] = i < n ? line[i * step] : make<T>(0);
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int i = from + team.element(u);
        T &sum = sums[u % team.sums];
        sum = mad(conj_if(LEFT, i < n ? v[i] : make<T>(0)), x[u], sum);
      }
    }
    const T f = -((LEFT ? conj(*tau) : *tau) * team.sum_line(sums));
    for (int from = 0; there && from < n; from += N) {
      if (n > N) {
#pragma unroll
        for (int u = 0; u < M; u++) {
          const int i = from + team.element(u);
          x[u] = i < n ? line[i * step] : make<T>(0);
        }
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int i = from + team.element(u);
        x[u] = mad(f, conj_if(!LEFT, i < n ? v[i] : make<T>(0)), x[u]);
      }
#pragma unroll
      for (int u = 0; u < M; u++) {
        const int i = from + team.element(u);
        if (i < n) line[i * step] = x[u];
      }
    }
  }
}

/* A part of held tasks: each lane has a line x, or its part of one, and `mine` is the element of a vector that belongs
 * to the line.  x = x H, or H^H x (LEFT), by a vector along the lines, where `yes`. */
template <bool LEFT, class T, int M, int G, int P>
static __device__ __forceinline__ void turn_held(const team<G, P> &team, bool yes, const T *vector, const T *factor,
                                                 T (&x)[M])
{
  T v[M], sums[team.sums];
  if (yes) read_elements(team, vector, v);
  for (T &sum : sums) sum = make<T>(0);
#pragma unroll
  for (int u = 0; u < M; u++)
    sums[u % team.sums] = mad(yes ? conj_if(LEFT, v[u]) : make<T>(0), x[u], sums[u % team.sums]);
  const T tau = yes ? *factor : make<T>(0), f = -((LEFT ? conj(tau) : tau) * team.sum_line(sums));
#pragma unroll
  for (int u = 0; u < M; u++)
    if (yes) x[u] = mad(f, conj_if(!LEFT, v[u]), x[u]);
}

template <class T> struct held_reflector {
  T mine, tau;
  real_of<T> beta;
};

/* The reflector that makes zeros of the first element of lines 1 .. m - 1; kept in v and tau, zeros from m on. */
template <class T, int G, int P>
static __device__ __forceinline__ held_reflector<T> annihilate_held(const team<G, P> &team, int m, T x, T *v, T *tau)
{
  using R = real_of<T>;
  const int i = team.line;
  const T first = P == 1 ? x : shuffle(x, i, G), alpha = shuffle(x, 0, G);
  R scale;
  const auto squares = [&](R factor) { return i > 0 && team.part == 0 ? square(factor * first) : R(0); };
  const qr::reflector<T> h = reflect_scaled(team, m > 0 ? alpha : make<T>(1), squares, scale);
  const T mine = i >= m ? make<T>(0) : i == 0 ? make<T>(1) : (scale * first) * h.inverse;
  __syncwarp();
  if (m > 0 && team.part == 0) v[i] = mine;
  if (m > 0 && team.lane == 0) *tau = h.tau;
  return {mine, h.tau, h.beta * qr::inverse_scale(scale)};
}

/* The same as turn_held by a vector across the lines; w: for the sums, of a task with m > 0 rows. */
template <bool LEFT, class T, int M, int G, int P>
static __device__ __forceinline__ void turn_across(const team<G, P> &team, int m, const held_reflector<T> &h, T *w,
                                                   T (&x)[M])
{
  T f[M];
#pragma unroll
  for (int u = 0; u < M; u++) f[u] = conj_if(LEFT, h.mine) * x[u];
  add_across_lines<M, team.lines / 2>(team, f);
  if (m > 0 && team.line % P == 0) w[team.element(team.line / P)] = -((LEFT ? conj(h.tau) : h.tau) * f[0]);
  __syncwarp();
  read_elements(team, w, f);
#pragma unroll
  for (int u = 0; u < M; u++) x[u] = mad(f[u], conj_if(!LEFT, h.mine), x[u]);
}

/* The scale of a band whose largest part each thread has some of, and the band times that. */
template <class T> static __device__ real_of<T> scale_band(maximum_of<real_of<T>> largest, int64_t elements, T *a)
{
  __shared__ maximum_of<real_of<T>> of_warps[32];
  const real_of<T> scale = qr::column_scale(merge_block(largest, of_warps).result());
  for (int64_t e = threadIdx.x; e < elements; e += blockDim.x) a[e] = scale * a[e];
  __syncthreads();
  return scale;
}

/* d and e of matrix b, by a block, from the band's element (0, 0) on. */
template <class Chase, class T>
static __device__ void store_diagonals(const Chase &g, int64_t b, int n, int ld, const T *a, real_of<T> back)
{
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
    g.d.at(b)[i * g.d.increment(b)] = back * real(a[i + i * ld]);
    if (i < n - 1) g.e.at(b)[i * g.e.increment(b)] = back * real(a[i + i * ld + Chase::beside(ld)]);
  }
}

template <int LINES, int P, bool FAR, class Chase>
static __global__ void __launch_bounds__(512)
  chase_bulges(const __grid_constant__ Chase g, typename Chase::scalar *slots, int64_t elements)
{
  using T = typename Chase::scalar;
  const team<LINES * P, P> team;
  const int teams = blockDim.x / team.lanes;
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    T *const memory = slots ? slots + blockIdx.x * elements : shared_array<T>();
    const int n = g.ab.cols(b), kd = clamp_width(n, g.kd), ld = Chase::leading(kd);
    if (n == 0) continue;
    const int in_flight = sweeps_in_flight(n, kd), slot_size = Chase::slot_elements(kd);
    T *const a = memory + Chase::origin(kd), *const kept = memory + Chase::band_elements(n, kd);
    T *const near = FAR ? shared_array<T>() + threadIdx.x / team.lanes * staging<LINES> : nullptr;
    for (int e = threadIdx.x; e < slot_size; e += blockDim.x) kept[in_flight * slot_size + e] = make<T>(0);
    const real_of<T> back = qr::inverse_scale(g.load(b, n, kd, memory));
    for (int t = 0; t < 2 * n - 3; t++) {
      for (int s = min(t / 2, n - 2) - (int)threadIdx.x / team.lanes;; s -= teams) {
        chase_place p = place_of(b, n, kd, s, s + 1 + (t - 2 * (int64_t)s) * kd);
        if (!__any_sync(~0u, p.m > 0)) break; /* earlier sweeps are done */
        T *const block = p.m > 0 ? a + Chase::block_at(p.row, p.height, ld) : a;
        T *const slot = kept + (p.m > 0 ? s % in_flight : in_flight) * slot_size;
        if (holds_task<T, decltype(team)> && kd == LINES) { /* so that the compiler sees this */
          p.kd = LINES;
          p.height = p.inner ? LINES : 1;
          g.template chase<held<T, LINES>, FAR>(team, p, block, Chase::leading(LINES), slot, near);
        } else {
          g.template chase<held<T, LINES>, FAR>(team, p, block, ld, slot, near);
        }
      }
      __syncthreads();
    }
    store_diagonals(g, b, n, ld, a, back);
    __syncthreads();
  }
}

/* ------------------------------------------------------------------ on the host */

/* Lines of a team, and threads of a block: as many teams, of so many lanes, as there are sweeps in flight. */
static inline int lines_of(int kd)
{
  return kd <= 8 ? 8 : kd <= 16 ? 16 : 32;
}
static inline int threads_of(int n, int kd, int lanes)
{
  const int teams = ((n - 1 + kd - 1) / kd + 1) / 2, threads = teams * lanes;
  return threads < 64 ? 64 : threads > 512 ? 512 : (threads + 31) / 32 * 32;
}

/* slots: memory for each block; nullptr: shared memory. */
template <class Chase> int launch_chase(batched_ctx *ctx, const Chase &g, int64_t blocks, typename Chase::scalar *slots)
{
  using T = typename Chase::scalar;
  const int n = g.ab.n, kd = clamp_width(n, g.kd), lines = lines_of(kd);
  const int64_t elements = chase_elements(g);
  constexpr int P = sizeof(T) > 8 ? 2 : 1; /* 16 numbers of 16 bytes are two lanes' */
  const auto go = [&](auto kernel, int lanes, bool far) {
    const int threads = threads_of(n, kd, lanes);
    const int64_t near = far ? threads / lanes * (int64_t)lines * (lines + 1) : 0;
    return launch(ctx, kernel, blocks, threads, (size_t)(slots ? near : elements) * sizeof(T), g, slots, elements);
  };
  if constexpr (!Chase::last_is_row) {
    if (slots && lines == 8) return go(chase_bulges<8, 1, true, Chase>, 8, true);
    if (slots && lines == 16) return go(chase_bulges<16, P, true, Chase>, 16 * P, true);
  }
  return lines == 8    ? go(chase_bulges<8, 1, false, Chase>, 8, false)
         : lines == 16 ? go(chase_bulges<16, P, false, Chase>, 16 * P, false)
                       : go(chase_bulges<32, 1, false, Chase>, 32, false);
}

template <class Chase> bool chase_fits_shared(const Chase &g)
{
  return (size_t)chase_elements(g) * sizeof(typename Chase::scalar) + 1024 <= most_shared();
}
template <class Chase> int chase_in_shared(batched_ctx *ctx, const Chase &g)
{
  return launch_chase(ctx, g, g.ab.count, (typename Chase::scalar *)nullptr);
}

template <class Chase> int chase_in_scratch(batched_ctx *ctx, const Chase &g)
{
  using T = typename Chase::scalar;
  const int64_t most = 4 * multiprocessors(), blocks = g.ab.count < most ? g.ab.count : most;
  T *const slots = static_cast<T *>(batched_scratch_push(ctx, (size_t)chase_elements(g) * sizeof(T) * (size_t)blocks));
  if (!slots) return BATCHED_NO_MEMORY;
  const int status = launch_chase(ctx, g, blocks, slots);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::two_stage

#endif

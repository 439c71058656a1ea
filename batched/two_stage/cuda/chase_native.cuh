/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of hb2st and gb2bd: bulge chasing as in chase.cuh, but with a block per sweep on all
 * multiprocessors, so that one large matrix has the whole GPU.  The band is in global memory, and in the L2 cache.
 * Task k of sweep s needs one line only, its last, of what task k + 1 of sweep s - 1 leaves.  Of a block one warp
 * copies the other lines of the next task to shared memory, waits until the counter of sweep s - 1 has the number of
 * that task, and copies the last line; one does the task; and one writes the lines of the task before back, and
 * publishes its number.  Blocks claim sweeps in order, so that whom a block waits for is running or has ended, however
 * many run at once.
 *
 *   grid       a block per sweep in flight, at most 8 per multiprocessor
 *   block      3 warps
 *   registers  a line of a block, up to 32 numbers
 *   shared     three tasks' lines, 6 kd^2 elements, and what the sweep keeps
 *   takes      all four types, any n; kd by shared memory: d to 68, z to 48
 *   memory     the band twice; per task its lines are read and written once
 *   launches   one that loads the bands, with a block per matrix, the chase, and one that stores d and e
 *   accuracy   real results have the same bits as those of cuda.shared and cuda.block
 *
 * Of a Chase (chase.cuh) it needs, too:
 *
 *   rows(place), cols(place)   of the lines of a task
 *   has(place, i, j)           is (i, j) of these one of the band's elements?
 *   last_is_row                which line task k + 1 of the sweep before writes
 */
#ifndef BATCHED_TWO_STAGE_CUDA_CHASE_NATIVE_CUH
#define BATCHED_TWO_STAGE_CUDA_CHASE_NATIVE_CUH

#include "batched/two_stage/cuda/chase.cuh"
#include "batched/cuda/access.cuh"
#include "batched/cuda/progress.cuh"

namespace batched_cuda::two_stage
{

constexpr int native_threads = 96;

/* Of all matrices, each with n counters. */
template <class T> struct native_bands {
  unsigned long long *claimed; /* sweeps, of all matrices in turn */
  int *done;                   /* tasks of each sweep */
  real_of<T> *back;
  T *bands;
  int64_t elements; /* of a band */
};

/* Elements from one line of a task to the next in shared memory: odd, so that lines lie in different banks. */
template <class Chase> static DEVICE int window_leading(int kd)
{
  return (Chase::last_is_row ? kd : 2 * kd) | 1;
}
template <class Chase> static DEVICE int window_elements(int kd)
{
  return (Chase::last_is_row ? 2 * kd : kd) * window_leading<Chase>(kd);
}

/* Which of a task's lines. */
enum chase_lines { ALL_LINES, ALL_BUT_LAST, LAST_LINE };

/* f(i, j) for elements of a task of a band of up to G diagonals, by a warp. */
template <int G, class Chase, class F>
static __device__ __forceinline__ void each_of_lines(const chase_place &p, chase_lines lines, F f)
{
  constexpr int W = Chase::last_is_row || G == 32 ? G : 2 * G; /* lanes side by side in a column */
  const int rows = Chase::rows(p), cols = Chase::cols(p), lane = threadIdx.x % 32;
  const bool last = lines == LAST_LINE, rest = lines == ALL_BUT_LAST;
  if (Chase::last_is_row && last) {
    for (int j = lane; j < cols; j += 32) f(rows - 1, j);
    return;
  }
  const int height = rows - (Chase::last_is_row && rest), width = cols - (!Chase::last_is_row && rest);
  for (int j = (last ? cols - 1 : 0) + lane / W; j < width; j += 32 / W)
    for (int i = lane % W; i < height; i += W)
      if (Chase::has(p, i, j)) f(i, j);
}

template <class Chase>
static __global__ void __launch_bounds__(1024)
  load_bands(const __grid_constant__ Chase g, native_bands<typename Chase::scalar> to)
{
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    const int n = g.ab.cols(b);
    if (n == 0) continue;
    const auto scale = g.load(b, n, clamp_width(n, g.kd), to.bands + b * to.elements);
    if (threadIdx.x == 0) to.back[b] = qr::inverse_scale(scale);
  }
}

template <class Chase>
static __global__ void __launch_bounds__(1024)
  store_bands(const __grid_constant__ Chase g, native_bands<typename Chase::scalar> from)
{
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    const int n = g.ab.cols(b), kd = clamp_width(n, g.kd);
    if (n == 0) continue;
    store_diagonals(g, b, n, Chase::leading(kd), from.bands + b * from.elements + Chase::origin(kd), from.back[b]);
  }
}

/* A place with G rows, of a band of G diagonals, so that the compiler sees this. */
template <int G> static __device__ __forceinline__ chase_place whole_place(chase_place p)
{
  p.kd = p.m = G;
  p.height = p.inner ? G : 1;
  return p;
}

/* Sweep s of matrix b, of order n; band: its element (0, 0); done: the matrix's counters.  In a step one warp does task
 * k, another one stores task k - 1, and one fetches task k + 1. */
template <int G, class Chase, class T>
static __device__ void chase_sweep(const Chase &g, int64_t b, int n, int s, T *band, int *done, T *shared)
{
  const int kd = clamp_width(n, g.kd), ld = Chase::leading(kd), near = window_leading<Chase>(kd);
  const int tasks = (n - 1 - s + kd - 1) / kd, before = (n - s + kd - 1) / kd;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const auto window = [&](int k) { return shared + k % 3 * window_elements<Chase>(kd); };
  const auto copy = [&](int k, chase_lines lines, auto f) {
    const chase_place p = place_of(b, n, kd, s, s + 1 + k * (int64_t)kd);
    T *const far = band + Chase::block_at(p.row, p.height, ld), *const close = window(k);
    const auto go = [&](const chase_place &q, int pitch) {
      each_of_lines<G, Chase>(q, lines, [&](int i, int j) { f(close + i + j * pitch, far + i + (int64_t)j * ld); });
    };
    (p.kd == G && p.m == G) ? go(whole_place<G>(p), window_leading<Chase>(G)) : go(p, near);
  };
  const auto fetch = [&](int k, chase_lines lines) { copy(k, lines, start_copy<T>); };
  for (int k = -1; k <= tasks; k++) {
    if (warp == 0 && k >= 0 && k < tasks) {
      const chase_place p = place_of(b, n, kd, s, s + 1 + k * (int64_t)kd);
      T *const slot = shared + 3 * window_elements<Chase>(kd);
      const auto go = [&](const chase_place &q, int pitch) {
        g.template chase<held<T, G>>(team<32, 32 / G>(), q, window(k), pitch, slot);
      };
      (p.kd == G && p.m == G) ? go(whole_place<G>(p), window_leading<Chase>(G)) : go(p, near);
    }
    if (warp == 1 && k + 1 < tasks) {
      if (k >= 0) fetch(k + 1, ALL_BUT_LAST); /* done since the wait for task k */
      if (s > 0 && lane == 0) wait_beyond(done + s - 1, min(k + 3, before) - 1);
      __syncwarp();
      fetch(k + 1, k < 0 ? ALL_LINES : LAST_LINE);
      wait_copies();
    }
    if (warp == 2 && k > 0) {
      copy(k - 1, ALL_LINES, [](const T *from, T *to) { *to = *from; });
      __syncwarp();
      if (lane == 0) publish(done + s, k); /* a release, of what the barrier has put before it, too */
    }
    __syncthreads();
  }
}

template <int G, class Chase>
static __global__ void __launch_bounds__(native_threads)
  chase_natively(const __grid_constant__ Chase g, native_bands<typename Chase::scalar> memory)
{
  __shared__ int64_t claimed;
  for (;;) {
    if (threadIdx.x == 0) claimed = (int64_t)atomicAdd(memory.claimed, 1ull);
    __syncthreads();
    const int64_t b = claimed % g.ab.count, s = claimed / g.ab.count;
    __syncthreads();
    if (s >= g.ab.n - 1) return;
    const int n = g.ab.cols(b);
    if (s >= n - 1) continue;
    chase_sweep<G>(g, b, n, (int)s, memory.bands + b * memory.elements + Chase::origin(clamp_width(n, g.kd)),
                   memory.done + b * g.ab.n, shared_array<typename Chase::scalar>());
  }
}

/* ------------------------------------------------------------------ on the host */

template <class Chase> size_t native_shared(const Chase &g)
{
  const int kd = clamp_width(g.ab.n, g.kd);
  return (size_t)(3 * window_elements<Chase>(kd) + Chase::slot_elements(kd)) * sizeof(typename Chase::scalar);
}
template <class Chase> bool chase_fits_natively(const Chase &g)
{
  return native_shared(g) <= most_shared() - 1024;
}

template <class Chase>
int launch_natively(batched_ctx *ctx, const Chase &g, const native_bands<typename Chase::scalar> &m)
{
  const int64_t count = g.ab.count;
  const int n = g.ab.n, kd = clamp_width(n, g.kd), lanes = lanes_of(kd);
  const int64_t useful = count * sweeps_in_flight(n, kd), most = 8 * multiprocessors();
  const auto go = [&](auto kernel) {
    return launch(ctx, kernel, useful < most ? useful : most, native_threads, native_shared(g), g, m);
  };
  int status = launch(ctx, load_bands<Chase>, count, 1024, 0, g, m);
  if (!status)
    status = lanes == 8    ? go(chase_natively<8, Chase>)
             : lanes == 16 ? go(chase_natively<16, Chase>)
                           : go(chase_natively<32, Chase>);
  return status ? status : launch(ctx, store_bands<Chase>, count, 1024, 0, g, m);
}

template <class Chase> int chase_with_grid(batched_ctx *ctx, const Chase &g)
{
  using T = typename Chase::scalar;
  const int64_t count = g.ab.count, elements = Chase::band_elements(g.ab.n, clamp_width(g.ab.n, g.kd));
  const size_t counters = (size_t)(16 + ceil_div(count * g.ab.n * (int64_t)sizeof(int), 16) * 16);
  const size_t bands = (size_t)(count * elements) * sizeof(T);
  char *const memory =
    static_cast<char *>(batched_scratch_push(ctx, counters + bands + (size_t)count * sizeof(real_of<T>)));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = status_of(cudaMemsetAsync(memory, 0, counters, stream_of(ctx)));
  if (!status)
    status = launch_natively(ctx, g,
                             {reinterpret_cast<unsigned long long *>(memory), reinterpret_cast<int *>(memory + 16),
                              reinterpret_cast<real_of<T> *>(memory + counters + bands),
                              reinterpret_cast<T *>(memory + counters), elements});
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::two_stage

#endif

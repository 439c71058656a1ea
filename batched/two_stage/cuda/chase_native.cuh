/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.native of hb2st and gb2bd: bulge chasing as in chase.cuh, but with a block per sweep on all
 * multiprocessors, so that one large matrix has the whole GPU.  The band is in global memory, and in the L2 cache,
 * each element with the number of the sweep that it waits for (posted.cuh): sweep s reads those with tag s, and
 * leaves them with s + 1.  An element is written once per sweep, so that nothing else has to be waited for.  Task k
 * of sweep s needs the lines of task k of sweep s - 1 and, last of all, the first line of its task k + 1, which is
 * posted first. Of a block some warps fetch the next task to shared memory, one does a task and posts its first line,
 * and one posts the lines of the task before.  Blocks claim sweeps in order, so that whom a block waits for is
 * running or has ended, however many run at once.
 *
 *   grid       a block per sweep in flight, at most 8 per multiprocessor
 *   block      3, 4 or 10 warps for kd <= 8, 16 and beyond
 *   registers  a line of a block, up to 32 numbers; 8 elements on their way
 *   shared     three tasks' lines, 6 kd^2 elements, and what the sweep keeps
 *   takes      all four types, any n; kd by shared memory: d to 68, z to 48
 *   memory     the band four times, with tags twice as large; per task its lines are read and written once
 *   launches   five: the bands are loaded, with a block per matrix, and posted; the chase; bands and d and e are stored
 *   accuracy   real results have the same bits as those of cuda.shared and cuda.block
 *
 * Of a Chase (chase.cuh) it needs, too:
 *
 *   rows(place), cols(place)   of the lines of a task
 *   has(place, i, j)           is (i, j) of these one of the band's elements?
 *   last_is_row                are lines rows, or columns?
 */
#ifndef BATCHED_TWO_STAGE_CUDA_CHASE_NATIVE_CUH
#define BATCHED_TWO_STAGE_CUDA_CHASE_NATIVE_CUH

#include "batched/two_stage/cuda/chase.cuh"
#include "batched/cuda/posted.cuh"

namespace batched_cuda::two_stage
{

/* Of all matrices. */
template <class T> struct native_bands {
  unsigned long long *claimed; /* sweeps, of all matrices in turn */
  posted<T> *bands;
  T *plain; /* the same before and afterwards */
  real_of<T> *back;
  int64_t elements; /* of a band */
};

/* Warps that fetch the lines of a task of a band of up to G diagonals, 8 elements per lane. */
template <int G> constexpr int fetching_warps = G <= 8 ? 1 : G *G / 128;
template <int G> constexpr int threads_of_sweep = 32 * (2 + fetching_warps<G>);

/* Elements from one line of a task to the next in shared memory: odd, so that lines lie in different banks. */
template <class Chase> static DEVICE int window_leading(int kd)
{
  return (Chase::last_is_row ? kd : 2 * kd) | 1;
}
template <class Chase> static DEVICE int window_elements(int kd)
{
  return (Chase::last_is_row ? 2 * kd : kd) * window_leading<Chase>(kd);
}

template <class Chase>
static __global__ void __launch_bounds__(1024)
  load_bands(const __grid_constant__ Chase g, native_bands<typename Chase::scalar> to)
{
  for (int64_t b = blockIdx.x; b < g.ab.count; b += gridDim.x) {
    const int n = g.ab.cols(b);
    if (n == 0) continue;
    const auto scale = g.load(b, n, clamp_width(n, g.kd), to.plain + b * to.elements);
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
    store_diagonals(g, b, n, Chase::leading(kd), from.plain + b * from.elements + Chase::origin(kd), from.back[b]);
  }
}

/* The bands with tag 0, which the first sweep waits for; or back from there. */
template <class T> static __global__ void __launch_bounds__(256) post_bands(native_bands<T> g, int64_t count)
{
  const int64_t all = count * g.elements;
  for (int64_t e = blockIdx.x * (int64_t)256 + threadIdx.x; e < all; e += gridDim.x * (int64_t)256)
    post(g.bands + e, g.plain[e], 0);
}
template <class T> static __global__ void __launch_bounds__(256) collect_bands(native_bands<T> g, int64_t count)
{
  const int64_t all = count * g.elements;
  for (int64_t e = blockIdx.x * (int64_t)256 + threadIdx.x; e < all; e += gridDim.x * (int64_t)256)
    g.plain[e] = posted<T>::read(g.bands + e).value();
}

/* A place with G rows, of a band of G diagonals, so that the compiler sees this. */
template <int G, bool INNER> static __device__ __forceinline__ chase_place whole_place(chase_place p)
{
  p.kd = p.m = G;
  p.height = INNER ? G : 1;
  p.inner = INNER;
  return p;
}

/* True where element (i, j) of a task's lines is one of the first line. */
template <class Chase> static __device__ __forceinline__ bool is_first_line(int i, int j)
{
  return (Chase::last_is_row ? i : j) == 0;
}

/* True where the sweep before left element (i, j) to a task.  Left out are zeros, before a bulge has come: of a whole
 * task what its last line has beside the first line of the next task before, and (gb2bd) the last row. */
template <class Chase> static __device__ __forceinline__ bool is_left(const chase_place &p, int i, int j)
{
  if (p.m < p.kd || p.s == 0) return true;
  if (Chase::last_is_row) return i < p.m - 1 || j >= p.height - 1;
  return j < p.m - 1 ? i < p.height + p.m - 1 : i >= p.height - 1;
}

/* Lines of a task from far, once sweep p.s - 1 has left them, to near, by the fetching warps: the last line last. */
template <int G, class Chase, class T>
static __device__ __forceinline__ void fetch_lines(const chase_place &p, const posted<T> *far, int ld, T *near,
                                                   int pitch)
{
  constexpr int N = 8, lanes = 32 * fetching_warps<G>;
  const int rows = Chase::rows(p), cols = Chase::cols(p), across = Chase::last_is_row ? cols : rows;
  for (int e0 = threadIdx.x - 64; e0 < rows * cols; e0 += N * lanes) {
    T x[N];
    const auto split = [&](int t, int &i, int &j) {
      const int e = e0 + t * lanes, line = e / across, at = e % across;
      i = Chase::last_is_row ? line : at;
      j = Chase::last_is_row ? at : line;
      return e < rows * cols && Chase::has(p, i, j);
    };
    await(x, (unsigned)p.s, [&](int t) {
      int i, j;
      return split(t, i, j) && is_left<Chase>(p, i, j) ? far + i + (int64_t)j * ld : nullptr;
    });
#pragma unroll
    for (int t = 0; t < N; t++) {
      int i, j;
      if (split(t, i, j)) near[i + j * pitch] = x[t];
    }
  }
}

/* Posts a task's first line, or the other ones, by a warp. */
template <bool FIRST, class Chase, class T>
static __device__ __forceinline__ void post_lines(const chase_place &p, const T *near, int pitch, posted<T> *far,
                                                  int ld)
{
  const int rows = Chase::rows(p), cols = Chase::cols(p), lane = threadIdx.x % 32;
  const auto put = [&](int i, int j) {
    if (Chase::has(p, i, j)) post(far + i + (int64_t)j * ld, near[i + j * pitch], (unsigned)p.s + 1);
  };
  if constexpr (FIRST) {
    for (int l = lane; l < (Chase::last_is_row ? cols : rows); l += 32) Chase::last_is_row ? put(0, l) : put(l, 0);
  } else {
    for (int e = lane; e < rows * cols; e += 32)
      if (!is_first_line<Chase>(e % rows, e / rows)) put(e % rows, e / rows);
  }
}

/* Sweep s of matrix b, of order n; band: its element (0, 0).  In a step one warp does task k, another one posts task
 * k - 1, and the others fetch task k + 1. */
template <int G, class Chase, class T>
static __device__ void chase_sweep(const Chase &g, int64_t b, int n, int s, posted<T> *band, T *shared)
{
  const int kd = clamp_width(n, g.kd), ld = Chase::leading(kd), pitch = window_leading<Chase>(kd);
  const int tasks = (n - 1 - s + kd - 1) / kd, warp = threadIdx.x / 32;
  T *const slot = shared + 3 * window_elements<Chase>(kd);
  /* f(place, pitch, near, far) of task k: of a whole one of G rows so that the compiler sees this. */
  const auto with_task = [&](int k, auto f) {
    const chase_place p = place_of(b, n, kd, s, s + 1 + k * (int64_t)kd);
    posted<T> *const far = band + Chase::block_at(p.row, p.height, ld);
    T *const near = shared + k % 3 * window_elements<Chase>(kd);
    if (p.kd != G || p.m != G)
      f(p, pitch, near, far);
    else if (p.inner)
      f(whole_place<G, true>(p), window_leading<Chase>(G), near, far);
    else
      f(whole_place<G, false>(p), window_leading<Chase>(G), near, far);
  };
  for (int k = -1; k <= tasks; k++) {
    if (warp == 0 && k >= 0 && k < tasks)
      with_task(k, [&](const chase_place &p, int pitch, T *near, posted<T> *far) {
        g.template chase<held<T, G>, false>(team<32, 32 / G>(), p, near, pitch, slot, nullptr);
        post_lines<true, Chase>(p, near, pitch, far, ld);
      });
    if (warp == 1 && k > 0)
      with_task(k - 1, [&](const chase_place &p, int pitch, T *near, posted<T> *far) {
        post_lines<false, Chase>(p, near, pitch, far, ld);
      });
    if (warp > 1 && k + 1 < tasks)
      with_task(k + 1, [&](const chase_place &p, int pitch, T *near, posted<T> *far) {
        fetch_lines<G, Chase>(p, far, ld, near, pitch);
      });
    __syncthreads();
  }
}

template <int G, class Chase>
static __global__ void __launch_bounds__(threads_of_sweep<G>)
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
                   shared_array<typename Chase::scalar>());
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
  const int n = g.ab.n, kd = clamp_width(n, g.kd), lines = lines_of(kd);
  const int64_t useful = count * sweeps_in_flight(n, kd), most = 8 * multiprocessors();
  const auto go = [&](auto kernel, int threads) {
    return launch(ctx, kernel, useful < most ? useful : most, threads, native_shared(g), g, m);
  };
  const int64_t blocks = ceil_div(count * m.elements, 1024);
  int status = launch(ctx, load_bands<Chase>, count, 1024, 0, g, m);
  if (!status) status = launch(ctx, post_bands<typename Chase::scalar>, blocks, 256, 0, m, count);
  if (!status)
    status = lines == 8    ? go(chase_natively<8, Chase>, threads_of_sweep<8>)
             : lines == 16 ? go(chase_natively<16, Chase>, threads_of_sweep<16>)
                           : go(chase_natively<32, Chase>, threads_of_sweep<32>);
  if (!status) status = launch(ctx, collect_bands<typename Chase::scalar>, blocks, 256, 0, m, count);
  return status ? status : launch(ctx, store_bands<Chase>, count, 1024, 0, g, m);
}

template <class Chase> int chase_with_grid(batched_ctx *ctx, const Chase &g)
{
  using T = typename Chase::scalar;
  const int64_t count = g.ab.count, elements = Chase::band_elements(g.ab.n, clamp_width(g.ab.n, g.kd));
  const int64_t all = count * elements;
  const size_t first = sizeof(posted<T>); /* with the counter, at least 8 bytes */
  char *const memory = static_cast<char *>(batched_scratch_push(
    ctx, first + (size_t)all * (sizeof(posted<T>) + sizeof(T)) + (size_t)count * sizeof(real_of<T>)));
  if (!memory) return BATCHED_NO_MEMORY;
  posted<T> *const bands = reinterpret_cast<posted<T> *>(memory + first);
  T *const plain = reinterpret_cast<T *>(bands + all);
  int status = batched_fill_zero(ctx, memory, first);
  if (!status) status = batched_fill_zero(ctx, plain, (size_t)all * sizeof(T));
  if (!status)
    status = launch_natively(ctx, g,
                             {reinterpret_cast<unsigned long long *>(memory), bands, plain,
                              reinterpret_cast<real_of<T> *>(plain + all), elements});
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::two_stage

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.fused of gebrd, hetrd and gehrd: the panels of cuda.panels (panel.cuh) in one kernel.  A block keeps F, X,
 * Y and V of the panel that it is at in shared memory, and makes the update behind the panel, too, so that all a matrix
 * moves is what is left of it, once per column, and read and written once more per panel.  Two blocks share a
 * multiprocessor to 192 rows (double; hetrd 256), where they fill each other's gaps; beyond, one has all registers.
 * What is left of gebrd and hetrd at the end is reduced by cuda.registers.
 *
 * On copies in canonical form (canonical.cuh).
 *
 * launches  copy; the panels (a block of 8 warps per matrix); the rest; copy back
 * scratch   a copy of the batch, or of as many matrices at a time as take 2 GB
 * takes     all four types; as many rows as a warp has registers for: s 1024, d and c 512, z 256
 * memory    A once per column, and read and written once per 4 to 16 columns
 * accuracy  as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh
 */
#ifndef BATCHED_CONDENSED_CUDA_FUSED_CUH
#define BATCHED_CONDENSED_CUDA_FUSED_CUH

#include "batched/condensed/cuda/canonical.cuh"
#include "batched/condensed/cuda/panel.cuh"

namespace batched_cuda::condensed
{

/* Columns first .. last - 1 of each matrix, by panels of so many. */
template <class Task> struct fused_panels {
  Task task;
  int first, last, width;
};

/* A -= F Y^H + X V^H behind a panel of `width` columns, from row `top` on, or of the lower triangle alone: by a warp
 * for four columns. */
template <bool LOWER, class T> static __device__ void update_rest(const panel_matrix<T> &p, int width, int top)
{
  constexpr int G = 4, R = sizeof(T) == 16 ? 2 : 4;
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int c0 = width + threadIdx.x / 32 * G; c0 < p.n; c0 += warps * G)
    for (int r0 = (LOWER ? c0 : top) + lane; r0 < p.m; r0 += 32 * R) {
      T x[G][R];
      const auto each = [&](auto f) {
#pragma unroll
        for (int t = 0; t < G; t++)
#pragma unroll
          for (int k = 0; k < R; k++)
            if (c0 + t < p.n && r0 + 32 * k < p.m && (!LOWER || r0 + 32 * k >= c0 + t))
              f(x[t][k], p.a(r0 + 32 * k, c0 + t));
      };
      each([](T &own, T &a) { own = a; });
      for (int l = 0; l < width; l++) {
        T y[G], v[G];
#pragma unroll
        for (int t = 0; t < G; t++) {
          const int c = c0 + t < p.n ? c0 + t : c0;
          y[t] = -conj(p.y(c, l));
          v[t] = -conj(p.v(c, l));
        }
#pragma unroll
        for (int k = 0; k < R; k++) {
          const int r = r0 + 32 * k < p.m ? r0 + 32 * k : r0;
          const T of_f = p.f(r, l), of_x = p.x(r, l);
#pragma unroll
          for (int t = 0; t < G; t++) x[t][k] = mad(v[t], of_x, mad(y[t], of_f, x[t][k]));
        }
      }
      each([](T &own, T &a) { a = own; });
    }
}

/* Task: gebrd_task, hetrd_task or gehrd_task, of matrices in canonical form.
 *   grid       a block per matrix
 *   shared     u, A^H u, the row, a part of A v per warp; F, X, Y, V of a panel
 *   registers  R rows of two columns, or half of them of four, and of two vectors, per lane
 *   takes      all four types; up to 32 R rows */
template <int R, int BLOCKS, class Task>
static __global__ void __launch_bounds__(panel_threads, BLOCKS)
  reduce_fused(const __grid_constant__ fused_panels<Task> g)
{
  using T = typename Task::scalar;
  constexpr bool SHRINKS = is_gebrd<Task> || is_hetrd<Task>, LOWER = is_hetrd<Task>;
  const batch<T> &a = g.task.a;
  int rows = a.m;
  if constexpr (!SHRINKS) rows = g.task.ihi;
  const int64_t high = rows, wide = a.n;
  T *const u = shared_array<T>(), *const sum = u + high, *const row = sum + wide, *const shorts = row + wide;
  T *const parts = shorts + 4 * panel_width, *const f = parts + panel_threads / 32 * high;
  T *const x = f + high * g.width;
  T *const y = LOWER ? x : x + high * g.width, *const v = LOWER ? f : y + wide * g.width;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x)
    for (int j = g.first; j < g.last; j += g.width) {
      const int width = min(g.width, g.last - j), top = SHRINKS ? j : 0, shift = SHRINKS ? 0 : j;
      const panel_matrix<T> p = {{a.at(b) + top + j * a.leading(b), a.leading(b)},
                                 {f, high},
                                 {x, high},
                                 {y, wide},
                                 {v, wide},
                                 rows - top,
                                 a.n - j,
                                 shift,
                                 is_gebrd<Task> ? 0 : shift + 1,
                                 u,
                                 sum,
                                 row,
                                 parts,
                                 shorts};
      if (p.m <= 16 * R)
        reduce_columns<R / 2, 4>(g.task, b, j, p, width);
      else
        reduce_columns<R, 2>(g.task, b, j, p, width);
      update_rest<LOWER>(p, width, SHRINKS ? width : 0);
      __syncthreads();
    }
}

/* ------------------------------------------------------------------ rows */

/* Rows per lane that registers allow, and rows up to which two blocks share a multiprocessor. */
template <class T> constexpr int most_in_fused_lane = 128 / sizeof(T);
template <class Task>
constexpr int most_rows_of_pairs = (is_hetrd<Task> ? 16 : 12) * most_in_fused_lane<typename Task::scalar>;

/* Bytes of shared memory with panels of `width` columns. */
template <class Task> size_t fused_bytes(const Task &g, int width)
{
  using T = typename Task::scalar;
  const int m = g.most_rows(), n = g.most_cols();
  return (size_t)(panel_elements<T>(m, n, panel_threads / 32) + (int64_t)2 * width * (is_hetrd<Task> ? m : m + n)) *
         sizeof(T);
}

/* Columns of a panel: as many as fit, to 16, or to 8 where rows are long; 0: too few fit. */
template <class Task> int fused_width(const Task &g)
{
  using T = typename Task::scalar;
  const int rows = g.most_rows();
  const size_t room = rows <= most_rows_of_pairs<Task> ? half_shared() : most_shared() - 1024;
  for (int width = rows <= 16 * most_in_fused_lane<T> ? 16 : 8; width >= 4; width /= 2)
    if (fused_bytes(g, width) <= room) return width;
  return 0;
}

template <class Task> bool fits_fused(const Task &g)
{
  return g.most_rows() <= 32 * most_in_fused_lane<typename Task::scalar> && fused_width(g) > 0;
}

/* The first column that can be left to cuda.registers; all of the columns if none. */
template <class Task> int start_of_rest(const Task &g)
{
  constexpr int most = sizeof(typename Task::scalar) == 16 ? 64 : 96;
  const int j = g.a.m > most ? g.a.m - most : 0;
  return j < g.a.n ? j : g.a.n;
}

/* Columns first .. last - 1 of the copies. */
template <class Task> int launch_fused(batched_ctx *ctx, const Task &task, int first, int last)
{
  using T = typename Task::scalar;
  constexpr int R = most_in_fused_lane<T>;
  const fused_panels<Task> g = {task, first, last, fused_width(task)};
  const auto go = [&](auto kernel) {
    return launch(ctx, kernel, task.a.count, panel_threads, fused_bytes(task, g.width), g);
  };
  if (task.most_rows() <= most_rows_of_pairs<Task>) return go(reduce_fused<R / 2, 2, Task>);
  return go(reduce_fused<R, 1, Task>);
}

/* The reduction of the copies. */
template <class T> int reduce_in_one(batched_ctx *ctx, const gehrd_task<T> &g)
{
  const int first = g.ilo - 1, last = g.ihi - 1;
  return last > first ? launch_fused(ctx, g, first, last) : BATCHED_SUCCESS;
}
template <class Task> int reduce_in_one(batched_ctx *ctx, const Task &g)
{
  const int rest = start_of_rest(g), status = rest > 0 ? launch_fused(ctx, g, 0, rest) : BATCHED_SUCCESS;
  return status || rest == g.a.n ? status : run_in_registers(ctx, rest_of(g, rest));
}

template <class Task> int run_fused(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  return run_by_copies(ctx, g, {0, 0, true},
                       [ctx](const Task &copies, const canonical_batch<T> &) { return reduce_in_one(ctx, copies); });
}

} // namespace batched_cuda::condensed

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.native of gebrd, hetrd and gehrd: large matrices one after the other, each with the whole GPU.
 *
 * As cuda.panels, but a panel is one cooperative kernel on all multiprocessors.  Rows and columns are dealt out to the
 * blocks by fours, and a block has its own ones of F, X, Y and V in shared memory.  A step waits for the others twice,
 * since all that it needs of them is linear in the column, or the row, of which the reflector is made:
 *
 *   F^H u = conj(row head of F) + inverse F^H (column below),    of the column after its updates,
 *
 * so that the norm and the short products are summed at once.  So is the last number of a step,
 *
 *   hetrd  u^H A u, of which each block has the part of its own columns
 *   gehrd  x^H u = conj(tau) v^H (A^H u)
 *
 * launches  per matrix: copy; per 32 columns the panel and a gemm (hetrd: one per 128 columns); the rest; copy back
 * scratch   a copy of a matrix
 * takes     all four types, any size
 * memory    A once per column up to 8192 rows (z 4096), beyond that twice; read and written twice per 32 columns
 * accuracy  as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh
 *
 * In native/: block.cuh (a block's part of a panel), reflector.cuh, sweep.cuh (over A), step.cuh (before and after).
 */
#ifndef BATCHED_CONDENSED_CUDA_NATIVE_CUH
#define BATCHED_CONDENSED_CUDA_NATIVE_CUH

#include "batched/condensed/cuda/native/step.cuh"
#include "batched/condensed/cuda/panels.cuh"

namespace batched_cuda::condensed
{

/* Reduces the panel of one matrix.
 *   grid       512 threads per block, a block per multiprocessor, cooperative
 *   shared     the block's own rows of F, X, Y and V, if they fit, the reflector of many rows, and sums
 *   registers  R rows of 1 to 4 columns, and of one or two vectors, per thread
 *   takes      all four types; up to 512 R rows, or R = 0: any, and then A is read twice */
template <int R, class Task>
static __global__ void __launch_bounds__(native_threads, 1)
  reduce_panel_natively(const __grid_constant__ panel<Task> task, native_memory<typename Task::scalar> memory)
{
  using T = typename Task::scalar;
  constexpr bool WITH_ROW = is_gebrd<Task>, LOWER = is_hetrd<Task>;
  constexpr unsigned tags = 8; /* for the exchanges of a step, at most 6 */
  __shared__ native_shared<T> shared;
  const auto dense = [&](const batch<T> &x) { return dense_matrix<T>{x.at(0), x.leading(0)}; };
  const int m = task.a.m, n = task.a.n, shift = WITH_ROW || LOWER ? 0 : task.j, head0 = WITH_ROW ? 0 : shift + 1;
  T *const own =
    memory.own ? memory.own + blockIdx.x * memory.own_elements(m, n, (int)gridDim.x, task.width) : shared_array<T>();
  native_block<T> g({dense(task.a), dense(task.f), dense(task.x), dense(task.y), dense(task.v)}, m, n, shift,
                    task.width, memory, own, shared, (unsigned)task.j * tags);
  native_row<T> row = {};
  for (int i = 0; i < task.width; i++) {
    const int head = head0 + i, first_row = WITH_ROW || LOWER ? i : 0;
    __syncwarp();
    update_own_column(task, g, i, first_row, head, row);
    __syncwarp();
    const native_reflector<T> u = reflect_own(g, g.rows, head, g.own_column, i, i, [&](real_of<T> scale) {
      project_own<false>(g, g.rows, head, g.own_column, g.own_column, g.own_f, i, g.own_x, i, scale);
    });
    const real_of<T> beta = u.h.beta * qr::inverse_scale(u.scale);
    if (blockIdx.x == 0 && threadIdx.x == 0) put_column(task.task, task.j + i, u, beta);
    correct_own_sums<WITH_ROW>(g, i, u);
    g.rows.each_thread(first_row, [&](int k, int r) {
      const T x = u.element(r, g.own_column[k]);
      g.own_f[k * g.pitch + i] = g.f(r, i) = x;
      if (r >= head) g.a(r, i) = r == head ? make<T>(beta) : x;
    });
    __syncthreads();
    if (i + 1 == n) {
      if constexpr (WITH_ROW)
        if (blockIdx.x == 0 && threadIdx.x == 0) put_reflector(task.task, 0, false, task.j + i, make<T>(0));
      break; /* nothing is left to be waited for */
    }
    const native_sweep<LOWER, WITH_ROW, T> s = {g, i, first_row, u.h.tau, u};
    T both = make<T>(0);
    if constexpr (R > 0)
      both = read_own_columns<R>(s);
    else
      both = read_own_columns_twice(s);
    __syncthreads();
    row = finish_native_step(task, g, s, both);
  }
}

/* ------------------------------------------------------------------ on the host */

/* Blocks that work on a panel with so many rows or columns: as many as there is work for. */
static inline int blocks_of_native(int n)
{
  const int64_t most = multiprocessors(), useful = ceil_div(n, dealt::each);
  return (int)(useful < most ? useful : most);
}

template <class Task>
int run_native_panel(batched_ctx *ctx, const panel<Task> &g, const native_memory<typename Task::scalar> &memory)
{
  using T = typename Task::scalar;
  const int m = g.a.m, n = g.a.n, blocks = blocks_of_native(m > n ? m : n);
  const size_t bytes = (size_t)native_memory<T>::own_elements(m, n, blocks, g.width) * sizeof(T);
  const bool fits = bytes <= most_shared() - sizeof(native_shared<T>);
  const auto go = [&](auto kernel) {
    const void *const function = reinterpret_cast<const void *>(kernel);
    if (const int status = fits ? allow_shared(function, bytes) : BATCHED_SUCCESS) return status;
    native_memory<T> own = memory;
    if (fits) own.own = nullptr;
    panel<Task> panel = g;
    void *args[] = {&panel, &own};
    return status_of(cudaLaunchCooperativeKernel(function, dim3((unsigned)blocks), dim3(native_threads), args,
                                                 fits ? bytes : 0, stream_of(ctx)));
  };
  const int held = native_rows<T>(m);
  if (held == 4) return go(reduce_panel_natively<4, Task>);
  if (held == 8) return go(reduce_panel_natively<8, Task>);
  if constexpr (sizeof(T) <= 8)
    if (held == 16) return go(reduce_panel_natively<16, Task>);
  return go(reduce_panel_natively<0, Task>);
}

template <class Task> int run_native(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  constexpr size_t line = 256;
  const int rows = g.most_rows(), cols = g.most_cols(), blocks = blocks_of_native(rows > cols ? rows : cols);
  const size_t numbers =
    (size_t)ceil_div(native_memory<T>::posted_numbers(rows, blocks) * (int64_t)sizeof(posted<T>), line) * line;
  const copies_layout layout = {panel_width, blocks * native_memory<T>::own_elements(rows, cols, blocks, panel_width),
                                true};
  const int64_t each = canonical_batch<T>::elements(rows, cols, layout);
  char *const scratch = static_cast<char *>(batched_scratch_push(ctx, numbers + (size_t)each * sizeof(T)));
  if (!scratch) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int64_t b = 0; b < g.a.count && !status; b++) {
    const canonical_batch<T> c(reinterpret_cast<T *>(scratch + numbers), 1, rows, cols, layout);
    const native_memory<T> memory(reinterpret_cast<posted<T> *>(scratch), c.vectors, rows, blocks);
    status = batched_fill_zero(ctx, scratch, numbers);
    if (status) break;
    status = reduce_canonical(ctx, part_of(g, b, 1), c, [&](const Task &copy, const canonical_batch<T> &c) {
      return reduce_copies(ctx, copy, c, true,
                           [&](const panel<Task> &panel) { return run_native_panel(ctx, panel, memory); });
    });
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::condensed

#endif

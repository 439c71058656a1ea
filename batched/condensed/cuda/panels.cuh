/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels of gebrd, hetrd and gehrd: panels of 32 columns (panel.cuh), each followed by one product with the
 * matrix behind it, as Dong, Haidar, Luszczek, Tomov, Abdelfattah, Dongarra, MAGMA Batched (2016), have them; but with
 * one sweep over A per column instead of two.
 *
 * All of it happens on copies in canonical form (canonical.cuh).  What is left at the end is reduced in shared memory.
 *
 * launches  copy; per 32 columns the panel (a block per matrix, 8 warps) and a gemm (hetrd: one per 128 columns); the
 *           rest; copy back
 * scratch   a copy of the batch, or of as many matrices at a time as take 2 GB
 * takes     all four types, any size
 * memory    A once per column, and read and written twice per 32 columns
 * accuracy  as the rows in gebrd.cuh, hetrd.cuh and gehrd.cuh
 */
#ifndef BATCHED_CONDENSED_CUDA_PANELS_CUH
#define BATCHED_CONDENSED_CUDA_PANELS_CUH

#include "batched/condensed/cuda/canonical.cuh"
#include "batched/condensed/cuda/panel.cuh"
#include "batched/products/cuda/gemm.cuh"

namespace batched_cuda::condensed
{

template <class T> static constexpr int most_rows_of_panel = sizeof(T) == 16 ? 512 : 1024;

template <class Task> size_t panel_bytes(int m, int n)
{
  return (size_t)panel_elements<typename Task::scalar>(m, n, panel_threads / 32) * sizeof(typename Task::scalar);
}

/* True where the vectors of a panel fit into shared memory, and its columns into registers. */
template <class Task> bool fits_panel(int m, int n)
{
  return m <= most_rows_of_panel<typename Task::scalar> && panel_bytes<Task>(m, n) + 1024 <= most_shared();
}

template <class Task> int run_panel(batched_ctx *ctx, panel<Task> &g, typename Task::scalar *vectors)
{
  using T = typename Task::scalar;
  const auto go = [&](auto kernel, size_t bytes) { return launch(ctx, kernel, g.a.count, panel_threads, bytes, g); };
  const int m = g.a.m;
  g.vectors = nullptr;
  if (!fits_panel<Task>(m, g.a.n)) {
    g.vectors = vectors;
    g.elements = panel_elements<T>(m, g.a.n, 1);
    return go(reduce_panel<0, Task>, 0);
  }
  const size_t bytes = panel_bytes<Task>(m, g.a.n);
  if (m <= 256) return go(reduce_panel<8, Task>, bytes);
  if constexpr (sizeof(T) <= 8)
    if (m > 512) return go(reduce_panel<32, Task>, bytes);
  return go(reduce_panel<16, Task>, bytes);
}

/* A -= F Y^H + X V^H behind the panel, from its row `top` on; of a triangle, by blocks of columns. */
template <class Task>
int update_behind(batched_ctx *ctx, const panel<Task> &g, const canonical_batch<typename Task::scalar> &c, int top)
{
  using T = typename Task::scalar;
  constexpr int columns = 128;
  const int n = g.a.n - g.width, step = is_hetrd<Task> ? columns : n;
  int status = BATCHED_SUCCESS;
  for (int c0 = 0; c0 < n && !status; c0 += step) {
    const int cols = n - c0 < step ? n - c0 : step, first = is_hetrd<Task> ? top + c0 : top, rows = g.a.m - first;
    status = products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, make<T>(-1),
                            c.p.block(first, 0, rows, 2 * g.width), c.b.block(g.width + c0, 0, cols, 2 * g.width),
                            make<T>(1), g.a.block(first, g.width + c0, rows, cols));
  }
  return status;
}

/* True where what is left fits into shared memory, with room for another block. */
template <class Task> bool is_small_rest(const Task &rest)
{
  return fits_in_shared(rest) && bytes_in_shared(rest) <= half_shared();
}

template <class T> panel<gehrd_task<T>> panel_of(const gehrd_task<T> &g, int j)
{
  const int left = g.ihi - 1 - j;
  panel<gehrd_task<T>> p = {g};
  p.a = g.a.block(0, j, g.ihi, g.a.n - j);
  p.width = left < panel_width ? left : panel_width;
  return p;
}
template <class Task> panel<Task> panel_of(const Task &g, int j)
{
  const int left = g.a.n - j;
  panel<Task> p = {g};
  p.a = g.a.block(j, j, g.a.m - j, left);
  p.width = left < panel_width ? left : panel_width;
  return p;
}

/* Panel after panel of the copies, by run_panel(), until the rest (has_rest; hetrd needs it) is small. */
template <class Task, class F>
int reduce_copies(batched_ctx *ctx, const Task &g, const canonical_batch<typename Task::scalar> &c, bool has_rest,
                  F run_panel)
{
  constexpr bool shrinks = is_gebrd<Task> || is_hetrd<Task>;
  int j = 0, last = g.a.n, status = BATCHED_SUCCESS;
  if constexpr (!shrinks) {
    j = g.ilo - 1;
    last = g.ihi - 1;
  }
  while (j < last && !status) {
    if constexpr (shrinks)
      if (has_rest && is_small_rest(rest_of(g, j))) return run_in_shared(ctx, rest_of(g, j));
    panel<Task> p = panel_of(g, j);
    p.j = j;
    p.f = c.p.block(0, 0, p.a.m, p.width);
    p.x = c.p.block(0, p.width, p.a.m, p.width);
    p.y = c.b.block(0, 0, p.a.n, p.width);
    p.v = c.b.block(0, p.width, p.a.n, p.width);
    status = run_panel(p);
    if (!status && p.a.n > p.width) status = update_behind(ctx, p, c, shrinks ? p.width : 0);
    j += p.width;
  }
  return status;
}

template <class Task> int run_panels(batched_ctx *ctx, const Task &g)
{
  using T = typename Task::scalar;
  const int rows = g.most_rows(), cols = g.most_cols();
  const int64_t vectors = fits_panel<Task>(rows, cols) ? 0 : panel_elements<T>(rows, cols, 1);
  return run_by_copies(ctx, g, {panel_width, vectors, true}, [ctx](const Task &copies, const canonical_batch<T> &c) {
    return reduce_copies(ctx, copies, c, true, [&](panel<Task> &panel) { return run_panel(ctx, panel, c.vectors); });
  });
}

} // namespace batched_cuda::condensed

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strips of getrf in double precision (strip/panel.cuh), and what is beside them (strip/update.cuh).
 */
#include "batched/lu/cuda/strip/panel.cuh"
#include "batched/lu/cuda/strip/strip.cuh"
#include "batched/lu/cuda/strip/update.cuh"

namespace batched_cuda::lu
{

namespace
{

constexpr int W = 8, R = 2, THREADS = LU_STRIP_ROWS / R, SETS = 2, WARPS = 4;

/* Columns beside L, in as many parts as fill the multiprocessors with `blocks` blocks each. */
int launch_update(batched_ctx *ctx, void (*kernel)(const lu_update_args), lu_update_args w, int blocks, int moves)
{
  const int64_t most = ceil_div(w.c.n, 16 * SETS),
                wanted = ceil_div(blocks * multiprocessors(), w.c.count > 0 ? w.c.count : 1);
  w.parts = (int)(wanted < most ? wanted : most);
  w.each = w.parts > 0 ? (int)ceil_div(ceil_div(w.c.n, w.parts), 16) * 16 : 0;
  return launch(ctx, kernel, w.c.count * w.parts, 32 * WARPS * SETS,
                (size_t)lu_update_layout(w.l.m, w.l.n, SETS).bytes(moves), w);
}

} // namespace

int lu_strip_columns(int m)
{
  const int64_t fixed = sizeof(lu_strip_memory<double, W, THREADS / 32>), room = (int64_t)most_shared() - fixed;
  int columns = LU_STRIP_COLUMNS;
  while (columns > 0 && lu_strip_bytes<double, W>(m, columns) > room) columns -= W;
  return columns;
}

int factor_strip(batched_ctx *ctx, const batch<double> &a, int first, int *ipiv, int npivots, int *info)
{
  const auto kernel = getrf_strip<double, W, R, THREADS, 2>;
  const size_t bytes = (size_t)lu_strip_bytes<double, W>(a.m, a.n);
  const int status = allow_shared(reinterpret_cast<const void *>(kernel), bytes); /* beside what is static */
  return status ? status
                : launch(ctx, kernel, a.count, 32 * (int)ceil_div(a.m, 32 * R), bytes, a, first, ipiv, npivots, info);
}

int update_beside(batched_ctx *ctx, const batch<double> &l, const batch<double> &c, const int *ipiv, int npivots,
                  int first)
{
  constexpr int slices = LU_BESIDE_ROWS / (8 * WARPS);
  return launch_update(ctx, update_beside_strip<slices, WARPS, SETS>, {l, c, ipiv, npivots, first, 0, 0}, 1, 0);
}

int form_row_tc(batched_ctx *ctx, const batch<double> &a, int c0, int cols, int first, int count, const int *ipiv,
                int npivots)
{
  const batch<double> l = a.block(first, first, count, count), c = a.block(first, c0, a.m - first, cols);
  return launch_update(ctx, form_block_row_tc<4, WARPS, SETS>, {l, c, ipiv, npivots, first, 0, 0}, 2, count);
}

} // namespace batched_cuda::lu

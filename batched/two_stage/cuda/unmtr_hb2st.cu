/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of unmtr_hb2st.
 */
#include "batched/two_stage/cuda/unmtr_hb2st_tile.cuh"
#include "batched/two_stage/cuda/unmtr_hb2st_tile_tc.cuh"

namespace batched_cuda::two_stage
{
namespace
{

size_t bytes_of(size_t element, int kd, int sweeps, int threads)
{
  return ((size_t)sweeps * kd + (size_t)(kd + sweeps) * (threads + 1)) * element;
}

/* 32 sweeps, or as many as leave room for several blocks, or for one; 0: not even one fits. */
int sweeps_of(size_t element, int kd, int threads)
{
  int sweeps = 32;
  while (sweeps > 4 && bytes_of(element, kd, sweeps, threads) > most_shared() / 4) sweeps /= 2;
  while (sweeps > 0 && bytes_of(element, kd, sweeps, threads) > most_shared()) sweeps /= 2;
  return sweeps;
}

int tile(batched_ctx *ctx, const batched_unmtr_hb2st_args &p)
{
  return with_type(p.c.type, [&](auto t) {
    using T = decltype(t);
    const bool left = p.side == BATCHED_LEFT;
    const int n = left ? p.c.m : p.c.n, others = left ? p.c.n : p.c.m, kd = clamp_width(n, p.kd);
    const int threads = others > 32 ? 64 : 32, fit = sweeps_of(sizeof(T), kd, threads);
    const unmtr_hb2st_task<T> g = {
      left, left == (p.trans != BATCHED_NO_TRANS), p.kd, fit > 0 ? fit : 32, fit > 0, view<T>(p.v), view<T>(p.c)};
    const int tiles = (int)ceil_div(others, threads);
    const auto go = [&](auto kernel) {
      return launch(ctx, kernel, p.c.count * tiles, threads, fit > 0 ? bytes_of(sizeof(T), kd, fit, threads) : 0, g,
                    tiles);
    };
    if (fit < 8) return go(multiply_tiles<0, T>);
    return kd == 8    ? go(multiply_tiles<8, T>)
           : kd == 16 ? go(multiply_tiles<16, T>)
           : kd == 32 ? go(multiply_tiles<32, T>)
                      : go(multiply_tiles<0, T>);
  });
}

bool fits_tile_tc(const batched_unmtr_hb2st_args &p)
{
  return p.c.type == BATCHED_D && p.kd == WY_WIDTH && p.v.n <= 8192;
}

/* The products of matrices g.first .. g.first + g.count - 1. */
int tile_tc_part(batched_ctx *ctx, const unmtr_hb2st_tc_task &g, bool adjoint)
{
  const int n = g.left ? g.c.m : g.c.n, others = g.left ? g.c.n : g.c.m, groups = wy_groups(n);
  const int tiles = (int)ceil_div(others, WY_COLUMNS);
  const size_t shared = 2 * WY_GROUPS * WY_NUMBERS * sizeof(double);
  const int status =
    launch(ctx, adjoint ? form_blocks_tc<true> : form_blocks_tc<false>, g.count * groups, 128, 0, g, groups);
  if (status) return status;
  return launch(ctx, adjoint ? multiply_tiles_tc<true> : multiply_tiles_tc<false>, g.count * tiles, 32 * WY_WARPS,
                shared, g, tiles);
}

int tile_tc(batched_ctx *ctx, const batched_unmtr_hb2st_args &p)
{
  const bool left = p.side == BATCHED_LEFT, adjoint = left == (p.trans != BATCHED_NO_TRANS);
  const int groups = wy_groups(p.v.n);
  unmtr_hb2st_tc_task g = {
    left, view<double>(p.v), view<double>(p.c), nullptr, wy_block(groups, groups, groups) * WY_NUMBERS, 0, 0};
  const int64_t count = p.c.count, fit = ((int64_t)1 << 31) / (g.stride * (int64_t)sizeof(double));
  const int64_t each = ceil_div(count, ceil_div(count, fit > 0 ? fit : 1));
  g.blocks = static_cast<double *>(batched_scratch_push(ctx, (size_t)(each * g.stride) * sizeof(double)));
  if (!g.blocks) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (; !status && g.first < count; g.first += each) {
    g.count = each < count - g.first ? each : count - g.first;
    status = tile_tc_part(ctx, g, adjoint);
  }
  batched_scratch_pop(ctx);
  return status;
}

} // namespace
} // namespace batched_cuda::two_stage

using namespace batched_cuda;
using namespace batched_cuda::two_stage;

const batched_variant batched_unmtr_hb2st_cuda[] = {
  row<fits_tile_tc, nullptr, tile_tc>("cuda.tile_tc"),
  row<nullptr, nullptr, tile>("cuda.tile"),
  BATCHED_LAST_ROW,
};

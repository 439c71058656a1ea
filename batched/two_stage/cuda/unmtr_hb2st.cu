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
  return p.c.type == BATCHED_D && p.kd == WY_WIDTH;
}

int tile_tc(batched_ctx *ctx, const batched_unmtr_hb2st_args &p)
{
  const bool left = p.side == BATCHED_LEFT, adjoint = left == (p.trans != BATCHED_NO_TRANS);
  const unmtr_hb2st_tc_task g = {left, view<double>(p.v), view<double>(p.c)};
  const int tiles = (int)ceil_div(left ? p.c.n : p.c.m, WY_COLUMNS);
  return launch(ctx, adjoint ? multiply_tiles_tc<true> : multiply_tiles_tc<false>, p.c.count * tiles, WY_COLUMNS, 0, g,
                tiles);
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.lanes and cuda.lanes_halves of heev: eigenvalues by one-sided Jacobi rotations in the registers of a part
 * of a warp (jacobi_ring.cuh); a pair of columns has a lane, or two where there are fewer matrices than lanes.
 *
 * Orthogonalises the columns of A + sigma I, sigma = 1.5 |A|_F: this matrix is definite with condition number at most
 * 5, so it is Z diag(w + sigma), and Z are its columns divided by their norms: no rotations are collected.
 *
 * grid      a block per warp of matrices (ring_shape.mats of them)
 * block     a warp; blocks per SM by registers (ring_blocks)
 * shared    a tile per matrix
 * takes     all four types, 1 <= n <= 32, uniform and variable
 * reads     a (one triangle); writes w (ascending), a (with vectors), info
 * accuracy  |A - Z W Z^H| and orthogonality < 30 n eps
 */
#ifndef BATCHED_EIGEN_CUDA_HEEV_LANES_CUH
#define BATCHED_EIGEN_CUDA_HEEV_LANES_CUH

#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

template <class T, int ROWS>
static __global__ __launch_bounds__(32 * ring_warps,
                                    ring_blocks<T, ROWS, 0>) void heev_lanes(batch<T> a, batch<real_of<T>> w,
                                                                             bool lower, bool vectors, ring_shape shape,
                                                                             int *info)
{
  using R = real_of<T>;
  const int warp = (int)threadIdx.x / 32, ld = a.n | 1;
  int lane = (int)threadIdx.x & 31;
  ring_lane me(shape, lane);
  T *tiles = shared_array<T>() + warp * shape.mats * shape.tile, *tile = tiles + me.group * shape.tile;
  const int64_t first = (blockIdx.x * (int64_t)ring_warps + warp) * shape.mats;
  if (first < a.count) {
    const int mats = (int)(a.count - first < shape.mats ? a.count - first : shape.mats);
    int64_t b = first + me.group;
    int n = me.mask != 0 && me.group < mats ? a.cols(b) : 0;
    load_hermitian(a, lower, first, mats, shape.tile, tiles);
    __syncwarp();

    ring<T, ROWS, 0, true> g;
    g.idx = me.pair;
    g.idy = shape.pairs + me.pair;
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = me.part * ROWS + r;
      g.x[r] = i < n && g.idx < n ? tile[i + g.idx * ld] : make<T>(0);
      g.y[r] = i < n && g.idy < n ? tile[i + g.idy * ld] : make<T>(0);
      good = good && is_finite(g.x[r]) && is_finite(g.y[r]);
      largest = fmax(largest, fmax(magnitude(g.x[r]), magnitude(g.y[r])));
    }
    good = (__ballot_sync(all_lanes, !good) & me.mask) == 0;
    const power_scale<R> scale(group_max(largest, me), 1);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      g.x[r] = good ? scale.up(g.x[r]) : make<T>(0);
      g.y[r] = good ? scale.up(g.y[r]) : make<T>(0);
    }
    g.norms(shape.parts);
    const R norm2 = group_sum(g.xx + g.yy, me, shape.parts), sigma = norm2 > 0 ? R(1.5) * sqrt(norm2) : R(1);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int i = me.part * ROWS + r;
      if (i == g.idx && i < n) g.x[r] += make<T>(sigma);
      if (i == g.idy && i < n) g.y[r] += make<T>(sigma);
    }

    good = g.orthogonalize(shape, me, jacobi_tolerance<R>(a.n)) && good;
    recompute(lane);
    me = ring_lane(shape, lane);
    tile = tiles + me.group * shape.tile;
    b = first + me.group;
    n = me.mask != 0 && me.group < mats ? a.cols(b) : 0;

    int to_x, to_y;
    const R far = R(4) * sigma; /* absent columns last */
    g.places(shape, me, g.idx < n ? g.xx : far * far, g.idy < n ? g.yy : far * far, &to_x, &to_y);
    if (n > 0 && me.part == 0) {
      R *values = w.at(b);
      const int64_t inc = w.increment(b);
      if (g.idx < n) values[to_x * inc] = good ? scale.down(sqrt(g.xx) - sigma) : R(NAN);
      if (g.idy < n) values[to_y * inc] = good ? scale.down(sqrt(g.yy) - sigma) : R(NAN);
    }
    if (me.mask != 0 && me.group < mats && me.pair == 0 && me.part == 0) info[b] = good ? 0 : n;
    if (vectors) {
      const R over_x = g.idx < n ? 1 / sqrt(g.xx) : R(0), over_y = g.idy < n ? 1 / sqrt(g.yy) : R(0);
      __syncwarp();
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        const int i = me.part * ROWS + r;
        if (i < n && g.idx < n) tile[i + to_x * ld] = good ? g.x[r] * over_x + make<T>(0) : not_a_number<T>();
        if (i < n && g.idy < n) tile[i + to_y * ld] = good ? g.y[r] * over_y + make<T>(0) : not_a_number<T>();
      }
      __syncwarp();
      store_tiles(a, first, mats, shape.tile, tiles);
    }
    __syncwarp();
  }
}

template <class T, int ROWS> int launch_ring(batched_ctx *ctx, const batched_heev_args &h, ring_shape shape)
{
  shape.tile = (h.a.n | 1) * h.a.n;
  const size_t shared = (size_t)ring_warps * (size_t)(shape.mats * shape.tile) * sizeof(T);
  return launch(ctx, heev_lanes<T, ROWS>, ceil_div(h.a.count, ring_warps * shape.mats), 32 * ring_warps, shared,
                view<T>(h.a), view<real_of<T>>(h.w), h.uplo == BATCHED_LOWER, h.job == BATCHED_VECTORS, shape, h.info);
}

/* By the instance for so many rows. */
template <class T, int ROWS, int... MORE>
int launch_rings(batched_ctx *ctx, const batched_heev_args &h, ring_shape shape, int rows)
{
  if (rows == ROWS) return launch_ring<T, ROWS>(ctx, h, shape);
  if constexpr (sizeof...(MORE) > 0)
    return launch_rings<T, MORE...>(ctx, h, shape, rows);
  else
    return BATCHED_DOES_NOT_FIT;
}

template <class T, int... ROWS> int launch_of(batched_ctx *ctx, const batched_heev_args &h, int parts)
{
  static const int classes[] = {ROWS..., 0};
  ring_shape shape;
  const int rows = ring_class(classes, false, h.a.n, h.a.n, &shape, parts);
  return launch_rings<T, ROWS...>(ctx, h, shape, rows);
}

/* parts: lanes to a pair of columns, at least. */
template <class T> int launch_heev_lanes(batched_ctx *ctx, const batched_heev_args &h, int parts)
{
  if constexpr (sizeof(T) < 16)
    return launch_of<T, 6, 8, 10, 12, 14, 16, 20, 24, 32>(ctx, h, parts);
  else
    return launch_of<T, 6, 8, 10, 12, 14, 16>(ctx, h, parts);
}

} // namespace batched_cuda::eigen

#endif

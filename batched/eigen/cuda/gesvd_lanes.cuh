/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of gesvd: SVD by one-sided Jacobi rotations in the registers of a part of a warp (jacobi_ring.cuh).
 *
 * Orthogonalises the columns of X = A, or A^H if A is wide, and collects the rotations in V: X V = U1 diag(s). Zero
 * columns of U1 are completed to an orthonormal set.
 *
 * grid      a block per warp of matrices (ring_shape.mats of them)
 * block     a warp; blocks per SM by registers (ring_blocks)
 * shared    a tile per matrix
 * takes     all four types; n <= 32, or as registers allow (gesvd_class); uniform and variable
 * reads     a; writes s (descending), u, vt (with vectors), info
 * accuracy  |A - U S V^H| and orthogonality < 30 n eps
 */
#ifndef BATCHED_EIGEN_CUDA_GESVD_LANES_CUH
#define BATCHED_EIGEN_CUDA_GESVD_LANES_CUH

#include "batched/eigen/cuda/jacobi_ring.cuh"
#include "batched/eigen/eigen.h"

namespace batched_cuda::eigen
{

/* Places of a lane's columns, and the factors they are scaled by. */
template <class R> struct ring_target {
  int to_x, to_y;
  R over_x, over_y;
};

/* Writes columns x and y of a lane to columns (transposed: conjugated, to rows) of a tile: elements BEGIN .. BEGIN +
 * ROWS - 1, which are rows part * ROWS .. of `rows`. */
template <int BEGIN, int ROWS, class G, class T, class R>
static __device__ __forceinline__ void put_columns(const G &g, T *tile, int ld, bool transposed, int rows, int k,
                                                   int part, const ring_target<R> &to, bool good)
{
  const int along = transposed ? ld : 1, across = transposed ? 1 : ld;
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int i = part * ROWS + r;
    const T p = good ? conj_if(transposed, g.x[BEGIN + r] * to.over_x) + make<T>(0) : not_a_number<T>();
    const T q = good ? conj_if(transposed, g.y[BEGIN + r] * to.over_y) + make<T>(0) : not_a_number<T>();
    if (i < rows && g.idx < k) tile[i * along + to.to_x * across] = p;
    if (i < rows && g.idy < k) tile[i * along + to.to_y * across] = q;
  }
}

/* Completes the orthonormal columns of tiles that have `missing` zero columns, a warp per matrix in turn. */
template <class T>
static __device__ __noinline__ void complete_tiles(const ring_shape &s, int mats, int missing, int rows, int k,
                                                   T *tiles, int along, int across)
{
  for (int i = 0; i < mats; i++) {
    const int from = i * s.pairs * s.parts, few = __shfl_sync(all_lanes, missing, from),
              m = __shfl_sync(all_lanes, rows, from), n = __shfl_sync(all_lanes, k, from);
    if (few > 0)
      complete_columns(m, n, n - few, tiles + i * s.tile, (int64_t)along, (int64_t)across, (int)threadIdx.x & 31, 32);
  }
}

template <class T, int RA, int RV>
static __global__ __launch_bounds__(32 * ring_warps,
                                    ring_blocks<T, RA, RV>) void gesvd_lanes(batch<T> a, batch<real_of<T>> s,
                                                                             batch<T> u, batch<T> vt, ring_shape shape,
                                                                             int *info)
{
  using R = real_of<T>;
  const int warp = (int)threadIdx.x / 32, lda = a.m | 1;
  ring_lane me(shape, (int)threadIdx.x & 31);
  T *tiles = shared_array<T>() + warp * shape.mats * shape.tile, *tile = tiles + me.group * shape.tile;
  const int64_t first = (blockIdx.x * (int64_t)ring_warps + warp) * shape.mats;
  if (first < a.count) {
    const int mats = (int)(a.count - first < shape.mats ? a.count - first : shape.mats);
    const int64_t b = first + me.group;
    const bool there = me.mask != 0 && me.group < mats;
    const int m = there ? a.rows(b) : 0, n = there ? a.cols(b) : 0;
    const bool wide = m < n;
    const int rows = wide ? n : m, k = wide ? m : n, along = wide ? lda : 1, across = wide ? 1 : lda;
    load_tiles(a, first, mats, shape.tile, tiles);
    __syncwarp();

    ring<T, RA, RV, false> g;
    g.idx = me.pair;
    g.idy = shape.pairs + me.pair;
    R largest = 0;
    bool good = true;
#pragma unroll
    for (int r = 0; r < RA; r++) {
      const int i = me.part * RA + r;
      g.x[r] = i < rows && g.idx < k ? conj_if(wide, tile[i * along + g.idx * across]) : make<T>(0);
      g.y[r] = i < rows && g.idy < k ? conj_if(wide, tile[i * along + g.idy * across]) : make<T>(0);
      good = good && is_finite(g.x[r]) && is_finite(g.y[r]);
      largest = fmax(largest, fmax(magnitude(g.x[r]), magnitude(g.y[r])));
    }
    good = (__ballot_sync(all_lanes, !good) & me.mask) == 0;
    const power_scale<R> scale(group_max(largest, me), jacobi_lift<R>);
#pragma unroll
    for (int r = 0; r < RA; r++) {
      g.x[r] = good ? scale.up(g.x[r]) : make<T>(0);
      g.y[r] = good ? scale.up(g.y[r]) : make<T>(0);
    }
#pragma unroll
    for (int r = 0; r < RV; r++) {
      const int i = me.part * RV + r;
      g.x[RA + r] = make<T>(i == g.idx && i < k);
      g.y[RA + r] = make<T>(i == g.idy && i < k);
    }

    good = g.orthogonalize(shape, me, jacobi_tolerance<R>(a.m > a.n ? a.m : a.n)) && good;
    recompute(me.part);

    int to_x, to_y; /* descending; absent columns last */
    g.places(shape, me, g.idx < k ? -g.xx : R(1), g.idy < k ? -g.yy : R(1), &to_x, &to_y);
    if (there && me.part == 0) {
      R *values = k > 0 ? s.at(b) : nullptr;
      const int64_t inc = s.increment(b);
      if (g.idx < k) values[to_x * inc] = good ? scale.down(sqrt(g.xx)) : R(NAN);
      if (g.idy < k) values[to_y * inc] = good ? scale.down(sqrt(g.yy)) : R(NAN);
      if (me.pair == 0) info[b] = good ? 0 : k;
    }
    if constexpr (RV > 0) {
      const bool full_x = g.xx >= jacobi_tiny<R>, full_y = g.yy >= jacobi_tiny<R>;
      const ring_target<R> left = {to_x, to_y, full_x ? 1 / sqrt(g.xx) : R(1), full_y ? 1 / sqrt(g.yy) : R(1)};
      const ring_target<R> right = {to_x, to_y, R(1), R(1)};
      int missing = (int)group_sum(R((!full_x && g.idx < k) + (!full_y && g.idy < k)), me, shape.parts);
      if (!good) missing = 0;
      auto put = [&](const batch<T> &out, bool transposed) {
        const int ld = out.m | 1;
        __syncwarp();
        if (wide == transposed)
          put_columns<0, RA>(g, tile, ld, transposed, rows, k, me.part, left, good);
        else
          put_columns<RA, RV>(g, tile, ld, transposed, k, k, me.part, right, good);
        __syncwarp();
        if (__any_sync(all_lanes, missing > 0))
          complete_tiles(shape, mats, wide == transposed ? missing : 0, rows, k, tiles, transposed ? ld : 1,
                         transposed ? 1 : ld);
        __syncwarp();
        store_tiles(out, first, mats, shape.tile, tiles);
      };
      put(u, false);
      put(vt, true);
    }
    __syncwarp();
  }
}

template <class T, int RA, int RV> int launch_ring(batched_ctx *ctx, const batched_gesvd_args &g, ring_shape shape)
{
  shape.tile = (g.a.m | 1) * g.a.n;
  const size_t shared = (size_t)ring_warps * (size_t)(shape.mats * shape.tile) * sizeof(T);
  return launch(ctx, gesvd_lanes<T, RA, RV>, ceil_div(g.a.count, ring_warps * shape.mats), 32 * ring_warps, shared,
                view<T>(g.a), view<real_of<T>>(g.s), view<T>(g.u), view<T>(g.vt), shape, g.info);
}

/* Rows of a column that a lane holds, as registers allow; 0: does not fit. */
static inline int gesvd_class(const batched_gesvd_args &g, ring_shape *shape)
{
  static const int both[] = {8, 12, 16, 0}, alone[] = {8, 16, 32, 0}, wide_both[] = {8, 0}, wide_alone[] = {8, 16, 0};
  const bool vectors = g.job == BATCHED_VECTORS, wide = g.a.type == BATCHED_Z;
  const int *classes = vectors ? (wide ? wide_both : both) : wide ? wide_alone : alone;
  return ring_class(classes, vectors, g.a.m < g.a.n ? g.a.n : g.a.m, g.a.m < g.a.n ? g.a.m : g.a.n, shape);
}

template <class T> int launch_gesvd_lanes(batched_ctx *ctx, const batched_gesvd_args &g)
{
  ring_shape shape;
  const int rows = gesvd_class(g, &shape);
  if (g.job == BATCHED_VECTORS) {
    if (rows == 8) return launch_ring<T, 8, 8>(ctx, g, shape);
    if constexpr (sizeof(T) < 16) {
      if (rows == 12) return launch_ring<T, 12, 12>(ctx, g, shape);
      if (rows == 16) return launch_ring<T, 16, 16>(ctx, g, shape);
    }
  } else {
    if (rows == 8) return launch_ring<T, 8, 0>(ctx, g, shape);
    if (rows == 16) return launch_ring<T, 16, 0>(ctx, g, shape);
    if constexpr (sizeof(T) < 16) {
      if (rows == 32) return launch_ring<T, 32, 0>(ctx, g, shape);
    }
  }
  return BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::eigen

#endif

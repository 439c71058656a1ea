/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp_tc of potrf: a warp per matrix, in double precision, its 8 x 8 tiles (tile.cuh) in registers.
 * Right-looking by columns of tiles: within one column by column, with shuffles among the four lanes of a row; then the
 * tensor cores update the tiles to its right.  An upper triangle is the lower one of the transpose.
 */
#ifndef BATCHED_CHOLESKY_CUDA_POTRF_WARP_TC_CUH
#define BATCHED_CHOLESKY_CUDA_POTRF_WARP_TC_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/tile.cuh"

namespace batched_cuda::cholesky
{

/* The lane's two elements of a tile. */
using tile_pair_of = double[2];

/* C0 += A0 B^T and C1 += A1 B^T. */
static __device__ __forceinline__ void multiply_pairs(tile_pair_of &c0, tile_pair_of &c1, const tile_pair_of &a0,
                                                      const tile_pair_of &a1, const tile_pair_of &b)
{
  multiply_two_8x8(c0[0], c0[1], c1[0], c1[1], a0[0], a0[1], a1[0], a1[1], b[0], b[1]);
}

template <int NT> struct tile_triangle {
  static constexpr int count = NT * (NT + 1) / 2;
  tile_pair_of x[count];

  static __device__ __forceinline__ constexpr int at(int i, int k)
  {
    return i * (i + 1) / 2 + k;
  }

  /* Calls f(element, its place in the matrix, is that in the triangle, is it on the diagonal). */
  template <class F> __device__ __forceinline__ void each_element(const lane_matrix<double> &m, const F &f)
  {
    int lane = threadIdx.x % warp_size, n = m.n;
    double *p = m.at;
    int64_t row = m.row, col = m.col;
    recompute(lane, n, p, row, col);
    const int g = lane / 4, c = lane % 4 * 2;
    p += g * row + c * col;
#pragma unroll
    for (int k = 0; k < NT; k++) {
#pragma unroll
      for (int e = 0; e < 2; e++) {
        double *q = p + (8 * k + e) * col + 8 * k * row;
#pragma unroll
        for (int i = k; i < NT; i++) {
          f(x[at(i, k)][e], q, 8 * i + g < n && (i > k || g >= c + e), i == k && g == c + e);
          q += 8 * row;
        }
      }
    }
  }

  /* Elements outside of the matrix become those of the identity. */
  __device__ __forceinline__ void load(const lane_matrix<double> &m)
  {
    each_element(m, [](double &y, const double *from, bool inside, bool diagonal) {
      y = diagonal ? 1 : 0;
      if (inside) y = *from;
    });
  }
  __device__ __forceinline__ void store(const lane_matrix<double> &m)
  {
    each_element(m, [](const double &y, double *to, bool inside, bool) {
      if (inside) *to = y;
    });
  }

  /* True where all pivots are far enough from under- and overflow for products of two elements and eliminate_plain. */
  __device__ __forceinline__ bool is_plain() const
  {
    const int lane = threadIdx.x % warp_size, g = lane / 4, c = lane % 4 * 2;
    bool plain = true;
#pragma unroll
    for (int j = 0; j < NT; j++)
#pragma unroll
      for (int e = 0; e < 2; e++)
        if (g == c + e) plain = plain && x[at(j, j)][e] >= 0x1p-400 && x[at(j, j)][e] <= 0x1p400;
    return __all_sync(all_lanes, plain);
  }

  /* Column k of column j of tiles, from the diagonal down, and its products subtracted from the later columns of these
   * tiles.  `inverse`, if not NULL, becomes the transposed inverse of the diagonal tile: it solves X L^T = I as the
   * tiles below solve X L^T = A. */
  __device__ __forceinline__ void eliminate(int j, int k, int &info, tile_pair_of *inverse)
  {
    const int lane = threadIdx.x % warp_size, g = lane / 4, t = lane % 4, half = k / 2, e = k % 2;
    const double v = x[at(j, j)][e];
    const double d = shuffle(v, 4 * k + half), above = shuffle(v, 8 * t + half), below = shuffle(v, 8 * t + 4 + half);
    if (!(d > 0) && info == 0) info = tile_edge * j + k + 1;
    const pivot<double, true> p(d);
    const double l0 = -(p.inverse * above), l1 = -(p.inverse * below);
    const auto take = [&](tile_pair_of &y, bool diagonal) {
      const double own = p.inverse * shuffle(y[e], half, 4);
      if (2 * t > k) y[0] = fma(own, l0, y[0]);
      if (2 * t + 1 > k) y[1] = fma(own, l1, y[1]);
      if (t == half) y[e] = diagonal && g == k ? p.root : own;
    };
#pragma unroll
    for (int i = j; i < NT; i++) take(x[at(i, j)], i == j);
    if (inverse) take(*inverse, false);
  }

  /* The same for all columns of column j of tiles that the matrix has, if it is plain.  The critical path from pivot to
   * pivot is a reciprocal and one multiply-add; columns are scaled by the inverse roots at the end. */
  __device__ __forceinline__ void eliminate_plain(int j, int n, int &info, tile_pair_of *inverse)
  {
    const unsigned lane = inverse ? recomputed_lane() : threadIdx.x % warp_size;
    const int g = lane / 4, t = lane % 4;
    tile_pair_of &top = x[at(j, j)], pivots = {1, 1}; /* of the lane's own columns */
    double d = shuffle(top[0], 0);
    /* A warp that computes an inverse has others waiting for it: predicates give it the least latency.  Where warps are
     * many, branches take fewer instructions. */
    const auto add = [&](bool yes, double a, double b, double &y) {
      if (inverse)
        fma_if(yes, a, b, y);
      else if (yes)
        y = fma(a, b, y);
    };
#pragma unroll
    for (int k = 0; k < tile_edge; k++) {
      if (j == NT - 1 && tile_edge * j + k >= n) break;
      const int half = k / 2, e = k % 2, next = 4 * (k + 1);
      const double r = inverse_of(d), v = top[e];
      const double own = shuffle(v, half, 4), above = shuffle(v, 8 * t + half), below = shuffle(v, 8 * t + 4 + half);
      if (t == half) pivots[e] = d;
      if (k + 1 < tile_edge) {
        const double left = shuffle(v, next + half), corner = shuffle(top[1 - e], next + (k + 1) / 2);
        d = fma(-(left * left), r, corner);
      }
      add(2 * t > k, -(own * above), r, top[0]);
      add(2 * t + 1 > k, -(own * below), r, top[1]);
      const double f0 = -(above * r), f1 = -(below * r);
      const auto take = [&](tile_pair_of &y) {
        const double own = shuffle(y[e], half, 4);
        add(2 * t > k, own, f0, y[0]);
        add(2 * t + 1 > k, own, f1, y[1]);
      };
#pragma unroll
      for (int i = j + 1; i < NT; i++) take(x[at(i, j)]);
      if (inverse) take(*inverse);
    }
    note_pivots(j, pivots, info);
#pragma unroll
    for (int e = 0; e < 2; e++) {
      const pivot<double, false> p(pivots[e]);
      top[e] = g == 2 * t + e ? p.root : p.inverse * top[e];
#pragma unroll
      for (int i = j + 1; i < NT; i++) x[at(i, j)][e] *= p.inverse;
      if (inverse) (*inverse)[e] *= p.inverse;
    }
  }

  /* The first failure among the pivots of columns 8j .. 8j + 7, two in each of the first four lanes. */
  static __device__ __forceinline__ void note_pivots(int j, const tile_pair_of &pivots, int &info)
  {
    const unsigned even = __ballot_sync(all_lanes, !(pivots[0] > 0)) & 15;
    const unsigned odd = __ballot_sync(all_lanes, !(pivots[1] > 0)) & 15;
    if ((even | odd) == 0 || info != 0) return;
    info = tile_edge * j + min(even ? 2 * __ffs(even) - 1 : tile_edge, odd ? 2 * __ffs(odd) : tile_edge);
  }

  /* A(i, k) -= L(i, j) L(k, j)^T for the tiles to the right of column j. */
  __device__ __forceinline__ void update(int j)
  {
#pragma unroll
    for (int k = j + 1; k < NT; k++) {
      const tile_pair_of b = {-x[at(k, j)][0], -x[at(k, j)][1]};
#pragma unroll
      for (int i = k; i < NT; i += 2) {
        tile_pair_of rest = {0, 0};
        if (i + 1 < NT)
          multiply_pairs(x[at(i, k)], x[at(i + 1 < NT ? i + 1 : i, k)], x[at(i, j)], x[at(i + 1 < NT ? i + 1 : i, j)],
                         b);
        else
          multiply_pairs(x[at(i, k)], rest, x[at(i, j)], x[at(i, j)], b);
      }
    }
  }

  /* n: the largest order in the batch.  Returns info. */
  __device__ __forceinline__ int factor(int n)
  {
    return is_plain() ? factor_all<false>(n) : factor_all<true>(n);
  }
  template <bool any> __device__ __forceinline__ int factor_all(int n)
  {
    int info = 0;
#pragma unroll
    for (int j = 0; j < NT; j++) {
      if constexpr (any) {
#pragma unroll
        for (int k = 0; k < tile_edge; k++) {
          if (j == NT - 1 && tile_edge * j + k >= n) break;
          eliminate(j, k, info, nullptr);
        }
      } else {
        eliminate_plain(j, n, info, nullptr);
      }
      update(j);
    }
    return info;
  }
};

/* Matrices (warps) per block, and blocks per multiprocessor. */
template <int NT> constexpr int tile_matrices = NT <= 4 ? 4 : 1;
template <int NT> constexpr int tile_blocks = NT == 3 ? 5 : NT == 4 ? 4 : 12;

/* A = L L^T or U^T U, A of order n <= 8 NT.
 *   algorithm  right-looking by columns of tiles; pivots of plain matrices by a recurrence (eliminate_plain)
 *   grid       a warp per matrix, tile_matrices<NT> of them per block
 *   registers  NT (NT + 1) doubles per lane; no shared memory
 *   takes      double, n <= 48, uniform and variable
 *   memory     the triangle once from and to global memory; info
 *   accuracy   of potf2: pivots and their inverses to an ulp */
template <int NT>
static __global__ void __launch_bounds__(warp_size *tile_matrices<NT>, tile_blocks<NT>)
  factor_in_warp(batched_uplo uplo, batch<double> a, int *info)
{
  constexpr int own = tile_matrices<NT>;
  const int64_t step = (int64_t)gridDim.x * own;
  for (int64_t b = (int64_t)blockIdx.x * own + threadIdx.x / warp_size; b < a.count; b += step) {
    tile_triangle<NT> l;
    l.load(lane_matrix<double>(uplo, a, b));
    const int bad = l.factor(a.m);
    int64_t again = b;
    recompute(again);
    l.store(lane_matrix<double>(uplo, a, again));
    if (threadIdx.x % warp_size == 0) info[b] = bad;
  }
}

/* Tiles in a column of the largest matrices. */
constexpr int most_held_tiles = 6;

template <int NT = 3> int factor_warp_tc(const batched_ctx *ctx, batched_uplo uplo, const batch<double> &a, int *info)
{
  if constexpr (NT < most_held_tiles)
    if (a.m > NT * tile_edge) return factor_warp_tc<NT + 1>(ctx, uplo, a, info);
  return launch(ctx, factor_in_warp<NT>, ceil_div(a.count, tile_matrices<NT>), warp_size * tile_matrices<NT>, 0, uplo,
                a, info);
}

} // namespace batched_cuda::cholesky

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * L(i, j) = C L(j, j)^-H for a tile of potrf_native.cuh below the diagonal, in registers, two rows of 8 x 8 tiles per
 * warp: by the inverses of L(j, j)'s diagonal tiles, with a step of refinement.
 */
#ifndef BATCHED_CHOLESKY_CUDA_NATIVE_SOLVE_CUH
#define BATCHED_CHOLESKY_CUDA_NATIVE_SOLVE_CUH

#include "batched/cuda/progress.cuh"
#include "batched/cholesky/cuda/native/products.cuh"

namespace batched_cuda::cholesky
{

template <class T, int B> struct native_solve : native_products<T, B> {
  using base = native_products<T, B>;
  using S = native_shape<T, B>;
  using W = typename S::sum;
  using base::base;
  using base::fetch_diagonal, base::i, base::inverse, base::j, base::l, base::n, base::packed, base::tile;

  /* x, y = (x, y) L^-H for a triangle L and its inverse, with a step of refinement. */
  static __device__ __forceinline__ void solve_pair(tile_part<W> &x, tile_part<W> &y, const W *triangle,
                                                    const W *inverse_at)
  {
    const tile_operand<W> lower = {triangle}, inverse = {inverse_at};
    tile_part<W> u, v;
    multiply(u, v, own_tile<W>{x}, own_tile<W>{y}, inverse);
    multiply(x, y, own_tile<W>{negative(u)}, own_tile<W>{negative(v)}, lower);
    multiply(u, v, own_tile<W>{x}, own_tile<W>{y}, inverse);
    x = u, y = v;
  }

  /* x = x L^-H for two rows of N tiles; triangle(r, c): tile (r, c) of L; inverse: those of its diagonal. */
  template <int N, class F>
  static __device__ __forceinline__ void solve_rows(tile_part<W> (&x)[2][N], const F &triangle, const W *inverse)
  {
#pragma unroll
    for (int k = 0; k < N; k++) {
      solve_pair(x[0][k], x[1][k], triangle(k, k), inverse + k * tile_size);
      const own_tile<W> u = {negative(x[0][k])}, v = {negative(x[1][k])};
#pragma unroll
      for (int c = k + 1; c < N; c++) multiply(x[0][c], x[1][c], u, v, tile_operand<W>{triangle(c, k)});
    }
  }

  /* Solves for a tile below the diagonal, two rows of tiles per warp, and stores it; fetched: L(j, j) is here. */
  __device__ __forceinline__ void solve(bool fetched, const int *done, const W *diagonal) const
  {
    const int r = threadIdx.x / warp_size * 2;
    if (!fetched) {
      if (threadIdx.x == 0) wait_beyond(done + j, j);
      __syncthreads();
      fetch_diagonal(diagonal);
      copy_commit();
    }
    tile_part<W> x[2][S::edge];
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int c = 0; c < S::edge; c++) x[q][c] = get(tile(r + q, c));
    if (!fetched) {
      copy_wait<0>();
      __syncthreads();
    }
    if (i * B + r * tile_edge >= n) return;
    solve_below(x);
    store_rows(x, r);
  }
  /* x = x L(j, j)^-H, L(j, j) in shared memory. */
  __device__ __forceinline__ void solve_below(tile_part<W> (&x)[2][S::edge]) const
  {
    solve_rows<S::edge>(
      x, [&](int a, int b) { return packed(a, b); }, inverse(0));
  }
  /* Two rows of tiles from r on. */
  __device__ __forceinline__ void store_rows(const tile_part<W> (&x)[2][S::edge], int r) const
  {
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int q = 0; q < 2; q++)
#pragma unroll
      for (int c = 0; c < S::edge; c++) {
        const int row = i * B + (r + q) * tile_edge + lane / 4, col = j * B + c * tile_edge + lane % 4 * 2;
        if (row < n) {
          l(row, col) = convert<T>(x[q][c].x);
          l(row, col + 1) = convert<T>(x[q][c].y);
        }
      }
  }
};

} // namespace batched_cuda::cholesky

#endif

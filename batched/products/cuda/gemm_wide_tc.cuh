/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.wide_tc of gemm: one small op(A) times many columns, in double precision on the tensor cores.  What takes
 * time there is to move B and C, so op(A) stays in shared memory and nothing else goes through it.
 */
#ifndef BATCHED_PRODUCTS_CUDA_GEMM_WIDE_TC_CUH
#define BATCHED_PRODUCTS_CUDA_GEMM_WIDE_TC_CUH

#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/gemm_operands.cuh"

namespace batched_cuda::products
{

constexpr int wide_threads = 256, wide_columns = wide_threads / 32 * 16; /* a block takes them at a time */
constexpr size_t wide_most_shared = 96 * 1024;                           /* two blocks share a multiprocessor */

/* Bytes of op(A) in tiles of 8 x 8, each of them a double2 per lane. */
static inline size_t wide_shared(int m, int depth)
{
  return (size_t)(ceil_div(m, 8) * ceil_div(depth, 8)) * 32 * sizeof(double2);
}

/* Lane 4 g + t's part of tile (row, step): op(A)(8 row + g, 8 step + t) and (.., 8 step + t + 4); 0 outside. */
static __device__ __forceinline__ void place_tiles(const product<double> &p, int64_t matrix, int depth, double2 *tiles)
{
  const double *a = p.a.at(matrix);
  const int rows = (p.c.m + 7) / 8, steps = (depth + 7) / 8;
  const int64_t along_m = p.transa ? p.a.ld : 1, along_k = p.transa ? 1 : p.a.ld;
  for (int e = (int)threadIdx.x; e < rows * steps * 32; e += wide_threads) {
    const int lane = e % 32, step = e / 32 % steps, i = e / 32 / steps * 8 + lane / 4, k = step * 8 + lane % 4;
    const double *at = a + i * along_m + k * along_k;
    tiles[e].x = i < p.c.m && k < depth ? at[0] : 0.0;
    tiles[e].y = i < p.c.m && k + 4 < depth ? at[4 * along_k] : 0.0;
  }
}

/* Columns j and j + 8 of C, rows i and i + 1, of a lane: sum as multiply_16x8x8 leaves it. */
static __device__ __forceinline__ void store_four(const product<double> &p, double *c, int i, int j, bool pairs,
                                                  const double sum[4])
{
#pragma unroll
  for (int h = 0; h < 2; h++) {
    if (i >= p.c.m || j + 8 * h >= p.c.n) continue;
    double *at = c + i + (int64_t)(j + 8 * h) * p.c.ld;
    const bool second = i + 1 < p.c.m;
    if (pairs && second) {
      double2 old = {};
      if (p.beta != 0) old = *reinterpret_cast<double2 *>(at);
      *reinterpret_cast<double2 *>(at) =
        make_double2(p.result(sum[2 * h], old.x, i, j), p.result(sum[2 * h + 1], old.y, i + 1, j));
    } else {
      at[0] = p.result(sum[2 * h], p.beta != 0 ? at[0] : 0.0, i, j);
      if (second) at[1] = p.result(sum[2 * h + 1], p.beta != 0 ? at[1] : 0.0, i + 1, j);
    }
  }
}

/* C = alpha op(A) op(B) + beta C, as C^T = op(B)^T op(A)^T: 16 columns of C are the rows of an instruction.
 *   algorithm  a warp takes 16 columns after the other, 8 ROWS rows at a time, sums in registers
 *   grid       a block per part of the columns of a matrix, no more of them than stay on the GPU
 *   registers  4 ROWS sums per lane, and 4 DEPTH elements of op(B), read ahead of their products
 *   shared     op(A) in the order of the lanes, padded to tiles of 8 x 8 with zeros
 *   takes      uniform batches of op(A) up to 96 KB; B and C in any layout
 *   memory     op(A) once per block, B from global memory once, then for each 8 ROWS rows from the L1 cache; C once
 *   accuracy   sums in the order of the instruction, 8 of k at a time, whatever the number of columns */
template <int ROWS, int DEPTH>
__global__ void __launch_bounds__(wide_threads, 2)
  wide_kernel(const __grid_constant__ product<double> p, int depth, int parts)
{
  double2 *tiles = shared_array<double2>();
  const int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = (int)threadIdx.x / 32;
  const int rows = (p.c.m + 7) / 8, steps = (depth + 7) / 8;
  const int64_t along_n = p.transb ? 1 : p.b.ld, along_k = p.transb ? p.b.ld : 1, work = parts * p.c.count;
  for (int64_t w = blockIdx.x; w < work; w += gridDim.x) {
    const int64_t matrix = w / parts;
    if (w >= gridDim.x) __syncthreads(); /* before the tiles of the matrix before are overwritten */
    place_tiles(p, matrix, depth, tiles);
    __syncthreads();
    const double *b = p.b.at(matrix);
    double *c = p.c.at(matrix);
    const bool pairs = p.c.ld % 2 == 0 && reinterpret_cast<uintptr_t>(c) % 16 == 0;
    for (int64_t first = (w % parts) * wide_columns + 16 * warp; first < p.c.n;
         first += (int64_t)parts * wide_columns) {
      const int j = (int)first + g;
      const double *from = b + j * along_n + t * along_k;
      for (int row = 0; row < rows; row += ROWS) {
        double sum[ROWS][4] = {};
        for (int step = 0; step < steps; step += DEPTH) {
          double x[DEPTH][4];
#pragma unroll
          for (int s = 0; s < DEPTH; s++)
#pragma unroll
            for (int e = 0; e < 4; e++) {
              const int k = 8 * (step + s) + 4 * (e / 2);
              x[s][e] = k + t < depth && j + 8 * (e % 2) < p.c.n ? from[k * along_k + e % 2 * 8 * along_n] : 0.0;
            }
#pragma unroll
          for (int s = 0; s < DEPTH; s++)
#pragma unroll
            for (int r = 0; r < ROWS; r++)
              if (step + s < steps && row + r < rows) {
                const double2 a = tiles[((row + r) * steps + step + s) * 32 + lane];
                const double pair[2] = {a.x, a.y};
                multiply_16x8x8(sum[r], x[s], pair);
              }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) store_four(p, c, 8 * (row + r) + 2 * t, j, pairs, sum[r]);
      }
    }
  }
}

static inline bool wide_fits(const product<double> &p)
{
  return !p.a.is_variable() && !p.b.is_variable() && !p.c.is_variable() && p.which == WHOLE &&
         wide_shared(p.c.m, p.depth(0)) <= wide_most_shared;
}

template <int ROWS, int DEPTH> int launch_wide(batched_ctx *ctx, const product<double> &p)
{
  const int depth = p.depth(0);
  const int64_t needed = ceil_div(p.c.n, wide_columns), most = ceil_div(2 * multiprocessors(), p.c.count);
  const int parts = (int)(needed < most ? needed : most);
  return launch(ctx, wide_kernel<ROWS, DEPTH>, parts * p.c.count, wide_threads, wide_shared(p.c.m, depth), p, depth,
                parts);
}

static inline int multiply_wide(batched_ctx *ctx, const product<double> &p)
{
  return p.c.m <= 16 ? launch_wide<2, 4>(ctx, p) : launch_wide<5, 2>(ctx, p);
}

} // namespace batched_cuda::products

#endif

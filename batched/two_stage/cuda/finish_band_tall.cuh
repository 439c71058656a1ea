/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `finish` of cuda.composed of he2hb and ge2gb (finish_band.cuh) for a few large matrices: blocks share the
 * rows of a panel.  The first kernel makes V^T V and V^T X of 128 rows each (beyond 4096 256); in the second one every
 * block adds these up, makes T and M for itself, and 128 rows of the result.
 *
 *   grid       a block per 128 or 256 rows of a matrix, and then one per 128
 *   block      8 warps: tiles of 16 x 8 of the products, and then of 16 rows
 *   shared     128 rows of V and X, 34 or 68 kB for kd = 16 and 32; T, M and what they are made of, 9 or 33 kB
 *   takes      d, kd = 16, 32, any size, uniform
 *   reads      V, X, left and right once, the sums of 128 or 256 rows once per block; writes the result
 *   scratch    2 kd^2 elements per 128 or 256 rows
 *   accuracy   that of products
 */
#ifndef BATCHED_TWO_STAGE_CUDA_FINISH_BAND_TALL_CUH
#define BATCHED_TWO_STAGE_CUDA_FINISH_BAND_TALL_CUH

#include "batched/two_stage/cuda/finish_band.cuh"
#include "batched/two_stage/cuda/multiply_band.cuh"

namespace batched_cuda::two_stage
{

enum { GRAM_STEP = 128, TALL_ROWS = 16 * FINISH_WARPS };

/* [V^T V, V^T X] of `each` rows, KD x 2 KD. */
template <int KD>
__global__ void __launch_bounds__(32 * FINISH_WARPS)
  multiply_tall(const __grid_constant__ band_finish p, int chunks, int each, double *sums)
{
  constexpr int TILES = KD / 4, TILES_OF_WARP = KD * KD / 64 / FINISH_WARPS > 0 ? KD * KD / 64 / FINISH_WARPS : 1;
  auto *const memory = reinterpret_cast<double(*)[GRAM_STEP + 4]>(shared_array<double>()); /* columns of V and X */
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const int i0 = warp * TILES_OF_WARP / TILES * 16, q0 = warp * TILES_OF_WARP % TILES;
  const bool both = p.factor != BATCHED_BAND_ALONE, works = i0 < KD;
  for (int64_t unit = blockIdx.x; unit < p.v.count * chunks; unit += gridDim.x) {
    const int64_t b = unit / chunks, ldv = p.v.leading(b), ldx = both ? p.x.leading(b) : 0;
    const double *const v = p.v.at(b), *const x = both ? p.x.at(b) : nullptr;
    const int first = (int)(unit % chunks) * each, last = min(first + each, p.v.m);
    double sum[TILES_OF_WARP][4] = {};
    for (int r0 = first; r0 < last; r0 += GRAM_STEP) {
      for (int e = threadIdx.x; e < 2 * KD * GRAM_STEP; e += blockDim.x) {
        const int r = r0 + e % GRAM_STEP, k = e / GRAM_STEP;
        double y = 0;
        if (r < last && k < KD)
          y = v[r + k * ldv];
        else if (r < last && both)
          y = x[r + (k - KD) * ldx];
        memory[k][e % GRAM_STEP] = y;
      }
      __syncthreads();
      for (int r = 0; r < GRAM_STEP && works; r += 16) {
        double left[8];
#pragma unroll
        for (int e = 0; e < 8; e++) left[e] = memory[i0 + g + e % 2 * 8][r + e / 2 * 4 + t];
#pragma unroll
        for (int q = 0; q < TILES_OF_WARP; q++) {
          double right[4];
#pragma unroll
          for (int e = 0; e < 4; e++) right[e] = memory[8 * (q0 + q) + g][r + 4 * e + t];
          multiply_16x8x16(sum[q], left, right);
        }
      }
      __syncthreads();
    }
    double *const to = sums + unit * 2 * KD * KD;
    if (works)
#pragma unroll
      for (int e = 0; e < 4 * TILES_OF_WARP; e++)
        to[i0 + g + e / 2 % 2 * 8 + (8 * (q0 + e / 4) + 2 * t + e % 2) * KD] = sum[e / 4][e % 4];
  }
}

template <int KD>
__global__ void __launch_bounds__(32 * FINISH_WARPS)
  finish_tall(const __grid_constant__ band_finish p, int chunks, int parts, const double *sums)
{
  auto &s = *reinterpret_cast<band_factors<KD> *>(shared_array<double>());
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  const bool both = p.factor != BATCHED_BAND_ALONE;
  for (int64_t unit = blockIdx.x; unit < p.out.count * parts; unit += gridDim.x) {
    const int64_t b = unit / parts, ld = p.out.leading(b);
    for (int e = threadIdx.x; e < 2 * KD * KD; e += blockDim.x) {
      const double *const from = sums + b * chunks * 2 * KD * KD + e;
      double sum = 0;
#pragma unroll 8
      for (int c = 0; c < chunks; c++) sum += from[c * 2 * KD * KD];
      (e < KD * KD ? s.gram[e % KD][e / KD] : s.product[e % KD][e / KD - KD]) = sum;
    }
    __syncthreads();
    form_factors_of_band(s, p.factor, p.tau.rows(b), p.tau.at(b));
    const int row = (int)(unit % parts) * TALL_ROWS + 16 * warp;
    double sum[KD / 8][4] = {};
    add_rows<KD>(sum, p.left, b, row, p.out.m, s.t, g, t);
    if (both) add_rows<KD>(sum, p.right, b, row, p.out.m, s.m, g, t);
    double *const out = p.out.at(b);
#pragma unroll
    for (int e = 0; e < KD / 2; e++) {
      const int to = row + g + e / 2 % 2 * 8;
      if (to < p.out.m) out[to + (e / 4 * 8 + 2 * t + e % 2) * ld] = sum[e / 4][e % 4];
    }
    __syncthreads();
  }
}

template <int KD> int launch_finish_tall(batched_ctx *ctx, const band_finish &p)
{
  const int each = p.v.m <= 4096 ? GRAM_STEP : 2 * GRAM_STEP, chunks = (int)ceil_div(p.v.m, each);
  const int parts = (int)ceil_div(p.out.m, TALL_ROWS);
  const size_t bytes = (size_t)(p.v.count * chunks * 2 * KD * KD) * sizeof(double);
  double *const sums = static_cast<double *>(batched_scratch_push(ctx, bytes));
  if (!sums) return BATCHED_NO_MEMORY;
  int status = launch(ctx, multiply_tall<KD>, p.v.count * chunks, 32 * FINISH_WARPS,
                      2 * KD * (GRAM_STEP + 4) * sizeof(double), p, chunks, each, sums);
  if (!status)
    status = launch(ctx, finish_tall<KD>, p.out.count * parts, 32 * FINISH_WARPS, sizeof(band_factors<KD>), p, chunks,
                    parts, static_cast<const double *>(sums));
  batched_scratch_pop(ctx);
  return status;
}

/* True for few matrices with panels so tall that blocks should share them. */
static inline bool is_tall_band(const batched_band_finish *f)
{
  return f->v.count <= BAND_FEW && !f->v.ms && !f->out.ms && f->v.m >= 4 * GRAM_STEP && (f->kd == 16 || f->kd == 32);
}

inline int finish_band_panel(batched_ctx *ctx, const batched_band_finish *f)
{
  const bool tall = is_tall_band(f);
  if (f->v.type != BATCHED_D || (!tall && f->kd != FINISH_WIDTH)) return BATCHED_DOES_NOT_FIT;
  const band_finish p = {f->factor,
                         view<double>(f->v),
                         view<double>(f->x),
                         view<double>(f->tau),
                         view<double>(f->left),
                         view<double>(f->right),
                         view<double>(f->out)};
  if (!tall) return launch(ctx, finish_band, p.out.count, 32 * FINISH_WARPS, sizeof(finish_memory), p);
  return f->kd == 16 ? launch_finish_tall<16>(ctx, p) : launch_finish_tall<32>(ctx, p);
}

} // namespace batched_cuda::two_stage

#endif

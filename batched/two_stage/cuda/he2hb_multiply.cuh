/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `multiply` of he2hb's cuda.composed: A -= [V W] [W V]^T of a panel and Y = A V' with the vectors of the next
 * one, where A is read and written once for both.  A strip of 16 rows belongs to a warp, which goes through its columns
 * by 32: each tile of 16 x 8 is updated on the tensor cores, stored, and, as it lies in the registers, the first factor
 * of the product with V'.
 *
 *   grid       a block per 128 rows of a matrix
 *   block      8 warps of 16 rows each
 *   shared     32 rows of [W V] and V', twice: 13, 26 or 52 kB for kd = 8, 16, 32
 *   registers  16 x 32 of A; 16 rows of [V W] and of Y
 *   takes      d, kd = 8, 16, 32, any size, uniform and variable
 *   reads      A once, and [W V] and V' once per block; writes A, where there is an update, and Y
 *   accuracy   that of two products
 */
#ifndef BATCHED_TWO_STAGE_CUDA_HE2HB_MULTIPLY_CUH
#define BATCHED_TWO_STAGE_CUDA_HE2HB_MULTIPLY_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/two_stage/steps.h"

namespace batched_cuda::two_stage
{

struct band_product {
  bool updates;
  batch<double> a, vw, wv, v, y;
};

enum { STRIP_WARPS = 8, STRIP_ROWS = 16 * STRIP_WARPS, STRIP_COLUMNS = 32 };

/* 32 rows of [W V] and V', transposed; pitches without bank conflicts of single numbers and of pairs. */
template <int KD> struct strip_memory {
  double wv[2 * KD][STRIP_COLUMNS + 4];
  alignas(16) double v[KD][STRIP_COLUMNS + 8];

  __device__ __forceinline__ void load(const band_product &p, int64_t b, int j0, int n)
  {
    const double *const wv_from = p.updates ? p.wv.at(b) : nullptr, *const v_from = p.v.at(b);
    const int64_t ldwv = p.updates ? p.wv.leading(b) : 0, ldv = p.v.leading(b);
    for (int e = threadIdx.x + (p.updates ? 0 : 2 * KD * STRIP_COLUMNS); e < 3 * KD * STRIP_COLUMNS; e += blockDim.x) {
      const int k = e / STRIP_COLUMNS, j = e % STRIP_COLUMNS, row = j0 + j < n ? j0 + j : 0;
      const double *const from = k < 2 * KD ? wv_from + row + k * ldwv : v_from + row + (k - 2 * KD) * ldv;
      copy_async(shared_address(k < 2 * KD ? &wv[k][j] : &v[k - 2 * KD][j]), from, j0 + j < n);
    }
    copy_commit();
  }
};

template <int KD>
__global__ void __launch_bounds__(32 * STRIP_WARPS, KD <= 16 ? 2 : 1) multiply_band(const __grid_constant__ band_product p, int strips)
{
  auto *const memory = reinterpret_cast<strip_memory<KD> *>(shared_array<double>());
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int64_t unit = blockIdx.x; unit < p.a.count * strips; unit += gridDim.x) {
    const int64_t b = unit / strips;
    const int n = p.a.rows(b), first = (int)(unit % strips) * STRIP_ROWS;
    if (first >= n) continue;
    const int i0 = first + 16 * warp + g;
    const bool there[2] = {i0 < n, i0 + 8 < n};
    const int64_t ld = p.a.leading(b);
    double *const a = p.a.at(b) + i0;
    memory[0].load(p, b, 0, n);

    double factor[KD / 8][8], sum[KD / 8][4] = {}; /* -[V W], Y */
    if (p.updates) {
      const double *const vw = p.vw.at(b) + i0;
      const int64_t ldvw = p.vw.leading(b);
#pragma unroll
      for (int k = 0; k < KD / 8 * 8; k++)
        factor[k / 8][k % 8] = there[k % 2] ? -vw[k % 2 * 8 + (k / 8 * 16 + k % 8 / 2 * 4 + t) * ldvw] : 0.0;
    }
    for (int j0 = 0, turn = 0; j0 < n; j0 += STRIP_COLUMNS, turn ^= 1) {
      double c[4][4]; /* (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1) of four tiles */
#pragma unroll
      for (int e = 0; e < 16; e++) {
        const int j = j0 + e / 4 * 8 + 2 * t + e % 2;
        c[e / 4][e % 4] = there[e / 2 % 2] && j < n ? a[e / 2 % 2 * 8 + j * ld] : 0.0;
      }
      if (j0 + STRIP_COLUMNS < n) {
        memory[turn ^ 1].load(p, b, j0 + STRIP_COLUMNS, n);
        copy_wait<1>();
      } else {
        copy_wait<0>();
      }
      __syncthreads();
      const strip_memory<KD> &m = memory[turn];
#pragma unroll
      for (int q = 0; q < 4; q++) {
        if (p.updates) {
#pragma unroll
          for (int k = 0; k < KD / 8; k++) {
            double other[4];
#pragma unroll
            for (int e = 0; e < 4; e++) other[e] = m.wv[16 * k + 4 * e + t][8 * q + g];
            multiply_16x8x16(c[q], factor[k], other);
          }
#pragma unroll
          for (int e = 0; e < 4; e++) {
            const int j = j0 + 8 * q + 2 * t + e % 2;
            if (there[e / 2] && j < n) a[e / 2 * 8 + j * ld] = c[q][e];
          }
        }
        const double x[4] = {c[q][0], c[q][2], c[q][1], c[q][3]};
#pragma unroll
        for (int u = 0; u < KD / 8; u++) {
          const double2 pair = *reinterpret_cast<const double2 *>(&m.v[8 * u + g][8 * q + 2 * t]);
          const double other[2] = {pair.x, pair.y};
          multiply_16x8x8(sum[u], x, other);
        }
      }
      __syncthreads();
    }
    double *const y = p.y.at(b) + i0;
    const int64_t ldy = p.y.leading(b);
#pragma unroll
    for (int e = 0; e < KD / 2; e++)
      if (there[e / 2 % 2]) y[e / 2 % 2 * 8 + (e / 4 * 8 + 2 * t + e % 2) * ldy] = sum[e / 4][e % 4];
  }
}

template <int KD> int launch_multiply_band(batched_ctx *ctx, const band_product &p)
{
  const int strips = (int)ceil_div(p.a.m, STRIP_ROWS);
  return launch(ctx, multiply_band<KD>, p.a.count * strips, 32 * STRIP_WARPS, 2 * sizeof(strip_memory<KD>), p, strips);
}

inline int multiply_band_product(batched_ctx *ctx, const batched_band_product *b)
{
  if (b->a.type != BATCHED_D) return BATCHED_DOES_NOT_FIT;
  const band_product p = {b->updates,          view<double>(b->a), view<double>(b->vw),
                          view<double>(b->wv), view<double>(b->v), view<double>(b->y)};
  return b->kd == 8    ? launch_multiply_band<8>(ctx, p)
         : b->kd == 16 ? launch_multiply_band<16>(ctx, p)
         : b->kd == 32 ? launch_multiply_band<32>(ctx, p)
                       : BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::two_stage

#endif

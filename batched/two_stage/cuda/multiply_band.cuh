/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `multiply` of cuda.composed of he2hb and ge2gb: A -= L R^T, L and R of 2 kd columns, and Y = A V, or A^T V,
 * of kd columns, where A is read and written once for both.  A strip of 16 rows of A, or columns of the transposed
 * product, belongs to a warp, which goes through it by 32: each tile of 16 x 8 is updated on the tensor cores, stored,
 * and, as it lies in the registers, the first factor of the product with V.
 *
 * For a few large matrices a strip is cut into parts, one per block, so that all multiprocessors have work; a second
 * kernel adds what they give to Y.
 *
 *   grid       a block per 128 rows of a matrix (transposed: columns) and part
 *   block      8 warps of 16 rows each
 *   shared     32 rows of R and V, twice: 13, 26 or 52 kB for kd = 8, 16, 32
 *   registers  16 x 32 of A; 16 rows of L and of Y
 *   takes      d, kd = 8, 16, 32, any size, uniform and variable
 *   reads      A once, and R and V once per block; writes A, where there is an update, and Y
 *   scratch    the parts of Y, where there is more than one
 *   accuracy   that of two products
 */
#ifndef BATCHED_TWO_STAGE_CUDA_MULTIPLY_BAND_CUH
#define BATCHED_TWO_STAGE_CUDA_MULTIPLY_BAND_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/two_stage/steps.h"

namespace batched_cuda::two_stage
{

/* Transposed: left and right have changed places. */
struct band_product {
  bool updates, transposed;
  batch<double> a, left, right, v, y;
  int strips, parts, width; /* of a matrix; of a strip, of so many columns each */
};

/* The largest count whose matrices are each taken for a large one alone, if a table gives geqrf's cuda.native them. */
enum { BAND_FEW = 4 };

enum { STRIP_WARPS = 8, STRIP_ROWS = 16 * STRIP_WARPS, STRIP_COLUMNS = 32 };

/* 32 rows of R and V, transposed; pitches without bank conflicts of single numbers and of pairs. */
template <int KD> struct strip_memory {
  double r[2 * KD][STRIP_COLUMNS + 4];
  alignas(16) double v[KD][STRIP_COLUMNS + 8];

  __device__ __forceinline__ void load(const band_product &p, int64_t b, int j0, int n)
  {
    const double *const r_from = p.updates ? p.right.at(b) : nullptr, *const v_from = p.v.at(b);
    const int64_t ldr = p.updates ? p.right.leading(b) : 0, ldv = p.v.leading(b);
    for (int e = threadIdx.x + (p.updates ? 0 : 2 * KD * STRIP_COLUMNS); e < 3 * KD * STRIP_COLUMNS; e += blockDim.x) {
      const int k = e / STRIP_COLUMNS, j = e % STRIP_COLUMNS, row = j0 + j < n ? j0 + j : 0;
      const double *const from = k < 2 * KD ? r_from + row + k * ldr : v_from + row + (k - 2 * KD) * ldv;
      copy_async(shared_address(k < 2 * KD ? &r[k][j] : &v[k - 2 * KD][j]), from, j0 + j < n);
    }
    copy_commit();
  }
};

/* The rows of A, or columns, of a lane: 16 of a warp, of which lane 4 g + t has g and g + 8, and of each tile of 8
 * columns 2 t and 2 t + 1. */
struct strip_of_a {
  double *at;
  int64_t row, col;
  bool there[2], in_pairs; /* in_pairs: columns are neighbours in memory, two of which are aligned to 16 bytes */
  int n;

  __device__ __forceinline__ void load(int j0, double (&c)[4][4]) const
  {
    if (in_pairs) {
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int j = j0 + e / 2 * 8;
        double2 pair = {0, 0};
        if (there[e % 2] && j + 1 < n)
          pair = *reinterpret_cast<const double2 *>(at + e % 2 * 8 * row + j);
        else if (there[e % 2] && j < n)
          pair.x = at[e % 2 * 8 * row + j];
        c[e / 2][e % 2 * 2] = pair.x;
        c[e / 2][e % 2 * 2 + 1] = pair.y;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 16; e++) {
        const int j = j0 + e / 4 * 8 + e % 2;
        c[e / 4][e % 4] = there[e / 2 % 2] && j < n ? at[e / 2 % 2 * 8 * row + j * col] : 0.0;
      }
    }
  }

  /* A tile, from column j on. */
  __device__ __forceinline__ void store(int j, const double (&c)[4]) const
  {
#pragma unroll
    for (int e = 0; e < 2; e++) {
      double *const to = at + e * 8 * row + j * col;
      if (there[e] && in_pairs && j + 1 < n) {
        *reinterpret_cast<double2 *>(to) = {c[2 * e], c[2 * e + 1]};
      } else if (there[e]) {
        if (j < n) to[0] = c[2 * e];
        if (j + 1 < n) to[col] = c[2 * e + 1];
      }
    }
  }
};

template <int KD>
__global__ void __launch_bounds__(32 * STRIP_WARPS, KD <= 16 ? 2 : 1)
  multiply_band(const __grid_constant__ band_product p)
{
  auto *const memory = reinterpret_cast<strip_memory<KD> *>(shared_array<double>());
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int64_t unit = blockIdx.x; unit < p.a.count * p.parts * p.strips; unit += gridDim.x) {
    const int64_t y_of = unit / p.strips, b = y_of / p.parts; /* a Y for each part of a matrix */
    const int m = p.transposed ? p.a.cols(b) : p.a.rows(b), all = p.transposed ? p.a.rows(b) : p.a.cols(b);
    const int first = (int)(unit % p.strips) * STRIP_ROWS, i0 = first + 16 * warp + g;
    if (first >= m) continue;
    const int j_first = (int)(y_of % p.parts) * p.width, n = min(all, j_first + p.width);
    const int64_t ld = p.a.leading(b);
    double *const y = p.y.at(y_of) + i0;
    const int64_t ldy = p.y.leading(y_of);
    strip_of_a a;
    a.n = n - 2 * t;
    a.row = p.transposed ? ld : 1;
    a.col = p.transposed ? 1 : ld;
    a.there[0] = i0 < m;
    a.there[1] = i0 + 8 < m;
    double sum[KD / 8][4] = {};
    if (n > j_first) {
      double *const from = p.a.at(b);
      a.at = from + i0 * a.row + 2 * t * a.col;
      a.in_pairs = p.transposed && ld % 2 == 0 && reinterpret_cast<uintptr_t>(from) % 16 == 0;
      memory[0].load(p, b, j_first, n);
    }
    double factor[KD / 8][8]; /* -L */
    if (p.updates) {
      const double *const left = p.left.at(b) + i0;
      const int64_t ldl = p.left.leading(b);
#pragma unroll
      for (int k = 0; k < KD; k++)
        factor[k / 8][k % 8] = a.there[k % 2] ? -left[k % 2 * 8 + (k / 8 * 16 + k % 8 / 2 * 4 + t) * ldl] : 0.0;
    }
    constexpr bool ahead = KD > 16; /* the next tiles are loaded while these are updated: where registers allow it */
    double c[4][4];
    if (ahead && n > j_first) a.load(j_first, c);
    for (int j0 = j_first, turn = 0; j0 < n; j0 += STRIP_COLUMNS, turn ^= 1) {
      if (!ahead) a.load(j0, c);
      if (j0 + STRIP_COLUMNS < n) {
        memory[turn ^ 1].load(p, b, j0 + STRIP_COLUMNS, n);
        copy_wait<1>();
      } else {
        copy_wait<0>();
      }
      __syncthreads();
      const strip_memory<KD> &s = memory[turn];
      double next[4][4] = {};
      if (ahead && j0 + STRIP_COLUMNS < n) a.load(j0 + STRIP_COLUMNS, next);
#pragma unroll
      for (int q = 0; q < 4; q++) {
        if (p.updates) {
#pragma unroll
          for (int k = 0; k < KD / 8; k++) {
            double other[4];
#pragma unroll
            for (int e = 0; e < 4; e++) other[e] = s.r[16 * k + 4 * e + t][8 * q + g];
            multiply_16x8x16(c[q], factor[k], other);
          }
          a.store(j0 + 8 * q, c[q]);
        }
        const double x[4] = {c[q][0], c[q][2], c[q][1], c[q][3]};
#pragma unroll
        for (int u = 0; u < KD / 8; u++) {
          const double2 pair = *reinterpret_cast<const double2 *>(&s.v[8 * u + g][8 * q + 2 * t]);
          const double other[2] = {pair.x, pair.y};
          multiply_16x8x8(sum[u], x, other);
        }
      }
#pragma unroll
      for (int e = 0; ahead && e < 16; e++) c[e / 4][e % 4] = next[e / 4][e % 4];
      __syncthreads();
    }
#pragma unroll
    for (int e = 0; e < KD / 2; e++)
      if (a.there[e / 2 % 2]) y[e / 2 % 2 * 8 + (e / 4 * 8 + 2 * t + e % 2) * ldy] = sum[e / 4][e % 4];
  }
}

/* y = the sum of its parts, `parts` m x n matrices for each of a batch. */
static __global__ void __launch_bounds__(256) add_band_parts(batch<double> from, int parts, batch<double> y)
{
  const int64_t each = (int64_t)y.m * y.n;
  for (int64_t e = blockIdx.x * (int64_t)256 + threadIdx.x; e < y.count * each; e += gridDim.x * (int64_t)256) {
    const int64_t b = e / each, i = e % each;
    double sum = 0;
    for (int k = 0; k < parts; k++) sum += from.data[(b * parts + k) * each + i];
    y.at(b)[i % y.m + i / y.m * y.leading(b)] = sum;
  }
}

/* Sets the number of blocks of a strip: two per multiprocessor if a matrix were alone, so that it does not depend on
 * the count of a few, with at least 128 columns each. */
static inline void cut_strips(band_product &p)
{
  const bool few = p.a.count <= BAND_FEW && !p.a.ms && !p.a.ns;
  const int n = p.transposed ? p.a.m : p.a.n;
  const int64_t wanted = ceil_div(2 * multiprocessors(), p.strips), most = ceil_div(n, 4 * STRIP_COLUMNS);
  const int64_t parts = !few ? 1 : wanted < most ? wanted : most;
  p.width = STRIP_COLUMNS * (int)ceil_div(ceil_div(n, STRIP_COLUMNS), parts < 1 ? 1 : parts);
  p.parts = p.width > 0 ? (int)ceil_div(n, p.width) : 1;
}

template <int KD> int launch_multiply_band(batched_ctx *ctx, band_product p)
{
  p.strips = (int)ceil_div(p.transposed ? p.a.n : p.a.m, STRIP_ROWS);
  cut_strips(p);
  const auto go = [&] {
    return launch(ctx, multiply_band<KD>, p.a.count * p.parts * p.strips, 32 * STRIP_WARPS,
                  2 * sizeof(strip_memory<KD>), p);
  };
  if (p.parts <= 1) return go();
  const batch<double> y = p.y;
  const int64_t each = (int64_t)y.m * y.n, count = y.count * p.parts;
  double *const memory = static_cast<double *>(batched_scratch_push(ctx, (size_t)(count * each) * sizeof(double)));
  if (!memory) return BATCHED_NO_MEMORY;
  p.y = {memory, nullptr, each, count, y.m, y.n, y.m, nullptr, nullptr, nullptr, 0, 0};
  int status = go();
  if (!status) status = launch(ctx, add_band_parts, ceil_div(y.count * each, 256), 256, 0, p.y, p.parts, y);
  batched_scratch_pop(ctx);
  return status;
}

inline int multiply_band_product(batched_ctx *ctx, const batched_band_product *b)
{
  if (b->a.type != BATCHED_D) return BATCHED_DOES_NOT_FIT;
  const batch<double> left = view<double>(b->left), right = view<double>(b->right);
  const band_product p = {b->updates,
                          b->adjoint,
                          view<double>(b->a),
                          b->adjoint ? right : left,
                          b->adjoint ? left : right,
                          view<double>(b->v),
                          view<double>(b->y),
                          0,
                          1,
                          0};
  return b->kd == 8    ? launch_multiply_band<8>(ctx, p)
         : b->kd == 16 ? launch_multiply_band<16>(ctx, p)
         : b->kd == 32 ? launch_multiply_band<32>(ctx, p)
                       : BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::two_stage

#endif

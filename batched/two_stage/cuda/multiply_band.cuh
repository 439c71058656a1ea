/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `multiply` of cuda.composed of he2hb and ge2gb: A -= L R^T, L and R of 2 kd columns, and Y = A V, or A^T V,
 * of kd columns, where A is read and written once for both.  A strip of 128 rows of A, or columns of the transposed
 * product, belongs to a block, which goes through it by 16, some steps behind what it fetches to shared memory.  Of a
 * step each warp has a tile of 16 rows: updated on the tensor cores, stored, and, as it lies in registers, the first
 * factor of the product with V.
 *
 * For a few large matrices a strip is cut into parts, one per block, so that all multiprocessors have work; a second
 * kernel adds what they give to Y.
 *
 *   grid       a block per 128 rows of a matrix (transposed: columns) and part
 *   block      8 warps of 16 rows each
 *   shared     16 columns of the strip, with those rows of R and V, in four stages (kd = 32: six): 83, 97 or 194 kB for
 *              kd = 8, 16, 32; two blocks per multiprocessor up to 16
 *   registers  16 rows of L and of Y, and a tile of 16 x 8
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

enum { STRIP_WARPS = 8, STRIP_ROWS = 16 * STRIP_WARPS, STRIP_COLUMNS = 16 };
template <int KD> constexpr int strip_stages = KD <= 16 ? 4 : 6;

/* 16 columns of a strip, and as many rows of R and V, transposed; pitches without bank conflicts of single numbers and
 * of pairs.  a: column by column, or, TRANSPOSED, row by row, in which the halves of every other row are exchanged. */
template <int KD, bool TRANSPOSED> struct strip_stage {
  static constexpr int pitch = STRIP_ROWS + 2;
  alignas(16) double a[STRIP_COLUMNS * pitch];
  alignas(16) double r[2 * KD][STRIP_COLUMNS + 4];
  alignas(16) double v[KD][STRIP_COLUMNS + 8];

  static __device__ __forceinline__ int pair_of_row(int i, int pair)
  {
    return i * STRIP_COLUMNS + 2 * (pair ^ i % 2 * 4);
  }

  /* Tile q of a warp's rows: lane 4 g + t has (g, 2 t), (g, 2 t + 1) and the same of row g + 8. */
  __device__ __forceinline__ void read_tile(int row, int q, int t, double (&c)[4]) const
  {
#pragma unroll
    for (int e = 0; e < 2; e++) {
      if constexpr (TRANSPOSED) {
        const double2 pair = *reinterpret_cast<const double2 *>(a + pair_of_row(row + 8 * e, 4 * q + t));
        c[2 * e] = pair.x;
        c[2 * e + 1] = pair.y;
      } else {
        const double *const at = a + (8 * q + 2 * t) * pitch + row + 8 * e;
        c[2 * e] = at[0];
        c[2 * e + 1] = at[pitch];
      }
    }
  }
};

/* Where stages come from: of a strip, of which `rows` rows are there, columns up to n. */
template <int KD, bool TRANSPOSED, bool UPDATES> struct strip_source {
  static constexpr int threads = 32 * STRIP_WARPS, tall = STRIP_ROWS / 2, wide = STRIP_COLUMNS / 2;
  const double *base, *a, *r, *v; /* base: of the strip; a, r, v: this thread's first elements */
  int64_t ld, ldr, ldv;
  int rows, n;
  bool in_pairs; /* elements are in memory as in a stage, and two of them aligned to 16 bytes */

  __device__ __forceinline__ strip_source(const band_product &p, int64_t b, int first, int m, int n)
      : ld(p.a.leading(b)), ldr(UPDATES ? p.right.leading(b) : 0), ldv(p.v.leading(b)), rows(m - first), n(n)
  {
    const int t = threadIdx.x, k = t / STRIP_COLUMNS, j = t % STRIP_COLUMNS;
    base = p.a.at(b) + (TRANSPOSED ? first * ld : first);
    a = base + (TRANSPOSED ? t / wide * ld + t % wide * 2 : t % tall * 2 + t / tall * ld);
    r = UPDATES ? p.right.at(b) + k * ldr + j : nullptr;
    v = p.v.at(b) + k * ldv + j;
    in_pairs = ld % 2 == 0 && reinterpret_cast<uintptr_t>(base) % 16 == 0;
  }

  /* Two elements, of which the first `number` are there, or zeros. */
  __device__ __forceinline__ void fetch_pair(double *to, const double *from, int number) const
  {
    if (in_pairs && number > 1) {
      copy_async(shared_address(to), reinterpret_cast<const double2 *>(from), true);
    } else {
      copy_async(shared_address(to), number > 0 ? from : base, number > 0);
      copy_async(shared_address(to + 1), number > 1 ? from + 1 : base, number > 1);
    }
  }

  /* Columns j0 and beyond. */
  __device__ __forceinline__ void fetch(strip_stage<KD, TRANSPOSED> &s, int j0) const
  {
    const int t = threadIdx.x, k = t / STRIP_COLUMNS, j = t % STRIP_COLUMNS;
    constexpr int lines = threads / (TRANSPOSED ? wide : tall); /* at a time */
#pragma unroll
    for (int u = 0; u < STRIP_ROWS * STRIP_COLUMNS / 2 / threads; u++) {
      if constexpr (TRANSPOSED) {
        const int i = t / wide + u * lines;
        fetch_pair(s.a + s.pair_of_row(i, t % wide), a + u * lines * ld + j0, i < rows ? n - j0 - t % wide * 2 : 0);
      } else {
        const int column = t / tall + u * lines;
        fetch_pair(s.a + column * s.pitch + t % tall * 2, a + (j0 + u * lines) * ld,
                   j0 + column < n ? rows - t % tall * 2 : 0);
      }
    }
    const bool there = j0 + j < n;
    const int64_t at = there ? j0 : -(int64_t)j;
    constexpr int step = threads / STRIP_COLUMNS;
    if constexpr (UPDATES)
#pragma unroll
      for (int u = 0; u < 2 * KD; u += step)
        if (u + k < 2 * KD) copy_async(shared_address(&s.r[u + k][j]), r + u * ldr + at, there);
#pragma unroll
    for (int u = 0; u < KD; u += step)
      if (u + k < KD) copy_async(shared_address(&s.v[u + k][j]), v + u * ldv + at, there);
  }
};

/* The rows of A, or columns, of a lane: 16 of a warp, of which lane 4 g + t has g and g + 8, and of each tile of 8
 * columns 2 t and 2 t + 1. */
struct strip_of_a {
  double *at;
  int64_t row, col;
  bool there[2], in_pairs; /* in_pairs: columns are neighbours in memory, two of which are aligned to 16 bytes */
  int n;

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

template <int KD, bool TRANSPOSED, bool UPDATES>
__global__ void __launch_bounds__(32 * STRIP_WARPS, KD <= 16 ? 2 : 1)
  multiply_band(const __grid_constant__ band_product p)
{
  constexpr int STAGES = strip_stages<KD>;
  auto *const stages = reinterpret_cast<strip_stage<KD, TRANSPOSED> *>(shared_array<double>());
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
  for (int64_t unit = blockIdx.x; unit < p.a.count * p.parts * p.strips; unit += gridDim.x) {
    const int64_t y_of = unit / p.strips, b = y_of / p.parts; /* a Y for each part of a matrix */
    const int m = TRANSPOSED ? p.a.cols(b) : p.a.rows(b), all = TRANSPOSED ? p.a.rows(b) : p.a.cols(b);
    const int first = (int)(unit % p.strips) * STRIP_ROWS, i0 = first + 16 * warp + g;
    if (first >= m) continue;
    const int j_first = (int)(y_of % p.parts) * p.width, n = min(all, j_first + p.width);
    const bool works = i0 - g < m;
    const strip_source<KD, TRANSPOSED, UPDATES> source(p, b, first, m, n);
    __syncthreads(); /* the stages are free */
    for (int u = 0; u < STAGES - 1; u++) {
      const int j0 = j_first + u * STRIP_COLUMNS;
      if (j0 < n) source.fetch(stages[u], j0);
      copy_commit();
    }
    double *const y = p.y.at(y_of) + i0;
    const int64_t ldy = p.y.leading(y_of);
    strip_of_a a;
    a.n = n - 2 * t;
    a.row = TRANSPOSED ? source.ld : 1;
    a.col = TRANSPOSED ? 1 : source.ld;
    a.there[0] = i0 < m;
    a.there[1] = i0 + 8 < m;
    a.in_pairs = TRANSPOSED && source.in_pairs;
    a.at = n > j_first ? p.a.at(b) + i0 * a.row + 2 * t * a.col : nullptr;
    double sum[KD / 8][4] = {}, factor[KD / 8][8]; /* factor: -L */
    if constexpr (UPDATES) {
      const double *const left = p.left.at(b) + i0;
      const int64_t ldl = p.left.leading(b);
#pragma unroll
      for (int k = 0; k < KD; k++)
        factor[k / 8][k % 8] = a.there[k % 2] ? -left[k % 2 * 8 + (k / 8 * 16 + k % 8 / 2 * 4 + t) * ldl] : 0.0;
    }
    for (int j0 = j_first, turn = 0; j0 < n; j0 += STRIP_COLUMNS, turn = turn == STAGES - 1 ? 0 : turn + 1) {
      copy_wait<STAGES - 2>();
      __syncthreads();
      const int ahead = j0 + (STAGES - 1) * STRIP_COLUMNS;
      if (ahead < n) source.fetch(stages[turn == 0 ? STAGES - 1 : turn - 1], ahead);
      copy_commit();
      if (!works) continue;
      const strip_stage<KD, TRANSPOSED> &s = stages[turn];
#pragma unroll
      for (int q = 0; q < STRIP_COLUMNS / 8; q++) {
        double c[4];
        s.read_tile(16 * warp + g, q, t, c);
        if constexpr (UPDATES) {
#pragma unroll
          for (int k = 0; k < KD / 8; k++) {
            double other[4];
#pragma unroll
            for (int e = 0; e < 4; e++) other[e] = s.r[16 * k + 4 * e + t][8 * q + g];
            multiply_16x8x16(c, factor[k], other);
          }
          a.store(j0 + 8 * q, c);
        }
        const double x[4] = {c[0], c[2], c[1], c[3]};
#pragma unroll
        for (int u = 0; u < KD / 8; u++) {
          const double2 pair = *reinterpret_cast<const double2 *>(&s.v[8 * u + g][8 * q + 2 * t]);
          const double other[2] = {pair.x, pair.y};
          multiply_16x8x8(sum[u], x, other);
        }
      }
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
  const int64_t wanted = ceil_div(2 * multiprocessors(), p.strips), most = ceil_div(n, 8 * STRIP_COLUMNS);
  const int64_t parts = !few ? 1 : wanted < most ? wanted : most;
  p.width = STRIP_COLUMNS * (int)ceil_div(ceil_div(n, STRIP_COLUMNS), parts < 1 ? 1 : parts);
  p.parts = p.width > 0 ? (int)ceil_div(n, p.width) : 1;
}

template <int KD> int launch_multiply_band(batched_ctx *ctx, band_product p)
{
  p.strips = (int)ceil_div(p.transposed ? p.a.n : p.a.m, STRIP_ROWS);
  cut_strips(p);
  const auto go = [&] {
    const auto kernel = p.transposed ? p.updates ? multiply_band<KD, true, true> : multiply_band<KD, true, false>
                        : p.updates ? multiply_band<KD, false, true>
                                     : multiply_band<KD, false, false>;
    return launch(ctx, kernel, p.a.count * p.parts * p.strips, 32 * STRIP_WARPS,
                  strip_stages<KD> * sizeof(strip_stage<KD, false>), p);
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

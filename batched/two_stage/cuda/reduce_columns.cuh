/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The step `reduce` of cuda.composed of he2hb and ge2gb: the columns of a panel, or its rows, after an update that
 * waits, X -= L R^T, and their QR factorisation as LAPACK's geqrf, with V where the next steps want it.  A thread has
 * rows of X in registers.  For a column it adds up its products with all that are left, so that there is one barrier
 * per column: the reflector and the factors of the update follow from these sums and from the row of the diagonal.
 *
 *   grid       a block per matrix
 *   block      up to 256 threads of 2 or 4 rows each, as most of a column is what each thread does beside its rows
 *   shared     R, the warps' sums of two columns, a row, factors: 8 kB
 *   takes      d, kd = 16, up to 1024 rows with those above the panel, uniform and variable
 *   reads      the columns and L once; writes the columns, V twice, and tau
 *   accuracy   that of Householder reflectors, of matrices whose largest element is near 1: a column whose squares
 *              underflow is 0
 */
#ifndef BATCHED_TWO_STAGE_CUDA_REDUCE_COLUMNS_CUH
#define BATCHED_TWO_STAGE_CUDA_REDUCE_COLUMNS_CUH

#include "batched/cuda/launch.cuh"
#include "batched/cuda/reduce.cuh"
#include "batched/qr/cuda/householder.cuh"
#include "batched/two_stage/steps.h"

namespace batched_cuda::two_stage
{

struct band_columns {
  int above, terms;
  bool transposed;
  batch<double> x, left, right, tau, v, again;
};

enum { COLUMNS_WIDTH = 16, COLUMNS_THREADS = 256 };

struct columns_memory {
  alignas(16) double right[2 * COLUMNS_WIDTH][COLUMNS_WIDTH]; /* R^T */
  double parts[2][COLUMNS_THREADS / 32][COLUMNS_WIDTH];       /* of the products of a column, and of the next one */
  double row[2][COLUMNS_WIDTH];
  alignas(16) double factors[COLUMNS_THREADS / 32][COLUMNS_WIDTH];
};

/* Column J of rows first, first + blockDim.x, ... of this thread; rows before 0 are above the panel. */
template <int J, int ROWS>
__device__ __forceinline__ void eliminate_column(double (&a)[ROWS][COLUMNS_WIDTH], int first, columns_memory &s,
                                                 double *tau)
{
  constexpr int LEFT = COLUMNS_WIDTH - J, N = LEFT > 8 ? 16 : LEFT > 4 ? 8 : LEFT > 2 ? 4 : LEFT;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, number = lane % N;
  double sums[N] = {};
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int i = first + r * (int)blockDim.x;
    const double y = i > J ? a[r][J] : 0.0;
#pragma unroll
    for (int u = 0; u < LEFT; u++) sums[u] = fma(y, a[r][J + u], sums[u]);
    if (i == J) {
#pragma unroll
      for (int u = 0; u < LEFT; u++) s.row[J % 2][u] = a[r][J + u];
    }
  }
  const double part = sum_transposed<N, 32>(sums);
  if (lane < N) s.parts[J % 2][warp][lane] = part;
  __syncthreads();
  double product = 0;
  for (int w = 0; w < blockDim.x / 32; w++) product += s.parts[J % 2][w][number];
  const double alpha = s.row[J % 2][0], squares = shuffle(product, 0);
  const bool zero = squares + alpha * alpha <= 0x1p-400;
  const qr::reflector<double> h = qr::reflect(alpha, zero ? 0.0 : squares);
  if (lane < LEFT) s.factors[warp][lane] = -h.tau * fma(h.inverse, product, s.row[J % 2][number]);
  if (threadIdx.x == 0) tau[J] = h.tau;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const int i = first + r * (int)blockDim.x;
    const double v = i > J ? h.inverse * a[r][J] : i == J ? 1.0 : 0.0;
#pragma unroll
    for (int u = 1; u < LEFT; u++) a[r][J + u] = fma(s.factors[warp][u], v, a[r][J + u]);
    a[r][J] = i > J ? v : i == J ? h.beta : a[r][J];
  }
}

template <int J, int ROWS>
__device__ __forceinline__ void eliminate_columns(double (&a)[ROWS][COLUMNS_WIDTH], int first, int few,
                                                  columns_memory &s, double *tau)
{
  if constexpr (J < COLUMNS_WIDTH) {
    if (J >= few) return;
    eliminate_column<J>(a, first, s, tau);
    eliminate_columns<J + 1>(a, first, few, s, tau);
  }
}

/* The update of the rows of this thread. */
template <int ROWS>
__device__ __forceinline__ void update_rows(double (&a)[ROWS][COLUMNS_WIDTH], const band_columns &p, int64_t b,
                                            int rows, int cols, columns_memory &s)
{
  const int64_t ldl = p.left.leading(b), ldr = p.right.leading(b);
  const double *const left = p.left.at(b), *const right = p.right.at(b);
  for (int e = threadIdx.x; e < p.terms * COLUMNS_WIDTH; e += blockDim.x) {
    const int j = e % COLUMNS_WIDTH, k = e / COLUMNS_WIDTH;
    s.right[k][j] = j < cols ? right[j + k * ldr] : 0.0;
  }
  __syncthreads();
#pragma unroll 2
  for (int k = 0; k < p.terms; k++) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int row = threadIdx.x + r * (int)blockDim.x;
      const double l = row < rows ? -left[row + k * ldl] : 0.0;
#pragma unroll
      for (int j = 0; j < COLUMNS_WIDTH; j++) a[r][j] = fma(l, s.right[k][j], a[r][j]);
    }
  }
}

template <int ROWS, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) reduce_columns(const __grid_constant__ band_columns p)
{
  __shared__ columns_memory s;
  for (int64_t b = blockIdx.x; b < p.x.count; b += gridDim.x) {
    const int rows = p.transposed ? p.x.cols(b) : p.x.rows(b), cols = p.transposed ? p.x.rows(b) : p.x.cols(b);
    const int few = min(rows - p.above, cols);
    if (rows <= 0) continue;
    double a[ROWS][COLUMNS_WIDTH], *const x = p.x.at(b);
    const int64_t ld = p.x.leading(b), down = p.transposed ? ld : 1, across = p.transposed ? 1 : ld;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int row = threadIdx.x + r * (int)blockDim.x;
#pragma unroll
      for (int j = 0; j < COLUMNS_WIDTH; j++) a[r][j] = row < rows && j < cols ? x[row * down + j * across] : 0.0;
    }
    if (p.terms > 0) update_rows(a, p, b, rows, cols, s);
    eliminate_columns<0>(a, (int)threadIdx.x - p.above, few, s, p.tau.at(b));
    double *const v = p.v.at(b), *const again = p.again.data ? p.again.at(b) : nullptr;
    const int64_t ldv = p.v.leading(b);
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
      const int row = threadIdx.x + r * (int)blockDim.x, i = row - p.above;
      if (row >= rows) continue;
#pragma unroll
      for (int j = 0; j < COLUMNS_WIDTH; j++) {
        const double e = j >= few || i < j ? 0.0 : i == j ? 1.0 : a[r][j];
        if (j < cols) x[row * down + j * across] = a[r][j];
        if (i >= 0) v[i + j * ldv] = e;
        if (i >= 0 && again) again[i + j * ldv] = e;
      }
    }
    __syncthreads();
  }
}

inline int reduce_band_columns(batched_ctx *ctx, const batched_band_columns *c)
{
  const int rows = c->adjoint ? c->columns.n : c->columns.m;
  if (c->columns.type != BATCHED_D || c->kd != COLUMNS_WIDTH || rows > 4 * COLUMNS_THREADS) return BATCHED_DOES_NOT_FIT;
  const band_columns p = {c->above,
                          c->terms,
                          c->adjoint,
                          view<double>(c->columns),
                          c->terms > 0 ? view<double>(c->left) : batch<double>(),
                          c->terms > 0 ? view<double>(c->right) : batch<double>(),
                          view<double>(c->tau),
                          view<double>(c->v),
                          c->again.data ? view<double>(c->again) : batch<double>()};
  const auto go = [&](auto kernel, int each) {
    return launch(ctx, kernel, p.x.count, (int)ceil_div(rows, 32 * each) * 32, 0, p);
  };
  return rows <= 256   ? go(reduce_columns<2, 128, 3>, 2)
         : rows <= 512 ? go(reduce_columns<4, 128, 2>, 4)
                       : go(reduce_columns<4, COLUMNS_THREADS, 1>, 4);
}

} // namespace batched_cuda::two_stage

#endif

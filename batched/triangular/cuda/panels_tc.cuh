/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels_tc of trsm, and a leaf of trmm's cuda.recursive: orders up to 256 in double precision on the tensor
 * cores. A block of four warps holds 32 columns of X in shared memory and goes down them in panels of 64 rows, 16 per
 * warp.  The products with the rows above accumulate in registers; E comes straight from global memory, each element
 * into the one lane that needs it.  Diagonal blocks of 16 are solved by substitution, a thread per column.
 */
#ifndef BATCHED_TRIANGULAR_CUDA_PANELS_TC_CUH
#define BATCHED_TRIANGULAR_CUDA_PANELS_TC_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/triangular/cuda/shared.cuh"

namespace batched_cuda::triangular
{

struct tensor_triangle {
  static constexpr int most = 256, cols = 32, panel = 64, edge = 16, threads = 128;
  static constexpr int own = shared_layout<double, edge>::scales + edge; /* a warp's diagonal block, and its scales */
  using fragment = double[8]; /* a lane's part of a 16 x 16 block of E: of columns 0 .. 7, then of 8 .. 15 */

  strided<const double> e;
  double *xs;
  int n;

  static DEVICE constexpr size_t bytes(int n)
  {
    return ((size_t)(n + edge - 1) / edge * edge * cols + threads / 32 * own) * sizeof(double);
  }
  /* The place of element (i, j) of X: no bank conflicts within rows i .. i + 3 and columns j .. j + 3, nor within 16
   * rows of a column. */
  static __device__ __forceinline__ int place(int i, int j)
  {
    return i * cols + (j ^ (4 * (i & 3) + (i >> 2 & 3)));
  }
  __device__ __forceinline__ double &x(int i, int j) const
  {
    return xs[place(i, j)];
  }

  /* The block of E from row i0 and column k0 on; rows beyond the last one repeat it. */
  __device__ __forceinline__ void load(fragment &a, int i0, int k0) const
  {
    const int i = i0 + threadIdx.x % 32 / 4, last = n - 1;
    const double *p = &e(min(i, last), k0 + threadIdx.x % 4), *q = p + (min(i + 8, last) - min(i, last)) * e.row;
    const int64_t step = 4 * e.col;
#pragma unroll
    for (int s = 0; s < 8; s += 2, p += step, q += step) {
      a[s] = *p;
      a[s + 1] = *q;
    }
  }
  /* The same for a block on the diagonal. */
  __device__ __forceinline__ void load_diagonal(fragment &a, int i0, bool unit) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int s = 0; s < 8; s++) {
      const int i = g + 8 * (s % 2), k = 4 * (s / 2) + t;
      a[s] = i == k && unit ? 1.0 : k <= i && i0 + i < n ? e(i0 + i, i0 + k) : 0.0;
    }
  }
  /* d += a X(k0 .. k0 + 15, :), d: 16 x 32 in four parts of 8 columns. */
  __device__ __forceinline__ void multiply(double (&d)[4][4], const fragment &a, int k0) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const double *row = xs + k0 * cols;
#pragma unroll
    for (int h = 0; h < 4; h += 2) {
      /* places of the lane's columns of part 0, and of part 1, in rows 4 h + t and 4 h + 4 + t */
      const int first[2] = {place(4 * h + t, g), place(4 * h + 4 + t, g)},
                second[2] = {place(4 * h + t, 8 + g), place(4 * h + 4 + t, 8 + g)};
#pragma unroll
      for (int j = 0; j < 4; j++) {
        const int *const from = j % 2 ? second : first;
        const double b[2] = {row[from[0] + j / 2 * 16], row[from[1] + j / 2 * 16]};
        multiply_16x8x8(d[j], a + 2 * h, b);
      }
    }
  }
  /* d = E(i0 .., 0 .. end - 1) X(0 .. end - 1, :) */
  __device__ __forceinline__ void multiply_left(double (&d)[4][4], int i0, int end) const
  {
#pragma unroll 2
    for (int k = 0; k < end; k += edge) {
      fragment a;
      load(a, i0, k);
      multiply(d, a, k);
    }
  }
  /* X(i0 .., :) = alpha X - d, or alpha d */
  template <bool product> __device__ __forceinline__ void put(const double (&d)[4][4], int i0, double alpha) const
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int c = 0; c < 2; c++) {
          double &at = x(i0 + g + 8 * h, 8 * j + 2 * t + c);
          at = product ? alpha * d[j][2 * h + c] : alpha * at - d[j][2 * h + c];
        }
  }

  /* Starts to copy a block on the diagonal to its place. */
  __device__ __forceinline__ void fetch_diagonal(bool flip, int i0, double *to) const
  {
    const int lane = threadIdx.x % 32;
    for (int k = lane; k < edge * edge; k += 32) {
      const int i = flip ? k / edge : k % edge, j = flip ? k % edge : k / edge;
      if (i0 + i < n && i >= j) start_copy(to + shared_layout<double, edge>::element(i, j), &e(i0 + i, i0 + j));
    }
  }
  /* y = E^-1 y as in substitute_registers, but columns of E are read only one ahead, as registers are few. */
  static __device__ __forceinline__ void substitute(int height, bool unit, const double *e, const double *scales,
                                                    double (&y)[edge])
  {
    using layout = shared_layout<double, edge>;
    pack<double> c[2][edge / 2];
    double scale[2] = {scales[0], 1};
    const auto read = [&](int j) {
#pragma unroll
      for (int p = j / 2; p < edge / 2; p++)
        c[j % 2][p] = *reinterpret_cast<const pack<double> *>(e + layout::element(2 * p, j));
      scale[j % 2] = scales[j];
    };
    read(0);
#pragma unroll
    for (int j = 0; j < edge; j++) {
      if (j >= height) break;
      if (j + 1 < edge) read(j + 1);
      compiler_fence();
      if (!unit) y[j] = scale[j % 2] * y[j] * c[j % 2][j / 2].x[j % 2];
#pragma unroll
      for (int i = j + 1; i < edge; i++) y[i] = fma(-c[j % 2][i / 2].x[i % 2], y[j], y[i]);
    }
  }
  /* X(i0 .., :) = E(i0, i0)^-1 X, a lane per column, by the warp that fetched the block. */
  __device__ __forceinline__ void solve_diagonal(int i0, bool unit, double *block) const
  {
    const int lane = threadIdx.x % 32, height = n - i0 < edge ? n - i0 : edge;
    double *const scales = block + shared_layout<double, edge>::scales, y[edge];
    wait_copies();
    __syncwarp();
    if (!unit && lane < height) {
      double &d = block[shared_layout<double, edge>::element(lane, lane)];
      const auto r = reciprocal_of(d);
      d = r.inverse;
      scales[lane] = r.scale;
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < edge; k++) y[k] = x(i0 + k, lane);
    substitute(height, unit, block, scales, y);
#pragma unroll
    for (int k = 0; k < edge; k++)
      if (k < height) x(i0 + k, lane) = y[k];
  }

  /* Solves for rows s0 .. s0 + 63, those above being solved for. */
  __device__ __forceinline__ void solve_panel(const triangle_form &f, double alpha, int s0) const
  {
    const int warp = threadIdx.x / 32, i0 = s0 + warp * edge;
    double *const block = xs + (n + edge - 1) / edge * edge * cols + warp * own;
    double d[4][4] = {};
    if (i0 < n) {
      fetch_diagonal(f.flip, i0, block);
      multiply_left(d, i0, s0);
    }
    for (int q = 0; q < panel / edge && s0 + q * edge < n; q++) {
      fragment a;
      const bool later = warp > q && i0 < n;
      if (warp == q) {
        put<false>(d, i0, alpha);
        __syncwarp();
        solve_diagonal(i0, f.unit, block);
      }
      if (later) load(a, i0, s0 + q * edge);
      __syncthreads();
      if (later) multiply(d, a, s0 + q * edge);
    }
  }
  /* The same rows of E X; those above are not changed yet. */
  __device__ __forceinline__ void multiply_panel(const triangle_form &f, double alpha, int s0) const
  {
    const int i0 = s0 + threadIdx.x / 32 * edge;
    double d[4][4] = {};
    if (i0 < n) {
      fragment a;
      load_diagonal(a, i0, f.unit);
      multiply(d, a, i0);
      multiply_left(d, i0, i0);
    }
    __syncthreads();
    if (i0 < n) put<true>(d, i0, alpha);
  }
};

/* X = alpha E^-1 X, or alpha E X (product).
 *   algorithm  left-looking by panels of 64 rows; diagonal blocks of 16 by substitution
 *   grid       a block of 128 threads per 32 columns of X
 *   registers  168 per thread (three blocks per multiprocessor)
 *   shared     n rounded up to 16, times 32 doubles, and four diagonal blocks: 70 KB at n = 256
 *   takes      double, order <= 256, all sides, uniform and variable
 *   memory     the triangle once per 32 columns, X once from and to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <bool product>
__global__ void __launch_bounds__(tensor_triangle::threads, 3)
  apply_in_panels_tc(triangle_form f, int chunks, double alpha, batch<double> a, batch<double> b)
{
  using S = tensor_triangle;
  double *const xs = shared_array<double>();
  for (int64_t unit = blockIdx.x; unit < b.count * chunks; unit += gridDim.x) {
    const int64_t m = unit / chunks;
    const int rows = b.rows(m), cols = b.cols(m), n = f.left ? rows : cols, r0 = (int)(unit - m * chunks) * S::cols;
    const int nrhs = min(S::cols, (f.left ? cols : rows) - r0), padded = (n + S::edge - 1) / S::edge * S::edge;
    if (n == 0 || nrhs <= 0) continue;
    const tensor_triangle t = {triangle_of<const double>(f, a.at(m), a.leading(m), n), xs, n};
    strided<double> x = unknowns_of<double>(f, b.at(m), b.leading(m), n);
    x.at += r0 * x.col;
    /* neighbouring threads along a column of B */
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = S::threads / 32;
    const auto visit = [&](auto act) {
      if (f.left) {
        for (int j = warp; j < S::cols; j += warps)
          for (int i = lane; i < padded; i += 32) act(i, j);
      } else {
        for (int i = warp; i < padded; i += warps) act(i, lane);
      }
    };
    visit([&](int i, int j) {
      if (i < n && j < nrhs)
        start_copy(&t.x(i, j), &x(i, j));
      else
        t.x(i, j) = 0;
    });
    wait_copies();
    __syncthreads();
    if (product)
      for (int s0 = (n - 1) / S::panel * S::panel; s0 >= 0; s0 -= S::panel) t.multiply_panel(f, alpha, s0);
    else
      for (int s0 = 0; s0 < n; s0 += S::panel) t.solve_panel(f, alpha, s0);
    __syncthreads();
    visit([&](int i, int j) {
      if (i < n && j < nrhs) x(i, j) = t.x(i, j);
    });
    __syncthreads();
  }
}

template <bool product>
static int apply_panels_tc(batched_ctx *ctx, triangle_form f, double alpha, const batch<double> &a,
                           const batch<double> &b)
{
  const int n = f.left ? b.m : b.n, chunks = (int)ceil_div(f.left ? b.n : b.m, tensor_triangle::cols);
  return launch(ctx, apply_in_panels_tc<product>, b.count * chunks, tensor_triangle::threads, tensor_triangle::bytes(n),
                f, chunks, alpha, a, b);
}

} // namespace batched_cuda::triangular

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with blocks of 16 reflectors, I - V T V^T (compact WY: Schreiber and Van Loan, SIAM J. Sci. Stat. Comput.
 * 10, 1989), on the tensor cores. Rows are handed out in slices of 8 to the `warps` warps that share a strip of 16
 * columns, by turns. A strip is kept transposed in the accumulators of its products, which are operands of the next
 * product as they are: strip^T V and (strip^T V) T V^T need nothing but V and T from memory.
 */
#ifndef BATCHED_CUDA_WY_CUH
#define BATCHED_CUDA_WY_CUH

#include <type_traits>

#include "gemm_product.cuh"
#include "householder.cuh"

namespace batched_cuda
{

static constexpr int wy_width = 16, wy_block = wy_width * wy_width;

/* The warp's number in its block, in a form that the compiler knows to be the same in all lanes. */
__device__ __forceinline__ int warp_index()
{
  return __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
}

/* Waits for the threads of a strip: one warp, or `warps` of them at a barrier of their own. */
template <bool split> __device__ __forceinline__ void sync_strip(int barrier, int warps)
{
  if constexpr (split)
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(32 * warps) : "memory");
  else
    __syncwarp();
}

/* A matrix whose element (i, j) is at[i row + j col], m x n. */
struct wy_matrix {
  double *at;
  int64_t row, col;
  int m, n;
};

/* Reflectors i0 .. i0 + 15 of the k in the columns of a matrix with m rows, and their T. */
struct wy_reflectors {
  const double *at;
  int64_t ld;
  int i0, k, m;
  bool aligned; /* are the pairs of rows at 16 bytes? */
  const double *triangle;

  static __device__ bool is_aligned(const double *at, int64_t ld)
  {
    return (reinterpret_cast<uintptr_t>(at) | (uintptr_t)ld * sizeof(double)) % 16 == 0;
  }
};

/* Columns first, first + STEP, ... of a block of V, N of them, from a row on. */
template <int N, int STEP> struct wy_columns {
  const double *at[N];
  int below, left, live; /* rows below the first one's diagonal, rows to the end of V, columns to its last */
  bool aligned;

  __device__ __forceinline__ wy_columns(const wy_reflectors &v, int row, int first)
  {
    const int col = v.i0 + first;
#pragma unroll
    for (int n = 0; n < N; n++) at[n] = v.at + row + (col + n * STEP) * v.ld;
    below = row - col;
    left = v.m - row;
    live = v.k - col;
    aligned = v.aligned;
  }
  /* What follows from these is cheaper to find than to keep. */
  __device__ __forceinline__ void forget()
  {
    asm volatile("" : "+r"(below), "+r"(left), "+r"(live));
  }
  /* The element of column n that is i rows further down; inner: where it is below the diagonal and in the matrix. */
  template <bool inner> __device__ __forceinline__ double element(int n, int i) const
  {
    if constexpr (inner) return at[n][i];
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double x = 0;
    if (is_there && down > 0 && i < left) x = at[n][i];
    return is_there && down == 0 ? 1 : x;
  }
  /* The same and the next. */
  template <bool inner> __device__ __forceinline__ double2 pair(int n, int i) const
  {
    if constexpr (inner)
      return aligned ? *reinterpret_cast<const double2 *>(at[n] + i) : double2{at[n][i], at[n][i + 1]};
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double2 x = {0, 0};
    if (is_there && down > 0 && i < left) x.x = at[n][i];
    if (is_there && down >= 0 && i + 1 < left) x.y = at[n][i + 1];
    if (is_there && down == 0) x.x = 1;
    if (is_there && down == -1) x.y = 1;
    return x;
  }
};

/* An upper triangle, column after column without the zeros. */
static constexpr int wy_packed = wy_width * (wy_width + 1) / 2;
DEVICE constexpr int wy_place(int i, int j)
{
  return j * (j + 1) / 2 + i;
}
__device__ __forceinline__ double wy_element(const double *triangle, int i, int j)
{
  return i <= j ? triangle[wy_place(i, j)] : 0;
}

/* T = the inverse of triu(G, 1) + diag(1 / tau), G(l, j) = v_l^T v_j, where gram[16 l + j] = -tau_j G(l, j): row i by
 * lane i of the first 16, column after column. T is 0 from column `count` on. */
__device__ __forceinline__ void form_triangle(const double *gram, const double *taus, int count, double *triangle)
{
  const int i = threadIdx.x % 32;
  if (i >= wy_width) return;
  double row[wy_width] = {};
#pragma unroll
  for (int j = 0; j < wy_width; j++) {
    if (i >= j) row[j] = i == j ? taus[j] : 0;
    if (j >= count) row[j] = 0;
    if (i <= j) triangle[wy_place(i, j)] = row[j];
#pragma unroll
    for (int l = j + 1; l < wy_width; l++) row[l] = fma(row[j], gram[wy_width * j + l], row[l]);
  }
}

/* A warp's part of a strip: slice s has rows top(s) .. top(s) + 7. Lane 4 g + t holds in p[s] the elements of rows 2 t
 * and 2 t + 1 of the slice in column g, and then those in column g + 8. */
template <int SLICES, bool split> struct wy_strip {
  static constexpr int group = 2; /* slices whose loads are in flight at once */
  double p[SLICES][4];
  int warps, own, barrier, lane, g, t;
  double *exchange; /* 256 numbers of each warp and 256 of the strip; where split */

  __device__ __forceinline__ int top(int s) const
  {
    return split ? 8 * (s * warps + own) : 8 * s;
  }
  /* The first slice from row 8 u on. */
  __device__ __forceinline__ int slice_from(int u) const
  {
    return split ? (u - own + warps - 1) / warps : u;
  }
  /* From the first slice to this one; found anew each time, as registers are dearer. */
  __device__ __forceinline__ int rows_to(int s) const
  {
    if constexpr (!split) return 8 * s;
    int step = 8 * warps;
    asm volatile("" : "+r"(step));
    return s * step;
  }

  /* Calls f(s, h, address, is row 2 t there, is the next one there, are they a pair) for all of a that this lane
   * holds. */
  template <class F> __device__ __forceinline__ void for_each(const wy_matrix &a, F f) const
  {
    const bool pairs = a.row == 1 && wy_reflectors::is_aligned(a.at, a.col);
    const int i0 = top(0) + 2 * t;
    int left = a.m - top(0);
    double *x[2] = {a.at + i0 * a.row + g * a.col, a.at + i0 * a.row + (g + 8) * a.col};
    const int64_t step = rows_to(1) * a.row;
#pragma unroll
    for (int s = 0; s < SLICES; s++) {
      if (left > 0) {
        if (pairs && left >= 8 && a.n >= 16) {
          f(s, 0, x[0], true, true, true);
          f(s, 1, x[1], true, true, true);
        } else {
#pragma unroll
          for (int h = 0; h < 2; h++) {
            const bool here = g + 8 * h < a.n;
            f(s, h, x[h], here && 2 * t < left, here && 2 * t + 1 < left, false);
          }
        }
      }
      x[0] += step;
      x[1] += step;
      left -= rows_to(1);
      asm volatile("" : "+l"(x[0]), "+l"(x[1]), "+r"(left));
    }
  }
  __device__ __forceinline__ void read(const wy_matrix &a)
  {
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) p[s][e] = 0;
    for_each(a, [&](int s, int h, const double *x, bool first, bool second, bool pair) {
      if (pair) {
        const double2 v = *reinterpret_cast<const double2 *>(x);
        p[s][2 * h] = v.x;
        p[s][2 * h + 1] = v.y;
      } else {
        if (first) p[s][2 * h] = x[0];
        if (second) p[s][2 * h + 1] = x[a.row];
      }
    });
  }
  __device__ __forceinline__ void write(const wy_matrix &a) const
  {
    for_each(a, [&](int s, int h, double *x, bool first, bool second, bool pair) {
      if (pair) {
        *reinterpret_cast<double2 *>(x) = {p[s][2 * h], p[s][2 * h + 1]};
      } else {
        if (first) x[0] = p[s][2 * h];
        if (second) x[a.row] = p[s][2 * h + 1];
      }
    });
  }
  /* Columns j .. of the identity. */
  __device__ __forceinline__ void identity(int j)
  {
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) p[s][e] = top(s) + 2 * t + e % 2 == j + g + 8 * (e / 2);
  }

  /* The sum over the strip's warps of what each of them holds in w. */
  __device__ __forceinline__ void sum_warps(double w[2][4]) const
  {
    double *const mine = exchange + wy_block * own, *const total = exchange + wy_block * warps;
#pragma unroll
    for (int e = 0; e < 8; e++) mine[32 * e + lane] = w[e / 4][e % 4];
    sync_strip<split>(barrier, warps);
    for (int i = 32 * own + lane; i < wy_block; i += 32 * warps) {
      double sum = exchange[i];
      for (int r = 1; r < warps; r++) sum += exchange[wy_block * r + i];
      total[i] = sum;
    }
    sync_strip<split>(barrier, warps);
#pragma unroll
    for (int e = 0; e < 8; e++) w[e / 4][e % 4] = total[32 * e + lane];
  }

  /* Calls f(first, inner) for each group of slices, the first of which is `first`, that V has rows in; inner is
   * std::true_type where all of them are below the triangle of V and none is cut off by its end. */
  template <class F> __device__ __forceinline__ void for_each_group(const wy_reflectors &v, F f) const
  {
    const int begin = slice_from(v.i0 / 8), end = slice_from((v.m + 7) / 8);
    const int below = v.i0 + wy_width <= v.k ? slice_from(v.i0 / 8 + 2) : SLICES, full = slice_from(v.m / 8);
#pragma unroll
    for (int first = 0; first < SLICES; first += group) {
      if (first + group <= begin || first >= end) continue;
      if (first >= below && first + group <= full)
        f(first, std::true_type());
      else
        f(first, std::false_type());
    }
  }

  /* w = strip^T V */
  __device__ __forceinline__ void project(const wy_reflectors &v, double w[2][4]) const
  {
    wy_columns<2, 8> columns(v, top(0) + 2 * t, g);
    for_each_group(v, [&](int first, auto inner) {
      columns.forget();
      double2 b[group][2];
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) b[s][h] = columns.template pair<decltype(inner)::value>(h, rows_to(first + s));
#pragma unroll
      for (int s = 0; s < group; s++) {
        const double *const x = p[first + s], a[4] = {x[0], x[2], x[1], x[3]};
#pragma unroll
        for (int h = 0; h < 2; h++) {
          const double y[2] = {b[s][h].x, b[s][h].y};
          multiply_16x8x8(w[h], a, y);
        }
      }
    });
  }

  /* strip^T -= w V^T */
  __device__ __forceinline__ void subtract(const wy_reflectors &v, const double w[2][4])
  {
    double a[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) a[h][e] = -w[h][e / 2 + e % 2 * 2];
    wy_columns<2, 8> columns[2] = {{v, top(0) + g, 2 * t}, {v, top(0) + g, 2 * t + 1}};
    for_each_group(v, [&](int first, auto inner) {
      columns[0].forget();
      double b[group][2][2];
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
          for (int e = 0; e < 2; e++)
            b[s][h][e] = columns[e].template element<decltype(inner)::value>(h, rows_to(first + s));
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) multiply_16x8x8(p[first + s], a[h], b[s][h]);
    });
  }

  /* strip = (I - V T^T V^T) strip (adjoint) or (I - V T V^T) strip */
  __device__ __forceinline__ void apply(const wy_reflectors &v, bool adjoint)
  {
    double w[2][4] = {}, wt[2][4] = {};
    project(v, w);
    if constexpr (split) sum_warps(w);
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const double a[4] = {w[j][0], w[j][2], w[j][1], w[j][3]};
        const int k = 8 * j + 2 * t, n = 8 * h + g; /* T^T or T */
        const double b[2] = {adjoint ? wy_element(v.triangle, k, n) : wy_element(v.triangle, n, k),
                             adjoint ? wy_element(v.triangle, k + 1, n) : wy_element(v.triangle, n, k + 1)};
        multiply_16x8x8(wt[h], a, b);
      }
    subtract(v, wt);
  }
};

} // namespace batched_cuda

#endif

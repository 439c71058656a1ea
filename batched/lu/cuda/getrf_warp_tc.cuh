/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices of up to 64 rows and columns by a warp: first the columns that are more than 32, with two rows a
 * lane; then what is left, the corner, is brought up to date on the tensor cores, and factored with a row a lane.
 */
#ifndef BATCHED_LU_CUDA_GETRF_WARP_TC_CUH
#define BATCHED_LU_CUDA_GETRF_WARP_TC_CUH

#include "batched/cuda/mma.cuh"
#include "batched/products/cuda/gemm_operands.cuh"
#include "batched/lu/cuda/getrf_lanes.cuh"
#include "batched/lu/cuda/rows.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

/* Rows of the corner; columns that are brought up to date at a time. */
enum { LU_CORNER = 32, LU_CORNER_COLUMNS = 16 };

/* Blocks on a multiprocessor. */
template <int E> constexpr int lu_corner_blocks = E == 8 ? 16 : E == 16 ? 12 : 8;

/* In shared memory: the corner; the inverses of unit triangles on the diagonal, and of pivots; rows: order[i] is in
 * place i after the exchanges of the first columns.  The tile of the first columns comes behind it. */
template <int E> struct alignas(16) lu_corner_memory {
  double corner[LU_CORNER][LU_CORNER + 2];
  double triangles[E / 8][64], inverses[2];
  unsigned char order[2 * LU_CORNER];
};

/* At most E columns come first.  Lane 4 g + t has, in products, rows 2 t and 2 t + 1 of 8 and columns g and g + 8 of
 * 16, as d[0], d[1] and d[2], d[3]: that way round a product is the first factor of the next. */
template <int E> struct lu_corner {
  using memory = lu_corner_memory<E>;
  using rows = lu_rows<2, E>;
  static constexpr int BLOCKS = E / 8, LD = rows::LD;
  memory *const at;
  double *const tile, *const a;
  const int64_t ld;
  const int m, n, first, pivots; /* first, pivots: columns and pivots that come first */
  const int odd, lane, g, t;     /* odd: as in lu_rows */

  __device__ __forceinline__ lu_corner(memory *at, double *a, int64_t ld, int m, int n)
      : at(at), tile(reinterpret_cast<double *>(at + 1)), a(a), ld(ld), m(m), n(n),
        first(min(max(max(m, n) - LU_CORNER, 0), n)), pivots(min(first, m)), odd(first % 2), lane(threadIdx.x % 32),
        g(lane / 4), t(lane % 4)
  {
  }
  __device__ __forceinline__ void list(const rows &lu) const
  {
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int row = lane + 32 * r;
      at->order[lu.place[r] >= 0 ? lu.place[r] : row] = (unsigned char)(lu.place[r] >= 0 ? row : 0);
    }
    __syncwarp();
  }
  /* Inverts the unit triangles on the diagonal: 8 lanes one of them, a lane a column. */
  __device__ __forceinline__ void invert() const
  {
    const int k = lane / 8, c = lane % 8;
    if (k < BLOCKS) {
      double y[8];
#pragma unroll
      for (int i = 0; i < 8; i++) {
        const int place = 8 * k + i - odd;
        const bool exists = place >= 0 && place < pivots;
        const double *row = tile + (exists ? at->order[place] : 0) * LD + 8 * k;
        y[i] = i == c;
#pragma unroll
        for (int j = 0; j < i; j++) y[i] = fma(exists ? -row[j] : 0.0, y[j], y[i]);
        at->triangles[k][8 * i + c] = y[i];
      }
    }
    __syncwarp();
  }
  /* Columns c0 + g and c0 + 8 + g of the rows at places i and j, as far as these are from `begin` to `end`. */
  __device__ __forceinline__ void load(double (&d)[4], int c0, int i, int j, int begin, int end) const
  {
    const int places[2] = {i, j};
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const bool exists = places[v] >= begin && places[v] < end;
      const double *p = a + at->order[max(places[v], 0)] + (c0 + g) * ld;
      d[v] = exists && c0 + g < n ? *p : 0.0;
      d[2 + v] = exists && c0 + 8 + g < n ? p[8 * ld] : 0.0;
    }
  }
  /* Stores block k of rows of U, and makes it the first factor of a product: -U^T. */
  __device__ __forceinline__ void solve(const double (&x)[4], int k, int c0, double (&u)[4]) const
  {
    const double2 y = reinterpret_cast<const double2 *>(at->triangles[k])[lane];
    const double f[4] = {x[0], x[2], x[1], x[3]}, b[2] = {y.x, y.y};
    double d[4] = {};
    multiply_16x8x8(d, f, b);
    const int place = 8 * k + 2 * t - odd;
    double *p = a + place + (c0 + g) * ld;
#pragma unroll
    for (int v = 0; v < 2; v++) {
      const bool exists = place + v >= 0 && place + v < pivots;
      if (exists && c0 + g < n) p[v] = d[v];
      if (exists && c0 + 8 + g < n) p[8 * ld + v] = d[2 + v];
    }
    u[0] = -d[0];
    u[1] = -d[2];
    u[2] = -d[1];
    u[3] = -d[3];
  }
  /* 8 rows += those of L, of which row g is at `place`, times block k of U. */
  __device__ __forceinline__ void subtract(double (&d)[4], const double (&u)[4], int place, int k) const
  {
    const int c = 8 * k + 2 * t;
    double b[2] = {0, 0};
    if (c < first + odd) {
      const double2 l = *reinterpret_cast<const double2 *>(tile + at->order[place] * LD + c);
      b[0] = l.x;
      b[1] = l.y;
    }
    multiply_16x8x8(d, u, b);
  }
  /* Columns from c0 on of U, and of the corner; of 8 rows there lane 4 g + t has rows t and t + 4. */
  __device__ __forceinline__ void update(int c0) const
  {
    double x[BLOCKS][4], d[LU_CORNER / 8][4];
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) {
      const int place = 8 * k + 2 * t - odd;
      load(x[k], c0, place, place + 1, 0, pivots);
    }
#pragma unroll
    for (int i = 0; i < LU_CORNER / 8; i++) {
      const int place = first + 8 * i + t;
      load(d[i], c0, place, place + 4, first, m);
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < BLOCKS; k++) {
      if (8 * k >= first + odd) break;
      double u[4];
      solve(x[k], k, c0, u);
#pragma unroll
      for (int j = k + 1; j < BLOCKS; j++) subtract(x[j], u, 8 * j + g - odd, k);
#pragma unroll
      for (int i = 0; i < LU_CORNER / 8; i++) subtract(d[i], u, first + 8 * i + g / 2 + g % 2 * 4, k);
    }
    if (first >= m) return;
#pragma unroll
    for (int i = 0; i < LU_CORNER / 8; i++)
#pragma unroll
      for (int v = 0; v < 2; v++) {
        double *p = at->corner[8 * i + t + 4 * v] + c0 - first + shift() + g;
        p[0] = d[i][v];
        p[8] = d[i][2 + v];
      }
  }
  /* Rows of the corner start at 16 bytes, and so must the last 8, 16, ... columns where lu_rows factors it. */
  __device__ __forceinline__ int shift() const
  {
    return E == 32 ? (n - first) % 2 : 0;
  }
  /* Returns where this lane's row of the corner belongs. */
  __device__ __forceinline__ int factor_corner(int *ipiv, int *info) const
  {
    double *const p = a + first + first * ld;
    if constexpr (E == 32) {
      lu_rows<1, LU_CORNER> lu(at->corner[0], at->inverses, m - first, n - first);
      lu.fetch();
      lu.factor();
      lu.store(p, ld);
      if (lane < lu.last) ipiv[first + lane] = first + lu.pivot[0];
      *info = lu.info ? first + lu.info : 0;
      return lu.place[0];
    } else {
      register_lu<double, LU_CORNER> lu(lane, lane, m - first, n - first);
      auto *lines = reinterpret_cast<register_lines<double, LU_CORNER> *>(at->corner);
      lu.fetch(lines);
      lu.factor(lines);
      lu.store(p, ld, lines);
      if (lane < lu.steps) ipiv[first + lane] = first + lu.pivot;
      *info = lu.info ? first + lu.info : 0;
      return lu.place;
    }
  }
  /* Returns the first bad pivot's number or 0. */
  __device__ __forceinline__ int factor(int *ipiv) const
  {
    rows lu(tile, at->inverses, m, first);
    lu.load(a, ld);
    lu.factor();
    list(lu);
    invert();
#pragma unroll 1
    for (int c0 = first; c0 < n; c0 += LU_CORNER_COLUMNS) update(c0);
    __syncwarp();
    int info = 0, place = 0;
    if (first < m && first < n) place = factor_corner(ipiv, &info);
#pragma unroll
    for (int r = 0; r < 2; r++) {
      const int last = __shfl_sync(0xffffffffu, place, max(lu.place[r] - first, 0) % 32);
      if (lu.place[r] >= first && first < n) lu.place[r] = first + last;
      if (lane + 32 * r < pivots) ipiv[lane + 32 * r] = lu.pivot[r];
    }
    lu.store(a, ld);
    __syncwarp();
    return lu.info ? lu.info : info;
  }
};

template <int E>
__global__ void __launch_bounds__(32, lu_corner_blocks<E>)
  getrf_corner(batch<double> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  auto *memory = shared_array<lu_corner_memory<E>>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b);
    int found = 0;
    if (m > 0 && n > 0) found = lu_corner<E>(memory, a.at(b), a.leading(b), m, n).factor(ipiv + b * npivots);
    if (threadIdx.x == 0) info[b] = found;
  }
}

static inline int run_getrf_corner(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<double> a = view<double>(p->a);
  const int first = (a.m > a.n ? a.m : a.n) - LU_CORNER, npivots = a.m < a.n ? a.m : a.n;
  const auto go = [&](auto kernel, size_t memory, int ld) {
    return launch(ctx, kernel, a.count, 32, memory + a.m * ld * sizeof(double), a, p->ipiv, npivots, p->info);
  };
  if (first <= 8) return go(getrf_corner<8>, sizeof(lu_corner_memory<8>), lu_rows<2, 8>::LD);
  if (first <= 16) return go(getrf_corner<16>, sizeof(lu_corner_memory<16>), lu_rows<2, 16>::LD);
  return go(getrf_corner<32>, sizeof(lu_corner_memory<32>), lu_rows<2, 32>::LD);
}

} // namespace batched_cuda::lu

#endif

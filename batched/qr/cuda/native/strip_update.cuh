/* SPDX-License-Identifier: BSD-3-Clause
 *
 * geqrf's cuda.native: 16 reflectors of a strip applied to the columns of its block.  V^H C by chunks of rows, then the
 * sums over these, M^-H times them and C - V times that by each block for itself.
 *
 * grid      a block per chunk of rows and 16 columns
 * block     256 threads
 * shared    64 rows of V and, for V^H C, of C: 8 to 33 KB
 * takes     all four types; waits for the kernel before (launch_waiting)
 */
#ifndef BATCHED_QR_CUDA_NATIVE_STRIP_UPDATE_CUH
#define BATCHED_QR_CUDA_NATIVE_STRIP_UPDATE_CUH

#include "batched/products/cuda/launch_waiting.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Columns, and most reflectors, of a tile; rows that go through shared memory at a time. */
enum { STRIP_TILE = 16, STRIP_ROWS = 64 };

/* C = (I - V M^-H V^H) C for the w reflectors of a strip. */
template <class T> struct strip_update {
  batch<T> v, tau, c;                /* v: m x w */
  const T *q;                        /* [count][ldq][ldq]: M's rows above the diagonal, conjugated */
  T *partial;                        /* [count][chunks][groups][tile][tile]: V^H C of each chunk of rows */
  int w, ldq, chunk, chunks, groups; /* groups: of 16 columns of C */

  struct part {
    int64_t b;
    int first, last, column; /* rows, and the first column */
    T *sums;                 /* of chunk 0 */
  };
  __device__ __forceinline__ part part_of(int64_t unit) const
  {
    const int64_t b = unit / (chunks * groups);
    const int rest = (int)(unit - b * chunks * groups), group = rest % groups, k = rest / groups;
    constexpr int tile = STRIP_TILE * STRIP_TILE;
    return {b, k * chunk, min((k + 1) * chunk, c.m), group * STRIP_TILE,
            partial + (b * chunks * groups + group) * tile};
  }
  /* Rows i0 .. i0 + 63 of V, with its ones and zeros. */
  __device__ __forceinline__ void fetch_v(T (*to)[STRIP_ROWS + 1], const part &p, int i0) const
  {
    const T *const from = v.at(p.b);
    const int64_t ld = v.leading(p.b);
    for (int e = threadIdx.x; e < STRIP_TILE * STRIP_ROWS; e += blockDim.x) {
      const int i = i0 + e % STRIP_ROWS, j = e / STRIP_ROWS;
      to[j][e % STRIP_ROWS] = i < p.last && j < w && i > j ? from[i + j * ld] : make<T>(i == j && j < w);
    }
  }
};

/* Partial sums of V^H C; grid: a block of 256 threads per chunk of rows and 16 columns. */
template <class T>
static __global__ void __launch_bounds__(256) multiply_strip(const __grid_constant__ strip_update<T> s)
{
  __shared__ T v[STRIP_TILE][STRIP_ROWS + 1], c[STRIP_TILE][STRIP_ROWS + 1];
  products::wait_for_stream(true);
  const int i = threadIdx.x % STRIP_TILE, j = threadIdx.x / STRIP_TILE;
  for (int64_t unit = blockIdx.x; unit < s.c.count * s.chunks * s.groups; unit += gridDim.x) {
    const auto p = s.part_of(unit);
    const T *const from = s.c.at(p.b);
    const int64_t ld = s.c.leading(p.b);
    T sum[2] = {make<T>(0), make<T>(0)};
    for (int i0 = p.first; i0 < p.last; i0 += STRIP_ROWS) {
      s.fetch_v(v, p, i0);
      for (int e = threadIdx.x; e < STRIP_TILE * STRIP_ROWS; e += blockDim.x) {
        const int row = i0 + e % STRIP_ROWS, column = p.column + e / STRIP_ROWS;
        c[e / STRIP_ROWS][e % STRIP_ROWS] = row < p.last && column < s.c.n ? from[row + column * ld] : make<T>(0);
      }
      __syncthreads();
#pragma unroll 8
      for (int r = 0; r < STRIP_ROWS; r += 2) {
        sum[0] = conj_mad(v[i][r], c[j][r], sum[0]);
        sum[1] = conj_mad(v[i][r + 1], c[j][r + 1], sum[1]);
      }
      __syncthreads();
    }
    p.sums[(int64_t)(p.first / s.chunk) * s.groups * STRIP_TILE * STRIP_TILE + threadIdx.x] = sum[0] + sum[1];
  }
}

/* M^-H times the sums, by a block of 256 threads. */
template <class T> struct strip_factors {
  T y[STRIP_TILE][STRIP_TILE + 1], q[STRIP_TILE][STRIP_TILE], tau[STRIP_TILE];

  __device__ __forceinline__ void find(const strip_update<T> &s, const typename strip_update<T>::part &p)
  {
    const int i = threadIdx.x % STRIP_TILE, j = threadIdx.x / STRIP_TILE;
    T sum = make<T>(0);
#pragma unroll 8
    for (int k = 0; k < s.chunks; k++) sum += p.sums[(int64_t)k * s.groups * STRIP_TILE * STRIP_TILE + threadIdx.x];
    y[j][i] = sum;
    q[j][i] = j < s.w && i < j ? s.q[(p.b * s.ldq + j) * s.ldq + i] : make<T>(0);
    if (j == 0) tau[i] = i < s.w ? conj(s.tau.at(p.b)[(int64_t)i * s.tau.increment(p.b)]) : make<T>(0);
    __syncthreads();
    if (threadIdx.x < STRIP_TILE) {
      T x[STRIP_TILE];
#pragma unroll
      for (int k = 0; k < STRIP_TILE; k++) x[k] = y[threadIdx.x][k];
#pragma unroll
      for (int k = 0; k < STRIP_TILE; k++) {
        x[k] = tau[k] * x[k];
#pragma unroll
        for (int l = k + 1; l < STRIP_TILE; l++) x[l] = mad(-q[l][k], x[k], x[l]);
      }
#pragma unroll
      for (int k = 0; k < STRIP_TILE; k++) y[threadIdx.x][k] = x[k];
    }
    __syncthreads();
  }
};

/* C -= V (M^-H times the sums); the same grid. */
template <class T>
static __global__ void __launch_bounds__(256) subtract_strip(const __grid_constant__ strip_update<T> s)
{
  __shared__ T v[STRIP_TILE][STRIP_ROWS + 1];
  __shared__ strip_factors<T> f;
  products::wait_for_stream(true);
  for (int64_t unit = blockIdx.x; unit < s.c.count * s.chunks * s.groups; unit += gridDim.x) {
    const auto p = s.part_of(unit);
    __syncthreads();
    f.find(s, p);
    T *const to = s.c.at(p.b);
    const int64_t ld = s.c.leading(p.b);
    for (int i0 = p.first; i0 < p.last; i0 += STRIP_ROWS) {
      __syncthreads();
      s.fetch_v(v, p, i0);
      __syncthreads();
      for (int e = threadIdx.x; e < STRIP_TILE * STRIP_ROWS; e += blockDim.x) {
        const int r = e % STRIP_ROWS, column = e / STRIP_ROWS;
        if (i0 + r >= p.last || p.column + column >= s.c.n) continue;
        T *const at = to + i0 + r + (p.column + column) * ld;
        T x = *at;
#pragma unroll
        for (int k = 0; k < STRIP_TILE; k++) x = mad(-v[k][r], f.y[column][k], x);
        *at = x;
      }
    }
  }
}

} // namespace batched_cuda::qr

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.panels of gbtrf: LU with partial pivoting of wide bands, a block per matrix, blocked, as LAPACK's gbtrf.
 *
 * A panel is NB columns of up to NB + kl rows, a row per thread, in registers.  Rows do not move, a thread tracks the
 * place of its row; the pivot's thread publishes what is left of it, and the others take a multiple of it off; two
 * barriers a column.  Multipliers go to ab at once, where they stand when column k is eliminated, which is where LAPACK
 * has them; and, where the panel's last exchange has left them, to shared memory.  Behind the panel a thread per column
 * exchanges rows in global memory and solves with the panel's unit triangle; rows below lose L times U, both in shared
 * memory: d on the tensor cores, others in tiles of 4 x 4 in registers.  Elements outside of the band are neither read
 * nor written: they are zeros.
 *
 * grid      a block per matrix; with kl + ku >= 128, and fewer matrices than multiprocessors, a cluster of 2, 4 or 8
 *           blocks: the first factors a panel, of which the others fetch their copies, and the columns behind it are
 *           dealt out; results are the same
 * block     max(128, kl + NB) threads, rounded up to whole warps, at most 512
 * shared    NB (kl + NB) multipliers, NB kv numbers of U, kl and kv rounded up
 * takes     all four types, any m, n and ku, kl as the block and shared memory allow, uniform and variable; NB = 16
 *           (z: 8)
 * reads     ab inside of the band; writes ab with what fills it, ipiv (from 1), info (first pivot that is zero or NaN);
 *           the kl x kv numbers behind a panel stay in the caches
 * accuracy  |P L U - A| < 30 n eps |A|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_GBTRF_PANELS_CUH
#define BATCHED_BAND_CUDA_GBTRF_PANELS_CUH

#include <type_traits>

#include "batched/band/cuda/gbtrf.cuh"
#include "batched/cuda/cluster.cuh"
#include "batched/cuda/mma.cuh"

namespace batched_cuda::band
{

enum { PANEL_THREADS = 512, PANEL_WARPS = PANEL_THREADS / 32 };

template <class T> constexpr int panel_columns = sizeof(T) == 16 ? 8 : 16;

/* Shared memory of a block; end: as panel_lu's, for the other blocks of a cluster. */
template <class T, int NB> struct panel_memory {
  pivot_key best[PANEL_WARPS]; /* of each warp's rows */
  T top[NB];                   /* what is left of the pivot's row */
  int end;
  int source[NB], target[NB]; /* whose row a place of the first NB has, where one of the first NB rows has gone */
};

/* spread: by a cluster. */
template <class T, int NB, bool spread> struct panel_lu {
  band_matrix<T> a;
  int ku, first, rows, end, info; /* rows of the panel; the columns that rows reach end before `end` */
  int blocks, rank, from, to;     /* the columns behind the panel that are this block's */
  int lower_pitch, upper_pitch;
  panel_memory<T, NB> &memory;
  T *lower, *upper; /* NB columns of L; NB rows of U */

  /* Tiles of 16, and four more: what lanes of a tensor-core product read together is in different banks. */
  static DEVICE int64_t lower_size(int64_t kl)
  {
    return (kl + NB + 15) / 16 * 16 + 4;
  }
  static DEVICE int64_t upper_size(int64_t kv)
  {
    return (kv + 15) / 16 * 16 + 4;
  }

  __device__ __forceinline__ panel_lu(const band_matrix<T> &a, int ku, panel_memory<T, NB> &memory, T *shared)
      : a(a), ku(ku), first(0), rows(0), end(0), info(0), blocks(1), rank(0), from(0), to(0),
        lower_pitch((int)lower_size(a.kl)), upper_pitch((int)upper_size(a.kv)), memory(memory), lower(shared),
        upper(shared + NB * lower_pitch)
  {
  }
  /* True where ab has a place for row i and column j, i not too far below. */
  __device__ __forceinline__ bool has(int i, int j) const
  {
    return j - i <= a.kv;
  }

  /* The place of the pivot among places c and after; the whole block calls. */
  __device__ __forceinline__ int find_pivot(T x, int place, int c) const
  {
    const int lane = threadIdx.x % 32;
    const pivot_key mine = key_of(x, place, c, place >= c);
    const int from = best_lane<32>(mine);
    if (lane == max(from, 0)) memory.best[threadIdx.x / 32] = mine;
    __syncthreads();
    const pivot_key key = lane < (int)blockDim.x / 32 ? memory.best[lane] : pivot_key{0, 0, INT_MAX};
    const int found = best_lane<32>(key);
    return found < 0 ? c : __shfl_sync(all_lanes, key.row, found);
  }

  __device__ __forceinline__ void factor(int steps, int *ipiv)
  {
    const int row = threadIdx.x;
    int place = row < rows ? row : -1;
    T x[NB];
#pragma unroll
    for (int c = 0; c < NB; c++) {
      x[c] = make<T>(0);
      if (place >= 0 && first + c < a.n && row - c <= a.kl && has(row, c)) x[c] = a(first + row, first + c);
    }
#pragma unroll
    for (int c = 0; c < NB; c++) {
      if (c < steps) {
        const int p = find_pivot(x[c], place, c);
        const bool chosen = place == p;
        if (chosen) {
#pragma unroll
          for (int q = c; q < NB; q++) memory.top[q] = x[q];
        }
        __syncthreads();
        place = chosen ? c : place == c ? p : place;
        end = max(end, min(a.n, first + p + ku + 1));
        const T d = memory.top[c];
        if (is_bad_pivot(d) && !info) info = first + c + 1;
        if (chosen) {
          ipiv[first + c] = first + p + 1;
#pragma unroll
          for (int q = c; q < NB; q++)
            if (first + q < a.n && has(c, q)) a(first + c, first + q) = x[q];
        }
        if (place > c && place - c <= a.kl) {
          if (d != make<T>(0)) x[c] = diagonal<T>(d).solve(x[c]);
          a(first + place, first + c) = x[c];
#pragma unroll
          for (int q = c + 1; q < NB; q++) x[q] = mad(-x[c], memory.top[q], x[q]);
        }
      }
    }
    if (place >= 0) {
#pragma unroll
      for (int c = 0; c < NB; c++) lower[c * lower_pitch + place] = c < steps && place > c ? x[c] : make<T>(0);
    }
    if (place >= 0 && place < NB) memory.source[place] = row;
    if (row < NB) memory.target[row] = place;
    if (row < NB && row >= rows) memory.source[row] = -1;
    __syncthreads();
  }

  /* Column j behind the panel: exchanges, and its part of U. */
  __device__ __forceinline__ void solve_column(int j)
  {
    T y[NB], displaced[NB];
#pragma unroll
    for (int c = 0; c < NB; c++) {
      const int from = memory.source[c];
      y[c] = displaced[c] = make<T>(0);
      if (from >= 0 && has(first + from, j)) y[c] = a(first + from, j);
      if (memory.target[c] >= NB && has(first + c, j)) displaced[c] = a(first + c, j);
    }
#pragma unroll
    for (int c = 0; c < NB; c++) {
      const int to = memory.target[c];
      if (to >= NB) a(first + to, j) = displaced[c];
    }
#pragma unroll
    for (int c = 0; c < NB; c++) {
#pragma unroll
      for (int q = c + 1; q < NB; q++)
        if (q < rows) y[q] = mad(-lower[c * lower_pitch + q], y[c], y[q]);
      if (c < rows && has(first + c, j)) a(first + c, j) = y[c];
      upper[c * upper_pitch + j - from] = y[c];
    }
  }

  /* Rows below the panel's triangle lose L U in the columns behind it: a warp per 16 x 16, by the tensor cores; */
  __device__ __forceinline__ void update_tc()
  {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int tiles = (rows - NB + 15) / 16, columns = to - from;
    for (int e = threadIdx.x / 32; e < tiles * ((columns + 15) / 16); e += blockDim.x / 32) {
      const int i0 = NB + e % tiles * 16 + g, j0 = e / tiles * 16;
      double left[8], right[2][4], sum[2][4] = {};
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const double *l = lower + (4 * i + t) * lower_pitch, *u = upper + (4 * i + t) * upper_pitch + j0 + g;
        left[2 * i] = -l[min(i0, rows - 1)], left[2 * i + 1] = -l[min(i0 + 8, rows - 1)];
        right[0][i] = u[0], right[1][i] = u[8];
      }
      each_of_tile(i0, j0 + 2 * t, columns, [&](int v, int i, double &y) { sum[v][i] = y; });
#pragma unroll
      for (int v = 0; v < 2; v++) multiply_16x8x16(sum[v], left, right[v]);
      each_of_tile(i0, j0 + 2 * t, columns, [&](int v, int i, double &y) { y = sum[v][i]; });
    }
  }
  /* f(tile, element of the lane, number) for those of a lane's eight that are in the matrix. */
  template <class F> __device__ __forceinline__ void each_of_tile(int i0, int j0, int columns, F f) const
  {
#pragma unroll
    for (int v = 0; v < 2; v++) {
#pragma unroll
      for (int i = 0; i < 4; i++) {
        const int row = i0 + i / 2 * 8, column = j0 + 8 * v + i % 2;
        if (row < rows && column < columns) f(v, i, a(first + row, from + column));
      }
    }
  }
  /* ... or in tiles of 4 x 4, whose rows are `quarter` apart, so that a warp's neighbours have neighbouring rows. */
  __device__ __forceinline__ void update()
  {
    const int quarter = (rows - NB + 3) / 4, columns = to - from;
    for (int e = threadIdx.x; e < quarter * ((columns + 3) / 4); e += blockDim.x) {
      const int i0 = NB + e % quarter, j0 = e / quarter * 4;
      T sum[4][4];
#pragma unroll
      for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = make<T>(0);
      }
#pragma unroll 4
      for (int c = 0; c < NB; c++) {
        T left[4], right[4];
#pragma unroll
        for (int v = 0; v < 4; v++) {
          left[v] = lower[c * lower_pitch + min(i0 + v * quarter, rows - 1)];
          right[v] = upper[c * upper_pitch + j0 + v];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
          for (int j = 0; j < 4; j++) sum[i][j] = mad(left[i], right[j], sum[i][j]);
        }
      }
#pragma unroll
      for (int j = 0; j < 4; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
          const int row = i0 + i * quarter;
          if (row >= rows || j0 + j >= columns) continue;
          T &y = a(first + row, from + j0 + j);
          y = y - sum[i][j];
        }
      }
    }
  }

  static __device__ __forceinline__ void wait()
  {
    __syncthreads();
    if constexpr (spread) cluster_sync();
  }
  /* The panel that block 0 has factored. */
  __device__ __forceinline__ void receive()
  {
    if (rank == 0 && threadIdx.x == 0) memory.end = end;
    wait();
    if (rank == 0) return;
    end = load_from_block(&memory.end, 0);
    for (int e = threadIdx.x; e < NB * rows; e += blockDim.x) {
      T *to = lower + e / rows * lower_pitch + e % rows;
      *to = load_from_block(to, 0);
    }
    if (threadIdx.x < NB) {
      memory.source[threadIdx.x] = load_from_block(&memory.source[threadIdx.x], 0);
      memory.target[threadIdx.x] = load_from_block(&memory.target[threadIdx.x], 0);
    }
    __syncthreads();
  }
  /* This block's part of the columns behind the panel, in tiles of 16. */
  __device__ __forceinline__ void share()
  {
    const int behind = first + NB, each = ((end - behind + 15) / 16 + blocks - 1) / blocks * 16;
    from = behind + rank * each;
    to = min(end, from + each);
  }
  __device__ __forceinline__ void factor_all(int *ipiv)
  {
    const int steps = min(a.m, a.n);
    for (int j = ku + 1 + rank; j < a.n; j += blocks) clear_fill(a, ku, j);
    wait();
    for (; first < steps; first += NB) {
      rows = min(a.m - first, NB + a.kl);
      if (rank == 0) factor(min(NB, steps - first), ipiv);
      if constexpr (spread) receive();
      share();
      if (to > from) {
        for (int j = from + threadIdx.x; j < to; j += blockDim.x) solve_column(j);
        __syncthreads();
        if constexpr (std::is_same_v<T, double>) {
          if (rows > NB) update_tc();
        } else {
          if (rows > NB) update();
        }
      }
      wait();
    }
  }
};

template <class T, int NB, bool spread>
__global__ void __launch_bounds__(PANEL_THREADS) gbtrf_panels(gbtrf_call<T> c, int blocks)
{
  __shared__ panel_memory<T, NB> memory;
  for (int64_t b = blockIdx.x / blocks; b < c.ab.count; b += gridDim.x / blocks) {
    const int ku = c.ku.at(b);
    panel_lu<T, NB, spread> lu(factors_of(c.ab, b, c.m.at(b), c.kl.at(b), ku), ku, memory, shared_array<T>());
    if constexpr (spread) {
      lu.blocks = blocks;
      lu.rank = cluster_rank();
    }
    lu.factor_all(c.ipiv + b * c.npivots());
    if (lu.rank == 0 && threadIdx.x == 0) c.info[b] = lu.info;
    __syncthreads();
  }
}

template <class T> int64_t panel_bytes(const gbtrf_call<T> &c)
{
  using lu = panel_lu<T, panel_columns<T>, false>;
  const int64_t kl = c.kl.bound, kv = kl + c.ku.bound;
  return (int64_t)sizeof(T) * panel_columns<T> * (lu::lower_size(kl) + lu::upper_size(kv));
}

template <class T> bool panels_can_factor(const gbtrf_call<T> &c)
{
  return c.kl.bound <= PANEL_THREADS - panel_columns<T> && panel_bytes(c) + 1024 <= (int64_t)most_shared();
}

/* Blocks per matrix: several where the columns behind a panel have work for them and the GPU has room. */
template <class T> int panel_blocks(const gbtrf_call<T> &c)
{
  if (std::min((int64_t)c.kl.bound + c.ku.bound, (int64_t)c.ab.n) < 128) return 1;
  int blocks = 8;
  while (blocks > 1 && c.ab.count * blocks > multiprocessors()) blocks /= 2;
  return blocks;
}

template <class T> int launch_gbtrf_panels(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  constexpr int NB = panel_columns<T>;
  const int rows = c.kl.bound + NB, threads = rows < 128 ? 128 : (rows + 31) / 32 * 32, blocks = panel_blocks(c);
  const size_t bytes = (size_t)panel_bytes(c);
  if (blocks == 1) return launch(ctx, gbtrf_panels<T, NB, false>, c.ab.count, threads, bytes, c, 1);
  return launch_clusters(ctx, gbtrf_panels<T, NB, true>, c.ab.count, blocks, threads, bytes, c, blocks);
}

} // namespace batched_cuda::band

#endif

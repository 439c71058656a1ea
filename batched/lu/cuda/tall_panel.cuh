/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves of getrf's cuda.recursive: LU with partial pivoting of up to 128 columns of tall matrices, one block each,
 * left-looking by panels of W columns whose rows are in registers.
 *
 * Panel by panel: read it; for each panel K before it U(K,J) = L(K,K)^-1 A(K,J) through shared memory, by the inverse
 * of the unit triangle, and A(i,J) -= L(i,K) U(K,J), with L from global memory; then its own columns, one barrier each:
 * every warp offers its best row, all choose the same of them.  Columns move left with each step, so that one code does
 * all of them; those that come free accumulate what the steps did to the identity, and a pivot row ends up with its row
 * of L(J,J)^-1.  Rows stay where they are in registers and in memory until all panels are done; then one pass moves
 * them to their places.
 *
 * grid      a block per matrix
 * block     a thread per R rows: m <= 1024, R = 2; 2048, R = 4; 4096, R = 8; beyond, getrf_long in memory, 512 threads
 * registers R W elements per thread; W = 16 (complex<double>: 8), halved with each doubling of R
 * shared    two candidates per warp, pivot rows of a panel, the inverses (static, up to 40 KB)
 * takes     all four types, any m; n <= tall_columns
 * accuracy  as getrf; inverses of unit triangles cost digits where nearly all of L is near -1
 */
#ifndef BATCHED_LU_CUDA_TALL_PANEL_CUH
#define BATCHED_LU_CUDA_TALL_PANEL_CUH

#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/report_pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::lu
{

/* The best of the warps' keys, in all threads. */
struct chosen_pivot {
  int warp, row;
};
static __device__ __forceinline__ chosen_pivot choose_pivot(const pivot_key *keys)
{
  const int lane = threadIdx.x % 32;
  pivot_key key = {0, 0, INT_MAX};
  if (lane < (int)blockDim.x / 32) key = keys[lane];
  const int warp = best_lane<32>(key);
  return {warp, __shfl_sync(all_lanes, key.row, warp)};
}

/* Columns that a block factors at once. */
template <class T> DEVICE constexpr int tall_columns(int m)
{
  return m <= 4096 && sizeof(T) < 16 ? 128 : 64;
}

/* Candidates of each warp for the pivot row, double-buffered by steps; pivot rows as they were chosen, which are U and
 * then a row of L(J,J)^-1; rows of all pivots in memory; A(K,J), U(K,J). */
template <class T, int W, int WARPS> struct lu_tall_memory {
  static constexpr int PANELS = tall_columns<T>(0) / W;
  shared_row<T, W> candidates[2][WARPS], rows[W];
  pivot_key keys[2][WARPS];
  T inverses[PANELS][W][W];
  alignas(16) T given[W][W];
  alignas(16) T upper[W][W];
  int origin[PANELS * W];
};

/* A thread's R rows of a panel of W columns, and where they belong (their places; pivot rows have final ones). */
template <class T, int W, int R, int WARPS> struct lu_tall {
  static constexpr int V = pack<T>::size;
  static constexpr int AHEAD = R * W * sizeof(T) > 256 || W < 4 ? 2 : 4; /* columns of L in flight */

  T *a;
  int64_t ld;
  int m, n, pivots;
  lu_tall_memory<T, W, WARPS> *shared;
  T x[R][W];
  int place[R]; /* -1: no such row */
  int found = 0;

  /* The warp's candidate for the next pivot: its lane; of each lane's, which of its rows, the place and 1 / x. */
  int best, own, from;
  T inverse;

  __device__ __forceinline__ int row(int r) const
  {
    return threadIdx.x + r * blockDim.x;
  }
  __device__ __forceinline__ void start()
  {
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = row(r) < m ? row(r) : -1;
  }
  __device__ __forceinline__ bool moves(int r) const
  {
    return place[r] >= 0 && place[r] != row(r);
  }
  __device__ __forceinline__ void load(int J, int r, bool wanted)
  {
#pragma unroll
    for (int c = 0; c < W; c++) x[r][c] = wanted && J + c < n ? a[row(r) + (J + c) * ld] : make<T>(0);
  }
  /* Stores row r of panel J as row i. */
  __device__ __forceinline__ void store(int J, int r, int i) const
  {
    T *to = a + i + J * ld;
#pragma unroll
    for (int c = 0; c < W; c++)
      if (J + c < n) to[c * ld] = x[r][c];
  }
  static __device__ __forceinline__ void put(T *line, const T (&x)[W])
  {
#pragma unroll
    for (int c = 0; c < W; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[c + v];
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
  }

  /* Reads panel J and applies the panels before it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) load(J, r, place[r] >= 0);
    const int end = J < pivots ? J : pivots;
#pragma unroll 1
    for (int K = 0; K < end; K += W) {
      T next[R][AHEAD];
      fetch(K, K, next);
#pragma unroll
      for (int r = 0; r < R; r++)
        if (place[r] >= K && place[r] < K + W) put(shared->given[place[r] - K], x[r]);
      __syncthreads();
      solve(J, K, end);
      __syncthreads();
#pragma unroll
      for (int c0 = 0; c0 < W; c0 += AHEAD) {
        T l[R][AHEAD];
#pragma unroll
        for (int r = 0; r < R; r++)
#pragma unroll
          for (int i = 0; i < AHEAD; i++) l[r][i] = next[r][i];
        if (c0 + AHEAD < W) fetch(K, K + c0 + AHEAD, next);
#pragma unroll
        for (int i = 0; i < AHEAD; i++)
#pragma unroll
          for (int c = 0; c < W; c += V) {
            const pack<T> u = *reinterpret_cast<const pack<T> *>(&shared->upper[c0 + i][c]);
#pragma unroll
            for (int v = 0; v < V; v++)
#pragma unroll
              for (int r = 0; r < R; r++) x[r][c + v] = mad(-l[r][i], u.x[v], x[r][c + v]);
          }
      }
    }
  }
  /* L of rows below panel K, columns c .. ; zero elsewhere. */
  __device__ __forceinline__ void fetch(int K, int c, T (&l)[R][AHEAD]) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int i = 0; i < AHEAD; i++) l[r][i] = place[r] >= K + W ? a[row(r) + (c + i) * ld] : make<T>(0);
  }
  /* U(K,J), an element per thread. */
  __device__ __forceinline__ void solve(int J, int K, int end) const
  {
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int i = e / W, c = e % W;
      const T *inverse = shared->inverses[K / W][i];
      T sum = shared->given[i][c];
#pragma unroll
      for (int k = 0; k < W - 1; k++)
        if (k < i) sum = mad(inverse[k], shared->given[k][c], sum);
      shared->upper[i][c] = sum;
      if (K + i < end && J + c < n) a[shared->origin[K + i] + (J + c) * ld] = sum;
    }
  }

  /* Finds the warp's candidate for column k, which is x[.][0]: by high words, where these decide. */
  __device__ __forceinline__ void search(int k)
  {
    unsigned size = place[0] >= k ? high_word(x[0][0]) : 0;
    T value = x[0][0];
    bool ties = false;
    own = 0;
    from = place[0];
#pragma unroll
    for (int r = 1; r < R; r++) {
      const unsigned other = place[r] >= k ? high_word(x[r][0]) : 0;
      ties = other == size || (ties && other < size);
      if (other > size) size = other, value = x[r][0], own = r, from = place[r];
    }
    inverse = inverse_of(value);
    const unsigned top = max_of_lanes<32>(size), lanes = __ballot_sync(all_lanes, size == top);
    const bool doubtful = __any_sync(all_lanes, size == top && ties);
    best = __ffs((int)lanes) - 1;
    if ((lanes & (lanes - 1)) != 0 || doubtful || !is_usual_pivot<T>(top)) search_closely(k);
  }
  __device__ __forceinline__ void search_closely(int k)
  {
    pivot_key key = {0, 0, INT_MAX};
    T value = x[0][0];
    own = 0;
    from = place[0];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place[r], k, place[r] >= 0);
      if (comes_first(other, key)) key = other, value = x[r][0], own = r, from = place[r];
    }
    inverse = inverse_of(value);
    best = max(best_lane<32>(key), 0);
  }
  /* Offers it to the other warps.  By selects: of branches the compiler would make an index, and put x in local memory.
   */
  __device__ __forceinline__ void offer(int k) const
  {
    const int warp = threadIdx.x / 32;
    if ((int)threadIdx.x % 32 != best) return;
    T chosen[W];
#pragma unroll
    for (int c = 0; c < W; c++) {
      chosen[c] = x[0][c];
#pragma unroll
      for (int r = 1; r < R; r++) chosen[c] = select(r == own, x[r][c], chosen[c]);
    }
    T *line = shared->candidates[k % 2][warp].x;
    put(line, chosen);
    line[W] = inverse;
    shared->keys[k % 2][warp] = key_of(chosen[0], from, k, from >= 0);
  }
  /* Column k of panel J. */
  __device__ __forceinline__ void step(int J, int k, int first, int *ipiv)
  {
    offer(k);
    __syncthreads();
    const chosen_pivot pivot = choose_pivot(shared->keys[k % 2]);
    const T *u = shared->candidates[k % 2][pivot.warp].x;
    const diagonal<T> d(u[0], u[W]);
    if (is_bad_pivot(d.d) && !found) found = k + 1;
    if (threadIdx.x < W) shared->rows[k - J].x[threadIdx.x] = u[threadIdx.x];
    if (threadIdx.x == 0) ipiv[k] = first + pivot.row + 1;
    T l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      l[r] = d.d == make<T>(0) ? x[r][0] : d.solve(x[r][0]);
      if (place[r] == pivot.row)
        shared->origin[k] = row(r);
      else if (place[r] >= k)
        a[row(r) + k * ld] = l[r];
      place[r] = place[r] == pivot.row ? k : place[r] == k ? pivot.row : place[r];
      x[r][0] = mad(-l[r], u[1], x[r][1]); /* rows that are done take part, unused */
    }
    search(k + 1);
#pragma unroll
    for (int c = 0; c < W; c += V) {
      const pack<T> some = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++)
#pragma unroll
        for (int r = 0; r < R; r++)
          if (c + v > 1) x[r][c + v - 1] = mad(-l[r], some.x[v], x[r][c + v]);
    }
#pragma unroll
    for (int r = 0; r < R; r++) x[r][W - 1] = -l[r];
  }
  __device__ __forceinline__ void factor(int J, int first, int *ipiv)
  {
    const int end = min(J + W, pivots);
    if (J >= end) return;
    search(J);
#pragma unroll 1
    for (int k = J; k < end; k++) step(J, k, first, ipiv);
  }
  /* Stores the panel's rows of U; keeps L(J,J)^-1 below its diagonal. */
  __device__ __forceinline__ void keep(int J) const
  {
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int k = e % W, c = e / W;
      if (J + k >= pivots) continue;
      if (c < k)
        shared->inverses[J / W][k][c] = shared->rows[k].x[W - k + c];
      else if (J + c < n)
        a[shared->origin[J + k] + (J + c) * ld] = shared->rows[k].x[c - k];
    }
  }

  /* Moves all rows to their places. */
  __device__ __forceinline__ void exchange()
  {
#pragma unroll 1
    for (int J = 0; J < n; J += W) {
#pragma unroll
      for (int r = 0; r < R; r++) load(J, r, moves(r));
      __syncthreads();
#pragma unroll
      for (int r = 0; r < R; r++)
        if (moves(r)) store(J, r, place[r]);
    }
  }
};

/* A matrix's columns; rows and columns of the caller's matrix start at `first`. */
template <class T, int W, int R, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
  getrf_tall(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ lu_tall_memory<T, W, THREADS / 32> shared;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu_tall<T, W, R, THREADS / 32> lu;
    lu.m = a.rows(b);
    lu.n = a.cols(b);
    lu.ld = a.leading(b);
    lu.pivots = lu.m < lu.n ? lu.m : lu.n;
    lu.a = lu.pivots > 0 ? a.at(b) : nullptr;
    lu.shared = &shared;
    lu.start();
#pragma unroll 1
    for (int J = 0; J < lu.n && lu.pivots > 0; J += W) {
      lu.update(J);
      lu.factor(J, first, ipiv + b * npivots + first);
      __syncthreads();
      lu.keep(J);
      __syncthreads();
    }
    if (lu.pivots > 0) lu.exchange();
    if (threadIdx.x == 0) report_pivot(lu.found, first, &info[b]);
    __syncthreads();
  }
}

/* Columns too long for registers, one at a time in global memory. */
enum { LU_LONG_THREADS = 512 };
template <class T>
__global__ void __launch_bounds__(LU_LONG_THREADS)
  getrf_long(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ pivot_key keys[LU_LONG_THREADS / 32];
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = a.cols(b), t = threadIdx.x;
    int found = 0;
    for (int k = 0; k < m && k < n; k++) {
      const int64_t ld = a.leading(b);
      T *x = a.at(b), *column = x + k * ld;
      pivot_key key = {0, 0, INT_MAX};
      for (int i = k + t; i < m; i += LU_LONG_THREADS) {
        const pivot_key other = key_of(column[i], i, k, true);
        if (comes_first(other, key)) key = other;
      }
      const int best = best_lane<32>(key);
      if (t % 32 == (best < 0 ? 0 : best)) keys[t / 32] = key;
      __syncthreads();
      const int p = choose_pivot(keys).row;
      const T d = column[p];
      if (is_bad_pivot(d) && !found) found = k + 1;
      if (t == 0) ipiv[b * npivots + first + k] = first + p + 1;
      __syncthreads();
      for (int j = t; j < n && p != k; j += LU_LONG_THREADS) {
        const T y = x[k + j * ld];
        x[k + j * ld] = x[p + j * ld];
        x[p + j * ld] = y;
      }
      __syncthreads();
      for (int i = k + 1 + t; i < m; i += LU_LONG_THREADS) {
        T l = column[i];
        if (d != make<T>(0)) l = divide(l, d);
        column[i] = l;
        for (int j = k + 1; j < n; j++) x[i + j * ld] = mad(-l, x[k + j * ld], x[i + j * ld]);
      }
      __syncthreads();
    }
    if (t == 0) report_pivot(found, first, &info[b]);
  }
}

/* Picks the kernel by the number of rows: a block's registers hold 16 columns of 1024 rows (complex<double>: 8), half
 * as many of twice the rows. */
template <class T>
int launch_getrf_tall(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  constexpr int W = sizeof(T) == 16 ? 8 : 16, blocks = sizeof(T) == 4 ? 4 : 2;
  const auto run = [&](auto kernel, int rows) {
    const int warps = a.m > 0 ? (int)ceil_div(a.m, 32 * rows) : 1;
    return launch(ctx, kernel, a.count, 32 * warps, 0, a, first, ipiv, npivots, info);
  };
  if (a.m <= 512) return run(getrf_tall<T, W, 2, 256, blocks>, 2);
  if (a.m <= 1024) return run(getrf_tall<T, W, 2, 512, blocks / 2>, 2);
  if (a.m <= 2048) return run(getrf_tall<T, W / 2, 4, 512, 1>, 4);
  if (a.m <= 4096) return run(getrf_tall<T, W / 4, 8, 512, 1>, 8);
  return launch(ctx, getrf_long<T>, a.count, LU_LONG_THREADS, 0, a, first, ipiv, npivots, info);
}

} // namespace batched_cuda::lu

#endif

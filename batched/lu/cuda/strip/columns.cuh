/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A panel of getrf's strips (strip/panel.cuh) and leaves (tall_panel.cuh): W columns of a tall matrix, whose rows are
 * in a block's registers, R per thread, while the matrix itself is in `columns`, in shared or global memory.
 *
 * One barrier per column.  Every warp offers its best row with the high word of its pivot; all choose the same of them,
 * and look closer where high words tie or are exceptional.  Columns move left with each step, so that one code does all
 * of them; those that come free accumulate what the steps did to the identity, and a pivot row ends up with its row of
 * L(J,J)^-1, J the panel.  Rows stay where they are until all is done; places are where they belong.
 */
#ifndef BATCHED_LU_CUDA_STRIP_COLUMNS_CUH
#define BATCHED_LU_CUDA_STRIP_COLUMNS_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/factors.cuh"
#include "batched/lu/cuda/report_pivot.cuh"

namespace batched_cuda::lu
{

/* What a warp offers: the high word of its pivot; its place, and whether that is in doubt. */
struct alignas(8) lu_offer {
  unsigned size, place;
};

/* Candidates by turns of the columns; pivot rows as they were chosen, which are U and then a row of L(J,J)^-1; A(K,J),
 * U(K,J), K a panel before J; where the rows of all pivots are in memory. */
template <class T, int W, int WARPS, int PANELS> struct lu_columns_memory {
  shared_row<T, W> candidates[2][WARPS], rows[W];
  lu_offer offers[2][WARPS];
  pivot_key keys[WARPS];
  T inverses[PANELS][W][W];
  alignas(16) T given[W][W];
  alignas(16) T upper[W][W];
  int origin[PANELS * W];
};

/* INDEX: of elements of `columns`. */
template <class T, int W, int R, class INDEX, class MEMORY> struct lu_columns {
  static constexpr int V = pack<T>::size;
  static constexpr unsigned DOUBT = 1u << 31;
  static constexpr bool AT_ONCE = sizeof(real_of<T>) == 8 && R < 8; /* registers for a pivot row? */

  MEMORY *shared;
  T *columns;
  INDEX ld;
  int m, n, pivots, found;
  T x[R][W];
  int place[R]; /* -1: no such row */

  /* Search for the next pivot: sizes of this thread's elements, the warp's largest, 1 / x of the thread's best; after
   * choose(): 1 / pivot, the pivot's place, and the warp that offered it. */
  unsigned size[R], top;
  T inverse;
  int pivot, winner;

  __device__ __forceinline__ int row(int r) const
  {
    return threadIdx.x + r * blockDim.x;
  }
  __device__ __forceinline__ void start()
  {
    found = 0;
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = row(r) < m ? row(r) : -1;
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
  /* A(K,J) from the rows in registers. */
  __device__ __forceinline__ void give(int K)
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= K && place[r] < K + W) put(shared->given[place[r] - K], x[r]);
  }
  /* U(K,J), an element per thread. */
  __device__ __forceinline__ void solve(int J, int K, int end) const
  {
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int i = e / W, c = e % W;
      const T *line = shared->inverses[K / W][i];
      T sum = shared->given[i][c];
#pragma unroll
      for (int k = 0; k < W - 1; k++)
        if (k < i) sum = mad(line[k], shared->given[k][c], sum);
      const bool exists = K + i < end;
      shared->upper[i][c] = exists ? sum : make<T>(0);
      if (exists && J + c < n) columns[shared->origin[K + i] + (J + c) * ld] = sum;
    }
  }

  /* Searches column k, which is x[.][0]. */
  __device__ __forceinline__ void search(int k)
  {
    unsigned best = size[0] = place[0] >= k ? high_word(x[0][0]) : 0;
    T value = x[0][0];
#pragma unroll
    for (int r = 1; r < R; r++) {
      size[r] = place[r] >= k ? high_word(x[r][0]) : 0;
      value = select(size[r] > best, x[r][0], value);
      best = max(best, size[r]);
    }
    top = max_of_lanes<32>(best);
    inverse = inverse_of(value);
  }
  /* Writes the row of the only thread for which one of `mine` is true to this warp's place. */
  __device__ __forceinline__ void offer_row(int k, const bool (&mine)[R])
  {
    T *const line = shared->candidates[k % 2][threadIdx.x / 32].x;
#pragma unroll
    for (int r = 0; r < R; r++)
      if ((R == 1 || __any_sync(all_lanes, mine[r])) && mine[r]) put(line, x[r]);
  }
  /* Offers this warp's best row; of lanes that tie, the first writes. */
  __device__ __forceinline__ void offer(int k)
  {
    const int warp = threadIdx.x / 32;
    int from = 0, equals = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool is_best = size[r] == top;
      equals += is_best;
      from = is_best ? place[r] : from;
    }
    const unsigned lanes = __ballot_sync(all_lanes, equals > 0), several = __ballot_sync(all_lanes, equals > 1);
    const bool doubtful = ((lanes & (lanes - 1)) | several) != 0,
               writes = equals > 0 && (lanes & ((1u << threadIdx.x % 32) - 1)) == 0;
    bool mine[R];
#pragma unroll
    for (int r = 0; r < R; r++) mine[r] = writes && size[r] == top;
    offer_row(k, mine);
    if (!writes) return;
    shared->candidates[k % 2][warp].x[W] = inverse;
    shared->offers[k % 2][warp] = {top, (unsigned)from | (doubtful ? DOUBT : 0)};
  }
  /* Chooses the best offer for column k. */
  __device__ __forceinline__ void choose(int k)
  {
    const int lane = threadIdx.x % 32;
    const bool exists = lane < (int)blockDim.x / 32;
    lu_offer offer = {0, 0};
    if (exists) offer = shared->offers[k % 2][lane];
    const unsigned best = max_of_lanes<32>(offer.size);
    const unsigned lanes = __ballot_sync(all_lanes, exists && offer.size == best),
                   doubts = __ballot_sync(all_lanes, exists && offer.size == best && (offer.place & DOUBT));
    winner = __ffs((int)lanes) - 1;
    pivot = (int)(__shfl_sync(all_lanes, offer.place, winner) & ~DOUBT);
    inverse = shared->candidates[k % 2][winner].x[W];
    if (__builtin_expect((lanes & (lanes - 1)) == 0 && doubts == 0 && is_usual_pivot<T>(best), 1)) return;
    choose_closely(k);
  }
  /* The exact choice, by all warps once more; divides by an exceptional pivot here, not at all by zero. */
  __device__ __forceinline__ void choose_closely(int k)
  {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    pivot_key key = {0, 0, INT_MAX};
    int own = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place[r], k, place[r] >= 0);
      if (comes_first(other, key)) key = other, own = r;
    }
    const int best = max(best_lane<32>(key), 0);
    __syncthreads();
    bool mine[R];
#pragma unroll
    for (int r = 0; r < R; r++) mine[r] = lane == best && own == r;
    offer_row(k, mine);
    if (lane == best) shared->keys[warp] = key;
    __syncthreads();
    key = {0, 0, INT_MAX};
    if (lane < (int)blockDim.x / 32) key = shared->keys[lane];
    winner = max(best_lane<32>(key), 0);
    pivot = __shfl_sync(all_lanes, key.row, winner);
    const T d = shared->candidates[k % 2][winner].x[0];
    inverse = inverse_of(d);
    if (is_usual_pivot<T>(high_word(d))) return;
    inverse = make<T>(1);
    if (is_bad_pivot(d) && !found) found = k + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (d != make<T>(0)) x[r][0] = divide_rarely(x[r][0], d);
  }
  /* Column k of panel J. */
  __device__ __forceinline__ void step(int J, int k, int first, int *ipiv)
  {
    offer(k);
    __syncthreads();
    choose(k);
    const T *const u = shared->candidates[k % 2][winner].x;
    T l[R], rest[AT_ONCE ? W : V];
    const auto fetch = [&](int c) {
      const pack<T> some = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++) rest[AT_ONCE ? c + v : v] = some.x[v];
    };
    if constexpr (AT_ONCE)
#pragma unroll
      for (int c = 0; c < W; c += V) fetch(c);
    const T next = AT_ONCE ? rest[AT_ONCE ? 1 : 0] : u[1];
#pragma unroll
    for (int r = 0; r < R; r++) {
      l[r] = x[r][0] * inverse;
      if (place[r] == pivot) shared->origin[k] = row(r);
      place[r] = place[r] == pivot ? k : place[r] == k ? pivot : place[r];
      x[r][0] = mad(-l[r], next, x[r][1]); /* rows that are done take part, unused */
    }
    search(k + 1);
    if (threadIdx.x < W) shared->rows[k - J].x[threadIdx.x] = u[threadIdx.x];
    if (threadIdx.x == 0) ipiv[k] = first + pivot + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] > k) columns[row(r) + k * ld] = l[r];
#pragma unroll
    for (int c0 = 0; c0 < W; c0 += V) {
      if (!AT_ONCE && c0 + V > 2) fetch(c0);
#pragma unroll
      for (int c = c0; c < c0 + V; c++)
#pragma unroll
        for (int r = 0; r < R; r++)
          if (c > 1) x[r][c - 1] = mad(-l[r], rest[AT_ONCE ? c : c - c0], x[r][c]);
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
  /* The panel's rows of U; L(J,J)^-1 below its diagonal. */
  __device__ __forceinline__ void keep(int J) const
  {
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int k = e % W, c = e / W;
      if (J + k >= pivots) continue;
      if (c < k)
        shared->inverses[J / W][k][c] = shared->rows[k].x[W - k + c];
      else if (J + c < n)
        columns[shared->origin[J + k] + (J + c) * ld] = shared->rows[k].x[c - k];
    }
  }
};

} // namespace batched_cuda::lu

#endif

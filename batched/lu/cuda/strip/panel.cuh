/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strips of getrf: LU with partial pivoting of few columns of a tall matrix by one block, which holds all of them in
 * shared memory; left-looking by panels of W columns whose rows are in registers.
 *
 * A panel: for each panel K before it U(K,J) = L(K,K)^-1 A(K,J), by the inverse of the unit triangle, and
 * A(i,J) -= L(i,K) U(K,J); then its own columns, one barrier each.  Every warp offers its best row with the high word
 * of its pivot; all choose the same of them, and look closer where high words tie or are exceptional.  Columns move
 * left with each step, so that one code does all of them; those that come free accumulate what the steps did to the
 * identity, and a pivot row ends up with its row of L(J,J)^-1.  Rows stay where they are until all is stored, in their
 * final order: memory is read and written once, whole columns at a time.
 *
 * grid      a block per matrix
 * block     a thread per R rows
 * registers R W elements per thread
 * shared    the columns; two candidates per warp, pivot rows of a panel, inverses (static)
 * takes     all four types, m <= R THREADS, n <= lu_strip_columns, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN; nothing is divided by a zero)
 * accuracy  as getrf; inverses of unit triangles cost digits where nearly all of L is near -1
 */
#ifndef BATCHED_LU_CUDA_STRIP_PANEL_CUH
#define BATCHED_LU_CUDA_STRIP_PANEL_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/report_pivot.cuh"
#include "batched/lu/cuda/strip/instructions.cuh"
#include "batched/lu/cuda/strip/strip.cuh"

namespace batched_cuda::lu
{

/* What a warp offers: the high word of its pivot; its place, and whether that is in doubt. */
struct alignas(8) lu_strip_offer {
  unsigned size, place;
};

template <class T, int W, int WARPS> struct lu_strip_memory {
  static constexpr int PANELS = LU_STRIP_COLUMNS / W;
  shared_row<T, W> candidates[2][WARPS], rows[W]; /* by turns; pivot rows as they were chosen */
  lu_strip_offer offers[2][WARPS];
  pivot_key keys[WARPS];
  T inverses[PANELS][W][W];
  alignas(16) T given[W][W];
  alignas(16) T upper[W][W];
  int origin[LU_STRIP_COLUMNS]; /* rows of all pivots */
};

/* Leading dimension in shared memory. */
DEVICE constexpr int lu_strip_ld(int m)
{
  return (m + 1) / 2 * 2;
}
/* Bytes for n columns and the order of the rows. */
template <class T, int W> DEVICE constexpr int64_t lu_strip_bytes(int m, int n)
{
  return (int64_t)lu_strip_ld(m) * ((n + W - 1) / W * W) * (int64_t)sizeof(T) + lu_strip_ld(m) * (int64_t)sizeof(short);
}

template <class T, int W, int R, int WARPS> struct lu_strip {
  static constexpr int V = pack<T>::size;
  static constexpr unsigned DOUBT = 1u << 31;

  T *a;
  int64_t lda;
  int m, n, pivots, ld;
  lu_strip_memory<T, W, WARPS> *shared;
  T *columns; /* shared */
  T x[R][W];
  int place[R]; /* -1: no such row */
  int found;

  /* Search for the next pivot: sizes of this thread's elements, the warp's largest, 1 / x of the thread's best; after
   * choose(): the pivot's place, and the warp that offered it. */
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
  /* Starts to copy this thread's rows of panel J to shared memory, if there is one. */
  __device__ __forceinline__ void start_to_load(int J) const
  {
#pragma unroll 1
    for (int c = J; c < min(J + W, n); c++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (place[r] >= 0) start_copy(columns + c * ld + row(r), a + row(r) + c * lda);
    copy_commit();
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

  /* Takes panel J and applies the panels before it. */
  __device__ __forceinline__ void update(int J)
  {
#pragma unroll
    for (int c = 0; c < W; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = place[r] >= 0 && J + c < n ? columns[(J + c) * ld + row(r)] : make<T>(0);
    const int end = J < pivots ? J : pivots;
#pragma unroll 1
    for (int K = 0; K < end; K += W) {
#pragma unroll
      for (int r = 0; r < R; r++)
        if (place[r] >= K && place[r] < K + W) put(shared->given[place[r] - K], x[r]);
      __syncthreads();
      solve(J, K, end);
      __syncthreads();
      const T *l = columns + K * ld;
#pragma unroll 2
      for (int i = 0; i < W; i++, l += ld) {
        T factor[R];
#pragma unroll
        for (int r = 0; r < R; r++) factor[r] = place[r] >= K + W ? -l[row(r)] : make<T>(0);
#pragma unroll
        for (int c = 0; c < W; c += V) {
          const pack<T> u = *reinterpret_cast<const pack<T> *>(&shared->upper[i][c]);
#pragma unroll
          for (int v = 0; v < V; v++)
#pragma unroll
            for (int r = 0; r < R; r++) x[r][c + v] = mad(factor[r], u.x[v], x[r][c + v]);
        }
      }
    }
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
      if (exists) columns[(J + c) * ld + shared->origin[K + i]] = sum;
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
  /* Offers this warp's best row. */
  __device__ __forceinline__ void offer(int k)
  {
    const int warp = threadIdx.x / 32;
    T *const line = shared->candidates[k % 2][warp].x;
    const unsigned to = shared_address(line);
    const T last[V] = {inverse};
    int from = 0, equals = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool is_best = size[r] == top;
      equals += is_best;
      from = is_best ? place[r] : from;
    }
    const unsigned lanes = __ballot_sync(all_lanes, equals > 0), several = __ballot_sync(all_lanes, equals > 1);
    const bool doubtful = ((lanes & (lanes - 1)) | several) != 0;
    const bool writes = equals > 0 && (lanes & ((1u << threadIdx.x % 32) - 1)) == 0; /* one of those that tie */
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c += V)
        store_pack_if(writes && size[r] == top, to + c * (unsigned)sizeof(T), x[r] + c);
    store_pack_if(writes, to + W * (unsigned)sizeof(T), last);
    if (writes) shared->offers[k % 2][warp] = {top, (unsigned)from | (doubtful ? DOUBT : 0)};
  }
  /* Chooses the best offer for column k. */
  __device__ __forceinline__ void choose(int k)
  {
    const int lane = threadIdx.x % 32;
    const bool exists = lane < (int)blockDim.x / 32;
    lu_strip_offer offer = {0, 0};
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
    const unsigned to = shared_address(shared->candidates[k % 2][warp].x);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c += V) store_pack_if(lane == best && own == r, to + c * (unsigned)sizeof(T), x[r] + c);
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
    T l[R], rest[W];
#pragma unroll
    for (int c = 0; c < W; c += V) {
      const pack<T> some = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++) rest[c + v] = some.x[v];
    }
#pragma unroll
    for (int r = 0; r < R; r++) {
      l[r] = x[r][0] * inverse;
      if (place[r] == pivot) shared->origin[k] = row(r);
      place[r] = place[r] == pivot ? k : place[r] == k ? pivot : place[r];
      x[r][0] = mad(-l[r], rest[1], x[r][1]); /* rows that are done take part, unused */
    }
    search(k + 1);
    if (threadIdx.x < W) shared->rows[k - J].x[threadIdx.x] = u[threadIdx.x];
    if (threadIdx.x == 0) ipiv[k] = first + pivot + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] > k) columns[k * ld + row(r)] = l[r];
#pragma unroll
    for (int c = 2; c < W; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c - 1] = mad(-l[r], rest[c], x[r][c]);
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
      else
        columns[(J + c) * ld + shared->origin[J + k]] = shared->rows[k].x[c - k];
    }
  }
  /* Stores all columns, rows in their final order. */
  __device__ __forceinline__ void store(short *order) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0) order[place[r]] = (short)row(r);
    __syncthreads();
    int from[R];
#pragma unroll
    for (int r = 0; r < R; r++) from[r] = row(r) < m ? order[row(r)] : 0;
#pragma unroll 4
    for (int c = 0; c < n; c++)
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row(r) < m) a[row(r) + c * lda] = columns[c * ld + from[r]];
  }
};

/* A matrix's columns; rows and columns of the caller's matrix start at `first`. */
template <class T, int W, int R, int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
  getrf_strip(batch<T> a, int first, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  __shared__ lu_strip_memory<T, W, THREADS / 32> shared;
  lu_strip<T, W, R, THREADS / 32> lu;
  lu.shared = &shared;
  lu.columns = shared_array<T>();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu.m = a.rows(b);
    lu.n = a.cols(b);
    lu.ld = lu_strip_ld(a.m);
    lu.lda = a.leading(b);
    lu.pivots = min(lu.m, lu.n);
    lu.start();
    if (lu.pivots > 0) {
      lu.a = a.at(b);
      lu.start_to_load(0);
      lu.start_to_load(W);
#pragma unroll 1
      for (int J = 0; J < lu.n; J += W) {
        copy_wait<1>(); /* each thread's own rows */
        lu.update(J);
        lu.start_to_load(J + 2 * W);
        lu.factor(J, first, ipiv + b * npivots + first);
        __syncthreads();
        lu.keep(J);
        __syncthreads();
      }
      lu.store(reinterpret_cast<short *>(lu.columns + lu.ld * ((a.n + W - 1) / W * W)));
    }
    if (threadIdx.x == 0) report_pivot(lu.found, first, &info[b]);
    __syncthreads();
  }
}

} // namespace batched_cuda::lu

#endif

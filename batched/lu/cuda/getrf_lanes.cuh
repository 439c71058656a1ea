/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of getrf: LU with partial pivoting of matrices up to 32 x 32 in registers, several per warp.
 *
 * Right-looking, a row per lane. Rows do not move: a lane tracks where its row belongs (its place) and stores it there
 * in the end, at no cost, as a column is contiguous. Steps have no branches but for exceptional pivots, so that the
 * search for the next pivot overlaps the update. Pivot rows are copied to shared memory when chosen, and all lanes go
 * on updating; a final row is fetched back when stored.
 *
 * grid      a block per 128 / P matrices; P = 4, 8, 16 or 32 lanes per matrix
 * block     128 threads, 2 to 6 blocks per SM by registers (lanes_blocks)
 * shared    a matrix each: N rows of N elements and 1 / pivot
 * takes     all four types, m, n <= 32, uniform and variable
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  |P L U - A| < 30 n eps |A|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_LU_CUDA_GETRF_LANES_CUH
#define BATCHED_LU_CUDA_GETRF_LANES_CUH

#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

enum { LU_LANES_THREADS = 128 };

/* Lanes per matrix with N columns. */
template <int N> constexpr int lu_lanes = N > 16 ? 32 : N;

/* Blocks per SM that leave each thread the registers for its row. */
template <class T, int N>
constexpr int lanes_blocks = N * sizeof(T) > 256        ? 2
                             : N * sizeof(T) > 128      ? (sizeof(T) == 16 ? 3 : 4)
                             : sizeof(T) == 16 && N > 4 ? 5
                                                        : 6;

/* Pivot rows of a matrix and reciprocals of the pivots, padded so that the matrices of a warp fall into different
 * banks. */
template <class T, int N> struct alignas(16) lanes_lines {
  shared_row<T, N> row[N];
  double padding[2];
};

/* Outcome of an exact search for the pivot: its lane, 1 / pivot (1 if exceptional), and x, already divided if
 * exceptional. */
template <class T> struct lanes_choice {
  T x, inverse;
  int number;
  bool is_bad;
};

template <class T, int P>
static __device__ __noinline__ lanes_choice<T> settle_row(T x, int place, int k, bool stepping)
{
  const int lane = threadIdx.x % 32, best = best_lane<P>(key_of(x, place, k, stepping));
  const int found = best < 0 ? lane / P * P : best;
  const T d = shuffle(x, found);
  lanes_choice<T> choice = {x, make<T>(1), found % P, is_bad_pivot(d)};
  if (is_usual_pivot<T>(high_word(d)))
    choice.inverse = inverse_of(d);
  else if (d != make<T>(0) && lane != found)
    choice.x = divide_rarely(x, d);
  return choice;
}

/* A matrix's group of lanes. */
template <class T, int N> struct lanes_lu {
  static constexpr int P = lu_lanes<N>, V = pack<T>::size;
  static constexpr unsigned NUMBERS = P - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* bits of |x|'s high word: row number,
                                                                              * size */
  using lines = lanes_lines<T, N>;
  T x[N];
  int m, n, steps, lane, row, place; /* place: the row's position after the exchanges so far; -1: no row */
  int pivot, info;                   /* pivot: entry `row` of ipiv */

  /* Search for the next pivot: largest key of the group (size, row), 1 / x of this lane; `doubts`: the keys do not
   * decide. */
  unsigned top;
  bool doubts;
  T inverse;

  __device__ __forceinline__ lanes_lu(int lane, int row, int m, int n)
      : m(m), n(n), steps(min(m, n)), lane(lane), row(row), pivot(0), info(0)
  {
    if (steps == 0) this->m = 0;
    place = row < this->m ? row : -1;
  }
  __device__ __forceinline__ void load(const T *a, int64_t ld)
  {
    const T *p = a + row;
#pragma unroll
    for (int c = 0; c < N; c++, p += ld) x[c] = place >= 0 && c < n ? *p : make<T>(0);
  }
  /* Reads the row from its line in shared memory (for getrf_warp_tc.cuh). */
  __device__ __forceinline__ void fetch(const lines *from)
  {
#pragma unroll
    for (int c = 0; c < N; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(from->row[row].x + c);
#pragma unroll
      for (int v = 0; v < V; v++) x[c + v] = p.x[v];
    }
    __syncwarp();
  }
  __device__ __forceinline__ void store(T *a, int64_t ld, const lines *from)
  {
    if (place < 0) return;
    const T *u = from->row[place < steps ? place : 0].x;
    T *p = a + place;
#pragma unroll
    for (int c = 0; c < N; c += V) {
      const pack<T> known = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++, p += ld)
        if (c + v < n) *p = place < steps && c + v >= place ? known.x[v] : x[c + v];
    }
  }
  __device__ __forceinline__ unsigned best_size(unsigned high) const
  {
    if constexpr (P != 16) return max_of_lanes<P>(high);
    const unsigned lower = max_of_lanes<32>(lane < 16 ? high : 0), upper = max_of_lanes<32>(lane < 16 ? 0 : high);
    return lane < 16 ? lower : upper;
  }
  template <int k> __device__ __forceinline__ void search()
  {
    if constexpr (k < N) {
      const unsigned high = place >= k ? (high_word(x[k]) & SIZES) | row : 0;
      top = best_size(high);
      inverse = inverse_of(x[k]);
      doubts = __any_sync(all_lanes, k < steps && ((high ^ top) - 1 < NUMBERS || !is_usual_pivot<T>(top)));
    }
  }
  template <int k> __device__ __forceinline__ void settle()
  {
    const lanes_choice<T> choice = settle_row<T, P>(x[k], place, k, k < steps);
    x[k] = choice.x;
    inverse = choice.inverse;
    top = choice.number;
    if (choice.is_bad && !info && k < steps) info = k + 1;
  }
  /* Step k: choose the pivot, exchange, divide, update the columns right of it. */
  template <int k> __device__ __forceinline__ void step(T *line)
  {
    if (doubts) settle<k>();
    const bool stepping = k < steps;
    const int number = top & NUMBERS, origin = __shfl_sync(all_lanes, place, lane / P * P + number);
    if (number == row && stepping) {
      line[N] = inverse;
#pragma unroll
      for (int c = k / V * V; c < N; c += V) {
        pack<T> p;
#pragma unroll
        for (int v = 0; v < V; v++) p.x[v] = x[c + v];
        *reinterpret_cast<pack<T> *>(line + c) = p;
      }
    }
    __syncwarp();
    const T l = stepping ? x[k] * line[N] : make<T>(0);
    if (stepping) {
      x[k] = l;
      place = place == origin ? k : place == k ? origin : place;
      if (row == k) pivot = origin + 1;
    }
    if constexpr (k + 1 < N) x[k + 1] = mad(-l, line[k + 1], x[k + 1]);
    search<k + 1>();
#pragma unroll
    for (int c = (k + 2) / V * V; c < N; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(line + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v > k + 1) x[c + v] = mad(-l, p.x[v], x[c + v]);
    }
  }
  template <int k> __device__ __forceinline__ void steps_from(int last, lines *to)
  {
    if constexpr (k < N) {
      if (k >= last) return;
      step<k>(to->row[k].x);
      steps_from<k + 1>(last, to);
    }
  }
  __device__ __forceinline__ void factor(lines *to)
  {
    search<0>();
    steps_from<0>((int)__reduce_max_sync(all_lanes, (unsigned)steps), to);
    __syncwarp();
  }
};

template <class T, int N>
__global__ void __launch_bounds__(LU_LANES_THREADS, lanes_blocks<T, N>)
  getrf_lanes(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  constexpr int P = lu_lanes<N>, each = LU_LANES_THREADS / P;
  lanes_lines<T, N> *lines = shared_array<lanes_lines<T, N>>() + threadIdx.x / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < a.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / P;
    const bool exists = b < a.count;
    lanes_lu<T, N> lu(threadIdx.x % 32, threadIdx.x % P, exists ? a.rows(b) : 0, exists ? a.cols(b) : 0);
    T *at = lu.m == 0 ? nullptr : a.at(b);
    const int64_t ld = lu.m == 0 ? 0 : a.leading(b);
    lu.load(at, ld);
    lu.factor(lines);
    lu.store(at, ld, lines);
    if (lu.row < lu.steps) ipiv[b * npivots + lu.row] = lu.pivot;
    if (exists && lu.row == 0) info[b] = lu.info;
    __syncwarp();
  }
}

template <class T> int launch_getrf_lanes(batched_ctx *ctx, const batched_getrf_args &p)
{
  const batch<T> a = view<T>(p.a);
  const int most = a.m > a.n ? a.m : a.n, npivots = a.m < a.n ? a.m : a.n;
  const auto go = [&](auto kernel, int lanes, size_t lines) {
    const int each = LU_LANES_THREADS / lanes;
    return launch(ctx, kernel, ceil_div(a.count, each), LU_LANES_THREADS, each * lines, a, p.ipiv, npivots, p.info);
  };
  if (most <= 4) return go(getrf_lanes<T, 4>, 4, sizeof(lanes_lines<T, 4>));
  if (most <= 8) return go(getrf_lanes<T, 8>, 8, sizeof(lanes_lines<T, 8>));
  if (most <= 16) return go(getrf_lanes<T, 16>, 16, sizeof(lanes_lines<T, 16>));
  if (a.n <= 24) return go(getrf_lanes<T, 24>, 32, sizeof(lanes_lines<T, 24>));
  return go(getrf_lanes<T, 32>, 32, sizeof(lanes_lines<T, 32>));
}

} // namespace batched_cuda::lu

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices up to 32 x 32 in registers: a lane holds a row of N columns, P lanes a matrix, a warp 32 / P
 * matrices. Rows do not move: each lane knows where its row belongs (its place), and stores it there in the end, which
 * within a column costs nothing.  A step has no branches but where pivots are unusual, so that searching for a pivot
 * and updating columns overlap.  Each step's pivot row stays in shared memory, as what comes after it changes all
 * rows.
 */
#ifndef BATCHED_LU_CUDA_GETRF_LANES_CUH
#define BATCHED_LU_CUDA_GETRF_LANES_CUH

#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"
#include "batched/lu/lu.h"

namespace batched_cuda::lu
{

enum { LU_REGISTER_THREADS = 128 };

/* Lanes of a matrix with N columns. */
template <int N> constexpr int lu_lanes = N > 16 ? 32 : N;

/* Blocks that fit on a multiprocessor by the registers of their rows. */
template <class T, int N>
constexpr int register_blocks = N * sizeof(T) > 256        ? 2
                                : N * sizeof(T) > 128      ? (sizeof(T) == 16 ? 3 : 4)
                                : sizeof(T) == 16 && N > 4 ? 5
                                                           : 6;

/* The pivot rows of a matrix and the inverses of the pivots; the padding spreads those of a warp's matrices over the
 * banks. */
template <class T, int N> struct alignas(16) register_lines {
  shared_row<T, N> row[N];
  double padding[2];
};

/* What a lane finds out where sizes are nearly equal, or unusual: the number of the pivot row, 1 / pivot or 1, and,
 * divided by the pivot where it is not in use that way, the element. */
template <class T> struct register_choice {
  T x, inverse;
  int number;
  bool is_bad;
};

template <class T, int P>
static __device__ __noinline__ register_choice<T> settle_row(T x, int place, int k, bool stepping)
{
  const int lane = threadIdx.x % 32, best = best_lane<P>(key_of(x, place, k, stepping));
  const int found = best < 0 ? lane / P * P : best;
  const T d = shuffle(x, found);
  register_choice<T> choice = {x, make<T>(1), found % P, is_bad_pivot(d)};
  if (is_usual_pivot<T>(high_word(d)))
    choice.inverse = inverse_of(d);
  else if (d != make<T>(0) && lane != found)
    choice.x = divide_rarely(x, d);
  return choice;
}

/* One matrix's part in a warp. */
template <class T, int N> struct register_lu {
  static constexpr int P = lu_lanes<N>, V = pack<T>::size;
  static constexpr unsigned NUMBERS = P - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* of a high word: row, size */
  using lines = register_lines<T, N>;
  T x[N];
  int m, n, steps, lane, row, place; /* place: the row's position after the exchanges, -1 for none */
  int pivot, info;                   /* pivot: entry number `row` of ipiv */

  /* The search in the column that is next: the best size with the number of its row, 1 / x in this row; is it worth a
   * closer look? */
  unsigned top;
  bool doubts;
  T inverse;

  __device__ __forceinline__ register_lu(int lane, int row, int m, int n)
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
  /* Gets the row from the place of its line. */
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
      doubts = __any_sync(0xffffffffu, k < steps && ((high ^ top) - 1 < NUMBERS || !is_usual_pivot<T>(top)));
    }
  }
  template <int k> __device__ __forceinline__ void settle()
  {
    const register_choice<T> choice = settle_row<T, P>(x[k], place, k, k < steps);
    x[k] = choice.x;
    inverse = choice.inverse;
    top = choice.number;
    if (choice.is_bad && !info && k < steps) info = k + 1;
  }
  /* Step k: choose the pivot, exchange, divide, update what is right of it. */
  template <int k> __device__ __forceinline__ void step(T *line)
  {
    if (doubts) settle<k>();
    const bool stepping = k < steps;
    const int number = top & NUMBERS, origin = __shfl_sync(0xffffffffu, place, lane / P * P + number);
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
    steps_from<0>((int)__reduce_max_sync(0xffffffffu, (unsigned)steps), to);
    __syncwarp();
  }
};

template <class T, int N>
__global__ void __launch_bounds__(LU_REGISTER_THREADS, register_blocks<T, N>)
  getrf_register(batch<T> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  constexpr int P = lu_lanes<N>, each = LU_REGISTER_THREADS / P;
  register_lines<T, N> *lines = shared_array<register_lines<T, N>>() + threadIdx.x / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < a.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / P;
    const bool exists = b < a.count;
    register_lu<T, N> lu(threadIdx.x % 32, threadIdx.x % P, exists ? a.rows(b) : 0, exists ? a.cols(b) : 0);
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

template <class T> int run_getrf_register(batched_ctx *ctx, const batched_getrf_args *p)
{
  const batch<T> a = view<T>(p->a);
  const int most = a.m > a.n ? a.m : a.n, npivots = a.m < a.n ? a.m : a.n;
  const auto go = [&](auto kernel, int lanes, size_t lines) {
    const int each = LU_REGISTER_THREADS / lanes;
    return launch(ctx, kernel, ceil_div(a.count, each), LU_REGISTER_THREADS, each * lines, a, p->ipiv, npivots,
                  p->info);
  };
  if (most <= 4) return go(getrf_register<T, 4>, 4, sizeof(register_lines<T, 4>));
  if (most <= 8) return go(getrf_register<T, 8>, 8, sizeof(register_lines<T, 8>));
  if (most <= 16) return go(getrf_register<T, 16>, 16, sizeof(register_lines<T, 16>));
  if (a.n <= 24) return go(getrf_register<T, 24>, 32, sizeof(register_lines<T, 24>));
  return go(getrf_register<T, 32>, 32, sizeof(register_lines<T, 32>));
}

} // namespace batched_cuda::lu

#endif

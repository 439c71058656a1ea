/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A panel of getrf_panels.cuh in registers, two rows of W columns per thread: a pivot per column, eliminated at once.
 *
 * Each warp keeps its own candidate for the pivot row. A warp finds it by one integer maximum over keys (the high word
 * of |x|, its last bits replaced by the row's number); where two sizes agree in the bits that are left, or are zero,
 * NaN or near over- or underflow, settle() compares exactly. Candidates meet in shared memory, one barrier per column;
 * the search of the next column overlaps the update of those behind it. Rows never move: `place` is where a row belongs
 * after the exchanges so far.
 */
#ifndef BATCHED_LU_CUDA_PANELS_COLUMNS_CUH
#define BATCHED_LU_CUDA_PANELS_COLUMNS_CUH

#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/predicated.cuh"
#include "batched/lu/cuda/panels/memory.cuh"

namespace batched_cuda::lu
{

template <class T> struct lu_panel : lu_memory<T> {
  using base = lu_memory<T>;
  using base::a, base::at, base::lane, base::ld, base::R, base::row, base::size, base::V, base::W, base::warp;
  static constexpr unsigned SIZES = 0x7fffffc0u; /* bits of |x|'s high word that are compared; the row number is in
                                                  * the others */
  T x[R][W];
  int place[R];     /* -1: final, or no such row */
  unsigned mask[R]; /* SIZES where the row may still become a pivot row, else 0 */
  int pivot, info;  /* pivot: of column `lane` of the panel */

  /* Search for the next pivot: largest key of this lane and of the warp (size, row number in the warp), 1 / x of
   * this lane's row; `doubts`: the keys do not decide. */
  unsigned best, top, doubts;
  T inverse;

  __device__ __forceinline__ lu_panel(const lu_layout<T> &at, lu_size<lu_width<T>> size, T *a, int64_t ld)
      : base(at, size, a, ld), info(0)
  {
  }
  __device__ __forceinline__ void start(int J)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool live = row(r) >= J * W && row(r) < size.m;
      place[r] = live ? row(r) : -1;
      mask[r] = live ? SIZES : 0;
    }
  }
  template <int S> __device__ __forceinline__ void search()
  {
    if constexpr (S < W) {
      unsigned high[R];
#pragma unroll
      for (int r = 0; r < R; r++) high[r] = (high_word(x[r][S]) & mask[r]) | (lane + 32 * r);
      best = max(high[0], high[1]);
      top = max_of_lanes<32>(best);
      inverse = inverse_of(high[1] > high[0] ? x[1][S] : x[0][S]);
      const bool near = (high[0] >= (top & SIZES) && high[0] != top) || (high[1] >= (top & SIZES) && high[1] != top);
      doubts = __ballot_sync(all_lanes, near) | !is_usual_pivot<T>(top);
    }
  }
  /* Finds the warp's candidate for row k exactly where sizes nearly tie or are exceptional. */
  template <int S> __device__ __forceinline__ void settle(int k)
  {
    const int found = settle_pivot<32, R, T>(x[0][S], x[1][S], place[0], place[1], k);
    top = found < 0 ? ~0u : (top & SIZES) | found % 256 | found / 256 * 32;
    best = found >= 0 && lane != found % 256 ? ~top : found < 0 ? 0 : top; /* matches no other lane */
    inverse = inverse_of(found >= 256 ? x[1][S] : x[0][S]);
  }
  template <int S> static __device__ __forceinline__ void write(T *line, const T (&x)[W])
  {
#pragma unroll
    for (int c = S / V * V; c < W; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[c + v];
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
  }
  /* Step k, on column x[.][S] of the panel. lines, keys: the block's, from warp `first` on. alone: the block has one
   * warp and a line per step, from which restore() recovers pivot rows, so that updates need no predicate. */
  template <int S, bool alone>
  __device__ __forceinline__ void step(int k, int first, typename base::line *lines, pivot_key *keys)
  {
    const int own = alone ? S : 2 * (warp - first) + S % 2;
    if (doubts) settle<S>(k);
    const bool upper = (top & 32) == 0;
    int from = upper ? place[0] : place[1];
    if (best == top) {
      if (upper)
        write<S>(lines[own].x, x[0]);
      else
        write<S>(lines[own].x, x[1]);
      lines[own].x[W] = inverse;
      if (!alone) keys[own] = key_of_pivot(upper ? x[0][S] : x[1][S], from, k);
    }
    int winner = own;
    bool usual = is_usual_pivot<T>(top);
    if constexpr (alone) {
      __syncwarp();
      from = __shfl_sync(all_lanes, from, top & 31);
    } else {
      if (top == ~0u && lane == 0) keys[own] = {0, 0, INT_MAX};
      this->meet(first);
      pivot_key key = keys[S % 2];
      winner = S % 2;
#pragma unroll 1
      for (int w = S % 2 + 2; w < 2 * (at.warps - first); w += 2) {
        const pivot_key other = keys[w];
        if (comes_first(other, key)) {
          key = other;
          winner = w;
        }
      }
      from = key.row;
      usual = is_usual_pivot<T>(key.high);
    }
    const T *u = lines[winner].x;
    const T inverse = u[W];
    T l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] == from) mask[r] = 0;
      l[r] = x[r][S] * inverse;
    }
    if (!usual) rarely(u[S], k, x[0][S], x[1][S], l);
#pragma unroll
    for (int r = 0; r < R; r++) {
      x[r][S] = alone || mask[r] ? l[r] : x[r][S];
      l[r] = -l[r];
      if constexpr (S + 1 < W) update<alone>(mask[r], l[r], u[S + 1], x[r][S + 1]);
    }
    search<S + 1>();
#pragma unroll
    for (int c = (S + 2) / V * V; c < W; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(u + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v > S + 1) {
#pragma unroll
          for (int r = 0; r < R; r++) update<alone>(mask[r], l[r], p.x[v], x[r][c + v]);
        }
    }
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = place[r] == from ? k : place[r] == k ? from : place[r];
    if (lane == S) pivot = from;
  }

  /* key_of() for a candidate, in fewer instructions where x is neither exceptional nor NaN. */
  static __device__ __forceinline__ pivot_key key_of_pivot(T x, int row, int k)
  {
    pivot_key key = {high_word(x), 0, row};
    if constexpr (sizeof(real_of<T>) == 8) key.low = (unsigned)__double2loint(abs1(x));
    return is_usual_pivot<T>(key.high) ? key : key_of(x, row, k, true);
  }
  /* x += l u, predicated: a branch would keep the next search from overlapping the update. */
  static __device__ __forceinline__ void mad_if(unsigned mask, T l, T u, T &x)
  {
    if constexpr (std::is_same_v<T, double>)
      fma_if(mask, l, u, x);
    else if (mask)
      x = mad(l, u, x);
  }
  template <bool alone> static __device__ __forceinline__ void update(unsigned mask, T l, T u, T &x)
  {
    if constexpr (alone)
      x = mad(l, u, x);
    else
      mad_if(mask, l, u, x);
  }
  /* Divides by an exceptional pivot d: zero (left undivided), NaN, or one whose reciprocal over- or underflows. */
  __device__ __forceinline__ void rarely(T d, int k, T x, T y, T (&l)[R])
  {
    if (is_bad_pivot(d) && !info) info = k + 1;
    l[0] = d == make<T>(0) ? x : divide_rarely(x, d);
    l[1] = d == make<T>(0) ? y : divide_rarely(y, d);
  }
  template <int S, bool alone>
  __device__ __forceinline__ void steps(int J, int first, typename base::line *lines, pivot_key *keys)
  {
    if constexpr (S < W) {
      if (J * W + S >= size.pivots()) return;
      step<S, alone>(J * W + S, first, lines, keys);
      steps<S + 1, alone>(J, first, lines, keys);
    }
  }
  /* Restores each pivot row to its value when chosen; later updates of it are discarded. */
  __device__ __forceinline__ void restore(int J, const typename base::line *lines)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int i = place[r] - J * W;
      if (i < 0 || i >= W || J * W + i >= size.pivots()) continue;
#pragma unroll
      for (int c = 0; c < W; c += V) {
        const pack<T> p = *reinterpret_cast<const pack<T> *>(lines[i].x + c);
#pragma unroll
        for (int v = 0; v < V; v++)
          if (c + v >= i) x[r][c + v] = p.x[v];
      }
    }
  }
  /* Factors panel J by the warps `first` and above. ipiv is offset by `shift`, the block's first row in the caller's
   * matrix. */
  __device__ __forceinline__ void factor(int J, int first, int shift, int *ipiv)
  {
    start(J);
    search<0>();
    if (at.warps == 1) /* a launch uses one of the two: both would not fit the instruction cache */
      steps<0, true>(J, first, this->lines(J), this->keys());
    else
      steps<0, false>(J, first, this->lines(J), this->keys());
    if (at.warps == 1) restore(J, this->lines(J));
    if (warp == at.warps - 1 && lane < W && J * W + lane < size.pivots()) ipiv[J * W + lane] = shift + pivot + 1;
  }
};

} // namespace batched_cuda::lu

#endif

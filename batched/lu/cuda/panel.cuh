/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by one block: the columns of a panel, R rows of it in the registers of each thread.  Rows do not move
 * in here: a thread knows where its rows belong (their places).
 */
#ifndef BATCHED_LU_CUDA_PANEL_CUH
#define BATCHED_LU_CUDA_PANEL_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/lu/cuda/layout.cuh"

namespace batched_cuda::lu
{

template <class T> struct lu_panel : lu_memory<T> {
  using base = lu_memory<T>;
  using base::a, base::at, base::lane, base::ld, base::R, base::row, base::size, base::V, base::W, base::warp;
  static constexpr unsigned SIZES = 0x7fffffc0u; /* what is compared of a high word; then comes the number of the row */
  T x[R][W];
  int place[R];     /* -1: a row that is finished, or does not exist */
  unsigned mask[R]; /* SIZES where the row can still be a pivot row, else 0 */
  int pivot, info;  /* pivot: of column `lane` of the panel */

  /* The search in the column that is next: the best size here and in the warp, with the number of its row in the warp,
   * and 1 / x in it; is it worth a closer look? */
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
      doubts = __ballot_sync(0xffffffffu, near) | !is_usual_pivot<T>(top);
    }
  }
  /* Decides on the warp's candidate for row k where sizes are nearly equal, or unusual. */
  template <int S> __device__ __forceinline__ void settle(int k)
  {
    const int found = settle_pivot<32, R, T>(x[0][S], x[1][S], place[0], place[1], k);
    top = found < 0 ? ~0u : (top & SIZES) | found % 256 | found / 256 * 32;
    best = found >= 0 && lane != found % 256 ? ~top : found < 0 ? 0 : top; /* nobody else has it */
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
  /* Column k, which is x[.][S] of the panel; `lines` and `keys` of the block begin with those of the warp `first`;
   * alone: the block has one warp, and a line for each step, from which restore() gets pivot rows back: that is
   * quicker than not to change them. */
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
      from = __shfl_sync(0xffffffffu, from, top & 31);
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

  /* As key_of, for a candidate: without looking twice where it is an ordinary number. */
  static __device__ __forceinline__ pivot_key key_of_pivot(T x, int row, int k)
  {
    pivot_key key = {high_word(x), 0, row};
    if constexpr (sizeof(real_of<T>) == 8) key.low = (unsigned)__double2loint(abs1(x));
    return is_usual_pivot<T>(key.high) ? key : key_of(x, row, k, true);
  }
  /* x += l u where the mask is set; a branch would keep the search for the next pivot apart from this. */
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
  /* What a pivot d that is zero, not a number, very large or very small does. */
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
  /* Pivot rows as they were when they were chosen; what steps behind that made of them is of no use. */
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
  /* All columns of panel J, by the warps from `first` on.  ipiv counts from row `shift` of the caller's matrix. */
  __device__ __forceinline__ void factor(int J, int first, int shift, int *ipiv)
  {
    start(J);
    search<0>();
    if (at.warps == 1) /* one way of the two in a launch: instructions have to stay in their cache */
      steps<0, true>(J, first, this->lines(J), this->keys());
    else
      steps<0, false>(J, first, this->lines(J), this->keys());
    if (at.warps == 1) restore(J, this->lines(J));
    if (warp == at.warps - 1 && lane < W && J * W + lane < size.pivots()) ipiv[J * W + lane] = shift + pivot + 1;
  }
};

} // namespace batched_cuda::lu

#endif

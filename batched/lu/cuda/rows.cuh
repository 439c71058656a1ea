/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix by a warp, in its registers: a lane holds one row or two.  Rows do not move until they are stored:
 * each lane knows where its rows belong (their places).  What is done goes to shared memory, and columns move to the
 * left, so that one code does 8 of them, as instructions have to stay in their cache.
 */
#ifndef BATCHED_LU_CUDA_ROWS_CUH
#define BATCHED_LU_CUDA_ROWS_CUH

#include "batched/lu/cuda/warp_panel.cuh"

namespace batched_cuda::lu
{

/* What lu_rows finds out where sizes are nearly equal, or unusual: the number of the pivot row, 1 / pivot or 1,
 * and, divided by the pivot where it is not in use that way, the elements of the column. */
template <int R> struct lu_choice {
  double x[R], inverse;
  int number;
  bool is_bad;
};

template <int R>
static __device__ __noinline__ lu_choice<R> settle_rows(lu_choice<R> choice, int place_x, int place_y, int k)
{
  const pivot_key first = key_of(choice.x[0], place_x, k, true), second = key_of(choice.x[R - 1], place_y, k, R > 1);
  const bool own = comes_first(second, first);
  const int found = best_lane<32>(own ? second : first);
  const double d = __shfl_sync(0xffffffffu, own ? choice.x[R - 1] : choice.x[0], found);
  choice.number = __shfl_sync(0xffffffffu, (int)threadIdx.x % 32 + 32 * own, found);
  choice.is_bad = false;
  if (is_usual_pivot<double>(high_word(d))) {
    choice.inverse = inverse_of(d);
    return choice;
  }
  choice.inverse = 1;
  choice.is_bad = is_bad_pivot(d);
#pragma unroll
  for (int r = 0; r < R; r++)
    if (d != 0 && choice.number != (int)threadIdx.x % 32 + 32 * r) choice.x[r] = divide_rarely(choice.x[r], d);
  return choice;
}

/* At most 32 R x N. */
template <int R, int N> struct lu_rows {
  static constexpr int LD = N + 2;                                                /* of the tile, by rows */
  static constexpr unsigned NUMBERS = 32 * R - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* of a high word: row, size */
  double x[R][N];                                                                 /* from the next column on */
  double *const tile, *const inverses;
  int place[R]; /* -1: no such row */
  int n, last, lane;
  int odd; /* column k is element k + odd of a row of the tile, so that the last 8, 16, ... columns start at 16 bytes */
  int pivot[R], info; /* pivot[r]: entry 32 r + lane of ipiv */
  unsigned top;
  bool doubts;
  double inverse;

  __device__ __forceinline__ lu_rows(double *tile, double *inverses, int m, int n)
      : tile(tile), inverses(inverses), n(n), last(min(m, n)), lane(threadIdx.x % 32), odd(n % 2), info(0)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      place[r] = 32 * r + lane < m ? 32 * r + lane : -1;
      pivot[r] = 0;
    }
  }
  __device__ __forceinline__ double *row(int r) const
  {
    return tile + (32 * r + lane) * LD;
  }
  __device__ __forceinline__ void load(const double *a, int64_t ld)
  {
    const double *p = a + lane - odd * ld;
#pragma unroll
    for (int c = 0; c < N; c++, p += ld)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = place[r] >= 0 && c >= odd && c < n + odd ? p[32 * r] : 0.0;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (odd && place[r] >= 0) row(r)[0] = 0;
  }
  /* From the tile. */
  __device__ __forceinline__ void fetch()
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < N; c += 2) {
        const double2 v = *reinterpret_cast<const double2 *>(row(r) + c);
        x[r][c] = v.x;
        x[r][c + 1] = v.y;
      }
    __syncwarp();
  }
  __device__ __forceinline__ void store(double *a, int64_t ld) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] < 0) continue;
      double *p = a + place[r] - odd * ld;
#pragma unroll
      for (int c = 0; c < N; c += 2, p += 2 * ld) {
        const double2 v = *reinterpret_cast<const double2 *>(row(r) + c);
        if (c >= odd && c < n + odd) *p = v.x;
        if (c + 1 < n + odd) p[ld] = v.y;
      }
    }
  }
  /* The search in column k, which is x[.][j]. */
  template <int j> __device__ __forceinline__ void search(int k)
  {
    unsigned high[R];
    bool near = false;
#pragma unroll
    for (int r = 0; r < R; r++) high[r] = place[r] >= k ? (high_word(x[r][j]) & SIZES) | (lane + 32 * r) : 0;
    top = max_of_lanes<32>(max(high[0], high[R - 1]));
    inverse = inverse_of(high[R - 1] > high[0] ? x[R - 1][j] : x[0][j]);
#pragma unroll
    for (int r = 0; r < R; r++) near = near || (high[r] ^ top) - 1 < NUMBERS;
    doubts = __any_sync(0xffffffffu, near) || !is_usual_pivot<double>(top);
  }
  template <int j> __device__ __forceinline__ void settle(int k)
  {
    lu_choice<R> choice;
#pragma unroll
    for (int r = 0; r < R; r++) choice.x[r] = x[r][j];
    choice = settle_rows<R>(choice, place[0], place[R - 1], k);
#pragma unroll
    for (int r = 0; r < R; r++) x[r][j] = choice.x[r];
    inverse = choice.inverse;
    top = choice.number;
    if (choice.is_bad && !info) info = k + 1;
  }
  /* Column k, which is x[.][S], of W that may be left; even columns change those behind them, odd ones move them two
   * to the left as well. */
  template <int W, int S> __device__ __forceinline__ void step(int k)
  {
    if (doubts) settle<S>(k);
    const int left = n - k + S;
    const int number = top & NUMBERS,
              from = __shfl_sync(0xffffffffu, number < 32 ? place[0] : place[R - 1], number % 32);
    double *line = tile + number * LD + k + odd - S;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (number == lane + 32 * r) {
        inverses[S] = inverse;
        if (S == 1) line[1] = x[r][1];
#pragma unroll
        for (int c = 2 * S; c < W; c += 2)
          if (c <= W - 8 || c < left) *reinterpret_cast<double2 *>(line + c) = make_double2(x[r][c], x[r][c + 1]);
      }
    __syncwarp();
    const double by = inverses[S], next = line[S + 1];
    double l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      place[r] = place[r] == from ? k : place[r] == k ? from : place[r];
      l[r] = x[r][S] * by;
      x[r][1 - S] = fma(-l[r], next, x[r][S + 1]);
      pivot[r] = lane + 32 * r == k ? from + 1 : pivot[r];
    }
    search<1 - S>(k + 1);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] > k) row(r)[k + odd] = l[r];
#pragma unroll
    for (int c = 2; c < W; c += 2) {
      double2 u = {};
      if (c <= W - 8 || c < left) u = *reinterpret_cast<const double2 *>(line + c);
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (c > S + 1) x[r][c - 2 * S] = fma(-l[r], u.x, x[r][c]);
        x[r][c + 1 - 2 * S] = fma(-l[r], u.y, x[r][c + 1]);
      }
    }
  }
  /* The columns from k on, until W - 8 are left; then the others. */
  template <int W> __device__ __forceinline__ void steps(int k)
  {
    if constexpr (W > 0) {
      const int end = min(n - W + 8, last);
#pragma unroll 1
      for (; k < end; k += 2) {
        step<W, 0>(k);
        if (k + 1 == last) return;
        step<W, 1>(k + 1);
      }
      if (k < last) steps<W - 8>(k);
    }
  }
  __device__ __forceinline__ void factor()
  {
    if (odd) {
      search<1>(0);
      step<N, 1>(0);
    } else {
      search<0>(0);
    }
    if (odd < last) steps<N>(odd);
    __syncwarp();
  }
};

} // namespace batched_cuda::lu

#endif

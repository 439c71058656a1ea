/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of matrices a little larger than a warp, in its registers: a lane holds two rows.  Rows do not move until they
 * are stored: each lane knows where its rows belong (their places).  What is done goes to shared memory, and columns
 * move to the left, so that one code does 8 of them, as instructions have to stay in their cache.
 */
#ifndef BATCHED_CUDA_LU_PAIRS_CUH
#define BATCHED_CUDA_LU_PAIRS_CUH

#include "lu_warp.cuh"

namespace batched_cuda
{

/* What lu_pairs finds out where sizes are nearly equal, or unusual: the number of the pivot row, 1 / pivot or 1,
 * and, divided by the pivot where it is not in use that way, the elements of the column. */
struct lu_choice {
  double x[2], inverse;
  int number;
  bool is_bad;
};

static __device__ __noinline__ lu_choice settle_pair(double x, double y, int place_x, int place_y, int k)
{
  const pivot_key first = key_of(x, place_x, k, true), second = key_of(y, place_y, k, true);
  const bool own = comes_first(second, first);
  const int found = best_lane<32>(own ? second : first);
  lu_choice choice = {{x, y}, 1, __shfl_sync(0xffffffffu, (int)threadIdx.x % 32 + 32 * own, found), false};
  const double d = __shfl_sync(0xffffffffu, own ? y : x, found);
  if (is_usual_pivot<double>(high_word(d))) {
    choice.inverse = lu_inverse(d);
    return choice;
  }
  choice.is_bad = is_bad_pivot(d);
#pragma unroll
  for (int r = 0; r < 2; r++)
    if (d != 0 && choice.number != (int)threadIdx.x % 32 + 32 * r) choice.x[r] = divide_rarely(choice.x[r], d);
  return choice;
}

template <int N> struct lu_pairs {
  static constexpr int R = 2;
  static constexpr int LD = N + 10; /* of the matrix in shared memory, by rows; steps write up to 6 elements more */
  static constexpr unsigned NUMBERS = 32 * R - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* of a high word: row, size */
  double x[R][N];                                                                 /* from the next column on */
  double *const tile, *const inverses;
  int place[R]; /* -1: no such row */
  int m, n, last, lane;
  int odd; /* column k is element k + odd of a row of the tile, so that the last 8, 16, ... columns start at 16 bytes */
  int pivot[R], info; /* pivot[r]: entry 32 r + lane of ipiv */
  unsigned top;
  bool doubts;
  double inverse;

  __device__ __forceinline__ lu_pairs(double *tile, int m, int n)
      : tile(tile), inverses(tile + N * LD), m(m), n(n), last(min(m, n)), lane(threadIdx.x % 32), odd(n % 2), info(0)
  {
  }
  __device__ __forceinline__ void load(const double *a, int64_t ld)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      place[r] = 32 * r + lane < m ? 32 * r + lane : -1;
      pivot[r] = 0;
    }
    const double *p = a + lane - odd * ld;
#pragma unroll
    for (int c = 0; c < N; c++, p += ld)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = place[r] >= 0 && c >= odd && c < n + odd ? p[32 * r] : 0.0;
  }
  __device__ __forceinline__ void store(double *a, int64_t ld) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] < 0) continue;
      const double *from = tile + (32 * r + lane) * LD;
      double *p = a + place[r] - odd * ld;
#pragma unroll
      for (int c = 0; c < N; c += 2, p += 2 * ld) {
        const double2 v = *reinterpret_cast<const double2 *>(from + c);
        if (c >= odd && c < n + odd) *p = v.x;
        if (c + 1 < n + odd) p[ld] = v.y;
      }
    }
  }
  /* The search in column k, which is x[.][j]. */
  template <int j> __device__ __forceinline__ void search(int k)
  {
    unsigned high[R];
#pragma unroll
    for (int r = 0; r < R; r++) high[r] = place[r] >= k ? (high_word(x[r][j]) & SIZES) | (lane + 32 * r) : 0;
    top = max_of_lanes<32>(max(high[0], high[1]));
    inverse = lu_inverse(high[1] > high[0] ? x[1][j] : x[0][j]);
    const bool near = (high[0] ^ top) - 1 < NUMBERS || (high[1] ^ top) - 1 < NUMBERS;
    doubts = __any_sync(0xffffffffu, near) || !is_usual_pivot<double>(top);
  }
  template <int j> __device__ __forceinline__ void settle(int k)
  {
    const lu_choice choice = settle_pair(x[0][j], x[1][j], place[0], place[1], k);
    x[0][j] = choice.x[0];
    x[1][j] = choice.x[1];
    inverse = choice.inverse;
    top = choice.number;
    if (choice.is_bad && !info) info = k + 1;
  }
  /* Column k, which is x[.][S], of W that may be left; even columns change those behind them, odd ones move them two
   * to the left as well. */
  template <int W, int S> __device__ __forceinline__ void step(int k)
  {
    if (doubts) settle<S>(k);
    const int number = top & NUMBERS, from = __shfl_sync(0xffffffffu, number < 32 ? place[0] : place[1], number % 32);
    double *line = tile + number * LD + k + odd - S;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (number == lane + 32 * r) {
        inverses[S] = inverse;
        if (S == 1) line[1] = x[r][1];
#pragma unroll
        for (int c = 2 * S; c < W; c += 2) *reinterpret_cast<double2 *>(line + c) = make_double2(x[r][c], x[r][c + 1]);
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
      if (place[r] > k) tile[(lane + 32 * r) * LD + k + odd] = l[r];
#pragma unroll
    for (int c = 2; c < W; c += 2) {
      const double2 u = *reinterpret_cast<const double2 *>(line + c);
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

template <int N>
__global__ void __launch_bounds__(32)
  getrf_pairs(batch<double> a, int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  alignas(16) __shared__ double tile[N * lu_pairs<N>::LD + 2];
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    lu_pairs<N> lu(tile, a.rows(b), a.cols(b));
    if (lu.last > 0) {
      const int64_t ld = a.leading(b);
      lu.load(a.at(b), ld);
      lu.factor();
      lu.store(a.at(b), ld);
#pragma unroll
      for (int r = 0; r < 2; r++)
        if (lu.lane + 32 * r < lu.last) ipiv[b * npivots + lu.lane + 32 * r] = lu.pivot[r];
      __syncwarp();
    }
    if (lu.lane == 0) info[b] = lu.info;
  }
}

} // namespace batched_cuda

#endif

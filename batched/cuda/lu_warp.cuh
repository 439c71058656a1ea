/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a panel of 8 columns by one warp, in its registers: R rows to a lane.  Rows do not move until the panel is done:
 * a lane knows where its rows belong (their places).  One code does all columns, as instructions have to stay in their
 * cache: with each step columns move one to the left, and what is done goes to shared memory.
 */
#ifndef BATCHED_CUDA_LU_WARP_CUH
#define BATCHED_CUDA_LU_WARP_CUH

#include "lu.cuh"
#include "lu_pivot.cuh"
#include "triangle.cuh"

namespace batched_cuda
{

enum { LU_TILE = 8, LU_MOVES = 2 * LU_TILE };

/* The rows that a panel's exchanges move: what is in row from[e] goes to row to[e]. */
struct lu_moves {
  int count;
  unsigned char from[LU_MOVES], to[LU_MOVES];
};

/* A pivot row on its way to the other lanes, with the inverse of the pivot; steps take turns. */
using lu_line = shared_row<double, LU_TILE>;

/* 1 / d to about an ulp, for d that is neither large nor small, one operation sooner than inverse_of: e is at most 2^-19 or
 * so, and 1 / (1 - e) = 1 + e + e^2 + ... */
static __device__ __forceinline__ double lu_inverse(double d)
{
  double y;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(d));
  const double e = fma(-d, y, 1.0);
  return fma(y, fma(e, e, e), y);
}

template <int R> struct lu_warp {
  static constexpr int W = LU_TILE;
  static constexpr unsigned NUMBERS = 32 * R - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* of a high word: row, size */
  double x[R][W];
  int place[R];
  unsigned live;                /* bit r: row r can still be a pivot row */
  int lane, first, pivot, info; /* first: the row of the matrix that is row 0; pivot: of column `lane` of the panel */

  /* The search in the column that is next: the best size here and in the warp, with the number of its row in the warp;
   * the place of this lane's best row, and 1 / x in it; is it worth a closer look? */
  unsigned best, top, doubts;
  int origin;
  double inverse;

  __device__ __forceinline__ int row(int r) const
  {
    return first + 32 * r + lane;
  }
  /* Is a pivot of this size one to multiply by the inverse of: neither zero, not a number, nor near the limits? */
  static __device__ __forceinline__ bool is_usual(unsigned high)
  {
    return high - 0x20b00000u < 0x3e800000u;
  }
  __device__ __forceinline__ void load(const double *tile, int ld, int m)
  {
    live = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool exists = row(r) < m;
      place[r] = exists ? row(r) : -1;
      live |= (unsigned)exists << r;
#pragma unroll
      for (int c = 0; c < W; c++) x[r][c] = exists ? tile[c * ld + row(r)] : 0.0;
    }
  }
  /* The search in column 0. */
  __device__ __forceinline__ void search()
  {
    unsigned high[R], sizes[R];
    double value[R];
    int places[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      high[r] = sizes[r] = live >> r & 1 ? (high_word(x[r][0]) & SIZES) | (lane + 32 * r) : 0;
      value[r] = x[r][0];
      places[r] = place[r];
    }
#pragma unroll
    for (int half = R / 2; half > 0; half /= 2)
#pragma unroll
      for (int r = 0; r < half; r++)
        if (sizes[r + half] > sizes[r]) {
          sizes[r] = sizes[r + half];
          value[r] = value[r + half];
          places[r] = places[r + half];
        }
    best = sizes[0];
    origin = places[0];
    top = max_of_lanes<32>(best);
    inverse = lu_inverse(value[0]);
    bool near = false;
#pragma unroll
    for (int r = 0; r < R; r++) near = near || ((high[r] ^ top) - 1 < NUMBERS);
    doubts = __ballot_sync(0xffffffffu, near) | !is_usual(top);
  }
  /* Decides where sizes are nearly equal, or unusual. */
  __device__ __forceinline__ void settle(int k)
  {
    pivot_key key = {0, 0, INT_MAX};
    int own = 0;
    double value = 1;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place[r], k, live >> r & 1);
      if (comes_first(other, key)) {
        key = other;
        own = r;
        value = x[r][0];
      }
    }
    const int found = best_lane<32>(key);
    top = __shfl_sync(0xffffffffu, (key.high & SIZES) | (lane + 32 * own), found);
    best = lane == found ? top : ~top;
    origin = key.row;
    inverse = lu_inverse(value);
  }
  /* What a pivot d that is zero, not a number, very large or very small does. */
  __device__ __forceinline__ void rarely(double d, int k, double (&l)[R])
  {
    if (is_bad_pivot(d) && !info) info = k + 1;
#pragma unroll
    for (int r = 0; r < R; r++) l[r] = d == 0 ? x[r][0] : divide_rarely(x[r][0], d);
  }
  /* Row r, one of N from FIRST on. */
  template <int FIRST, int N> __device__ __forceinline__ void write(double *line, int r) const
  {
    if constexpr (N > 1) {
      if (r < FIRST + N / 2)
        write<FIRST, N / 2>(line, r);
      else
        write<FIRST + N / 2, N / 2>(line, r);
    } else {
      asm volatile("// row %0" ::"n"(FIRST)); /* else rows are joined to one with an index, and in local memory */
#pragma unroll
      for (int c = 0; c < W; c += 2)
        *reinterpret_cast<double2 *>(line + c) = make_double2(x[FIRST][c], x[FIRST][c + 1]);
    }
  }
  /* Column S of the panel, which is row and column k of the matrix. */
  __device__ __forceinline__ void step(int S, int k, double *tile, int ld, double *line)
  {
    if (doubts) settle(k);
    if (best == top) {
      write<0, R>(line, best / 32 % R);
      line[W] = inverse;
    }
    const int from = __shfl_sync(0xffffffffu, origin, top & 31), number = top & NUMBERS;
    __syncwarp();
    double l[R];
    const double by = line[W];
    if (lane == number % 32) live &= ~(1u << number / 32);
#pragma unroll
    for (int r = 0; r < R; r++) l[r] = x[r][0] * by;
#pragma unroll
    for (int r = 0; r < R; r++) place[r] = place[r] == from ? k : place[r] == k ? from : place[r];
    if (!is_usual(top)) rarely(line[0], k, l);
#pragma unroll
    for (int r = 0; r < R; r++) x[r][0] = fma(-l[r], line[1], x[r][1]);
    search();
    if (lane == S) pivot = from;
    if (lane < W - S) tile[(S + lane) * ld + first + number] = line[lane];
#pragma unroll
    for (int r = 0; r < R; r++)
      if (live >> r & 1) tile[S * ld + row(r)] = l[r];
#pragma unroll
    for (int c = 2; c < W; c++) {
      const double u = line[c];
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c - 1] = fma(-l[r], u, x[r][c]);
    }
  }
  __device__ __forceinline__ void list(lu_moves *moves) const
  {
    int count = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool moved = place[r] >= 0 && place[r] != row(r);
      const unsigned lanes = __ballot_sync(0xffffffffu, moved);
      const int e = count + __popc(lanes & ((1u << lane) - 1));
      if (moved) {
        moves->from[e] = (unsigned char)row(r);
        moves->to[e] = (unsigned char)place[r];
      }
      count += __popc(lanes);
    }
    if (lane == 0) moves->count = count;
  }
  /* Rows k .. m - 1 of a tile, of which `count` columns are factored, but for the moves of rows; returns the first bad
   * pivot's number or 0. */
  static __device__ __forceinline__ int factor(double *tile, int ld, int k, int m, int count, int lane, lu_line *lines,
                                               lu_moves *moves, int *ipiv)
  {
    lu_warp w;
    w.lane = lane;
    w.first = k;
    w.info = 0;
    w.load(tile, ld, m);
    w.search();
#pragma unroll 1
    for (int S = 0; S < count; S++) w.step(S, k + S, tile, ld, lines[S % 2].x);
    w.list(moves);
    if (lane < count) ipiv[k + lane] = w.pivot + 1;
    return w.info;
  }
};

} // namespace batched_cuda

#endif

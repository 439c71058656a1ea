/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a panel of 8 columns by a warp in its registers, R rows per lane; for cuda.panels_tc of getrf, and its parts
 * for team_panel.cuh.
 *
 * Rows do not move until the panel is done. One code does all columns, as instructions must stay in their cache:
 * columns move left by one with each step, and finished ones go to shared memory. Steps have no branches but for
 * exceptional pivots, so that the search for the next pivot overlaps the update.
 */
#ifndef BATCHED_LU_CUDA_WARP_PANEL_CUH
#define BATCHED_LU_CUDA_WARP_PANEL_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/lu/cuda/factors.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/triangular/cuda/triangle.cuh"

namespace batched_cuda::lu
{

/* Columns per panel; most rows that its exchanges move; elements below the unit diagonal of L11^-1. */
enum { LU_TILE = 8, LU_MOVES = 2 * LU_TILE, LU_TILE_INVERSE = LU_TILE * (LU_TILE - 1) / 2 };

/* A panel's exchanges: row from[e] moves to row to[e]. */
struct lu_moves {
  int count;
  unsigned char from[LU_MOVES], to[LU_MOVES];
};

/* Permutation of a panel's rows, counted from its first. Row `own` is now at `place`: rows 0 .. 7 in lanes 0 .. 7,
 * then the pivot rows; from: where the pivot row of column `lane` was. */
struct lu_exchanges {
  static constexpr int W = LU_TILE;
  int own, place, from;

  __device__ __forceinline__ void begin(int lane)
  {
    own = place = lane;
    from = 0;
  }
  /* Current place of a row that is no pivot row; all lanes take part. */
  __device__ __forceinline__ int place_of(int number) const
  {
    const int moved = __shfl_sync(all_lanes, place, number % W);
    return number < W ? moved : number;
  }
  /* The exchange of step S. Only rows 0 .. 7 can have moved before they become pivot rows. */
  __device__ __forceinline__ void follow(int S, const int &lane, int pivot)
  {
    const int origin = place_of(pivot);
    from = lane == S ? origin : from;
    own = lane == W + S ? pivot : own;
    place = lane == W + S || (lane == pivot && lane < W) ? S : place == S && lane < W ? origin : place;
  }
  /* Lists the moves of a panel from row `first` of a block on, whose row 0 is row `base` of the matrix; writes ipiv. */
  __device__ __forceinline__ void list(int count, const int &lane, int first, int base, lu_moves *moves,
                                       int *ipiv) const
  {
    const bool moved = lane < W ? place != lane : lane < W + count && own >= W;
    const unsigned lanes = __ballot_sync(all_lanes, moved);
    const int e = __popc(lanes & ((1u << lane) - 1));
    if (moved) {
      moves->from[e] = (unsigned char)(first + own);
      moves->to[e] = (unsigned char)(first + place);
    }
    if (lane == 0) moves->count = __popc(lanes);
    if (lane < count) ipiv[first + lane] = base + first + from + 1;
  }
};

/* A pivot row and the pivot's reciprocal, for the other lanes; double-buffered by steps. */
using lu_line = shared_row<double, LU_TILE>;

/* Writes row and inverse to the line at shared address `to` if x == y; predicated, as a branch would stop
 * instructions from being scheduled across it. */
static __device__ __forceinline__ void write_if_equal(unsigned x, unsigned y, unsigned to, const double (&row)[LU_TILE],
                                                      double inverse)
{
  static_assert(LU_TILE == 8, "");
  asm volatile("{\n .reg .pred p;\n setp.eq.u32 p, %0, %1;\n"
               " @p st.shared.v2.f64 [%2], {%3, %4};\n @p st.shared.v2.f64 [%2+16], {%5, %6};\n"
               " @p st.shared.v2.f64 [%2+32], {%7, %8};\n @p st.shared.v2.f64 [%2+48], {%9, %10};\n"
               " @p st.shared.f64 [%2+64], %11;\n}" ::"r"(x),
               "r"(y), "r"(to), "d"(row[0]), "d"(row[1]), "d"(row[2]), "d"(row[3]), "d"(row[4]), "d"(row[5]),
               "d"(row[6]), "d"(row[7]), "d"(inverse)
               : "memory");
}

/* Moves the largest key to key[0], and its value to value[0]. */
template <int R> static __device__ __forceinline__ void largest_first(unsigned (&key)[R], double (&value)[R])
{
#pragma unroll
  for (int half = R / 2; half > 0; half /= 2)
#pragma unroll
    for (int r = 0; r < half; r++) {
      value[r] = key[r + half] > key[r] ? value[r + half] : value[r];
      key[r] = max(key[r + half], key[r]);
    }
}

template <int R> struct lu_warp {
  static constexpr int W = LU_TILE;
  static constexpr unsigned NUMBERS = 32 * R - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* bits of |x|'s high word: row
                                                                                   * number, size */
  double x[R][W];
  unsigned live;         /* bit r: row r may still become a pivot row */
  int lane, first, info; /* first: the matrix's row that is row 0 */
  lu_exchanges exchanges;

  /* Search for the next pivot: keys of this lane's elements, the warp's largest, 1 / x of this lane's best;
   * `doubts`: the keys do not decide. */
  unsigned high[R], top, doubts;
  double inverse;

  __device__ __forceinline__ int row(int r) const
  {
    return first + 32 * r + lane;
  }
  __device__ __forceinline__ void load(const double *tile, int ld, int m)
  {
    live = 0;
    exchanges.begin(lane);
    info = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const bool exists = row(r) < m;
      live |= (unsigned)exists << r;
#pragma unroll
      for (int c = 0; c < W; c++) x[r][c] = exists ? tile[c * ld + row(r)] : 0.0;
    }
  }
  /* Searches column 0 of what is left. */
  __device__ __forceinline__ void search()
  {
    unsigned sizes[R];
    double value[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      high[r] = sizes[r] = live >> r & 1 ? (high_word(x[r][0]) & SIZES) | (lane + 32 * r) : 0;
      value[r] = x[r][0];
    }
    largest_first(sizes, value);
    top = max_of_lanes<32>(sizes[0]);
    inverse = inverse_of(value[0]);
    bool near = false;
#pragma unroll
    for (int r = 0; r < R; r++) near = near || ((high[r] ^ top) - 1 < NUMBERS);
    doubts = __ballot_sync(all_lanes, near) | !is_usual_pivot<double>(top);
  }
  /* Current place of this lane's row r, which is no pivot row. */
  __device__ __forceinline__ int place_of(int r) const
  {
    return r == 0 && lane < W ? exchanges.place : 32 * r + lane;
  }
  /* Exact choice where sizes nearly tie or are exceptional; divides by an exceptional pivot here, not at all by
   * zero. */
  __device__ __forceinline__ void settle(int S)
  {
    pivot_key key = {0, 0, INT_MAX};
    int chosen = 0;
    double value = 1;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place_of(r), S, live >> r & 1);
      if (comes_first(other, key)) {
        key = other;
        chosen = r;
        value = x[r][0];
      }
    }
    const int found = best_lane<32>(key);
    const double d = __shfl_sync(all_lanes, value, found);
    top = __shfl_sync(all_lanes, (key.high & SIZES) | (lane + 32 * chosen), found);
#pragma unroll
    for (int r = 0; r < R; r++) high[r] = lane == found && chosen == r ? top : ~top;
    inverse = inverse_of(d);
    if (is_usual_pivot<double>(high_word(d))) return;
    inverse = 1;
    if (is_bad_pivot(d) && !info) info = first + S + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (high[r] != top && d != 0) x[r][0] = divide_rarely(x[r][0], d);
  }
  /* Column S of the panel. */
  __device__ __forceinline__ void step(int S, double *tile, int ld, double *line)
  {
    if (doubts) settle(S);
    const unsigned to = shared_address(line);
#pragma unroll
    for (int r = 0; r < R; r++) write_if_equal(high[r], top, to, x[r], inverse);
    __syncwarp();
    const double by = line[W], element = line[lane % W];
    double u[W], l[R];
#pragma unroll
    for (int c = 0; c < W; c += 2) {
      const double2 v = *reinterpret_cast<const double2 *>(line + c);
      u[c] = v.x;
      u[c + 1] = v.y;
    }
    const int pivot = top & NUMBERS;
    exchanges.follow(S, lane, pivot);
    live = lane == pivot % 32 ? live & ~(1u << pivot / 32) : live;
#pragma unroll
    for (int r = 0; r < R; r++) {
      l[r] = x[r][0] * by;
      x[r][0] = fma(-l[r], u[1], x[r][1]);
    }
    search();
    if (lane < W - S) tile[(S + lane) * ld + first + pivot] = element;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (live >> r & 1) tile[S * ld + row(r)] = l[r];
#pragma unroll
    for (int c = 2; c < W; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c - 1] = fma(-l[r], u[c], x[r][c]);
  }
  /* Factors `count` columns of a tile, rows k .. m - 1, and lists the exchanges, which are not applied yet. Returns
   * the number of the first pivot that is zero or NaN, or 0. */
  static __device__ __forceinline__ int factor(double *tile, int ld, int k, int m, int count, int lane, lu_line *lines,
                                               lu_moves *moves, int *ipiv)
  {
    lu_warp w;
    w.lane = lane;
    w.first = k;
    w.load(tile, ld, m);
    w.search();
#pragma unroll 1
    for (int S = 0; S < count; S++) w.step(S, tile, ld, lines[S % 2].x);
    w.exchanges.list(count, lane, k, 0, moves, ipiv);
    return w.info;
  }
};

} // namespace batched_cuda::lu

#endif

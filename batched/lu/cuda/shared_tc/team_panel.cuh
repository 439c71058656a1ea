/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a panel of 8 columns by a team of up to four warps in their registers, R rows per lane; for cuda.shared_tc of
 * getrf. As in warp_panel.cuh, rows stay until the panel is done and columns move left with each step.
 *
 * In a step each warp offers its best row in shared memory; after one barrier all warps choose among the offers.
 * Columns that come free accumulate what the steps did to the identity: a pivot row ends up with its row of L11^-1.
 */
#ifndef BATCHED_LU_CUDA_SHARED_TC_TEAM_PANEL_CUH
#define BATCHED_LU_CUDA_SHARED_TC_TEAM_PANEL_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/lu/cuda/warp_panel.cuh"

namespace batched_cuda::lu
{

/* Most warps: four keys are read at once, as 16 bytes. */
enum { LU_TEAM = 4 };

/* Offers of the team's warps in a step; double-buffered. */
struct alignas(16) lu_offers {
  unsigned keys[LU_TEAM];
  lu_line lines[LU_TEAM];
};

/* Barrier of the first `warps` warps. */
__device__ __forceinline__ void lu_team_meet(int warps)
{
  __syncwarp();
  asm volatile("bar.sync 1, %0;" ::"r"(32 * warps) : "memory");
}

template <int R> struct lu_team {
  static constexpr int W = LU_TILE;
  /* Bits of a key: row number; the warp's choice is in doubt; size; may the row be a pivot row? */
  static constexpr unsigned NUMBERS = 255, DOUBT = 256, LIVE = 1u << 31, SIZES = ~(LIVE | DOUBT | NUMBERS);
  double x[R][W];
  unsigned live;                      /* bit r: row r may still become a pivot row */
  int lane, warp, warps, first, info; /* first: the matrix's row that is row 0 */
  lu_exchanges exchanges;             /* the same in all warps */

  /* Search for the next pivot: keys of this lane's elements, the warp's largest, 1 / x of this lane's best. After
   * choose(): the team's largest key, 1 / pivot and the pivot row. */
  unsigned key[R], top;
  double inverse, u[W];

  __device__ __forceinline__ lu_team(int lane, int warp, int warps, int first)
      : live(0), lane(lane), warp(warp), warps(warps), first(first), info(0)
  {
    exchanges.begin(lane);
  }
  __device__ __forceinline__ int number(int r) const
  {
    return 32 * (R * warp + r) + lane;
  }
  __device__ __forceinline__ void load(const double *tile, int ld, int m, lu_offers (&offers)[2])
  {
    if (warp == 0 && lane >= warps && lane < LU_TEAM) offers[0].keys[lane] = offers[1].keys[lane] = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int row = first + number(r);
      const bool exists = row < m;
      live |= (unsigned)exists << r;
#pragma unroll
      for (int c = 0; c < W; c++) x[r][c] = exists ? tile[c * ld + row] : 0.0;
    }
  }
  /* Searches column 0 of what is left. */
  __device__ __forceinline__ void search()
  {
    unsigned best[R];
    double value[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      key[r] = best[r] = number(r) | (live >> r & 1 ? LIVE | (high_word(x[r][0]) & SIZES) : 0);
      value[r] = x[r][0];
    }
    largest_first(best, value);
    top = max_of_lanes<32>(best[0]);
    inverse = inverse_of(value[0]);
  }
  /* Offers this warp's best row; marks it as doubtful if keys nearly tie. */
  __device__ __forceinline__ void offer(lu_offers &offers) const
  {
    const unsigned to = shared_address(&offers.lines[warp]);
    unsigned nearest = UINT_MAX;
#pragma unroll
    for (int r = 0; r < R; r++) {
      write_if_equal(key[r], top, to, x[r], inverse);
      nearest = min(nearest, (key[r] ^ top) - 1);
    }
    const bool doubt = __any_sync(all_lanes, nearest < NUMBERS);
    if (lane == 0) offers.keys[warp] = top | (doubt && top >= LIVE ? DOUBT : 0);
  }
  /* Exact search in this warp where sizes nearly tie or are exceptional. */
  __device__ __forceinline__ void search_closely(int S)
  {
    pivot_key best = {0, 0, INT_MAX};
    int chosen = 0;
    double value = 1;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const pivot_key other = key_of(x[r][0], exchanges.place_of(number(r)), S, live >> r & 1);
      if (comes_first(other, best)) {
        best = other;
        chosen = r;
        value = x[r][0];
      }
    }
    const int found = best_lane<32>(best);
    top = __shfl_sync(all_lanes, LIVE | (best.high & SIZES) | number(chosen), found);
    top = found < 0 ? 0 : top;
#pragma unroll
    for (int r = 0; r < R; r++) key[r] = lane == found && chosen == r ? top : ~top;
    inverse = inverse_of(value);
  }
  /* Exact choice among the offers. */
  __device__ __forceinline__ void choose_closely(int S, const lu_offers &offers)
  {
    const unsigned offered = lane < warps ? offers.keys[lane] : 0;
    const bool exists = offered >= LIVE;
    const int place = exchanges.place_of(offered & NUMBERS);
    const double value = exists ? offers.lines[lane].x[0] : 0.0;
    top = __shfl_sync(all_lanes, offered, best_lane<32>(key_of(value, place, S, exists)));
  }
  __device__ __forceinline__ void fetch(const lu_offers &offers)
  {
    const double *line = offers.lines[(top & NUMBERS) / (32 * R)].x;
    inverse = line[W];
#pragma unroll
    for (int c = 0; c < W; c += 2) {
      const double2 v = *reinterpret_cast<const double2 *>(line + c);
      u[c] = v.x;
      u[c + 1] = v.y;
    }
  }
  /* Divides by an exceptional pivot, not at all by zero. */
  __device__ __forceinline__ void divide_column(int S)
  {
    inverse = 1;
    if (is_bad_pivot(u[0]) && !info) info = first + S + 1;
#pragma unroll
    for (int r = 0; r < R; r++)
      if (u[0] != 0) x[r][0] = divide_rarely(x[r][0], u[0]);
  }
  /* Chooses the best offer; where keys do not decide, has all warps search and offer again, exactly. */
  __device__ __forceinline__ void choose(int S, lu_offers &offers)
  {
    const uint4 k = *reinterpret_cast<const uint4 *>(offers.keys);
    top = max(max(k.x, k.y), max(k.z, k.w));
    fetch(offers);
    const unsigned nearest = min(min((k.x ^ top) - 1, (k.y ^ top) - 1), min((k.z ^ top) - 1, (k.w ^ top) - 1));
    const unsigned doubts = (k.x | k.y | k.z | k.w) & DOUBT, usual = is_usual_pivot<double>(top & ~LIVE);
    if (__builtin_expect((nearest >= NUMBERS) & (doubts == 0) & usual, 1)) return;
    lu_team_meet(warps);
    search_closely(S);
    offer(offers);
    lu_team_meet(warps);
    choose_closely(S, offers);
    fetch(offers);
    if (!is_usual_pivot<double>(high_word(u[0]))) divide_column(S);
  }
  /* Column S of the panel. Warp 0 stores the pivot row and its row of L11^-1. */
  __device__ __forceinline__ void step(int S, double *tile, int ld, lu_offers &offers, double *triangle)
  {
    offer(offers);
    lu_team_meet(warps);
    choose(S, offers);
    const int pivot = top & NUMBERS;
    double l[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      live = number(r) == pivot ? live & ~(1u << r) : live;
      l[r] = x[r][0] * inverse;
      x[r][0] = fma(-l[r], u[1], x[r][1]);
    }
    search();
    exchanges.follow(S, lane, pivot);
    const double element = offers.lines[pivot / (32 * R)].x[lane % W];
    const unsigned row = shared_address(tile + (S + lane) * ld + first + pivot),
                   inverted = shared_address(triangle + S * (S - 1) / 2 + lane - (W - S));
    store_shared_if(warp == 0 && lane < W, lane < W - S ? row : inverted, element);
    const unsigned column = shared_address(tile + S * ld + first + number(0));
#pragma unroll
    for (int r = 0; r < R; r++) store_shared_if(live >> r & 1, column + 32 * r * (unsigned)sizeof(double), l[r]);
#pragma unroll
    for (int c = 2; c < W; c++)
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c - 1] = fma(-l[r], u[c], x[r][c]);
#pragma unroll
    for (int r = 0; r < R; r++) x[r][W - 1] = -l[r];
  }
};

} // namespace batched_cuda::lu

#endif

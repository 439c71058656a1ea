/* SPDX-License-Identifier: BSD-3-Clause
 *
 * LU of a matrix of halves.cuh, a row per two lanes, or per lane.
 */
#ifndef BATCHED_BAND_CUDA_HALVES_FACTOR_CUH
#define BATCHED_BAND_CUDA_HALVES_FACTOR_CUH

#include "batched/band/cuda/halves/sides.cuh"

namespace batched_cuda::band
{

/* The lanes of a matrix, SPLIT of them for each of its rows: two, or where a warp has two matrices one. */
template <class T, int SPLIT, class B> struct halves_lu {
  enum {
    ROWS = 16,
    NUMBERS = ROWS - 1,
    LANES = ROWS * SPLIT,
    TURNS = 32 / LANES,
    S = SPLIT == 2 ? 9 : 17,
    V = SPLIT == 2 ? 1 : (int)pack<T>::size, /* numbers of a row that a load takes, from column k + 1 on */
    PITCH = SPLIT == 2 ? 2 * S + 2 : V + (S + V) / V * V,
    CHUNK = HALVES_CHUNK,
    RING = 32,
    APART =
      32 / (int)sizeof(T), /* padding between the rings, so that rows read at the same time lie in different banks */
    BELOW = ROWS,
    COLUMNS = CHUNK
  };
  static constexpr int numbers = 2 * (RING * PITCH + APART) + COLUMNS * BELOW;
  band_matrix<T> a;
  B &sides;
  int ku, steps, lane, row, half;
  bool owns; /* of the kl + 1 rows that column k reaches, one is this lane's */
  /* Rings in shared memory: rows of U; rows of A that no lane has yet, row k + kl + 1 in the slot of U's row k; columns
   * of L. */
  T *upper, *rows, *below;
  T x[S], column; /* this lane's row: its share of the columns from k + 1 on, and its element of column k */
  int place;      /* number of this lane's row; -1: none */
  int pivot;      /* the entry of ipiv that the lane keeps */
  int info;

  __device__ __forceinline__ halves_lu(const band_matrix<T> &a, int ku, T *shared, B &sides)
      : a(a), sides(sides), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x % LANES), row(lane % ROWS),
        half(lane / ROWS), owns(row <= a.kl), upper(shared + V - 1), rows(upper + RING * PITCH + APART),
        below(shared + 2 * (RING * PITCH + APART)), pivot(0), info(0)
  {
    static_assert(SPLIT * S + CHUNK + HALVES_AHEAD - 1 <= RING, "rows of A on their way");
    for (int e = lane; e < numbers; e += LANES) shared[e] = make<T>(0);
  }

  /* Rows 0 to kl. */
  __device__ __forceinline__ void load_first()
  {
    place = row <= a.kl && row < a.m && steps > 0 ? row : -1;
    column = place >= 0 ? a(row, 0) : make<T>(0);
    sides.load_first(row <= a.kl ? row : a.m);
#pragma unroll
    for (int c = 0; c < S; c++) {
      const int j = SPLIT * (c + 1) - half;
      x[c] = place >= 0 && j < a.n && j <= row + ku ? a(row, j) : make<T>(0);
    }
  }

  /* Starts to copy rows from kl + 1 on of the chunk's columns from j on: element (i, j) is number j - i + kl + 1 of its
   * row. */
  __device__ __forceinline__ void fetch(int j)
  {
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
      const int t = lane + turn * LANES, i = j - ku + t, least = a.kl + 1 - i,
                end = t <= a.kv ? min(a.m - i, a.n - j) : 0, place = i - a.kl - 1;
      const T *from = &a(i, j);
      T *to = rows + 1 + a.kv - t;
#pragma unroll
      for (int s = 0; s < CHUNK; s++) {
        if (s >= least && s < end) start_copy(to + ((place + s) & (RING - 1)) * PITCH, from);
        from += a.col + 1;
      }
    }
    sides.fetch(j - ku, a.kl + 1);
    copy_commit();
  }

  /* The chunk's columns of the factors from j on. */
  __device__ __forceinline__ void store(int j)
  {
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
      const int t = lane + turn * LANES, i = j - a.kv + t, end = t <= a.kv + a.kl ? min(a.m - i, a.n - j) : 0;
      const bool is_upper = t <= a.kv;
      const int mask = is_upper ? RING - 1 : COLUMNS - 1, pitch = is_upper ? PITCH : BELOW, at = is_upper ? i : j;
      const T *from = is_upper ? upper + a.kv - t : below + min(t - a.kv, a.kl) - 1; /* even where it isn't stored */
      T *to = &a(i, j), x[CHUNK];
#pragma unroll
      for (int s = 0; s < CHUNK; s++) x[s] = from[((at + s) & mask) * pitch];
#pragma unroll
      for (int s = 0; s < CHUNK; s++) {
        if (i + s >= 0 && s < end) *to = x[s];
        to += a.col + 1;
      }
    }
    sides.store(j);
  }

  /* The largest number of a matrix's lanes. */
  static __device__ __forceinline__ unsigned largest(unsigned high)
  {
    if (SPLIT == 2) return __reduce_max_sync(all_lanes, high);
    const bool second = threadIdx.x % 32 >= ROWS;
    const unsigned first_top = __reduce_max_sync(all_lanes, second ? 0 : high),
                   second_top = __reduce_max_sync(all_lanes, second ? high : 0);
    return second ? second_top : first_top;
  }
  /* This lane's row, column k + 1: x[0] of the lane of the pair whose share it is (SPLIT == 1: its own). */
  template <bool ODD> __device__ __forceinline__ T following() const
  {
    return SPLIT == 2 ? shuffle(x[0], row + (ODD ? 0 : ROWS)) : x[0];
  }
  /* Writes the pivot's row as row k of U, each of its lanes the columns that it has; clears x. */
  template <bool ODD> __device__ __forceinline__ void publish(T *line)
  {
    if (SPLIT == 1) line[-1] = column;
    if (SPLIT == 2 && !ODD && half == 0) line[-2] = column;
#pragma unroll
    for (int c = 0; c < S; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = c + v < S ? x[c + v] : make<T>(0);
      if constexpr (V > 1)
        *reinterpret_cast<pack<T> *>(line + c) = p;
      else
        line[SPLIT * c] = p.x[0];
    }
#pragma unroll
    for (int c = 0; c < S; c++) x[c] = make<T>(0);
  }
  /* x -= l y for the pivot's row y at `from`.  ON: x[0] belongs to a column that is finished after this step, so that
   * x[c] becomes x[c - 1]; so it is at odd steps, and at all with a lane per row.  The place that becomes free at the
   * end takes y's last number in the lane whose row was the pivot (`chosen`), zero in the others. */
  template <bool ODD> __device__ __forceinline__ void eliminate(bool chosen, T l, const T *from)
  {
    constexpr int ON = SPLIT == 1 || ODD;
#pragma unroll
    for (int c = V == 1 ? ON : 0; c < S + ON; c += V) {
      pack<T> p;
      if constexpr (V > 1)
        p = *reinterpret_cast<const pack<T> *>(from + c);
      else if (c < S || chosen)
        p.x[0] = from[SPLIT * c];
#pragma unroll
      for (int v = 0; v < V; v++) {
        if (c + v >= ON && c + v < S) x[c + v - ON] = mad(-l, p.x[v], x[c + v]);
        if (c + v == S && ON) x[S - 1] = chosen ? p.x[v] : make<T>(0);
      }
    }
  }

  /* For the steps of a chunk: its first row of U, from this lane's first column on, at even steps and at odd ones;
   * column k + 1 of the row that comes; L's element of the row at place 0. */
  struct chunk_places {
    T *lines[2];
    const T *fresh;
    T *multipliers;
  };
  /* Step s of the chunk that begins with step first; INSIDE: all its steps exist, and a row that comes for each. */
  template <bool INSIDE, int s> __device__ __forceinline__ void step(int first, const chunk_places &at)
  {
    constexpr bool ODD = s % 2 == 1;
    const int k = first + s;
    const int before = SPLIT == 2 ? 0 : threadIdx.x & ROWS; /* lanes of another matrix */
    const bool running = INSIDE || k < steps, has_row = INSIDE ? owns : running && place >= 0;
    const T mine = following<ODD>();
    const unsigned high = has_row ? (high_word(column) & 0x7fffffffu & ~(unsigned)NUMBERS) | row : 0,
                   top = largest(high);
    T *line = at.lines[ODD] + s * PITCH;
    const T fresh = at.fresh[s * PITCH];
    int best = (top & NUMBERS) | before, origin = __shfl_sync(all_lanes, place, best);
    T inverse = shuffle(inverse_of(column), best), beside = shuffle(mine, best);
    const bool ties = (high ^ top) - 1 < NUMBERS, is_usual = is_usual_pivot<T>(top);
    if (__any_sync(all_lanes, running & (ties | !is_usual))) {
      const warp_choice<T> choice = settle_band_pivot<T, ROWS>(column, place, k, running);
      column = choice.x;
      inverse = choice.inverse;
      best = choice.lane % ROWS | before;
      origin = __shfl_sync(all_lanes, place, best);
      beside = shuffle(mine, best);
      if (choice.is_bad && !info) info = k + 1;
    }
    const bool chosen = running && best == (row | before);
    if (chosen) {
      publish<ODD>(line);
      sides.publish(k);
    }
    __syncwarp();
    const T *from = line + (chosen ? RING * PITCH + APART : 0);
    T l = INSIDE || has_row ? column * inverse : make<T>(0); /* what lanes without rows do is not used */
    if (place == k) place = origin;
    if (has_row && !chosen && half == 0) at.multipliers[place + s * (BELOW - 1)] = l;
    column = select(chosen, fresh, mad(-l, beside, mine));
    l = select(chosen, make<T>(-1), l);
    eliminate<ODD>(chosen, l, from);
    sides.eliminate(k, k + 1 + a.kl, chosen, l);
    if (chosen) place = INSIDE || k + 1 + a.kl < a.m ? k + 1 + a.kl : -1;
    if (lane == s) pivot = origin + 1;
  }
  template <bool INSIDE> __device__ __forceinline__ void factor_chunk(int first)
  {
    T *line = upper + (first & (RING - 1)) * PITCH;
    const chunk_places at = {{line + SPLIT - half, line + 1 - half},
                             line + RING * PITCH + APART + 1,
                             below + (first & (COLUMNS - 1)) * BELOW - first - 1};
    step<INSIDE, 0>(first, at);
    step<INSIDE, 1>(first, at);
    step<INSIDE, 2>(first, at);
    step<INSIDE, 3>(first, at);
  }

  /* most: n of the warp's largest matrix. */
  __device__ __forceinline__ void factor(int most, int *ipiv)
  {
    load_first();
    __syncwarp();
    const int behind = a.kv + 1; /* the first column that step 0 doesn't need */
    for (int j = behind % CHUNK - CHUNK; j <= behind + CHUNK; j += CHUNK) fetch(j);
    for (int k = 0; k < most; k += CHUNK) {
      copy_wait<1>();
      __syncwarp();
      if (k > 0) store(k - CHUNK);
      fetch(k + behind + HALVES_AHEAD);
      if (__all_sync(all_lanes, k + CHUNK <= steps && k + CHUNK + a.kl < a.m))
        factor_chunk<true>(k);
      else
        factor_chunk<false>(k);
      if (lane < CHUNK && k + lane < steps) ipiv[k + lane] = pivot;
    }
    copy_wait<0>();
    __syncwarp();
    if (most > 0) store((most - 1) / CHUNK * CHUNK);
  }
};

} // namespace batched_cuda::band

#endif

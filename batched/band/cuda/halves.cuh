/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.halves of gbtrf and of gbsv: LU of bands of up to 15 diagonals below with partial pivoting, a warp per
 * matrix, of which lanes r and r + 16 share a row; gbsv eliminates its right-hand sides in the same pass, and solves
 * with U in a second one, a lane per right-hand side.  No barrier beyond the warp.
 *
 * As gbtrf_warp.cuh has it, with the columns of a row dealt out to two lanes in turns: at step k, if k is even, lanes 0
 * to 15 have columns k + 2, k + 4, ..., lanes 16 to 31 columns k + 1, k + 3, ...; if it is odd, k + 1, k + 3, ... and
 * k, k + 2, ....  Both have their row's element of column k besides, so that both find the pivot and the multipliers:
 * column k + 1 is handed over before step k changes it, and both do to it what step k does.
 *
 * grid      a block per matrix
 * block     32 threads; S + 1 numbers of a row in registers, 2 S > kv
 * shared    kv + 9 rows of A, kv + 3 rows of U, two columns of L (8 KB for (10, 7) in double precision)
 *           right-hand sides: 20 rows of 2 R numbers, R = 1 or 8
 * takes     all four types, any m and n, kl < 16, kv < 2 S, kl + kv < 32, up to 16 right-hand sides, uniform and
 *           variable
 * reads     ab inside of the band, once, and b; writes ab with what fills it, ipiv (from 1), info (first pivot that is
 *           zero or NaN); gbsv: reads U, and writes b where info is 0
 * scratch   gbsv: the eliminated right-hand sides
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may
 *           over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_HALVES_CUH
#define BATCHED_BAND_CUDA_HALVES_CUH

#include "batched/band/cuda/gbtrf_warp.cuh"

namespace batched_cuda::band
{

/* No right-hand sides. */
template <class T> struct halves_no_sides {
  static constexpr int numbers = 0;

  __device__ __forceinline__ void load_first(int)
  {
  }
  __device__ __forceinline__ void fetch(int) const
  {
  }
  __device__ __forceinline__ void publish(int)
  {
  }
  __device__ __forceinline__ void eliminate(int, int, bool, T)
  {
  }
  __device__ __forceinline__ void store(int, bool) const
  {
  }
};

/* A matrix's right-hand sides: while A is factored, numbers half, half + 2, ... of a lane's row; afterwards number
 * `lane`, rows k to k - 2 S + 1. */
template <class T, int S, int R> struct halves_sides {
  enum { MOST = 2 * R, RING = 16, LINES = 4, WINDOW = 2 * S, BACK_PITCH = WINDOW + 1, X_PITCH = RING + 1 };
  static constexpr int numbers = (RING + LINES) * MOST, back_numbers = RING * BACK_PITCH + RING * MOST + MOST * X_PITCH;
  T *coming, *lines; /* rows of B to come, and eliminated ones */
  T *b, *y;          /* y: what elimination makes of b, row by row */
  int64_t ldb;
  int n, nrhs, lane, half;
  T x[R];

  __device__ __forceinline__ halves_sides(T *shared, T *b, int64_t ldb, T *y, int n, int nrhs)
      : coming(shared), lines(shared + RING * MOST), b(b), y(y), ldb(ldb), n(n), nrhs(nrhs), lane(threadIdx.x),
        half(threadIdx.x / 16)
  {
  }
  __device__ __forceinline__ void load_first(int row)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int j = half + 2 * r;
      x[r] = row < n && j < nrhs ? b[row + j * ldb] : make<T>(0);
    }
  }
  __device__ __forceinline__ void fetch(int row) const
  {
    if (row >= 0 && row < n && lane < nrhs) start_copy(coming + (row & (RING - 1)) * MOST + lane, b + row + lane * ldb);
  }
  __device__ __forceinline__ void publish(int k)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      lines[(k & (LINES - 1)) * MOST + half + 2 * r] = x[r];
      x[r] = make<T>(0);
    }
  }
  /* next: the row that a chosen lane goes on with. */
  __device__ __forceinline__ void eliminate(int k, int next, bool chosen, T factor)
  {
    const T *from = (chosen ? coming + (next & (RING - 1)) * MOST : lines + (k & (LINES - 1)) * MOST) + half;
#pragma unroll
    for (int r = 0; r < R; r++) x[r] = mad(factor, from[2 * r], x[r]);
  }
  __device__ __forceinline__ void store(int k, bool exists) const
  {
    if (exists && lane < nrhs) y[(int64_t)k * nrhs + lane] = lines[(k & (LINES - 1)) * MOST + lane];
  }

  /* U X = Y, column by column from the last one; those of U, and rows of Y, come `WARP_AHEAD` steps early. */
  __device__ __forceinline__ void solve_upper(const band_matrix<T> &a, T *shared)
  {
    T *columns = shared, *rows = columns + RING * BACK_PITCH, *solved = rows + RING * MOST, v[WINDOW];
    const auto fetch_back = [&](int k) {
      if (k >= 0 && lane < WINDOW) {
        T &to = columns[(k & (RING - 1)) * BACK_PITCH + lane];
        if (lane <= a.kv && lane <= k)
          start_copy(&to, &a(k - lane, k));
        else
          to = make<T>(0);
      }
      const int row = k - WINDOW;
      if (row >= 0 && lane < nrhs) start_copy(rows + (row & (RING - 1)) * MOST + lane, y + (int64_t)row * nrhs + lane);
      copy_commit();
    };
#pragma unroll
    for (int c = 0; c < WINDOW; c++) {
      const int row = n - 1 - c;
      v[c] = row >= 0 && lane < nrhs ? y[(int64_t)row * nrhs + lane] : make<T>(0);
    }
    for (int ahead = 0; ahead < WARP_AHEAD; ahead++) fetch_back(n - 1 - ahead);
    for (int k = n - 1; k >= 0; k--) {
      copy_wait<WARP_AHEAD - 1>();
      __syncwarp();
      const T *u = columns + (k & (RING - 1)) * BACK_PITCH;
      const T value = diagonal<T>(u[0]).solve(v[0]);
#pragma unroll
      for (int c = 1; c < WINDOW; c++) v[c - 1] = mad(-u[c], value, v[c]);
      v[WINDOW - 1] = k >= WINDOW && lane < nrhs ? rows[((k - WINDOW) & (RING - 1)) * MOST + lane] : make<T>(0);
      if (lane < nrhs) solved[lane * X_PITCH + (k & (RING - 1))] = value;
      fetch_back(k - WARP_AHEAD);
      if (k % 8 == 0) {
        __syncwarp();
        for (int e = lane; e < 8 * nrhs; e += 32) {
          const int row = k + e % 8, j = e / 8;
          if (row < n) b[row + j * ldb] = solved[j * X_PITCH + (row & (RING - 1))];
        }
      }
    }
    copy_wait<0>();
  }
};

template <class T, int S, class B> struct halves_lu {
  enum { ROWS = 16, NUMBERS = ROWS - 1, PITCH = 2 * S + 2, BELOW = ROWS };
  band_matrix<T> a;
  B &sides;
  int ku, steps, lane, row, half;
  T *upper, *rows, *below; /* U's rows; A's rows to come; L's last two columns */
  T x[S], column;          /* of this lane's row: its columns behind k, and column k */
  int place, pivot, info;  /* of this lane's row, -1: none; entry of ipiv that the lane keeps */
  int nupper, nrows;
  ring_place next_row, own_upper, fetched, stored;

  /* Numbers of shared memory for widths of these bounds. */
  static DEVICE int numbers(int kv)
  {
    return (kv + 3 + kv + WARP_AHEAD + 1) * PITCH + 2 * BELOW;
  }

  __device__ __forceinline__ halves_lu(const band_matrix<T> &a, int ku, T *shared, B &sides)
      : a(a), sides(sides), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x), row(lane % ROWS), half(lane / ROWS),
        upper(shared), rows(upper + (a.kv + 3) * PITCH), below(rows + (a.kv + WARP_AHEAD + 1) * PITCH), pivot(0),
        info(0), nupper(a.kv + 3), nrows(a.kv + WARP_AHEAD + 1)
  {
    next_row = {(a.kl + 1) % nrows};
    own_upper = {0};
    fetched = {(nrows - ku % nrows + lane) % nrows};
    stored = {(2 * nupper - 1 - a.kv + lane % nupper) % nupper}; /* row k - 1 - kv + lane */
    for (int e = lane; e < nrows * PITCH; e += 32) rows[e] = make<T>(0);
  }

  /* Rows 0 to kl. */
  __device__ __forceinline__ void load_first()
  {
    place = row <= a.kl && row < a.m && steps > 0 ? row : -1;
    column = place >= 0 ? a(row, 0) : make<T>(0);
    sides.load_first(row <= a.kl ? row : a.m);
#pragma unroll
    for (int c = 0; c < S; c++) {
      const int j = 2 * c + 2 - half;
      x[c] = place >= 0 && j < a.n && j <= row + ku ? a(row, j) : make<T>(0);
    }
  }

  /* Starts to copy column j's rows from kl + 1 on. */
  __device__ __forceinline__ void fetch(int j)
  {
    const int i = j - ku + lane;
    if (lane <= a.kv && j < a.n && i > a.kl && i < a.m)
      start_copy(rows + fetched.at * PITCH + 1 + a.kv - lane, &a(i, j));
    fetched.advance(nrows);
    if (j - ku > a.kl) sides.fetch(j - ku);
    copy_commit();
  }

  /* Column j of the factors. */
  __device__ __forceinline__ void store(int j, bool exists)
  {
    const int i = j - a.kv + lane;
    const T *from = lane <= a.kv ? upper + stored.at * PITCH + a.kv - lane : below + (j & 1) * BELOW + lane - a.kv - 1;
    if (exists && lane <= a.kv + a.kl && i >= 0 && i < a.m) a(i, j) = *from;
    stored.advance(nupper);
  }

  __device__ __forceinline__ void keep_pivot(int k, int origin, int *ipiv)
  {
    if (k % 32 == lane) pivot = origin + 1;
    if (k % 32 == 31 || k == steps - 1) {
      const int at = k - k % 32 + lane;
      if (at <= k) ipiv[at] = pivot;
    }
  }

  /* ODD: k % 2 */
  template <int ODD> __device__ __forceinline__ void step(int k, int *ipiv)
  {
    const bool running = k < steps, has_row = running && place >= 0;
    const T mine = shuffle(x[0], row + (ODD ? 0 : ROWS)); /* of column k + 1 */
    const unsigned high = has_row ? (high_word(column) & 0x7fffffffu & ~(unsigned)NUMBERS) | row : 0,
                   top = __reduce_max_sync(all_lanes, high);
    const T fresh = rows[next_row.at * PITCH + 1];
    T inverse = inverse_of(column);
    int best = top & NUMBERS;
    if (__any_sync(all_lanes, running && ((high ^ top) - 1 < NUMBERS || !is_usual_pivot<T>(top)))) {
      const warp_choice<T> choice = settle_band_pivot<T, ROWS>(column, place, k, running);
      column = choice.x;
      inverse = choice.inverse;
      best = choice.lane % ROWS;
      if (choice.is_bad && !info) info = k + 1;
    } else {
      inverse = shuffle(inverse, best);
    }
    const int origin = __shfl_sync(all_lanes, place, best),
              first = ODD ? 1 - half : 2 - half; /* x[0]: column k + first */
    const T beside = shuffle(mine, best);
    const bool chosen = running && best == row;
    T *line = upper + own_upper.at * PITCH;
    if (chosen) {
      if (!ODD && half == 0) line[0] = column;
#pragma unroll
      for (int c = 0; c < S; c++) {
        line[first + 2 * c] = x[c];
        x[c] = make<T>(0);
      }
      sides.publish(k);
    }
    copy_wait<WARP_AHEAD - 2>();
    __syncwarp();
    const T *from = (chosen ? rows + next_row.at * PITCH : line) + first;
    T l = has_row && !chosen ? column * inverse : make<T>(0);
    if (has_row && !chosen) {
      if (place == k) place = origin;
      if (half == 0) below[(k & 1) * BELOW + place - k - 1] = l;
    }
    if (running) {
      column = select(chosen, fresh, mad(-l, beside, mine));
      const T factor = select(chosen, make<T>(1), -l);
#pragma unroll
      for (int c = ODD; c < S; c++) x[c - ODD] = mad(factor, from[2 * c], x[c]);
      sides.eliminate(k, k + 1 + a.kl, chosen, factor);
      if (ODD) x[S - 1] = chosen ? from[2 * S] : make<T>(0);
      if (chosen) place = k + 1 + a.kl < a.m ? k + 1 + a.kl : -1;
      keep_pivot(k, origin, ipiv);
    }
    fetch(k + a.kv + 1 + WARP_AHEAD);
    const bool complete = k > 0 && k <= a.n && steps > 0;
    store(k - 1, complete);
    sides.store(k - 1, complete);
    next_row.advance(nrows);
    own_upper.advance(nupper);
  }

  __device__ __forceinline__ void factor(int *ipiv)
  {
    load_first();
    __syncwarp();
    for (int j = 0; j <= a.kv + WARP_AHEAD; j++) fetch(j);
    copy_wait<WARP_AHEAD - 1>();
    __syncwarp();
    for (int k = 0; k <= a.n; k += 2) {
      step<0>(k, ipiv);
      step<1>(k + 1, ipiv);
    }
    copy_wait<0>();
  }
};

template <class T, int S> __global__ void __launch_bounds__(32) gbtrf_halves(gbtrf_call<T> c)
{
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    const int kl = c.kl.at(b), ku = c.ku.at(b);
    halves_no_sides<T> none;
    halves_lu<T, S, halves_no_sides<T>> lu(factors_of(c.ab, b, c.m.at(b), kl, ku), ku, shared_array<T>(), none);
    __syncwarp();
    lu.factor(c.ipiv + b * c.npivots());
    if (lu.lane == 0) c.info[b] = lu.info;
    __syncwarp();
  }
}

template <class T> struct halves_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n x b.n numbers for each matrix */
};

template <class T, int S, int R> __global__ void __launch_bounds__(32) gbsv_halves(halves_call<T> c)
{
  using sides_of = halves_sides<T, S, R>;
  T *shared = shared_array<T>();
  for (int64_t b = blockIdx.x; b < c.lu.ab.count; b += gridDim.x) {
    const int kl = c.lu.kl.at(b), ku = c.lu.ku.at(b);
    const band_matrix<T> a = factors_of(c.lu.ab, b, c.lu.m.at(b), kl, ku);
    const int nrhs = a.n > 0 ? c.b.cols(b) : 0;
    sides_of sides(shared, nrhs > 0 ? c.b.at(b) : nullptr, nrhs > 0 ? c.b.leading(b) : (int64_t)0,
                   c.y + b * c.b.n * c.lu.ab.n, a.n, nrhs);
    halves_lu<T, S, sides_of> lu(a, ku, shared + sides_of::numbers, sides);
    __syncwarp();
    lu.factor(c.lu.ipiv + b * c.lu.npivots());
    if (lu.lane == 0) c.lu.info[b] = lu.info;
    __syncwarp();
    if (lu.info == 0 && nrhs > 0) sides.solve_upper(a, shared);
    __syncwarp();
  }
}

static inline bool halves_can_factor(int64_t kl, int64_t kv)
{
  return kl <= 15 && kv <= 17 && kl + kv <= 31;
}

template <class T> int launch_gbtrf_halves(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const int numbers = halves_lu<T, 9, halves_no_sides<T>>::numbers(c.kl.bound + c.ku.bound);
  return launch(ctx, gbtrf_halves<T, 9>, c.ab.count, warp_size, (size_t)numbers * sizeof(T), c);
}

/* Right-hand sides that are eliminated in the same pass. */
enum { HALVES_SIDES = 16 };

template <class T, int R> int launch_gbsv_halves_of(batched_ctx *ctx, const halves_call<T> &c)
{
  using sides_of = halves_sides<T, 9, R>;
  const int numbers = sides_of::numbers + halves_lu<T, 9, sides_of>::numbers(c.lu.kl.bound + c.lu.ku.bound),
            most = numbers > sides_of::back_numbers ? numbers : sides_of::back_numbers;
  return launch(ctx, gbsv_halves<T, 9, R>, c.lu.ab.count, warp_size, (size_t)most * sizeof(T), c);
}
template <class T> int launch_gbsv_halves(batched_ctx *ctx, const halves_call<T> &c)
{
  return c.b.n <= 2 ? launch_gbsv_halves_of<T, 1>(ctx, c) : launch_gbsv_halves_of<T, 8>(ctx, c);
}

} // namespace batched_cuda::band

#endif

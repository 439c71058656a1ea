/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.halves of gbtrf and of gbsv: LU of bands of up to 15 diagonals below with partial pivoting, a warp per
 * matrix, of which lanes r and r + 16 share a row; gbsv eliminates its right-hand sides in the same pass, and solves
 * with U in a second one, a row per lane.  No barrier beyond the warp.  In gbtrf of many matrices a warp has two, and a
 * lane a whole row, 16 bytes of which pass at a time: the same operations in the same order, fewer for each matrix.
 *
 * As gbtrf_warp.cuh has it, with the columns of a row dealt out to two lanes in turns: at step k, if k is even, lanes 0
 * to 15 have columns k + 2, k + 4, ..., lanes 16 to 31 columns k + 1, k + 3, ...; if it is odd, k + 1, k + 3, ... and
 * k, k + 2, ....  Both have their row's element of column k besides, so that both find the pivot and the multipliers:
 * column k + 1 is handed over before step k changes it, and both do to it what step k does.  Columns come and go four
 * at a time, between steps: copies are asked for eight steps early.
 *
 * The second pass: lane i % 32 has row i while columns i + kv to i of U pass; a column costs a product with the
 * diagonal's inverse, which the lane knows, a shuffle and a product.  Eight columns are a block, within which no lane
 * changes its row; 24 columns are on their way.
 *
 * grid      a block per matrix, or for two
 * block     32 threads; 10 numbers of a row in registers, or 18
 * shared    a matrix each: 32 rows of A and of U, four columns of L (11 KB in double precision)
 *           right-hand sides: 24 rows of 2 R numbers, R = 1, 5 or 8; second pass: 32 columns of U, 32 rows of b
 * takes     all four types, any m and n, kl < 16, kv < 18, kl + kv < 32, up to 16 right-hand sides, uniform and
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

/* Steps between which columns are copied, and how many steps early. */
enum { HALVES_CHUNK = 4, HALVES_AHEAD = 2 * HALVES_CHUNK };

/* No right-hand sides. */
template <class T> struct halves_no_sides {
  static constexpr int numbers = 0;

  __device__ __forceinline__ void load_first(int)
  {
  }
  __device__ __forceinline__ void fetch(int, int) const
  {
  }
  __device__ __forceinline__ void publish(int)
  {
  }
  __device__ __forceinline__ void eliminate(int, int, bool, T)
  {
  }
  __device__ __forceinline__ void store(int) const
  {
  }
};

/* A matrix's right-hand sides: while A is factored, numbers half, half + 2, ... of a lane's row; afterwards all of row
 * i, i % 32 = lane. */
template <class T, int R> struct halves_sides {
  enum { MOST = 2 * R, COMING = 16, LINES = 2 * HALVES_CHUNK, BLOCK = 8, RING = 4 * BLOCK, PITCH = 19 };
  static constexpr int numbers = (COMING + LINES) * MOST, back_numbers = RING * (PITCH + MOST);
  T *coming, *lines; /* rows of B to come, and eliminated ones */
  T *b, *y;          /* y: what elimination makes of b, n numbers for each */
  int64_t ldb;
  int n, nrhs, lane, half;
  T x[R];

  __device__ __forceinline__ halves_sides(T *shared, T *b, int64_t ldb, T *y, int n, int nrhs)
      : coming(shared), lines(shared + COMING * MOST), b(b), y(y), ldb(ldb), n(n), nrhs(nrhs), lane(threadIdx.x),
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
  /* f(row, right-hand side) for `rows` of them (a power of two) from `first` on. */
  template <class F> __device__ __forceinline__ void each(int first, unsigned rows, F f) const
  {
    for (unsigned e = lane; e < (unsigned)(rows * nrhs); e += 32) f(first + (int)(e % rows), (int)(e / rows));
  }
  /* Starts to copy rows from `first` on; those before `least` are not needed. */
  __device__ __forceinline__ void fetch(int first, int least) const
  {
    each(first, HALVES_CHUNK, [&](int i, int j) {
      if (i >= least && i < n) start_copy(coming + (i & (COMING - 1)) * MOST + j, b + i + j * ldb);
    });
  }
  __device__ __forceinline__ void publish(int k)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      lines[(k & (LINES - 1)) * MOST + half + 2 * r] = x[r];
      x[r] = make<T>(0);
    }
  }
  /* next: the row that a chosen lane, whose l is -1, goes on with. */
  __device__ __forceinline__ void eliminate(int k, int next, bool chosen, T l)
  {
    const T *from = (chosen ? coming + (next & (COMING - 1)) * MOST : lines + (k & (LINES - 1)) * MOST) + half;
#pragma unroll
    for (int r = 0; r < R; r++) x[r] = mad(-l, from[2 * r], x[r]);
  }
  /* Rows of the chunk that begins with row k. */
  __device__ __forceinline__ void store(int k) const
  {
    each(k, HALVES_CHUNK, [&](int i, int j) {
      if (i < n) y[i + (int64_t)j * n] = lines[(i & (LINES - 1)) * MOST + j];
    });
  }

  /* Starts to copy columns last to last - 7 of U, and the rows of y that enter behind them. */
  __device__ __forceinline__ void fetch_back(const band_matrix<T> &a, T *columns, T *rows, int last) const
  {
    const T *from = &a(last - lane, last);
#pragma unroll
    for (int s = 0; s < BLOCK; s++) {
      const int k = last - s;
      if (lane <= a.kv && lane <= k && k < n) start_copy(columns + (k & (RING - 1)) * PITCH + lane, from);
      from -= a.col + 1;
    }
    each(last - RING - BLOCK + 1, BLOCK, [&](int i, int j) {
      if (i >= 0) start_copy(rows + (i & (RING - 1)) * MOST + j, y + i + (int64_t)j * n);
    });
    copy_commit();
  }
  /* Columns last to last - 7 of U, where `u` is the lane's element of the first, `behind` columns before its row's. */
  template <bool IS_SAFE, int N>
  __device__ __forceinline__ void subtract(const T *u, int behind, int kv, int last, const diagonal<T> &by,
                                           T (&v)[N]) const
  {
#pragma unroll(IS_SAFE ? BLOCK : 1)
    for (int s = 0; s < BLOCK; s++) {
      const bool above = behind > s && behind <= s + kv && last - s < n;
      const T element = above ? u[-s * (PITCH + 1)] : make<T>(0);
#pragma unroll
      for (int j = 0; j < N; j++) {
        const T value = shuffle(IS_SAFE ? v[j] * by.inverse : by.solve(v[j]), (last - s) & 31);
        if (above) v[j] = mad(-element, value, v[j]);
      }
    }
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = behind >= BLOCK ? v[j] : IS_SAFE ? v[j] * by.inverse : by.solve(v[j]);
  }
  /* U X = Y for N right-hand sides, at least nrhs. */
  template <int N> __device__ __forceinline__ void solve_upper_for(const band_matrix<T> &a, T *shared) const
  {
    T *columns = shared, *rows = shared + RING * PITCH, v[N];
    int last = (n - 1) | (BLOCK - 1), row = last - ((last - lane) & 31);
#pragma unroll
    for (int j = 0; j < N; j++) v[j] = row >= 0 && row < n && j < nrhs ? y[row + (int64_t)j * n] : make<T>(0);
    for (int ahead = 0; ahead < 3; ahead++) fetch_back(a, columns, rows, last - ahead * BLOCK);
    for (; last >= 0; last -= BLOCK) {
      copy_wait<2>();
      __syncwarp();
      fetch_back(a, columns, rows, last - 3 * BLOCK);
      const int behind = last - row; /* columns of this block until that of the lane's row */
      const bool ends = behind < BLOCK;
      const T *u = columns + (last & (RING - 1)) * PITCH + behind;
      const diagonal<T> by(ends && row < n ? u[-behind * (PITCH + 1)] : make<T>(1));
      if (__any_sync(all_lanes, !by.safe))
        subtract<false>(u, behind, a.kv, last, by, v);
      else
        subtract<true>(u, behind, a.kv, last, by, v);
      if (ends) {
#pragma unroll
        for (int j = 0; j < N; j++) {
          if (row < n && j < nrhs) b[row + j * ldb] = v[j];
          v[j] = row >= 32 && j < nrhs ? rows[(row & (RING - 1)) * MOST + j] : make<T>(0);
        }
        row -= 32;
      }
    }
    copy_wait<0>();
  }
  __device__ __forceinline__ void solve_upper(const band_matrix<T> &a, T *shared) const
  {
    if constexpr (R == 1) {
      if (nrhs == 1)
        solve_upper_for<1>(a, shared);
      else
        solve_upper_for<2>(a, shared);
    } else {
      if (nrhs <= 4)
        solve_upper_for<4>(a, shared);
      else
        solve_upper_for<MOST>(a, shared);
    }
  }
};

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

template <class T, int SPLIT> __global__ void __launch_bounds__(32) gbtrf_halves(gbtrf_call<T> c)
{
  using lu_of = halves_lu<T, SPLIT, halves_no_sides<T>>;
  constexpr int EACH = 2 / SPLIT;
  const int own = threadIdx.x / lu_of::LANES;
  T *shared = hold_shared(shared_array<T>() + own * lu_of::numbers);
  for (int64_t first = (int64_t)blockIdx.x * EACH; first < c.ab.count; first += (int64_t)gridDim.x * EACH) {
    const int64_t b = first + own;
    const bool exists = b < c.ab.count;
    const int kl = exists ? c.kl.at(b) : 0, ku = exists ? c.ku.at(b) : 0;
    halves_no_sides<T> none;
    lu_of lu(exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku}, ku,
             shared, none);
    __syncwarp();
    lu.factor((int)__reduce_max_sync(all_lanes, (unsigned)lu.a.n), c.ipiv + b * c.npivots());
    if (exists && lu.lane == 0) c.info[b] = lu.info;
    __syncwarp();
  }
}

template <class T> struct halves_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n x b.n numbers for each matrix */
};

template <class T, int R> __global__ void __launch_bounds__(32) gbsv_halves(halves_call<T> c)
{
  using sides_of = halves_sides<T, R>;
  T *shared = hold_shared(shared_array<T>());
  for (int64_t b = blockIdx.x; b < c.lu.ab.count; b += gridDim.x) {
    const int kl = c.lu.kl.at(b), ku = c.lu.ku.at(b);
    const band_matrix<T> a = factors_of(c.lu.ab, b, c.lu.m.at(b), kl, ku);
    const int nrhs = a.n > 0 ? c.b.cols(b) : 0;
    sides_of sides(shared, nrhs > 0 ? c.b.at(b) : nullptr, nrhs > 0 ? c.b.leading(b) : (int64_t)0,
                   c.y + b * c.b.n * c.lu.ab.n, a.n, nrhs);
    halves_lu<T, 2, sides_of> lu(a, ku, shared + sides_of::numbers, sides);
    __syncwarp();
    lu.factor(a.n, c.lu.ipiv + b * c.lu.npivots());
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

/* One matrix per warp is faster, two at a time are done sooner where there are many; bits are the same. */
template <class T, int SPLIT> int launch_gbtrf_halves_of(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  constexpr int each = 2 / SPLIT, numbers = halves_lu<T, SPLIT, halves_no_sides<T>>::numbers;
  return launch(ctx, gbtrf_halves<T, SPLIT>, ceil_div(c.ab.count, each), warp_size,
                (size_t)(each * numbers) * sizeof(T), c);
}
template <class T> int launch_gbtrf_halves(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const bool few = c.ab.count <= 12 * multiprocessors();
  return few ? launch_gbtrf_halves_of<T, 2>(ctx, c) : launch_gbtrf_halves_of<T, 1>(ctx, c);
}

/* Right-hand sides that are eliminated in the same pass. */
enum { HALVES_SIDES = 16 };

template <class T, int R> int launch_gbsv_halves_of(batched_ctx *ctx, const halves_call<T> &c)
{
  using sides_of = halves_sides<T, R>;
  constexpr int numbers = sides_of::numbers + halves_lu<T, 2, sides_of>::numbers,
                most = numbers > sides_of::back_numbers ? numbers : sides_of::back_numbers;
  return launch(ctx, gbsv_halves<T, R>, c.lu.ab.count, warp_size, (size_t)most * sizeof(T), c);
}
template <class T> int launch_gbsv_halves(batched_ctx *ctx, const halves_call<T> &c)
{
  if (c.b.n <= 2) return launch_gbsv_halves_of<T, 1>(ctx, c);
  return c.b.n <= 10 ? launch_gbsv_halves_of<T, 5>(ctx, c) : launch_gbsv_halves_of<T, 8>(ctx, c);
}

} // namespace batched_cuda::band

#endif

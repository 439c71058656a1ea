/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.lanes of gbtrf and of gbsv: LU of narrow bands with partial pivoting, G lanes of a warp per matrix and a
 * column per lane; gbsv eliminates its right-hand sides in the same pass, R of them per lane, and solves with U in a
 * second one.
 *
 * Right-looking, as LAPACK's gbtf2.  At step k lane j % G keeps rows k to k + KL of column j, k <= j < k + G, in
 * registers, and all lanes keep those of column k: they choose the pivot and find the multipliers all alike, without a
 * word between them; then each exchanges and eliminates in its own column.  Column k + 1 is handed round before step k
 * changes it, and each lane does to its copy what the owner does, so that no shuffle is waited for from one pivot to
 * the next.  Columns pass through shared memory in rings of four chunks of eight; U and L take the place
 * of A.
 *
 * grid      a block per 32 / G matrices; G = 4 or 8, more than kl + ku
 * block     64 threads: a warp that computes, one that copies; 32 where there are many matrices
 * shared    a matrix each: 32 columns of G + KL numbers (10 KB per block for (2, 3) in double precision);
 *           with right-hand sides 33 numbers of each, too
 * takes     all four types, any m and n, kl <= 3, kl + ku <= 7, up to 16 right-hand sides, uniform and variable
 * reads     ab inside of the band, once, and b; writes ab with what fills it, ipiv (from 1), info (first pivot that is
 *           zero or NaN); gbsv: reads U, and writes b where info is 0
 * scratch   gbsv: the eliminated right-hand sides
 * accuracy  |P L U - A| < 30 n eps |A|, |A X - B| < 30 n eps |A| |X|; multiplies by reciprocals, divides where they may
 *           over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_LANES_CUH
#define BATCHED_BAND_CUDA_LANES_CUH

#include "batched/band/cuda/gbtrf.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { LANES_CHUNK = 8, LANES_CHUNKS = 4 };

/* Exchanges elements 0 and p of rows k to k + KL. */
template <class T, int KL> __device__ __forceinline__ void exchange_rows(T (&w)[KL + 1], int p)
{
  T top = w[0];
#pragma unroll
  for (int i = 1; i <= KL; i++) {
    top = select(p == i, w[i], top);
    w[i] = select(p == i, w[0], w[i]);
  }
  w[0] = top;
}

/* A column, or from l[1] on its multipliers, once row p is on top; is the pivot zero or NaN? */
template <class T, int KL> struct lanes_multipliers {
  T l[KL + 1];
  int p;
  bool is_bad;
};

/* The multipliers of a column: the pivot is the first of the largest |re| + |im|, a NaN only if it is the first. */
template <class T, int KL>
static __device__ __noinline__ lanes_multipliers<T, KL> settle_lanes(lanes_multipliers<T, KL> x)
{
  int p = 0;
  real_of<T> size = abs1(x.l[0]);
#pragma unroll
  for (int i = 1; i <= KL; i++) {
    const real_of<T> other = abs1(x.l[i]);
    p = other > size ? i : p;
    size = other > size ? other : size;
  }
  exchange_rows<T, KL>(x.l, p);
  const T d = x.l[0];
  const diagonal<T> by(d);
#pragma unroll
  for (int i = 1; i <= KL; i++) x.l[i] = d == make<T>(0) ? x.l[i] : by.solve(x.l[i]);
  x.p = p;
  x.is_bad = is_bad_pivot(d);
  return x;
}

/* The same by high words alone, and by one reciprocal; not sure where they tie or the pivot is zero, NaN, or near over-
 * or underflow. */
template <class T, int KL> struct lanes_choice {
  T l[KL + 1];
  int p;
  bool is_sure;

  __device__ __forceinline__ explicit lanes_choice(const T (&x)[KL + 1]) : p(0)
  {
    unsigned top = high_word(x[0]);
    bool tie = false, takes[KL + 1] = {true};
#pragma unroll
    for (int i = 1; i <= KL; i++) {
      const unsigned other = high_word(x[i]);
      tie = other == top || (tie && other < top);
      takes[i] = other > top;
#pragma unroll
      for (int j = 0; j < i; j++) takes[j] = takes[j] && !takes[i];
      p = takes[i] ? i : p;
      top = max(other, top);
    }
    is_sure = !tie && is_usual_pivot<T>(top);
    T inverse;
    if constexpr (is_complex<T>) {
      T best = x[0];
#pragma unroll
      for (int i = 1; i <= KL; i++) best = select(takes[i], x[i], best);
      inverse = inverse_of(best);
    } else {
      inverse = inverse_of(x[0]);
#pragma unroll
      for (int i = 1; i <= KL; i++) inverse = select(takes[i], inverse_of(x[i]), inverse);
    }
    l[0] = x[0];
#pragma unroll
    for (int i = 1; i <= KL; i++) l[i] = select(takes[i], x[0], x[i]) * inverse;
  }
  /* Settles exactly the step of a matrix of the warp that is not sure.  Is its pivot zero or NaN? */
  __device__ __forceinline__ bool settle(const T (&x)[KL + 1])
  {
    lanes_multipliers<T, KL> exact;
#pragma unroll
    for (int i = 0; i <= KL; i++) exact.l[i] = x[i];
    exact = settle_lanes<T, KL>(exact);
#pragma unroll
    for (int i = 1; i <= KL; i++) l[i] = select(is_sure, l[i], exact.l[i]);
    p = is_sure ? p : exact.p;
    return !is_sure && exact.is_bad;
  }
};

/* Rows k + 1 to k + KL + 1 once row k is eliminated; the last one comes. */
template <class T, int KL>
__device__ __forceinline__ void eliminate_rows(T (&w)[KL + 1], const T (&l)[KL + 1], T coming)
{
  const T top = w[0];
#pragma unroll
  for (int i = 1; i <= KL; i++) w[i - 1] = mad(-l[i], top, w[i]);
  w[KL] = coming;
}

/* No right-hand sides. */
template <class T, int KL, int G> struct lanes_no_sides {
  enum { EXIST = false };
  __device__ __forceinline__ void begin()
  {
  }
  __device__ __forceinline__ void eliminate(int, const lanes_choice<T, KL> &)
  {
  }
  __device__ __forceinline__ void load(int) const
  {
  }
  __device__ __forceinline__ void store(int) const
  {
  }
};

/* Those of a matrix: lane l has numbers l + r G, rows k to k + KL while A is factored, and k to k - G + 1 while U is
 * solved with; rows pass through shared memory as columns of A do. */
template <class T, int KL, int G, int R> struct lanes_sides {
  enum { EXIST = true, ROWS = LANES_CHUNK * LANES_CHUNKS, PITCH = ROWS + 1 };
  T *ring, *b, *y; /* y: what elimination makes of b, n numbers for each */
  int64_t ldb;
  int n, nrhs, lane;
  T x[R][KL + 1], v[R][G];

  __device__ __forceinline__ bool has(int r) const
  {
    return lane + r * G < nrhs;
  }
  __device__ __forceinline__ T &at(int r, int row) const
  {
    return ring[(lane + r * G) * PITCH + (row & (ROWS - 1))];
  }
  __device__ __forceinline__ T row(int r, int i) const
  {
    return has(r) ? at(r, i) : make<T>(0);
  }
  /* f(element of the ring, row, right-hand side) for all rows of a chunk. */
  template <class F> __device__ __forceinline__ void each(int number, F f) const
  {
#pragma unroll
    for (int turn = 0; turn < LANES_CHUNK / G; turn++) {
      const int i = number * LANES_CHUNK + turn * G + lane;
      T *element = ring + (i & (ROWS - 1));
#pragma unroll 4
      for (int j = 0; j < nrhs; j++, element += PITCH) f(*element, i, j);
    }
  }
  __device__ __forceinline__ void load_from(const T *from, int64_t ld, int number) const
  {
    each(number, [&](T &element, int i, int j) { copy_or_clear(element, from + i + j * ld, i >= 0 && i < n); });
  }
  __device__ __forceinline__ void store_to(T *to, int64_t ld, int number) const
  {
    each(number, [&](T &element, int i, int j) {
      if (i < n) to[i + j * ld] = element;
    });
  }
  __device__ __forceinline__ void load(int number) const
  {
    load_from(b, ldb, number);
  }
  __device__ __forceinline__ void store(int number) const
  {
    store_to(y, n, number);
  }

  __device__ __forceinline__ void begin()
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int i = 0; i <= KL; i++) x[r][i] = row(r, i);
    }
  }
  __device__ __forceinline__ void eliminate(int k, const lanes_choice<T, KL> &choice)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T coming = row(r, k + KL + 1);
      exchange_rows<T, KL>(x[r], choice.p);
      if (has(r)) at(r, k) = x[r][0];
      eliminate_rows<T, KL>(x[r], choice.l, coming);
    }
  }

  /* The last rows before row `end`. */
  __device__ __forceinline__ void begin_back(int end)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
#pragma unroll
      for (int c = 0; c < G; c++) v[r][c] = row(r, end - 1 - c);
    }
  }
  /* Unknown k, where u[-c] is U(k - c, k): by the inverse of the diagonal, or where that is not safe by a division. */
  template <bool IS_SAFE> __device__ __forceinline__ void solve(int k, const T *u, T inverse)
  {
    T above[G];
#pragma unroll
    for (int c = 0; c < G; c++) above[c] = u[-c];
    const diagonal<T> by(above[0], inverse);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const T coming = row(r, k - G),
              quotient = IS_SAFE || by.safe ? mad(v[r][0], inverse, make<T>(0)) : by.solve(v[r][0]),
              value = IS_SAFE || k < n ? quotient : make<T>(0);
#pragma unroll
      for (int c = 1; c < G; c++) v[r][c - 1] = mad(-above[c], value, v[r][c]);
      v[r][G - 1] = coming;
      if (has(r)) at(r, k) = value;
    }
  }
};

template <class T, int KL, int G, int WARPS, class S> struct lanes_lu {
  static constexpr int DIAGONAL = G - 1, ROWS = G + KL, PITCH = ROWS + ROWS % 2; /* columns start in other banks */
  static constexpr int NUMBERS = LANES_CHUNKS * LANES_CHUNK * PITCH + G, TURNS = LANES_CHUNK / G,
                       EACH = LANES_CHUNK * ROWS / G; /* elements of a chunk per lane */
  band_matrix<T> a;
  int ku, steps, lane, info, pivots[TURNS];
  T *ring, *place; /* where this lane's element of row k is */
  S &sides;
  T w[KL + 1], column[KL + 1]; /* rows k to k + KL of this lane's column, and of column k */

  __device__ __forceinline__ lanes_lu(const band_matrix<T> &a, int ku, T *ring, S &sides)
      : a(a), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x % G), info(0), ring(ring), place(nullptr), sides(sides)
  {
  }

  static __device__ __forceinline__ bool computes()
  {
    return threadIdx.x < 32;
  }
  static __device__ __forceinline__ bool copies()
  {
    return WARPS == 1 || threadIdx.x >= 32;
  }
  __device__ __forceinline__ T *chunk(int number) const
  {
    return ring + (number & (LANES_CHUNKS - 1)) * LANES_CHUNK * PITCH;
  }
  /* f(turn, element of the ring, i, j), all elements of a chunk's columns from row j - DIAGONAL to j + KL. */
  template <class F> __device__ __forceinline__ void each(int number, F f) const
  {
    T *elements = chunk(number);
    int j = number * LANES_CHUNK, r = lane;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      f(e, elements[(j & (LANES_CHUNK - 1)) * PITCH + r], j - DIAGONAL + r, j);
      r += G;
      if (r >= ROWS) r -= ROWS, j++;
    }
  }
  /* Is the band from `above` to `below` the diagonal inside of the matrix in all of a chunk's columns, and do 32 bits
   * count the numbers between these?  Then no element asks whether it exists; the warp that solves with U waits for the
   * one that copies. */
  __device__ __forceinline__ bool is_inside(int number, int above, int below) const
  {
    const int first = number * LANES_CHUNK, end = first + LANES_CHUNK;
    const bool is_inside = first >= above && end <= a.n && end + below <= a.m && a.col < (1 << 28);
    return WARPS > 1 && S::EXIST && __all_sync(all_lanes, is_inside);
  }
  /* f(turn, element of the ring, element of A, its row less its column) for all elements of such a chunk. */
  template <class F> __device__ __forceinline__ void each_inside(int number, F f) const
  {
    T *elements = chunk(number);
    T *first = a.at + (number * LANES_CHUNK) * (a.col + 1) - DIAGONAL;
    const int between = (int)a.col + 1 - ROWS;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
      const int place = lane + e * G, column = place / ROWS;
      f(e, elements[place + column * (PITCH - ROWS)], first + (place + column * between),
        place - column * ROWS - DIAGONAL);
    }
  }
  /* Starts to copy A, with zeros around it. */
  __device__ __forceinline__ void load(int number) const
  {
    if (is_inside(number, ku, a.kl))
      each_inside(number, [&](int, T &element, const T *from, int below) {
        copy_or_clear(element, from, (unsigned)(below + ku) <= (unsigned)(a.kl + ku));
      });
    else
      each(number, [&](int, T &element, int i, int j) {
        copy_or_clear(element, &a(i, j), j < a.n && i >= 0 && i < a.m && i - j <= a.kl && j - i <= ku);
      });
    sides.load(number);
    copy_commit();
  }
  __device__ __forceinline__ void store(int number) const
  {
    T x[EACH];
    each(number, [&](int e, T &element, int, int) { x[e] = element; });
    if (is_inside(number, a.kv, a.kl))
      each_inside(number, [&](int e, T &, T *to, int below) {
        if ((unsigned)(below + a.kv) <= (unsigned)(a.kl + a.kv)) *to = x[e];
      });
    else
      each(number, [&](int e, T &, int i, int j) {
        if (j < a.n && i >= 0 && i < a.m && i - j <= a.kl && j - i <= a.kv) a(i, j) = x[e];
      });
    sides.store(number);
  }
  /* The same for U, and what elimination has made of B. */
  __device__ __forceinline__ void load_upper(int number) const
  {
    if (is_inside(number, a.kv, 0))
      each_inside(number, [&](int, T &element, const T *from, int below) {
        copy_or_clear(element, from, (unsigned)(below + a.kv) <= (unsigned)a.kv);
      });
    else
      each(number, [&](int, T &element, int i, int j) {
        copy_or_clear(element, &a(i, j), j >= 0 && j < a.n && i >= 0 && i <= j && j - i <= a.kv);
      });
    sides.load_from(sides.y, sides.n, number);
    copy_commit();
  }

  __device__ __forceinline__ void begin()
  {
    place = ring + lane * PITCH + DIAGONAL - lane;
#pragma unroll
    for (int i = 0; i <= KL; i++) w[i] = place[i];
#pragma unroll
    for (int i = 0; i <= KL; i++) column[i] = shuffle(w[i], 0, G);
    sides.begin();
  }

  /* Step k, column s of its chunk; places of columns k + 1 and k + G. */
  __device__ __forceinline__ void step(int k, int s, const T *following, T *entering)
  {
    const bool leaves = lane == s % G;
    T *next_place = leaves ? entering : place + 1;
    const T coming = next_place[KL], beside_coming = following[DIAGONAL + KL];
    T beside[KL + 1];
#pragma unroll
    for (int i = 0; i <= KL; i++) beside[i] = shuffle(w[i], (s + 1) % G, G);
    lanes_choice<T, KL> choice(column);
    __syncwarp(); /* column k + 1 has been read, of which multipliers take the place */
    if (__any_sync(all_lanes, !choice.is_sure && k < steps)) {
      if (choice.settle(column) && !info && k < steps) info = k + 1;
    }
    exchange_rows<T, KL>(w, choice.p);
    exchange_rows<T, KL>(beside, choice.p);
    place[0] = w[0];
    if (leaves) {
      pivots[s / G] = k + choice.p + 1;
#pragma unroll
      for (int i = 1; i <= KL; i++) place[i] = choice.l[i];
    }
    sides.eliminate(k, choice);
    eliminate_rows<T, KL>(w, choice.l, coming);
#pragma unroll
    for (int i = 0; i < KL; i++) w[i] = select(leaves, make<T>(0), w[i]);
    eliminate_rows<T, KL>(beside, choice.l, beside_coming);
#pragma unroll
    for (int i = 0; i <= KL; i++) column[i] = beside[i];
    place = next_place;
  }

  __device__ __forceinline__ void factor_chunk(int number, int *ipiv)
  {
    const int first = number * LANES_CHUNK;
    const auto column_of = [&](int t) { return chunk(number + t / LANES_CHUNK) + t % LANES_CHUNK * PITCH; };
#pragma unroll
    for (int s = 0; s < LANES_CHUNK; s++) step(first + s, s, column_of(s + 1), column_of(s + G));
#pragma unroll
    for (int t = 0; t < TURNS; t++)
      if (first + t * G + lane < steps) ipiv[first + t * G + lane] = pivots[t];
  }

  static __device__ __forceinline__ void meet()
  {
    if (WARPS > 1)
      __syncthreads();
    else
      __syncwarp();
  }
  /* Chunk `first` and the next two in that direction begin to come; two are there. */
  template <class F> __device__ __forceinline__ void start(int first, int direction, F copy) const
  {
    if (copies()) {
      for (int ahead = 0; ahead < LANES_CHUNKS - 1; ahead++) copy(first + ahead * direction);
      copy_wait<LANES_CHUNKS - 3>();
    }
    meet();
  }
  /* `chunks`: of the largest matrix of the block. */
  __device__ __forceinline__ void factor(int chunks, int *ipiv)
  {
    start(0, 1, [&](int number) { load(number); });
    if (computes()) begin();
    for (int number = 0; number <= chunks; number++) {
      if (computes() && number < chunks) factor_chunk(number, ipiv);
      if (copies()) {
        if (number > 0) store(number - 1);
        load(number + LANES_CHUNKS - 1);
        copy_wait<LANES_CHUNKS - 3>();
      }
      meet();
    }
    copy_wait<0>();
  }

  __device__ __forceinline__ void solve_chunk(int number)
  {
    const T *here = chunk(number) + DIAGONAL;
    const int first = number * LANES_CHUNK;
    T inverses[TURNS];
    bool is_safe = true;
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
      const diagonal<T> by(here[(t * G + lane) * PITCH]);
      const bool exists = first + t * G + lane < a.n;
      inverses[t] = exists ? by.inverse : make<T>(0);
      is_safe = is_safe && (by.safe || !exists);
    }
    if (__all_sync(all_lanes, is_safe)) {
#pragma unroll
      for (int s = LANES_CHUNK - 1; s >= 0; s--)
        sides.template solve<true>(first + s, here + s * PITCH, shuffle(inverses[s / G], s % G, G));
    } else {
#pragma unroll 1
      for (int turn = TURNS - 1; turn >= 0; turn--) {
        const T own = turn == 0 ? inverses[0] : inverses[TURNS - 1];
#pragma unroll 1
        for (int s = (turn + 1) * G - 1; s >= turn * G; s--)
          sides.template solve<false>(first + s, here + s * PITCH, shuffle(own, s % G, G));
      }
    }
  }

  /* U X = Y, from the last chunk to the first; nothing where the matrix has no rows. */
  __device__ __forceinline__ void solve(int chunks)
  {
    start(chunks - 1, -1, [&](int number) { load_upper(number); });
    if (computes()) sides.begin_back(chunks * LANES_CHUNK);
    for (int number = chunks - 1; number >= -1; number--) {
      if (computes() && number >= 0) solve_chunk(number);
      if (copies()) {
        if (number < chunks - 1) sides.store_to(sides.b, sides.ldb, number + 1);
        load_upper(number - (LANES_CHUNKS - 1));
        copy_wait<LANES_CHUNKS - 3>();
      }
      meet();
    }
    copy_wait<0>();
  }
};

template <class T> struct lanes_call {
  gbtrf_call<T> lu;
  batch<T> b;
  T *y; /* what elimination makes of b, ab.n x b.n numbers for each matrix */
};

/* The matrix of this lane, one of 32 / G from number `first` on. */
template <class T, int G> struct lanes_matrix {
  band_matrix<T> a;
  int64_t b;
  bool exists;
  int ku, chunks; /* chunks: of the largest of these matrices */

  __device__ __forceinline__ lanes_matrix(const gbtrf_call<T> &c, int64_t first)
      : b(first + threadIdx.x % 32 / G), exists(b < c.ab.count), ku(exists ? c.ku.at(b) : 0)
  {
    const int kl = exists ? c.kl.at(b) : 0;
    a = exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku};
    chunks = ((int)__reduce_max_sync(all_lanes, (unsigned)a.n) + LANES_CHUNK - 1) / LANES_CHUNK;
  }
};

template <class T, int KL, int G, int WARPS> __global__ void __launch_bounds__(32 * WARPS) gbtrf_lanes(lanes_call<T> c)
{
  using sides_of = lanes_no_sides<T, KL, G>;
  using lu_of = lanes_lu<T, KL, G, WARPS, sides_of>;
  T *ring = hold_shared(shared_array<T>() + threadIdx.x % 32 / G * lu_of::NUMBERS);
  for (int64_t first = (int64_t)blockIdx.x * (32 / G); first < c.lu.ab.count; first += (int64_t)gridDim.x * (32 / G)) {
    const lanes_matrix<T, G> x(c.lu, first);
    sides_of none;
    lu_of lu(x.a, x.ku, ring, none);
    lu.factor(x.chunks, c.lu.ipiv + x.b * c.lu.npivots());
    if (lu.computes() && x.exists && lu.lane == 0) c.lu.info[x.b] = lu.info;
    lu.meet();
  }
}

template <class T, int KL, int G, int WARPS, int R>
__global__ void __launch_bounds__(32 * WARPS) gbsv_lanes(lanes_call<T> c)
{
  using sides_of = lanes_sides<T, KL, G, R>;
  using lu_of = lanes_lu<T, KL, G, WARPS, sides_of>;
  const int lane = threadIdx.x % G;
  T *ring = hold_shared(shared_array<T>() + threadIdx.x % 32 / G * (lu_of::NUMBERS + c.b.n * sides_of::PITCH));
  for (int64_t first = (int64_t)blockIdx.x * (32 / G); first < c.lu.ab.count; first += (int64_t)gridDim.x * (32 / G)) {
    const lanes_matrix<T, G> x(c.lu, first);
    const int n = x.a.n, nrhs = n > 0 ? c.b.cols(x.b) : 0;
    sides_of sides = {ring + lu_of::NUMBERS, nullptr, nullptr, 0, n, nrhs, lane, {}, {}};
    if (nrhs > 0) {
      sides.b = c.b.at(x.b);
      sides.ldb = c.b.leading(x.b);
      sides.y = c.y + x.b * c.b.n * c.lu.ab.n;
    }
    lu_of lu(x.a, x.ku, ring, sides);
    lu.factor(x.chunks, c.lu.ipiv + x.b * c.lu.npivots());
    if (lu.computes() && x.exists && lane == 0) c.lu.info[x.b] = lu.info;
    lu.meet();
    if (x.exists && c.lu.info[x.b]) lu.a.n = sides.n = sides.nrhs = 0;
    lu.solve(x.chunks);
    lu.meet();
  }
}

/* KL + ku < G, where KL is that of the kernel. */
static inline bool lanes_can_factor(batched_extent kl, batched_extent ku)
{
  return kl.bound <= 3 && ku.bound <= 5 && kl.bound + ku.bound <= 7;
}

/* Right-hand sides that are eliminated in the same pass. */
enum { LANES_SIDES = 16 };

/* A warp that copies beside the one that computes makes few matrices faster, but takes registers from many.
 * nrhs: no_sides for gbtrf, whose file so compiles none of gbsv's kernels. */
using no_sides = std::integral_constant<int, 0>;
template <class T, int KL, int G, int WARPS, class N>
int launch_band_lanes(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const int numbers =
    lanes_lu<T, KL, G, WARPS, lanes_no_sides<T, KL, G>>::NUMBERS + nrhs * (int)lanes_sides<T, KL, G, 1>::PITCH;
  const auto with = [&](auto kernel) {
    return launch(ctx, kernel, ceil_div(c.lu.ab.count, 32 / G), WARPS * warp_size,
                  (size_t)(32 / G * numbers) * sizeof(T), c);
  };
  if constexpr (std::is_same_v<N, no_sides>)
    return with(gbtrf_lanes<T, KL, G, WARPS>);
  else
    return nrhs <= G ? with(gbsv_lanes<T, KL, G, WARPS, 1>) : with(gbsv_lanes<T, KL, G, WARPS, 2>);
}
template <class T, int KL, int G, class N> int launch_few_or_many(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const bool few = c.lu.ab.count * G / 32 <= 8 * multiprocessors();
  return few ? launch_band_lanes<T, KL, G, 2>(ctx, c, nrhs) : launch_band_lanes<T, KL, G, 1>(ctx, c, nrhs);
}

template <class T, class N> int launch_lanes(batched_ctx *ctx, const lanes_call<T> &c, N nrhs)
{
  const int kl = c.lu.kl.bound, ku = c.lu.ku.bound;
  if (kl <= 1 && ku <= 2 && nrhs <= 8) return launch_few_or_many<T, 1, 4>(ctx, c, nrhs);
  return kl <= 2 ? launch_few_or_many<T, 2, 8>(ctx, c, nrhs) : launch_few_or_many<T, 3, 8>(ctx, c, nrhs);
}

} // namespace batched_cuda::band

#endif

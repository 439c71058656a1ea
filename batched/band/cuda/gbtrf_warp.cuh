/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gbtrf: LU of narrow bands with partial pivoting, G lanes of a warp per matrix and a row per lane; no
 * barrier beyond the warp.
 *
 * Right-looking, as LAPACK's gbtf2.  A lane holds what is left of a row, columns k to k + kv at step k.  Rows do not
 * move: a lane tracks the position of its row.  The pivot's lane publishes its row, which is row k of U, in shared
 * memory, and takes the next row of A, number k + 1 + kl.  The others subtract l times that row, writing column c over
 * column c - 1, so that the window moves on at no cost; both read shared memory at the same time, and column k + 1
 * comes first, by shuffles, for the next search to begin early.  Columns of A arrive by asynchronous copies, `ahead`
 * steps early, and are turned into rows on the way; columns of the factors leave one step after they are complete.
 *
 * grid      a block per 32 / G matrices; G = 4, 8, 16 or 32, more than kl
 * block     32 threads; N numbers of a row in registers, N > kv
 * shared    a matrix each: kv + 9 rows of A, kv + 3 rows of U, two columns of L
 * takes     all four types, any m and n, kl < 32, kv < N as warp_shape says, uniform and variable
 * reads     ab inside of the band, once; writes ab with what fills it, ipiv (from 1), info (first pivot that is zero or
 *           NaN)
 * accuracy  |P L U - A| < 30 n eps |A|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_GBTRF_WARP_CUH
#define BATCHED_BAND_CUDA_GBTRF_WARP_CUH

#include "batched/band/cuda/gbtrf.cuh"
#include "batched/cuda/bulk_copy.cuh"

namespace batched_cuda::band
{

enum { WARP_AHEAD = 8 };

/* A place of a ring that moves on by one each step. */
struct ring_place {
  int at;

  __device__ __forceinline__ void advance(int size)
  {
    at = at + 1 == size ? 0 : at + 1;
  }
};

/* Shared memory of a matrix with widths of these bounds, in numbers. */
template <class T> struct warp_rings {
  int pitch, rows, upper, below; /* of a row of A or U; rows of A; rows of U; of a column of L */

  /* Rows of A begin behind one number, and end in zeros. */
  DEVICE warp_rings(int kl, int kv, int columns)
      : pitch((columns + 2 * pack<T>::size) / pack<T>::size * pack<T>::size), rows(kv + WARP_AHEAD + 1), upper(kv + 3),
        below((kl + pack<T>::size) / pack<T>::size * pack<T>::size)
  {
  }
  DEVICE int size() const
  {
    return (upper + rows) * pitch + 2 * below;
  }
};

/* Result of a search for the pivot: its lane, 1 / pivot (1 if that is exceptional), and this lane's element, already
 * divided if it is exceptional. */
template <class T> struct warp_choice {
  T x, inverse;
  int lane;
  bool is_bad;
};

template <class T, int G>
static __device__ __noinline__ warp_choice<T> settle_band_pivot(T x, int place, int k, bool running)
{
  const int best = best_lane<G>(key_of(x, place, k, running && place >= 0)), found = max(best, 0);
  const T d = shuffle(x, found);
  warp_choice<T> choice = {x, make<T>(1), found, running && is_bad_pivot(d)};
  if (is_usual_pivot<T>(high_word(d)))
    choice.inverse = inverse_of(d);
  else if (d != make<T>(0) && (int)threadIdx.x % 32 != found)
    choice.x = divide_rarely(x, d);
  return choice;
}

template <class T, int G, int N> struct warp_lu {
  static constexpr int V = pack<T>::size, LAST = (N + V) / V * V; /* behind column N */
  static constexpr int OUT = (N + (G < N ? G : N) + G - 2) / G, IN = (N + G - 1) / G;
  static constexpr unsigned NUMBERS = G - 1, SIZES = 0x7fffffffu & ~NUMBERS; /* bits of |x|'s high word: lane, size */
  band_matrix<T> a;
  int ku, steps, lane;
  warp_rings<T> rings;
  T *upper, *rows, *below; /* U's rows; A's rows to come; L's last two columns */
  T x[LAST];
  int place, pivot, info; /* of this lane's row, -1: none; entry of ipiv that the lane keeps */
  ring_place next_row, own_upper, fetched[IN], stored[OUT];

  __device__ __forceinline__ warp_lu(const band_matrix<T> &a, int ku, const warp_rings<T> &rings, T *shared)
      : a(a), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x % G), rings(rings), upper(shared),
        rows(upper + rings.upper * rings.pitch), below(rows + rings.rows * rings.pitch), pivot(0), info(0)
  {
    next_row = {(a.kl + 1) % rings.rows};
    own_upper = {0};
#pragma unroll
    for (int e = 0; e < IN; e++) fetched[e] = {(rings.rows - ku % rings.rows + lane + e * G) % rings.rows};
#pragma unroll
    for (int e = 0; e < OUT; e++)
      stored[e] = {(2 * rings.upper - 1 - a.kv + (lane + e * G) % rings.upper) % rings.upper}; /* row k - 1 - kv + t */
    for (int e = lane; e < rings.rows * rings.pitch; e += G) rows[e] = make<T>(0);
  }

  /* Rows 0 to kl. */
  __device__ __forceinline__ void load_first()
  {
    place = lane <= a.kl && lane < a.m && steps > 0 ? lane : -1;
#pragma unroll
    for (int c = 0; c < LAST; c++) x[c] = c < N && place >= 0 && c < a.n && c <= lane + ku ? a(lane, c) : make<T>(0);
  }

  /* Starts to copy column j's rows from kl + 1 on. */
  __device__ __forceinline__ void fetch(int j)
  {
#pragma unroll
    for (int e = 0; e < IN; e++) {
      const int t = lane + e * G, i = j - ku + t;
      if (t <= a.kv && j < a.n && i > a.kl && i < a.m)
        start_copy(rows + fetched[e].at * rings.pitch + 1 + a.kv - t, &a(i, j));
      fetched[e].advance(rings.rows);
    }
    copy_commit();
  }

  /* Column j of the factors. */
  __device__ __forceinline__ void store(int j, bool exists)
  {
    T y[OUT];
#pragma unroll
    for (int e = 0; e < OUT; e++) {
      const int t = lane + e * G;
      const T *from =
        t <= a.kv ? upper + stored[e].at * rings.pitch + a.kv - t : below + (j & 1) * rings.below + t - a.kv - 1;
      y[e] = t <= a.kv + a.kl ? *from : make<T>(0);
      stored[e].advance(rings.upper);
    }
#pragma unroll
    for (int e = 0; e < OUT; e++) {
      const int t = lane + e * G, i = j - a.kv + t;
      if (exists && t <= a.kv + a.kl && i >= 0 && i < a.m) a(i, j) = y[e];
    }
  }

  __device__ __forceinline__ void keep_pivot(int k, int origin, int *ipiv)
  {
    if (k % G == lane) pivot = origin + 1;
    if (k % G == G - 1 || k == steps - 1) {
      const int at = k - k % G + lane;
      if (at <= k) ipiv[at] = pivot;
    }
  }

  __device__ __forceinline__ void publish()
  {
    T *line = upper + own_upper.at * rings.pitch;
#pragma unroll
    for (int c = 0; c < LAST; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = x[c + v];
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
  }

  __device__ __forceinline__ void step(int k, int *ipiv)
  {
    const bool running = k < steps, has_row = running && place >= 0;
    const unsigned high = has_row ? (high_word(x[0]) & SIZES) | lane : 0, top = max_of_lanes<G>(high);
    const T fresh = rows[next_row.at * rings.pitch + 1];
    T inverse = inverse_of(x[0]);
    int best = threadIdx.x % 32 / G * G + (top & NUMBERS);
    if (__any_sync(all_lanes, running && ((high ^ top) - 1 < NUMBERS || !is_usual_pivot<T>(top)))) {
      const warp_choice<T> choice = settle_band_pivot<T, G>(x[0], place, k, running);
      x[0] = choice.x;
      inverse = choice.inverse;
      best = choice.lane;
      if (choice.is_bad && !info) info = k + 1;
    } else {
      inverse = shuffle(inverse, best);
    }
    const int origin = __shfl_sync(all_lanes, place, best);
    const T beside = shuffle(x[1], best);
    const bool chosen = running && best == (int)threadIdx.x % 32;
    if (chosen) publish();
    copy_wait<WARP_AHEAD - 2>();
    __syncwarp();
    const T *from = chosen ? rows + next_row.at * rings.pitch : upper + own_upper.at * rings.pitch;
    T l = has_row && !chosen ? x[0] * inverse : make<T>(0);
    if (has_row && !chosen) {
      if (place == k) place = origin;
      below[(k & 1) * rings.below + place - k - 1] = l;
    }
    if (running) {
      x[0] = select(chosen, fresh, mad(-l, beside, x[1]));
#pragma unroll
      for (int c = 0; c < LAST; c += V) {
        const pack<T> p = *reinterpret_cast<const pack<T> *>(from + c);
#pragma unroll
        for (int v = 0; v < V; v++) {
          if (c + v > 1) x[c + v - 1] = select(chosen, p.x[v], mad(-l, p.x[v], x[c + v]));
        }
      }
      x[LAST - 1] = make<T>(0);
      if (chosen) place = k + 1 + a.kl < a.m ? k + 1 + a.kl : -1;
      keep_pivot(k, origin, ipiv);
    }
    fetch(k + a.kv + 1 + WARP_AHEAD);
    store(k - 1, k > 0 && k <= a.n && steps > 0);
    next_row.advance(rings.rows);
    own_upper.advance(rings.upper);
  }

  __device__ __forceinline__ void factor(int most_n, int *ipiv)
  {
    load_first();
    __syncwarp();
    for (int j = 0; j <= a.kv + WARP_AHEAD; j++) fetch(j);
    copy_wait<WARP_AHEAD - 1>();
    __syncwarp();
    for (int k = 0; k <= most_n; k++) step(k, ipiv);
    copy_wait<0>();
  }
};

template <class T, int G, int N> __global__ void __launch_bounds__(32) gbtrf_warp(gbtrf_call<T> c)
{
  constexpr int each = 32 / G;
  const warp_rings<T> rings(c.kl.bound, c.kl.bound + c.ku.bound, N);
  T *shared = shared_array<T>() + threadIdx.x / G * rings.size();
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.ab.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / G;
    const bool exists = b < c.ab.count;
    const int kl = exists ? c.kl.at(b) : 0, ku = exists ? c.ku.at(b) : 0;
    const band_matrix<T> a =
      exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku};
    warp_lu<T, G, N> lu(a, ku, rings, shared);
    lu.factor((int)__reduce_max_sync(all_lanes, (unsigned)a.n), c.ipiv + b * c.npivots());
    if (exists && lu.lane == 0) c.info[b] = lu.info;
    __syncwarp();
  }
}

/* The kernel for widths kl and kv: G and N; none where there is none. */
struct warp_shape {
  int lanes, columns;

  template <class T> static warp_shape of(int64_t kl, int64_t kv)
  {
    if (kl <= 3 && kv <= 6) return {4, 7};
    if (kl <= 7 && kv <= 18) return {8, 19};
    if (kl <= 15 && kv <= 18) return {16, 19};
    if (kl <= 31 && kv <= 30) return {32, 31};
    if (kl <= 31 && kv <= 62 && sizeof(T) < 16) return {32, 63};
    return {0, 0};
  }
};

/* Calls f with the kernel of that shape. */
template <class T, class F> int with_gbtrf_warp(warp_shape s, F f)
{
  if (s.columns == 7) return f(gbtrf_warp<T, 4, 7>);
  if (s.columns == 19 && s.lanes == 8) return f(gbtrf_warp<T, 8, 19>);
  if (s.columns == 19) return f(gbtrf_warp<T, 16, 19>);
  if (s.columns == 31) return f(gbtrf_warp<T, 32, 31>);
  if constexpr (sizeof(T) < 16)
    if (s.columns == 63) return f(gbtrf_warp<T, 32, 63>);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> int launch_gbtrf_warp(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const int kl = c.kl.bound, kv = kl + c.ku.bound;
  const warp_shape shape = warp_shape::of<T>(kl, kv);
  const warp_rings<T> rings(kl, kv, shape.columns);
  const int each = shape.lanes > 0 ? warp_size / shape.lanes : 1;
  return with_gbtrf_warp<T>(shape, [&](auto kernel) {
    return launch(ctx, kernel, ceil_div(c.ab.count, each), warp_size, (size_t)(each * rings.size()) * sizeof(T), c);
  });
}

} // namespace batched_cuda::band

#endif

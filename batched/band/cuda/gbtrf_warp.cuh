/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gbtrf: LU of narrow bands with partial pivoting, G lanes of a warp per matrix and a row per lane; no
 * barrier beyond the warp.
 *
 * Right-looking, as LAPACK's gbtf2.  A lane holds what is left of a row, columns k to k + kv at step k.  Rows do not
 * move: a lane tracks the position of its row.  The pivot's lane publishes its row, which is row k of U, in shared
 * memory, and takes the next row of A, number k + 1 + kl.  The others subtract l times that row, writing column c over
 * column c - 1, so that the window moves on at no cost.  Columns of A arrive by asynchronous copies, `ahead` steps
 * early, and are turned into rows on the way; columns of the factors leave one step after they are complete.
 *
 * grid      a block per 64 / G matrices; G = 4, 8, 16 or 32, more than kl
 * block     64 threads; N numbers of a row in registers, N > kv
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

enum { WARP_THREADS = 64, WARP_AHEAD = 8 };

/* A ring's place that moves on. */
struct ring_place {
  int at, size;

  __device__ __forceinline__ void advance()
  {
    at = at + 1 == size ? 0 : at + 1;
  }
  /* t further on, 0 <= t <= size. */
  __device__ __forceinline__ int beyond(int t) const
  {
    return at + t < size ? at + t : at + t - size;
  }
};

/* Shared memory of a matrix whose widths are these. */
template <class T, int N> struct warp_rings {
  int pitch, rows, upper, below; /* numbers per row of A, rows of A, rows of U, numbers per column of L */

  DEVICE warp_rings(int kl, int kv)
      : pitch((kv + pack<T>::size) / pack<T>::size * pack<T>::size), rows(kv + WARP_AHEAD + 1), upper(kv + 3),
        below((kl + pack<T>::size) / pack<T>::size * pack<T>::size)
  {
  }
  DEVICE int bytes() const
  {
    return upper * (int)sizeof(shared_row<T, N>) + (rows * pitch + 2 * below) * (int)sizeof(T);
  }
};

template <class T, int G, int N> struct warp_lu {
  static constexpr int V = pack<T>::size;
  band_matrix<T> a;
  int ku, steps, lane;
  warp_rings<T, N> rings;
  shared_row<T, N> *upper; /* U's rows */
  T *rows, *below;         /* A's rows to come; L's last two columns */
  T x[N];
  int place, pivot, info; /* of this lane's row, -1: none; entry of ipiv that the lane keeps */
  ring_place next_row, next_column, own_upper, stored_upper;

  __device__ __forceinline__ warp_lu(const band_matrix<T> &a, int ku, int most_kl, int most_kv, unsigned char *shared)
      : a(a), ku(ku), steps(min(a.m, a.n)), lane(threadIdx.x % G), rings(most_kl, most_kv), pivot(0), info(0)
  {
    upper = reinterpret_cast<shared_row<T, N> *>(shared);
    rows = reinterpret_cast<T *>(upper + rings.upper);
    below = rows + rings.rows * rings.pitch;
    next_row = {(a.kl + 1) % rings.rows, rings.rows};
    next_column = {(rings.rows - ku % rings.rows) % rings.rows, rings.rows}; /* of row j - ku */
    own_upper = {0, rings.upper};
    stored_upper = {(2 * rings.upper - a.kv - 1) % rings.upper, rings.upper}; /* of row k - 1 - kv */
  }

  /* Rows 0 to kl. */
  __device__ __forceinline__ void load_first()
  {
    place = lane <= a.kl && lane < a.m && steps > 0 ? lane : -1;
#pragma unroll
    for (int c = 0; c < N; c++) x[c] = place >= 0 && c < a.n && c <= lane + ku ? a(lane, c) : make<T>(0);
  }

  /* Starts to copy column j's rows from kl + 1 on. */
  __device__ __forceinline__ void fetch(int j)
  {
    if (j < a.n)
      for (int t = lane; t <= a.kv; t += G) {
        const int i = j - ku + t;
        if (i > a.kl && i < a.m) start_copy(rows + next_column.beyond(t) * rings.pitch + a.kv - t, &a(i, j));
      }
    copy_commit();
    next_column.advance();
  }

  /* Row i is this lane's from now on. */
  __device__ __forceinline__ void take(int i)
  {
    const T *from = rows + next_row.at * rings.pitch;
    place = i < a.m ? i : -1;
#pragma unroll
    for (int c = 0; c < N; c += V) {
      pack<T> p = {};
      if (place >= 0 && c <= a.kv) p = *reinterpret_cast<const pack<T> *>(from + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v < N) x[c + v] = c + v <= a.kv ? p.x[v] : make<T>(0);
    }
  }

  __device__ __forceinline__ void publish(T inverse)
  {
    T *line = upper[own_upper.at].x;
#pragma unroll
    for (int c = 0; c < N; c += V) {
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) p.x[v] = c + v < N ? x[c + v < N ? c + v : 0] : make<T>(0);
      *reinterpret_cast<pack<T> *>(line + c) = p;
    }
    line[N] = inverse;
  }

  /* Subtracts l times row k of U, and moves on by a column; a lane without a row computes what nobody reads. */
  __device__ __forceinline__ void update(int k, int origin)
  {
    const T *line = upper[own_upper.at].x;
    const T d = line[0];
    T l = make<T>(0);
    if (place >= k) {
      l = x[0];
      if (is_usual_pivot<T>(high_word(d)))
        l = l * line[N];
      else if (d != make<T>(0))
        l = divide_rarely(l, d);
      if (place == k) place = origin;
      below[(k & 1) * rings.below + place - k - 1] = l;
    }
#pragma unroll
    for (int c = 0; c < N; c += V) {
      const pack<T> p = *reinterpret_cast<const pack<T> *>(line + c);
#pragma unroll
      for (int v = 0; v < V; v++)
        if (c + v > 0 && c + v < N) x[c + v - 1] = mad(-l, p.x[v], x[c + v]);
    }
    x[N - 1] = make<T>(0);
  }

  /* Column j of the factors. */
  __device__ __forceinline__ void store(int j)
  {
    for (int t = lane; t <= a.kv + a.kl; t += G) {
      const int i = j - a.kv + t;
      if (i >= 0 && i < a.m)
        a(i, j) = t <= a.kv ? upper[stored_upper.beyond(t)].x[a.kv - t] : below[(j & 1) * rings.below + i - j - 1];
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

  __device__ __forceinline__ void step(int k, int *ipiv)
  {
    const bool running = k < steps;
    const T inverse = inverse_of(x[0]);
    const int best = best_lane<G>(key_of(x[0], place, k, running && place >= 0));
    const int origin = __shfl_sync(all_lanes, place, max(best, 0));
    const bool chosen = running && best == (int)threadIdx.x % 32;
    if (chosen) publish(inverse);
    copy_wait<WARP_AHEAD - 1>();
    __syncwarp();
    if (running) {
      if (is_bad_pivot(upper[own_upper.at].x[0]) && !info) info = k + 1;
      if (chosen)
        take(k + 1 + a.kl);
      else
        update(k, origin);
      keep_pivot(k, origin, ipiv);
    }
    fetch(k + a.kv + 1 + WARP_AHEAD);
    if (k > 0 && k <= a.n && steps > 0) store(k - 1);
    next_row.advance();
    own_upper.advance();
    stored_upper.advance();
  }

  __device__ __forceinline__ void factor(int most_n, int *ipiv)
  {
    load_first();
    for (int j = 0; j <= a.kv + WARP_AHEAD; j++) fetch(j);
    for (int k = 0; k <= most_n; k++) step(k, ipiv);
    copy_wait<0>();
  }
};

template <class T, int G, int N> __global__ void __launch_bounds__(WARP_THREADS) gbtrf_warp(gbtrf_call<T> c, int bytes)
{
  constexpr int each = WARP_THREADS / G;
  unsigned char *shared = shared_array<unsigned char>() + threadIdx.x / G * bytes;
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.ab.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / G;
    const bool exists = b < c.ab.count;
    const int kl = exists ? c.kl.at(b) : 0, ku = exists ? c.ku.at(b) : 0;
    const band_matrix<T> a =
      exists ? factors_of(c.ab, b, c.m.at(b), kl, ku) : band_matrix<T>{nullptr, 0, 0, 0, kl, kl + ku};
    warp_lu<T, G, N> lu(a, ku, c.kl.bound, c.kl.bound + c.ku.bound, shared);
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
    if (kl <= 3 && kv <= 7) return {4, 8};
    if (kl <= 7 && kv <= 17) return {8, 18};
    if (kl <= 15 && kv <= 17) return {16, 18};
    if (kl <= 31 && kv <= 31) return {32, 32};
    if (kl <= 31 && kv <= 63 && sizeof(T) < 16) return {32, 64};
    return {0, 0};
  }
};

/* Calls f with the kernel of that shape. */
template <class T, class F> int with_gbtrf_warp(warp_shape s, F f)
{
  if (s.columns == 8) return f(gbtrf_warp<T, 4, 8>, (int)sizeof(shared_row<T, 8>));
  if (s.columns == 18 && s.lanes == 8) return f(gbtrf_warp<T, 8, 18>, (int)sizeof(shared_row<T, 18>));
  if (s.columns == 18) return f(gbtrf_warp<T, 16, 18>, (int)sizeof(shared_row<T, 18>));
  if (s.columns == 32) return f(gbtrf_warp<T, 32, 32>, (int)sizeof(shared_row<T, 32>));
  if constexpr (sizeof(T) < 16)
    if (s.columns == 64) return f(gbtrf_warp<T, 32, 64>, (int)sizeof(shared_row<T, 64>));
  return BATCHED_DOES_NOT_FIT;
}

template <class T> int launch_gbtrf_warp(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const int kl = c.kl.bound, kv = kl + c.ku.bound;
  const warp_shape shape = warp_shape::of<T>(kl, kv);
  return with_gbtrf_warp<T>(shape, [&](auto kernel, int line) {
    const warp_rings<T, 1> rings(kl, kv);
    const int bytes = rings.bytes() + rings.upper * (line - (int)sizeof(shared_row<T, 1>)),
              each = WARP_THREADS / shape.lanes;
    return launch(ctx, kernel, ceil_div(c.ab.count, each), WARP_THREADS, (size_t)each * bytes, c, bytes);
  });
}

} // namespace batched_cuda::band

#endif

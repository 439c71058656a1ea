/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gbtrs, pbtrs and tbsv: op(A) X = B with the factors or triangles of narrow bands, P lanes of a warp
 * per matrix and R right-hand sides.
 *
 * Lane i % P holds row i of B while the window of P rows passes it.  L of gbtrs: rows k and p are exchanged by two
 * shuffles, and the lanes below subtract their elements of L's column k times row k.  Triangles: the lane of row k
 * divides, and those that follow subtract their elements of column k.  L transposed: row k enters the window, loses the
 * sum over the lanes of their elements of column k times their rows, and is exchanged.  Columns are loaded eight steps
 * early; rows of B are read and written P at a time.  Columns of a transposed triangle are rows of ab, whose lines the
 * L1 cache keeps.
 *
 * grid      a block per 32 / P times a matrix and R right-hand sides, R = 1 or 4 (tbsv: 1); P = 32 for gbtrs with
 *           NO_TRANS, else 4, 8, 16 or 32, more than kd or kl + ku
 * block     32 threads
 * takes     all four types, any n and number of right-hand sides, any transposition, A shared or not, uniform and
 *           variable; gbtrs: kl + ku < 32; pbtrs, tbsv: kd < 32
 * reads     ab inside of the band and ipiv, once for R right-hand sides (pbtrs: twice); b twice; writes b twice
 *           (tbsv: once; info as in reference.cuh)
 * accuracy  |op(A) X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_WARP_CUH
#define BATCHED_BAND_CUDA_WARP_CUH

#include <type_traits>

#include "batched/band/cuda/reference.cuh"

namespace batched_cuda::band
{

enum { SOLVE_AHEAD = 8 };

/* R right-hand sides of n rows, as a lane sees them: its row of the window, those of the next two windows, and the row
 * of this window that is finished.  Steps beyond the last row have no elements, and change nothing. */
template <class T, int R> struct warp_rows {
  T *b;
  int64_t inc, ldb; /* between rows, and between right-hand sides */
  int n, nrhs, lane;
  T y[R], next[R], coming[R], done[R];

  __device__ __forceinline__ void load_rows(int i, T (&to)[R]) const
  {
#pragma unroll
    for (int r = 0; r < R; r++) to[r] = i >= 0 && i < n && r < nrhs ? b[i * inc + r * ldb] : make<T>(0);
  }
  /* Rows of three windows, `step` apart. */
  __device__ __forceinline__ void start(int i, int step)
  {
    load_rows(i, y);
    load_rows(i + step, next);
    load_rows(i + 2 * step, coming);
  }
  /* The window is full of finished rows, of which this lane has number i. */
  __device__ __forceinline__ void flush(int i, int later)
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (r < nrhs && i >= 0 && i < n) b[i * inc + r * ldb] = done[r];
      next[r] = coming[r];
    }
    load_rows(later, coming);
  }
  /* x is row k of the solution, the lane's `distance` rows away; the lane of row k goes on with the next window. */
  __device__ __forceinline__ void subtract(int distance, int width, T element, const T (&x)[R])
  {
    const bool own = distance == 0, near = distance <= width;
#pragma unroll
    for (int r = 0; r < R; r++) {
      done[r] = select(own, x[r], done[r]);
      y[r] = select(own, next[r], select(near, mad(-element, x[r], y[r]), y[r]));
    }
  }
};

template <class T, int R> struct warp_solve : warp_rows<T, R> {
  using rows = warp_rows<T, R>;
  using rows::lane, rows::y, rows::start, rows::flush, rows::subtract;
  band_matrix<const T> f;

  __device__ __forceinline__ void load_lower(int k0, T (&l)[SOLVE_AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < SOLVE_AHEAD; s++) {
      const int k = k0 + s, i = k + ((lane - k) & 31);
      l[s] = i > k && i - k <= f.kl && i < f.n ? f(i, k) : make<T>(0);
    }
  }
  __device__ __forceinline__ void forward(const int *ipiv)
  {
    T l[SOLVE_AHEAD], later[SOLVE_AHEAD], x[R];
    start(lane, 32);
    load_lower(0, l);
    int pivot = lane < f.n ? ipiv[lane] - 1 : lane;
    for (int first = 0; first < f.n; first += 32) {
      const int own = first + 32 + lane, upcoming = own < f.n ? ipiv[own] - 1 : own;
      for (int k0 = first; k0 < first + 32; k0 += SOLVE_AHEAD) {
        load_lower(k0 + SOLVE_AHEAD, later);
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) {
          const int k = k0 + s, p = __shfl_sync(all_lanes, pivot, k & 31) & 31;
#pragma unroll
          for (int r = 0; r < R; r++) {
            const T top = shuffle(y[r], k & 31);
            x[r] = shuffle(y[r], p);
            y[r] = select(lane == p, top, y[r]);
          }
          subtract((lane - k) & 31, f.kl, l[s], x);
        }
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) l[s] = later[s];
      }
      pivot = upcoming;
      flush(first + lane, first + 96 + lane);
    }
  }

  __device__ __forceinline__ void load_upper(int k0, T (&u)[SOLVE_AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < SOLVE_AHEAD; s++) {
      const int k = k0 - s, i = k - ((k - lane) & 31);
      u[s] = k < f.n && k - i <= f.kv && i >= 0 ? f(i, k) : make<T>(0);
    }
  }
  __device__ __forceinline__ void backward()
  {
    T u[SOLVE_AHEAD], later[SOLVE_AHEAD], x[R];
    const int last = (f.n - 1) / 32 * 32;
    start(last + lane, -32);
    load_upper(last + 31, u);
    for (int first = last; first >= 0; first -= 32) {
      for (int k0 = first + 31; k0 >= first; k0 -= SOLVE_AHEAD) {
        load_upper(k0 - SOLVE_AHEAD, later);
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) {
          const int k = k0 - s, above = (k - lane) & 31;
          const diagonal<T> by(select(above == 0 && k < f.n, u[s], make<T>(1)));
#pragma unroll
          for (int r = 0; r < R; r++) x[r] = shuffle(by.solve(y[r]), k & 31);
          subtract(above, f.kv, u[s], x);
        }
#pragma unroll
        for (int s = 0; s < SOLVE_AHEAD; s++) u[s] = later[s];
      }
      flush(first + lane, first - 96 + lane);
    }
  }
};

template <class T, int R> __global__ void __launch_bounds__(32) gbtrs_warp(gbtrs_call<T> c, int tiles)
{
  for (int64_t g = blockIdx.x; g < c.b.count * tiles; g += gridDim.x) {
    const int64_t b = g / tiles;
    const int j = (int)(g % tiles) * R, n = c.b.rows(b), nrhs = c.b.cols(b) - j, kl = c.kl.at(b), kv = kl + c.ku.at(b);
    if (n == 0 || nrhs <= 0 || (c.info && c.info[b] != 0)) continue;
    const int64_t ldb = c.b.leading(b);
    warp_solve<T, R> s = {{c.b.at(b) + j * ldb, 1, ldb, n, nrhs < R ? nrhs : R, (int)threadIdx.x},
                          {c.ab.at(b) + kv, c.ab.leading(b) - (int64_t)1, n, n, kl, kv}};
    s.forward(c.pivots.at(b));
    __syncwarp();
    s.backward();
    __syncwarp();
  }
}

/* ------------------------------------------------------------------ triangles */

/* E x = b in place, by P lanes, more than E has diagonals beside its main one, with a window of P rows. */
template <class T, int R, int P> struct warp_triangle : warp_rows<T, R> {
  static constexpr int AHEAD = P < SOLVE_AHEAD ? P : SOLVE_AHEAD;
  using rows = warp_rows<T, R>;
  using rows::lane, rows::n, rows::y, rows::start, rows::flush, rows::subtract;
  band_triangle<T> e;

  /* The lane's element of column k, `distance` rows after it in the triangle's order, or the diagonal, 1 beyond the
   * matrix. */
  __device__ __forceinline__ T element(int k, int distance) const
  {
    const int i = e.lower ? k + distance : k - distance;
    if (distance == 0 && (e.unit || k < 0 || k >= n)) return make<T>(1);
    const bool inside = distance <= e.kd && k < n && i >= 0 && i < n;
    return inside ? conj_if(e.conj, e.at[i * e.row + k * e.col]) : make<T>(0);
  }
  __device__ __forceinline__ int distance(int k) const
  {
    return (e.lower ? lane - k : k - lane) & (P - 1);
  }
  __device__ __forceinline__ void load(int k0, int sign, T (&to)[AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < AHEAD; s++) to[s] = element(k0 + sign * s, distance(k0 + sign * s));
  }
  /* most: the largest order of the warp's matrices; windows beyond the matrix have no elements. */
  __device__ __forceinline__ void solve(int most)
  {
    T column[AHEAD], later[AHEAD], x[R];
    const int sign = e.lower ? 1 : -1, front = e.lower ? 0 : P - 1;
    int first = e.lower ? 0 : P * ((n + P - 1) / P - 1);
    start(first + lane, P * sign);
    load(first + front, sign, column);
    for (int window = 0; window < most; window += P, first += P * sign) {
      for (int k0 = 0; k0 < P; k0 += AHEAD) {
        load(first + front + sign * (k0 + AHEAD), sign, later);
#pragma unroll
        for (int s = 0; s < AHEAD; s++) {
          const int k = first + front + sign * (k0 + s), here = distance(k);
          const diagonal<T> by(select(here == 0, column[s], make<T>(1)));
#pragma unroll
          for (int r = 0; r < R; r++) x[r] = shuffle(by.solve(y[r]), k & (P - 1), P);
          subtract(here, e.kd, column[s], x);
        }
#pragma unroll
        for (int s = 0; s < AHEAD; s++) column[s] = later[s];
      }
      flush(first + lane, first + 3 * P * sign + lane);
    }
    __syncwarp();
  }
};

/* x = op(L)^-1 x in place, L of gbtrs transposed or its conjugate transposed, by P lanes, more than L has diagonals:
 * from the last row up, each as it enters the window of P rows. */
template <class T, int R, int P> struct warp_back : warp_rows<T, R> {
  static constexpr int AHEAD = P < SOLVE_AHEAD ? P : SOLVE_AHEAD;
  using rows = warp_rows<T, R>;
  using rows::lane, rows::n, rows::y, rows::next, rows::done, rows::start, rows::flush;
  band_matrix<const T> f;
  bool conj;

  __device__ __forceinline__ void load(int k0, T (&to)[AHEAD]) const
  {
#pragma unroll
    for (int s = 0; s < AHEAD; s++) {
      const int k = k0 - s, distance = (lane - k) & (P - 1);
      const bool inside = k >= 0 && distance > 0 && distance <= f.kl && k + distance < n;
      to[s] = inside ? conj_if(conj, f(k + distance, k)) : make<T>(0);
    }
  }
  /* The lane of the pivot of row k. */
  static __device__ __forceinline__ int load_pivot(const int *ipiv, int k, int n)
  {
    return (k >= 0 && k < n ? ipiv[k] - 1 : k) & (P - 1);
  }
  __device__ __forceinline__ void step(int k, T element, int pivot)
  {
    const int enters = k & (P - 1), distance = (lane - k) & (P - 1);
    const bool own = distance == 0, near = distance > 0 && distance <= f.kl;
#pragma unroll
    for (int r = 0; r < R; r++) {
      done[r] = select(own, y[r], done[r]);
      y[r] = select(own, next[r], y[r]);
      const T sum = sum_lanes(select(near, element * y[r], make<T>(0)), P);
      y[r] = select(own, y[r] - sum, y[r]);
      const T x = shuffle(y[r], enters, P), other = shuffle(y[r], pivot, P);
      y[r] = select(own, other, select(lane == pivot, x, y[r]));
    }
  }
  /* most: as warp_triangle's. */
  __device__ __forceinline__ void solve(const int *ipiv, int most)
  {
    T column[AHEAD], later[AHEAD];
    int first = P * ((n + P - 1) / P - 1);
    start(first + P + lane, -P);
    load(first + P - 1, column);
    int pivot = load_pivot(ipiv, first + lane, n);
    for (int window = 0; window < most; window += P, first -= P) {
      const int upcoming = load_pivot(ipiv, first - P + lane, n);
      for (int k0 = first + P - 1; k0 >= first; k0 -= AHEAD) {
        load(k0 - AHEAD, later);
#pragma unroll
        for (int s = 0; s < AHEAD; s++) {
          const int k = k0 - s;
          step(k, column[s], __shfl_sync(all_lanes, pivot, k & (P - 1), P));
        }
#pragma unroll
        for (int s = 0; s < AHEAD; s++) column[s] = later[s];
      }
      pivot = upcoming;
      flush(first + P + lane, first - 2 * P + lane);
    }
#pragma unroll
    for (int r = 0; r < R; r++) done[r] = y[r];
    flush(first + P + lane, -1);
    __syncwarp();
  }
};

/* op(A) = op(U) op(L), of P transposed. */
template <class T, int R, int P> __global__ void __launch_bounds__(32) gbtrs_warp_transposed(gbtrs_call<T> c, int tiles)
{
  constexpr int each = 32 / P;
  const bool conj = c.trans == BATCHED_CONJ_TRANS;
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.b.count * tiles; first += (int64_t)gridDim.x * each) {
    const int64_t g = first + threadIdx.x / P, b = min(g / tiles, c.b.count - 1);
    const int j = (int)(g % tiles) * R, left = c.b.cols(b) - j, kl = c.kl.at(b), kv = kl + c.ku.at(b);
    const bool solves = g < c.b.count * tiles && left > 0 && !(c.info && c.info[b] != 0);
    const int n = solves ? c.b.rows(b) : 0, most = (int)__reduce_max_sync(all_lanes, (unsigned)n);
    warp_rows<T, R> x = {nullptr, 1, 0, n, min(left, R), (int)threadIdx.x % P};
    band_matrix<const T> f = {nullptr, 0, n, n, kl, kv};
    if (n > 0) {
      x.ldb = c.b.leading(b);
      x.b = c.b.at(b) + j * x.ldb;
      f.at = c.ab.at(b) + kv;
      f.col = c.ab.leading(b) - (int64_t)1;
    }
    warp_triangle<T, R, P> upper = {x, {f.at, f.col, 1, n, kv, true, false, conj}};
    upper.solve(most);
    warp_back<T, R, P> lower = {x, f, conj};
    lower.solve(c.pivots.at(b), most);
  }
}

template <class T, int R, int P> __global__ void __launch_bounds__(32) pbtrs_warp(pbtrs_call<T> c, int tiles)
{
  constexpr int each = 32 / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.b.count * tiles; first += (int64_t)gridDim.x * each) {
    const int64_t g = first + threadIdx.x / P, b = min(g / tiles, c.b.count - 1);
    const int j = (int)(g % tiles) * R, left = c.b.cols(b) - j;
    const bool solves = g < c.b.count * tiles && left > 0 && !(c.info && c.info[b] != 0);
    const int n = solves ? c.b.rows(b) : 0, kd = c.kd.at(b), most = (int)__reduce_max_sync(all_lanes, (unsigned)n);
    warp_triangle<T, R, P> s = {{nullptr, 1, 0, n, min(left, R), (int)threadIdx.x % P}, {}};
    if (n > 0) {
      s.ldb = c.b.leading(b);
      s.b = c.b.at(b) + j * s.ldb;
      s.e = triangle_of(c.ab, b, n, kd, c.upper, c.upper);
    }
    s.e.conj = c.upper;
    s.solve(most);
    if (n > 0) s.e = triangle_of(c.ab, b, n, kd, c.upper, !c.upper);
    s.e.conj = !c.upper;
    s.solve(most);
  }
}

template <class T, int P> __global__ void __launch_bounds__(32) tbsv_warp(tbsv_call<T> c)
{
  constexpr int each = 32 / P;
  for (int64_t first = (int64_t)blockIdx.x * each; first < c.x.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / P;
    const int n = b < c.x.count ? c.x.length(b) : 0, most = (int)__reduce_max_sync(all_lanes, (unsigned)n);
    warp_triangle<T, 1, P> s = {{nullptr, 1, 0, n, 1, (int)threadIdx.x % P}, {}};
    if (n > 0) {
      s.b = c.x.at(b);
      s.inc = c.x.increment(b);
      s.e = triangle_of(c.ab, b, n, c.kd.at(b), c.upper, c.transposed);
    }
    s.e.conj = c.conj;
    s.e.unit = c.unit;
    s.solve(most);
  }
}

/* ------------------------------------------------------------------ launches */

template <class T> bool warp_can_solve(const gbtrs_call<T> &c)
{
  return (int64_t)c.kl.bound + c.ku.bound < 32;
}

static inline bool warp_can_solve(batched_extent kd)
{
  return kd.bound < 32;
}

/* f(constant P) with as few lanes as the width allows. */
template <class F> int with_lanes(int kd, F f)
{
  if (kd < 4) return f(std::integral_constant<int, 4>());
  if (kd < 8) return f(std::integral_constant<int, 8>());
  if (kd < 16) return f(std::integral_constant<int, 16>());
  return f(std::integral_constant<int, 32>());
}

template <class T> int launch_gbtrs_warp(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  const int tiles = (int)ceil_div(c.b.n, c.b.n > 1 ? 4 : 1);
  return launch(ctx, c.b.n > 1 ? gbtrs_warp<T, 4> : gbtrs_warp<T, 1>, c.b.count * tiles, warp_size, 0, c, tiles);
}
template <class T> int launch_gbtrs_warp_transposed(batched_ctx *ctx, const gbtrs_call<T> &c)
{
  const int tiles = (int)ceil_div(c.b.n, c.b.n > 1 ? 4 : 1);
  return with_lanes(c.kl.bound + c.ku.bound, [&](auto lanes) {
    constexpr int P = decltype(lanes)::value;
    const auto kernel = c.b.n > 1 ? gbtrs_warp_transposed<T, 4, P> : gbtrs_warp_transposed<T, 1, P>;
    return launch(ctx, kernel, ceil_div(c.b.count * tiles, 32 / P), warp_size, 0, c, tiles);
  });
}

template <class T> int launch_pbtrs_warp(batched_ctx *ctx, const pbtrs_call<T> &c)
{
  const int tiles = (int)ceil_div(c.b.n, c.b.n > 1 ? 4 : 1);
  return with_lanes(c.kd.bound, [&](auto lanes) {
    constexpr int P = decltype(lanes)::value;
    const auto kernel = c.b.n > 1 ? pbtrs_warp<T, 4, P> : pbtrs_warp<T, 1, P>;
    return launch(ctx, kernel, ceil_div(c.b.count * tiles, 32 / P), warp_size, 0, c, tiles);
  });
}

template <class T> int launch_tbsv_warp(batched_ctx *ctx, const tbsv_call<T> &c)
{
  return with_lanes(c.kd.bound, [&](auto lanes) {
    constexpr int P = decltype(lanes)::value;
    return launch(ctx, tbsv_warp<T, P>, ceil_div(c.x.count, 32 / P), warp_size, 0, c);
  });
}

} // namespace batched_cuda::band

#endif

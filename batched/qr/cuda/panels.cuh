/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.panels of geqrf, ungqr and unmqr in s, c and z: one block per matrix, by panels of columns in registers,
 * left-looking. (Double precision, and cuda.panels_tc of s: panels_wy.cu.)
 *
 * LANES threads of a warp share a column. The reflectors of earlier panels are applied to a panel in pairs, from shared
 * memory, double-buffered; then its columns are eliminated with one barrier each: the warp of the next column prepares
 * its reflector while others apply the last. Nothing else of the matrix is read or written. ungqr and unmqr apply the
 * same code to the identity and to C.
 *
 * grid      a block per matrix; unmqr: per strip of C
 * block     16 or 32 columns of LANES threads, ROWS elements per thread
 * shared    two buffers of 8 reflectors: panel_bytes()
 * takes     s, c up to 1024 rows, z up to 512; any n; uniform and variable
 * reads     geqrf: a; writes a, tau. ungqr: a, tau; writes a. unmqr: a, tau, c; writes c
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_PANELS_CUH
#define BATCHED_QR_CUDA_PANELS_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

static constexpr int staged = 8; /* reflectors per buffer */

/* Bytes of shared memory per block, for columns of `rows` elements of `size` bytes. */
static constexpr size_t panel_bytes(int rows, size_t size)
{
  return (2 * staged * rows + 3 * staged + 4) * size;
}

template <int LANES, int ROWS, class T> struct panel_shape {
  static constexpr int rows = LANES * ROWS, V = pack<T>::size, parts = ROWS / V;
  static constexpr int group = 8 / V; /* parts that are skipped or done together, with their loads in flight at once */
  static constexpr int vectors = staged * rows; /* elements per buffer; eliminate() reuses them to broadcast columns */
  static constexpr size_t bytes = panel_bytes(rows, sizeof(T));
};

template <int LANES, int ROWS, class T> struct panel {
  using shape = panel_shape<LANES, ROWS, T>;
  using R = real_of<T>;
  static constexpr int V = shape::V, parts = shape::parts, group = shape::group;
  /* Element V q + v is row (q LANES + lane) V + v of the column. */
  T a[ROWS];
  T *vectors, *taus, *products, *alphas;
  int lane, column, columns;

  __device__ __forceinline__ panel()
  {
    vectors = shared_array<T>();
    taus = vectors + 2 * shape::vectors;
    products = taus + 2 * staged;
    alphas = products + staged;
    lane = threadIdx.x % LANES;
    column = threadIdx.x / LANES;
    columns = blockDim.x / LANES;
  }
  /* Lets values from shared memory be read again, to free registers, except for the longest columns. */
  static __device__ __forceinline__ void reread()
  {
    if constexpr (ROWS > 16 || LANES < 32) compiler_fence();
  }
  __device__ __forceinline__ int row(int q) const
  {
    return (q * LANES + lane) * V;
  }
  /* First part of the group that holds this row in one of the lanes. */
  static DEVICE int part(int row)
  {
    return row / (8 * LANES) * group;
  }
  __device__ __forceinline__ pack<T> load(const T *vector, int q) const
  {
    return *reinterpret_cast<const pack<T> *>(vector + row(q));
  }

  /* Reads this thread's part of a column of p, stride `step`, rows below m. */
  __device__ __forceinline__ void read(const T *p, int64_t step, bool conjugate, int m, bool present)
  {
#pragma unroll
    for (int q = 0; q < parts; q++)
#pragma unroll
      for (int v = 0; v < V; v++) {
        const int i = row(q) + v;
        a[V * q + v] = present && i < m ? conj_if(conjugate, p[i * step]) : make<T>(0);
      }
  }
  __device__ __forceinline__ void write(T *p, int64_t step, bool conjugate, int m, bool present) const
  {
    recompute(p);
#pragma unroll
    for (int q = 0; q < parts; q++)
#pragma unroll
      for (int v = 0; v < V; v++) {
        const int i = row(q) + v;
        if (present && i < m) p[i * step] = conj_if(conjugate, a[V * q + v]);
      }
  }
  __device__ __forceinline__ void identity(int j)
  {
#pragma unroll
    for (int q = 0; q < parts; q++)
#pragma unroll
      for (int v = 0; v < V; v++) a[V * q + v] = make<T>(row(q) + v == j);
  }

  /* Starts to copy reflectors i0 .. i0 + count - 1 (count <= 8) to a buffer, with their ones and zeros, from row i0
   * on. */
  __device__ __forceinline__ void fetch(const T *p, int64_t ld, const T *tau, int64_t step, int i0, int count, int m,
                                        int buffer)
  {
    T *const to = vectors + buffer * shape::vectors;
    for (int i = part(i0) * V * LANES + threadIdx.x; i < shape::rows; i += blockDim.x)
#pragma unroll 1
      for (int s = 0; s < staged; s++) {
        if (s < count && i > i0 + s && i < m)
          start_copy(to + s * shape::rows + i, p + i + (i0 + s) * ld);
        else
          to[s * shape::rows + i] = make<T>(s < count && i == i0 + s);
      }
    if (threadIdx.x >= staged) return;
    if (threadIdx.x < count)
      start_copy(taus + buffer * staged + threadIdx.x, tau + (i0 + threadIdx.x) * step);
    else
      taus[buffer * staged + threadIdx.x] = make<T>(0);
  }

  /* y^H x for each pair (x, y) of reflectors in a buffer, a warp per pair. */
  __device__ __forceinline__ void multiply_pairs(int i0, int buffer)
  {
    for (int pair = threadIdx.x / 32; pair < staged / 2; pair += blockDim.x / 32) {
      const T *x = vectors + buffer * shape::vectors + 2 * pair * shape::rows, *y = x + shape::rows;
      T sum = make<T>(0);
      for (int i = part(i0) * V * LANES + threadIdx.x % 32; i < shape::rows; i += 32) sum = conj_mad(y[i], x[i], sum);
      sum = sum_lanes(sum);
      if (threadIdx.x % 32 == 0) products[pair] = sum;
    }
  }

  /* a = H2^H H1^H a (adjoint) or H1 H2 a for a pair of reflectors in a buffer. */
  __device__ __forceinline__ void apply_pair(int buffer, int pair, int from, bool adjoint)
  {
    const T *x = vectors + buffer * shape::vectors + 2 * pair * shape::rows, *y = x + shape::rows,
            *t = taus + buffer * staged + 2 * pair;
    T dx[2] = {}, dy[2] = {};
#pragma unroll
    for (int g = 0; g < parts; g += group) {
      if (g < from) continue;
#pragma unroll
      for (int q = g; q < g + group; q++) {
        const pack<T> u = load(x, q), w = load(y, q);
#pragma unroll
        for (int v = 0; v < V; v++) {
          dx[(q + v) % 2] = conj_mad(u.x[v], a[V * q + v], dx[(q + v) % 2]);
          dy[(q + v) % 2] = conj_mad(w.x[v], a[V * q + v], dy[(q + v) % 2]);
        }
      }
    }
    T fx = sum_lanes(dx[0] + dx[1], LANES), fy = sum_lanes(dy[0] + dy[1], LANES);
    const T tx = t[0], ty = t[1], yx = products[pair];
    if (adjoint) {
      fx = conj(tx) * fx;
      fy = conj(ty) * (fy - yx * fx);
    } else {
      fy = ty * fy;
      fx = tx * (fx - conj(yx) * fy);
    }
    reread();
#pragma unroll
    for (int g = 0; g < parts; g += group) {
      if (g < from) continue;
#pragma unroll
      for (int q = g; q < g + group; q++) {
        const pack<T> u = load(x, q), w = load(y, q);
#pragma unroll
        for (int v = 0; v < V; v++) a[V * q + v] = mad(-fy, w.x[v], mad(-fx, u.x[v], a[V * q + v]));
      }
    }
  }

  /* Applies the first k reflectors of p: H_k^H ... H_1^H a (adjoint) or H_1 ... H_k a. */
  __device__ void apply(const T *p, int64_t ld, const T *tau, int64_t step, int k, int m, bool adjoint)
  {
    const int groups = (k + staged - 1) / staged;
    const auto first = [&](int g) { return (adjoint ? g : groups - 1 - g) * staged; };
    if (groups == 0) return;
    __syncthreads();
    fetch(p, ld, tau, step, first(0), min(staged, k - first(0)), m, 0);
    for (int g = 0; g < groups; g++) {
      const int i0 = first(g), pairs = (min(staged, k - i0) + 1) / 2, buffer = g % 2;
      wait_copies();
      __syncthreads();
      multiply_pairs(i0, buffer);
      if (g + 1 < groups) fetch(p, ld, tau, step, first(g + 1), min(staged, k - first(g + 1)), m, 1 - buffer);
      __syncthreads();
#pragma unroll 1
      for (int pair = 0; pair < pairs; pair++) apply_pair(buffer, adjoint ? pair : pairs - 1 - pair, part(i0), adjoint);
    }
  }

  /* Sum of squares of this column below row j; *top = its element in row j. */
  __device__ __forceinline__ R measure(int j, int from, T *top) const
  {
    R squares[2] = {};
    T at = make<T>(0);
#pragma unroll
    for (int first = 0; first < parts; first += group) {
      if (first < from) continue;
#pragma unroll
      for (int t = V * first; t < V * (first + group); t++) {
        const int i = row(t / V) + t % V;
        const T y = first > from || i > j ? a[t] : make<T>(0);
        squares[t % 2] = fma(real(y), real(y), squares[t % 2]);
        if constexpr (is_complex<T>) squares[t % 2] = fma(imag(y), imag(y), squares[t % 2]);
        if (first == from && i == j) at = a[t];
      }
    }
    *top = shuffle(at, j / V % LANES, LANES);
    return sum_lanes(squares[0] + squares[1], LANES);
  }

  /* Scales a column, if told, from row j on to about 1. Returns the factor that undoes it. */
  __device__ __forceinline__ R rescale(bool yes, int j)
  {
    R size = 0;
#pragma unroll
    for (int t = 0; t < ROWS; t++)
      if (row(t / V) + t % V >= j) size = fmax(size, largest_part(a[t]));
    for (int half = LANES / 2; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half, LANES));
    const R s = column_scale(yes ? size : R(0));
#pragma unroll
    for (int t = 0; t < ROWS; t++)
      if (row(t / V) + t % V >= j) a[t] = s * a[t];
    return inverse_scale(s);
  }

  /* Forms the reflector of the panel's column c from row j on: v to x in shared memory, tau to *shared and *tau. By
   * the warp that has the column, its other columns idle. */
  __device__ __forceinline__ void prepare(int c, int j, T *x, T *shared, T *tau)
  {
    const int from = part(j);
    const bool mine = column == c;
    T alpha;
    R tail = measure(j, from, &alpha), back = 1;
    const bool careful = mine && !is_moderate<T>(tail + square(alpha));
    if (__any_sync(all_lanes, careful)) {
      back = rescale(careful, j);
      tail = measure(j, from, &alpha);
    }
    if (!mine) return;
    const reflector<T> h = reflect(alpha, tail);
#pragma unroll
    for (int first = 0; first < parts; first += group) {
      if (first < from) continue;
#pragma unroll
      for (int q = first; q < first + group; q++) {
        pack<T> p;
#pragma unroll
        for (int v = 0; v < V; v++) {
          T &y = a[V * q + v];
          const int i = row(q) + v;
          p.x[v] = y * h.inverse;
          if (first > from || i > j) {
            y = p.x[v];
          } else {
            p.x[v] = make<T>(i == j);
            if (i == j) y = make<T>(h.beta * back);
          }
        }
        *reinterpret_cast<pack<T> *>(x + row(q)) = p;
      }
    }
    if (lane == 0) *shared = *tau = h.tau;
  }

  /* a = H^H a for the columns behind c. */
  __device__ __forceinline__ void reflect_rest(int c, int from, const T *x, T tau)
  {
    T sum[2] = {};
#pragma unroll
    for (int g = 0; g < parts; g += group) {
      if (g < from) continue;
#pragma unroll
      for (int q = g; q < g + group; q++) {
        const pack<T> p = load(x, q);
#pragma unroll
        for (int v = 0; v < V; v++) sum[(q + v) % 2] = conj_mad(p.x[v], a[V * q + v], sum[(q + v) % 2]);
      }
    }
    const T w = sum_lanes(sum[0] + sum[1], LANES), f = column > c ? conj(tau) * w : make<T>(0);
    reread();
#pragma unroll
    for (int g = 0; g < parts; g += group) {
      if (g < from) continue;
#pragma unroll
      for (int q = g; q < g + group; q++) {
        const pack<T> p = load(x, q);
#pragma unroll
        for (int v = 0; v < V; v++) a[V * q + v] = mad(-f, p.x[v], a[V * q + v]);
      }
    }
  }

  /* Eliminates below the diagonal in `count` columns, the first one from row j0 on. The warp of the next column
   * prepares its reflector as soon as the column is up to date; double-buffered. */
  __device__ __forceinline__ void eliminate(int count, int j0, T *tau, int64_t step)
  {
    constexpr int per_warp = 32 / LANES;
    const int own = column / per_warp;
    if (own == 0 && count > 0) prepare(0, j0, vectors, alphas, tau);
#pragma unroll 1
    for (int c = 0; c < count; c++) {
      const int now = c % 2, next = 1 - now;
      __syncthreads();
      if (c / per_warp <= own) reflect_rest(c, part(j0 + c), vectors + now * shape::rows, alphas[now]);
      if ((c + 1) / per_warp == own && c + 1 < count)
        prepare(c + 1, j0 + c + 1, vectors + next * shape::rows, alphas + next, tau + (c + 1) * step);
    }
  }
};

/* Reads, updates, factors and stores the panel of columns from j0 on. */
template <int LANES, int ROWS, class T>
static __device__ __forceinline__ void factor_panel(panel<LANES, ROWS, T> &w, T *p, int64_t ld, T *tau, int64_t step,
                                                    int j0, int m, int n)
{
  const int k = min(m, n), j = j0 + w.column;
  w.read(p + j * ld, 1, false, m, j < n);
  w.apply(p, ld, tau, step, min(j0, k), m, true);
  __syncthreads();
  const int last = min(w.columns, k - j0);
  w.eliminate(last, j0, tau + j0 * step, step);
  w.write(p + j * ld, 1, false, m, j < n);
  __syncthreads();
}

template <int LANES, int ROWS, class T> static __device__ void factor_matrix(const panel_args<T> &g, int64_t b)
{
  panel<LANES, ROWS, T> w;
  const int m = g.a.rows(b), n = m > 0 ? g.a.cols(b) : 0;
  if (n == 0) return;
  T *const p = g.a.at(b), *const tau = g.tau.at(b);
  const int64_t ld = g.a.leading(b), step = g.tau.increment(b);
  for (int j0 = 0; j0 < n; j0 += w.columns) factor_panel(w, p, ld, tau, step, j0, m, n);
}

/* Columns of Q, last panel first: a panel's reflectors are not read after they were overwritten. */
template <int LANES, int ROWS, class T> static __device__ void generate_matrix(const panel_args<T> &g, int64_t b)
{
  panel<LANES, ROWS, T> w;
  const int m = g.a.rows(b), n = m > 0 ? g.a.cols(b) : 0;
  if (n == 0) return;
  T *const p = g.a.at(b);
  const int64_t ld = g.a.leading(b);
  const int k = g.any ? min(g.tau.length(b), n) : 0;
  const T *const tau = k > 0 ? g.tau.at(b) : nullptr;
  const int64_t step = k > 0 ? g.tau.increment(b) : 0;
  for (int j0 = (n - 1) / w.columns * w.columns; j0 >= 0; j0 -= w.columns) {
    const int j = j0 + w.column;
    w.identity(j);
    w.apply(p, ld, tau, step, min(k, j0 + w.columns), m, false);
    __syncthreads();
    w.write(p + j * ld, 1, false, m, j < n);
    __syncthreads();
  }
}

/* A strip of C's columns, or of its rows: c op(Q) = (op(Q)^H c^H)^H. */
template <int LANES, int ROWS, class T>
static __device__ void apply_to_strip(const panel_args<T> &g, int64_t b, int strip)
{
  panel<LANES, ROWS, T> w;
  const bool left = g.job == APPLY_LEFT;
  const int rows = g.c.rows(b), cols = g.c.cols(b), m = left ? rows : cols, others = left ? cols : rows;
  const int j = strip * w.columns + w.column;
  if (m == 0 || strip * w.columns >= others) return;
  const int64_t ldc = g.c.leading(b);
  const int k = min(g.a.cols(b), m);
  if (k == 0) return;
  T *const c = g.c.at(b) + j * (left ? ldc : 1);
  w.read(c, left ? 1 : ldc, !left, m, j < others);
  w.apply(g.a.at(b), g.a.leading(b), g.tau.at(b), g.tau.increment(b), k, m, left == g.adjoint);
  w.write(c, left ? 1 : ldc, !left, m, j < others);
}

template <int LANES, int ROWS, class T>
static __global__ void __launch_bounds__(LANES >= 16 ? 512 : 32 * LANES, LANES >= 16               ? 1
                                                                         : ROWS * sizeof(T) >= 256 ? 16 / LANES
                                                                                                   : 24 / LANES)
  run_in_panels(const __grid_constant__ panel_args<T> g)
{
  const int strips = g.strips;
  for (int64_t unit = blockIdx.x; unit < g.a.count * strips; unit += gridDim.x) {
    const int64_t b = unit / strips;
    if (g.job == FACTOR)
      factor_matrix<LANES, ROWS>(g, b);
    else if (g.job == GENERATE)
      generate_matrix<LANES, ROWS>(g, b);
    else
      apply_to_strip<LANES, ROWS>(g, b, (int)(unit - b * strips));
  }
}

} // namespace batched_cuda::qr

#endif

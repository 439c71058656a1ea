/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR by panels of columns, one block a matrix: the panel is in registers, LANES threads of a warp to a column.  The
 * reflectors of the earlier panels are applied to it in pairs, from shared memory (left-looking: nothing else of the matrix is
 * read or written), then its columns are eliminated with one barrier each: all threads find the norm that belongs to
 * a reflector themselves, in the pass that multiplies it by their column.  The same code applies a Q to any matrix.
 */
#ifndef BATCHED_CUDA_PANELS_CUH
#define BATCHED_CUDA_PANELS_CUH

#include "householder.cuh"

namespace batched_cuda
{

static constexpr int staged = 8; /* reflectors in shared memory at a time */

template <int LANES, int ROWS, class T> struct panel_shape {
  static constexpr int rows = LANES * ROWS, V = pack<T>::size, parts = ROWS / V;
  static constexpr int vectors = staged * rows; /* two of them also pass on the columns of a panel */
  static constexpr size_t bytes = (vectors + 2 * staged + 4) * sizeof(T);
};

template <int LANES, int ROWS, class T> struct panel {
  using shape = panel_shape<LANES, ROWS, T>;
  using R = real_of<T>;
  static constexpr int V = shape::V, parts = shape::parts;
  /* Element V q + v is that of row (q LANES + lane) V + v. */
  T a[ROWS];
  T *vectors, *taus, *products, *alphas;
  int lane, column, columns;

  __device__ __forceinline__ panel()
  {
    vectors = shared_array<T>();
    taus = vectors + shape::vectors;
    products = taus + staged;
    alphas = products + staged;
    lane = threadIdx.x % LANES;
    column = threadIdx.x / LANES;
    columns = blockDim.x / LANES;
  }
  __device__ __forceinline__ int row(int q) const
  {
    return (q * LANES + lane) * V;
  }
  /* The part that has this row, in one of the lanes. */
  static DEVICE int part(int row)
  {
    return row / (V * LANES);
  }
  __device__ __forceinline__ pack<T> load(const T *vector, int q) const
  {
    return *reinterpret_cast<const pack<T> *>(vector + row(q));
  }

  /* This thread's part of a column of p (element i at p[i * step]), rows from 0 to m. */
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

  /* Reflectors i0 .. of `count` <= 8, with their ones and zeros; rows from i0 on are all that will be read. */
  __device__ void stage(const T *p, int64_t ld, const T *tau, int64_t step, int i0, int count, int m)
  {
    const int low = part(i0) * V * LANES;
    __syncthreads();
    for (int s = 0; s < staged; s++)
      for (int i = low + threadIdx.x; i < shape::rows; i += blockDim.x)
        vectors[s * shape::rows + i] = s >= count || i < i0 + s || i >= m ? make<T>(0)
                                       : i == i0 + s                      ? make<T>(1)
                                                                          : p[i + (i0 + s) * ld];
    if (threadIdx.x < staged) taus[threadIdx.x] = threadIdx.x < count ? tau[(i0 + threadIdx.x) * step] : make<T>(0);
    __syncthreads();
    for (int pair = threadIdx.x / 32; pair < staged / 2; pair += blockDim.x / 32) {
      const T *x = vectors + 2 * pair * shape::rows, *y = x + shape::rows;
      T sum = make<T>(0);
      for (int i = low + threadIdx.x % 32; i < shape::rows; i += 32) sum = conj_mad(y[i], x[i], sum);
      sum = sum_lanes(sum);
      if (threadIdx.x % 32 == 0) products[pair] = sum; /* y^H x */
    }
    __syncthreads();
  }

  /* H2^H H1^H a or H1 H2 a for a pair of the staged reflectors: tau1 v1^H a first, or tau2 v2^H a. */
  __device__ __forceinline__ void apply_pair(int pair, int from, bool adjoint)
  {
    const T *x = vectors + 2 * pair * shape::rows, *y = x + shape::rows;
    T dx[2] = {}, dy[2] = {};
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      const pack<T> u = load(x, q), w = load(y, q);
#pragma unroll
      for (int v = 0; v < V; v++) {
        dx[q % 2] = conj_mad(u.x[v], a[V * q + v], dx[q % 2]);
        dy[q % 2] = conj_mad(w.x[v], a[V * q + v], dy[q % 2]);
      }
    }
    T fx = sum_lanes(dx[0] + dx[1], LANES), fy = sum_lanes(dy[0] + dy[1], LANES);
    const T tx = taus[2 * pair], ty = taus[2 * pair + 1], yx = products[pair];
    if (adjoint) {
      fx = conj(tx) * fx;
      fy = conj(ty) * (fy - yx * fx);
    } else {
      fy = ty * fy;
      fx = tx * (fx - conj(yx) * fy);
    }
    asm volatile("" ::: "memory"); /* read them again: registers are dearer */
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      const pack<T> u = load(x, q), w = load(y, q);
#pragma unroll
      for (int v = 0; v < V; v++) a[V * q + v] = mad(-fy, w.x[v], mad(-fx, u.x[v], a[V * q + v]));
    }
  }

  /* The first k reflectors of p: H_k^H ... H_1^H a (adjoint) or H_1 ... H_k a. */
  __device__ void apply(const T *p, int64_t ld, const T *tau, int64_t step, int k, int m, bool adjoint)
  {
    const int groups = (k + staged - 1) / staged;
    for (int g = 0; g < groups; g++) {
      const int i0 = (adjoint ? g : groups - 1 - g) * staged, count = min(staged, k - i0), pairs = (count + 1) / 2;
      stage(p, ld, tau, step, i0, count, m);
#pragma unroll 1
      for (int pair = 0; pair < pairs; pair++) apply_pair(adjoint ? pair : pairs - 1 - pair, part(i0), adjoint);
    }
  }

  /* This thread's part of column j, below the diagonal, into x; the diagonal element into *alpha. */
  __device__ __forceinline__ void publish(int j, T *x, T *alpha)
  {
    const int from = part(j);
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      pack<T> p;
#pragma unroll
      for (int v = 0; v < V; v++) {
        const int i = row(q) + v;
        p.x[v] = i > j ? a[V * q + v] : make<T>(0);
        if (i == j) *alpha = a[V * q + v];
      }
      *reinterpret_cast<pack<T> *>(x + row(q)) = p;
    }
  }

  /* Brings the rows from j on of this column near 1; returns the factor that takes it back. */
  __device__ __forceinline__ R rescale(int j)
  {
    R size = 0;
#pragma unroll
    for (int q = 0; q < parts; q++)
#pragma unroll
      for (int v = 0; v < V; v++)
        if (row(q) + v >= j) size = fmax(size, largest_part(a[V * q + v]));
    for (int half = LANES / 2; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half, LANES));
    const R s = column_scale(size);
#pragma unroll
    for (int q = 0; q < parts; q++)
#pragma unroll
      for (int v = 0; v < V; v++)
        if (row(q) + v >= j) a[V * q + v] = s * a[V * q + v];
    return 1 / s;
  }

  /* Eliminates below row j in the panel's column c, and applies the reflector to the columns after it. */
  __device__ __forceinline__ void eliminate(int c, int j, T *tau)
  {
    T *const x = vectors + (c % 2) * shape::rows, *const alpha_at = alphas + c % 2;
    const int from = part(j);
    T d, alpha;
    R tail, back = 1;
    for (bool again = false;; again = true) {
      if (column == c) publish(j, x, alpha_at);
      __syncthreads();
      alpha = *alpha_at;
      R squares[2] = {};
      T sum[2] = {};
#pragma unroll
      for (int q = 0; q < parts; q++) {
        if (q < from) continue;
        const pack<T> p = load(x, q);
#pragma unroll
        for (int v = 0; v < V; v++) {
          squares[q % 2] = fma(real(p.x[v]), real(p.x[v]), squares[q % 2]);
          if constexpr (is_complex<T>) squares[q % 2] = fma(imag(p.x[v]), imag(p.x[v]), squares[q % 2]);
          sum[q % 2] = conj_mad(p.x[v], a[V * q + v], sum[q % 2]);
        }
      }
      tail = sum_lanes(squares[0] + squares[1], LANES);
      d = sum_lanes(sum[0] + sum[1], LANES);
      if (again || is_moderate<T>(tail + square(alpha))) break; /* the same in all threads */
      __syncthreads();
      R mine = 1;
      if (column / (32 / LANES) == c / (32 / LANES)) mine = rescale_if(column == c, j);
      back = mine;
    }
    const reflector<T> h = reflect(alpha, tail);
    finish(c, j, from, x, d, h, back);
    if (column == c && lane == 0) *tau = h.tau;
  }

  /* All lanes of the warp take part. */
  __device__ __forceinline__ R rescale_if(bool yes, int j)
  {
    return rescale(yes ? j : shape::rows);
  }

  __device__ __forceinline__ void finish(int c, int j, int from, const T *x, T d, const reflector<T> &h, R back)
  {
    const int owner = j / V % LANES, at = j % V;
    T top = make<T>(0);
#pragma unroll
    for (int q = 0; q < parts; q++)
      if (q == from)
#pragma unroll
        for (int v = 0; v < V; v++)
          if (v == at) top = a[V * q + v];
    top = shuffle(top, owner, LANES);
    T f = conj(h.tau) * (top + conj(h.inverse) * d), g = f * h.inverse;
    if (column < c) f = g = make<T>(0);
    const bool mine = column == c;
    asm volatile("" ::: "memory");
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      const pack<T> p = load(x, q);
#pragma unroll
      for (int v = 0; v < V; v++) {
        const int i = row(q) + v;
        T y = mad(-g, p.x[v], a[V * q + v]);
        if (q == from && i == j) y = mine ? make<T>(h.beta * back) : a[V * q + v] - f;
        if (mine && i > j) y = a[V * q + v] * h.inverse;
        a[V * q + v] = y;
      }
    }
  }
};

/* A panel of FACTOR: all that happens to `width` columns from j0 on. */
template <int LANES, int ROWS, class T>
static __device__ __forceinline__ void factor_panel(panel<LANES, ROWS, T> &w, T *p, int64_t ld, T *tau, int64_t step,
                                                    int j0, int m, int n)
{
  const int k = min(m, n), j = j0 + w.column;
  w.read(p + j * ld, 1, false, m, j < n);
  w.apply(p, ld, tau, step, min(j0, k), m, true);
  __syncthreads();
  const int last = min(w.columns, k - j0);
#pragma unroll 1
  for (int c = 0; c < last; c++) w.eliminate(c, j0 + c, tau + (j0 + c) * step);
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

/* Q's own columns, the last panel first: the reflectors of a panel are not read after it was overwritten. */
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

/* Strip `strip` of C's columns, or of its rows: c op(Q) = (op(Q)^H c^H)^H. */
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

} // namespace batched_cuda

#endif

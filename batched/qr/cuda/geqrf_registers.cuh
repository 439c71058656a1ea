/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.registers of geqrf in s, c and z: Householder QR of up to 256 rows by a block per matrix, in the registers
 * of its threads.  (Double precision: geqrf_warp_tc.cuh, panels_wy.cu.)
 *
 * Right-looking in a strip of columns, which is the whole matrix where that fits; the reflectors of earlier strips come
 * first, one by one from shared memory.  LANES threads of a warp share a column, as of geqrf_warp_tc.cuh, and each has
 * parts of COLS columns, so that one read of a reflector serves COLS products.  A step has one barrier: the threads of
 * the next column publish it in shared memory as it is, and all form its reflector for themselves.  Columns whose norm
 * is far from 1 are scaled by powers of two when they are read, and columns that have become small before their step.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     WARPS warps; LANES ROWS rows, 32 / LANES WARPS COLS columns per strip
 * registers 128 per thread, of which ROWS COLS elements are the matrix and ROWS a reflector
 * shared    two columns, and the results of a strip; several strips: twice 8 reflectors
 * takes     s, c, z; m <= 256, any n; uniform and variable
 * reads     a; writes a, tau; several strips: V again for each
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_GEQRF_REGISTERS_CUH
#define BATCHED_QR_CUDA_GEQRF_REGISTERS_CUH

#include "batched/cuda/compiler.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Factors that a step leaves for the end: v = inverse (scale x) below the diagonal, beta on it. */
template <class T> struct held_result {
  T inverse;
  real_of<T> scale, beta;
};

template <int LANES, int ROWS, int COLS, int WARPS, class T> struct held_shape {
  static constexpr int V = pack<T>::size, parts = ROWS / V, chunk = LANES * V; /* rows per part */
  static constexpr int rows = LANES * ROWS, groups = 32 / LANES * WARPS, columns = groups * COLS;
  static constexpr int staged = 8; /* reflectors of earlier strips per buffer */
  static_assert(ROWS % V == 0, "whole packs");

  static constexpr size_t bytes(bool one_strip)
  {
    const size_t stages = one_strip ? 0 : 2 * staged * (rows + 1);
    return (2 * rows + stages) * sizeof(T) + columns * (sizeof(held_result<T>) + sizeof(real_of<T>)) + 16;
  }
};

/* KEPT: a column that is published stays in shared memory as a reflector, for geqrf_panels_shared.cuh. */
template <int LANES, int ROWS, int COLS, int WARPS, class T, bool KEPT = false> struct held_qr {
  using shape = held_shape<LANES, ROWS, COLS, WARPS, T>;
  using R = real_of<T>;
  static constexpr int V = shape::V, parts = shape::parts, chunk = shape::chunk, groups = shape::groups;
  /* Element V q + v of column c is row q chunk + V lane + v of the strip's column c groups + group. */
  T a[COLS][ROWS];
  T *published, *earlier, *earlier_taus;
  held_result<T> *results;
  R *scales;              /* of the strip's columns: what undoes their scaling */
  T *factors;             /* KEPT: of the strip's reflectors: H^H a = a - x factor x^H a */
  int lane, group, pitch; /* KEPT: elements from one published column to the next, a multiple of V */

  __device__ __forceinline__ explicit held_qr(bool one_strip)
  {
    published = shared_array<T>();
    earlier = published + 2 * shape::rows;
    earlier_taus = earlier + (one_strip ? 0 : 2 * shape::staged * shape::rows);
    results = reinterpret_cast<held_result<T> *>(earlier_taus + (one_strip ? 0 : 2 * shape::staged));
    scales = reinterpret_cast<R *>(results + shape::columns);
    lane = threadIdx.x % LANES;
    group = threadIdx.x / LANES;
    factors = nullptr;
    pitch = shape::rows;
  }
  /* A warp's own; `published` and `factors` follow. */
  __device__ __forceinline__ held_qr(held_result<T> *results, R *scales, int pitch)
      : published(nullptr), earlier(nullptr), earlier_taus(nullptr), results(results), scales(scales), factors(nullptr),
        lane(threadIdx.x % LANES), group(threadIdx.x % 32 / LANES), pitch(pitch)
  {
    static_assert(WARPS == 1, "a warp's own");
  }
  /* Column s of the strip in shared memory, and whether it has part q. */
  __device__ __forceinline__ T *published_at(int s) const
  {
    return published + (KEPT ? s * pitch : s % 2 * shape::rows);
  }
  __device__ __forceinline__ bool is_inside(int q) const
  {
    return !KEPT || row(q) < pitch;
  }
  static __device__ __forceinline__ void sync()
  {
    if constexpr (WARPS == 1)
      __syncwarp();
    else
      __syncthreads();
  }
  __device__ __forceinline__ int row(int q) const
  {
    return q * chunk + V * lane;
  }

  /* Reads the strip at p; zero beyond the matrix.  Scales columns of immoderate norm. */
  __device__ __forceinline__ void read(const T *p, int64_t ld, int m, int n)
  {
    const bool packed = V > 1 && reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % V == 0 && m % V == 0;
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      const int j = c * groups + group;
      const T *const x = p + j * ld;
#pragma unroll
      for (int q = 0; q < parts; q++) {
        if (packed) {
          pack<T> u = {};
          if (j < n && row(q) < m) u = *reinterpret_cast<const pack<T> *>(x + row(q));
#pragma unroll
          for (int v = 0; v < V; v++) a[c][V * q + v] = u.x[v];
        } else {
#pragma unroll
          for (int v = 0; v < V; v++) a[c][V * q + v] = j < n && row(q) + v < m ? x[row(q) + v] : make<T>(0);
        }
      }
    }
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      R squares = 0, back = 1;
#pragma unroll
      for (int t = 0; t < ROWS; t++) squares += square(a[c][t]);
      squares = sum_lanes(squares, LANES);
      const bool far = !is_moderate<T>(squares);
      if (__any_sync(all_lanes, far)) {
        const R s = column_scale(largest(a[c]));
#pragma unroll
        for (int t = 0; t < ROWS; t++) a[c][t] = far ? s * a[c][t] : a[c][t];
        if (far) back = inverse_scale(s);
      }
      if (lane == 0) scales[c * groups + group] = back;
    }
  }

  /* The largest part of a number of a column. */
  static __device__ __forceinline__ R largest(const T (&x)[ROWS])
  {
    R size = 0;
#pragma unroll
    for (int t = 0; t < ROWS; t++) size = fmax(size, largest_part(x[t]));
    for (int half = LANES / 2; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half, LANES));
    return size;
  }

  /* Writes R and V of the strip, whose first k columns, from row j0 of the matrix on, had steps. */
  __device__ __forceinline__ void write(T *p, int64_t ld, int m, int n, int j0, int k) const
  {
    const bool packed = V > 1 && reinterpret_cast<uintptr_t>(p) % 16 == 0 && ld % V == 0 && m % V == 0;
#pragma unroll
    for (int c = 0; c < COLS; c++) {
      const int j = c * groups + group;
      if (j >= n) continue;
      T *const x = p + j * ld;
      const R back = scales[j];
      const int diagonal = j < k ? j0 + j : shape::rows;
      const held_result<T> h = results[j < k ? j : 0];
#pragma unroll
      for (int q = 0; q < parts; q++) {
        pack<T> u;
#pragma unroll
        for (int v = 0; v < V; v++) {
          const int i = row(q) + v;
          const T y = a[c][V * q + v], below = h.inverse * (h.scale * y);
          u.x[v] = select(i > diagonal, below, back * select(i == diagonal, make<T>(h.beta), y));
        }
        if (packed) {
          if (row(q) < m) *reinterpret_cast<pack<T> *>(x + row(q)) = u;
        } else {
#pragma unroll
          for (int v = 0; v < V; v++)
            if (row(q) + v < m) x[row(q) + v] = u.x[v];
        }
      }
    }
  }

  /* Column c of this group, from row j on, to shared memory. */
  template <int c> __device__ __forceinline__ void publish(int j, T *to) const
  {
    const int from = j / chunk;
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      pack<T> u;
#pragma unroll
      for (int v = 0; v < V; v++) u.x[v] = select(row(q) + v < j, make<T>(0), a[c][V * q + v]);
      if (is_inside(q)) *reinterpret_cast<pack<T> *>(to + row(q)) = u;
    }
  }
  __device__ __forceinline__ void fetch(const T *from_shared, int from, T (&x)[ROWS]) const
  {
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
      pack<T> u = {};
      if (is_inside(q)) u = *reinterpret_cast<const pack<T> *>(from_shared + row(q));
#pragma unroll
      for (int v = 0; v < V; v++) x[V * q + v] = u.x[v];
    }
  }
  /* KEPT: what fetch() will find, from row j on. */
  __device__ __forceinline__ void replace(T *to, int from, const T (&x)[ROWS]) const
  {
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from || group != 0 || !is_inside(q)) continue;
      pack<T> u;
#pragma unroll
      for (int v = 0; v < V; v++) u.x[v] = x[V * q + v];
      *reinterpret_cast<pack<T> *>(to + row(q)) = u;
    }
  }

  /* a -= x factor x^H a for columns FIRST .., of which the first one only if it is active. */
  template <int FIRST>
  __device__ __forceinline__ void reflect_columns(const T (&x)[ROWS], T factor, int from, bool active)
  {
    T d[COLS][2] = {};
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
#pragma unroll
      for (int v = 0; v < V; v++)
#pragma unroll
        for (int c = FIRST; c < COLS; c++)
          d[c][(q + v) % 2] = conj_mad(x[V * q + v], a[c][V * q + v], d[c][(q + v) % 2]);
    }
#pragma unroll
    for (int c = FIRST; c < COLS; c++) {
      d[c][0] = -(factor * sum_lanes(d[c][0] + d[c][1], LANES));
      if (c == FIRST) d[c][0] = select(active, d[c][0], make<T>(0));
    }
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
#pragma unroll
      for (int v = 0; v < V; v++)
#pragma unroll
        for (int c = FIRST; c < COLS; c++) a[c][V * q + v] = mad(d[c][0], x[V * q + v], a[c][V * q + v]);
    }
  }

  /* Sum of squares below row j of a published column. */
  __device__ __forceinline__ R measure(const T (&x)[ROWS], int j, int from) const
  {
    R squares[2] = {};
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q < from) continue;
#pragma unroll
      for (int v = 0; v < V; v++) {
        const R y = square(x[V * q + v]);
        squares[v % 2] += q > from || row(q) + v > j ? y : R(0);
      }
    }
    return sum_lanes(squares[0] + squares[1], LANES);
  }

  /* Step of the strip's column s = NOW groups + owner, which is column j of the matrix. */
  template <int NOW> __device__ __forceinline__ void step(int owner, int s, int j, T *tau)
  {
    const int from = j / chunk;
    T *const column = published_at(s);
    T x[ROWS];
    fetch(column, from, x);
    T alpha = column[j];
    R tail = measure(x, j, from), scale = 1;
    if (!is_moderate<T>(tail + square(alpha))) {
#pragma unroll
      for (int q = 0; q < parts; q++)
#pragma unroll
        for (int v = 0; v < V; v++)
          if (q < from) x[V * q + v] = make<T>(0);
      scale = column_scale(largest(x));
#pragma unroll
      for (int t = 0; t < ROWS; t++) x[t] = scale * x[t];
      alpha = scale * alpha;
      tail = measure(x, j, from);
      if constexpr (KEPT) {
        __syncwarp();
        replace(column, from, x);
      }
    }
    const reflector<T> h = reflect(alpha, tail);
    const T first = alpha - make<T>(h.beta);
#pragma unroll
    for (int q = 0; q < parts; q++) {
      if (q != from) continue;
#pragma unroll
      for (int v = 0; v < V; v++) x[V * q + v] = select(row(q) + v == j, first, x[V * q + v]);
    }
    const T factor = square(h.inverse) * conj(h.tau);
    if constexpr (KEPT) __syncwarp();
    if (lane == 0 && group == 0) {
      results[s] = {h.inverse, scale, h.beta * inverse_scale(scale)};
      *tau = h.tau;
      if constexpr (KEPT) {
        column[j] = first;
        factors[s] = factor;
      }
    }
    reflect_columns<NOW>(x, factor, from, group > owner);
  }

  template <int NOW> __device__ __forceinline__ void stages(int k, int j0, T *tau, int64_t step_of_tau)
  {
    if constexpr (NOW < COLS) {
      const int first = NOW * groups;
      if (first >= k) return;
      if (group == 0) publish<NOW>(j0 + first, published_at(first));
#pragma unroll 1
      for (int owner = 0; owner < groups; owner++) {
        const int s = first + owner;
        if (s >= k) return;
        sync();
        step<NOW>(owner, s, j0 + s, tau + (j0 + s) * step_of_tau);
        if (group == owner + 1 && (!KEPT || s + 1 < k)) publish<NOW>(j0 + s + 1, published_at(s + 1));
      }
      stages<NOW + 1>(k, j0, tau, step_of_tau);
    }
  }

  /* Starts to copy up to 8 reflectors from i0 on to a buffer, with their ones and zeros. */
  __device__ __forceinline__ void start(const T *p, int64_t ld, const T *tau, int64_t step_of_tau, int i0, int count,
                                        int m, int buffer) const
  {
    T *const to = reflectors_of(buffer);
    const int top = i0 / chunk * chunk;
    for (int s = 0; s < count; s++)
      for (int i = top + threadIdx.x; i < shape::rows; i += blockDim.x) {
        if (i > i0 + s && i < m)
          start_copy(to + s * shape::rows + i, p + i + (i0 + s) * ld);
        else
          to[s * shape::rows + i] = make<T>(i == i0 + s);
      }
    if (threadIdx.x < count)
      start_copy(earlier_taus + buffer * shape::staged + threadIdx.x, tau + (i0 + threadIdx.x) * step_of_tau);
  }
  __device__ __forceinline__ T *reflectors_of(int buffer) const
  {
    return earlier + buffer * shape::staged * shape::rows;
  }

  /* Applies the first k reflectors of p. */
  __device__ __forceinline__ void apply(const T *p, int64_t ld, const T *tau, int64_t step_of_tau, int k, int m)
  {
    start(p, ld, tau, step_of_tau, 0, min(shape::staged, k), m, 0);
    int buffer = 0;
#pragma unroll 1
    for (int i0 = 0; i0 < k; i0 += shape::staged) {
      const int next = i0 + shape::staged, count = min(shape::staged, k - i0);
      wait_copies();
      sync();
      if (next < k) start(p, ld, tau, step_of_tau, next, min(shape::staged, k - next), m, 1 - buffer);
#pragma unroll 1
      for (int s = 0; s < count; s++) {
        T x[ROWS];
        const int from = (i0 + s) / chunk;
        fetch(reflectors_of(buffer) + s * shape::rows, from, x);
        reflect_columns<0>(x, conj(earlier_taus[buffer * shape::staged + s]), from, true);
      }
      buffer = 1 - buffer;
    }
  }
};

template <int LANES, int ROWS, int COLS, int WARPS, int BLOCKS, class T>
static __global__ void __launch_bounds__(32 * WARPS, BLOCKS) geqrf_registers(batch<T> a, batch<T> tau)
{
  using qr = held_qr<LANES, ROWS, COLS, WARPS, T>;
  using shape = typename qr::shape;
  qr x(a.n <= shape::columns);
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0;
    for (int j0 = 0; j0 < n; j0 += shape::columns) {
      const int k = min(shape::columns, min(m, n) - j0);
      const int64_t ld = a.leading(b), step = tau.increment(b);
      T *const p = a.at(b), *const t = tau.at(b);
      x.read(p + j0 * ld, ld, m, n - j0);
      if (j0 > 0) x.apply(p, ld, t, step, min(j0, m), m);
      x.template stages<0>(k, j0, t, step);
      qr::sync();
      x.write(p + j0 * ld, ld, m, n - j0, j0, k);
      qr::sync();
    }
  }
}

template <class T> static int launch_geqrf_registers(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
#define GO(lanes, rows, cols, warps, blocks) \
  if (a.m <= lanes * rows) { \
    using shape = held_shape<lanes, rows, cols, warps, T>; \
    return launch(ctx, geqrf_registers<lanes, rows, cols, warps, blocks, T>, a.count, 32 * warps, \
                  shape::bytes(a.n <= shape::columns), a, tau); \
  }
  if constexpr (std::is_same_v<T, float>) {
    GO(4, 12, 6, 1, 16)
    GO(4, 16, 4, 2, 8)
    GO(8, 12, 6, 4, 4)
    GO(8, 16, 4, 8, 2)
    GO(8, 20, 3, 16, 1)
    GO(16, 16, 4, 16, 1)
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    GO(8, 6, 6, 2, 8)
    GO(8, 8, 4, 4, 4)
    GO(16, 6, 6, 8, 2)
    GO(16, 8, 4, 16, 1)
    GO(32, 8, 4, 16, 1)
  } else if constexpr (std::is_same_v<T, complex<double>>) {
    GO(8, 6, 3, 4, 4)
    GO(8, 8, 2, 8, 2)
    GO(16, 6, 3, 16, 1)
    GO(16, 8, 2, 16, 1)
    GO(32, 8, 2, 16, 1)
  }
#undef GO
  return BATCHED_DOES_NOT_FIT;
}

} // namespace batched_cuda::qr

#endif

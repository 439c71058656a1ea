/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR factorisations of high matrices of up to 40 columns by a sketch of their rows and products of columns: what the
 * row cuda.sketch of lrbasis is made of.  With R of the sketch, X = A R^-1 has columns that are not far from
 * orthonormal, whatever A's are (Rokhlin, Tygert, PNAS 105, 2008; Balabanov, Grigori, SIAM J. Sci. Stat. Comput. 44,
 * 2022), so that X^H X tells the rest to a few eps.
 */
#ifndef BATCHED_LOWRANK_CUDA_SKETCH_CUH
#define BATCHED_LOWRANK_CUDA_SKETCH_CUH

#include "batched/cuda/mma.cuh"
#include "batched/lowrank/cuda/row_reflections.cuh"

namespace batched_cuda::lowrank
{

constexpr int sketch_most = 40;

/* Sketches are made in A's precision, all that follows in double. */
template <class T> using wide_of = std::conditional_t<is_complex<T>, complex<double>, double>;

/* Of matrices of up to 8 S columns.  The upper 8 x 8 blocks of a triangle R are `blocks`. */
template <class T, int S> struct sketch_shape {
  using type = T;
  static constexpr int groups = S, width = 8 * S, blocks = S * (S + 1) / 2;
  static constexpr int strip = 16, warps = is_complex<T> ? 4 : 8, threads = warps * warp_size;
  static constexpr int ld = strip + 4; /* lanes 4 g + t read row t of column g: all banks */
  static constexpr size_t bytes =
    sizeof(wide_of<T>) * (width * width + width + blocks * 2 * warp_size + warps * width * ld) +
    sizeof(double) * 3 * width;
  static constexpr int sketch_lane = 8, sketch = row_warps * row_lanes * sketch_lane;
};

/* A basis of the columns of A, and, of each matrix, R of its sketch, by rows, and A's largest element, to which R is
 * scaled. */
template <class T, int S> struct sketched {
  batch<T> a, c;
  wide_of<T> *r;
  double *largest;

  __device__ __forceinline__ wide_of<T> *triangle(int64_t b) const
  {
    return r + b * sketch_shape<T, S>::width * sketch_shape<T, S>::width;
  }
};

/* +1 or -1, at random, of row i. */
template <class R> __device__ __forceinline__ R row_sign(unsigned i)
{
  unsigned x = i * 0x7feb352du + 0x68bc21ebu;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return (x ^ x >> 16) & 1 ? R(-1) : R(1);
}

/* R of a sketch of A: its rows, each by +1 or -1, added up to 128 (Clarkson, Woodruff, JACM 63, 2017)
 *   algorithm  Householder's reflections of the sums (row_reflections.cuh)
 *   grid       a block of 4 warps per matrix
 *   shared     R twice
 *   memory     A once read, R once written */
template <class T, int S> __global__ void __launch_bounds__(row_warps *warp_size, 2) sketch_rows(sketched<T, S> f)
{
  using shape = sketch_shape<T, S>;
  using R = real_of<T>;
  __shared__ maximum_of<R> shared_largest[row_warps];
  const int m = f.a.m, n = f.a.n;
  T *const sums = shared_array<T>();
  for (int64_t b = blockIdx.x; b < f.a.count; b += gridDim.x) {
    T *const before = sums + 2 * row_warps * shape::width, *const after = before + n * shape::width;
    for (int e = threadIdx.x; e < 2 * n * shape::width; e += blockDim.x) before[e] = make<T>(0);
    const T *const a = f.a.at(b);
    const int64_t ld = f.a.leading(b);
    row_block<T, S, shape::sketch_lane> x = {};
    maximum_of<R> most;
    for (int first = 0; first < m; first += shape::sketch)
#pragma unroll
      for (int t = 0; t < x.rows; t++) {
        const int i = first + x.row(t);
        const R sign = row_sign<R>(i);
#pragma unroll
        for (int s = 0; s < S; s++) {
          const T value = i < m && x.column(s) < n ? a[i + x.column(s) * ld] : make<T>(0);
          most.add(eigen::is_finite(value) ? eigen::magnitude(value) : R(NAN));
          x.x[t][s] += sign * value;
        }
      }
    const R largest = merge_block(most, shared_largest).result();
    const eigen::power_scale<R> scale(largest, R(1));
    x.scale(scale);
    __syncthreads();
    x.template eliminate<0>(before, after, sums, n);
    __syncthreads();
    wide_of<T> *const r = f.triangle(b);
    for (int e = threadIdx.x; e < shape::width * shape::width; e += blockDim.x) {
      const int i = e / shape::width, j = e % shape::width;
      const T value = largest != largest ? make<T>(R(NAN)) : i <= j && j < n ? after[e] : make<T>(0);
      r[e] = make<wide_of<T>>(real(value), imag(value));
    }
    if (threadIdx.x == 0) f.largest[b] = largest;
    __syncthreads();
  }
}

/* C += A B of 16 x 8 and 8 x 8 numbers: lane 4 g + t has rows g and g + 8 of columns 2 t and 2 t + 1 of A and C, and
 * (2 t, g) and (2 t + 1, g) of B. */
__device__ __forceinline__ void multiply_rows(double (&c)[4], const double (&a)[4], double x, double y)
{
  multiply_two_8x8(c[0], c[1], c[2], c[3], a[0], a[1], a[2], a[3], x, y);
}
__device__ __forceinline__ void multiply_rows(complex<double> (&c)[4], const complex<double> (&a)[4], complex<double> x,
                                              complex<double> y)
{
  double cr[4], ci[4], ar[4], ai[4], minus[4];
#pragma unroll
  for (int e = 0; e < 4; e++) cr[e] = c[e].re, ci[e] = c[e].im, ar[e] = a[e].re, ai[e] = a[e].im, minus[e] = -a[e].im;
  multiply_rows(cr, ar, x.re, y.re);
  multiply_rows(ci, ar, x.im, y.im);
  multiply_rows(cr, minus, x.im, y.im);
  multiply_rows(ci, ai, x.re, y.re);
#pragma unroll
  for (int e = 0; e < 4; e++) c[e] = {cr[e], ci[e]};
}

/* The upper 8 x 8 blocks of X^H X, of a warp's rows. */
template <class W, int S> struct column_products;

template <int S> struct column_products<double, S> {
  static constexpr int tall = (S + 1) / 2; /* 16 x 8 blocks */
  double d[tall][S][4] = {};

  /* v[j]: rows t and 4 + t of column 8 j + g */
  __device__ __forceinline__ void add(const double (&v)[S][2])
  {
#pragma unroll
    for (int i = 0; i < tall; i++) {
      const int low = 2 * i + 1 < S ? 2 * i + 1 : 2 * i; /* rows beyond the last block are not used */
      const double y[4] = {v[2 * i][0], v[low][0], v[2 * i][1], v[low][1]};
#pragma unroll
      for (int j = 2 * i; j < S; j++) multiply_16x8x8(d[i][j], y, v[j]);
    }
  }
  /* Calls f(row, column, sum). */
  template <class F> __device__ __forceinline__ void each(F f) const
  {
    const int g = threadIdx.x % warp_size / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < tall; i++)
#pragma unroll
      for (int j = 2 * i; j < S; j++)
#pragma unroll
        for (int e = 0; e < 4; e++)
          if (2 * i + e / 2 < S) f(16 * i + g + e / 2 * 8, 8 * j + 2 * t + e % 2, d[i][j][e]);
  }
};

template <int S> struct column_products<complex<double>, S> {
  complex<double> d[S][S][2] = {};

  __device__ __forceinline__ void add(const complex<double> (&v)[S][2])
  {
#pragma unroll
    for (int i = 0; i < S; i++)
#pragma unroll
      for (int j = i; j < S; j++)
#pragma unroll
        for (int k = 0; k < 2; k++) multiply_8x8x4(d[i][j], conj(v[i][k]), v[j][k]);
  }
  template <class F> __device__ __forceinline__ void each(F f) const
  {
    const int g = threadIdx.x % warp_size / 4, t = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < S; i++)
#pragma unroll
      for (int j = i; j < S; j++)
#pragma unroll
        for (int e = 0; e < 2; e++) f(8 * i + g, 8 * j + 2 * t + e, d[i][j][e]);
  }
};

/* What a block has in shared memory. */
template <class T, int S> struct gram_room {
  using shape = sketch_shape<T, S>;
  using W = wide_of<T>;
  W *divisors; /* of each upper 8 x 8 block of R, lane 4 g + t's (2 t, g) and (2 t + 1, g): the inverse of a diagonal
                   * block, -R beside it */
  W *gram;     /* a triangle R above its diagonal, by rows; X^H X; and its factors */
  W *inverse;  /* of R's diagonal */
  W *strips;
  double *root;   /* the same, and 0 for columns that are left out */
  double *square; /* the diagonal of X^H X */
  double *size;   /* |column j of A| is about size[j] |column j of X| */

  __device__ __forceinline__ gram_room()
      : divisors(shared_array<W>()), gram(divisors + shape::blocks * 2 * warp_size),
        inverse(gram + shape::width * shape::width), strips(inverse + shape::width),
        root(reinterpret_cast<double *>(strips + shape::warps * shape::width * shape::ld)), square(root + shape::width),
        size(square + shape::width)
  {
  }
  __device__ __forceinline__ W &at(int i, int j) const
  {
    return gram[i * shape::width + j];
  }
  /* Block (i, j), i <= j. */
  __device__ __forceinline__ W *block(int i, int j) const
  {
    return divisors + (j * (j + 1) / 2 + i) * 2 * warp_size;
  }
};

/* A column whose square is less than this of what it was is not known to any digit. */
constexpr double gram_unknown = 0x1p-40, gram_step = 0x1p20;
/* Columns X R2^-1 are orthonormal to some eps times the inverse of this. */
constexpr double gram_enough = 0x1p-9;
/* What is left out: of a largest element from 1 to 2. */
template <class T> constexpr double gram_nothing = eps_of<real_of<T>>;
constexpr double sketch_least = 0x1p-60;
constexpr int gram_rounds = 6;

/* The divisors of R, which is in gram and inverse. */
template <class T, int S> __device__ __forceinline__ void make_divisors(const gram_room<T, S> &room)
{
  using W = wide_of<T>;
  constexpr int width = sketch_shape<T, S>::width;
  for (int e = threadIdx.x; e < width * width; e += blockDim.x) {
    const int i = e / width, j = e % width;
    if (i / 8 < j / 8) room.block(i / 8, j / 8)[8 * (j % 8) + i % 8] = -room.gram[e];
  }
  /* A column of a diagonal block's inverse by each thread. */
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    const int first = c / 8 * 8, n = c % 8;
    W v[8];
#pragma unroll
    for (int i = 7; i >= 0; i--) {
      W sum = make<W>(0);
#pragma unroll
      for (int l = i + 1; l < 8; l++) sum = mad(room.at(first + i, first + l), v[l], sum);
      v[i] = i > n ? make<W>(0) : i == n ? room.inverse[c] : -sum * room.inverse[first + i];
      room.block(c / 8, c / 8)[8 * n + i] = v[i];
    }
  }
  __syncthreads();
}

/* X = X R^-1 of 16 rows, block by block: lane 4 g + t has rows g and g + 8 of columns 2 t and 2 t + 1 of each block. */
template <class T, int S>
__device__ __forceinline__ void divide_rows(wide_of<T> (&x)[S][4], const gram_room<T, S> &room)
{
  using W = wide_of<T>;
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int j = 0; j < S; j++) {
    const W *const inverse = room.block(j, j) + 2 * lane;
    W y[4] = {};
    multiply_rows(y, x[j], inverse[0], inverse[1]);
#pragma unroll
    for (int e = 0; e < 4; e++) x[j][e] = y[e];
#pragma unroll
    for (int k = j + 1; k < S; k++) {
      const W *const r = room.block(j, k) + 2 * lane;
      multiply_rows(x[k], y, r[0], r[1]);
    }
  }
}

/* X = A R^-1 in place of A; the upper 8 x 8 blocks of X^H X to room.gram, added up over the warps in
 * their order. */
template <class T, int S>
__device__ __forceinline__ void divide(T *a, int64_t ld, int m, int n, const eigen::power_scale<double> &scale,
                                       bool scaled, const gram_room<T, S> &room)
{
  using shape = sketch_shape<T, S>;
  using W = wide_of<T>;
  const int warp = threadIdx.x / warp_size, g = threadIdx.x % warp_size / 4, t = threadIdx.x % 4;
  W *const own = room.strips + warp * shape::width * shape::ld;
  make_divisors(room);
  column_products<W, S> sums;
#pragma unroll 1
  for (int first = shape::strip * warp; first < m; first += shape::strip * shape::warps) {
    W x[S][4];
#pragma unroll
    for (int j = 0; j < S; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int row = first + g + e / 2 * 8, col = 8 * j + 2 * t + e % 2;
        const T value = row < m && col < n ? a[row + col * ld] : make<T>(0);
        x[j][e] = make<W>(real(value), imag(value));
      }
    if (scaled)
#pragma unroll
      for (int j = 0; j < S; j++)
#pragma unroll
        for (int e = 0; e < 4; e++) x[j][e] = scale.up(x[j][e]);
    divide_rows(x, room);
#pragma unroll
    for (int j = 0; j < S; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int row = g + e / 2 * 8, col = 8 * j + 2 * t + e % 2;
        const T rounded = make<T>(real_of<T>(real(x[j][e])), real_of<T>(imag(x[j][e])));
        if (first + row < m && col < n) a[first + row + col * ld] = rounded;
        own[col * shape::ld + row] = make<W>(real(rounded), imag(rounded));
      }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < shape::strip; k += 8) {
      W v[S][2];
#pragma unroll
      for (int j = 0; j < S; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) v[j][i] = own[(8 * j + g) * shape::ld + k + 4 * i + t];
      sums.add(v);
    }
    __syncwarp();
  }
  __syncthreads();
  for (int turn = 0; turn < shape::warps; turn++) {
    if (warp == turn) sums.each([&](int i, int j, W x) { room.at(i, j) = turn == 0 ? x : room.at(i, j) + x; });
    __syncthreads();
  }
}

/* X^H X = L D L^H in room.gram: D L^H above and on the diagonal, L^-1 below it; columns of which nothing is known are
 * left alone.  Whether one of them, or one of which little is left, is more than nothing: X is to be divided by the
 * triangle, and looked at once more. */
template <class T, int S> __device__ __forceinline__ bool factor_gram(int n, const gram_room<T, S> &room)
{
  using W = wide_of<T>;
  constexpr int width = sketch_shape<T, S>::width;
  bool again = false;
  for (int j = threadIdx.x; j < width; j += blockDim.x) room.square[j] = real(room.at(j, j));
  __syncthreads();
  for (int e = threadIdx.x; e < width * width; e += blockDim.x)
    if (e / width > e % width) room.gram[e] = make<W>(0);
  __syncthreads();
  for (int j = 0; j < n; j++) {
    const double all = room.square[j], rest = real(room.at(j, j));
    const bool unknown = rest <= gram_unknown * all; /* also where all are 0 */
    if (!unknown) {
      again = again || rest < gram_enough * all;
      const double over = inverse_of(rest);
      for (int e = threadIdx.x; e < (n - 1 - j) * width; e += blockDim.x) {
        const int i = j + 1 + e / width, k = e % width;
        const W factor = conj(room.at(j, i)) * over;
        if (k == j)
          room.at(i, j) = -factor;
        else if (k < j || k >= i)
          room.at(i, k) = mad(-factor, room.at(j, k), room.at(i, k));
      }
    }
    const double length = unknown ? sqrt(all) / gram_step : sqrt(rest), size = room.size[j] * length;
    const bool vanishes = unknown && size < gram_nothing<T>;
    again = again || (unknown && !vanishes);
    __syncthreads();
    if (threadIdx.x == 0) {
      room.inverse[j] = make<W>(vanishes ? 0 : 1 / length);
      room.root[j] = unknown ? 0 : 1 / length;
      room.size[j] = size;
    }
  }
  __syncthreads();
  return again;
}

/* R of a sketch to room; rows without a diagonal element are unknown, and columns take no part of them. */
template <class T, int S> __device__ __forceinline__ void start_gram(const wide_of<T> *r, const gram_room<T, S> &room)
{
  using W = wide_of<T>;
  constexpr int width = sketch_shape<T, S>::width;
#pragma unroll
  for (int e = threadIdx.x; e < width * width; e += sketch_shape<T, S>::threads) room.gram[e] = r[e];
  __syncthreads();
  for (int j = threadIdx.x; j < width; j += blockDim.x) {
    const W diagonal = room.at(j, j);
    const bool unknown = square(diagonal) <= sketch_least * sketch_least;
    const W x = unknown ? make<W>(sketch_least) : diagonal;
    room.inverse[j] = conj(x) * (1 / square(x));
    room.root[j] = 0;
    room.size[j] = sqrt(square(x));
    for (int k = j + 1; unknown && k < width; k++) room.at(j, k) = make<W>(0);
  }
  __syncthreads();
}

/* Calls f(integral constant S) for n columns. */
template <class F> int with_sketched_columns(int n, F f)
{
  switch (ceil_div(n, column_groups)) {
  case 3: return f(std::integral_constant<int, 3>());
  case 4: return f(std::integral_constant<int, 4>());
  default: return f(std::integral_constant<int, 5>());
  }
}

/* Sketches A, and calls f(arguments, shape) with R of the sketches. */
template <class F> int with_sketch(batched_ctx *ctx, const batched_matrix &a, const batched_matrix &c, F f)
{
  return with_type(a.type, [&](auto type) {
    return with_sketched_columns(a.n, [&](auto groups) {
      using T = decltype(type);
      constexpr int S = decltype(groups)::value;
      using shape = sketch_shape<T, S>;
      const size_t bytes = (size_t)a.count * (shape::width * shape::width * sizeof(wide_of<T>) + sizeof(double));
      wide_of<T> *const work = static_cast<wide_of<T> *>(batched_scratch_push(ctx, bytes));
      if (!work) return (int)BATCHED_NO_MEMORY;
      double *const largest = reinterpret_cast<double *>(work + (size_t)a.count * shape::width * shape::width);
      const sketched<T, S> arguments = {view<T>(a), view<T>(c), work, largest};
      int status = launch(ctx, sketch_rows<T, S>, a.count, row_warps * warp_size, bytes_of_r<T, S>(a.n), arguments);
      if (!status) status = f(arguments, shape());
      batched_scratch_pop(ctx);
      return status;
    });
  });
}

static inline bool fits_sketch(const batched_matrix &a)
{
  return a.n >= least_columns && a.n <= sketch_most;
}

} // namespace batched_cuda::lowrank

#endif

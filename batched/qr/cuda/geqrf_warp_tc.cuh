/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp_tc of geqrf: Householder QR of matrices up to 64 x 64 in the registers of a warp.
 *
 * Right-looking. Four lanes share a column (row i in lane i % 4 of them), each lane has parts of C columns, so that it
 * reads a quarter of each reflector from shared memory; tensor cores sum what the four lanes have of a product
 * (m16n8k4), in place of shuffles. At 57 to 64 rows and columns two of the eight slots of 8 columns come late (C <
 * ALL): their columns are read when 16 columns are done. Bulk copies bring a matrix to a tile in shared memory and
 * back. A matrix with a column whose norm is far from 1 is done again with scaling.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     a warp; 8 to 16 blocks per SM
 * shared    beta and alpha - beta of each step, the tile
 * takes     double precision, m, n <= 64, uniform and variable
 * reads     a; writes a, tau
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_GEQRF_WARP_TC_CUH
#define BATCHED_QR_CUDA_GEQRF_WARP_TC_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Columns of a matrix, in global memory and in the tile. */
struct spread_matrix {
  double *at, *tile;
  int64_t ld;
  int m, n, step;                      /* leading dimension of the tile */
  enum { WHOLE, PAIRS, ELEMENTS } way; /* unit of copies */

  /* Columns j0 .. of matrix b, at most `most`. */
  __device__ __forceinline__ spread_matrix(const batch<double> &a, int64_t b, double *memory, int j0, int most)
  {
    m = a.rows(b);
    n = m > 0 ? min(a.cols(b) - j0, most) : 0;
    if (n <= 0) return;
    ld = a.leading(b);
    at = a.at(b) + j0 * ld;
    step = m;
    way = ld == m ? WHOLE : !is_odd() && ld % 2 == 0 && m % 2 == 0 ? PAIRS : ELEMENTS;
    tile = memory + (way == WHOLE && is_odd());
  }
  __device__ __forceinline__ bool is_odd() const
  {
    return reinterpret_cast<uintptr_t>(at) % 16 != 0;
  }

  /* Calls copy(t, g, T) for all elements: tile element t, matrix element g, two at a time if T is double2; whole(t,
   * count) for the aligned part if the matrix is contiguous. */
  template <class Whole, class Copy> __device__ __forceinline__ void move(Whole whole, Copy copy) const
  {
    const int thread = threadIdx.x, threads = blockDim.x;
    if (way == WHOLE) {
      const int head = is_odd(), inner = (m * n - head) / 2 * 2, last = head + inner;
      if (thread == 0 && inner > 0) whole(head, inner);
      if (thread < head) copy(0, 0, double());
      if (thread == 0 && last < m * n) copy(last, last, double());
    } else if (way == PAIRS) {
      for (int j = thread / 8; j < n; j += threads / 8)
#pragma unroll 4
        for (int i = 2 * (thread % 8); i < m; i += 16) copy(i + j * step, i + j * ld, double2());
    } else {
      for (int j = thread / 8; j < n; j += threads / 8)
#pragma unroll 4
        for (int i = thread % 8; i < m; i += 8) copy(i + j * step, i + j * ld, double());
    }
  }
  __device__ __forceinline__ void load(unsigned barrier, int parity) const
  {
    move(
      [&](int t, int count) {
        const int bytes = count * (int)sizeof(double);
        barrier_expect(barrier, bytes);
        bulk_load(shared_address(tile + t), at + t, bytes, barrier);
      },
      [&](int t, int64_t g, auto x) {
        using T = decltype(x);
        start_copy(reinterpret_cast<T *>(tile + t), reinterpret_cast<const T *>(at + g));
      });
    wait_copies();
    barrier_arrive(barrier);
    barrier_wait(barrier, parity);
  }
  __device__ __forceinline__ void store() const
  {
    move([&](int t, int count) { bulk_store(at + t, shared_address(tile + t), count * (int)sizeof(double)); },
         [&](int t, int64_t g, auto x) {
           using T = decltype(x);
           *reinterpret_cast<T *>(at + g) = *reinterpret_cast<const T *>(tile + t);
         });
    bulk_store_wait();
  }
  /* Gives columns of the tile `rows` elements each. */
  __device__ __forceinline__ void spread(int rows, double *memory)
  {
    if (way == WHOLE) way = ELEMENTS;
    step = rows;
    tile = memory;
  }

private:
  static __device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes)
  {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
};

/* The matrix has ALL slots of 8 columns, of which C are in registers at a time. */
template <int R, int C, int ALL> struct spread_shape {
  static constexpr int even = R + R % 2, ld = even % 8 == 0 ? even + 2 : even; /* quarters of a column fall into
                                                                                * different banks */
  static constexpr int apart = 4 * R + 2; /* leading dimension of V for late columns, free of bank conflicts */
  static constexpr int results = 4 * R < 8 * ALL ? 4 * R : 8 * ALL;

  /* Bytes of shared memory: the results, and the tile, which is reused to broadcast columns, and for V of late
   * columns. */
  static constexpr size_t bytes(int m, int n)
  {
    const int tile = m * (n < 8 * C ? n : 8 * C) + 2, least = ALL > C ? 8 * (ALL - C) * apart : 8 * ld;
    return (2 * results + (tile > least ? tile : least)) * sizeof(double);
  }
};

template <int R, int C, int ALL> struct spread_qr {
  using shape = spread_shape<R, C, ALL>;
  static constexpr int ld = shape::ld;
  static constexpr int late = ALL - C;      /* slots that come late, when as many are done */
  static constexpr bool keeps = C * R < 96; /* does a lane keep its part of v in registers? */
  double a[C][R]; /* rows t, t + 4, .. of columns 8 c + g in a[c % C]; zero beyond the matrix */
  double *columns;
  double2 *results; /* of each step: alpha - beta (0 where H = I) and beta */
  int g, t;
  unsigned extreme; /* largest distance of a column's squared norm from 1 */

  __device__ __forceinline__ void note(double squares)
  {
    extreme = max(extreme, (unsigned)__double2hiint(squares) - (623u << 20)); /* 2^-400 and less, or more */
  }
  __device__ __forceinline__ bool is_moderate() const
  {
    return __all_sync(0xffffffffu, extreme < 800u << 20);
  }

  /* Reads slots FIRST .. LAST - 1 and notes the sizes of columns that have no step. */
  template <int FIRST, int LAST> __device__ __forceinline__ void read(const double *from, int64_t step, int m, int n)
  {
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g;
#pragma unroll
      for (int s = 0; s < R; s++) a[c % C][s] = j < n && t + 4 * s < m ? from[t + 4 * s + j * step] : 0;
    }
    if (n <= m) return;
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g;
      double squares = 0;
#pragma unroll
      for (int s = 0; s < R; s++) squares = fma(a[c % C][s], a[c % C][s], squares);
      squares = sum_lanes(squares, 4);
      if (j >= m && j < n) note(squares);
    }
  }

  /* Writes this lane's part of the step's column to shared memory, from slot I on, if it is its own. */
  template <int I> __device__ __forceinline__ void publish(bool is_mine, double *to) const
  {
    const double *const x = a[I / 2 % C];
    const unsigned at = shared_address(to + ld * t);
#pragma unroll
    for (int s = I / 2 * 2; s < R; s += 2)
      if (s + 1 < R)
        store_shared_if(is_mine, at + 8 * s, x[s], x[s + 1]);
      else
        store_shared_if(is_mine, at + 8 * s, x[s]);
  }
  /* Reads slots s and, if s is even, s + 1 of it. */
  static __device__ __forceinline__ void fetch(const double *from, int s, double v[R])
  {
    if (s % 2 == 0 && s + 1 < R) {
      const double2 two = *reinterpret_cast<const double2 *>(from + s);
      v[s] = two.x;
      v[s + 1] = two.y;
    } else {
      v[s] = from[s];
    }
  }

  /* d[0], d[2] = f times the sums of x, y over the four lanes of a column. */
  static __device__ __forceinline__ void add_up(double d[4], double x, double y, double f)
  {
#pragma unroll
    for (int e = 0; e < 4; e++) d[e] = 0;
    multiply_16x8x4(d, x, y, f);
  }

  static __device__ __forceinline__ double opposite(double x)
  {
    return __hiloint2double(__double2hiint(x) ^ 1 << 31, __double2loint(x));
  }

  /* Calls f(s, v) for this lane's slots s >= I of the column; `top` stands for slot I. */
  template <int I, class F>
  static __device__ __forceinline__ void for_each(const double *column, double (&v)[R], double top, F f)
  {
#pragma unroll
    for (int s = I; s < R; s++) {
      if (!keeps && s % 4 == 0) compiler_fence();
      if (!keeps && (s % 2 == 0 || s == I)) fetch(column, s, v);
      f(s, s == I ? top : v[s]);
    }
  }

  /* The reflector of column j = 4 I + r: v = (first, x). */
  template <int I> __device__ __forceinline__ void step(int j, int r)
  {
    constexpr int now = I / 2, end = now < late ? C : ALL;
    double *const column = columns + r % 2 * 4 * ld;
    const double *const mine = column + ld * t;
    double v[R], d[ALL + 1] = {}, f[4], part[2] = {};
    publish<I>(g == j - 8 * now, column);
    __syncwarp();
#pragma unroll
    for (int s = I; s < R; s++)
      if (keeps ? s % 2 == 0 || s == I : s == I) fetch(mine, s, v);
    const double alpha = column[ld * r + I];
    double top = t > r ? v[I] : 0;
    const auto multiply = [&](int s, double x) {
#pragma unroll
      for (int c = now; c < end; c++) d[c] = fma(x, a[c % C][s], d[c]);
    };
    for_each<I>(mine, v, top, [&](int s, double x) {
      part[s % 2] = fma(x, x, part[s % 2]);
      if (!keeps && s > I) multiply(s, x);
    });
    add_up(f, part[0] + part[1], 0, 1);
    const double tail = f[0], square = fma(alpha, alpha, tail);
    note(square);
    if (keeps)
#pragma unroll
      for (int s = I + 1; s < R; s++) multiply(s, v[s]);
    const double rough = rough_inverse_root(square), near = alpha + copysign(square * rough, alpha);
    const double y = copysign(inverse_root(square, rough), alpha), first = fma(square, y, alpha);
    const bool none = tail == 0;
    const double back = opposite(y), factor = (none ? 0 : back) * inverse_of(first, near);
    if (t == r) top = first;
    store_shared_if(g == 0 && t == 0, shared_address(results + j), none ? 0 : first, none ? alpha : square * back);
    multiply(I, top);
    update<I, now, end>(mine, v, top, d, factor, g > j - 8 * now);
  }

  /* a -= v (factor sum d); is_left: is the lane's first column still active? */
  template <int I, int FIRST, int END>
  __device__ __forceinline__ void update(const double *mine, double (&v)[R], double top, double (&d)[ALL + 1],
                                         double factor, bool is_left)
  {
#pragma unroll
    for (int c = FIRST; c < END; c += 2) {
      double f[4];
      add_up(f, d[c], d[c + 1], factor);
      d[c] = c > FIRST || is_left ? f[0] : 0;
      d[c + 1] = f[2];
      if constexpr (keeps)
        for_each<I>(mine, v, top, [&](int s, double x) {
          a[c % C][s] = fma(d[c], x, a[c % C][s]);
          if (c + 1 < END) a[(c + 1) % C][s] = fma(d[c + 1], x, a[(c + 1) % C][s]);
        });
    }
    if constexpr (!keeps)
      for_each<I>(mine, v, top, [&](int s, double x) {
#pragma unroll
        for (int c = FIRST; c < END; c++) a[c % C][s] = fma(d[c], x, a[c % C][s]);
      });
  }

  /* Stages I .. LAST - 1, of four steps each. */
  template <int I, int LAST> __device__ __forceinline__ void stages(int k)
  {
    if constexpr (I < LAST && I < R && I < 2 * ALL) {
      if (4 * I >= k) return;
      const int last = min(4, k - 4 * I);
#pragma unroll 1
      for (int r = 0; r < last; r++) step<I>(4 * I + r, r);
      stages<I + 1, LAST>(k);
    }
  }

  /* Applies the reflectors of stages I .. 2 late - 1, from the tile, to the late columns. */
  template <int I = 0> __device__ __forceinline__ void catch_up(const double *tile, int k)
  {
    if constexpr (I < 2 * late) {
      const int last = min(4, k - 4 * I);
#pragma unroll 1
      for (int r = 0; r < last; r++) {
        const int j = 4 * I + r;
        const double *const mine = tile + shape::apart * j + t;
        const double2 h = results[j];
        double v[R], d[late + 1] = {};
        v[I] = t > r ? mine[4 * I] : t == r;
#pragma unroll
        for (int s = I + 1; s < R; s++) v[s] = mine[4 * s];
#pragma unroll
        for (int s = I; s < R; s++)
#pragma unroll
          for (int c = 0; c < late; c++) d[c] = fma(v[s], a[c][s], d[c]);
        const double factor = h.x == 0 ? 0 : h.x * inverse_of(h.y, h.y);
#pragma unroll
        for (int c = 0; c < late; c += 2) {
          double f[4];
          add_up(f, d[c], d[c + 1], factor);
#pragma unroll
          for (int s = I; s < R; s++) {
            a[c][s] = fma(f[0], v[s], a[c][s]);
            if (c + 1 < late) a[c + 1][s] = fma(f[2], v[s], a[c + 1][s]);
          }
        }
      }
      catch_up<I + 1>(tile, k);
    }
  }

  /* Writes R and V of slots FIRST .. LAST - 1, `rows` rows, to the tile. */
  template <int FIRST, int LAST> __device__ __forceinline__ void write(const spread_matrix &x, int k, int rows) const
  {
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g, own = j - 8 * FIRST;
      if (own >= x.n) continue;
      double *const to = x.tile + own * x.step + t;
      const double2 h = j < k ? results[j] : double2{0, 0};
      const double inverse = h.x == 0 ? 0 : inverse_of(h.x, h.x);
#pragma unroll
      for (int s = 0; s < R; s++) {
        const int i = t + 4 * s;
        double y = a[c % C][s];
        if (s >= 2 * c + 2)
          y *= inverse;
        else if (s >= 2 * c)
          y = i > j ? y * inverse : i == j ? h.y : y;
        if (i < rows) to[4 * s] = y;
      }
    }
  }
};

/* Factors a matrix with columns of immoderate size in global memory, each column scaled to about 1 first; `done`
 * columns are factored already. */
static __device__ __noinline__ void factor_scaled(double *a, int64_t ld, int m, int n, int done, double2 *results)
{
  const int lane = threadIdx.x % 32;
  for (int j = 0; j < min(m, n); j++) {
    double *const v = a + j * ld;
    if (j >= done) {
      double size = 0, tail = 0;
      for (int i = lane; i < m; i += 32) size = i < j ? size : fmax(size, fabs(v[i]));
      for (int half = 16; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half));
      const double scale = column_scale(size), alpha = scale * v[j];
      for (int i = lane; i < m; i += 32) tail = i > j ? fma(scale * v[i], scale * v[i], tail) : tail;
      const reflector<double> h = reflect(alpha, sum_lanes(tail));
      for (int i = lane; i < m; i += 32)
        if (i >= j) v[i] = i == j ? h.beta * inverse_scale(scale) : scale * v[i] * h.inverse;
      if (lane == 0) results[j] = {h.tau == 0 ? 0 : alpha - h.beta, h.beta};
      __syncwarp();
    }
    const double2 h = results[j];
    const double tau = h.x == 0 ? 0 : -h.x * inverse_of(h.y, h.y);
    for (int c = max(j + 1, done); c < n; c++) {
      double *const y = a + c * ld, w = 0;
      for (int i = lane; i < m; i += 32) w = i >= j ? fma(i == j ? 1 : v[i], y[i], w) : w;
      w = tau * sum_lanes(w);
      for (int i = lane; i < m; i += 32)
        if (i >= j) y[i] = fma(-w, i == j ? 1 : v[i], y[i]);
    }
    __syncwarp();
  }
}

template <int R, int C, int ALL, int BLOCKS>
static __global__ void __launch_bounds__(32, BLOCKS) geqrf_warp_tc(batch<double> a, batch<double> tau)
{
  using shape = spread_shape<R, C, ALL>;
  constexpr int late = ALL - C;
  __shared__ __align__(8) unsigned long long full;
  const unsigned barrier = shared_address(&full);
  const int lane = threadIdx.x;
  int parity = 0;
  spread_qr<R, C, ALL> q;
  q.results = shared_array<double2>();
  q.columns = shared_array<double>() + 2 * shape::results;
  q.t = lane % 4;
  q.g = lane / 4 % 2 * 4 + lane / 8; /* lanes that read together fall into different banks */
  if (lane == 0) {
    barrier_init(barrier, 32);
    barrier_init_fence();
  }
  __syncwarp();
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    int done = 0;
    {
      const spread_matrix x(a, b, q.columns, 0, 8 * C);
      if (x.n <= 0) continue;
      const int n = a.cols(b), k = min(x.m, n);
      x.load(barrier, parity);
      parity = 1 - parity;
      q.extreme = 0;
      q.template read<0, C>(x.tile, x.step, x.m, n);
      __syncwarp();
      q.template stages<0, late ? 2 * late : R>(k);
      __syncwarp();
    }
    if constexpr (late > 0)
      if (q.is_moderate()) {
        spread_matrix x(a, b, q.columns, 0, 8 * late);
        const int n = a.cols(b), k = min(x.m, n);
        x.spread(shape::apart, q.columns);
        q.template write<0, late>(x, k, 4 * R);
        __syncwarp();
        x.store();
        done = min(k, 8 * late);
        q.template read<C, ALL>(a.at(b), x.ld, x.m, n);
        q.catch_up(x.tile, k);
        __syncwarp();
        q.template stages<2 * late, R>(k);
        __syncwarp();
      }
    recompute(b);
    const int n = a.cols(b), k = min(a.rows(b), n);
    if (q.is_moderate()) {
      const spread_matrix x(a, b, q.columns, 8 * late, 8 * C);
      if (x.n > 0) {
        q.template write<late, ALL>(x, k, x.m);
        bulk_fence();
        __syncwarp();
        x.store();
      }
    } else {
      factor_scaled(a.at(b), a.leading(b), a.rows(b), n, done, q.results);
    }
    for (int j = lane; j < k; j += 32) {
      const double2 h = q.results[j];
      tau.at(b)[(int64_t)j * tau.increment(b)] = h.x == 0 ? 0 : -h.x * inverse_of(h.y, h.y);
    }
    bulk_fence();
    __syncwarp();
  }
}

static inline int launch_geqrf_warp_tc(batched_ctx *ctx, const batch<double> &a, const batch<double> &tau)
{
  const auto go = [&](auto kernel, size_t bytes) { return launch(ctx, kernel, a.count, 32, bytes, a, tau); };
  const auto within = [&](int m, int n) { return a.m <= m && a.n <= n; };
  if (within(28, 32)) return go(geqrf_warp_tc<7, 4, 4, 16>, spread_shape<7, 4, 4>::bytes(a.m, a.n));
  if (within(32, 32)) return go(geqrf_warp_tc<8, 4, 4, 16>, spread_shape<8, 4, 4>::bytes(a.m, a.n));
  if (within(36, 40)) return go(geqrf_warp_tc<9, 5, 5, 12>, spread_shape<9, 5, 5>::bytes(a.m, a.n));
  if (within(40, 40)) return go(geqrf_warp_tc<10, 5, 5, 12>, spread_shape<10, 5, 5>::bytes(a.m, a.n));
  if (within(48, 48)) return go(geqrf_warp_tc<12, 6, 6, 8>, spread_shape<12, 6, 6>::bytes(a.m, a.n));
  if (within(56, 56)) return go(geqrf_warp_tc<14, 7, 7, 8>, spread_shape<14, 7, 7>::bytes(a.m, a.n));
  return go(geqrf_warp_tc<16, 6, 8, 8>, spread_shape<16, 6, 8>::bytes(a.m, a.n));
}

} // namespace batched_cuda::qr

#endif

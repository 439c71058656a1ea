/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp_tc of geqrf: Householder QR of matrices up to 64 x 64 (s 80 x 80) in the registers of a warp.
 *
 * Right-looking. Four lanes share a column (row i in lane i % 4 of them), each lane has parts of C columns, so that it
 * reads a quarter of each reflector from shared memory; tensor cores sum what the four lanes have of a product
 * (m16n8k4) in double precision, in place of shuffles. Where registers do not hold the matrix (d and c beyond 56 rows
 * and columns, z beyond 32), some of its slots of 8 columns come late (C < ALL): they are read when as many are done.
 * Bulk copies bring a matrix to a tile in shared memory and back. A matrix with a column whose norm is far from 1 is
 * done again with scaling.
 *
 * grid      a block per matrix (grid-stride over the batch)
 * block     a warp; 8 to 24 blocks per SM
 * shared    beta and alpha - beta of each step, the tile
 * takes     m, n <= 64; s and c, m, n <= 80; z, m, n <= 48; uniform and variable
 * reads     a; writes a, tau
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale
 */
#ifndef BATCHED_QR_CUDA_GEQRF_WARP_TC_CUH
#define BATCHED_QR_CUDA_GEQRF_WARP_TC_CUH

#include <type_traits>

#include "batched/cuda/predicated_single.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

/* Columns of a matrix, in global memory and in the tile. */
template <class T> struct spread_matrix {
  static constexpr int unit = 16 / sizeof(T); /* numbers that bulk copies move at least */
  struct alignas(2 * sizeof(T)) two {
    T x, y;
  };
  T *at, *tile;
  int64_t ld;
  int m, n, step;                               /* leading dimension of the tile */
  enum { WHOLE, COLUMNS, PAIRS, ELEMENTS } way; /* unit of copies */

  /* Columns j0 .. of matrix b, at most `most`. */
  __device__ __forceinline__ spread_matrix(const batch<T> &a, int64_t b, T *memory, int j0, int most)
  {
    m = a.rows(b);
    n = m > 0 ? min(a.cols(b) - j0, most) : 0;
    if (n <= 0) return;
    ld = a.leading(b);
    at = a.at(b) + j0 * ld;
    if (place(unit) == 0 && ld % unit == 0 && (meets(m) || (unit == 1 && ld != m)))
      way = COLUMNS;
    else
      way = ld == m ? WHOLE : place(2) == 0 && ld % 2 == 0 && m % 2 == 0 ? PAIRS : ELEMENTS;
    step = way == COLUMNS && meets(m) ? m + unit : m;
    tile = memory + (way == WHOLE ? place(unit) : 0);
  }
  /* Would columns of m elements side by side all begin in the same bank, at such a cost that copies of columns, which
   * take longer than one of the matrix, are worth it? */
  static DEVICE constexpr bool meets(int m)
  {
    return sizeof(T) == 4 && m % 32 == 0;
  }
  /* The place of the first number among as many that are aligned together. */
  __device__ __forceinline__ int place(int numbers) const
  {
    return (int)(reinterpret_cast<uintptr_t>(at) / sizeof(T) % numbers);
  }

  /* Calls copy(t, g, x) for all elements: tile element t, matrix element g, two at a time if x is a `two`; whole(t, g,
   * count) for the aligned part if the matrix is contiguous, or for aligned columns. */
  template <class Whole, class Copy> __device__ __forceinline__ void move(Whole whole, Copy copy) const
  {
    const int thread = threadIdx.x, threads = blockDim.x;
    if (way == WHOLE) {
      const int head = min((unit - place(unit)) % unit, m * n), inner = (m * n - head) / unit * unit;
      const int last = head + inner + thread;
      if (thread == 0 && inner > 0) whole(head, head, inner);
      if (thread < head) copy(thread, thread, T());
      if (last < m * n) copy(last, last, T());
    } else if (way == COLUMNS) {
      for (int j = thread; j < n; j += threads) whole(j * step, j * ld, m);
    } else if (way == PAIRS) {
      if constexpr (unit > 1)
        for (int j = thread / 8; j < n; j += threads / 8)
#pragma unroll 4
          for (int i = 2 * (thread % 8); i < m; i += 16) copy(i + j * step, i + j * ld, two());
    } else {
      for (int j = thread / 8; j < n; j += threads / 8)
#pragma unroll 4
        for (int i = thread % 8; i < m; i += 8) copy(i + j * step, i + j * ld, T());
    }
  }
  __device__ __forceinline__ void load(unsigned barrier, int parity) const
  {
    move(
      [&](int t, int64_t g, int count) {
        const int bytes = count * (int)sizeof(T);
        barrier_expect(barrier, bytes);
        bulk_load(shared_address(tile + t), at + g, bytes, barrier);
      },
      [&](int t, int64_t g, auto x) {
        using word = decltype(x);
        start_copy(reinterpret_cast<word *>(tile + t), reinterpret_cast<const word *>(at + g));
      });
    wait_copies();
    barrier_arrive(barrier);
    barrier_wait(barrier, parity);
  }
  __device__ __forceinline__ void store() const
  {
    move([&](int t, int64_t g, int count) { bulk_store(at + g, shared_address(tile + t), count * (int)sizeof(T)); },
         [&](int t, int64_t g, auto x) {
           using word = decltype(x);
           *reinterpret_cast<word *>(at + g) = *reinterpret_cast<const word *>(tile + t);
         });
    bulk_store_wait();
  }
  /* Gives columns of the tile `rows` elements each. */
  __device__ __forceinline__ void spread(int rows, T *memory)
  {
    way = way == COLUMNS && unit > 1 ? PAIRS : way == PAIRS ? PAIRS : ELEMENTS;
    step = rows;
    tile = memory;
  }

private:
  static __device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes)
  {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
  }
};

/* Result of a step: alpha - beta (0 where H = I), and beta. */
template <class T> struct alignas(2 * sizeof(T)) spread_result {
  T first;
  real_of<T> beta;

  /* tau = - first / beta */
  __device__ __forceinline__ T tau() const
  {
    return first == make<T>(0) ? make<T>(0) : -(first * inverse_of(beta));
  }
};

/* The matrix has ALL slots of 8 columns, of which C are in registers at a time. */
template <class T, int R, int C, int ALL> struct spread_shape {
  static constexpr int even = R + R % 2, ld = even % 8 == 0 ? even + 2 : even; /* quarters of a column fall into
                                                                                * different banks */
  static constexpr int apart = 4 * R + 2; /* leading dimension of V for late columns, free of bank conflicts */
  static constexpr int results = 4 * R < 8 * ALL ? 4 * R : 8 * ALL;

  /* Bytes of shared memory: the results, and the tile, which is reused to broadcast columns, and for V of late
   * columns. */
  static constexpr size_t bytes(int m, int n)
  {
    using matrix = spread_matrix<T>;
    const int unit = matrix::unit, whole = m / 32 * 32, padded = matrix::meets(whole) ? whole + unit : whole,
              step = m > padded ? m : padded, tile = step * (n < 8 * C ? n : 8 * C) + unit,
              least = ALL > C ? 8 * (ALL - C) * apart : 8 * ld;
    return results * sizeof(spread_result<T>) + (tile > least ? tile : least) * sizeof(T);
  }
};

template <class T, int R, int C, int ALL> struct spread_qr {
  using shape = spread_shape<T, R, C, ALL>;
  using S = real_of<T>;
  using two = typename spread_matrix<T>::two;
  static constexpr int ld = shape::ld;
  static constexpr int late = ALL - C;                   /* slots that come late, when as many are done */
  static constexpr bool keeps = C * R * sizeof(T) < 768; /* does a lane keep its part of v in registers? */
  T a[C][R]; /* rows t, t + 4, .. of columns 8 c + g in a[c % C]; zero beyond the matrix */
  T *columns;
  spread_result<T> *results;
  int g, t;
  unsigned extreme; /* largest distance of a column's squared norm from 1 */

  __device__ __forceinline__ void note(double squares)
  {
    extreme = max(extreme, (unsigned)__double2hiint(squares) - (623u << 20)); /* 2^-400 and less, or more */
  }
  __device__ __forceinline__ void note(float squares)
  {
    extreme = max(extreme, (unsigned)__float_as_int(squares) - (63u << 23)); /* 2^-64 and less, or more */
  }
  __device__ __forceinline__ bool is_moderate() const
  {
    return __all_sync(all_lanes, extreme < (sizeof(S) == 8 ? 800u << 20 : 128u << 23));
  }
  /* sum + |x|^2 */
  static __device__ __forceinline__ S add_square(T x, S sum)
  {
    if constexpr (is_complex<T>) sum = fma(imag(x), imag(x), sum);
    return fma(real(x), real(x), sum);
  }

  /* Reads slots FIRST .. LAST - 1 and notes the sizes of columns that have no step. */
  template <int FIRST, int LAST> __device__ __forceinline__ void read(const T *from, int64_t step, int m, int n)
  {
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g;
#pragma unroll
      for (int s = 0; s < R; s++) a[c % C][s] = j < n && t + 4 * s < m ? from[t + 4 * s + j * step] : make<T>(0);
    }
    if (n <= m) return;
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g;
      S squares = 0;
#pragma unroll
      for (int s = 0; s < R; s++) squares = add_square(a[c % C][s], squares);
      squares = sum_lanes(squares, 4);
      if (j >= m && j < n) note(squares);
    }
  }

  /* Writes this lane's part of the step's column to shared memory, from slot I on, if it is its own. */
  template <int I> __device__ __forceinline__ void publish(bool is_mine, T *to) const
  {
    const T *const x = a[I / 2 % C];
    const unsigned at = shared_address(to + ld * t);
#pragma unroll
    for (int s = I / 2 * 2; s < R; s += 2)
      if (s + 1 < R)
        store_shared_if(is_mine, at + s * (unsigned)sizeof(T), x[s], x[s + 1]);
      else
        store_shared_if(is_mine, at + s * (unsigned)sizeof(T), x[s]);
  }
  /* Reads slots s and, if s is even, s + 1 of it. */
  static __device__ __forceinline__ void fetch(const T *from, int s, T v[R])
  {
    if (s % 2 == 0 && s + 1 < R) {
      const two pair = *reinterpret_cast<const two *>(from + s);
      v[s] = pair.x;
      v[s + 1] = pair.y;
    } else {
      v[s] = from[s];
    }
  }

  /* x and, if wanted, y become f times their sums over the four lanes of a column. */
  template <bool both, class N> static __device__ __forceinline__ void add_up(N &x, N &y, N f)
  {
    if constexpr (std::is_same_v<N, double>) {
      double d[4] = {};
      multiply_16x8x4(d, x, y, f);
      x = d[0];
      y = d[2];
    } else {
      x = f * sum_lanes(x, 4);
      if (both) y = f * sum_lanes(y, 4);
    }
  }

  static __device__ __forceinline__ double opposite(double x)
  {
    return __hiloint2double(__double2hiint(x) ^ 1 << 31, __double2loint(x));
  }
  static __device__ __forceinline__ float opposite(float x)
  {
    return -x;
  }
  /* 1 / first; near: about its real part. */
  static __device__ __forceinline__ T inverse_near(T first, S near)
  {
    if constexpr (is_complex<T>)
      return inverse_of(first);
    else
      return inverse_of(first, near);
  }

  /* Calls f(s, v) for this lane's slots s >= I of the column; `top` stands for slot I. */
  template <int I, class F> static __device__ __forceinline__ void for_each(const T *column, T (&v)[R], T top, F f)
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
    T *const column = columns + r % 2 * 4 * ld;
    const T *const mine = column + ld * t;
    T v[R], d[ALL + 1] = {};
    S part[2] = {}, nothing = 0;
    publish<I>(g == j - 8 * now, column);
    __syncwarp();
#pragma unroll
    for (int s = I; s < R; s++)
      if (keeps ? s % 2 == 0 || s == I : s == I) fetch(mine, s, v);
    const T alpha = column[ld * r + I];
    T top = select(t > r, v[I], make<T>(0));
    const auto multiply = [&](int s, T x) {
#pragma unroll
      for (int c = now; c < end; c++) d[c] = conj_mad(x, a[c % C][s], d[c]);
    };
    for_each<I>(mine, v, top, [&](int s, T x) {
      part[s % 2] = add_square(x, part[s % 2]);
      if (!keeps && s > I) multiply(s, x);
    });
    S tail = part[0] + part[1];
    add_up<false>(tail, nothing, S(1));
    const S squares = add_square(alpha, tail);
    note(squares);
    if (keeps)
#pragma unroll
      for (int s = I + 1; s < R; s++) multiply(s, v[s]);
    const S rough = rough_inverse_root(squares), near = real(alpha) + copysign(squares * rough, real(alpha));
    const S y = copysign(inverse_root(squares, rough), real(alpha)), back = opposite(y);
    const T first = make<T>(fma(squares, y, real(alpha)), imag(alpha));
    const bool none = tail == 0 && imag(alpha) == 0;
    const T factor = (none ? 0 : back) * inverse_near(first, near);
    top = select(t == r, first, top);
    store_shared_if(g == 0 && t == 0, shared_address(results + j), select(none, make<T>(0), first),
                    make<T>(none ? real(alpha) : squares * back));
    multiply(I, top);
    update<I, now, end>(mine, v, top, d, factor, g > j - 8 * now);
  }

  /* a -= v (factor sum d); is_left: is the lane's first column still active? */
  template <int I, int FIRST, int END>
  __device__ __forceinline__ void update(const T *mine, T (&v)[R], T top, T (&d)[ALL + 1], T factor, bool is_left)
  {
#pragma unroll
    for (int c = FIRST; c < END; c += 2) {
      if (c + 1 < END)
        add_up<true>(d[c], d[c + 1], factor);
      else
        add_up<false>(d[c], d[c + 1], factor);
      d[c] = select(c > FIRST || is_left, d[c], make<T>(0));
      if constexpr (keeps)
        for_each<I>(mine, v, top, [&](int s, T x) {
          a[c % C][s] = mad(d[c], x, a[c % C][s]);
          if (c + 1 < END) a[(c + 1) % C][s] = mad(d[c + 1], x, a[(c + 1) % C][s]);
        });
    }
    if constexpr (!keeps)
      for_each<I>(mine, v, top, [&](int s, T x) {
#pragma unroll
        for (int c = FIRST; c < END; c++) a[c % C][s] = mad(d[c], x, a[c % C][s]);
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
  template <int I = 0> __device__ __forceinline__ void catch_up(const T *tile, int k)
  {
    if constexpr (I < 2 * late) {
      const int last = min(4, k - 4 * I);
#pragma unroll 1
      for (int r = 0; r < last; r++) {
        const int j = 4 * I + r;
        const T *const mine = tile + shape::apart * j + t;
        T v[R], d[late + 1] = {};
        v[I] = select(t > r, mine[4 * I], make<T>(t == r));
#pragma unroll
        for (int s = I + 1; s < R; s++) v[s] = mine[4 * s];
#pragma unroll
        for (int s = I; s < R; s++)
#pragma unroll
          for (int c = 0; c < late; c++) d[c] = conj_mad(v[s], a[c][s], d[c]);
        const T factor = -conj(results[j].tau());
#pragma unroll
        for (int c = 0; c < late; c += 2) {
          add_up<true>(d[c], d[c + 1], factor);
#pragma unroll
          for (int s = I; s < R; s++) {
            a[c][s] = mad(d[c], v[s], a[c][s]);
            if (c + 1 < late) a[c + 1][s] = mad(d[c + 1], v[s], a[c + 1][s]);
          }
        }
      }
      catch_up<I + 1>(tile, k);
    }
  }

  /* Writes R and V of slots FIRST .. LAST - 1, `rows` rows, to the tile. */
  template <int FIRST, int LAST> __device__ __forceinline__ void write(const spread_matrix<T> &x, int k, int rows) const
  {
#pragma unroll
    for (int c = FIRST; c < LAST; c++) {
      const int j = 8 * c + g, own = j - 8 * FIRST;
      if (own >= x.n) continue;
      T *const to = x.tile + own * x.step + t;
      const spread_result<T> h = j < k ? results[j] : spread_result<T>{};
      const T inverse = h.first == make<T>(0) ? make<T>(0) : inverse_of(h.first);
#pragma unroll
      for (int s = 0; s < R; s++) {
        const int i = t + 4 * s;
        T y = a[c % C][s];
        if (s >= 2 * c + 2)
          y *= inverse;
        else if (s >= 2 * c)
          y = i > j ? y * inverse : i == j ? make<T>(h.beta) : y;
        if (i < rows) to[4 * s] = y;
      }
    }
  }
};

/* Factors a matrix with columns of immoderate size in global memory, each column scaled to about 1 first; `done`
 * columns are factored already. */
template <class T>
__device__ __noinline__ void factor_scaled(T *a, int64_t ld, int m, int n, int done, spread_result<T> *results)
{
  using S = real_of<T>;
  const int lane = threadIdx.x % 32;
  for (int j = 0; j < min(m, n); j++) {
    T *const v = a + j * ld;
    if (j >= done) {
      S size = 0, tail = 0;
      for (int i = lane; i < m; i += 32) size = i < j ? size : fmax(size, largest_part(v[i]));
      for (int half = 16; half > 0; half /= 2) size = fmax(size, shuffle_xor(size, half));
      const S scale = column_scale(size);
      const T alpha = scale * v[j];
      for (int i = lane; i < m; i += 32) tail = i > j ? spread_qr<T, 1, 1, 1>::add_square(scale * v[i], tail) : tail;
      const reflector<T> h = reflect(alpha, sum_lanes(tail));
      for (int i = lane; i < m; i += 32)
        if (i >= j) v[i] = i == j ? make<T>(h.beta * inverse_scale(scale)) : scale * v[i] * h.inverse;
      if (lane == 0) results[j] = {h.tau == make<T>(0) ? make<T>(0) : alpha - make<T>(h.beta), h.beta};
      __syncwarp();
    }
    const T tau = conj(results[j].tau());
    for (int c = max(j + 1, done); c < n; c++) {
      T *const y = a + c * ld, w = make<T>(0);
      for (int i = lane; i < m; i += 32) w = i >= j ? conj_mad(i == j ? make<T>(1) : v[i], y[i], w) : w;
      w = tau * sum_lanes(w);
      for (int i = lane; i < m; i += 32)
        if (i >= j) y[i] = mad(-w, i == j ? make<T>(1) : v[i], y[i]);
    }
    __syncwarp();
  }
}

template <class T, int R, int C, int ALL, int BLOCKS>
static __global__ void __launch_bounds__(32, BLOCKS) geqrf_warp_tc(batch<T> a, batch<T> tau)
{
  using shape = spread_shape<T, R, C, ALL>;
  constexpr int late = ALL - C;
  __shared__ __align__(8) unsigned long long full;
  const unsigned barrier = shared_address(&full);
  const int lane = threadIdx.x;
  int parity = 0;
  spread_qr<T, R, C, ALL> q;
  q.results = shared_array<spread_result<T>>();
  q.columns = reinterpret_cast<T *>(q.results + shape::results);
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
      const spread_matrix<T> x(a, b, q.columns, 0, 8 * C);
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
        spread_matrix<T> x(a, b, q.columns, 0, 8 * late);
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
      const spread_matrix<T> x(a, b, q.columns, 8 * late, 8 * C);
      if (x.n > 0) {
        q.template write<late, ALL>(x, k, x.m);
        bulk_fence();
        __syncwarp();
        x.store();
      }
    } else {
      factor_scaled(a.at(b), a.leading(b), a.rows(b), n, done, q.results);
    }
    for (int j = lane; j < k; j += 32) tau.at(b)[(int64_t)j * tau.increment(b)] = q.results[j].tau();
    bulk_fence();
    __syncwarp();
  }
}

template <class T, int R, int C, int ALL, int BLOCKS>
int launch_spread(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  return launch(ctx, geqrf_warp_tc<T, R, C, ALL, BLOCKS>, a.count, 32, spread_shape<T, R, C, ALL>::bytes(a.m, a.n), a,
                tau);
}

template <class T> int launch_geqrf_warp_tc(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  const auto within = [&](int m, int n) { return a.m <= m && a.n <= n; };
  if constexpr (sizeof(T) == 4) {
    if (within(28, 32)) return launch_spread<T, 7, 4, 4, 24>(ctx, a, tau);
    if (within(32, 32)) return launch_spread<T, 8, 4, 4, 24>(ctx, a, tau);
    if (within(40, 40)) return launch_spread<T, 10, 5, 5, 20>(ctx, a, tau);
    if (within(48, 48)) return launch_spread<T, 12, 6, 6, 16>(ctx, a, tau);
    if (within(56, 56)) return launch_spread<T, 14, 7, 7, 12>(ctx, a, tau);
    if (within(64, 64)) return launch_spread<T, 16, 8, 8, 10>(ctx, a, tau);
    if (within(72, 72)) return launch_spread<T, 18, 9, 9, 8>(ctx, a, tau);
    return launch_spread<T, 20, 10, 10, 8>(ctx, a, tau);
  } else if constexpr (sizeof(T) == 16) {
    if (within(28, 32)) return launch_spread<T, 7, 4, 4, 8>(ctx, a, tau);
    if (within(32, 32)) return launch_spread<T, 8, 4, 4, 8>(ctx, a, tau);
    if (within(36, 40)) return launch_spread<T, 9, 3, 5, 8>(ctx, a, tau);
    if (within(40, 40)) return launch_spread<T, 10, 3, 5, 8>(ctx, a, tau);
    if (within(44, 44)) return launch_spread<T, 11, 3, 6, 8>(ctx, a, tau);
    return launch_spread<T, 12, 4, 6, 8>(ctx, a, tau);
  } else {
    if (within(28, 32)) return launch_spread<T, 7, 4, 4, 16>(ctx, a, tau);
    if (within(32, 32)) return launch_spread<T, 8, 4, 4, 16>(ctx, a, tau);
    if (within(36, 40)) return launch_spread<T, 9, 5, 5, 12>(ctx, a, tau);
    if (within(40, 40)) return launch_spread<T, 10, 5, 5, 12>(ctx, a, tau);
    if (within(48, 48)) return launch_spread<T, 12, 6, 6, 8>(ctx, a, tau);
    if (within(56, 56)) return launch_spread<T, 14, 7, 7, 8>(ctx, a, tau);
    if constexpr (is_complex<T>) {
      if (within(64, 64)) return launch_spread<T, 16, 4, 8, 8>(ctx, a, tau);
      if (within(72, 72)) return launch_spread<T, 18, 5, 9, 8>(ctx, a, tau);
      return launch_spread<T, 20, 5, 10, 8>(ctx, a, tau);
    } else {
      return launch_spread<T, 16, 6, 8, 8>(ctx, a, tau);
    }
  }
}

} // namespace batched_cuda::qr

#endif

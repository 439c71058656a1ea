/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Products with blocks of 16 reflectors, I - V T V^T (compact WY form: Schreiber and Van Loan, SIAM J. Sci. Stat.
 * Comput. 10, 1989), on the tensor cores, in double precision. T: what matrices are stored in, double or float.
 *
 * A strip of 16 columns is shared by `warps` warps, which take slices of 8 rows in turn. It is kept transposed, in the
 * accumulators of its products: their halves are the second operands of the next product as they are, so that V^T strip
 * and (strip^T V T) V^T need only V and T from memory, and 16 x 16 numbers transposed through shared memory in between.
 */
#ifndef BATCHED_QR_CUDA_WY_STRIP_CUH
#define BATCHED_QR_CUDA_WY_STRIP_CUH

#include <type_traits>

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/predicated_single.cuh"
#include "batched/qr/cuda/wy/triangle.cuh"

namespace batched_cuda::qr
{

/* The warp's number in its block, known to the compiler to be uniform. */
__device__ __forceinline__ int warp_index()
{
  return __shfl_sync(all_lanes, (int)threadIdx.x / 32, 0);
}

/* Swizzle of 16-byte units in rows of 8: a warp's rows 2 t, its rows 2 t + 1, and consecutive rows fall into
 * different banks. */
DEVICE constexpr int wy_turn(int i)
{
  return (i & 6) ^ (i & 1) << 2;
}

/* Barrier of a strip's warps: in shared memory for two warps, which racecheck can follow where a block has two
 * strips, else a named one. WARPS, below: warps per strip; 0: any number. */
struct wy_meeting {
  unsigned barrier; /* its address, or its number */
  int parity;
};

/* A warp's part of a strip: slice s has rows top(s) .. top(s) + 7. Lane 4 g + t holds in p[s] rows 2 t and 2 t + 1
 * of the slice, in columns g and g + 8: an accumulator of strip^T, whose halves are second operands of V^T strip.
 * PAIRED: a warp's slices 2 i and 2 i + 1 are neighbours, of 128 bytes of a column. */
template <int SLICES, int WARPS, bool PAIRED = false> struct wy_strip {
  static constexpr int group = 2; /* slices whose loads are in flight together */
  double p[SLICES][4];
  int warps, own, lane, g, t;
  wy_meeting meeting;
  int turn;         /* buffer of the next exchange */
  double *exchange; /* 256 numbers per warp; double-buffered for two warps; for more, and 256 for the sum */

  static DEVICE constexpr int exchanged(int warps)
  {
    return wy_block * (warps == 1 ? 1 : warps == 2 ? 4 : warps + 1);
  }
  __device__ __forceinline__ int sharers() const
  {
    return WARPS ? WARPS : warps;
  }
  __device__ __forceinline__ int top(int s) const
  {
    if constexpr (PAIRED) return 16 * (s / 2 * WARPS + own) + 8 * (s % 2);
    return 8 * (s * sharers() + (WARPS == 1 ? 0 : own));
  }
  /* First slice from row 8 u on. */
  __device__ __forceinline__ int slice_from(int u) const
  {
    if constexpr (PAIRED) {
      const int v = max(u - 2 * own, 0);
      return 2 * (v / (2 * WARPS)) + min(v % (2 * WARPS), 2);
    }
    return WARPS == 1 ? u : (u - own + sharers() - 1) / sharers();
  }
  /* Rows from the first slice to slice s; recomputed, to free registers. */
  __device__ __forceinline__ int rows_to(int s) const
  {
    if constexpr (PAIRED) return 16 * WARPS * (s / 2) + 8 * (s % 2);
    if constexpr (WARPS) return 8 * WARPS * s;
    int step = 8 * warps;
    recompute(step);
    return s * step;
  }

  /* Barrier of the strip. */
  __device__ __forceinline__ void sync()
  {
    if constexpr (WARPS == 1) {
      __syncwarp();
    } else if constexpr (WARPS == 2) {
      barrier_arrive(meeting.barrier);
      barrier_wait(meeting.barrier, meeting.parity);
      meeting.parity ^= 1;
    } else {
      asm volatile("bar.sync %0, %1;" ::"r"(meeting.barrier), "r"(32 * sharers()) : "memory");
    }
  }

  /* Calls pair(x, y, address, predicate) for two rows at a time where they are aligned, else one(x, address,
   * predicate), for all slices. */
  template <class T, class Pair, class One>
  __device__ __forceinline__ void for_each(const wy_matrix<T> &a, Pair pair, One one)
  {
    const int i0 = top(0) + 2 * t, rows = a.m - i0;
    T *x[2] = {a.at + i0 * a.row + g * a.col, a.at + i0 * a.row + (g + 8) * a.col};
    if (a.row == 1 && a.n >= wy_width && a.m % 2 == 0 && wy_reflectors<T>::is_aligned(a.at, a.col)) {
#pragma unroll
      for (int s = 0; s < SLICES; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) {
          pair(p[s][2 * h], p[s][2 * h + 1], x[h] + rows_to(s), rows > rows_to(s));
        }
      return;
    }
    const int64_t step = PAIRED ? 0 : rows_to(1) * a.row;
    const int left[2] = {g < a.n ? rows : 0, g + 8 < a.n ? rows : 0};
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        one(p[s][2 * h], x[h], left[h] > rows_to(s));
        one(p[s][2 * h + 1], x[h] + a.row, left[h] > rows_to(s) + 1);
        x[h] += PAIRED ? (rows_to(s + 1) - rows_to(s)) * a.row : step;
      }
  }
  /* Reads the strip, marked to leave the L2 cache first: it is not read again from there. */
  template <class T> __device__ __forceinline__ void read(const wy_matrix<T> &a)
  {
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) p[s][e] = 0;
    const auto one = [](double &x, const T *from, bool is_there) { load_if<use::once>(is_there, from, x); };
    const auto pair = [](double &x, double &y, const T *from, bool both) { load_if<use::once>(both, from, x, y); };
    for_each(a, pair, one);
  }
  template <use policy, class T> __device__ __forceinline__ void write(const wy_matrix<T> &a)
  {
    const auto one = [](double x, T *to, bool is_there) { store_if<policy>(is_there, to, x); };
    const auto pair = [](double x, double y, T *to, bool both) { store_if<policy>(both, to, x, y); };
    for_each(a, pair, one);
  }
  /* The strip = columns j .. of the identity. */
  __device__ __forceinline__ void identity(int j)
  {
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int e = 0; e < 4; e++) p[s][e] = top(s) + 2 * t + e % 2 == j + g + 8 * (e / 2);
  }

  /* Exchange between the strip's warps: each writes to mine(); after meet(), sum_of() gives sums over the warps. */
  __device__ __forceinline__ double *mine() const
  {
    return exchange + (WARPS == 1 ? 0 : wy_block * own) + (WARPS == 2 ? 2 * wy_block * turn : 0);
  }
  __device__ __forceinline__ const double *meet()
  {
    sync();
    const double *const all = exchange + (WARPS == 2 ? 2 * wy_block * turn : 0);
    turn = 1 - turn;
    if constexpr (WARPS == 1 || WARPS == 2) return all;
    double *const total = exchange + wy_block * sharers();
    for (int i = 32 * own + lane; i < wy_block; i += 32 * sharers()) {
      double sum = exchange[i];
      for (int r = 1; r < sharers(); r++) sum += exchange[wy_block * r + i];
      total[i] = sum;
    }
    sync();
    return total;
  }
  static __device__ __forceinline__ double sum_of(const double *all, int i)
  {
    return WARPS == 2 ? all[i] + all[wy_block + i] : all[i];
  }
  /* w summed over the strip's warps. */
  __device__ __forceinline__ void sum_warps(double w[2][4])
  {
    double *const to = mine() + lane;
#pragma unroll
    for (int e = 0; e < 8; e++) to[32 * e] = w[e / 4][e % 4];
    const double *const all = meet() + lane;
#pragma unroll
    for (int e = 0; e < 8; e++) w[e / 4][e % 4] = sum_of(all, 32 * e);
  }

  /* Calls f(first, inner) for each group of slices that V has rows in; inner: std::true_type where no checks are
   * needed. */
  template <class V, class F> __device__ __forceinline__ void for_each_group(const V &v, F f) const
  {
    const int begin = slice_from(v.i0 / 8), end = slice_from((v.m + 7) / 8);
    const int below = v.whole_from() < 0 ? SLICES : slice_from(v.whole_from() / 8), full = slice_from(v.m / 8);
#pragma unroll
    for (int first = 0; first < SLICES; first += group) {
      if (first + group <= begin || first >= end) continue;
      if (V::is_whole || (first >= below && first + group <= full))
        f(first, std::true_type());
      else
        f(first, std::false_type());
    }
  }

  /* w[h] = V^T times columns 8 h .. 8 h + 7 of the strip */
  template <class V> __device__ __forceinline__ void project(const V &v, double w[2][4]) const
  {
    const auto operand = v.first_factor(*this);
    for_each_group(v, [&](int first, auto inner) {
      double a[group][4];
#pragma unroll
      for (int s = 0; s < group; s++) operand.template get<decltype(inner)::value>(rows_to(first + s), a[s]);
#pragma unroll
      for (int s = 0; s < group; s++)
#pragma unroll
        for (int h = 0; h < 2; h++) multiply_16x8x8(w[h], a[s], p[first + s] + 2 * h);
    });
  }

  /* strip^T += a V^T; a[h] has reflectors 4 h .. 4 h + 3 and 4 h + 8 .. 4 h + 11 */
  template <class V> __device__ __forceinline__ void add(const V &v, const double a[2][4])
  {
    const auto operand = v.second_factor(*this);
    for_each_group(v, [&](int first, auto inner) {
      double b[group][2][2];
#pragma unroll
      for (int s = 0; s < group; s++) operand.template get<decltype(inner)::value>(rows_to(first + s), b[s]);
#pragma unroll
      for (int h = 0; h < 2; h++)
#pragma unroll
        for (int s = 0; s < group; s++) multiply_16x8x8(p[first + s], a[h], b[s][h]);
    });
  }

  /* The same, and store(s) for each slice that is done, load(s) when it may be overwritten: whole V alone. */
  template <class V, class Store, class Load>
  __device__ __forceinline__ void add_and_replace(const V &v, const double a[2][4], Store store, Load load)
  {
    const auto operand = v.second_factor(*this);
    const int begin = slice_from(v.i0 / 8), end = slice_from((v.m + 7) / 8);
    double b[group][2][2];
    const auto get = [&](int first) {
      if (first >= end || first + group <= begin) return;
#pragma unroll
      for (int s = 0; s < group; s++) operand.template get<true>(rows_to(first + s), b[s]);
    };
    get(0);
#pragma unroll
    for (int first = 0; first < SLICES; first += group) {
      if (first < end && first + group > begin)
#pragma unroll
        for (int h = 0; h < 2; h++)
#pragma unroll
          for (int s = 0; s < group; s++) multiply_16x8x8(p[first + s], a[h], b[s][h]);
      if (first + group < SLICES) get(first + group);
#pragma unroll
      for (int s = first; s < first + group; s++) store(s);
#pragma unroll
      for (int s = first - group; s < first; s++)
        if (s >= 0) load(s);
    }
#pragma unroll
    for (int s = SLICES - group; s < SLICES; s++) load(s);
  }

  /* w summed over the strip's warps and transposed: x[j] = columns of the strip by reflectors 8 j .. 8 j + 7. */
  __device__ __forceinline__ void turn_sum(const double w[2][4], double x[2][4])
  {
    double *const to = mine();
    const int put = wy_width * g + 2 * (t ^ wy_turn(g)), get = wy_width * t + 2 * (g / 2 ^ wy_turn(t)) + g % 2;
    if constexpr (WARPS == 1) __syncwarp();
#pragma unroll
    for (int e = 0; e < 2; e++)
#pragma unroll
      for (int h = 0; h < 2; h++)
        *reinterpret_cast<double2 *>(to + (put ^ 8 * h) + 128 * e) = {w[h][2 * e], w[h][2 * e + 1]};
    const double *const all = meet();
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int e = 0; e < 4; e++) x[j][e] = sum_of(all, (get ^ 8 * (e % 2) ^ 8 * (e / 2)) + 64 * (e / 2) + 128 * j);
  }

  /* strip = (I - V T^T V^T) strip (adjoint) or (I - V T V^T) strip, given w = V^T strip. */
  template <class V>
  __device__ __forceinline__ void finish(const V &v, const double *triangle, bool adjoint, const double w[2][4])
  {
    double x[2][4], a[2][4];
    turn_sum(w, x);
    factors(triangle, adjoint, x, a);
    add(v, a);
  }
  /* a = -(op(T) X)^T as add() wants it. */
  __device__ __forceinline__ void factors(const double *triangle, bool adjoint, const double x[2][4],
                                          double a[2][4]) const
  {
    double y[2][2][4] = {};
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int k = 8 * j + t, n = 4 * h + g / 2 + 8 * (g % 2); /* T or T^T */
        const double b[2] = {adjoint ? wy_element(triangle, k, n) : wy_element(triangle, n, k),
                             adjoint ? wy_element(triangle, k + 4, n) : wy_element(triangle, n, k + 4)};
        multiply_16x8x8(y[j][h], x[j], b);
      }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) a[h][e] = -y[0][h][e / 2 + e % 2 * 2] - y[1][h][e / 2 + e % 2 * 2];
  }
  template <class V> __device__ __forceinline__ void apply(const V &v, const double *triangle, bool adjoint)
  {
    double w[2][4] = {};
    project(v, w);
    finish(v, triangle, adjoint, w);
  }
};

} // namespace batched_cuda::qr

#endif

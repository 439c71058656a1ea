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

#include "batched/cuda/predicated_single.cuh"
#include "batched/cuda/compiler.cuh"
#include "batched/cuda/mma.cuh"
#include "batched/cuda/bulk_copy.cuh"
#include "batched/qr/cuda/householder.cuh"

namespace batched_cuda::qr
{

static constexpr int wy_width = 16, wy_block = wy_width * wy_width;

/* The warp's number in its block, known to the compiler to be uniform. */
__device__ __forceinline__ int warp_index()
{
  return __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
}

/* An m x n matrix whose element (i, j) is at[i row + j col]. */
template <class T> struct wy_matrix {
  T *at;
  int64_t row, col;
  int m, n;
};

/* Reflectors i0 .. i0 + 15 of the k in the columns of a matrix with m rows. */
template <class T> struct wy_reflectors {
  static constexpr bool is_whole = false; /* can all elements be read without checks? */
  const T *at;
  int64_t ld;
  int i0, k, m;
  bool aligned; /* are pairs of rows aligned? */

  /* First row from which on no check is needed; -1: none. */
  __device__ __forceinline__ int whole_from() const
  {
    return i0 + wy_width <= k ? i0 + wy_width : -1;
  }
  /* V^T as first operand of V^T strip, and as second operand of what is added to strip^T. */
  template <class S> __device__ __forceinline__ auto first_factor(const S &x) const;
  template <class S> __device__ __forceinline__ auto second_factor(const S &x) const;

  static __device__ bool is_aligned(const T *at, int64_t ld)
  {
    return (reinterpret_cast<uintptr_t>(at) | (uintptr_t)ld * sizeof(T)) % (2 * sizeof(T)) == 0;
  }
};

/* N columns first, first + STEP, ... of a block of V, from a row on. */
template <int N, int STEP, class T> struct wy_columns {
  const T *at[N];
  int below, left, live; /* rows from the first column's diagonal; rows to V's end; columns that exist */
  bool aligned;

  __device__ __forceinline__ wy_columns(const wy_reflectors<T> &v, int row, int first)
  {
    const int col = v.i0 + first;
#pragma unroll
    for (int n = 0; n < N; n++) at[n] = v.at + row + (col + n * STEP) * v.ld;
    below = row - col;
    left = v.m - row;
    live = v.k - col;
    aligned = v.aligned;
  }
  /* Lets derived values be recomputed, to free registers. */
  __device__ __forceinline__ void forget()
  {
    recompute(below, left, live);
  }
  /* Element of column n, i rows down; inner: below the diagonal and inside the matrix. */
  template <bool inner> __device__ __forceinline__ double element(int n, int i) const
  {
    if constexpr (inner) return at[n][i];
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double x = 0;
    if (is_there && down > 0 && i < left) x = at[n][i];
    return is_there && down == 0 ? 1 : x;
  }
  /* The same and the next. */
  template <bool inner> __device__ __forceinline__ double2 pair(int n, int i) const
  {
    if constexpr (inner) {
      struct alignas(2 * sizeof(T)) two {
        T x, y;
      };
      if (!aligned) return {at[n][i], at[n][i + 1]};
      const two v = *reinterpret_cast<const two *>(at[n] + i);
      return {v.x, v.y};
    }
    const bool is_there = n * STEP < live;
    const int down = below + i - n * STEP;
    double2 x = {0, 0};
    if (is_there && down > 0 && i < left) x.x = at[n][i];
    if (is_there && down >= 0 && i + 1 < left) x.y = at[n][i + 1];
    if (is_there && down == 0) x.x = 1;
    if (is_there && down == -1) x.y = 1;
    return x;
  }
};

/* These operands by slices, i rows from the first one. */
template <class T> struct wy_first_factor {
  wy_columns<2, 8, T> columns;
  template <bool inner> __device__ __forceinline__ void get(int i, double a[4]) const
  {
    const double2 x = columns.template pair<inner>(0, i), y = columns.template pair<inner>(1, i);
    a[0] = x.x;
    a[1] = y.x;
    a[2] = x.y;
    a[3] = y.y;
  }
};
template <class T> struct wy_second_factor {
  wy_columns<4, 4, T> columns;
  template <bool inner> __device__ __forceinline__ void get(int i, double b[2][2]) const
  {
#pragma unroll
    for (int n = 0; n < 4; n++) b[n % 2][n / 2] = columns.template element<inner>(n, i);
  }
};
template <class T> template <class S> __device__ __forceinline__ auto wy_reflectors<T>::first_factor(const S &x) const
{
  return wy_first_factor<T>{wy_columns<2, 8, T>(*this, x.top(0) + 2 * x.t, x.g)};
}
template <class T> template <class S> __device__ __forceinline__ auto wy_reflectors<T>::second_factor(const S &x) const
{
  return wy_second_factor<T>{wy_columns<4, 4, T>(*this, x.top(0) + x.g, x.t)};
}

/* Swizzle of 16-byte units in rows of 8: a warp's rows 2 t, its rows 2 t + 1, and consecutive rows fall into
 * different banks. */
DEVICE constexpr int wy_turn(int i)
{
  return (i & 6) ^ (i & 1) << 2;
}

/* A packed upper triangle, by columns. */
static constexpr int wy_packed = wy_width * (wy_width + 1) / 2;
DEVICE constexpr int wy_place(int i, int j)
{
  return j * (j + 1) / 2 + i;
}
__device__ __forceinline__ double wy_element(const double *triangle, int i, int j)
{
  return i <= j ? triangle[wy_place(i, j)] : 0;
}

/* T = (triu(G, 1) + diag(1 / tau))^-1 with G = V^T V, given gram[16 l + j] = -tau_j G(l, j); row i by lane i < 16,
 * column by column. Zero from column `count` on. */
__device__ __forceinline__ void form_triangle(const double *gram, const double *taus, int count, double *triangle)
{
  const int i = threadIdx.x % 32;
  if (i >= wy_width) return;
  const double own = i < count ? taus[i] : 0;
  double row[wy_width] = {};
#pragma unroll
  for (int j = 0; j < wy_width; j++) {
    if (i >= j) row[j] = i == j ? own : 0;
    if (j >= count) row[j] = 0;
#pragma unroll
    for (int l = j / 2 * 2; l < wy_width; l += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(gram + wy_width * j + l);
      if (l > j) row[l] = fma(row[j], two.x, row[l]);
      if (l + 1 > j) row[l + 1] = fma(row[j], two.y, row[l + 1]);
    }
  }
#pragma unroll
  for (int j = 0; j < wy_width; j++)
    if (i <= j) triangle[wy_place(i, j)] = row[j];
}

/* The same by halves, three times as fast, by all lanes of a warp: diagonal 8 x 8 blocks a row per lane, the block
 * above by products, as T = diag(tau) (I - triu(gram, 1))^-1. Overwrites `gram`. */
__device__ __forceinline__ void form_triangle_by_halves(double *gram, const double *taus, int count, double *triangle)
{
  constexpr int half = wy_width / 2;
  int lane = threadIdx.x % 32;
  recompute(lane);
  const int i = lane % half, q = lane & half, g = lane / 4, t = lane % 4;
  const double tau = i + q < count ? taus[i + q] : 0;
  double *const block = gram + (wy_width + 1) * q;
  double row[half];
#pragma unroll
  for (int j = 0; j < half; j++) row[j] = i == j ? 1 : 0;
#pragma unroll
  for (int j = 0; j < half; j++)
#pragma unroll
    for (int l = (j + 1) / 2 * 2; l < half; l += 2) {
      const double2 two = *reinterpret_cast<const double2 *>(block + wy_width * j + l);
      if (l > j && q + l < count) row[l] = fma(row[j], two.x, row[l]);
      if (q + l + 1 < count) row[l + 1] = fma(row[j], two.y, row[l + 1]);
    }
  __syncwarp();
  if (lane < wy_width) {
#pragma unroll
    for (int l = 0; l < half; l++) {
      if (q == 0) row[l] *= tau;
      block[wy_width * i + l] = row[l];
      if (i <= l) triangle[wy_place(i + q, l + q)] = q == 0 ? row[l] : row[l] * tau;
    }
  }
  __syncwarp();
  const double *const right = gram + half;
  double z[2] = {}, above[2] = {};
#pragma unroll
  for (int k = t; k < half; k += 4)
    multiply_8x8x4(z, gram[wy_width * g + k], half + g < count ? right[wy_width * k + g] : 0);
#pragma unroll
  for (int e = 0; e < 2; e++) multiply_8x8x4(above, z[e], right[wy_width * (half + 2 * t + e) + g]);
#pragma unroll
  for (int e = 0; e < 2; e++) triangle[wy_place(g, half + 2 * t + e)] = above[e];
}

/* Barrier of a strip's warps: in shared memory for two warps, which racecheck can follow where a block has two
 * strips, else a named one. WARPS, below: warps per strip; 0: any number. */
struct wy_meeting {
  unsigned barrier; /* its address, or its number */
  int parity;
};

/* A warp's part of a strip: slice s has rows top(s) .. top(s) + 7. Lane 4 g + t holds in p[s] rows 2 t and 2 t + 1
 * of the slice, in columns g and g + 8: an accumulator of strip^T, whose halves are second operands of V^T strip. */
template <int SLICES, int WARPS> struct wy_strip {
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
    return 8 * (s * sharers() + (WARPS == 1 ? 0 : own));
  }
  /* First slice from row 8 u on. */
  __device__ __forceinline__ int slice_from(int u) const
  {
    return WARPS == 1 ? u : (u - own + sharers() - 1) / sharers();
  }
  /* Rows from the first slice to slice s; recomputed, to free registers. */
  __device__ __forceinline__ int rows_to(int s) const
  {
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
      asm volatile("bar.sync %0, %1;" ::"r"(meeting.barrier), "r"(32 * warps) : "memory");
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
    const int64_t step = rows_to(1) * a.row;
    const int left[2] = {g < a.n ? rows : 0, g + 8 < a.n ? rows : 0};
#pragma unroll
    for (int s = 0; s < SLICES; s++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        one(p[s][2 * h], x[h], left[h] > rows_to(s));
        one(p[s][2 * h + 1], x[h] + a.row, left[h] > rows_to(s) + 1);
        x[h] += step;
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
    if constexpr (WARPS) return all;
    double *const total = exchange + wy_block * warps;
    for (int i = 32 * own + lane; i < wy_block; i += 32 * warps) {
      double sum = exchange[i];
      for (int r = 1; r < warps; r++) sum += exchange[wy_block * r + i];
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
    double x[2][4], y[2][2][4] = {};
    turn_sum(w, x);
#pragma unroll
    for (int j = 0; j < 2; j++)
#pragma unroll
      for (int h = 0; h < 2; h++) {
        const int k = 8 * j + t, n = 4 * h + g / 2 + 8 * (g % 2); /* T or T^T */
        const double b[2] = {adjoint ? wy_element(triangle, k, n) : wy_element(triangle, n, k),
                             adjoint ? wy_element(triangle, k + 4, n) : wy_element(triangle, n, k + 4)};
        multiply_16x8x8(y[j][h], x[j], b);
      }
    double a[2][4];
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
      for (int e = 0; e < 4; e++) a[h][e] = -y[0][h][e / 2 + e % 2 * 2] - y[1][h][e / 2 + e % 2 * 2];
    add(v, a);
  }
  template <class V> __device__ __forceinline__ void apply(const V &v, const double *triangle, bool adjoint)
  {
    double w[2][4] = {};
    project(v, w);
    finish(v, triangle, adjoint, w);
  }
};

/* ------------------------------------------------------------------ blocks of reflectors in shared memory */

/* A block of reflectors in shared memory, with its ones and zeros, for several strips: rows of 16 numbers from its
 * first row on, reflectors c and c + 8 side by side, swizzled; 16 rows of zeros before it, as the slices of two
 * warps go in pairs. Kept in the same format in global memory, from where bulk copies fetch it for later strips. */
struct wy_stage {
  static constexpr bool is_whole = true;
  template <int WARPS> static constexpr int front = WARPS == 1 ? 0 : 16;
  double *at; /* row 0 */
  int i0, m;  /* first row in the matrix, and the matrix's rows */

  template <int WARPS> static DEVICE constexpr int size(int rows)
  {
    return wy_width * (front<WARPS> + rows);
  }
  /* Rows that are read; the last ones may be zeros. */
  template <int WARPS> __device__ __forceinline__ int padded() const
  {
    return (m + 16 * WARPS - 1) / (16 * WARPS) * (16 * WARPS) - i0;
  }
  __device__ __forceinline__ int whole_from() const
  {
    return 0;
  }
  /* Offset of row i of reflectors c and c + 8. */
  static DEVICE constexpr int place(int i, int c)
  {
    return wy_width * i + 2 * (c ^ wy_turn(i % 8));
  }

  static DEVICE constexpr int bytes(int rows)
  {
    return wy_width * rows * (int)sizeof(double);
  }

  struct first_factors {
    const double *even, *odd;
    template <bool> __device__ __forceinline__ void get(int i, double a[4]) const
    {
      const double2 x = *reinterpret_cast<const double2 *>(even + wy_width * i),
                    y = *reinterpret_cast<const double2 *>(odd + wy_width * i);
      a[0] = x.x;
      a[1] = x.y;
      a[2] = y.x;
      a[3] = y.y;
    }
  };
  struct second_factors {
    const double *low, *high;
    template <bool> __device__ __forceinline__ void get(int i, double b[2][2]) const
    {
      const double2 x = *reinterpret_cast<const double2 *>(low + wy_width * i),
                    y = *reinterpret_cast<const double2 *>(high + wy_width * i);
      b[0][0] = x.x;
      b[0][1] = x.y;
      b[1][0] = y.x;
      b[1][1] = y.y;
    }
  };
  template <class S> __device__ __forceinline__ first_factors first_factor(const S &x) const
  {
    const double *const from = at + wy_width * (x.top(0) - i0);
    return {from + place(2 * x.t, x.g), from + place(2 * x.t + 1, x.g)};
  }
  template <class S> __device__ __forceinline__ second_factors second_factor(const S &x) const
  {
    const double *const from = at + wy_width * (x.top(0) - i0);
    return {from + place(x.g, x.t), from + place(x.g, x.t + 4)};
  }
};

/* Writes V of a strip, with its ones and zeros, to a stage or to where it is kept, `rows` of it. */
template <int SLICES, int WARPS>
static __device__ __forceinline__ void publish(const wy_strip<SLICES, WARPS> &x, double *at, int rows, int count)
{
  double *const to[2] = {at + wy_stage::place(2 * x.t, x.g), at + wy_stage::place(2 * x.t + 1, x.g)};
  const bool is_whole = count == wy_width;
#pragma unroll
  for (int s = 0; s < SLICES; s++) {
    if (x.top(s) >= rows) break;
    double v[4] = {x.p[s][0], x.p[s][1], x.p[s][2], x.p[s][3]};
    if (s < 2 || !is_whole) {
#pragma unroll
      for (int e = 0; e < 4; e++) {
        const int below = x.top(s) + 2 * x.t + e % 2 - (x.g + e / 2 * 8);
        v[e] = below > 0 ? v[e] : below == 0;
        if (x.g + e / 2 * 8 >= count) v[e] = 0;
      }
      keep_branch();
    }
#pragma unroll
    for (int e = 0; e < 2; e++) *reinterpret_cast<double2 *>(to[e] + wy_width * x.top(s)) = {v[e], v[2 + e]};
  }
}

/* Offset of block q among the kept blocks of a matrix of `rows` rows. */
static DEVICE constexpr int64_t wy_kept(int q, int rows)
{
  return wy_width * ((int64_t)rows * q - wy_width / 2 * q * (q - 1));
}

} // namespace batched_cuda::qr

#endif

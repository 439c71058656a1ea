/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring of Jacobi rotations: one-sided Jacobi in the registers of a part of a warp, for cuda.lanes of heev and gesvd.
 *
 * A lane holds (a part of the rows of) two columns x and y, makes them orthogonal, exchanges them, keeps the right one
 * and passes the left one to the lane before: the odd-even ordering (Stewart, "A Jacobi-like algorithm for computing
 * the Schur decomposition", 1985), in which all columns meet once in 2 * pairs steps, and a step moves one column per
 * lane.
 *
 *   columns   0 1 | 2 3 | 4 5        even step: lane i holds places 2 i and 2 i + 1
 *             1 2 | 3 4 | 5 0        odd step:  lane i holds places 2 i + 1 and 2 i + 2; 5 and 0 rest
 *
 * The rows of a pair are shared by `parts` lanes: lane p has rows p * RA .. p * RA + RA - 1 of the columns to be
 * orthogonalised, and rows p * RV .. of a second matrix (V), which is rotated along.
 */
#ifndef BATCHED_EIGEN_CUDA_JACOBI_RING_CUH
#define BATCHED_EIGEN_CUDA_JACOBI_RING_CUH

#include <type_traits>

#include "batched/cuda/compiler.cuh"
#include "batched/eigen/cuda/jacobi.cuh"

namespace batched_cuda::eigen
{

constexpr int ring_warps = 1; /* per block: matrices take different numbers of steps */
constexpr int ring_sweeps = 40;

/* Layout of a warp: `mats` matrices of pairs * parts lanes each, and for each a tile of shared memory. */
struct ring_shape {
  int pairs, parts, mats, tile;
};

/* This lane's position. */
struct ring_lane {
  int group, pair, part, base, lanes, next;
  unsigned mask; /* lanes of the group */

  __device__ __forceinline__ ring_lane(const ring_shape &s, int lane)
  {
    lanes = s.pairs * s.parts;
    group = lane / lanes;
    base = group * lanes;
    pair = (lane - base) / s.parts;
    part = (lane - base) % s.parts;
    const bool idle = group >= s.mats;
    next = idle ? lane : base + (pair + 1 < s.pairs ? pair + 1 : 0) * s.parts + part;
    mask = idle ? 0 : (lanes == 32 ? all_lanes : ((1u << lanes) - 1) << base);
  }
};

/* Blocks per SM: registers for a lane's two columns and 60 to 100 more. */
template <class T, int RA, int RV>
constexpr int ring_blocks = (RA + RV) * sizeof(T) <= 64    ? (RV == 0 && RA <= 8 ? 20 : 16)
                            : (RA + RV) * sizeof(T) <= 128 ? 12
                                                           : 8;

/* tan / |xy| of the smaller angle that diagonalises [xx, xy; conj(xy), yy], d = yy - xx, xy2 = |xy|^2 > 0: 2 / (h +
 * |d|) with the sign of d, h^2 = d^2 + 4 |xy|^2. */
static __device__ __forceinline__ float jacobi_slope(float d, float xy2)
{
  const float z = fmaf(d, d, 4 * xy2);
  return copysignf(__fdividef(2.0f, fmaf(z, rsqrtf(z), fabsf(d))), d);
}
static __device__ __forceinline__ double jacobi_slope(double d, double xy2)
{
  const double z = fma(d, d, 4 * xy2);
  return copysign(2 * inverse_of(fma(z, inverse_root(z), fabs(d))), d);
}

/* NEAR_ONE: the columns have about the same, moderate length. Squared norms are then computed once per sweep and
 * updated in between, and angles have single precision: up to 1e-7 of what is zeroed remains. Rotations are not
 * normalised: x and y are columns divided by the roots of px and py; x' = x - conj(t) py y and y' = y + t px x, t =
 * xy * slope, whose squared norms grow by 1 + |t|^2 px py (Gentleman, "Least squares computations by Givens
 * transformations without square roots", 1973). */
template <class T, int RA, int RV, bool NEAR_ONE> struct ring {
  using R = real_of<T>;
  static constexpr int rows = RA + RV;
  T x[rows], y[rows];
  int idx, idy; /* indices of these columns */
  R xx, yy;     /* their squared norms */
  R px = 1, py = 1;

  __device__ __forceinline__ void norms(int parts)
  {
    R p = 0, q = 0;
#pragma unroll
    for (int r = 0; r < RA; r++) {
      p += square(x[r]);
      q += square(y[r]);
    }
    xx = px * sum_lanes(p, parts);
    yy = py * sum_lanes(q, parts);
  }

  __device__ __forceinline__ T dot(int parts) const
  {
    T even = make<T>(0), odd = make<T>(0);
#pragma unroll
    for (int r = 0; r < RA; r += 2) {
      even = mad(conj(x[r]), y[r], even);
      odd = mad(conj(x[r + 1]), y[r + 1], odd);
    }
    return sum_lanes(even + odd, parts);
  }

  /* x = c x + q y; y = what the next lane has for a x + c y. */
  template <bool ONE> __device__ __forceinline__ void turn(T a, T q, R c, int next)
  {
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const T left = mad(a, x[r], ONE ? y[r] : c * y[r]);
      x[r] = mad(q, y[r], ONE ? x[r] : c * x[r]);
      y[r] = shuffle(left, next);
    }
  }

  /* Orthogonalises x and y if they are not and `wanted`, and passes on the left one. In odd steps the last pair
   * rests and is not exchanged. Returns whether the rotation was more than tiny. */
  template <bool ODD>
  __device__ __forceinline__ bool step(const ring_shape &s, const ring_lane &me, bool wanted, bool rest, R tolerance,
                                       R near)
  {
    using F = std::conditional_t<NEAR_ONE, float, R>;
    const T xy = dot(s.parts), u = px * xy, v = py * xy;
    const R xy2 = real(conj(u) * v);
    const F lengths = (F)xx * (F)yy, overlap = (F)xy2;
    const bool long_enough = NEAR_ONE || (xx >= jacobi_tiny<R> && yy >= jacobi_tiny<R>);
    const bool active = wanted && !(ODD && rest) && overlap > (F)tolerance * lengths && long_enough;
    const F any = jacobi_slope((F)(yy - xx), overlap); /* computed without a branch */
    const R slope = active ? (R)any : R(0);
    const R shift = slope * xy2, tangent2 = slope * shift, p = inverse_of(1 + tangent2);
    const bool far = active && (overlap > (F)near * lengths || tangent2 > near);
    const bool swap = ODD && rest;
    const T a = swap ? make<T>(1) : slope * u, q = swap ? make<T>(1) : -slope * conj(v);
    turn<!ODD>(a, q, swap ? R(0) : R(1), me.next);
    const R left2 = swap ? xx : yy + shift, left_p = swap ? px : p * py;
    const int left = swap ? idx : idy;
    xx = swap ? yy : xx - shift;
    px = swap ? py : p * px;
    idx = swap ? idy : idx;
    py = shuffle(left_p, me.next);
    idy = __shfl_sync(all_lanes, left, me.next);
    if (NEAR_ONE) yy = shuffle(left2, me.next);
    return far;
  }

  /* Rotates until all pairs of this lane's matrix, one after the other, were orthogonal or needed tiny rotations
   * only (jacobi_near); false if they did not get there. A finished matrix is left alone while others of the warp go
   * on. */
  __device__ __forceinline__ bool orthogonalize(const ring_shape &s, const ring_lane &me, R tolerance)
  {
    const int round = 2 * s.pairs;
    const R near = jacobi_near<R>(round);
    int quiet = 0, held = me.pair; /* the pair of places that this lane holds */
    bool done = me.mask == 0;
    const auto count = [&](bool far) {
      quiet = (__ballot_sync(all_lanes, far) & me.mask) != 0 ? 0 : quiet + 1;
      done |= quiet >= round;
    };
#pragma unroll 1
    for (int sweep = 0; sweep < ring_sweeps; sweep++) {
      if (__all_sync(all_lanes, done)) break;
      if (NEAR_ONE) norms(s.parts);
#pragma unroll 1
      for (int i = 0; i < s.pairs; i++) {
        if (__all_sync(all_lanes, done)) break;
        if (!NEAR_ONE) norms(s.parts);
        count(step<false>(s, me, !done, false, tolerance, near));
        if (!NEAR_ONE) norms(s.parts);
        count(step<true>(s, me, !done, held == s.pairs - 1, tolerance, near));
        held = held + 1 < s.pairs ? held + 1 : 0;
      }
    }
    const R cx = sqrt(px), cy = sqrt(py);
#pragma unroll
    for (int r = 0; r < rows; r++) {
      x[r] = cx * x[r];
      y[r] = cy * y[r];
    }
    px = py = 1;
    norms(s.parts);
    return done;
  }

  /* Ranks (ascending, ties by index) of this lane's x (px) and y (py) among the group's columns, by the given keys. */
  __device__ __forceinline__ void places(const ring_shape &s, const ring_lane &me, R kx, R ky, int *px, int *py) const
  {
    *px = *py = 0;
    for (int i = 0; i < s.pairs; i++) {
      const int from = me.base + i * s.parts;
      const R ox = shuffle(kx, from), oy = shuffle(ky, from);
      const int ix = __shfl_sync(all_lanes, idx, from), iy = __shfl_sync(all_lanes, idy, from);
      *px += (ox < kx || (ox == kx && ix < idx)) + (oy < kx || (oy == kx && iy < idx));
      *py += (ox < ky || (ox == ky && ix < idy)) + (oy < ky || (oy == ky && iy < idy));
    }
  }
};

/* Maximum over a group; sum over its pairs (each given by all of its parts). */
template <class R> __device__ __forceinline__ R group_max(R x, const ring_lane &me)
{
  R largest = x;
  for (int i = 0; i < me.lanes; i++) largest = fmax(largest, shuffle(x, me.base + i));
  return largest;
}
template <class R> __device__ __forceinline__ R group_sum(R x, const ring_lane &me, int parts)
{
  R sum = 0;
  for (int i = 0; i < me.lanes; i += parts) sum += shuffle(x, me.base + i);
  return sum;
}

/* For columns of several matrices side by side: c / n = c * inverse_of_columns(n) >> 20 while c n < 2^20. */
static __device__ __forceinline__ int inverse_of_columns(int n)
{
  return ((1 << 20) - 1 + n) / n;
}
/* Matrix that column c of `mats` belongs to; several matrices have at most 1024 columns together. */
static __device__ __forceinline__ int matrix_of_column(int c, int mats, int inverse)
{
  return mats == 1 ? 0 : c * inverse >> 20;
}

/* Calls f(element, matrix, i, j) for the elements of `mats` matrices, by a warp; as many lanes per column as it has
 * rows, rounded up to a power of two. */
template <class T, class F>
__device__ __forceinline__ void each_element_of(const batch<T> &a, int64_t first, int mats, F f)
{
  const int lane = (int)threadIdx.x & 31, m = a.m, n = a.n;
  const int bits = m > 16 ? 5 : m > 8 ? 4 : m > 4 ? 3 : m > 2 ? 2 : m > 1 ? 1 : 0;
  const int inverse = inverse_of_columns(n);
#pragma unroll 4
  for (int c = lane >> bits; c < mats * n; c += 32 >> bits) {
    const int mat = matrix_of_column(c, mats, inverse), j = c - mat * n;
    const int64_t b = first + mat;
    if (j >= a.cols(b)) continue;
    T *column = a.at(b) + (int64_t)j * a.leading(b);
    for (int i = lane & ((1 << bits) - 1); i < a.rows(b); i += 1 << bits) f(column[i], mat, i, j);
  }
}

/* Calls put(element, matrix, i, j) for the wanted elements. Columns of up to 32 rows take one pass, with several
 * elements per lane in flight. */
template <class T, class W, class P>
__device__ __forceinline__ void load_elements_of(const batch<T> &a, int64_t first, int mats, W wanted, P put)
{
  constexpr int many = 8;
  const int m = a.m, n = a.n;
  if (m > 32) {
    each_element_of(a, first, mats, [&](const T &x, int mat, int i, int j) {
      if (wanted(i, j)) put(x, mat, i, j);
    });
    return;
  }
  const int lane = (int)threadIdx.x & 31, bits = m > 16 ? 5 : m > 8 ? 4 : m > 4 ? 3 : m > 2 ? 2 : m > 1 ? 1 : 0;
  const int i = lane & ((1 << bits) - 1), inverse = inverse_of_columns(n);
  const auto place_of = [&](int c, int *j) {
    const int mat = matrix_of_column(c, mats, inverse);
    *j = c - mat * n;
    return mat;
  };
  for (int c0 = lane >> bits; c0 < mats * n; c0 += many * (32 >> bits)) {
    T x[many];
    bool there[many];
#pragma unroll
    for (int u = 0; u < many; u++) {
      int j;
      const int c = c0 + u * (32 >> bits), mat = place_of(c, &j);
      there[u] = c < mats * n && wanted(i, j) && j < a.cols(first + mat) && i < a.rows(first + mat);
      if (there[u]) x[u] = a.at(first + mat)[i + (int64_t)j * a.leading(first + mat)];
    }
#pragma unroll
    for (int u = 0; u < many; u++) {
      int j;
      const int mat = place_of(c0 + u * (32 >> bits), &j);
      if (there[u]) put(x[u], mat, i, j);
    }
  }
}

/* Copies between global memory and tiles, whose leading dimension m | 1 is odd, free of bank conflicts. */
template <class T>
__device__ __forceinline__ void load_tiles(const batch<T> &a, int64_t first, int mats, int tile, T *tiles)
{
  load_elements_of(
    a, first, mats, [](int, int) { return true; },
    [&](const T &x, int mat, int i, int j) { tiles[mat * tile + i + j * (a.m | 1)] = x; });
}
template <class T>
__device__ __forceinline__ void store_tiles(const batch<T> &a, int64_t first, int mats, int tile, const T *tiles)
{
  each_element_of(a, first, mats, [&](T &x, int mat, int i, int j) { x = tiles[mat * tile + i + j * (a.m | 1)]; });
}
/* A Hermitian matrix from one triangle. */
template <class T>
__device__ __forceinline__ void load_hermitian(const batch<T> &a, bool lower, int64_t first, int mats, int tile,
                                               T *tiles)
{
  load_elements_of(
    a, first, mats, [&](int i, int j) { return lower ? i >= j : i <= j; },
    [&](const T &x, int mat, int i, int j) {
      T *const t = tiles + mat * tile;
      const T e = i == j ? make<T>(real(x)) : x;
      t[i + j * (a.m | 1)] = e;
      t[j + i * (a.m | 1)] = conj(e);
    });
}

/* The instance RA (from `classes`, ascending, ended by 0) for rows x k, with k x k rotated along if `vectors`, that
 * needs the fewest lanes per pair, but `least` of them; 0 if none fits. */
static inline int ring_class(const int *classes, bool vectors, int rows, int k, ring_shape *shape, int least = 1)
{
  const int pairs = (k + 1) / 2;
  for (int parts = least; pairs > 0 && pairs * parts <= 32; parts *= 2) {
    for (const int *c = classes; *c > 0; c++) {
      if (rows > parts * *c || (vectors && k > parts * *c)) continue;
      *shape = {pairs, parts, 32 / (pairs * parts), 0};
      return *c;
    }
  }
  return 0;
}

} // namespace batched_cuda::eigen

#endif

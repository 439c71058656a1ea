/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One-sided Jacobi in the registers of a part of a warp.  Each lane holds (a part of the rows of) two columns, x and
 * y, makes them orthogonal, exchanges them, keeps the right one and passes the left one on to the lane before: so
 * pairs meet in the odd-even ordering (Stewart, "A Jacobi-like algorithm for computing the Schur decomposition",
 * 1985), every two columns once in 2 * pairs steps, and a step moves one column a lane.
 *
 *   columns   0 1 | 2 3 | 4 5        even step: lane i holds places 2 i and 2 i + 1
 *             1 2 | 3 4 | 5 0        odd step:  lane i holds places 2 i + 1 and 2 i + 2; 5 and 0 rest
 *
 * The rows are shared by the `parts` lanes of a pair: lane p of them has rows p * RA, ..., p * RA + RA - 1 of the
 * columns that become orthogonal, and rows p * RV, ... of a second matrix (V) which is rotated along.
 */
#ifndef BATCHED_CUDA_JACOBI_RING_CUH
#define BATCHED_CUDA_JACOBI_RING_CUH

#include "jacobi.cuh"

namespace batched_cuda
{

constexpr int ring_warps = 4; /* in a block */
constexpr int ring_sweeps = 40;
constexpr unsigned all_lanes = 0xffffffffu;

/* How matrices lie in a warp: `mats` of them, each in pairs * parts lanes; a tile of shared memory for each, tile
 * elements long, in which a column is ld long. */
struct ring_shape {
  int pairs, parts, mats, tile;
};

/* This lane's place. */
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

/* Blocks that a multiprocessor is to hold: registers for a lane's two columns, and some 70 to 100 more. */
template <class T, int RA, int RV>
constexpr int ring_blocks = (RA + RV) * sizeof(T) <= 64    ? (RV == 0 ? 5 : 4)
                            : (RA + RV) * sizeof(T) <= 128 ? 3
                                                           : 2;

/* The compiler knows nothing of x from here on: it then does not keep in registers, all through the iteration, what
 * it has computed from x for the loads and could use for the stores. */
static __device__ __forceinline__ void forget(int &x)
{
  asm volatile("" : "+r"(x));
}

/* KEEP: squared norms are computed once a sweep, and updated in between; for columns of about the same length. */
template <class T, int RA, int RV, bool KEEP> struct ring {
  using R = real_of<T>;
  static constexpr int rows = RA + RV;
  T x[rows], y[rows];
  int idx, idy; /* which columns these are */
  R xx, yy;     /* their squared norms */

  __device__ __forceinline__ void norms(int parts)
  {
    R p = 0, q = 0;
#pragma unroll
    for (int r = 0; r < RA; r++) {
      p += square(x[r]);
      q += square(y[r]);
    }
    xx = sum_lanes(p, parts);
    yy = sum_lanes(q, parts);
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
  __device__ __forceinline__ void turn(T a, T q, R c, int next)
  {
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const T left = mad(a, x[r], c * y[r]);
      x[r] = mad(q, y[r], c * x[r]);
      y[r] = shuffle(left, next);
    }
  }

  /* The same without a rotation; resting columns are not exchanged. */
  __device__ __forceinline__ void pass(bool rest, int next)
  {
#pragma unroll
    for (int r = 0; r < rows; r++) {
      const T left = rest ? x[r] : y[r];
      x[r] = rest ? y[r] : x[r];
      y[r] = shuffle(left, next);
    }
  }

  /* Until every two columns of this lane's matrix, one pair after the other, were orthogonal or needed a tiny
   * rotation alone (jacobi_near); false if that did not happen.  A matrix that has got there is left alone while
   * others of the warp go on. */
  __device__ __forceinline__ bool orthogonalize(const ring_shape &s, const ring_lane &me, R tolerance)
  {
    const int round = 2 * s.pairs;
    const R near = jacobi_near<R>(round);
    int quiet = 0, held = me.pair; /* the pair of places that this lane holds */
    bool done = me.mask == 0;
#pragma unroll 1
    for (int step = 0; step < ring_sweeps * round; step++) {
      const bool odd = step & 1, rest = odd && held == s.pairs - 1;
      if (!KEEP || (!odd && held == me.pair)) norms(s.parts); /* in every lane of the warp, or in none */
      const T xy = dot(s.parts);
      const R xy2 = square(xy);
      const bool active = !done && !rest && xy2 > tolerance * (xx * yy) && xx >= jacobi_tiny<R> && yy >= jacobi_tiny<R>;
      R left2 = rest ? xx : yy, right2 = rest ? yy : xx;
      bool far = false;
      if (__any_sync(all_lanes, active)) {
        const rotation<T> r = jacobi_rotation(xx, yy, xy, active ? xy2 : R(1));
        T a = make<T>(rest), q = a;
        R c = rest ? R(0) : R(1);
        if (active) {
          far = xy2 > near * (xx * yy) || square(r.s) > near;
          a = conj(r.s);
          q = -r.s;
          c = r.c;
          left2 += r.shift;
          right2 -= r.shift;
        }
        turn(a, q, c, me.next);
      } else {
        pass(rest, me.next);
      }
      const int left = rest ? idx : idy;
      idx = rest ? idy : idx;
      idy = __shfl_sync(all_lanes, left, me.next);
      if (KEEP) {
        xx = right2;
        yy = shuffle(left2, me.next);
      }
      quiet = (__ballot_sync(all_lanes, far) & me.mask) != 0 ? 0 : quiet + 1;
      done |= quiet >= round;
      if (odd) held = held + 1 < s.pairs ? held + 1 : 0;
      if (__all_sync(all_lanes, done)) break;
    }
    norms(s.parts);
    return done;
  }

  /* How many of the group's columns come before this lane's x (in px) and y (in py), by the keys given for them,
   * ascending; equal ones by their index. */
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

/* The largest number of a group, and the sum over its pairs (each given by all of its parts). */
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

/* A warp goes over the elements of `mats` matrices from `first` on, a column by as many lanes as it has rows,
 * rounded up to a power of two: f(element, the matrix's number, i, j). */
template <class T, class F>
__device__ __forceinline__ void each_element_of(const batch<T> &a, int64_t first, int mats, F f)
{
  const int lane = (int)threadIdx.x & 31, m = a.m, n = a.n;
  const int bits = m > 16 ? 5 : m > 8 ? 4 : m > 4 ? 3 : m > 2 ? 2 : m > 1 ? 1 : 0;
  const int inverse = (65535 + n) / n; /* c / n = c * inverse >> 16 for c < 65536 / n */
#pragma unroll 4
  for (int c = lane >> bits; c < mats * n; c += 32 >> bits) {
    const int mat = mats == 1 ? 0 : c * inverse >> 16, j = c - mat * n;
    const int64_t b = first + mat;
    if (j >= a.cols(b)) continue;
    T *column = a.at(b) + (int64_t)j * a.leading(b);
    for (int i = lane & ((1 << bits) - 1); i < a.rows(b); i += 1 << bits) f(column[i], mat, i, j);
  }
}

/* Between memory and tiles, in which columns are m | 1 long: an odd number, against bank conflicts. */
template <class T>
__device__ __forceinline__ void load_tiles(const batch<T> &a, int64_t first, int mats, int tile, T *tiles)
{
  each_element_of(a, first, mats,
                  [&](const T &x, int mat, int i, int j) { tiles[mat * tile + i + j * (a.m | 1)] = x; });
}
template <class T>
__device__ __forceinline__ void store_tiles(const batch<T> &a, int64_t first, int mats, int tile, const T *tiles)
{
  each_element_of(a, first, mats, [&](T &x, int mat, int i, int j) { x = tiles[mat * tile + i + j * (a.m | 1)]; });
}
/* A Hermitian matrix, from one triangle. */
template <class T>
__device__ __forceinline__ void load_hermitian(const batch<T> &a, bool lower, int64_t first, int mats, int tile,
                                               T *tiles)
{
  each_element_of(a, first, mats, [&](const T &x, int mat, int i, int j) {
    if (lower ? i < j : i > j) return;
    T *const t = tiles + mat * tile;
    const T e = i == j ? make<T>(real(x)) : x;
    t[i + j * (a.m | 1)] = e;
    t[j + i * (a.m | 1)] = conj(e);
  });
}

/* The instance (RA, one of `classes`, which are ascending and end with 0) that takes rows x k, and k x k rotated
 * along if `vectors`: that with the fewest lanes to a pair; 0 if none does. */
static inline int ring_class(const int *classes, bool vectors, int rows, int k, ring_shape *shape)
{
  const int pairs = (k + 1) / 2;
  for (int parts = 1; pairs > 0 && pairs * parts <= 32; parts *= 2) {
    for (const int *c = classes; *c > 0; c++) {
      if (rows > parts * *c || (vectors && k > parts * *c)) continue;
      *shape = {pairs, parts, 32 / (pairs * parts), 0};
      return *c;
    }
  }
  return 0;
}

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of row cuda.warp of gtsv: the same elimination as long as each pivot is its equation's own unknown, as in
 * diagonally dominant matrices.  Half of the coefficients are zero then, and no row moves.
 *
 * A lane sees whether its pivots are the largest of their columns (in double precision to 20 bits), and neither
 * extreme nor NaN.  Where one is not, gtsv_part goes on from the last rows before it.
 */
#ifndef BATCHED_BAND_CUDA_GTSV_DIAGONAL_CUH
#define BATCHED_BAND_CUDA_GTSV_DIAGONAL_CUH

#include "batched/band/cuda/gtsv/gtsv_part.cuh"

namespace batched_cuda::band
{

/* Quotients by d within two ulps, if d is_usual_pivot(); sooner than inverse(). */
template <class T> struct quotients_by {
  T rough, rest;

  __device__ __forceinline__ explicit quotients_by(T d)
  {
    if constexpr (is_complex<T>) {
      rough = inverse_of(d);
    } else if constexpr (sizeof(T) == 8) {
      asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(rough) : "d"(d));
      const T e = fma(-d, rough, 1.0);
      rest = fma(e, e, e);
    } else {
      asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(rough) : "f"(d));
      rest = fmaf(-d, rough, 1.0f);
    }
  }
  __device__ __forceinline__ T operator()(T x) const
  {
    const T near = x * rough;
    if constexpr (is_complex<T>)
      return near;
    else
      return fma(near, rest, near);
  }
  __device__ __forceinline__ T inverse() const
  {
    if constexpr (is_complex<T>)
      return rough;
    else
      return fma(rough, rest, rough);
  }
};

template <class T> struct gtsv_diagonal {
  enum { TOGETHER = 5, TREE = 6 };
  const gtsv_part<T> &part;
  two_equations<T> inside; /* what a lane's rows have become */
  bool is_sound;

  __device__ __forceinline__ explicit gtsv_diagonal(const gtsv_part<T> &part) : part(part), is_sound(true)
  {
    inside.previous = part.row(LOWER, 0);
    inside.next = part.row(UPPER, 1);
    inside.first[0] = part.row(MIDDLE, 0), inside.first[1] = part.row(LOWER, 1);
    inside.last[0] = part.row(UPPER, 0), inside.last[1] = part.row(MIDDLE, 1);
    inside.right[0] = part.row(RIGHT, 0), inside.right[1] = part.row(RIGHT, 1);
  }

  /* True where x is the pivot of its column, which has numbers with these high words beside it. */
  static __device__ __forceinline__ bool is_pivot(T x, unsigned y, unsigned z)
  {
    const unsigned high = high_word(x);
    return is_usual_pivot<T>(high) & (high >= max(y, z));
  }

  /* Unknowns j to j + COUNT - 1 inside, unless a pivot of a lane is not sound. */
  template <int COUNT> __device__ __forceinline__ bool eliminate(int j)
  {
    T next[COUNT], first[COUNT], right[COUNT];
    two_equations<T> x = inside;
    unsigned above = high_word(x.last[0]);
    bool sound = true;
#pragma unroll
    for (int s = 0; s < COUNT; s++) {
      const T l = part.row(LOWER, j + s + 1), d = part.row(MIDDLE, j + s + 1), u = part.row(UPPER, j + s + 1),
              r = part.row(RIGHT, j + s + 1);
      const quotients_by<T> by(x.last[1]);
      sound = sound & is_pivot(x.last[1], above, high_word(l));
      next[s] = by(x.next);
      const T inverse = by.inverse();
      first[s] = x.first[1] * inverse;
      right[s] = x.right[1] * inverse;
      x.last[1] = mad(-l, next[s], d);
      x.first[0] = mad(-x.last[0], first[s], x.first[0]);
      x.right[0] = mad(-x.last[0], right[s], x.right[0]);
      const T less = x.last[0] * next[s];
      above = high_word(less);
      x.last[0] = -less;
      x.first[1] = -l * first[s];
      x.right[1] = mad(-l, right[s], r);
      x.next = u;
    }
    if (!__all_sync(all_lanes, sound)) return false;
    inside = x;
#pragma unroll
    for (int s = 0; s < COUNT; s++) {
      part.row(LOWER, j + s) = next[s];
      part.spare[j + s - 1] = first[s];
      part.row(RIGHT, j + s) = right[s];
    }
    return true;
  }
  /* The first unknown inside that is left: m - 1 where all are gone. */
  __device__ __forceinline__ int eliminate_inside()
  {
    int j = 1;
#pragma unroll 1
    for (; j + TOGETHER < part.m; j += TOGETHER)
      if (!eliminate<TOGETHER>(j)) return j;
#pragma unroll 1
    for (; j < part.m - 1; j++)
      if (!eliminate<1>(j)) return j;
    return j;
  }

  /* As gtsv_part's. */
  __device__ __forceinline__ void join(int half, two_equations<T> &x)
  {
    const int from = (part.lane + half) & 31;
    two_equations<T> y;
    y.previous = shuffle(x.previous, from);
    y.next = shuffle(x.next, from);
#pragma unroll
    for (int i = 0; i < 2; i++) {
      y.first[i] = shuffle(x.first[i], from);
      y.last[i] = shuffle(x.last[i], from);
      y.right[i] = shuffle(x.right[i], from);
    }
    /* The left group's last unknown by its second row. */
    const quotients_by<T> by(x.last[1]);
    const T next = by(x.next), inverse = by.inverse(), first = x.first[1] * inverse, right = x.right[1] * inverse;
    const T above = -x.last[0] * next, pivot = mad(-y.previous, next, y.first[0]);
    const T pivot_first = -y.previous * first, pivot_right = mad(-y.previous, right, y.right[0]);
    /* The right group's first one by its first row. */
    const quotients_by<T> then(pivot);
    const T last = then(y.last[0]), other = then.inverse(), next_first = pivot_first * other,
            next_right = pivot_right * other;
    if (part.leads(half)) {
      is_sound = is_sound & is_pivot(x.last[1], high_word(x.last[0]), high_word(y.previous)) &
                 is_pivot(pivot, high_word(above), high_word(y.first[1]));
      part.tree(half, 0) = first, part.tree(half, 1) = next, part.tree(half, 2) = right;
      part.tree(half, 3) = next_first, part.tree(half, 4) = last, part.tree(half, 5) = next_right;
    }
    x.first[0] = mad(-above, next_first, mad(-x.last[0], first, x.first[0]));
    x.right[0] = mad(-above, next_right, mad(-x.last[0], right, x.right[0]));
    x.last[0] = -above * last;
    x.first[1] = -y.first[1] * next_first;
    x.last[1] = mad(-y.first[1], last, y.last[1]);
    x.right[1] = mad(-y.first[1], next_right, y.right[1]);
    x.next = y.next;
  }

  /* What `inside` leaves: false where a pivot is not sound. */
  __device__ __forceinline__ bool solve_ends(T &first, T &last)
  {
    two_equations<T> x = inside;
    __syncwarp();
#pragma unroll 1
    for (int half = 1; half < 32; half *= 2) join(half, x);
    const T inverse = inverse_of(x.first[0]), next = x.last[0] * inverse, right = x.right[0] * inverse,
            pivot = mad(-x.first[1], next, x.last[1]);
    last = mad(-x.first[1], right, x.right[1]) * inverse_of(pivot);
    first = mad(-next, last, right);
    if (part.lane == 0)
      is_sound = is_sound & is_pivot(x.first[0], high_word(x.first[1]), 0) & is_usual_pivot<T>(high_word(pivot));
    __syncwarp();
    return __all_sync(all_lanes, is_sound);
  }

  __device__ __forceinline__ void split(int half, T &first, T &last) const
  {
    T u[TREE];
    const bool leads = part.leads(half), follows = (part.lane & (2 * half - 1)) == half;
#pragma unroll
    for (int c = 0; c < TREE; c++) u[c] = part.tree(leads ? half : 0, c);
    const T right = mad(-u[4], last, mad(-u[3], first, u[5])), left = mad(-u[1], right, mad(-u[0], first, u[2]));
    const int leader = (part.lane - half) & 31;
    const T seam = shuffle(right, leader), end = shuffle(last, leader);
    first = select(follows, seam, first);
    last = select(follows, end, select(leads, left, last));
  }

  /* The unknowns, each in its place, from those of the ends of all rows; are they finite? */
  __device__ __forceinline__ bool substitute(T first, T last) const
  {
#pragma unroll 1
    for (int half = 16; half > 0; half /= 2) split(half, first, last);
    T x = last, zeros = mad(make<T>(0), first, make<T>(0) * last);
#pragma unroll 5
    for (int j = part.m - 2; j >= 1; j--) {
      x = mad(-part.row(LOWER, j), x, mad(-part.spare[j - 1], first, part.row(RIGHT, j)));
      part.row(RIGHT, j) = x;
      zeros = mad(make<T>(0), x, zeros);
    }
    __syncwarp(); /* rows 0 and m - 1 of other lanes hold the tree */
    part.row(RIGHT, 0) = first;
    part.row(RIGHT, part.m - 1) = last;
    return zeros == make<T>(0); /* infinities and NaNs times 0 */
  }
};

} // namespace batched_cuda::band

#endif

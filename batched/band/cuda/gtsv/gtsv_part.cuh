/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Part of row cuda.warp of gtsv: elimination with exchanges inside of a lane's rows, and of the unknowns between lanes;
 * see gtsv_warp.cuh.
 */
#ifndef BATCHED_BAND_CUDA_GTSV_PART_CUH
#define BATCHED_BAND_CUDA_GTSV_PART_CUH

#include "batched/band/cuda/tridiagonal.cuh"

namespace batched_cuda::band
{

/* Eliminates the unknown of column 0 from ROWS equations of N - 1 coefficients and a right-hand side, once the one with
 * the largest has moved to the top.  It becomes the row of U, over its diagonal; the others begin in column 1.  Does
 * the pivot need more care? */
template <class T, int ROWS, int N> __device__ __forceinline__ bool eliminate_unknown(T (&e)[ROWS][N])
{
  bool takes[ROWS] = {true}; /* the first of the largest; comparisons don't wait for each other */
#pragma unroll
  for (int i = 1; i < ROWS; i++) {
    bool larger = false;
#pragma unroll
    for (int j = 0; j < i; j++) larger = larger || (takes[j] && abs1(e[i][0]) > abs1(e[j][0]));
#pragma unroll
    for (int j = 0; j < i; j++) takes[j] = takes[j] && !larger;
    takes[i] = larger;
  }
#pragma unroll
  for (int c = 0; c < N; c++) {
    T top = e[0][c];
#pragma unroll
    for (int i = 1; i < ROWS; i++) {
      top = select(takes[i], e[i][c], top);
      e[i][c] = select(takes[i], e[0][c], e[i][c]);
    }
    e[0][c] = top;
  }
  const T inverse = inverse_of(e[0][0]);
#pragma unroll
  for (int c = 1; c < N; c++) {
    e[0][c] = e[0][c] * inverse;
#pragma unroll
    for (int i = 1; i < ROWS; i++) e[i][c] = mad(-e[i][0], e[0][c], e[i][c]);
  }
  return !is_usual_pivot<T>(high_word(e[0][0]));
}

/* Result of eliminating a group of rows: twice coefficients of its last unknown, of the one behind it, of the one
 * before its first, of its first, and the right-hand side. */
enum { OF_LAST, OF_NEXT, OF_PREVIOUS, OF_FIRST, OF_NOTHING, GROUP_NUMBERS };

/* The same where no row has been exchanged: the first unknown's row and the last one's. */
template <class T> struct two_equations {
  T previous, first[2], last[2], next, right[2];
};

/* These unknowns. */
template <class T> struct group_ends {
  T previous, first, last, next;
};

/* Arrays of A's rows, which U's take over: coefficients of the next unknown, of the one behind it, of the one before
 * the lane's first, and the right-hand side, later the unknown itself. */
enum { LOWER, MIDDLE, UPPER, RIGHT, ARRAYS };

/* Where rows are in shared memory: arrays of dl, d, du and b as they are in memory, of which each lane has the next m
 * numbers, an odd one so that lanes meet in no bank, from one to `margin` numbers behind the array's beginning, so that
 * 16 bytes of memory may be 16 bytes here; and one of U's coefficients of the lane's first unknown, of which it has
 * `spare_pitch`, at least three more than it needs. */
template <class T> struct gtsv_layout {
  enum { MARGIN = 16 / sizeof(T) };
  int m, spare_pitch;

  DEVICE explicit gtsv_layout(int m) : m(m), spare_pitch(m % 4 == 1 ? m + 1 : m + 2)
  {
  }
  DEVICE int numbers() const
  {
    return ARRAYS * array() + 32 * spare_pitch;
  }
  static DEVICE int rows_of(int n)
  {
    return n > 32 ? (n + 31) / 32 | 1 : 3;
  }
  /* From one of the arrays of 32 m numbers to the next. */
  DEVICE int array() const
  {
    return 32 * m + MARGIN;
  }
};

/* The arrays' first rows. */
template <class T> struct gtsv_arrays {
  T *row[ARRAYS];
};

template <class T> struct gtsv_part {
  enum { TREE = 11 };
  gtsv_arrays<T> own; /* this lane's rows */
  T *spare;           /* U's coefficients of its first unknown, row by row */
  int lane, m;
  gtsv_layout<T> at;
  T e[2][GROUP_NUMBERS];
  bool is_unusual;

  /* spare: of all lanes */
  __device__ __forceinline__ gtsv_part(const gtsv_arrays<T> &all, T *spare, int lane, int m)
      : own(all), spare(spare), lane(lane), m(m), at(m), is_unusual(false)
  {
#pragma unroll
    for (int v = 0; v < ARRAYS; v++) own.row[v] += lane * m;
    this->spare += lane * at.spare_pitch;
  }

  __device__ __forceinline__ T &row(int array, int i) const
  {
    return own.row[array][i];
  }
  /* Number c of those that the tree keeps in `from` lanes on: what they have of their first and last row, and the last
   * three spare ones. */
  __device__ __forceinline__ T &tree(int from, int c) const
  {
    return c < 2 * ARRAYS ? own.row[c / 2][from * m + (c % 2 == 0 ? 0 : m - 1)]
                          : spare[from * at.spare_pitch + at.spare_pitch - 1 - (c - 2 * ARRAYS)];
  }

  /* Unknowns from `first` on; before it the rows' first two were eliminated to these. */
  __device__ __forceinline__ void eliminate_inside(int first, const two_equations<T> &a)
  {
    const T zero = make<T>(0);
    T x[3][6] = {{a.last[0], zero, zero, a.previous, a.first[0], a.right[0]},
                 {a.last[1], a.next, zero, zero, a.first[1], a.right[1]}};
    T coming[ARRAYS];
#pragma unroll 1
    for (int j = 1; j < first; j++) row(MIDDLE, j) = row(UPPER, j) = zero;
#pragma unroll
    for (int v = 0; v < ARRAYS; v++) coming[v] = row(v, min(first + 1, m - 1));
    for (int j = first; j <= m - 2; j++) {
      x[2][0] = coming[LOWER], x[2][1] = coming[MIDDLE], x[2][2] = coming[UPPER], x[2][3] = zero, x[2][4] = zero,
      x[2][5] = coming[RIGHT];
#pragma unroll
      for (int v = 0; v < ARRAYS; v++) coming[v] = row(v, min(j + 2, m - 1));
      is_unusual |= eliminate_unknown(x);
      row(LOWER, j) = x[0][1];
      row(MIDDLE, j) = x[0][2];
      row(UPPER, j) = x[0][3];
      spare[j - 1] = x[0][4];
      row(RIGHT, j) = x[0][5];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        x[i][0] = x[i + 1][1], x[i][1] = x[i + 1][2], x[i][2] = zero;
#pragma unroll
        for (int c = 3; c < 6; c++) x[i][c] = x[i + 1][c];
      }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      e[i][OF_LAST] = x[i][0], e[i][OF_NEXT] = x[i][1];
      e[i][OF_PREVIOUS] = x[i][3], e[i][OF_FIRST] = x[i][4], e[i][OF_NOTHING] = x[i][5];
    }
  }

  /* True for the lane that stands for the group of 2 half lanes that begins here. */
  __device__ __forceinline__ bool leads(int half) const
  {
    return (lane & (2 * half - 1)) == 0;
  }

  /* Joins the groups of `half` lanes that begin here and `half` lanes on: loses their unknowns at the seam. */
  __device__ __forceinline__ void join(int half)
  {
    const T zero = make<T>(0);
    T q[4][7], r[3][6];
#pragma unroll
    for (int i = 0; i < 2; i++) {
      T other[GROUP_NUMBERS];
#pragma unroll
      for (int c = 0; c < GROUP_NUMBERS; c++) other[c] = shuffle(e[i][c], (lane + half) & 31);
      q[i][0] = e[i][OF_LAST], q[i][1] = e[i][OF_NEXT], q[i][2] = e[i][OF_PREVIOUS], q[i][3] = e[i][OF_FIRST];
      q[i][4] = zero, q[i][5] = zero, q[i][6] = e[i][OF_NOTHING];
      q[2 + i][0] = other[OF_PREVIOUS], q[2 + i][1] = other[OF_FIRST], q[2 + i][2] = zero, q[2 + i][3] = zero;
      q[2 + i][4] = other[OF_LAST], q[2 + i][5] = other[OF_NEXT], q[2 + i][6] = other[OF_NOTHING];
    }
    bool unusual = eliminate_unknown(q);
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
      for (int c = 0; c < 6; c++) r[i][c] = q[i + 1][c + 1];
    }
    unusual |= eliminate_unknown(r);
    if (leads(half)) {
      is_unusual |= unusual;
#pragma unroll
      for (int c = 1; c < 7; c++) tree(half, c - 1) = q[0][c];
#pragma unroll
      for (int c = 1; c < 6; c++) tree(half, c + 5) = r[0][c];
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
      e[i][OF_PREVIOUS] = r[i + 1][1], e[i][OF_FIRST] = r[i + 1][2];
      e[i][OF_LAST] = r[i + 1][3], e[i][OF_NEXT] = r[i + 1][4], e[i][OF_NOTHING] = r[i + 1][5];
    }
  }

  /* The ends of all 32 lanes' rows, in lane 0. */
  __device__ __forceinline__ group_ends<T> solve_ends()
  {
    T g[2][3];
#pragma unroll
    for (int i = 0; i < 2; i++) g[i][0] = e[i][OF_FIRST], g[i][1] = e[i][OF_LAST], g[i][2] = e[i][OF_NOTHING];
    const bool unusual = eliminate_unknown(g);
    if (lane == 0) is_unusual |= unusual || !is_usual_pivot<T>(high_word(g[1][1]));
    const T last = g[1][2] * inverse_of(g[1][1]);
    return {make<T>(0), mad(-g[0][1], last, g[0][2]), last, make<T>(0)};
  }

  /* From the ends of a group those of its two halves. */
  __device__ __forceinline__ void split(int half, group_ends<T> &x)
  {
    T u[TREE];
    const int from = leads(half) ? half : 0;
#pragma unroll
    for (int c = 0; c < TREE; c++) u[c] = tree(from, c);
    T right = mad(-u[6], x.previous, u[10]), left = mad(-u[1], x.previous, u[5]);
    right = mad(-u[9], x.next, mad(-u[8], x.last, mad(-u[7], x.first, right)));
    left = mad(-u[4], x.next, mad(-u[3], x.last, mad(-u[2], x.first, left)));
    left = mad(-u[0], right, left);
    const int leader = (lane - half) & 31;
    const bool follows = (lane & (2 * half - 1)) == half;
    const T seam_left = shuffle(left, leader), seam_right = shuffle(right, leader), last = shuffle(x.last, leader),
            next = shuffle(x.next, leader);
    x.previous = select(follows, seam_left, x.previous);
    x.first = select(follows, seam_right, x.first);
    x.last = select(follows, last, select(leads(half), left, x.last));
    x.next = select(follows, next, select(leads(half), right, x.next));
  }

  /* The unknowns, each in its place. */
  __device__ __forceinline__ void substitute_inside(const group_ends<T> &x)
  {
    T x1 = x.last, x2 = x.next, zeros = mad(make<T>(0), x.first, make<T>(0) * x.last);
    for (int j = m - 2; j >= 1; j--) {
      const T sum = mad(-spare[j - 1], x.first, mad(-row(UPPER, j), x.previous, row(RIGHT, j)));
      const T value = mad(-row(LOWER, j), x1, mad(-row(MIDDLE, j), x2, sum));
      row(RIGHT, j) = value;
      zeros = mad(make<T>(0), value, zeros);
      x2 = x1;
      x1 = value;
    }
    row(RIGHT, 0) = x.first;
    row(RIGHT, m - 1) = x.last;
    is_unusual |= !(zeros == make<T>(0)); /* infinities and NaNs times 0 */
  }
};

} // namespace batched_cuda::band

#endif

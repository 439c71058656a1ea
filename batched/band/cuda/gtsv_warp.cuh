/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gtsv: tridiagonal systems, a warp per matrix and right-hand side, everything in shared memory.
 *
 * Partition method with partial pivoting throughout: each lane has m = n / 32 rows, at least two, whose first and last
 * unknown also stand in its neighbours' rows.  The unknowns between stand in no rows but the lane's own, m of
 * them for m - 2 unknowns, so that elimination may choose each pivot among all that there are, three at a time; it
 * leaves two rows with the lane's two outer unknowns and the neighbours' nearest ones.  Two neighbours' four rows lose
 * the two unknowns at their seam in the same way, and are two rows again: after five levels of a tree two rows of two
 * unknowns are left.  The whole is Gaussian elimination with partial pivoting of A with its columns in another order.
 * Rows of U are scaled to a unit diagonal; unknowns come back by the same tree.
 *
 * Where a pivot is zero, NaN, or so large or small that its reciprocal is not safe, or the solution is not finite, one
 * lane solves that system once more, as cuda.reference does, with a copy of A; info is the first right-hand side's.
 *
 * grid      a block per matrix and right-hand side
 * block     32 threads
 * shared    a row's 4 numbers of A and b, over which 4 of U are written, and the fifth of U, in arrays of their own, so
 *           that neighbouring rows are neighbours; the tree stands in what lanes no longer need (21 KB for n = 512 in
 *           double precision)
 * takes     all four types, n as shared memory allows, uniform and variable
 * reads     dl, d, du once for each right-hand side, b once; writes X over b, info (first pivot that is zero or NaN)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GTSV_WARP_CUH
#define BATCHED_BAND_CUDA_GTSV_WARP_CUH

#include "batched/band/cuda/gtsv_thread.cuh"
#include "batched/cuda/predicated.cuh"

namespace batched_cuda::band
{

/* Eliminates the unknown of column 0 from `ROWS` equations of N - 1 coefficients and a right-hand side, once equation P
 * has moved before those ahead of it.  It becomes the row of U, over its diagonal; the others begin in column 1. */
template <int P, class T, int ROWS, int N> __device__ __forceinline__ void eliminate_by(T (&e)[ROWS][N])
{
  const T inverse = inverse_of(e[P][0]);
#pragma unroll
  for (int c = 0; c < N; c++) {
    const T top = c == 0 ? e[P][0] : e[P][c] * inverse;
#pragma unroll
    for (int i = P; i > 0; i--) e[i][c] = e[i - 1][c];
    e[0][c] = top;
#pragma unroll
    for (int i = 1; i < ROWS; i++)
      if (c > 0) e[i][c] = mad(-e[i][0], top, e[i][c]);
  }
}

/* The same with the largest of column 0.  Is it one that needs more care?  Where all lanes that `count` choose equation
 * 1, as diagonally dominant matrices do, nothing has to be exchanged. */
template <class T, int ROWS, int N> __device__ __forceinline__ bool eliminate_unknown(T (&e)[ROWS][N], bool counts)
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
  if (__all_sync(all_lanes, takes[1] || !counts)) {
    eliminate_by<1>(e);
  } else {
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
    eliminate_by<0>(e);
  }
  return !is_usual_pivot<T>(high_word(e[0][0]));
}

/* Result of eliminating a group of rows: twice coefficients of its last unknown, of the one behind it, of the one
 * before its first, of its first, and the right-hand side. */
enum { OF_LAST, OF_NEXT, OF_PREVIOUS, OF_FIRST, OF_NOTHING, GROUP_NUMBERS };

/* These unknowns. */
template <class T> struct group_ends {
  T previous, first, last, next;
};

/* Layout of a lane's m rows in shared memory: arrays of dl, d, du and b, of which each lane has `pitch` numbers, an odd
 * one so that lanes meet in no bank, and one of U's coefficients of the lane's first unknown, of which it has
 * `spare_pitch`, at least three more than it needs. */
struct gtsv_layout {
  int pitch, spare_pitch;

  DEVICE explicit gtsv_layout(int m) : pitch(m | 1), spare_pitch((m + 1) | 1)
  {
  }
  DEVICE int numbers() const
  {
    return 32 * (4 * pitch + spare_pitch);
  }
  static DEVICE int rows_of(int n)
  {
    return n > 64 ? (n + 31) / 32 : 2;
  }
  /* From one of the arrays of `pitch` numbers to the next. */
  DEVICE int array() const
  {
    return 32 * pitch;
  }
};

/* Arrays of A's rows, which U's take over: coefficients of the next unknown, of the one behind it, of the one before
 * the lane's first, and the right-hand side, later the unknown itself. */
enum { LOWER, MIDDLE, UPPER, RIGHT, ARRAYS };

template <class T> struct gtsv_part {
  enum { TREE = 11 };
  T *own, *spare; /* this lane's rows; U's coefficients of its first unknown, row by row */
  int lane, m;
  gtsv_layout at;
  T e[2][GROUP_NUMBERS];
  bool is_unusual;

  __device__ __forceinline__ gtsv_part(T *shared, int lane, int m) : lane(lane), m(m), at(m), is_unusual(false)
  {
    own = shared + lane * at.pitch;
    spare = shared + ARRAYS * at.array() + lane * at.spare_pitch;
  }

  __device__ __forceinline__ T &row(int array, int i) const
  {
    return own[array * at.array() + i];
  }
  /* Number c of those that the tree keeps in `from` lanes on: what they have of their first and last row, and the last
   * three spare ones. */
  __device__ __forceinline__ T &tree(int from, int c) const
  {
    return c < 2 * ARRAYS ? own[from * at.pitch + c / 2 * at.array() + (c % 2 == 0 ? 0 : m - 1)]
                          : spare[from * at.spare_pitch + at.spare_pitch - 1 - (c - 2 * ARRAYS)];
  }

  __device__ __forceinline__ void eliminate_inside()
  {
    const T zero = make<T>(0);
    T x[3][6], coming[ARRAYS];
    x[0][0] = row(UPPER, 0), x[0][1] = zero, x[0][2] = zero, x[0][3] = row(LOWER, 0), x[0][4] = row(MIDDLE, 0),
    x[0][5] = row(RIGHT, 0);
    x[1][0] = row(MIDDLE, 1), x[1][1] = row(UPPER, 1), x[1][2] = zero, x[1][3] = zero, x[1][4] = row(LOWER, 1),
    x[1][5] = row(RIGHT, 1);
#pragma unroll
    for (int v = 0; v < ARRAYS; v++) coming[v] = row(v, min(2, m - 1));
    for (int j = 1; j <= m - 2; j++) {
      x[2][0] = coming[LOWER], x[2][1] = coming[MIDDLE], x[2][2] = coming[UPPER], x[2][3] = zero, x[2][4] = zero,
      x[2][5] = coming[RIGHT];
#pragma unroll
      for (int v = 0; v < ARRAYS; v++) coming[v] = row(v, min(j + 2, m - 1));
      is_unusual |= eliminate_unknown(x, true);
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

  /* Does the lane stand for the group of 2 half lanes that begins here? */
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
    bool unusual = eliminate_unknown(q, leads(half));
#pragma unroll
    for (int i = 0; i < 3; i++) {
#pragma unroll
      for (int c = 0; c < 6; c++) r[i][c] = q[i + 1][c + 1];
    }
    unusual |= eliminate_unknown(r, leads(half));
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
    const bool unusual = eliminate_unknown(g, lane == 0);
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

/* The matrix and right-hand side of a warp, and where they are in shared memory. */
template <class T> struct gtsv_rows {
  T *shared;
  line<T> dl, d, du, b;
  int lane, n, m;

  /* i / m for i up to 32: half a step from whole numbers, where a reciprocal's rounding doesn't matter. */
  __device__ __forceinline__ int quotient(int i) const
  {
    return (int)__fdividef((float)i + 0.5f, (float)m);
  }
  /* f(its place in an array, its number) for row `lane` and each thirty-second one from there. */
  template <class F> __device__ __forceinline__ void each(int rows, F f) const
  {
    const int lanes = quotient(32), along = 32 - lanes * m, pitch = gtsv_layout(m).pitch, own = quotient(lane);
    int e = lane - own * m, place = own * pitch + e;
#pragma unroll 1
    for (int i = lane; i < rows; i += 32) {
      f(place, i);
      const bool wraps = e + along >= m;
      e += wraps ? along - m : along;
      place += lanes * pitch + (wraps ? along + pitch - m : along);
    }
  }
  /* Starts to copy an element, or where there is none has a number there. */
  static __device__ __forceinline__ void copy(T *to, const T *from, bool exists, int otherwise)
  {
    start_copy_if(exists, to, from);
    if (!exists) *to = make<T>(otherwise);
  }
  /* Starts to copy.  Rows behind the last are those of 1. */
  __device__ __forceinline__ void load() const
  {
    const int array = gtsv_layout(m).array();
    const T *l = dl.at + (lane - 1) * dl.step, *c = d.at + lane * d.step, *u = du.at + lane * du.step,
            *r = b.at + lane * b.step;
    each(32 * m, [&](int place, int i) {
      T *to = shared + place;
      copy(to + LOWER * array, l, i > 0 && i < n, 0);
      copy(to + MIDDLE * array, c, i < n, 1);
      copy(to + UPPER * array, u, i < n - 1, 0);
      copy(to + RIGHT * array, r, i < n, 0);
      l += 32 * dl.step, c += 32 * d.step, u += 32 * du.step, r += 32 * b.step;
    });
    copy_commit();
  }
  __device__ __forceinline__ void store() const
  {
    const T *from = shared + RIGHT * gtsv_layout(m).array();
    each(n, [&](int place, int i) { b.at[i] = from[place]; });
  }
  /* The same system in LAPACK's order, by one lane; the diagonals, which others may read, stay as they are. */
  __device__ __forceinline__ int solve_again() const
  {
    const line<T> l = {shared, 1}, diag = {shared + n, 1}, u = {shared + 2 * n, 1};
    int info = 0;
    for (int i = lane; i < n; i += 32) {
      diag[i] = d[i];
      if (i < n - 1) l[i] = dl[i], u[i] = du[i];
    }
    __syncwarp();
    if (lane == 0) info = solve_alone(gtsv_lines<T>{l, diag, u, b.at, 0, n, 1});
    return info;
  }
};

/* As line_of(), without its questions, for strided vectors of one length. */
template <class T> __device__ __forceinline__ line<T> plain_line_of(const batch<T> &x, int64_t b)
{
  return {x.data + b * x.stride, x.n == 1 ? (int64_t)1 : (int64_t)x.ld};
}

/* plain: the vectors are strided and of one length. */
template <class T> __global__ void __launch_bounds__(32) gtsv_by_warp(gtsv_call<T> c, bool plain)
{
  for (int64_t g = blockIdx.x; g < c.d.count * c.b.n; g += gridDim.x) {
    const int64_t b = c.b.n == 1 ? g : g / c.b.n, j = g - b * c.b.n;
    const int lane = threadIdx.x, n = plain ? c.d.n == 1 ? c.d.m : c.d.n : c.d.length(b);
    int info = 0;
    if (n > 0) {
      gtsv_part<T> part(shared_array<T>(), lane, gtsv_layout::rows_of(n));
      const line<T> side = {c.b.at(b) + j * c.b.leading(b), 1};
      const auto vector = [&](const batch<T> &x) { return plain ? plain_line_of(x, b) : line_of(x, b); };
      const gtsv_rows<T> rows = {shared_array<T>(), vector(c.dl), vector(c.d), vector(c.du), side, lane, n, part.m};
      rows.load();
      copy_wait<0>();
      __syncwarp();
      part.eliminate_inside();
      __syncwarp();
      for (int half = 1; half < 32; half *= 2) part.join(half);
      __syncwarp();
      group_ends<T> x = part.solve_ends();
      for (int half = 16; half > 0; half /= 2) part.split(half, x);
      part.substitute_inside(x);
      __syncwarp();
      if (!__any_sync(all_lanes, part.is_unusual))
        rows.store();
      else
        info = rows.solve_again();
      __syncwarp();
    }
    if (lane == 0 && j == 0) c.info[b] = info;
  }
}

/* The largest order. */
static inline int order_of(const batched_matrix &d)
{
  return d.n == 1 && !d.ns ? d.m : d.n;
}
template <class T> size_t gtsv_warp_bytes(const batched_matrix &d)
{
  const int beyond = 1 << 20, n = order_of(d);
  return (size_t)gtsv_layout(gtsv_layout::rows_of(n < beyond ? n : beyond)).numbers() * sizeof(T);
}

template <class T> int launch_gtsv_warp(batched_ctx *ctx, const gtsv_call<T> &c, size_t shared)
{
  const auto is_plain = [](const batch<T> &x) { return !x.array && !x.is_variable(); };
  return launch(ctx, gtsv_by_warp<T>, c.d.count * c.b.n, warp_size, shared, c,
                is_plain(c.dl) && is_plain(c.d) && is_plain(c.du));
}

} // namespace batched_cuda::band

#endif

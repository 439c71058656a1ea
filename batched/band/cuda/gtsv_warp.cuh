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
 * shared    rows of 4 numbers of A and b, over which 5 of U are written; 11 x 32 numbers of the tree (21 KB for n = 512
 *           in double precision)
 * takes     all four types, n as shared memory allows, uniform and variable
 * reads     dl, d, du once for each right-hand side, b once; writes X over b, info (first pivot that is zero or NaN)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GTSV_WARP_CUH
#define BATCHED_BAND_CUDA_GTSV_WARP_CUH

#include "batched/band/cuda/gtsv_thread.cuh"

namespace batched_cuda::band
{

/* Eliminates the unknown of column 0 from `ROWS` equations of N - 1 coefficients and a right-hand side.  The first
 * becomes the row of U, over its diagonal; the others begin in column 1.  Is the pivot one that needs more care? */
template <class T, int ROWS, int N> __device__ __forceinline__ bool eliminate_unknown(T (&e)[ROWS][N])
{
  int p = 0;
  real_of<T> size = abs1(e[0][0]);
#pragma unroll
  for (int i = 1; i < ROWS; i++) {
    const real_of<T> other = abs1(e[i][0]);
    p = other > size ? i : p;
    size = other > size ? other : size;
  }
#pragma unroll
  for (int c = 0; c < N; c++) {
    T top = e[0][c];
#pragma unroll
    for (int i = 1; i < ROWS; i++) {
      top = select(p == i, e[i][c], top);
      e[i][c] = select(p == i, e[0][c], e[i][c]);
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

/* These unknowns. */
template <class T> struct group_ends {
  T previous, first, last, next;
};

template <class T> struct gtsv_part {
  enum { ENDS = 2, TREE = 11 };
  T *own, *tree; /* this lane's rows: first and last unknown, rows of U (later an unknown each) behind, A at the end */
  int lane, m, given;
  T e[2][GROUP_NUMBERS];
  bool is_unusual;

  /* Of a lane's rows, for m of them: A's first row, and all. */
  static DEVICE int begin(int m)
  {
    return m > 8 ? m - 8 : 0;
  }
  static DEVICE int pitch(int m)
  {
    return (begin(m) + 4 * m) | 1;
  }
  static DEVICE int rows_of(int n)
  {
    return n > 64 ? (n + 31) / 32 : 2;
  }
  static DEVICE int numbers(int n)
  {
    return 32 * (pitch(rows_of(n)) + TREE);
  }
  /* Where unknown i of a lane's is. */
  static __device__ __forceinline__ int place_of(int i, int m)
  {
    return i == 0 ? 0 : i == m - 1 ? 1 : ENDS + 5 * (i - 1);
  }

  __device__ __forceinline__ gtsv_part(T *shared, int lane, int n)
      : own(shared + lane * pitch(rows_of(n))), tree(shared + 32 * pitch(rows_of(n)) + lane), lane(lane), m(rows_of(n)),
        given(begin(m)), is_unusual(false)
  {
  }

  __device__ __forceinline__ void eliminate_inside()
  {
    const T *row = own + given, zero = make<T>(0);
    T x[3][6];
    x[0][0] = row[2], x[0][1] = zero, x[0][2] = zero, x[0][3] = row[0], x[0][4] = row[1], x[0][5] = row[3];
    x[1][0] = row[5], x[1][1] = row[6], x[1][2] = zero, x[1][3] = zero, x[1][4] = row[4], x[1][5] = row[7];
    T coming[4];
#pragma unroll
    for (int v = 0; v < 4; v++) coming[v] = row[4 * min(2, m - 1) + v];
    for (int j = 1; j <= m - 2; j++) {
      x[2][0] = coming[0], x[2][1] = coming[1], x[2][2] = coming[2], x[2][3] = zero, x[2][4] = zero,
      x[2][5] = coming[3];
#pragma unroll
      for (int v = 0; v < 4; v++) coming[v] = row[4 * min(j + 2, m - 1) + v];
      is_unusual |= eliminate_unknown(x);
#pragma unroll
      for (int c = 1; c < 6; c++) own[ENDS + 5 * (j - 1) + c - 1] = x[0][c];
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
      for (int c = 1; c < 7; c++) tree[half + 32 * (c - 1)] = q[0][c];
#pragma unroll
      for (int c = 1; c < 6; c++) tree[half + 32 * (c + 5)] = r[0][c];
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
    const int at = leads(half) ? half : 0;
#pragma unroll
    for (int c = 0; c < TREE; c++) u[c] = tree[at + 32 * c];
    T right = mad(-u[6], x.previous, u[10]), left = mad(-u[1], x.previous, u[5]);
    right = mad(-u[9], x.next, mad(-u[8], x.last, mad(-u[7], x.first, right)));
    left = mad(-u[4], x.next, mad(-u[3], x.last, mad(-u[2], x.first, left)));
    left = mad(-u[0], right, left);
    const int from = (lane - half) & 31;
    const bool follows = (lane & (2 * half - 1)) == half;
    const T seam_left = shuffle(left, from), seam_right = shuffle(right, from), last = shuffle(x.last, from),
            next = shuffle(x.next, from);
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
      T *u = own + ENDS + 5 * (j - 1);
      const T sum = mad(-u[3], x.first, mad(-u[2], x.previous, u[4]));
      const T value = mad(-u[0], x1, mad(-u[1], x2, sum));
      u[0] = value;
      zeros = mad(make<T>(0), value, zeros);
      x2 = x1;
      x1 = value;
    }
    own[0] = x.first;
    own[1] = x.last;
    is_unusual |= !(zeros == make<T>(0)); /* infinities and NaNs times 0 */
  }
};

/* The matrix and right-hand side of a warp, and where they are in shared memory. */
template <class T> struct gtsv_rows {
  T *shared;
  line<T> dl, d, du, b;
  int lane, n, m;

  /* Starts to copy: four lanes per row, of which each has a vector.  Rows behind the last are those of 1. */
  __device__ __forceinline__ void load() const
  {
    using part = gtsv_part<T>;
    const int v = lane & 3, first = v == 0 ? 1 : 0, end = v == 2 ? n - 1 : n, pitch = part::pitch(m);
    const line<T> x = v == 0 ? dl : v == 1 ? d : v == 2 ? du : b;
    int i = lane / 4, chunk = i / m, e = i % m;
    for (; i < 32 * m; i += 8) {
      T &to = shared[chunk * pitch + part::begin(m) + 4 * e + v];
      if (i >= first && i < end)
        start_copy(&to, x.at + (i - first) * x.step);
      else
        to = make<T>(v == 1 && i >= n ? 1 : 0);
      for (e += 8; e >= m; e -= m) chunk++;
    }
    copy_commit();
  }
  __device__ __forceinline__ void store() const
  {
    using part = gtsv_part<T>;
    const int pitch = part::pitch(m);
    int chunk = lane / m, e = lane % m;
    for (int i = lane; i < n; i += 32) {
      b.at[i] = shared[chunk * pitch + part::place_of(e, m)];
      for (e += 32; e >= m; e -= m) chunk++;
    }
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

template <class T> __global__ void __launch_bounds__(32) gtsv_by_warp(gtsv_call<T> c)
{
  for (int64_t g = blockIdx.x; g < c.d.count * c.b.n; g += gridDim.x) {
    const int64_t b = g / c.b.n, j = g % c.b.n;
    const int lane = threadIdx.x, n = c.d.length(b);
    int info = 0;
    if (n > 0) {
      gtsv_part<T> part(shared_array<T>(), lane, n);
      const line<T> side = {c.b.at(b) + j * c.b.leading(b), 1};
      const gtsv_rows<T> rows = {
        shared_array<T>(), line_of(c.dl, b), line_of(c.d, b), line_of(c.du, b), side, lane, n, part.m};
      rows.load();
      copy_wait<0>();
      __syncwarp();
      part.eliminate_inside();
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
  return (size_t)gtsv_part<T>::numbers(n < beyond ? n : beyond) * sizeof(T);
}

template <class T> int launch_gtsv_warp(batched_ctx *ctx, const gtsv_call<T> &c, size_t shared)
{
  return launch(ctx, gtsv_by_warp<T>, c.d.count * c.b.n, warp_size, shared, c);
}

} // namespace batched_cuda::band

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.warp of gtsv: tridiagonal systems, a warp per matrix and right-hand side, everything in shared memory.
 *
 * Partition method with partial pivoting throughout: each lane has m rows, an odd number of n / 32 or more, whose first
 * and last unknown also stand in its neighbours' rows.  The unknowns between stand in no rows but the lane's own, m of
 * them for m - 2 unknowns, so that elimination may choose each pivot among all that there are, three at a time; it
 * leaves two rows with the lane's two outer unknowns and the neighbours' nearest ones.  Two neighbours' four rows lose
 * the two unknowns at their seam in the same way, and are two rows again: after five levels of a tree two rows of two
 * unknowns are left.  The whole is Gaussian elimination with partial pivoting of A with its columns in another order.
 * Rows of U are scaled to a unit diagonal; unknowns come back by the same tree.
 *
 * As long as no row has to be exchanged gtsv_diagonal does this, with half of the numbers; gtsv_part does the rest.
 *
 * Where a pivot is zero, NaN, or so large or small that its reciprocal is not safe, or the solution is not finite, one
 * lane solves that system once more, as cuda.reference does, with a copy of A; info is the first right-hand side's.
 *
 * grid      a block per matrix and right-hand side
 * block     32 threads
 * shared    a barrier; dl, d, du and b as they are in memory, an odd number of rows per lane, so that lanes meet in no
 *           bank, over which 4 numbers of a row of U are written, and the fifth of U; the tree stands in what lanes no
 *           longer need (22 KB for n = 512 in double precision)
 * takes     all four types, n as shared memory allows, uniform and variable; vectors without gaps come by bulk copies
 * reads     dl, d, du once for each right-hand side, b once; writes X over b, info (first pivot that is zero or NaN)
 * accuracy  |A X - B| < 30 n eps |A| |X|
 */
#ifndef BATCHED_BAND_CUDA_GTSV_WARP_CUH
#define BATCHED_BAND_CUDA_GTSV_WARP_CUH

#include "batched/band/cuda/gtsv/gtsv_diagonal.cuh"
#include "batched/band/cuda/gtsv/gtsv_thread.cuh"
#include "batched/cuda/predicated.cuh"

namespace batched_cuda::band
{

/* Bytes at the head of shared memory, for the barrier. */
enum { GTSV_BARRIER = 16 };

/* The matrix and right-hand side of a warp, and where they are in shared memory. */
template <class T> struct gtsv_rows {
  enum { MARGIN = gtsv_layout<T>::MARGIN };
  T *shared; /* at 16 bytes */
  line<T> dl, d, du, b;
  int lane, n, m;

  /* How many numbers lie between x and the last multiple of 16 bytes. */
  static __device__ __forceinline__ int misalignment(const T *x)
  {
    return (int)(reinterpret_cast<uint64_t>(x) / sizeof(T) % MARGIN);
  }
  /* Element i of dl belongs to row i + 1. */
  __device__ __forceinline__ gtsv_arrays<T> arrays() const
  {
    const int array = gtsv_layout<T>(m).array();
    return {{shared + (misalignment(dl.at) + MARGIN - 1) % MARGIN, shared + array + misalignment(d.at),
             shared + 2 * array + misalignment(du.at), shared + 3 * array + misalignment(b.at)}};
  }
  __device__ __forceinline__ T *spare() const
  {
    return shared + ARRAYS * gtsv_layout<T>(m).array();
  }
  /* Rows behind the last are those of 1, and elements that no row has are 0. */
  __device__ __forceinline__ void complete(const gtsv_arrays<T> &to) const
  {
#pragma unroll 1
    for (int i = n + lane; i < 32 * m; i += 32) {
      to.row[LOWER][i] = to.row[UPPER][i] = to.row[RIGHT][i] = make<T>(0);
      to.row[MIDDLE][i] = make<T>(1);
    }
    if (lane == 0) to.row[LOWER][0] = to.row[UPPER][n - 1] = make<T>(0);
  }
  /* Vectors without gaps, each by a lane; waits for them. */
  __device__ __forceinline__ void load_in_bulk(const gtsv_arrays<T> &to, unsigned barrier, int parity) const
  {
    if (lane < ARRAYS) {
      const T *from = lane == LOWER ? dl.at : lane == MIDDLE ? d.at : lane == UPPER ? du.at : b.at;
      T *place = lane == LOWER    ? to.row[LOWER] + 1
                 : lane == MIDDLE ? to.row[MIDDLE]
                 : lane == UPPER  ? to.row[UPPER]
                                  : to.row[RIGHT];
      const int count = lane == LOWER || lane == UPPER ? n - 1 : n,
                head = min(count, (MARGIN - misalignment(from)) % MARGIN), body = (count - head) / MARGIN * MARGIN;
      barrier_arrive_expecting(barrier, body * (int)sizeof(T));
      if (body > 0) bulk_load(shared_address(place + head), from + head, body * (int)sizeof(T), barrier);
      for (int i = 0; i < head; i++) place[i] = from[i];
      for (int i = head + body; i < count; i++) place[i] = from[i];
    }
    complete(to);
    barrier_wait(barrier, parity);
  }
  /* Any others. */
  __device__ __forceinline__ void load(const gtsv_arrays<T> &to) const
  {
#pragma unroll 2
    for (int i = lane; i < n; i += 32) {
      start_copy_if(i > 0, to.row[LOWER] + i, dl.at + (i - 1) * dl.step);
      start_copy(to.row[MIDDLE] + i, d.at + i * d.step);
      start_copy_if(i < n - 1, to.row[UPPER] + i, du.at + i * du.step);
      start_copy(to.row[RIGHT] + i, b.at + i);
    }
    copy_commit();
    complete(to);
    copy_wait<0>();
  }
  __device__ __forceinline__ void store(const gtsv_arrays<T> &from) const
  {
#pragma unroll 8
    for (int i = lane; i < n; i += 32) b.at[i] = from.row[RIGHT][i];
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

/* The unknowns in the places of right-hand sides, false where that system wants more care. */
template <class T> __device__ __forceinline__ bool solve_by_parts(gtsv_part<T> &part)
{
  gtsv_diagonal<T> plain(part);
  T first, last;
  const int exchanges = plain.eliminate_inside();
  if (exchanges == part.m - 1 && plain.solve_ends(first, last)) return plain.substitute(first, last);
  part.eliminate_inside(exchanges, plain.inside);
  __syncwarp();
#pragma unroll 1
  for (int half = 1; half < 32; half *= 2) part.join(half);
  __syncwarp();
  group_ends<T> x = part.solve_ends();
#pragma unroll 1
  for (int half = 16; half > 0; half /= 2) part.split(half, x);
  part.substitute_inside(x);
  return !part.is_unusual;
}

/* The barrier of a block's bulk copies, and what is behind it in shared memory. */
template <class T> struct gtsv_block {
  T *shared;
  unsigned barrier;
  int parity;

  __device__ __forceinline__ gtsv_block()
      : shared(reinterpret_cast<T *>(shared_array<unsigned char>() + GTSV_BARRIER)),
        barrier(shared_address(shared_array<unsigned char>())), parity(0)
  {
    if (threadIdx.x == 0) {
      barrier_init(barrier, ARRAYS);
      barrier_init_fence();
    }
    __syncwarp();
  }
  /* A system of n > 0 unknowns; its info. */
  __device__ __forceinline__ int solve(line<T> dl, line<T> d, line<T> du, T *b, int n, bool in_bulk)
  {
    const gtsv_rows<T> rows = {shared, dl, d, du, {b, 1}, (int)threadIdx.x, n, gtsv_layout<T>::rows_of(n)};
    const gtsv_arrays<T> arrays = rows.arrays();
    int info = 0;
    if (in_bulk) {
      rows.load_in_bulk(arrays, barrier, parity);
      parity ^= 1;
    } else {
      rows.load(arrays);
    }
    __syncwarp();
    gtsv_part<T> part(arrays, rows.spare(), rows.lane, rows.m);
    const bool solved = __all_sync(all_lanes, solve_by_parts(part));
    __syncwarp();
    if (solved)
      rows.store(arrays);
    else
      info = rows.solve_again();
    bulk_fence();
    __syncwarp();
    return info;
  }
};

template <class T> __global__ void __launch_bounds__(32) gtsv_by_warp(gtsv_call<T> c)
{
  gtsv_block<T> block;
  for (int64_t g = blockIdx.x; g < c.d.count * c.b.n; g += gridDim.x) {
    const int64_t b = c.b.n == 1 ? g : g / c.b.n, j = g - b * c.b.n;
    const int n = c.d.length(b);
    int info = 0;
    if (n > 0) {
      const line<T> dl = line_of(c.dl, b), d = line_of(c.d, b), du = line_of(c.du, b);
      info = block.solve(dl, d, du, c.b.at(b) + j * c.b.leading(b), n,
                         n == 1 || (dl.step == 1 && d.step == 1 && du.step == 1));
    }
    if (threadIdx.x == 0 && j == 0) c.info[b] = info;
  }
}

/* Systems of one order, one right-hand side each, in strided columns: a block each, as few arguments are there
 * sooner than many. */
template <class T> struct gtsv_columns {
  T *at[ARRAYS]; /* dl, d, du, b */
  int64_t stride[ARRAYS];
  int *info;
  int n;
};
template <class T> __global__ void __launch_bounds__(32) gtsv_of_columns(gtsv_columns<T> c)
{
  const int64_t b = blockIdx.x;
  const auto vector = [&](int v) { return line<T>{c.at[v] + b * c.stride[v], 1}; };
  gtsv_block<T> block;
  const int info = block.solve(vector(LOWER), vector(MIDDLE), vector(UPPER), vector(RIGHT).at, c.n, true);
  if (threadIdx.x == 0) c.info[b] = info;
}

/* The largest order. */
static inline int order_of(const batched_matrix &d)
{
  return d.n == 1 && !d.ns ? d.m : d.n;
}
template <class T> size_t gtsv_warp_bytes(const batched_matrix &d)
{
  const int beyond = 1 << 20, n = order_of(d);
  return GTSV_BARRIER + (size_t)gtsv_layout<T>(gtsv_layout<T>::rows_of(n < beyond ? n : beyond)).numbers() * sizeof(T);
}

template <class T> int launch_gtsv_warp(batched_ctx *ctx, const gtsv_call<T> &c, size_t shared)
{
  const batch<T> *const vectors[ARRAYS] = {&c.dl, &c.d, &c.du, &c.b};
  gtsv_columns<T> columns = {{}, {}, c.info, c.d.m};
  bool is_simple = c.d.m > 0 && c.d.count <= INT_MAX;
  for (int v = 0; v < ARRAYS; v++) {
    const batch<T> &x = *vectors[v];
    columns.at[v] = x.data;
    columns.stride[v] = x.stride;
    is_simple = is_simple && !x.array && !x.is_variable() && x.n == 1 && x.i0 == 0 && x.j0 == 0;
  }
  return is_simple ? launch(ctx, gtsv_of_columns<T>, c.d.count, warp_size, shared, columns)
                   : launch(ctx, gtsv_by_warp<T>, c.d.count * c.b.n, warp_size, shared, c);
}

} // namespace batched_cuda::band

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves of getrf's cuda.native: LU with partial pivoting of a few columns of a tall matrix by a cluster of up to 16
 * blocks, in whose shared memory all of the columns stay (after the panels of LAPACK's getrf2, left to right).
 *
 * By sub-panels of W columns, the rows of which are in registers: each block offers its best row, all of them go to all
 * blocks (cluster.cuh), and each knows the pivot; no barrier of the cluster.  After a sub-panel each block fetches the
 * pivot rows of the columns behind, solves for U, redundantly, and updates its rows.  Rows stay where they are until
 * the end, and are stored in their places.
 *
 * grid      a cluster of 2 to 16 blocks per matrix
 * block     256 threads, a row each (m <= 4096, W = 16); 512 threads with 2 (16384), or 8 rows (65536; W = 4)
 * shared    the columns' rows of the block, W rows of U, messages
 * takes     all four types; as many columns as fit (cluster_columns)
 * reads     a once; writes a once, ipiv, info
 * accuracy  as getrf
 */
#ifndef BATCHED_LU_CUDA_CLUSTER_PANEL_CUH
#define BATCHED_LU_CUDA_CLUSTER_PANEL_CUH

#include "batched/cuda/cluster.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/tall_panel.cuh"

namespace batched_cuda::lu
{

/* A block's candidate: its key, its row in the block's part, and the row's elements from the pivot's column on. */
struct alignas(16) cluster_key {
  unsigned high, low;
  int place, local;
};
template <class T, int W> struct cluster_candidate {
  static constexpr int parts = 1 + W * (int)sizeof(T) / 16;
  union {
    message_part part[parts];
    struct {
      cluster_key key;
      T x[W];
    } row;
  };
  __device__ cluster_candidate()
  {
  }
};

template <class T, int W, int THREADS> struct cluster_memory {
  cluster_mail<cluster_candidate<T, W>::parts> mail;
  cluster_candidate<T, W> candidates[2][THREADS / warp_size];
  T triangle[W][W]; /* L of the sub-panel's pivot rows */
  int block[W], local[W];
};

/* Rows per block, and bytes of shared memory for `columns` columns. */
static inline int cluster_rows(int m, int blocks)
{
  return (int)ceil_div(m > 0 ? m : 1, blocks);
}
template <class T, int W, int THREADS> size_t cluster_bytes(int rows, int columns)
{
  return sizeof(cluster_memory<T, W, THREADS>) + ((size_t)rows + W) * columns * sizeof(T) + rows * sizeof(int);
}

/* What a thread keeps: R rows of the sub-panel, and their places. */
template <class T, int W, int R, int THREADS> struct cluster_lu {
  using memory = cluster_memory<T, W, THREADS>;
  using candidate = cluster_candidate<T, W>;
  static constexpr int warps = THREADS / warp_size;

  memory *shared;
  T *panel, *u; /* shared: [columns][rows], [columns][W] */
  int *places;  /* shared: of rows, for the updates */
  cluster_post<candidate::parts> post;
  int rows, m, n, pivots; /* rows of the block's part; of the matrix */
  T x[R][W];
  int place[R]; /* -1: no such row */
  int found;

  __device__ __forceinline__ int local(int r) const
  {
    return threadIdx.x + r * THREADS;
  }
  __device__ __forceinline__ T &at(int row, int column) const
  {
    return panel[row + column * rows];
  }

  __device__ __forceinline__ void load(const T *a, int64_t ld)
  {
    const int first = post.rank * rows;
    found = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int row = first + local(r);
      place[r] = local(r) < rows && row < m ? row : -1;
      if (local(r) < rows)
#pragma unroll 8
        for (int c = 0; c < n; c++) at(local(r), c) = place[r] >= 0 ? a[row + c * ld] : make<T>(0);
    }
  }
  __device__ __forceinline__ void store(T *a, int64_t ld) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
      if (place[r] >= 0)
#pragma unroll 8
        for (int c = 0; c < n; c++) a[place[r] + c * ld] = at(local(r), c);
  }

  /* Columns J .. J + W - 1. */
  __device__ __forceinline__ void factor(int J, int first, int *ipiv)
  {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c++) x[r][c] = place[r] >= J && J + c < n ? at(local(r), J + c) : make<T>(0);
#pragma unroll 1
    for (int k = J; k < J + W && k < pivots; k++) {
      candidate *mine = shared->candidates[post.step % 2];
      pivot_key key = key_of(x[0][0], place[0], k, place[0] >= 0);
      int best_row = 0;
#pragma unroll
      for (int r = 1; r < R; r++) {
        const pivot_key other = key_of(x[r][0], place[r], k, place[r] >= 0);
        if (comes_first(other, key)) key = other, best_row = r;
      }
      const int best = best_lane<32>(key);
      if (lane == (best < 0 ? 0 : best)) {
        mine[warp].row.key = {key.high, key.low, key.row, local(best_row)};
#pragma unroll
        for (int r = 0; r < R; r++)
          if (r == best_row)
#pragma unroll
            for (int c = 0; c < W; c++) mine[warp].row.x[c] = x[r][c];
      }
      __syncthreads();
      const int w = choose(lane < warps ? &mine[lane].row.key : nullptr);
      const auto *box = post.exchange([&](int i) { return mine[w].part[i]; });
      const int from = choose(lane < post.blocks ? reinterpret_cast<const cluster_key *>(box[lane]) : nullptr);
      const cluster_key won = *reinterpret_cast<const cluster_key *>(box[from]);
      const T *const row = reinterpret_cast<const T *>(box[from] + 1);
      const int p = won.place;
      const diagonal<T> d(row[0]);
      if (is_bad_pivot(d.d) && !found) found = k + 1;
      if (threadIdx.x == 0) {
        if (post.rank == 0) ipiv[k] = first + p + 1;
        shared->block[k - J] = from;
        shared->local[k - J] = won.local;
      }
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (place[r] == p) {
#pragma unroll
          for (int c = 0; c < W; c++)
            if (k + c < J + W && k + c < n) at(local(r), k + c) = x[r][c];
          place[r] = k;
        } else if (place[r] >= k) {
          if (place[r] == k) place[r] = p;
          const T l = d.d == make<T>(0) ? x[r][0] : d.solve(x[r][0]);
          at(local(r), k) = l;
#pragma unroll
          for (int c = 0; c + 1 < W; c++) x[r][c] = mad(-l, row[c + 1], x[r][c + 1]);
        }
      }
    }
  }
  /* The best of the lanes' keys (nullptr: none); 0 where no lane has a candidate, as all rows of a block are pivots. */
  static __device__ __forceinline__ int choose(const cluster_key *key)
  {
    pivot_key own = {0, 0, INT_MAX};
    if (key) {
      const cluster_key k = *key;
      own = {k.high, k.low, k.place};
    }
    return max(best_lane<32>(own), 0);
  }

  /* Updates the columns behind sub-panel J. */
  __device__ __forceinline__ void update(int J)
  {
    const int begin = J + W, rest = n - begin, steps = min(W, pivots - J);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (local(r) < rows) places[local(r)] = place[r];
    cluster_sync();
    for (int e = threadIdx.x; e < steps * rest; e += THREADS) {
      const int k = e % steps, c = e / steps;
      u[c * W + k] = load_from_block(&at(shared->local[k], begin + c), shared->block[k]);
    }
    for (int e = threadIdx.x; e < steps * steps; e += THREADS) {
      const int k = e % steps, c = e / steps;
      if (c < k) shared->triangle[k][c] = load_from_block(&at(shared->local[k], J + c), shared->block[k]);
    }
    cluster_arrive();
    __syncthreads();
    for (int c = threadIdx.x; c < rest; c += THREADS) {
      T y[W];
#pragma unroll
      for (int k = 0; k < W; k++) y[k] = k < steps ? u[c * W + k] : make<T>(0);
#pragma unroll
      for (int k = 0; k < W; k++)
#pragma unroll
        for (int i = k + 1; i < W; i++)
          if (i < steps) y[i] = mad(-shared->triangle[i][k], y[k], y[i]);
#pragma unroll
      for (int k = 0; k < W; k++) u[c * W + k] = y[k];
    }
    cluster_wait();
    __syncthreads();
    for (int e = threadIdx.x; e < steps * rest; e += THREADS) {
      const int k = e % steps, c = e / steps;
      if (shared->block[k] == post.rank) at(shared->local[k], begin + c) = u[c * W + k];
    }
    /* the columns are shared out among the threads of a row where there are more threads than rows */
    const int groups = max(1, THREADS / rows), group = rows < THREADS ? threadIdx.x / rows : 0;
    for (int row = threadIdx.x - group * rows; row < rows && group < groups; row += THREADS) {
      if (places[row] < J + steps) continue;
      T l[W];
#pragma unroll
      for (int k = 0; k < W; k++) l[k] = k < steps ? at(row, J + k) : make<T>(0);
#pragma unroll 2
      for (int c = group; c < rest; c += groups) {
        T y = at(row, begin + c);
#pragma unroll
        for (int k = 0; k < W; k++) y = mad(-l[k], u[c * W + k], y);
        at(row, begin + c) = y;
      }
    }
    __syncthreads();
  }
};

template <class T, int W, int R, int THREADS>
__global__ void __launch_bounds__(THREADS) getrf_cluster(batch<T> a, int blocks, int rows, int first,
                                                         int *__restrict__ ipiv, int npivots, int *__restrict__ info)
{
  using lu = cluster_lu<T, W, R, THREADS>;
  lu f;
  f.shared = reinterpret_cast<typename lu::memory *>(shared_array<message_part>());
  f.panel = reinterpret_cast<T *>(f.shared + 1);
  f.u = f.panel + (int64_t)rows * a.n;
  f.places = reinterpret_cast<int *>(f.u + W * a.n);
  f.post.mail = &f.shared->mail;
  f.post.blocks = blocks;
  f.post.rank = cluster_rank();
  f.rows = rows;
  f.post.open();
  cluster_sync();
  for (int64_t b = blockIdx.x / blocks; b < a.count; b += gridDim.x / blocks) {
    f.m = a.rows(b);
    f.n = a.cols(b);
    f.pivots = f.m < f.n ? f.m : f.n;
    f.found = 0;
    if (f.pivots > 0) {
      f.load(a.at(b), a.leading(b));
#pragma unroll 1
      for (int J = 0; J < f.pivots; J += W) {
        f.factor(J, first, ipiv + b * npivots + first);
        __syncthreads();
        if (J + W < f.n) f.update(J);
      }
      cluster_sync();
      f.store(a.at(b), a.leading(b));
    }
    if (threadIdx.x == 0 && f.post.rank == 0) report_pivot(f.found, first, &info[b]);
    __syncthreads();
  }
  cluster_sync();
}

/* ------------------------------------------------------------------ on the host */

/* Blocks per cluster: each has 128 rows at least where there are more than two. */
static inline int cluster_blocks(int m)
{
  int blocks = 2;
  while (blocks < MOST_CLUSTER && blocks * 128 < m) blocks *= 2;
  return blocks;
}

/* Calls f(kernel, W, threads, bytes of shared memory for `columns` columns) for matrices of m rows. */
template <class T, class F> auto with_cluster_kernel(int m, int columns, F f)
{
  constexpr bool wide = sizeof(T) == 16;
  const int rows = cluster_rows(m, cluster_blocks(m));
  if (rows <= 256) return f(getrf_cluster<T, 16, 1, 256>, 16, 256, cluster_bytes<T, 16, 256>(rows, columns));
  if (rows <= 1024) {
    constexpr int W = wide ? 8 : 16;
    return f(getrf_cluster<T, W, 2, 512>, W, 512, cluster_bytes<T, W, 512>(rows, columns));
  }
  constexpr int W = wide ? 2 : 4;
  return f(getrf_cluster<T, W, 8, 512>, W, 512, cluster_bytes<T, W, 512>(rows, columns));
}

/* Columns that a cluster factors at once. */
template <class T> int cluster_columns(int m)
{
  for (int columns = 128; columns > 0; columns /= 2)
    if (with_cluster_kernel<T>(m, columns,
                               [&](auto, int W, int, size_t bytes) { return columns >= W && bytes <= most_shared(); }))
      return columns;
  return 0;
}

template <class T>
int launch_getrf_cluster(batched_ctx *ctx, const batch<T> &a, int first, int *ipiv, int npivots, int *info)
{
  const int blocks = cluster_blocks(a.m), rows = cluster_rows(a.m, blocks);
  return with_cluster_kernel<T>(a.m, a.n, [&](auto kernel, int, int threads, size_t bytes) {
    return launch_clusters(ctx, kernel, a.count, blocks, threads, bytes, a, blocks, rows, first, ipiv, npivots, info);
  });
}

} // namespace batched_cuda::lu

#endif

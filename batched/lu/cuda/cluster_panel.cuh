/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves of getrf's cuda.native: LU with partial pivoting of a strip of W columns of a tall matrix by a cluster of up
 * to 16 blocks of threads, whose registers hold it.  Each block finds its best row for a column and sends it, with its
 * key and the reciprocal of its pivot, to all blocks (cluster.cuh): one flight through the cluster's network per column,
 * and one barrier of a block.  All choose the same of these rows, and subtract it from theirs.  Rows stay where they
 * are in registers, and go to their places in memory when the strip is done.  Then the blocks share the other columns
 * of the matrix that they were given: its row exchanges, and, right of the strip, U = L^-1 A of the strip's rows.
 *
 * grid      a cluster of 1 to 16 blocks per matrix
 * block     256 threads, a row each (m <= 4096), or 512 with 1 (8192), 2 (16384), 4 (32768) or 8 rows (65536)
 * registers R W elements; columns rotate through them, the current one is first; W: lu_cluster_width
 * shared    two mailboxes of 16 rows, the strip's triangle (static, up to 35 KB)
 * takes     all four types, any m up to 65536, uniform
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  as getrf
 */
#ifndef BATCHED_LU_CUDA_CLUSTER_PANEL_CUH
#define BATCHED_LU_CUDA_CLUSTER_PANEL_CUH

#include "batched/cuda/access.cuh"
#include "batched/cuda/cluster.cuh"
#include "batched/cuda/fast_math.cuh"
#include "batched/cuda/pivot.cuh"
#include "batched/lu/cuda/exchange.cuh"
#include "batched/lu/cuda/report_pivot.cuh"

namespace batched_cuda::lu
{

/* A block's candidate for a pivot: its key, with the place of its row; the reciprocal of its pivot; its row from the
 * pivot on. */
template <class T, int W> struct alignas(16) lu_candidate {
  pivot_key key;
  alignas(16) T inverse;
  alignas(16) T x[W];
  static DEVICE constexpr int parts(int columns)
  {
    return 2 + columns * (int)sizeof(T) / (int)sizeof(message_part);
  }
};

template <class T, int W> struct cluster_lu_memory {
  lu_candidate<T, W> box[2][MOST_CLUSTER], own; /* by turns; to be sent */
  pivot_key keys[2][16];                        /* of the warps, by turns */
  unsigned long long arrived[2];                /* barriers */
  row_move moves[2 * W];
  int pivots[W];
  T lower[W][W + 1];
};

template <class T, int W, int R> struct cluster_lu {
  static constexpr int STEPS = W >= 32 ? 8 : W >= 8 ? 4 : W; /* between changes of the number of columns */
  cluster_lu_memory<T, W> *shared;
  int blocks, rank, m, steps, step, found;
  T x[R][W];
  int place[R]; /* of a row, after the exchanges so far; -1: none */

  /* Where column k is in the end. */
  static DEVICE constexpr int at_end(int k)
  {
    return W - STEPS - k / STEPS * STEPS + k % STEPS;
  }

  /* Sends this warp's candidate to all blocks. */
  template <int S> __device__ __forceinline__ void send(int turn) const
  {
    constexpr int parts = lu_candidate<T, W>::parts(S);
    const message_part *const from = reinterpret_cast<const message_part *>(&shared->own);
    const unsigned box = shared_address(&shared->box[turn][rank]), arrived = shared_address(&shared->arrived[turn]);
    for (int e = threadIdx.x % 32; e < blocks * parts; e += 32) {
      const int to = e / parts, i = e % parts;
      send_part(in_block(box + i * (int)sizeof(message_part), to), from[i], in_block(arrived, to));
    }
  }

  /* Column k, the step-th of those of S columns, is the first; columns from S - t on are done. */
  template <int S> __device__ __forceinline__ void eliminate(int k, int t)
  {
    constexpr int parts = lu_candidate<T, W>::parts(S), size = pack<T>::size;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, turn = step % 2;
    pivot_key key = key_of(x[0][0], place[0], k, place[0] >= 0);
    int mine = 0;
#pragma unroll
    for (int r = 1; r < R; r++) {
      const pivot_key other = key_of(x[r][0], place[r], k, place[r] >= 0);
      if (comes_first(other, key)) key = other, mine = r;
    }
    const int best = max(best_lane<32>(key), 0);
    if (lane == best) shared->keys[turn][warp] = key;
    __syncthreads();
    pivot_key of_warp = {0, 0, INT_MAX};
    if (lane < (int)blockDim.x / 32) of_warp = shared->keys[turn][lane];
    const int sender = max(best_lane<32>(of_warp), 0);
    if (threadIdx.x == 0)
      barrier_arrive_expecting(shared_address(&shared->arrived[turn]), blocks * parts * (int)sizeof(message_part));
    if (warp == sender) {
      if (lane == best) {
        lu_candidate<T, W> &own = shared->own;
        own.key = key;
#pragma unroll
        for (int r = 0; r < R; r++)
          if (r == mine) {
            own.inverse = inverse_of(x[r][0]);
#pragma unroll
            for (int c = 0; c < S; c++) own.x[c] = x[r][c];
          }
      }
      __syncwarp();
      send<S>(turn);
    }
    cluster_barrier_wait(shared_address(&shared->arrived[turn]), step / 2 % 2);
    step++;
    pivot_key of_block = {0, 0, INT_MAX};
    if (lane < blocks) of_block = shared->box[turn][lane].key;
    const int winner = max(best_lane<32>(of_block), 0), p = __shfl_sync(0xffffffffu, of_block.row, winner);
    const lu_candidate<T, W> &u = shared->box[turn][winner];
    const diagonal<T> d(u.x[0], u.inverse);
    if (is_bad_pivot(d.d) && !found) found = k + 1;
    if (threadIdx.x == 0) shared->pivots[k] = p;
#pragma unroll
    for (int r = 0; r < R; r++) {
      T last = x[r][0];
      if (place[r] >= k && place[r] != p) {
        if (place[r] == k) place[r] = p;
        if (d.d != make<T>(0)) last = d.solve(last);
#pragma unroll
        for (int c = 0; c < S; c += size) {
          const pack<T> some = reinterpret_cast<const pack<T> *>(u.x)[c / size];
#pragma unroll
          for (int v = 0; v < size; v++)
            if (c + v > 0) {
              const T y = mad(-last, some.x[v], x[r][c + v]);
              x[r][c + v - 1] = c + v <= S - STEPS || c + v < S - t ? y : x[r][c + v];
            }
        }
      } else {
        if (place[r] == p) place[r] = k;
#pragma unroll
        for (int c = 1; c < S; c++) x[r][c - 1] = x[r][c];
      }
      x[r][S - 1] = last;
    }
  }

  template <int S> __device__ __forceinline__ void factor()
  {
#pragma unroll 1
    for (int t = 0; t < STEPS; t++) {
      if (W - S + t < steps) {
        eliminate<S>(W - S + t, t);
        continue;
      }
#pragma unroll
      for (int r = 0; r < R; r++) {
        const T last = x[r][0];
#pragma unroll
        for (int c = 1; c < S; c++) x[r][c - 1] = x[r][c];
        x[r][S - 1] = last;
      }
    }
    if constexpr (S > STEPS) factor<S - STEPS>();
  }

  /* Which rows move: entry e < W, the row that comes to e; W + e: that which comes to where row e's pivot was. */
  __device__ __forceinline__ void trace_moves() const
  {
    for (int e = threadIdx.x; e < 2 * W; e += blockDim.x) {
      const int own = e % W, to = own >= steps ? 0 : e < W ? own : shared->pivots[own];
      int from = to;
      if (own < steps && (e < W || to >= steps))
        for (int i = steps - 1; i >= 0; i--) {
          const int p = shared->pivots[i];
          from = from == p ? i : from == i ? p : from;
        }
      shared->moves[e] = {from, to};
    }
  }
};

/* Factors columns s .. s + w - 1 of each matrix from its first row on, w <= W, and exchanges rows of the other columns;
 * row 0 and column s are those numbered `first` of the caller's matrix. */
template <class T, int W, int R, int THREADS>
__global__ void __launch_bounds__(THREADS) getrf_cluster(batch<T> a, int s, int w, int first, int *__restrict__ ipiv,
                                                         int npivots, int *__restrict__ info, int blocks, int rows)
{
  __shared__ cluster_lu_memory<T, W> shared;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  cluster_lu<T, W, R> lu;
  lu.shared = &shared;
  lu.blocks = blocks;
  lu.rank = blocks > 1 ? cluster_rank() : 0;
  lu.m = a.m;
  lu.steps = min(w, a.m);
  lu.step = 0;
  if (threadIdx.x == 0) {
    barrier_init(shared_address(&shared.arrived[0]), 1);
    barrier_init(shared_address(&shared.arrived[1]), 1);
    barrier_init_fence();
  }
  cluster_sync();
  for (int64_t b = blockIdx.x / blocks; b < a.count; b += gridDim.x / blocks) {
    T *const p = a.at(b);
    const int64_t ld = a.leading(b);
    lu.found = 0;
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int local = threadIdx.x + r * blockDim.x, row = lu.rank * rows + local;
      lu.place[r] = local < rows && row < a.m ? row : -1;
#pragma unroll
      for (int c = 0; c < W; c++) lu.x[r][c] = lu.place[r] >= 0 && c < w ? p[row + (s + c) * ld] : make<T>(0);
    }
    lu.template factor<W>();
    cluster_sync(); /* all have read their rows */
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c++)
        if (lu.place[r] >= 0 && c < w) p[lu.place[r] + (s + c) * ld] = lu.x[r][lu.at_end(c)];
    if (lu.rank == 0) {
      for (int k = threadIdx.x; k < lu.steps; k += blockDim.x)
        ipiv[b * npivots + first + k] = first + shared.pivots[k] + 1;
      if (threadIdx.x == 0) report_pivot(lu.found, first, &info[b]);
    }
    lu.trace_moves();
    cluster_sync(); /* all have written them */
    for (int e = threadIdx.x; e < W * W; e += blockDim.x) {
      const int i = e % W, k = e / W;
      shared.lower[k][i] = i < lu.steps && k < i ? load_written(p + i + (s + k) * ld) : make<T>(0);
    }
    __syncthreads();
    constexpr int together = 32 / W; /* columns of a warp */
    const int e = lane % W, others = a.n - w, warps = blockDim.x / 32;
    const row_move up = shared.moves[e], down = shared.moves[W + e];
    const bool here = e < lu.steps, moves = here && down.to >= lu.steps && down.from != down.to;
    for (int q0 = (lu.rank * warps + warp) * together; q0 < others; q0 += blocks * warps * together) {
      const int q = q0 + lane / W, c = q < s ? q : q + w;
      T *const y = p + c * ld;
      T v = here && q < others ? y[up.from] : make<T>(0);
      const T moved = moves && q < others ? y[down.from] : make<T>(0);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < W - 1; k++) {
        const T u = shuffle(v, k, W);
        if (e > k && c >= s) v = mad(-shared.lower[k][e], u, v);
      }
      if (here && q < others) y[e] = v;
      if (moves && q < others) y[down.to] = moved;
    }
    __syncthreads();
  }
}

/* ------------------------------------------------------------------ on the host */

/* Columns of a strip, by the rows of a thread: as many as registers hold. */
template <class T> constexpr int lu_cluster_width(int threads, int R)
{
  const int bytes = threads <= 256 ? 512 : 256;
  return bytes / (int)sizeof(T) / R < 32 ? bytes / (int)sizeof(T) / R : 32;
}

enum { LU_CLUSTER_ROWS = MOST_CLUSTER * 8 * 512 };

/* Calls f(kernel, W, blocks, rows of a block, threads) for matrices of m rows. */
template <class T, class F> auto with_lu_cluster(int m, F f)
{
  int blocks = 1;
  while (blocks < MOST_CLUSTER && blocks * 128 < m) blocks *= 2;
  const int rows = (int)ceil_div(m > 0 ? m : 1, blocks);
  const auto call = [&](auto kernel, int width, int R) {
    return f(kernel, width, blocks, rows, (int)ceil_div(ceil_div(rows, R), 32) * 32);
  };
#define CALL(threads, R) call(getrf_cluster<T, lu_cluster_width<T>(threads, R), R, threads>, lu_cluster_width<T>(threads, R), R)
  if (rows <= 256) return CALL(256, 1);
  if (rows <= 512) return CALL(512, 1);
  if (rows <= 1024) return CALL(512, 2);
  if (rows <= 2048) return CALL(512, 4);
  return CALL(512, 8);
#undef CALL
}

} // namespace batched_cuda::lu

#endif

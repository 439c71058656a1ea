/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks of columns of getrf's cuda.native: LU with partial pivoting of a tall matrix by a cluster of up to 16 blocks
 * of threads, in strips of W columns that their registers hold.  Each block finds its best row for a column and sends
 * it, with its key and the reciprocal of its pivot, to all blocks (cluster.cuh): one flight through the cluster's
 * network and one barrier of a block per column.  All choose the same of these rows, and subtract it from theirs.  Rows
 * stay where they are in registers, and go to their places in memory when the strip is done.  Then the blocks share its
 * row exchanges in the other columns, and U = L^-1 A of the strip's rows; a thread subtracts L U in its rows.
 *
 * grid      a cluster of 1 to 16 blocks per matrix
 * block     to 256 threads, a row each (m <= 4096), or 512 with 1 (8192), 2 (16384), 4 (32768) or 8 rows (65536)
 * registers R W elements; every four columns they are rotated, so that the current one has a fixed place;
 *           W: lu_cluster_width
 * shared    three mailboxes of 16 rows, the strip's triangle (static, up to 45 KB); the strip's rows of U
 * takes     all four types, any m up to 65536 and any n, uniform
 * reads     a; writes a, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  as getrf
 *
 * In real types the chain from column to column is that of cluster/steps.cuh.
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
};

/* Columns on the right of a strip that a thread updates at a time, while the next ones come. */
template <class T> DEVICE constexpr int lu_update_columns(int threads)
{
  return threads > 256 || sizeof(T) > 8 ? 4 : 8;
}

/* put(c, i, get(c, i)) of `columns` columns of N numbers, by the block; each thread has several loads on their way. */
template <int N, class F, class G> __device__ __forceinline__ void take_written(int columns, F get, G put)
{
  constexpr int some = 8;
  for (int e0 = threadIdx.x; e0 < N * columns; e0 += some * blockDim.x) {
    decltype(get(0, 0)) v[some];
#pragma unroll
    for (int s = 0; s < some; s++) {
      const int e = e0 + s * blockDim.x;
      if (e < N * columns) v[s] = get(e / N, e % N);
    }
#pragma unroll
    for (int s = 0; s < some; s++) {
      const int e = e0 + s * blockDim.x;
      if (e < N * columns) put(e / N, e % N, v[s]);
    }
  }
}

template <class T, int W> struct cluster_lu_memory {
  lu_candidate<T, W> box[3][MOST_CLUSTER], own; /* by turns; to be sent */
  pivot_key keys[2][16];                        /* of the warps, by turns */
  unsigned long long arrived[3];                /* barriers */
  row_move moves[2 * W];
  int pivots[W];
  T lower[W][W + 1];
};

/* A step is cut in two, so that messages do not wait for arithmetic: a thread subtracts the pivot row from the next
 * column, whose pivot is looked for at once, and from the others while the messages of that pivot are on their way. */
template <class T, int W, int R, int THREADS> struct cluster_lu {
  static constexpr int U = W < 4 ? W : 4; /* steps between rotations of the columns */
  cluster_lu_memory<T, W> *shared;
  int blocks, rank, steps, found;
  int step, turn, phase;     /* columns so far; the mailbox, and the parity of its barrier */
  int box, winner;           /* of the last pivot row */
  int warp, lane, best, own; /* this warp's candidate: its lane, and which row of the thread */
  unsigned active;           /* rows from which that row is to be subtracted */
  T x[R][W];
  int place[R]; /* of a row, after the exchanges so far; -1: none */
  pivot_key key;

  using memory = cluster_lu_memory<T, W>;
  __device__ __forceinline__ void attach(memory *m)
  {
    shared = m;
  }
  /* Finds this warp's candidate for column k, which is x[.][c]. */
  template <int c> __device__ __forceinline__ void offer(int k)
  {
    key = key_of(x[0][c], place[0], k, place[0] >= 0);
    own = 0;
#pragma unroll
    for (int r = 1; r < R; r++) {
      const pivot_key other = key_of(x[r][c], place[r], k, place[r] >= 0);
      if (comes_first(other, key)) key = other, own = r;
    }
    best = max(best_lane<32>(key), 0);
    if (lane == best) shared->keys[step % 2][warp] = key;
  }

  /* Parts of a message from column t on, of `left` columns. */
  template <int t> static __device__ __forceinline__ int parts(int left)
  {
    return 2 + left * (int)sizeof(T) / 16 - t * (int)sizeof(T) / 16;
  }

  /* Sends this warp's candidate, from column t on, to all blocks; a block that is alone has it in its mailbox. */
  template <int t> __device__ __forceinline__ void send(int left) const
  {
    lu_candidate<T, W> &row = blocks > 1 ? shared->own : shared->box[turn][0];
    if (lane == best) {
      row.key = key;
      const auto chosen = [this](int c) {
        T v = x[0][c];
#pragma unroll
        for (int r = 1; r < R; r++) v = select(r == own, x[r][c], v);
        return v;
      };
      row.inverse = inverse_of(chosen(t));
#pragma unroll
      for (int g = 0; g < W; g += U)
        if (g < left)
#pragma unroll
          for (int c = g; c < g + U; c++) row.x[c] = chosen(c);
    }
    if (blocks == 1) return;
    __syncwarp();
    const unsigned to_box = shared_address(&shared->box[turn][rank]), arrived = shared_address(&shared->arrived[turn]);
    for (int e = lane; e < parts<t>(left); e += 32) {
      const int i = e < 2 ? e : e + t * (int)sizeof(T) / 16;
      const message_part part = reinterpret_cast<const message_part *>(&row)[i];
#pragma unroll 4
      for (int to = 0; to < blocks; to++)
        send_part(in_block(to_box + i * (int)sizeof(message_part), to), part, in_block(arrived, to));
    }
  }

  /* x -= x[.][t] u in this thread's active rows, beyond the column behind t; columns from `left` on are done. */
  template <int t> __device__ __forceinline__ void subtract(const T *u, int left)
  {
    constexpr int size = pack<T>::size;
    const pack<T> *const packs = reinterpret_cast<const pack<T> *>(u);
#pragma unroll
    for (int r = 0; r < R; r++)
      if (active >> r & 1)
#pragma unroll
        for (int g = 0; g < W; g += U)
          if (g + U > t + 2 && g < left)
#pragma unroll
            for (int c = g; c < g + U; c += size) {
              if (c + size <= t + 2) continue;
              const pack<T> some = packs[c / size];
#pragma unroll
              for (int v = 0; v < size; v++)
                if (c + v >= t + 2) x[r][c + v] = mad(-x[r][t], some.x[v], x[r][c + v]);
            }
    active = 0;
  }
  /* The first U columns become the last ones. */
  __device__ __forceinline__ void rotate()
  {
#pragma unroll
    for (int r = 0; r < R; r++) {
      T done[U];
#pragma unroll
      for (int c = 0; c < U; c++) done[c] = x[r][c];
#pragma unroll
      for (int c = U; c < W; c++) x[r][c - U] = x[r][c];
#pragma unroll
      for (int c = 0; c < U; c++) x[r][W - U + c] = done[c];
    }
  }

  /* Column k, which is x[.][t]. */
  template <int t> __device__ __forceinline__ void eliminate(int k, int left)
  {
    constexpr bool crowded = THREADS > 256; /* the sender goes first */
    const bool here = k < steps;
    int sender = 0;
    if (here) {
      __syncthreads();
      pivot_key of_warp = {0, 0, INT_MAX};
      if (lane < (int)blockDim.x / 32) of_warp = shared->keys[step % 2][lane];
      sender = max(best_lane<32>(of_warp), 0);
      if (threadIdx.x == 0 && blocks > 1)
        barrier_arrive_expecting(shared_address(&shared->arrived[turn]),
                                 blocks * parts<t>(left) * (int)sizeof(message_part));
      if (crowded && t > 0 && warp != sender) asm volatile("barrier.sync 1, %0;" ::"r"(blockDim.x) : "memory");
    }
    if constexpr (t > 0) subtract<t - 1>(shared->box[box][winner].x, left);
    if (!here) return;
    if (warp == sender) {
      send<t>(left);
      if (crowded && t > 0) asm volatile("barrier.arrive 1, %0;" ::"r"(blockDim.x) : "memory");
    }
    if (blocks > 1)
      cluster_barrier_wait(shared_address(&shared->arrived[turn]), phase);
    else
      __syncthreads();
    pivot_key of_block = {0, 0, INT_MAX};
    if (lane < blocks) of_block = shared->box[turn][lane].key;
    box = turn;
    winner = max(best_lane<32>(of_block), 0);
    if (++turn == 3) turn = 0, phase ^= 1;
    step++;
    const int p = __shfl_sync(all_lanes, of_block.row, winner);
    const lu_candidate<T, W> &u = shared->box[box][winner];
    const diagonal<T> d(u.x[t], u.inverse);
    if (is_bad_pivot(d.d) && !found) found = k + 1;
    if (threadIdx.x == 0) shared->pivots[k] = p;
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] >= k && place[r] != p) {
        if (place[r] == k) place[r] = p;
        if (d.d != make<T>(0)) x[r][t] = d.solve(x[r][t]);
        if constexpr (t + 1 < W)
          if (t + 1 < left) x[r][t + 1] = mad(-x[r][t], u.x[t + 1], x[r][t + 1]);
        active |= 1u << r;
      } else if (place[r] == p) {
        place[r] = k;
      }
    }
    if constexpr (t + 1 < W)
      if (k + 1 < steps) offer<t + 1>(k + 1);
  }

  /* The strip in registers. */
  __device__ __forceinline__ void factor()
  {
    active = 0;
    offer<0>(0);
#pragma unroll 1
    for (int k = 0; k < W; k += U) {
      const int left = W - k;
      eliminate<0>(k, left);
      eliminate<1>(k + 1, left);
      if constexpr (U == 4) {
        eliminate<2>(k + 2, left);
        eliminate<3>(k + 3, left);
      }
      subtract<U - 1>(shared->box[box][winner].x, left);
      rotate();
    }
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

  /* The strip, columns s .. s + w - 1 of n, at p, its first row; a thread's rows are place[]. */
  __device__ __forceinline__ void load(const T *p, int64_t ld, int s, int w)
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c++)
        x[r][c] = place[r] >= 0 && c < w ? load_written(p + place[r] + (s + c) * ld) : make<T>(0);
  }
  __device__ __forceinline__ void store(T *p, int64_t ld, int s, int w) const
  {
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
      for (int c = 0; c < W; c++)
        if (place[r] >= 0 && c < w) p[place[r] + (s + c) * ld] = x[r][c];
  }

  /* Exchanges rows in the other columns, and forms U in those on the right. */
  __device__ __forceinline__ void exchange(T *p, int64_t ld, int s, int w, int n) const
  {
    take_written<W>(
      W, [&](int k, int i) { return i < steps && k < i ? load_written(p + i + (s + k) * ld) : make<T>(0); },
      [&](int k, int i, T v) { shared->lower[k][i] = v; });
    __syncthreads();
    constexpr int together = 32 / W; /* columns of a warp */
    const int e = lane % W, others = n - w, warps = blockDim.x / 32;
    const row_move up = shared->moves[e], down = shared->moves[W + e];
    const bool here = e < steps, moves = here && down.to >= steps && down.from != down.to;
    for (int q0 = (rank * warps + warp) * together; q0 < others; q0 += blocks * warps * together) {
      const int q = q0 + lane / W, c = q < s ? q : q + w;
      T *const y = p + c * ld;
      T v = here && q < others ? load_written(y + up.from) : make<T>(0);
      const T moved = moves && q < others ? load_written(y + down.from) : make<T>(0);
      __syncwarp();
#pragma unroll
      for (int k = 0; k < W - 1; k++) {
        const T u = shuffle(v, k, W);
        if (e > k && c >= s) v = mad(-shared->lower[k][e], u, v);
      }
      if (here && q < others) y[e] = v;
      if (moves && q < others) y[down.to] = moved;
    }
  }

  /* Subtracts L U from the columns on the right of the strip, `rest` of them from p on, in a thread's rows.  upper:
   * shared, W x rest. */
  __device__ __forceinline__ void update(T *p, int64_t ld, int rest, T *upper) const
  {
    constexpr int size = pack<T>::size, C = lu_update_columns<T>(THREADS);
    take_written<W>((rest + C - 1) / C * C,
                    [&](int c, int k) { return k < steps && c < rest ? load_written(p + k + c * ld) : make<T>(0); },
                    [&](int c, int k, T v) { upper[c * W + k] = v; });
    __syncthreads();
#pragma unroll
    for (int r = 0; r < R; r++) {
      if (place[r] < steps) continue;
      T *const row = p + place[r];
      T ahead[C];
      const auto fetch = [&](int c0) {
#pragma unroll
        for (int c = 0; c < C; c++) ahead[c] = c0 + c < rest ? load_written(row + (c0 + c) * ld) : make<T>(0);
      };
      fetch(0);
#pragma unroll 1
      for (int c0 = 0; c0 < rest; c0 += C) {
        T y[C];
#pragma unroll
        for (int c = 0; c < C; c++) y[c] = ahead[c];
        fetch(c0 + C);
#pragma unroll
        for (int k = 0; k < W; k += size)
#pragma unroll
          for (int c = 0; c < C; c++) {
            const pack<T> u = reinterpret_cast<const pack<T> *>(upper + (c0 + c) * W)[k / size];
#pragma unroll
            for (int v = 0; v < size; v++) y[c] = mad(-x[r][k + v], u.x[v], y[c]);
          }
#pragma unroll
        for (int c = 0; c < C; c++)
          if (c0 + c < rest) row[(c0 + c) * ld] = y[c];
      }
    }
  }
};

/* Factors all columns of each matrix, strip after strip; row and column 0 are those numbered `first` of the caller's
 * matrix. */
template <class T, int W, int R, int THREADS, class LU = cluster_lu<T, W, R, THREADS>>
__global__ void __launch_bounds__(THREADS) getrf_cluster(batch<T> a, int first, int *__restrict__ ipiv, int npivots,
                                                         int *__restrict__ info, int blocks, int rows)
{
  __shared__ typename LU::memory shared;
  LU lu;
  lu.attach(&shared);
  lu.blocks = blocks;
  lu.rank = blocks > 1 ? cluster_rank() : 0;
  lu.step = lu.turn = lu.phase = 0;
  lu.warp = threadIdx.x / 32;
  lu.lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (unsigned long long &barrier : shared.arrived) barrier_init(shared_address(&barrier), 1);
    barrier_init_fence();
  }
  cluster_sync();
  for (int64_t b = blockIdx.x / blocks; b < a.count; b += gridDim.x / blocks) {
    T *p = a.at(b);
    const int64_t ld = a.leading(b);
    const int n = a.n, pivots = min(a.m, n);
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int local = threadIdx.x + r * blockDim.x, row = lu.rank * rows + local;
      lu.place[r] = local < rows && row < a.m ? row : -1;
    }
    int found = 0;
#pragma unroll 1
    for (int s = 0; s < pivots; s += W) {
      const int w = min(W, n - s), rest = n - s - w;
      lu.steps = min(w, pivots - s);
      lu.found = 0;
      lu.load(p, ld, s, w);
      lu.factor();
      if (lu.found && !found) found = s + lu.found;
      if (lu.steps < W)
        cluster_sync(); /* all have read their rows, */
      else
        __syncthreads(); /* as those have who offered in the last column */
      lu.store(p, ld, s, w);
      if (lu.rank == 0)
        for (int k = threadIdx.x; k < lu.steps; k += blockDim.x)
          ipiv[b * npivots + first + s + k] = first + s + shared.pivots[k] + 1;
      if (n > w) {
        cluster_arrive();
        lu.trace_moves();
        cluster_wait(); /* all have written them */
        lu.exchange(p, ld, s, w, n);
        if (rest > 0) {
          cluster_sync(); /* rows of U are there */
          lu.update(p + (s + w) * ld, ld, rest, shared_array<T>());
        }
      }
#pragma unroll
      for (int r = 0; r < R; r++) lu.place[r] = lu.place[r] >= w ? lu.place[r] - w : -1;
      p += w;
      __syncthreads();
    }
    if (lu.rank == 0 && threadIdx.x == 0) report_pivot(found, first, &info[b]);
  }
  cluster_sync();
}

/* ------------------------------------------------------------------ on the host */

/* Columns of a strip, by the rows of a thread: as many as registers hold. */
template <class T> constexpr int lu_cluster_width(int threads, int R)
{
  const int bytes = threads <= 256 ? 512 : 256;
  return bytes / (int)sizeof(T) / R < 32 ? bytes / (int)sizeof(T) / R : 32;
}

enum { LU_CLUSTER_ROWS = MOST_CLUSTER * 8 * 512 };

/* Columns that a cluster factors by itself: of longer ones, what is left is updated by all multiprocessors. */
template <class T> int lu_cluster_columns(int m)
{
  const int most = sizeof(T) == 16 && m > 4096 ? 64 : 128;
  return m <= 8192 ? most : m <= 16384 ? most / 2 : m <= 32768 ? most / 4 : most / 8;
}

/* Blocks of a cluster for m rows. */
static inline int lu_cluster_blocks(int m)
{
  int blocks = 1;
  while (blocks < MOST_CLUSTER && blocks * 128 < m) blocks *= 2;
  return blocks;
}

} // namespace batched_cuda::lu

#endif

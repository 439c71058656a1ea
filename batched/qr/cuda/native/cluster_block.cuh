/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A block of columns of geqrf's cuda.native in the shared memory of a cluster: strips of 16 columns by
 * cluster_gram.cuh, or by steps (cluster_panel.cuh), each applied to the block's columns behind it, C.  With
 * P = X^H C of the strip X, R_C = R^-H P are the rows of R to its right, and C -= V Y with Y = V_top^-1 (C_top - R_C).
 * P is summed in global memory while one warp finds R, and so is V^H V of the block, for M (block_reflector.cuh).
 *
 * grid      a cluster of 2 to 16 blocks per matrix
 * block     256 threads, for 128 rows of up to 128 columns, or 256 rows of 64
 * shared    these columns and block_memory, 190 KB
 * workspace block_room() elements per matrix
 * takes     double precision, up to 4096 rows; waits for the kernel before (launch_in_clusters)
 * reads     a; writes a, tau, where asked V, with its ones and zeros, and M; q for itself
 * accuracy  as geqrf
 */
#ifndef BATCHED_QR_CUDA_NATIVE_CLUSTER_BLOCK_CUH
#define BATCHED_QR_CUDA_NATIVE_CLUSTER_BLOCK_CUH

#include "batched/qr/cuda/native/cluster_panel.cuh"

namespace batched_cuda::qr
{

enum { BLOCK_THREADS = 256, BLOCK_COLUMNS = 128 };

template <class T> struct block_memory {
  static constexpr int W = GRAM_WIDTH;
  gram_memory<T> gram;
  T top[W * W]; /* sent by rank 0 */
  T sums[BLOCK_THREADS / warp_size][GRAM_PACKED];
  T y[W][BLOCK_COLUMNS + 4];

  static constexpr int ld(int rows)
  {
    return rows + (std::is_same_v<T, double> ? 4 : 1);
  }
  static constexpr size_t bytes(int rows, int columns)
  {
    return sizeof(block_memory) + (size_t)ld(rows) * columns * sizeof(T);
  }
};

/* Tiles of V^H V on and above the diagonal. */
constexpr int block_tiles = BLOCK_COLUMNS / GRAM_WIDTH * (BLOCK_COLUMNS / GRAM_WIDTH + 1) / 2;

template <class T, int ROWS> struct cluster_block {
  static constexpr int W = GRAM_WIDTH, THREADS = BLOCK_THREADS, warps = THREADS / warp_size;
  static constexpr int ld = block_memory<T>::ld(ROWS), part = W * BLOCK_COLUMNS;
  using real = real_of<T>;
  using gram = cluster_gram<T, 1, THREADS>;
  using steps_memory = cluster_qr_memory<T, W, THREADS>;
  steps_memory &steps;
  cluster_post<steps_memory::parts> &post;
  int blocks, rank, uses;
  T *partial; /* of this matrix: [blocks], the sum, and C_top by turns, of [16][128] each */

  static __device__ __forceinline__ block_memory<T> &shared()
  {
    return *shared_array<block_memory<T>>();
  }
  static __device__ __forceinline__ T *column(int c)
  {
    return reinterpret_cast<T *>(&shared() + 1) + c * ld;
  }
  __device__ __forceinline__ T *total() const
  {
    return partial + blocks * part;
  }
  __device__ __forceinline__ T *c_top(int s) const
  {
    return total() + (1 + s % 2) * part;
  }

  /* Sends X^H X of the block's rows to all, and rank 0 the top of X. */
  __device__ __forceinline__ void send_square(int s)
  {
    using mail = gram_memory<T>;
    block_memory<T> &m = shared();
    const int warp = threadIdx.x / warp_size;
    T sum[2][4];
#pragma unroll
    for (int e = 0; e < 8; e++) sum[e / 4][e % 4] = make<T>(0);
    const T *const x = column(W * s) + warp * (ROWS / warps);
    gram::multiply_columns(x, x, ld, ROWS / warps, sum);
#pragma unroll
    for (int e = 0; e < 8; e++) {
      const int2 at = gram::element_of(e);
      if (at.x <= at.y) m.sums[warp][gram_place(at.x, at.y)] = sum[e / 4][e % 4];
    }
    if (rank == 0)
      for (int e = threadIdx.x; e < W * W; e += THREADS) m.top[e] = column(W * s + e / W)[W * s + e % W];
    __syncthreads();
    T *const mine = reinterpret_cast<T *>(m.gram.mine);
    for (int e = threadIdx.x; e < GRAM_PACKED; e += THREADS) {
      T all = make<T>(0);
#pragma unroll
      for (int w = 0; w < warps; w++) all += m.sums[w][e];
      mine[e] = all;
    }
    __syncthreads();
    constexpr int tops = W * W * (int)sizeof(T) / 16;
    const unsigned arrived = shared_address(&m.gram.arrived);
    if (threadIdx.x == 0)
      barrier_arrive_expecting(arrived, (blocks * mail::parts + (rank == 0 ? 0 : tops)) * (int)sizeof(message_part));
    for (int e = threadIdx.x; e < blocks * mail::parts; e += THREADS) {
      const int to = e / mail::parts, i = e % mail::parts;
      send_part(in_block(shared_address(&m.gram.box[rank][i]), to), m.gram.mine[i], in_block(arrived, to));
    }
    if (rank == 0)
      for (int e = threadIdx.x; e < (blocks - 1) * tops; e += THREADS) {
        const int to = 1 + e / tops, i = e % tops;
        const message_part *const from = reinterpret_cast<const message_part *>(m.top) + i;
        send_part(in_block(shared_address(from), to), *from, in_block(arrived, to));
      }
  }
  __device__ __forceinline__ void receive_square()
  {
    block_memory<T> &m = shared();
    cluster_barrier_wait(shared_address(&m.gram.arrived), uses++ % 2);
    for (int e = threadIdx.x; e < W * W; e += THREADS) {
      const int i = e % W, j = e / W, at = i <= j ? gram_place(i, j) : gram_place(j, i);
      T all = make<T>(0);
      for (int from = 0; from < blocks; from++) all += reinterpret_cast<const T *>(m.gram.box[from])[at];
      m.gram.work[j][i] = i < j ? all : i > j ? conj(all) : make<T>(batched_cuda::real(all));
      m.gram.work[W + j][i] = m.top[e];
    }
    __syncthreads();
  }

  /* The block's part of X^H C to global memory. */
  __device__ __forceinline__ void multiply(int s, int columns) const
  {
    T *const to = partial + rank * part;
    for (int c = W * (s + 1) + W * (threadIdx.x / warp_size); c < columns; c += W * warps) {
      T sum[2][4];
#pragma unroll
      for (int e = 0; e < 8; e++) sum[e / 4][e % 4] = make<T>(0);
      gram::multiply_columns(column(W * s), column(c), ld, ROWS, sum);
#pragma unroll
      for (int e = 0; e < 8; e++) {
        const int2 at = gram::element_of(e);
        to[at.x * BLOCK_COLUMNS + c + at.y] = sum[e / 4][e % 4];
      }
    }
  }
  /* The block's share of the sums over blocks, by threads from `first` on. */
  __device__ __forceinline__ void add_parts(int s, int columns, int first) const
  {
    const int begin = W * (s + 1), rest = columns - begin;
    for (int e = rank * (THREADS - first) + threadIdx.x - first; e < W * rest; e += blocks * (THREADS - first)) {
      const int at = e / rest * BLOCK_COLUMNS + begin + e % rest;
      T all = make<T>(0);
#pragma unroll 8
      for (int from = 0; from < blocks; from++) all += load_written(partial + from * part + at);
      total()[at] = all;
    }
  }

  /* y = -Y of column c, from X^H C: by a thread; */
  __device__ __forceinline__ void solve_gram(int s, int c) const
  {
    block_memory<T> &m = shared();
    T r[W], t[W];
#pragma unroll
    for (int k = 0; k < W; k++) {
      r[k] = load_written(total() + k * BLOCK_COLUMNS + c);
      t[k] = load_written(c_top(s) + k * BLOCK_COLUMNS + c);
    }
#pragma unroll
    for (int k = 0; k < W; k++) {
      r[k] = m.gram.inverse_r[k] * r[k];
#pragma unroll
      for (int l = k + 1; l < W; l++) r[l] = conj_mad(-m.gram.work[W + l][k], r[k], r[l]);
    }
#pragma unroll
    for (int k = 0; k < W; k++) {
      const T y = t[k] - r[k];
      m.y[k][c] = -y;
#pragma unroll
      for (int l = k + 1; l < W; l++) t[l] = mad(-m.gram.work[W + k][l], y, t[l]);
    }
  }
  /* and from V^H C, with M's rows q and tau. */
  __device__ __forceinline__ void solve_steps(int c, const T *q, const T *tau, int64_t increment, int steps_done) const
  {
    T y[W];
#pragma unroll
    for (int k = 0; k < W; k++) y[k] = load_written(total() + k * BLOCK_COLUMNS + c);
#pragma unroll
    for (int k = 0; k < W; k++) {
      y[k] = k < steps_done ? conj(load_written(tau + k * increment)) * y[k] : make<T>(0);
#pragma unroll
      for (int l = k + 1; l < W; l++)
        if (l < steps_done) y[l] = mad(-load_written(q + l * W + k), y[k], y[l]);
      shared().y[k][c] = -y[k];
    }
  }

  /* The block's part of V^H times the reflectors of strip s, by warps from `first` on, to global memory; */
  __device__ __forceinline__ void multiply_reflectors(int s, T *tiles, int first) const
  {
    T *const to = tiles + ((int64_t)rank * block_tiles + gram_place(0, s)) * W * W;
    for (int i = threadIdx.x / warp_size - first; i <= s; i += warps - first) {
      T sum[2][4];
#pragma unroll
      for (int h = 0; h < 8; h++) sum[h / 4][h % 4] = make<T>(0);
      gram::multiply_columns(column(W * i), column(W * s), ld, ROWS, sum);
#pragma unroll
      for (int h = 0; h < 8; h++) {
        const int2 at = gram::element_of(h);
        to[i * W * W + at.x + W * at.y] = sum[h / 4][h % 4];
      }
    }
  }
  /* and the block's share of M (block_reflector.cuh), behind a barrier of the cluster. */
  __device__ __forceinline__ void write_m(int k, const T *tiles, T *to) const
  {
    const T *const tau = shared().y[0];
    for (int e = rank * THREADS + threadIdx.x; e < BLOCK_COLUMNS * k; e += blocks * THREADS) {
      const int i = e % BLOCK_COLUMNS, j = e / BLOCK_COLUMNS;
      if (i > j) continue;
      T all = make<T>(0);
      const T *const from = tiles + gram_place(i / W, j / W) * W * W + i % W + j % W * W;
#pragma unroll 8
      for (int r = 0; r < blocks; r++) all += load_written(from + r * block_tiles * W * W);
      const bool none = tau[i] == make<T>(0) || tau[j] == make<T>(0);
      to[i + j * k] = none ? make<T>(i == j) : i == j ? divide(make<T>(1), tau[i]) : all;
    }
  }

  /* C += V y */
  __device__ __forceinline__ void subtract(int s, int columns) const
  {
    block_memory<T> &m = shared();
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, first = W * (s + 1);
    if constexpr (std::is_same_v<T, double>) {
      const int g = lane / 4, t = lane % 4;
      for (int i = W * warp; i < ROWS; i += W * warps) {
        double a[8];
        const double *const v = column(W * s + t) + i + g;
#pragma unroll
        for (int k = 0; k < 4; k++) {
          a[2 * k] = v[4 * k * ld];
          a[2 * k + 1] = v[4 * k * ld + 8];
        }
#pragma unroll 4
        for (int c = first; c < columns; c += 8) {
          double *const to = column(c + 2 * t) + i + g;
          double d[4] = {to[0], to[ld], to[8], to[ld + 8]};
          const double b[4] = {m.y[t][c + g], m.y[4 + t][c + g], m.y[8 + t][c + g], m.y[12 + t][c + g]};
          multiply_16x8x16(d, a, b);
          to[0] = d[0], to[ld] = d[1], to[8] = d[2], to[ld + 8] = d[3];
        }
      }
    } else {
      const int row = threadIdx.x % ROWS;
      T v[W];
#pragma unroll
      for (int k = 0; k < W; k++) v[k] = column(W * s + k)[row];
#pragma unroll 2
      for (int c = first + threadIdx.x / ROWS; c < columns; c += THREADS / ROWS) {
        T x = column(c)[row];
#pragma unroll
        for (int k = 0; k < W; k++) x = mad(v[k], m.y[k][c], x);
        column(c)[row] = x;
      }
    }
  }
};

/* Elements of `partial` per matrix. */
DEVICE constexpr int64_t block_room(int blocks)
{
  return (blocks + 3) * (int64_t)GRAM_WIDTH * BLOCK_COLUMNS + blocks * (int64_t)block_tiles * GRAM_WIDTH * GRAM_WIDTH;
}

template <class T, int ROWS>
__global__ void __launch_bounds__(BLOCK_THREADS)
  geqrf_cluster_block(batch<T> a, batch<T> tau, T *__restrict__ q, T *partial, int blocks, batch<T> v_out,
                      batch<T> m_out)
{
  constexpr int W = GRAM_WIDTH, THREADS = BLOCK_THREADS;
  using block = cluster_block<T, ROWS>;
  using real = real_of<T>;
  __shared__ typename block::steps_memory steps_memory;
  const int rank = cluster_rank(), first = rank * ROWS, local = threadIdx.x, warp = local / warp_size;
  const int64_t clusters = gridDim.x / blocks;
  cluster_post<block::steps_memory::parts> post = {&steps_memory.mail, blocks, rank};
  block_memory<T> &memory = block::shared();
  post.open();
  if (local == 0) {
    barrier_init(shared_address(&memory.gram.arrived), 1);
    barrier_init_fence();
  }
  cudaTriggerProgrammaticLaunchCompletion();
  cluster_sync();
  cudaGridDependencySynchronize();
  int uses = 0;
  for (int64_t b = blockIdx.x / blocks; b < a.count; b += clusters) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0, k = min(m, n);
    if (k == 0) continue;
    T *const p = a.at(b), *const products = q + b * W * W;
    const int64_t ld = a.leading(b), increment = tau.increment(b);
    const int columns = (n + W - 1) / W * W, row = local < ROWS && first + local < m ? first + local : -1;
    block x = {steps_memory, post, blocks, rank, uses, partial + b * block_room(blocks)};
    for (int c = local / ROWS; c < columns; c += THREADS / ROWS) {
      const int i = local % ROWS;
      const bool inside = first + i < m && c < n;
      copy_async(shared_address(x.column(c) + i), inside ? p + first + i + c * ld : p, inside);
    }
    copy_commit();
    copy_wait<0>();
    __syncthreads();
    T *const tiles = x.partial + (blocks + 3) * block::part;
    int s = 0;
    for (; W * s < k; s++) {
      const int top = W * s, width = min(W, n - top), below = m - top, rest = columns - top - W;
      T *const taus = tau.at(b) + top * increment, *const to = p + top * ld;
      T v[1][W];
#pragma unroll
      for (int c = 0; c < W; c++) v[0][c] = local < ROWS ? x.column(top + c)[local] : make<T>(0);
      if (row >= 0 && row < top) { /* R is done there */
#pragma unroll
        for (int c = 0; c < W; c++) {
          if (c < width) to[row + c * ld] = v[0][c];
          v[0][c] = x.column(top + c)[local] = make<T>(0);
        }
      }
      bool good = false;
      if (width == W && below >= GRAM_FEWEST_ROWS) {
        __syncthreads();
        x.send_square(s);
        if (rest > 0) {
          x.multiply(s, columns);
          if (rank == 0)
#pragma unroll
            for (int e = local / BLOCK_COLUMNS; e < W; e += THREADS / BLOCK_COLUMNS) {
              const int c = top + W + local % BLOCK_COLUMNS;
              if (c < columns) x.c_top(s)[e * BLOCK_COLUMNS + c] = x.column(c)[top + e];
            }
          cluster_arrive();
        }
        x.receive_square();
        if (warp == 0) block::gram::eliminate(memory.gram);
        if (rest > 0) {
          cluster_wait();
          if (warp > 0) x.add_parts(s, columns, warp_size);
          cluster_arrive();
          if (warp > 0 && s > 0 && m_out.data) x.multiply_reflectors(s - 1, tiles, 1);
          cluster_wait();
        } else if (warp > 0 && s > 0 && m_out.data) {
          x.multiply_reflectors(s - 1, tiles, 1);
        }
        __syncthreads();
        good = memory.gram.good;
      } else if (s > 0 && m_out.data) {
        __syncthreads();
        x.multiply_reflectors(s - 1, tiles, 0);
      }
      real scale = 1;
      if (good) {
        if (local < ROWS) block::gram::multiply_by_m(memory.gram, v);
        if (rank == 0 && local >= top && local < top + W) {
#pragma unroll
          for (int c = 0; c < W; c++) v[0][c] = memory.gram.work[W + c][local - top];
          taus[(local - top) * increment] = memory.gram.tau[local - top];
        }
        if (local < rest) x.solve_gram(s, top + W + local);
      } else {
        const int relative[1] = {row >= top ? row - top : -1};
        scale = cluster_steps<T, W, 1, THREADS>{steps_memory, post, blocks}.factor(
          v, relative, first - top, ROWS, min(below, width), products, taus, increment);
      }
      __syncthreads();
      /* V as it is, with ones and zeros, for C, and with R to global memory */
      const int last = min(below, width);
      if (local < ROWS) {
#pragma unroll
        for (int c = 0; c < W; c++)
          x.column(top + c)[local] = select(row > top + c, v[0][c], make<T>(row == top + c && c < last));
      }
      if (!good) {
#pragma unroll
        for (int c = 0; c < W; c++) {
          const real back = inverse_scale(shuffle(scale, c));
          v[0][c] = select(row > top + c, v[0][c], back * v[0][c]);
        }
      }
      if (row >= top) {
#pragma unroll
        for (int c = 0; c < W; c++)
          if (c < width) to[row + c * ld] = v[0][c];
      }
      __syncthreads();
      if (rest <= 0) continue;
      if (!good) {
        x.multiply(s, columns);
        cluster_sync();
        x.add_parts(s, columns, 0);
        cluster_sync();
        if (local < rest) x.solve_steps(top + W + local, products, taus, increment, min(below, width));
        __syncthreads();
      }
      x.subtract(s, columns);
      __syncthreads();
    }
    if (m_out.data) {
      x.multiply_reflectors(s - 1, tiles, 0);
      cluster_sync();
      if (local < k) memory.y[0][local] = load_written(tau.at(b) + local * increment);
      __syncthreads();
      x.write_m(k, tiles, m_out.at(b));
      if (v_out.data) {
        T *const to = v_out.at(b);
#pragma unroll 8
        for (int c = local / ROWS; c < k; c += THREADS / ROWS) {
          const int i = local % ROWS;
          if (first + i < m)
            to[first + i + c * (int64_t)v_out.ld] = memory.y[0][c] == make<T>(0) ? make<T>(0) : x.column(c)[i];
        }
      }
    }
    for (int c = W * s + local / ROWS; c < n; c += THREADS / ROWS) { /* beyond the last reflector */
      const int i = local % ROWS;
      if (first + i < m) p[first + i + c * ld] = x.column(c)[i];
    }
    uses = x.uses;
    if (b + clusters < a.count) cluster_sync();
  }
  cluster_sync();
}

/* Calls f(kernel, columns, blocks, bytes of shared memory) for matrices of m rows; false where there is none. */
template <class T, class F> bool with_cluster_block(int m, F f)
{
  if constexpr (std::is_same_v<T, double>) {
    int blocks = 2;
    while (blocks < MOST_CLUSTER && blocks * 128 < m) blocks *= 2;
    if (m <= blocks * 128)
      f(geqrf_cluster_block<T, 128>, 128, blocks, block_memory<T>::bytes(128, 128));
    else if (m <= blocks * 256)
      f(geqrf_cluster_block<T, 256>, 64, blocks, block_memory<T>::bytes(256, 64));
    else
      return false;
    return true;
  } else {
    return false;
  }
}

} // namespace batched_cuda::qr

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Strips of geqrf's cuda.native: W columns of a tall matrix by a cluster of up to 16 blocks of threads, whose registers
 * hold them; 16 by cluster_gram.cuh, and where that would lose digits, or fewer, by steps.  These take an exchange of
 * messages per column (cluster.cuh): the sums of its products with all W columns, below the diagonal, and the
 * diagonal's row; from these follow the reflector, its products with the columns behind, which it updates, and with the
 * reflectors before it.  Columns rotate through a thread's registers: the current one is first.
 *
 * grid      a cluster of 2 to 16 blocks per matrix
 * block     128 or 256 threads with 2 rows each (m <= 4096, 8192; complex<double>: 256 with one, m <= 4096); 512
 *           threads with 2 (16384), or 8 rows (65536)
 * registers R W elements; W = 16, and beyond 16384 rows 4 columns (complex<double>: 16, 8 beyond 4096, and 2)
 * shared    gram_memory, 44 to 110 KB, where W = 16
 * takes     all four types
 * reads     a; writes a, tau, and q(k, j) = v_k^H v_j, j < k, for the block reflector
 * accuracy  as geqrf; by steps columns are scaled by powers of two, and norms are summed anew for each column
 * launches  waits for the kernel before (launch_in_clusters)
 */
#ifndef BATCHED_QR_CUDA_NATIVE_CLUSTER_PANEL_CUH
#define BATCHED_QR_CUDA_NATIVE_CLUSTER_PANEL_CUH

#include "batched/qr/cuda/native/cluster_gram.cuh"

namespace batched_cuda::qr
{

/* Sums of W values over the lanes of a warp; each lane is left with that of value lane % W: lanes swap halves of their
 * values until one is left. */
template <int half, class T, int W> __device__ __forceinline__ void swap_halves(T (&s)[W])
{
  if constexpr (half > 0) {
    const bool upper = threadIdx.x & half;
#pragma unroll
    for (int i = 0; i < half; i++) {
      const T give = select(upper, s[i], s[i + half]), keep = select(upper, s[i + half], s[i]);
      s[i] = keep + shuffle_xor(give, half);
    }
    swap_halves<half / 2>(s);
  }
}
template <class T, int W> __device__ __forceinline__ T sums_of_lanes(T (&s)[W])
{
  swap_halves<W / 2>(s);
  T sum = s[0];
#pragma unroll
  for (int lanes = W; lanes < warp_size; lanes *= 2) sum += shuffle_xor(sum, lanes);
  return sum;
}

/* Values i * 16 / sizeof(T) .. of a message, by value(v). */
template <class T, class F> __device__ __forceinline__ message_part pack_values(int i, F value)
{
  const auto bits = [](float x, float y) { return (unsigned long long)__float_as_uint(y) << 32 | __float_as_uint(x); };
  if constexpr (sizeof(T) == 16) {
    const T v = value(i);
    return {(unsigned long long)__double_as_longlong(v.re), (unsigned long long)__double_as_longlong(v.im)};
  } else if constexpr (is_complex<T>) {
    const T v = value(2 * i), w = value(2 * i + 1);
    return {bits(v.re, v.im), bits(w.re, w.im)};
  } else if constexpr (sizeof(T) == 8) {
    return {(unsigned long long)__double_as_longlong(value(2 * i)),
            (unsigned long long)__double_as_longlong(value(2 * i + 1))};
  } else {
    return {bits(value(4 * i), value(4 * i + 1)), bits(value(4 * i + 2), value(4 * i + 3))};
  }
}

template <class T, int W, int THREADS> struct cluster_qr_memory {
  static constexpr int warps = THREADS / warp_size, parts = 2 * W * (int)sizeof(T) / 16;
  cluster_mail<parts> mail;
  T sums[2][warps][W], row[2][W], factors[warps][W]; /* the first two by turns */
};

template <class T, int W, int R, int THREADS> struct cluster_steps {
  using memory = cluster_qr_memory<T, W, THREADS>;
  using real = real_of<T>;
  memory &shared;
  cluster_post<memory::parts> &post;
  int blocks;

  /* The scale of column `lane`, in all warps. */
  __device__ __forceinline__ real scale_of(const T (&x)[R][W]) const
  {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    real size = 0;
#pragma unroll
    for (int c = 0; c < W; c++) {
      real most = 0;
#pragma unroll
      for (int r = 0; r < R; r++) most = fmax(most, largest_part(x[r][c]));
      for (int half = 16; half > 0; half /= 2) most = fmax(most, shuffle_xor(most, half));
      if (lane == c) size = most;
    }
    __syncthreads();
    const int turn = post.step % 2;
    if (lane < W) shared.sums[turn][warp][lane] = make<T>(size);
    __syncthreads();
    const auto largest = [&](int v) {
      real most = 0;
      for (int w = 0; w < memory::warps && v < W; w++) most = fmax(most, batched_cuda::real(shared.sums[turn][w][v]));
      return make<T>(most);
    };
    const auto *box = post.exchange([&](int i) { return pack_values<T>(i, largest); });
    size = 0;
    for (int from = 0; from < blocks && lane < W; from++)
      size = fmax(size, batched_cuda::real(reinterpret_cast<const T *>(box[from])[lane]));
    return column_scale(size);
  }

  /* Returns the columns' scales, by which x is multiplied. */
  __device__ __forceinline__ real factor(T (&x)[R][W], const int (&row)[R], int first, int rows, int steps, T *q,
                                         T *tau, int64_t increment) const
  {
    const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size;
    const real scale = scale_of(x);
#pragma unroll
    for (int c = 0; c < W; c++) {
      const real s = shuffle(scale, c);
#pragma unroll
      for (int r = 0; r < R; r++) x[r][c] = s * x[r][c];
    }

#pragma unroll 1
    for (int k = 0; k < W; k++) {
      if (k >= steps) {
#pragma unroll
        for (int r = 0; r < R; r++) {
          const T x0 = x[r][0];
#pragma unroll
          for (int c = 1; c < W; c++) x[r][c - 1] = x[r][c];
          x[r][W - 1] = x0;
        }
        continue;
      }
      const int turn = post.step % 2;
      T s[W];
#pragma unroll
      for (int c = 0; c < W; c++) s[c] = make<T>(0);
#pragma unroll
      for (int r = 0; r < R; r++) {
        if (row[r] > k)
#pragma unroll
          for (int c = 0; c < W; c++) s[c] = conj_mad(x[r][0], x[r][c], s[c]);
        if (row[r] == k)
#pragma unroll
          for (int c = 0; c < W; c++) shared.row[turn][c] = x[r][c];
      }
      const T sum = sums_of_lanes(s);
      if (lane < W) shared.sums[turn][warp][lane] = sum;
      __syncthreads();
      const bool owner = k >= first && k < first + rows;
      const auto value = [&](int v) {
        if (v >= W) return owner ? shared.row[turn][v - W] : make<T>(0);
        T total = make<T>(0);
#pragma unroll
        for (int w = 0; w < memory::warps; w++) total += shared.sums[turn][w][v];
        return total;
      };
      const auto *box = post.exchange([&](int i) { return pack_values<T>(i, value); });
      T total = make<T>(0), diagonal = make<T>(0); /* of column `lane` */
      if (lane < W)
        for (int from = 0; from < blocks; from++) {
          total += reinterpret_cast<const T *>(box[from])[lane];
          diagonal += reinterpret_cast<const T *>(box[from])[W + lane];
        }
      const reflector<T> h = reflect(shuffle(diagonal, 0), batched_cuda::real(shuffle(total, 0)));
      const T product = diagonal + conj(h.inverse) * total; /* v^H times column `lane` */
      const int column = k + lane;
      if (lane < W) shared.factors[warp][lane] = column < W ? conj(h.tau) * product : make<T>(0);
      if (post.rank == 0 && warp == 0) {
        if (lane < W && column >= W) q[k * W + column - W] = product;
        if (lane == 0) tau[k * increment] = h.tau;
      }
      __syncwarp();
#pragma unroll
      for (int r = 0; r < R; r++) {
        const bool below = row[r] > k, here = row[r] == k;
        const T v = select(below, x[r][0] * h.inverse, make<T>(here)),
                last = select(below, v, select(here, make<T>(h.beta), x[r][0]));
#pragma unroll
        for (int c = 1; c < W; c++) x[r][c - 1] = mad(-shared.factors[warp][c], v, x[r][c]);
        x[r][W - 1] = last;
      }
    }
    return scale;
  }
};

template <class T, int W, int R, int THREADS>
__global__ void __launch_bounds__(THREADS)
  geqrf_cluster(batch<T> a, batch<T> tau, T *__restrict__ q, int blocks, int rows)
{
  using memory = cluster_qr_memory<T, W, THREADS>;
  using real = real_of<T>;
  __shared__ memory shared;
  const int rank = cluster_rank(), first = rank * rows;
  const int64_t clusters = gridDim.x / blocks;
  cluster_post<memory::parts> post = {&shared.mail, blocks, rank};
  cluster_gram<T, R, THREADS> gram = {blocks, rank};
  post.open();
  if constexpr (W == GRAM_WIDTH) gram.open();
  cudaTriggerProgrammaticLaunchCompletion();
  cluster_sync();
  cudaGridDependencySynchronize();
  for (int64_t b = blockIdx.x / blocks; b < a.count; b += clusters) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0, steps = min(m, n);
    if (steps == 0) continue;
    T *const p = a.at(b), *const taus = tau.at(b), *const products = q + b * W * W;
    const int64_t ld = a.leading(b), increment = tau.increment(b);
    T x[R][W];
    int row[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
      const int local = threadIdx.x + r * THREADS;
      row[r] = local < rows && first + local < m ? first + local : -1;
#pragma unroll
      for (int c = 0; c < W; c++) x[r][c] = row[r] >= 0 && c < n ? p[row[r] + c * ld] : make<T>(0);
    }
    bool done = false;
    if constexpr (W == GRAM_WIDTH)
      if (n == W && rows >= W && m >= GRAM_FEWEST_ROWS) done = gram.factor(x, p, ld, products, taus, increment);
    real scale = 1;
    if (!done)
      scale = cluster_steps<T, W, R, THREADS>{shared, post, blocks}.factor(x, row, first, rows, steps, products, taus,
                                                                           increment);
#pragma unroll
    for (int c = 0; c < W; c++) {
      const real s = inverse_scale(shuffle(scale, c));
#pragma unroll
      for (int r = 0; r < R; r++)
        if (row[r] >= 0 && c < n) p[row[r] + c * ld] = row[r] <= c ? s * x[r][c] : x[r][c];
    }
    if (b + clusters < a.count) cluster_sync();
  }
  cluster_sync();
}

/* ------------------------------------------------------------------ on the host */

template <class T, int W_, int R, int THREADS_> struct qr_cluster {
  static constexpr int W = W_, THREADS = THREADS_;
  static constexpr size_t shared = W == GRAM_WIDTH ? gram_memory<T>::bytes(THREADS) : 0;
  static constexpr auto kernel = geqrf_cluster<T, W, R, THREADS>;
};

/* Calls f(a qr_cluster, blocks, rows per block) for matrices of m rows. */
template <class T, class F> auto with_qr_cluster(int m, F f)
{
  constexpr bool wide = sizeof(T) == 16;
  int blocks = 2;
  while (blocks < MOST_CLUSTER && blocks * 256 < m) blocks *= 2;
  const int rows = (int)ceil_div(m > 0 ? m : 1, blocks);
  if constexpr (wide) {
    if (rows <= 256) return f(qr_cluster<T, 16, 1, 256>{}, blocks, rows);
  } else {
    if (rows <= 256) return f(qr_cluster<T, 16, 2, 128>{}, blocks, rows);
    if (rows <= 512) return f(qr_cluster<T, 16, 2, 256>{}, blocks, rows);
  }
  if (rows <= 1024) return f(qr_cluster < T, wide ? 8 : 16, 2, 512 > {}, blocks, rows);
  return f(qr_cluster < T, wide ? 2 : 4, 8, 512 > {}, blocks, rows);
}

enum { QR_CLUSTER_ROWS = MOST_CLUSTER * 8 * 512 };

} // namespace batched_cuda::qr

#endif

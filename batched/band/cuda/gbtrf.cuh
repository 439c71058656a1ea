/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.reference, cuda.fused and cuda.window of gbtrf: LU of band matrices with partial pivoting, a block per
 * matrix, column after column: unblocked, right-looking, as LAPACK's gbtf2.  The three are those of A. Abdelfattah,
 * S. Tomov, P. Luszczek, H. Anzt, J. Dongarra, GPU-based LU factorization and solve on batches of matrices with band
 * structure (SC-W 2023): the band stays in global memory (reference), is wholly in shared memory (fused), or a window
 * of kv + nb columns of it is, kv = kl + ku, which moves on by nb columns (window).
 *
 * A column: every warp finds the pivot for itself, the block exchanges two rows, divides, and updates the columns that
 * the rows have reached so far; three barriers.
 *
 * grid      a block per matrix
 * block     32 to 256 threads, as many as an update of kl x kv has work for
 * shared    (2 kl + ku + 1) (kv + nb) numbers for the window, n columns of them in fused, none for the reference
 * takes     all four types, any m, n, kl, ku, uniform and variable
 * reads     ab inside of the band; writes ab with what fills it, ipiv (from 1), info (first pivot that is zero or NaN)
 * accuracy  |P L U - A| < 30 n eps |A|; multiplies by reciprocals, divides where they may over- or underflow
 */
#ifndef BATCHED_BAND_CUDA_GBTRF_CUH
#define BATCHED_BAND_CUDA_GBTRF_CUH

#include "batched/band/cuda/band.cuh"

namespace batched_cuda::band
{

template <class T> struct gbtrf_call {
  batch<T> ab;
  extent m, kl, ku;
  int *ipiv, *info;

  DEVICE int npivots() const
  {
    return m.bound < ab.n ? m.bound : ab.n;
  }
};

template <class T> gbtrf_call<T> typed(const batched_gbtrf_args &p)
{
  return {view<T>(p.ab), p.m, p.kl, p.ku, p.ipiv, p.info};
}

/* The same place in shared memory, for a whole warp.  What the compiler knows to be the block's array it addresses anew
 * at each use, and waits for a special register each time (S2UR, some 30 cycles); it doesn't know what comes from a
 * shuffle. */
template <class T> __device__ __forceinline__ T *hold_shared(T *p)
{
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  return static_cast<T *>(__cvta_shared_to_generic(__shfl_sync(all_lanes, at, threadIdx.x % 32)));
}

/* In the background, where there is something to copy. */
template <class T> __device__ __forceinline__ void copy_or_clear(T &to, const T *from, bool exists)
{
  if (exists)
    start_copy(&to, from);
  else
    to = make<T>(0);
}

/* Layout of a block's threads over rows (neighbours) and columns of an update. */
struct thread_grid {
  int i, rows, j, columns;

  __device__ __forceinline__ explicit thread_grid(int log_rows)
      : i(threadIdx.x & ((1 << log_rows) - 1)), rows(1 << log_rows), j(threadIdx.x >> log_rows),
        columns(blockDim.x >> log_rows)
  {
  }
};

/* State of a factorisation between columns: the columns that rows reach end before `end`. */
struct lu_state {
  int end, info;
};

/* Column k of the matrix a. */
template <class T>
__device__ __forceinline__ void factor_column(const band_matrix<T> &a, int ku, int k, int *ipiv, const thread_grid &t,
                                              lu_state &state)
{
  const int below = k + 1 + min(a.kl, a.m - 1 - k), p = pivot_row(&a(0, k), k, below);
  state.end = max(state.end, min(a.n, p + ku + 1));
  __syncthreads();
  if (threadIdx.x == 0) ipiv[k] = p + 1;
  if (p != k)
    for (int j = k + threadIdx.x; j < state.end; j += blockDim.x) {
      const T x = a(k, j);
      a(k, j) = a(p, j);
      a(p, j) = x;
    }
  __syncthreads();
  const T d = a(k, k);
  if (is_bad_pivot(d) && !state.info) state.info = k + 1;
  if (d != make<T>(0)) {
    const diagonal<T> by(d);
    for (int i = k + 1 + threadIdx.x; i < below; i += blockDim.x) a(i, k) = by.solve(a(i, k));
  }
  __syncthreads();
  for (int i = k + 1 + t.i; i < below; i += t.rows) {
    const T l = a(i, k);
    for (int j = k + 1 + t.j; j < state.end; j += t.columns) a(i, j) = mad(-l, a(k, j), a(i, j));
  }
  __syncthreads();
}

/* Zeros where pivoting fills in column j. */
template <class T> __device__ __forceinline__ void clear_fill(const band_matrix<T> &a, int ku, int j)
{
  for (int i = max(0, j - a.kv) + (int)threadIdx.x; i < min(j - ku, a.m); i += blockDim.x) a(i, j) = make<T>(0);
}

template <class T> __global__ void gbtrf_reference(gbtrf_call<T> c, int log_rows)
{
  const thread_grid t(log_rows);
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    const int ku = c.ku.at(b);
    const band_matrix<T> a = factors_of(c.ab, b, c.m.at(b), c.kl.at(b), ku);
    lu_state state = {0, 0};
    for (int j = ku + 1; j < a.n; j++) clear_fill(a, ku, j);
    __syncthreads();
    for (int k = 0; k < min(a.m, a.n); k++) factor_column(a, ku, k, c.ipiv + b * c.npivots(), t, state);
    if (threadIdx.x == 0) c.info[b] = state.info;
  }
}

/* ------------------------------------------------------------------ a window in shared memory */

/* Columns first .. first + columns - 1 of a, of which element (i, j) is at ((kv + i - j) + (j - first) * ld) of
 * `shared`. */
template <class T> struct lu_window {
  const band_matrix<T> &a;
  T *shared;
  int ku, first;

  __device__ __forceinline__ band_matrix<T> matrix() const
  {
    const int ld = a.kl + a.kv + 1;
    return {shared + a.kv - (int64_t)first * ld, ld - (int64_t)1, a.m, a.n, a.kl, a.kv};
  }
  __device__ __forceinline__ void load(int from, int to) const
  {
    const band_matrix<T> w = matrix();
    for (int j = from; j < to; j++) {
      clear_fill(w, ku, j);
      for (int i = max(0, j - ku) + (int)threadIdx.x; i < min(a.m, j + a.kl + 1); i += blockDim.x) w(i, j) = a(i, j);
    }
  }
  __device__ __forceinline__ void store(int from, int to) const
  {
    const band_matrix<T> w = matrix();
    for (int j = from; j < to; j++)
      for (int i = max(0, j - a.kv) + (int)threadIdx.x; i < min(a.m, j + a.kl + 1); i += blockDim.x) a(i, j) = w(i, j);
  }
  /* The last columns, from .. to - 1, become the first ones, in pieces that do not overlap. */
  __device__ __forceinline__ void move(int from, int to)
  {
    const int ld = a.kl + a.kv + 1, shift = (from - first) * ld, size = (to - from) * ld;
    for (int at = 0; at < size; at += shift) {
      for (int e = at + threadIdx.x; e < min(at + shift, size); e += blockDim.x) shared[e] = shared[e + shift];
      __syncthreads();
    }
    first = from;
  }
};

template <class T> __global__ void gbtrf_window(gbtrf_call<T> c, int log_rows, int nb)
{
  const thread_grid t(log_rows);
  for (int64_t b = blockIdx.x; b < c.ab.count; b += gridDim.x) {
    const int ku = c.ku.at(b);
    const band_matrix<T> a = factors_of(c.ab, b, c.m.at(b), c.kl.at(b), ku);
    const int steps = min(a.m, a.n);
    lu_window<T> w = {a, shared_array<T>(), ku, 0};
    lu_state state = {0, 0};
    int loaded = 0, k = 0;
    while (k < a.n) {
      const int last = min(k + nb, a.n), to = min(a.n, last + a.kv);
      w.load(loaded, to);
      loaded = to;
      __syncthreads();
      const band_matrix<T> columns = w.matrix();
      for (int j = k; j < min(last, steps); j++) factor_column(columns, ku, j, c.ipiv + b * c.npivots(), t, state);
      w.store(k, last);
      __syncthreads();
      if (last < a.n) w.move(last, to);
      k = last;
    }
    if (threadIdx.x == 0) c.info[b] = state.info;
  }
}

/* ------------------------------------------------------------------ launches */

static inline int log_up(int x)
{
  int log = 0;
  while (1 << log < x) log++;
  return log;
}

/* Threads for updates of kl x kv, and how many of them lie along the rows. */
struct lu_block {
  int threads, log_rows;

  lu_block(int kl, int kv) : threads(32), log_rows(log_up(kl < 1 ? 1 : kl > 32 ? 32 : kl))
  {
    while (threads < 256 && (int64_t)threads * 4 < (int64_t)kl * kv) threads *= 2;
  }
};

template <class T> lu_block block_of(const gbtrf_call<T> &c)
{
  const int kl = c.kl.bound < c.m.bound ? c.kl.bound : c.m.bound, kv = c.kl.bound + c.ku.bound;
  return lu_block(kl, kv < c.ab.n ? kv : c.ab.n);
}

template <class T> size_t window_bytes(const gbtrf_call<T> &c, int64_t columns)
{
  return (size_t)(2 * (int64_t)c.kl.bound + c.ku.bound + 1) * (size_t)columns * sizeof(T);
}

/* Columns of the window that goes on by nb. */
template <class T> int64_t window_columns(const gbtrf_call<T> &c, int nb)
{
  const int64_t columns = (int64_t)c.kl.bound + c.ku.bound + nb;
  return columns < c.ab.n ? columns : c.ab.n;
}

template <class T> int launch_gbtrf_reference(batched_ctx *ctx, const gbtrf_call<T> &c)
{
  const lu_block block = block_of(c);
  return launch(ctx, gbtrf_reference<T>, c.ab.count, block.threads, 0, c, block.log_rows);
}

template <class T> int launch_gbtrf_window(batched_ctx *ctx, const gbtrf_call<T> &c, int nb)
{
  const lu_block block = block_of(c);
  return launch(ctx, gbtrf_window<T>, c.ab.count, block.threads, window_bytes(c, window_columns(c, nb)), c,
                block.log_rows, nb);
}

} // namespace batched_cuda::band

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.blocked of geqrf, ungqr and unmqr: Householder QR of matrices of any size, beyond 32 columns by blocks of
 * 32 reflectors (block_reflector.cuh), right-looking as LAPACK's geqrf.  The columns of a block: geqrf as cuda.panels,
 * in registers, where that takes as many rows; else, and in ungqr and unmqr, column by column in global memory.
 *
 * In double precision geqrf of uniform matrices of up to 1024 rows applies 64 columns at once (beyond 1000 rows 128),
 * which cuda.panels factors, from 512 rows on down some 48 that stay in shared memory (wy_resident.cu), and cuda.panels
 * the last 256 rows; where columns do not begin at 16 bytes, in a copy whose columns do.
 *
 * launches  per 32 columns: panel (a block per matrix), copy, triangle, 4 gemm; per 64: panel, M, 3 gemm and a trsm;
 *           to 512 rows, per 48: panel and the product
 * takes     all four types, any m, n and k, uniform and variable; unmqr: A and tau shared or not
 * reads     geqrf: a; writes a and tau. ungqr: a, tau; writes a. unmqr: a, tau, c; writes c
 * accuracy  |A - Q R| < 30 m eps |A| column by column; columns of any scale (larfg's scaling by a power of two)
 */
#ifndef BATCHED_QR_CUDA_BLOCKED_CUH
#define BATCHED_QR_CUDA_BLOCKED_CUH

#include "batched/qr/cuda/block_reflector.cuh"
#include "batched/qr/cuda/wy/resident.cuh"

namespace batched_cuda::qr
{

/* ------------------------------------------------------------------ column by column */

static constexpr int column_threads = 256;

/* c = H c by a warp, for a column c with stride `step`, conjugated on the way if told. v: element (i, i) of A. */
template <class T> static __device__ void reflect_column(const T *v, T tau, int len, T *c, int64_t step, bool conjugate)
{
  const int lane = threadIdx.x % 32;
  T sum = make<T>(0);
  for (int i = lane; i < len; i += 32) sum = conj_mad(i == 0 ? make<T>(1) : v[i], conj_if(conjugate, c[i * step]), sum);
  const T f = tau * sum_lanes(sum);
  for (int i = lane; i < len; i += 32) {
    const T y = mad(-f, i == 0 ? make<T>(1) : v[i], conj_if(conjugate, c[i * step]));
    c[i * step] = conj_if(conjugate, y);
  }
}

/* Reduces x by f (a sum or a maximum) over the block; the result is in all threads. */
template <class R, class F> static __device__ R over_block(R x, F f)
{
  __shared__ R parts[column_threads / 32];
  for (int half = 16; half > 0; half /= 2) x = f(x, shuffle_xor(x, half));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < column_threads / 32; i++) x = f(x, parts[i]);
  return x;
}

/* Forms the reflector of p[0 .. len), in place, and returns tau. */
template <class T> static __device__ T make_reflector(T *p, int len)
{
  using R = real_of<T>;
  R size = 0, tail = 0;
  for (int i = threadIdx.x; i < len; i += column_threads) size = fmax(size, largest_part(p[i]));
  const R s = column_scale(over_block(size, [](R x, R y) { return fmax(x, y); }));
  for (int i = 1 + threadIdx.x; i < len; i += column_threads) tail += square(s * p[i]);
  tail = over_block(tail, [](R x, R y) { return x + y; });
  const reflector<T> h = reflect(s * p[0], tail);
  __syncthreads();
  for (int i = threadIdx.x; i < len; i += column_threads) p[i] = i == 0 ? make<T>(h.beta / s) : (s * p[i]) * h.inverse;
  __syncthreads();
  return h.tau;
}

template <class T> static __global__ void __launch_bounds__(column_threads) factor_columns(batch<T> a, batch<T> tau)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0, k = min(m, n);
    if (k == 0) continue;
    T *const p = a.at(b);
    const int64_t ld = a.leading(b);
    for (int j = 0; j < k; j++) {
      T *const v = p + j + j * ld;
      const T t = make_reflector(v, m - j);
      if (threadIdx.x == 0) tau.at(b)[(int64_t)j * tau.increment(b)] = t;
      for (int c = j + 1 + threadIdx.x / 32; c < n; c += column_threads / 32)
        reflect_column(v, conj(t), m - j, p + j + c * ld, 1, false);
      __syncthreads();
    }
  }
}

template <class T> static __global__ void __launch_bounds__(column_threads) generate_columns(batch<T> a, batch<T> tau)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = a.rows(b), n = m > 0 ? a.cols(b) : 0;
    if (n == 0) continue;
    const int k = tau.m > 0 && tau.n > 0 ? min(n, tau.length(b)) : 0;
    T *const p = a.at(b);
    const int64_t ld = a.leading(b);
    for (int j = k; j < n; j++)
      for (int i = threadIdx.x; i < m; i += column_threads) p[i + j * ld] = make<T>(i == j);
    __syncthreads();
    for (int j = k - 1; j >= 0; j--) {
      const T t = tau.at(b)[(int64_t)j * tau.increment(b)];
      T *const v = p + j + j * ld;
      for (int c = j + 1 + threadIdx.x / 32; c < n; c += column_threads / 32)
        reflect_column(v, t, m - j, p + j + c * ld, 1, false);
      __syncthreads();
      for (int i = threadIdx.x; i < m; i += column_threads)
        p[i + j * ld] = i < j ? make<T>(0) : i == j ? make<T>(1) - t : -(t * p[i + j * ld]);
      __syncthreads();
    }
  }
}

/* C = op(Q) C, a warp per column of C (left) or per row (right: as a conjugated column); at most `others` of them
 * per matrix. */
template <class T>
static __global__ void __launch_bounds__(column_threads)
  apply_columns(bool left, bool adjoint, int others, batch<T> a, batch<T> tau, batch<T> c)
{
  const int warps = column_threads / 32;
  for (int64_t unit = (int64_t)blockIdx.x * warps + threadIdx.x / 32; unit < c.count * others;
       unit += (int64_t)gridDim.x * warps) {
    const int64_t b = unit / others;
    const int j = (int)(unit - b * others), m = left ? c.rows(b) : c.cols(b);
    if (j >= (left ? c.cols(b) : c.rows(b)) || m == 0) continue;
    const int k = min(m, a.cols(b));
    if (k == 0) continue;
    const int64_t lda = a.leading(b), ldc = c.leading(b), step = left ? 1 : ldc;
    const T *const p = a.at(b), *const taus = tau.at(b);
    T *const x = c.at(b) + j * (left ? ldc : 1);
    const bool forward = left == adjoint;
    for (int s = 0; s < k; s++) {
      const int i = forward ? s : k - 1 - s;
      const T t = taus[(int64_t)i * tau.increment(b)];
      reflect_column(p + i + i * lda, forward ? conj(t) : t, m - i, x + i * step, step, !left);
      __syncwarp();
    }
  }
}

/* ------------------------------------------------------------------ by blocks of columns */

/* Elements i0 .. of a batch of tau, which may be rows or columns. */
template <class T> static batch<T> tau_from(const batch<T> &tau, int i0)
{
  if (tau.n == 1 && !tau.ns) return tau.block(i0, 0, tau.m > i0 ? tau.m - i0 : 0, 1);
  return tau.block(0, i0, tau.m, tau.n > i0 ? tau.n - i0 : 0);
}

/* Factors 32 columns at a time, by factor(columns, tau), and applies their block reflector to the columns behind. */
template <class T, class F>
static int factor_by_blocks(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau, F factor)
{
  constexpr int width = reflectors_width;
  return with_memory(ctx, a, a.count, a.m, a.n, true, [&](reflectors_memory<T> &s) {
    int status = BATCHED_SUCCESS;
    for (int j = 0; j < a.m && j < a.n && !status; j += width) {
      const batch<T> panel = a.block(j, j, a.m - j, a.n - j < width ? a.n - j : width);
      status = factor(panel, tau_from(tau, j));
      if (status || a.n - j <= width) continue;
      status = make_block(ctx, s, a, tau, j);
      if (!status) status = apply_block(ctx, s, true, true, a, j, j + width);
    }
    return status;
  });
}

/* Gives V, reflectors as geqrf leaves them, its ones and zeros, in place of R, which goes to `kept`, k x k; and takes
 * them back.  Where tau is 0, V is 0 below the diagonal as it is. */
static __global__ void __launch_bounds__(256)
  lend_triangle(batch<double> v, batch<double> tau, batch<double> kept, bool back)
{
  const int k = v.n;
  for (int64_t b = blockIdx.x; b < v.count; b += gridDim.x) {
    double *const x = v.at(b), *const r = kept.at(b);
    const int64_t ld = v.leading(b);
    for (int e = threadIdx.x; e < k * k; e += blockDim.x) {
      const int i = e % k, j = e / k;
      if (i > j) continue;
      if (back) {
        x[i + j * ld] = r[e];
        continue;
      }
      r[e] = x[i + j * ld];
      x[i + j * ld] = i == j && tau.at(b)[(int64_t)j * tau.increment(b)] != 0;
    }
  }
}

/* M from V^H V: 1 / tau on its diagonal, 1 where tau is 0. */
static __global__ void __launch_bounds__(256) set_diagonal(batch<double> m, batch<double> tau)
{
  const int k = m.n;
  const int64_t unit = blockIdx.x * (int64_t)256 + threadIdx.x, b = unit / k;
  if (b >= m.count) return;
  const int i = (int)(unit - b * k);
  const double t = tau.at(b)[(int64_t)i * tau.increment(b)];
  m.at(b)[i + i * (int64_t)k] = t == 0 ? 1 : 1 / t;
}

/* Factors as many columns at a time, by factor(columns, tau), until few enough rows are left for cuda.panels to factor
 * the rest.  Double precision, uniform matrices. */
template <class F>
static int factor_by_resident_blocks(batched_ctx *ctx, const batch<double> &a, const batch<double> &tau, F factor)
{
  constexpr int last_rows = 256;
  int status = BATCHED_SUCCESS;
  for (int j = 0, width; j < a.m && j < a.n && !status; j += width) {
    const int rows = a.m - j, cols = a.n - j;
    width = rows <= last_rows ? cols : resident_columns(rows, last_rows);
    if (width > cols) width = cols;
    const batch<double> t = tau_from(tau, j), v = a.block(j, j, rows, width);
    status = factor(v, t);
    if (!status && cols > width) status = apply_resident(ctx, v, t, a.block(j, j + width, rows, cols - width));
  }
  return status;
}

/* The same of more rows, `width` columns at a time, V where geqrf leaves it. */
template <class F>
static int factor_by_wide_blocks(batched_ctx *ctx, int width, const batch<double> &a, const batch<double> &tau,
                                 F factor)
{
  const int others = a.n - width;
  const auto matrix = [&](double *p, int rows, int cols) {
    return batch<double>{p, nullptr, (int64_t)rows * cols, a.count, rows, cols, rows, nullptr, nullptr, nullptr, 0, 0};
  };
  const size_t square = (size_t)a.count * width * width;
  double *const memory =
    static_cast<double *>(batched_scratch_push(ctx, (2 * square + (size_t)a.count * width * others) * sizeof(double)));
  if (!memory) return BATCHED_NO_MEMORY;
  int status = BATCHED_SUCCESS;
  for (int j = 0; j < a.m && j < a.n && !status; j += width) {
    const int rows = a.m - j;
    batch<double> t = tau_from(tau, j);
    if (rows <= resident_rows) {
      status = factor_by_resident_blocks(ctx, a.block(j, j, rows, a.n - j), t, factor);
      break;
    }
    const int rest = a.n - j - width, k = rows < width ? rows : width;
    status = factor(a.block(j, j, rows, rest < 0 ? a.n - j : width), t);
    if (status || rest <= 0) continue;
    const batch<double> v = a.block(j, j, rows, k), c = a.block(j, j + width, rows, rest);
    const batch<double> r = matrix(memory, k, k), m = matrix(memory + square, k, k),
                        w = matrix(memory + 2 * square, k, rest);
    status = launch(ctx, lend_triangle, a.count, 256, 0, v, t, r, false);
    if (!status) status = products::gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, 1.0, v, v, 0.0, m);
    if (!status) status = launch(ctx, set_diagonal, ceil_div(a.count * k, 256), 256, 0, m, t);
    if (!status) status = products::gemm(ctx, BATCHED_TRANS, BATCHED_NO_TRANS, 1.0, v, c, 0.0, w);
    if (!status) status = subtract_block(ctx, v, m, w, c);
    if (!status) status = launch(ctx, lend_triangle, a.count, 256, 0, v, t, r, true);
  }
  batched_scratch_pop(ctx);
  return status;
}

/* Sets the first `rows` rows of each matrix to zero. */
template <class T> static __global__ void __launch_bounds__(256) clear_top(batch<T> a, int rows)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = min(a.rows(b), rows), n = m > 0 ? a.cols(b) : 0;
    for (int j = 0; j < n; j++)
      for (int i = threadIdx.x; i < m; i += blockDim.x) a.at(b)[i + j * (int64_t)a.leading(b)] = make<T>(0);
  }
}

/* Overwrites the reflectors by the columns of Q, last block first. */
template <class T> static int generate_by_blocks(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  constexpr int width = reflectors_width;
  return with_memory(ctx, a, a.count, a.m, a.n, true, [&](reflectors_memory<T> &s) {
    int status = BATCHED_SUCCESS;
    for (int j = (a.n - 1) / width * width; j >= 0 && !status; j -= width) {
      const int columns = a.n - j < width ? a.n - j : width;
      const batch<T> rest = tau_from(tau, j);
      if (columns < a.n - j && rest.m > 0 && rest.n > 0) {
        status = make_block(ctx, s, a, tau, j);
        if (!status) status = apply_block(ctx, s, true, false, a, j, j + width);
      }
      if (!status)
        status = launch(ctx, generate_columns<T>, a.count, column_threads, 0, a.block(j, j, a.m - j, columns), rest);
      if (!status && j > 0) status = launch(ctx, clear_top<T>, a.count, 256, 0, a.block(0, j, a.m, columns), j);
    }
    return status;
  });
}

/* C = op(Q) C or C op(Q) */
template <class T>
static int multiply_by_blocks(batched_ctx *ctx, bool left, bool adjoint, const batch<T> &a, const batch<T> &tau,
                              const batch<T> &c)
{
  const int order = left ? c.m : c.n, k = a.n < order ? a.n : order, blocks = (int)ceil_div(k, reflectors_width);
  return with_memory(ctx, a, c.count, order, left ? c.n : c.m, left, [&](reflectors_memory<T> &s) {
    int status = BATCHED_SUCCESS;
    for (int q = 0; q < blocks && !status; q++) {
      const int i0 = reflectors_width * (left == adjoint ? q : blocks - 1 - q);
      status = make_block(ctx, s, a, tau, i0);
      if (!status) status = apply_block(ctx, s, left, adjoint, c, i0, 0);
    }
    return status;
  });
}

} // namespace batched_cuda::qr

#endif

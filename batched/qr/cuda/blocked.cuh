/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reflectors in blocks of 32 by products of matrices (LAPACK's larft and larfb), for columns that are too long for
 * registers: H(1) ... H(32) = I - V T V^H with V copied to scratch memory, its ones and zeros included.
 */
#ifndef BATCHED_QR_CUDA_BLOCKED_CUH
#define BATCHED_QR_CUDA_BLOCKED_CUH

#include "batched/qr/cuda/blocked_columns.cuh"
#include "batched/products/cuda/gemm.cuh"

namespace batched_cuda::qr
{

static constexpr int reflectors_width = 32;

/* V from the reflectors i0 .. of a matrix, `k` at most in all. */
template <class T>
static __global__ void __launch_bounds__(256) copy_reflectors(batch<T> a, batch<T> tau, batch<T> v, int i0)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = v.rows(b), k = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) : 0;
    if (m <= i0) continue;
    T *const to = v.at(b);
    const T *const from = k > i0 ? a.at(b) : nullptr;
    const int64_t ldv = v.leading(b), lda = k > i0 ? a.leading(b) : 0;
    for (int j = 0; j < reflectors_width; j++)
      for (int i = i0 + threadIdx.x; i < m; i += blockDim.x) {
        T x = make<T>(i == i0 + j && i < k);
        if (i > i0 + j && i0 + j < k) x = from[i + (i0 + j) * lda];
        to[i + j * ldv] = x;
      }
  }
}

/* T from V^H V and tau: row i by lane i of a warp. */
template <class T>
static __global__ void __launch_bounds__(32) make_triangle(batch<T> gram, batch<T> a, batch<T> tau, batch<T> t, int i0)
{
  __shared__ T rows[reflectors_width][reflectors_width + 1];
  const int i = threadIdx.x;
  for (int64_t b = blockIdx.x; b < gram.count; b += gridDim.x) {
    const int m = a.rows(b), count = m > 0 ? min(min(m, a.cols(b)), tau.length(b)) - i0 : 0;
    const T *const g = gram.at(b);
    T *const to = t.at(b);
    for (int j = 0; j < reflectors_width; j++) {
      const T scale = j < count ? tau.at(b)[(i0 + j) * (int64_t)tau.increment(b)] : make<T>(0);
      T sum = make<T>(0);
      for (int l = i; l < j && j < count; l++) sum = mad(rows[i][l], g[l + reflectors_width * j], sum);
      rows[i][j] = i == j ? scale : i < j && j < count ? -(scale * sum) : make<T>(0);
      to[i + reflectors_width * j] = rows[i][j];
    }
  }
}

/* Scratch memory for all blocks: V, V^H V, T, V^H C and T V^H C (or their adjoints). `order` is Q's, `others` C's
 * other dimension. */
template <class T> struct reflectors_memory {
  T *memory;
  batch<T> v, gram, t, w, x;

  static batch<T> matrix(T *&p, int64_t count, int m, int n)
  {
    const batch<T> a = {p, nullptr, (int64_t)m * n, count, m, n, m, nullptr, nullptr, nullptr, 0, 0};
    p += a.stride * count;
    return a;
  }
  int open(batched_ctx *ctx, int64_t count, int order, int others, bool left)
  {
    constexpr int width = reflectors_width;
    const size_t each = (size_t)width * (order + 2 * width + 2 * (size_t)others);
    T *p = memory = static_cast<T *>(batched_scratch_push(ctx, each * (size_t)count * sizeof(T)));
    if (!memory) return BATCHED_NO_MEMORY;
    v = matrix(p, count, order, width);
    gram = matrix(p, count, width, width);
    t = matrix(p, count, width, width);
    w = left ? matrix(p, count, width, others) : matrix(p, count, others, width);
    x = left ? matrix(p, count, width, others) : matrix(p, count, others, width);
    return BATCHED_SUCCESS;
  }
};

/* Returns f(s), s being the memory for products with the reflectors of A. */
template <class T, class F>
static int with_memory(batched_ctx *ctx, const batch<T> &a, int64_t count, int order, int others, bool left, F f)
{
  reflectors_memory<T> s;
  if (s.open(ctx, count, order, others, left)) return BATCHED_NO_MEMORY;
  s.v.ms = a.ms;
  const int status = f(s);
  batched_scratch_pop(ctx);
  return status;
}

/* V and T of the reflectors i0 .. of A. */
template <class T>
static int make_block(batched_ctx *ctx, reflectors_memory<T> &s, const batch<T> &a, const batch<T> &tau, int i0)
{
  int status = launch(ctx, copy_reflectors<T>, a.count, 256, 0, a, tau, s.v, i0);
  const batch<T> v = s.v.block(i0, 0, s.v.m - i0, reflectors_width);
  if (!status) status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, make<T>(1), v, v, make<T>(0), s.gram);
  return status ? status : launch(ctx, make_triangle<T>, a.count, 32, 0, s.gram, a, tau, s.t, i0);
}

/* c = op(H) c (left) or c op(H) for columns (rows) from `first` on of C. */
template <class T>
static int apply_block(batched_ctx *ctx, const reflectors_memory<T> &s, bool left, bool adjoint, const batch<T> &c,
                       int i0, int first)
{
  constexpr int width = reflectors_width;
  const batched_trans trans = adjoint ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS;
  const T one = make<T>(1), zero = make<T>(0);
  const batch<T> v = s.v.block(i0, 0, s.v.m - i0, width);
  const int others = (left ? c.n : c.m) - first;
  if (others <= 0) return BATCHED_SUCCESS;
  batch<T> part = left ? c.block(i0, first, c.m - i0, others) : c.block(first, i0, others, c.n - i0);
  batch<T> w = left ? s.w.block(0, first, width, others) : s.w.block(first, 0, others, width);
  batch<T> x = left ? s.x.block(0, first, width, others) : s.x.block(first, 0, others, width);
  (left ? w.ns : w.ms) = (left ? x.ns : x.ms) = left ? c.ns : c.ms;
  int status;
  if (left) {
    status = products::gemm(ctx, BATCHED_CONJ_TRANS, BATCHED_NO_TRANS, one, v, part, zero, w);
    if (!status) status = products::gemm(ctx, trans, BATCHED_NO_TRANS, one, s.t, w, zero, x);
    return status ? status : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, make<T>(-1), v, x, one, part);
  }
  status = products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_NO_TRANS, one, part, v, zero, w);
  if (!status) status = products::gemm(ctx, BATCHED_NO_TRANS, trans, one, w, s.t, zero, x);
  return status ? status : products::gemm(ctx, BATCHED_NO_TRANS, BATCHED_CONJ_TRANS, make<T>(-1), x, v, one, part);
}

/* Elements i0 .. of a vector of tau. */
template <class T> static batch<T> tau_from(const batch<T> &tau, int i0)
{
  if (tau.n == 1 && !tau.ns) return tau.block(i0, 0, tau.m > i0 ? tau.m - i0 : 0, 1);
  return tau.block(0, i0, tau.m, tau.n > i0 ? tau.n - i0 : 0);
}

/* Panels of 32 columns one by one, and the columns after each by its block. */
template <class T> static int factor_by_blocks(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  constexpr int width = reflectors_width;
  return with_memory(ctx, a, a.count, a.m, a.n, true, [&](reflectors_memory<T> &s) {
    int status = BATCHED_SUCCESS;
    for (int j = 0; j < a.m && j < a.n && !status; j += width) {
      const batch<T> panel = a.block(j, j, a.m - j, a.n - j < width ? a.n - j : width);
      status = launch(ctx, factor_columns<T>, a.count, column_threads, 0, panel, tau_from(tau, j));
      if (status || a.n - j <= width) continue;
      status = make_block(ctx, s, a, tau, j);
      if (!status) status = apply_block(ctx, s, true, true, a, j, j + width);
    }
    return status;
  });
}

/* The first `rows` rows of a matrix become 0. */
template <class T> static __global__ void __launch_bounds__(256) clear_top(batch<T> a, int rows)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int m = min(a.rows(b), rows), n = m > 0 ? a.cols(b) : 0;
    for (int j = 0; j < n; j++)
      for (int i = threadIdx.x; i < m; i += blockDim.x) a.at(b)[i + j * (int64_t)a.leading(b)] = make<T>(0);
  }
}

/* Q's own columns in place of the reflectors, the last panel first. */
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

/* c = op(Q) c or c op(Q) */
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

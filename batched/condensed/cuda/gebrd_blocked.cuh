/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows cuda.blocked, cuda.tuned, cuda.switched and cuda.padded of gebrd: Dong, Haidar, Luszczek, Tomov, Abdelfattah,
 * Dongarra, MAGMA Batched: A Batched BLAS Approach for Small Matrix Factorizations and Applications on GPUs (2016).
 *
 * Panels of 32 columns as in LAPACK's labrd, with both products of a step, A^H u and A v, by a batched gemv, and an
 * update by gemm behind each panel.  The rows differ in the gemv:
 *
 *   cuda.blocked   a block per matrix, whatever its size
 *   cuda.tuned     the row that was measured to be the fastest for each shape
 *   cuda.switched  a block per matrix up to 128 columns, several beyond
 *   cuda.padded    as cuda.switched; columns begin at 128 bytes, and products up to 15 rows earlier than they have to,
 *                  at a multiple of 16
 *
 * launches  copy; per column two kernels (a block of 256 threads per matrix) and two gemv; per 32 columns a gemm; copy
 *           back
 * scratch   a copy of the batch, or of as many matrices at a time as take 2 GB; no shared memory but for sums
 * takes     all four types, any size
 * memory    A twice per column, and read and written once per 32 columns
 * accuracy  as the rows in gebrd.cuh
 */
#ifndef BATCHED_CONDENSED_CUDA_GEBRD_BLOCKED_CUH
#define BATCHED_CONDENSED_CUDA_GEBRD_BLOCKED_CUH

#include "batched/condensed/cuda/panels.cuh"
#include "batched/products/products.h"

namespace batched_cuda::condensed
{

enum gemv_choice { GEMV_BLOCK, GEMV_TUNED, GEMV_SWITCHED, GEMV_PADDED };

/* A block's view of matrix b; its vectors are in global memory. */
template <class T> static __device__ panel_matrix<T> matrix_of(const panel<gebrd_task<T>> &g, int64_t b, int i)
{
  const auto dense = [&](const batch<T> &x) { return dense_matrix<T>{x.at(b), x.leading(b)}; };
  const int m = g.a.m, n = g.a.n;
  T *const sum = g.vectors + b * g.elements, *const row = sum + n, *const shorts = row + n;
  panel_matrix<T> p = {dense(g.a), dense(g.f), dense(g.x), dense(g.y), dense(g.v), m,       n,
                       0,          0,          nullptr,    sum,        row,        nullptr, shorts};
  p.u = i < panel_width ? &p.f(0, i) : nullptr;
  return p;
}

template <class T> __device__ __forceinline__ T factor_at(const batch<T> &tau, int64_t b, int i)
{
  return tau.at(b)[(int64_t)i * tau.increment(b)];
}

/* X of step i - 1, of which column i - 1 of x holds A v; then column i, its reflector, and F^H u and X^H u. */
template <class T>
static __global__ void __launch_bounds__(panel_threads)
  begin_step(const __grid_constant__ panel<gebrd_task<T>> g, int i)
{
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const panel_matrix<T> p = matrix_of(g, b, i);
    if (i > 0 && g.j + i - 1 < g.task.a.n - 1) {
      const T tau = factor_at(g.task.taup, b, g.j + i - 1);
      for (int k = i + threadIdx.x; k < p.m; k += blockDim.x)
        p.x(k, i - 1) = tau * (p.x(k, i - 1) - missing_in_row(p, k, i - 1, i - 1));
      __syncthreads();
    }
    if (i == g.width) continue;
    update_column(p, i, i, i);
    __syncthreads();
    const scaled_reflector<T> s = reflect_column(p, i, i);
    __syncthreads();
    if (threadIdx.x == 0) {
      put_step(g.task, b, g.j, p, i, s.h.tau);
      if (i + 1 == p.n) put_reflector(g.task, b, false, g.j + i, make<T>(0));
    }
    project_column(p, i, i);
    __syncthreads();
  }
}

/* Y of step i, of which column i of y holds A^H u; then row i and its reflector, and Y^H v and V^H v. */
template <class T>
static __global__ void __launch_bounds__(panel_threads)
  turn_to_row(const __grid_constant__ panel<gebrd_task<T>> g, int i)
{
  for (int64_t b = blockIdx.x; b < g.a.count; b += gridDim.x) {
    const panel_matrix<T> p = matrix_of(g, b, i);
    const int first = i + 1;
    const T tau = factor_at(g.task.tauq, b, g.j + i);
    correct_sums<true>(p, i);
    for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) {
      const T y = tau * (p.sum[c] + p.y(c, i));
      p.y(c, i) = y;
      p.row[c] = p.row[c] - y;
    }
    __syncthreads();
    const scaled_reflector<T> r = reflector_of<T>(p.n - first, [&](int c) { return p.row[first + c]; });
    __syncthreads();
    const real_of<T> last = r.h.beta * qr::inverse_scale(r.scale);
    for (int c = first + threadIdx.x; c < p.n; c += blockDim.x) {
      const T v = c == first ? make<T>(1) : (r.scale * p.row[c]) * r.h.inverse;
      p.v(c, i) = v;
      p.a(i, c) = c == first ? make<T>(last) : conj(v);
    }
    if (threadIdx.x == 0) {
      put_reflector(g.task, b, false, g.j + i, r.h.tau);
      put_real(g.task.e, b, g.j + i, last);
    }
    __syncthreads();
    project_row(p, i, i, first, &p.v(0, i));
    __syncthreads();
  }
}

/* y = op(A) x on blocks of dense matrices, by the row that `choice` says. */
template <class T>
static int multiply_vectors(batched_ctx *ctx, gemv_choice choice, batched_trans trans, const batch<T> &a,
                            const batch<T> &x, const batch<T> &y)
{
  const auto plain = [&](const batch<T> &b) {
    return batched_make_strided(type_of<T>, b.data + b.i0 + (int64_t)b.j0 * b.ld, b.m, b.n, b.ld, b.stride, b.count);
  };
  const batched_gemv_args args = {trans, {1, 0}, {0, 0}, plain(a), plain(x), plain(y)};
  if (choice == GEMV_TUNED) return run_best(ctx, batched_gemv_op, args);
  const bool one_block = choice == GEMV_BLOCK || a.n <= 128;
  const batched_variant *row =
    batched_find_variant(&batched_gemv_op, BATCHED_CUDA, one_block ? "cuda.block" : "cuda.native");
  if (!row || (row->fits && !row->fits(&args))) return run_best(ctx, batched_gemv_op, args);
  return row->run(ctx, &args);
}

/* First row of a product. */
static inline int start_of(gemv_choice choice, int row)
{
  return choice == GEMV_PADDED ? row / 16 * 16 : row;
}

template <class T> static int run_classic_panel(batched_ctx *ctx, const panel<gebrd_task<T>> &g, gemv_choice choice)
{
  const auto step = [&](auto kernel, int i) { return launch(ctx, kernel, g.a.count, panel_threads, 0, g, i); };
  const int m = g.a.m, n = g.a.n;
  int status = BATCHED_SUCCESS;
  for (int i = 0; i < g.width && !status; i++) {
    status = step(begin_step<T>, i);
    const int columns = n - i - 1, top = start_of(choice, i), below = start_of(choice, i + 1);
    if (status || columns == 0) break;
    status = multiply_vectors(ctx, choice, BATCHED_CONJ_TRANS, g.a.block(top, i + 1, m - top, columns),
                              g.f.block(top, i, m - top, 1), g.y.block(i + 1, i, columns, 1));
    if (!status) status = step(turn_to_row<T>, i);
    if (!status && m > below)
      status = multiply_vectors(ctx, choice, BATCHED_NO_TRANS, g.a.block(below, i + 1, m - below, columns),
                                g.v.block(i + 1, i, columns, 1), g.x.block(below, i, m - below, 1));
  }
  return status ? status : step(begin_step<T>, g.width);
}

template <class T> static int run_classic(batched_ctx *ctx, const gebrd_task<T> &g, gemv_choice choice)
{
  const int64_t vectors = panel_elements<T>(g.most_rows(), g.most_cols(), 1);
  const copies_layout layout = {panel_width, vectors, choice == GEMV_PADDED};
  return run_by_copies(ctx, g, layout, [=](const gebrd_task<T> &copies, const canonical_batch<T> &c) {
    return reduce_copies(ctx, copies, c, false, [&](panel<gebrd_task<T>> &panel) {
      panel.vectors = c.vectors;
      panel.elements = vectors;
      return run_classic_panel(ctx, panel, choice);
    });
  });
}

} // namespace batched_cuda::condensed

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Inverses of triangles, in place.
 */
#include "batched/triangular/triangular.h"
#include "batched/triangular/cuda/shared.cuh"
#include "batched/triangular/cuda/solve.cuh"

namespace batched_cuda::triangular
{
namespace
{

/* info[b]: the first zero on the diagonal, counted from 1, or 0; order[b]: the order of the matrix, 0 for a singular
 * one.  A warp per matrix, blocks of 32 x 4 threads. */
template <class T> __global__ void find_zeros(bool unit, batch<T> a, int *info, int *order)
{
  for (int64_t b = (int64_t)blockIdx.x * 4 + threadIdx.y; b < a.count; b += (int64_t)gridDim.x * 4) {
    const int n = a.rows(b);
    const int64_t ld = a.leading(b);
    const T *const d = n > 0 ? a.at(b) : nullptr;
    int first = INT_MAX;
    for (int i = threadIdx.x; i < n && !unit && first == INT_MAX; i += 32)
      if (d[i * (ld + 1)] == T{}) first = i + 1;
    first = (int)__reduce_min_sync(all_lanes, (unsigned)first);
    if (threadIdx.x == 0) {
      info[b] = first == INT_MAX ? 0 : first;
      if (order) order[b] = first == INT_MAX ? n : 0;
    }
  }
}

/* E = E^-1 for triangles of order n <= N, but for singular matrices, which stay as they are.
 *   algorithm  substitution for each column of the identity
 *   grid       a block of 64 threads per 64 / N matrices, a thread per column of the inverse
 *   registers  N elements per thread
 *   shared     N (N + V) / 2 elements per matrix (V to 16 bytes)
 *   takes      n <= 32, all types, uniform and variable
 *   memory     the triangle once from and to global memory
 *   accuracy   of substitution; a row with an extreme pivot is scaled by a power of two first */
template <class T, int N>
__global__ void __launch_bounds__(64) invert_small(triangle_form f, batch<T> a, const int *info)
{
  using layout = shared_layout<T, N>;
  constexpr int groups = 64 / N, size = (layout::x + 3) / 4 * 4;
  const int t = threadIdx.x % N, own = threadIdx.x / N;
  T *const e = shared_array<T>() + own * size, *const scales = e + layout::scales;
  for (int64_t first = (int64_t)blockIdx.x * groups; first < a.count; first += (int64_t)gridDim.x * groups) {
    const int64_t b = first + own;
    const int n = b < a.count && !(info && info[b]) ? a.rows(b) : 0;
    strided<T> triangle = {nullptr, 0, 0};
    if (n > 0) {
      triangle = triangle_of<T>(f, a.at(b), a.leading(b), n);
      for (int j = 0; j < n; j++)
        if (t >= j && t < n) start_copy(e + layout::element(t, j), &triangle(t, j));
    }
    wait_copies();
    __syncthreads();
    if (t < n && !f.unit) {
      const auto r = reciprocal_of(e[layout::element(t, t)]);
      e[layout::element(t, t)] = r.inverse;
      scales[t] = make<T>(r.scale);
    }
    __syncthreads();
    T x[N];
#pragma unroll
    for (int i = 0; i < N; i++) x[i] = make<T>(i == t);
    substitute_registers<T, N>(n, f.unit, e, scales, x);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < N; i++)
      if (i >= t && i < n) e[layout::element(i, t)] = x[i];
    __syncthreads();
    for (int j = 0; j < n; j++)
      if (t < n && (f.unit ? t > j : t >= j)) triangle(t, j) = e[layout::element(t, j)];
    __syncthreads();
  }
}

template <class T, int N> int launch_invert(batched_ctx *ctx, triangle_form f, const batch<T> &a, const int *info)
{
  constexpr int groups = 64 / N;
  return launch(ctx, invert_small<T, N>, ceil_div(a.count, groups), 64,
                groups * ((shared_layout<T, N>::x + 3) / 4 * 4) * sizeof(T), f, a, info);
}

template <class T> int invert(batched_ctx *ctx, triangle_form f, const batch<T> &a, const int *info)
{
  if (a.m <= 4) return launch_invert<T, 4>(ctx, f, a, info);
  if (a.m <= 8) return launch_invert<T, 8>(ctx, f, a, info);
  if (a.m <= 16) return launch_invert<T, 16>(ctx, f, a, info);
  return launch_invert<T, 32>(ctx, f, a, info);
}

/* [A1 0; A21 A2]^-1 = [A1^-1 0; -A2^-1 A21 A1^-1 A2^-1], by two trsm; upper triangles alike. */
template <class T> int invert_halves(batched_ctx *ctx, const batched_trtri_args &t, const batch<T> &a)
{
  const int n = a.m;
  if (n <= shared_order) return invert(ctx, form_of(BATCHED_LEFT, t.uplo, BATCHED_NO_TRANS, t.diag), a, nullptr);
  const int n1 = recursion_cut(shared_order, n), n2 = n - n1;
  const bool lower = t.uplo == BATCHED_LOWER;
  const batch<T> a1 = a.block(0, 0, n1, n1), a2 = a.block(n1, n1, n2, n2);
  const batch<T> off = lower ? a.block(n1, 0, n2, n1) : a.block(0, n1, n1, n2);
  int status = trsm(ctx, BATCHED_LEFT, t.uplo, BATCHED_NO_TRANS, t.diag, make<T>(-1), lower ? a2 : a1, off);
  if (!status) status = trsm(ctx, BATCHED_RIGHT, t.uplo, BATCHED_NO_TRANS, t.diag, make<T>(1), lower ? a1 : a2, off);
  if (!status) status = invert_halves(ctx, t, a1);
  return status ? status : invert_halves(ctx, t, a2);
}

template <class T> int invert_any(batched_ctx *ctx, const batched_trtri_args &t)
{
  batch<T> a = view<T>(t.a);
  const bool unit = t.diag == BATCHED_UNIT;
  const int64_t blocks = ceil_div(a.count, 4);
  if (a.m <= shared_order) {
    const int status = launch(ctx, find_zeros<T>, blocks, dim3(32, 4), 0, unit, a, t.info, nullptr);
    return status ? status : invert(ctx, form_of(BATCHED_LEFT, t.uplo, BATCHED_NO_TRANS, t.diag), a, t.info);
  }
  /* singular matrices become empty ones, which nothing touches */
  int *order = static_cast<int *>(batched_scratch_push(ctx, (size_t)a.count * sizeof(int)));
  if (!order) return BATCHED_NO_MEMORY;
  int status = launch(ctx, find_zeros<T>, blocks, dim3(32, 4), 0, unit, a, t.info, order);
  if (!unit) a.ms = a.ns = order;
  if (!status) status = invert_halves(ctx, t, a);
  batched_scratch_pop(ctx);
  return status;
}

/* Row cuda.recursive: halves down to order 32. */
int recursive(batched_ctx *ctx, const batched_trtri_args &t)
{
  return with_type(t.a.type, [&](auto zero) { return invert_any<decltype(zero)>(ctx, t); });
}

} // namespace
} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trtri_cuda[] = {row<nullptr, nullptr, recursive>("cuda.recursive"), BATCHED_LAST_ROW};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The inverse from a Cholesky factor: small ones by solving for the columns of the identity with the factor in
 * registers, others by L^-1 and its product with itself.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cholesky.h"

namespace batched_cuda::cholesky
{

/* The first zero on the diagonal, from 1 on; a: the corner of an n x n factor. */
template <class T> static __device__ __forceinline__ int first_zero(const T *a, int64_t ld, int n)
{
  for (int j = 0; j < n; j++)
    if (a[j * (ld + 1)] == make<T>(0)) return j + 1;
  return 0;
}

template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, solve_lanes<T, N>, N>())
  invert_rows(batched_uplo uplo, batch<T> a, int *info)
{
  constexpr int P = solve_lanes<T, N>, own = 128 / P, R = 1;
  const bool lower = uplo == BATCHED_LOWER;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    const int bad = m.n > 0 ? first_zero(m.at, a.leading(m.b), m.n) : 0;
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    invert_diagonal(l, inverse);
    __syncwarp();
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
    for (int j = 0; j < a.n; j++) {
      solve_rows<T, P, N, R> s;
#pragma unroll
      for (int i = 0; i < N / P; i++) s.x[i][0] = make<T>(real_of<T>(l.t + P * i == j ? 1 : 0));
      s.solve(l, inverse, !lower, a.m);
#pragma unroll
      for (int i = 0; i < N / P; i++) {
        const int r = l.t + P * i;
        if (r >= j && r < m.n && bad == 0) m.at[r * m.row + j * m.col] = conj_if(!lower, s.x[i][0]);
      }
    }
  }
}

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potri_args *>(args);
  return with_type(p->a.type, [&](auto t) {
    using T = decltype(t);
    return with_row_class<T>(p->a.n, [&](auto order) {
      constexpr int N = decltype(order)::value;
      return launch(ctx, invert_rows<T, N>, ceil_div(p->a.count, 128 / solve_lanes<T, N>), 128, 0, p->uplo,
                    view<T>(p->a), p->info);
    });
  });
}

static bool is_small(const void *args)
{
  return static_cast<const batched_potri_args *>(args)->a.n <= 32;
}

/* Beyond, a column after the other takes longer than trsm and syrk. */
static bool likes_warp(const void *args)
{
  return static_cast<const batched_potri_args *>(args)->a.n <= 24;
}

/* info; sizes[b]: order of the matrix, or 0 where it has no inverse; x: the identity. */
template <class T> static __global__ void prepare(batch<T> a, batch<T> x, int *info, int *sizes)
{
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), bad = n > 0 ? first_zero(a.at(b), a.leading(b), n) : 0;
    if (threadIdx.x == 0) {
      info[b] = bad;
      sizes[b] = bad ? 0 : n;
    }
    for (int64_t e = threadIdx.x; e < (int64_t)x.ld * x.n; e += blockDim.x)
      x.data[b * x.stride + e] = make<T>(real_of<T>(e % (x.ld + 1) == 0 ? 1 : 0));
  }
}

/* Matrices first .. first + count - 1. */
template <class T> static batch<T> part(batch<T> a, int64_t first, int64_t count)
{
  if (a.array)
    a.array += first;
  else
    a.data += first * a.stride;
  if (a.ms) a.ms += first;
  if (a.ns) a.ns += first;
  if (a.lds) a.lds += first;
  a.count = count;
  return a;
}

/* Of as many matrices at a time as have their L^-1 in this scratch memory. */
static constexpr int64_t scratch_bytes = 256 << 20;

template <class T> static int invert_blocked(batched_ctx *ctx, batched_uplo uplo, const batch<T> &all, int *info)
{
  const int64_t square = (int64_t)all.m * all.m, fit = scratch_bytes / (square * (int64_t)sizeof(T));
  const int64_t chunk = fit < 1 ? 1 : fit < all.count ? fit : all.count;
  T *x = static_cast<T *>(batched_scratch_push(ctx, (size_t)(chunk * square) * sizeof(T)));
  if (!x) return BATCHED_NO_MEMORY;
  int *sizes = static_cast<int *>(batched_scratch_push(ctx, (size_t)chunk * sizeof(int)));
  int status = sizes ? BATCHED_SUCCESS : BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < all.count && !status; b += chunk) {
    batch<T> a = part(all, b, b + chunk < all.count ? chunk : all.count - b);
    batch<T> y{x, nullptr, square, a.count, a.m, a.m, a.m, nullptr, nullptr, nullptr, 0, 0};
    status = launch(ctx, prepare<T>, a.count, 256, 0, a, y, info + b, sizes);
    a.ms = a.ns = y.ms = y.ns = sizes;
    const T one = make<T>(real_of<T>(1)), zero = make<T>(real_of<T>(0));
    if (!status) status = triangular::trsm(ctx, BATCHED_LEFT, uplo, BATCHED_NO_TRANS, BATCHED_NON_UNIT, one, a, y);
    if (!status)
      status =
        products::syrk(ctx, uplo, uplo == BATCHED_LOWER ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS, true, one, y, zero, a);
  }
  if (sizes) batched_scratch_pop(ctx);
  batched_scratch_pop(ctx);
  return status;
}

static int blocked(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potri_args *>(args);
  if (p->a.n == 0) return status_of(cudaMemsetAsync(p->info, 0, (size_t)p->a.count * sizeof(int), stream_of(ctx)));
  return with_type(p->a.type, [&](auto t) { return invert_blocked(ctx, p->uplo, view<decltype(t)>(p->a), p->info); });
}

} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potri_cuda[] = {
  {"cuda.warp", is_small, likes_warp, warp},
  {"cuda.blocked", nullptr, nullptr, blocked},
  BATCHED_LAST_ROW,
};

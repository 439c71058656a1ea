/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky and its solves in one kernel while the factor stays in registers or shared memory; otherwise one after the
 * other.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/cholesky/cuda/potrf_fused.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/potrs_fused.cuh"
#include "batched/cholesky/cholesky.h"

namespace batched_cuda::cholesky
{

template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, row_lanes<T, N>, N>())
  factor_and_solve_rows(batched_uplo uplo, batch<T> a, batch<T> x, int *info)
{
  constexpr int P = row_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    const int bad = l.factor(a.m);
    l.store(m.at, m.row, m.col, m.n);
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
    invert_diagonal(l, inverse);
    const int nrhs = m.n > 0 && bad == 0 ? x.cols(m.b) : 0;
    const int64_t ldb = nrhs > 0 ? x.leading(m.b) : 0;
    T *b = nrhs > 0 ? x.at(m.b) : nullptr;
    for (int j = 0; j < x.n; j++) {
      solve_rows<T, P, N, 1> s;
      s.load(l.t, b + j * ldb, ldb, m.n, nrhs - j);
      s.solve(l, inverse, uplo == BATCHED_UPPER, a.m);
      s.store(l.t, b + j * ldb, ldb, m.n, nrhs - j);
    }
  }
}

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_posv_args *>(args);
  return with_type(p->a.type, [&](auto t) {
    using T = decltype(t);
    return with_row_class<T>(p->a.n, [&](auto order) {
      constexpr int N = decltype(order)::value;
      return launch(ctx, factor_and_solve_rows<T, N>, ceil_div(p->a.count, 128 / row_lanes<T, N>), 128, 0, p->uplo,
                    view<T>(p->a), view<T>(p->b), p->info);
    });
  });
}

static bool is_small(const void *args)
{
  return static_cast<const batched_posv_args *>(args)->a.n <= 32;
}

template <class T>
static __global__ void __launch_bounds__(256) factor_and_solve(batched_uplo uplo, batch<T> a, batch<T> x, int *info)
{
  const bool lower = uplo == BATCHED_LOWER;
  T *piece = shared_array<T>(), *scales = piece + 2 * solve_width * tile_edge;
  __shared__ int failed;
  for (int64_t b = blockIdx.x; b < a.count; b += gridDim.x) {
    const int n = a.rows(b), nt = (n + tile_edge - 1) / tile_edge;
    const int64_t ld = a.leading(b);
    const tile_panel<T> l{scales + tile_edge, scales, nt, nt};
    if (n > 0) l.load(lower, a.at(b), ld, n);
    __pipeline_wait_prior(0);
    __syncthreads();
    const int bad = n > 0 ? l.factor() : 0;
    if (threadIdx.x == 0) info[b] = failed = bad;
    __syncthreads();
    if (n > 0) l.store(lower, a.at(b), ld, n);
    if (n > 0 && x.cols(b) > 0 && failed == 0)
      solve_all<T, solve_width>(l, piece, lower, n, x.at(b), x.leading(b), x.cols(b));
    __syncthreads();
  }
}

static int fused(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_posv_args *>(args);
  return with_type(p->a.type, [&](auto t) {
    using T = decltype(t);
    const int n = p->a.n > 0 ? p->a.n : 1;
    return launch(ctx, factor_and_solve<T>, p->a.count, solve_threads(n),
                  solve_bytes<T, solve_width>((int)ceil_div(n, tile_edge)), p->uplo, view<T>(p->a), view<T>(p->b),
                  p->info);
  });
}

static bool fits_shared(const void *args)
{
  const auto *p = static_cast<const batched_posv_args *>(args);
  return with_type(p->a.type, [&](auto t) {
           const int nt = (int)ceil_div(p->a.n, tile_edge);
           return p->a.n <= 256 && solve_bytes<decltype(t), solve_width>(nt) <= (int64_t)most_shared() ? 0 : 1;
         }) == 0;
}

/* Two matrices of them fit into a multiprocessor. */
static bool likes_shared(const void *args)
{
  const auto *p = static_cast<const batched_posv_args *>(args);
  return with_type(p->a.type, [&](auto t) {
           return solve_bytes<decltype(t), solve_width>((int)ceil_div(p->a.n, tile_edge)) <= (int64_t)half_shared() ? 0
                                                                                                                    : 1;
         }) == 0;
}

/* The rows of B that are to be solved for: none where there is no factor. */
template <class T> static __global__ void count_rows(batch<T> x, const int *info, int *rows)
{
  const int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < x.count; b += step)
    rows[b] = info[b] == 0 ? x.rows(b) : 0;
}

static int composed(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_posv_args *>(args);
  const batched_potrf_args factor = {p->uplo, p->a, p->info};
  int *rows = static_cast<int *>(batched_scratch_push(ctx, (size_t)p->b.count * sizeof(int)));
  if (!rows) return BATCHED_NO_MEMORY;
  const batched_potrs_args solve = {p->uplo, p->a, batched_with_sizes(p->b, rows, p->b.ns, p->b.lds)};
  const bool solves = p->b.m > 0 && p->b.n > 0;
  /* A row that was asked for and does not fit: nothing is overwritten. */
  int status = solves && !batched_choose(ctx, &batched_potrs_op, &solve) ? BATCHED_DOES_NOT_FIT : BATCHED_SUCCESS;
  if (!status) status = batched_run(ctx, &batched_potrf_op, &factor);
  if (!status)
    status = with_type(p->b.type, [&](auto t) {
      return launch(ctx, count_rows<decltype(t)>, ceil_div(p->b.count, 256), 256, 0, view<decltype(t)>(p->b), p->info,
                    rows);
    });
  if (!status && solves) status = batched_run(ctx, &batched_potrs_op, &solve);
  batched_scratch_pop(ctx);
  return status;
}

} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_posv_cuda[] = {
  {"cuda.warp", is_small, nullptr, warp},
  {"cuda.fused", fits_shared, likes_shared, fused},
  {"cuda.composed", nullptr, nullptr, composed},
  BATCHED_LAST_ROW,
};

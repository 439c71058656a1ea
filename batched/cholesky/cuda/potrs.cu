/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Solves with a Cholesky factor: both triangles in one kernel as long as the factor fits.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/potrs_rows.cuh"
#include "batched/cholesky/cuda/potrs_stream.cuh"
#include "batched/triangular/cuda/tiles.cuh"
#include "batched/cholesky/cuda/cusolver.cuh"
#include "batched/cholesky/cholesky.h"

namespace batched_cuda::cholesky
{

template <class T, int N, int R>
static __global__ void __launch_bounds__(128, row_blocks<T, solve_lanes<T, N>, N>())
  solve_rows_of(batched_uplo uplo, batch<T> a, batch<T> x)
{
  constexpr int P = solve_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < x.count; first += (int64_t)gridDim.x * own) {
    const int64_t b = first + threadIdx.x / P;
    const bool mine = b < x.count;
    const int n = mine ? x.rows(b) : 0, nrhs = mine && n > 0 ? x.cols(b) : 0;
    const int64_t lda = mine ? a.leading(b) : 1, ldb = mine ? x.leading(b) : 1;
    const bool lower = uplo == BATCHED_LOWER;
    T *at = nrhs > 0 ? x.at(b) : nullptr;
    triangle_rows<T, P, N> l;
    T inverse[N / P];
    l.t = threadIdx.x % P;
    l.load(nrhs > 0 ? a.at(b) : nullptr, lower ? 1 : lda, lower ? lda : 1, nrhs > 0 ? n : 0);
    invert_diagonal(l, inverse);
    for (int j = 0; j < x.n; j += R) {
      solve_rows<T, P, N, R> s;
      s.load(l.t, at + j * ldb, ldb, n, nrhs - j);
      s.solve(l, inverse, !lower, x.m);
      s.store(l.t, at + j * ldb, ldb, n, nrhs - j);
    }
  }
}

template <class T, int N, int R> static int launch_rows(const batched_ctx *ctx, const batched_potrs_args *p)
{
  return launch(ctx, solve_rows_of<T, N, R>, ceil_div(p->b.count, 128 / solve_lanes<T, N>), 128, 0, p->uplo,
                view<T>(p->a), view<T>(p->b));
}

/* Right-hand sides that go together through a factor in registers. */
static constexpr int row_columns = 2;

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    return with_row_class<T>(p->b.m, [&](auto order) {
      constexpr int N = decltype(order)::value;
      return p->b.n == 1 ? launch_rows<T, N, 1>(ctx, p) : launch_rows<T, N, row_columns>(ctx, p);
    });
  });
}

static bool is_small(const void *args)
{
  return static_cast<const batched_potrs_args *>(args)->b.m <= 32;
}

/* Sums over lanes for every right-hand side: where there are several, trsm's thread for each of them is better. */
static bool likes_warp(const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return p->b.m <= 24 || p->b.n <= 4;
}

static int rows(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p->a), b = view<T>(p->b);
    if constexpr (sizeof(T) <= 8) {
      if (b.m > 40) return solve_by_rows_of<T, 16, 48>(ctx, p->uplo, a, b);
      if (b.m > 32) return solve_by_rows_of<T, 8, 40>(ctx, p->uplo, a, b);
    }
    return solve_by_rows_of<T, 16, 32>(ctx, p->uplo, a, b);
  });
}

static bool fits_rows(const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return p->b.m <= (p->b.type == BATCHED_Z ? 32 : 48) && p->b.n == 1;
}

static bool likes_rows(const void *args)
{
  return static_cast<const batched_potrs_args *>(args)->b.m > 16;
}

static int by_stream(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return solve_by_stream(ctx, p->uplo, view<double>(p->a), view<double>(p->b));
}

/* In double precision alone: in others it is as fast as tiles. */
static bool fits_stream(const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return p->b.type == BATCHED_D && p->b.n == 1 && p->b.m > 32 && p->b.m <= 256 && !batched_is_variable(&p->a) &&
         !batched_is_variable(&p->b) && plan_stream<double>(p->b.m).fits();
}

static bool likes_stream(const void *args)
{
  return static_cast<const batched_potrs_args *>(args)->b.m > 50;
}

/* Right-hand sides that a warp takes through the tiles together. */
static constexpr int tile_columns = 10;

static int by_tiles(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    const triangular::triangle_form f = triangular::form_of(
      BATCHED_LEFT, p->uplo, p->uplo == BATCHED_LOWER ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, BATCHED_NON_UNIT);
    const batch<T> a = view<T>(p->a), b = view<T>(p->b);
    return b.n == 1 && !b.ns
             ? triangular::solve_by_tiles<T, 1, false, true>(ctx, f, b.m, 1, make<T>(1), a, b)
             : triangular::solve_by_tiles<T, tile_columns, false, true>(ctx, f, b.m, b.n, make<T>(1), a, b);
  });
}

static bool fits_tiles(const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  return (size_t)p->b.m * tile_columns * batched_element_bytes(p->b.type) <= 32 * 1024;
}

static bool likes_tiles(const void *args)
{
  return static_cast<const batched_potrs_args *>(args)->b.n <= 2 * tile_columns;
}

/* A^-1 = L^-H L^-1 or U^-1 U^-H. */
static int blocked(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrs_args *>(args);
  const bool lower = p->uplo == BATCHED_LOWER;
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    const T one = make<T>(real_of<T>(1));
    const auto solve = [&](batched_trans trans) {
      return triangular::trsm(ctx, BATCHED_LEFT, p->uplo, trans, BATCHED_NON_UNIT, one, view<T>(p->a), view<T>(p->b));
    };
    const int status = solve(lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS);
    return status ? status : solve(lower ? BATCHED_CONJ_TRANS : BATCHED_NO_TRANS);
  });
}

} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potrs_cuda[] = {
  {"cuda.rows", fits_rows, likes_rows, rows},
  {"cuda.warp", is_small, likes_warp, warp},
  {"cuda.stream", fits_stream, likes_stream, by_stream},
  {"cuda.tiles", fits_tiles, likes_tiles, by_tiles},
  {"cuda.blocked", nullptr, nullptr, blocked},
  {"vendor.cusolver", vendor_potrs_fits, never, vendor_potrs},
  BATCHED_LAST_ROW,
};

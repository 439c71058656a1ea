/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Cholesky: small matrices in registers, those of middle size by one block of threads each, large ones by blocks of
 * theirs.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/cholesky/cuda/potrf_fused.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/potrf_strips.cuh"
#include "batched/cholesky/cuda/cusolver.cuh"
#include "batched/cholesky/cholesky.h"

namespace batched_cuda::cholesky
{

/* Largest matrices whose rows the lanes of a warp hold. */
template <class T> constexpr int warp_order = has_tensor_tiles<T> ? 24 : 32;

template <class T, int N>
static __global__ void __launch_bounds__(128, row_blocks<T, row_lanes<T, N>, N>())
  factor_rows(batched_uplo uplo, batch<T> a, int *info)
{
  constexpr int P = row_lanes<T, N>, own = 128 / P;
  for (int64_t first = (int64_t)blockIdx.x * own; first < a.count; first += (int64_t)gridDim.x * own) {
    const lane_matrix<T> m(uplo, a, first + threadIdx.x / P);
    triangle_rows<T, P, N> l;
    l.t = threadIdx.x % P;
    l.load(m.at, m.row, m.col, m.n);
    const int bad = l.factor(a.m);
    l.store(m.at, m.row, m.col, m.n);
    if (l.t == 0 && m.b < a.count) info[m.b] = bad;
  }
}

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) {
    using T = decltype(t);
    return with_row_class<T>(p->a.n, [&](auto order) {
      constexpr int N = decltype(order)::value;
      if constexpr (N > warp_order<T>)
        return (int)BATCHED_DOES_NOT_FIT;
      else
        return launch(ctx, factor_rows<T, N>, ceil_div(p->a.count, 128 / row_lanes<T, N>), 128, 0, p->uplo,
                      view<T>(p->a), p->info);
    });
  });
}

static bool is_small(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return p->a.n <= warp_order<decltype(t)> ? 0 : 1; }) == 0;
}

static int tiles(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return launch_in_registers(ctx, p->uplo, view<double>(p->a), p->info);
}

static bool fits_tiles(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return p->a.type == BATCHED_D && p->a.n <= most_held_tiles * tile_edge;
}

/* The rows of an upper triangle are far from each other; and in a variable batch a warp does as much for a small
 * matrix. */
static bool likes_tiles(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return p->a.n > 20 && p->a.n <= (p->uplo == BATCHED_LOWER && !batched_is_variable(&p->a) ? 48 : 32);
}

static int strips(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return launch_by_strips(ctx, p->uplo, view<double>(p->a), p->info, 0);
}

static bool strips_fit(int n)
{
  return n <= 32 * most_strip_blocks && strip_bytes((int)ceil_div(n, 32)) <= most_shared();
}

static bool fits_strips(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return p->a.type == BATCHED_D && strips_fit(p->a.n);
}

/* Where most of the last row of blocks is there; in smaller ones the whole triangle fits several times.  In a variable
 * batch the warps of rows that a matrix does not have would idle. */
static bool strips_are_faster(int n, bool variable)
{
  return n >= 192 || (!variable && ((n > 112 && n <= 128) || n > 140));
}

static bool likes_strips(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return strips_are_faster(p->a.n, batched_is_variable(&p->a));
}

static int fused(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return launch_whole(ctx, p->uplo, view<decltype(t)>(p->a), p->info, 0); });
}

static bool fits_whole(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return plan_whole<decltype(t)>(p->a.n).width > 0 ? 0 : 1; }) == 0;
}

/* In double, panels are faster where they have their whole width and either no more than two triangles fit, or columns
 * don't start at 32 bytes. */
static bool likes_whole(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  const int n = p->a.n;
  const bool in_panels = (n > 120 && n < 128 && n % 4 != 0) || (n > 152 && n <= 192);
  return p->a.type != BATCHED_D || !in_panels;
}

static int panels(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return launch_panels(ctx, p->uplo, view<decltype(t)>(p->a), p->info); });
}

static bool fits_panels(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return plan_panels<decltype(t)>(p->a.n).width > 0 ? 0 : 1; }) == 0;
}

/* Where the tensor cores do the products of a panel, and a multiprocessor has more than one block; else trsm and syrk
 * are faster. */
static bool likes_panels(const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return p->a.type == BATCHED_D && p->a.n <= 288;
}

template <bool lazy> static int looped(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type,
                   [&](auto t) { return launch_steps(ctx, p->uplo, view<decltype(t)>(p->a), lazy, p->info); });
}

static bool fits_panels_uniform(const void *args)
{
  return !batched_is_variable(&static_cast<const batched_potrf_args *>(args)->a) && fits_panels(args);
}

/* One block on the diagonal; offset: order of what was factored before. */
template <class T>
static int factor_diagonal(const batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info, int offset)
{
  if constexpr (std::is_same_v<T, double>)
    if (strips_fit(a.m) && strips_are_faster(a.m, a.is_variable())) return launch_by_strips(ctx, uplo, a, info, offset);
  return launch_whole(ctx, uplo, a, info, offset);
}

/* Columns of a block: in double precision as few and as even blocks as strips can factor. */
template <class T> static int block_columns(int n)
{
  constexpr int most = 32 * most_strip_blocks;
  if (std::is_same_v<T, double> && n > most && strips_fit(most)) return 32 * (int)ceil_div(n, 32 * ceil_div(n, most));
  return sizeof(T) <= 8 ? 128 : 64;
}

/* Right-looking: the block on the diagonal, then trsm and syrk (herk). */
template <class T> static int blocked(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const bool lower = uplo == BATCHED_LOWER;
  const int n = a.m, nb = block_columns<T>(n);
  int status = factor_diagonal(ctx, uplo, a.block(0, 0, n < nb ? n : nb, n < nb ? n : nb), info, 0);
  for (int k = 0; k + nb < n && !status; k += nb) {
    const int rest = n - k - nb, next = rest < nb ? rest : nb;
    const batch<T> diagonal = a.block(k, k, nb, nb), trailing = a.block(k + nb, k + nb, rest, rest);
    const batch<T> panel = lower ? a.block(k + nb, k, rest, nb) : a.block(k, k + nb, nb, rest);
    status = triangular::trsm(ctx, lower ? BATCHED_RIGHT : BATCHED_LEFT, uplo, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT,
                              make<T>(real_of<T>(1)), diagonal, panel);
    if (!status)
      status = products::syrk(ctx, uplo, lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, true, make<T>(real_of<T>(-1)),
                              panel, make<T>(real_of<T>(1)), trailing);
    if (!status) status = factor_diagonal(ctx, uplo, a.block(k + nb, k + nb, next, next), info, k + nb);
  }
  return status;
}

static int blocked_row(batched_ctx *ctx, const void *args)
{
  const auto *p = static_cast<const batched_potrf_args *>(args);
  return with_type(p->a.type, [&](auto t) { return blocked(ctx, p->uplo, view<decltype(t)>(p->a), p->info); });
}

} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potrf_cuda[] = {
  {"cuda.tiles", fits_tiles, likes_tiles, tiles},
  {"cuda.warp", is_small, nullptr, warp},
  {"cuda.strips", fits_strips, likes_strips, strips},
  {"cuda.fused", fits_whole, likes_whole, fused},
  {"cuda.panels", fits_panels, likes_panels, panels},
  {"cuda.blocked", nullptr, nullptr, blocked_row},
  {"cuda.looped", fits_panels_uniform, never, looped<false>},
  {"cuda.greedy", fits_panels, never, looped<false>},
  {"cuda.lazy", fits_panels, never, looped<true>},
  {"vendor.cusolver", vendor_potrf_fits, never, vendor_potrf},
  BATCHED_LAST_ROW,
};

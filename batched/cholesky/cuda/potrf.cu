/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of potrf, A = L L^H or U^H U, with their contracts where their names lead:
 *   cuda.lanes, cuda.warp_tc, cuda.registers   in registers: of part of a warp, a warp, a block per matrix
 *   cuda.panels_tc, cuda.shared                in shared memory, a block per matrix
 *   cuda.panels                                a block per matrix, which streams the columns left of each panel through
 *                                              shared memory
 *   cuda.panels_greedy, cuda.panels_lazy       the same with a launch per panel: potrf_panels.cuh
 *   cuda.tiles_tc                              a block per matrix, by tiles of 64 x 64
 *   cuda.blocked                               several launches per block of columns: below
 *   cuda.native                                one large matrix on the whole GPU
 *   vendor.cusolver
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/cholesky/cholesky.h"
#include "batched/cholesky/cuda/cusolver.cuh"
#include "batched/cholesky/cuda/lanes.cuh"
#include "batched/cholesky/cuda/native.cuh"
#include "batched/cholesky/cuda/potrf_panels.cuh"
#include "batched/cholesky/cuda/potrf_panels_tc.cuh"
#include "batched/cholesky/cuda/potrf_registers.cuh"

namespace batched_cuda::cholesky
{
namespace
{

/* One call: of whole matrices, or of the diagonal blocks of larger ones, of which `offset` rows were factored
 * before. */
template <class T> struct factorization {
  batched_uplo uplo;
  batch<T> a;
  int *info, offset;

  int order() const
  {
    return a.m;
  }
  batched_shape shape() const
  {
    batched_shape s = shape_of(a);
    s.lower = uplo == BATCHED_LOWER;
    return s;
  }
};

/* Types that panels_tc takes. */
template <class T> constexpr bool is_real = !is_complex<T>;

/* ------------------------------------------------------------------ kernels */

template <class T> bool fits_warp_tc(const factorization<T> &f)
{
  return std::is_same_v<T, double> && f.order() <= most_held_tiles * tile_edge;
}
template <class T> int run_warp_tc(batched_ctx *ctx, const factorization<T> &f)
{
  if constexpr (std::is_same_v<T, double>) return factor_warp_tc(ctx, f.uplo, f.a, f.info);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> bool fits_lanes(const factorization<T> &f)
{
  return f.order() <= lanes_order<T>;
}
template <class T> int run_lanes(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_lanes(ctx, f.uplo, f.a, f.info);
}

template <class T> bool fits_registers(const factorization<T> &f)
{
  return f.order() <= registers_order<T>;
}
template <class T> int run_registers(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_by_registers(ctx, f.uplo, f.a, f.info, f.offset);
}

template <class T> bool fits_panels_tc(const factorization<T> &f)
{
  return is_real<T> && panels_tc_fit(f.order());
}
template <class T> int run_panels_tc(batched_ctx *ctx, const factorization<T> &f)
{
  if constexpr (is_real<T>) return factor_by_panels_tc(ctx, f.uplo, f.a, f.info, f.offset);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> bool fits_shared(const factorization<T> &f)
{
  return shared_fits<T>(f.order());
}
template <class T> int run_shared(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_by_shared(ctx, f.uplo, f.a, f.info, f.offset);
}

template <class T> bool fits_panels(const factorization<T> &f)
{
  return plan_panels<T>(f.order()).width > 0;
}
template <class T> int run_panels(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_by_panels(ctx, f.uplo, f.a, f.info);
}
template <class T, bool lazy> int run_launches(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_by_launches(ctx, f.uplo, f.a, lazy, f.info);
}

template <class T> bool fits_tiles_tc(const factorization<T> &)
{
  return std::is_same_v<T, double>;
}
template <class T> int run_tiles_tc(batched_ctx *ctx, const factorization<T> &f)
{
  if constexpr (std::is_same_v<T, double>) return factor_by_tiles_tc(ctx, f.uplo, f.a, f.info);
  return BATCHED_DOES_NOT_FIT;
}
template <class T> int run_native(batched_ctx *ctx, const factorization<T> &f)
{
  return factor_natively(ctx, f.uplo, f.a, f.info);
}

/* ------------------------------------------------------------------ blocked */

/* The kernels for diagonal blocks. */
template <class T>
constexpr kernel<factorization<T>> block_kernels[] = {{fits_panels_tc<T>, by_table, run_panels_tc<T>},
                                                      {fits_shared<T>, nullptr, run_shared<T>}};
constexpr kernel_names<2> block_names = {"potrf", {"cuda.panels_tc", "cuda.shared"}};

/* Columns of a block: as few and as even blocks as panels_tc can factor (variable ones of s are left to cuda.shared),
 * or, in c and z, as are fast. */
template <class T> int block_columns(int n, bool variable)
{
  constexpr int panels = 32 * most_paired_strip_blocks;
  const auto evenly = [n](int edge, int most) { return edge * (int)ceil_div(n, edge * ceil_div(n, most)); };
  if (sizeof(T) == 4 && variable) return 128;
  if (is_real<T>) return n > panels && panels_tc_fit(panels) ? evenly(32, panels) : 128;
  if (sizeof(T) == 8) return n > 256 ? evenly(16, 96) : 128;
  return n > 112 ? evenly(16, 112) : 112;
}

/* Row cuda.blocked: right-looking, a diagonal block, then trsm and syrk (herk).  Any order, all types. */
template <class T> int run_blocked(batched_ctx *ctx, const factorization<T> &f)
{
  const bool lower = f.uplo == BATCHED_LOWER;
  const int n = f.order(), nb = block_columns<T>(n, f.a.is_variable());
  const auto factor_diagonal = [&](int k, int size) {
    const factorization<T> block = {f.uplo, f.a.block(k, k, size, size), f.info, k};
    return pick(ctx, block_names, block_kernels<T>, block)->run(ctx, block);
  };
  int status = factor_diagonal(0, n < nb ? n : nb);
  for (int k = 0; k + nb < n && !status; k += nb) {
    const int rest = n - k - nb;
    const batch<T> diagonal = f.a.block(k, k, nb, nb), trailing = f.a.block(k + nb, k + nb, rest, rest);
    const batch<T> panel = lower ? f.a.block(k + nb, k, rest, nb) : f.a.block(k, k + nb, nb, rest);
    status = triangular::trsm(ctx, lower ? BATCHED_RIGHT : BATCHED_LEFT, f.uplo, BATCHED_CONJ_TRANS, BATCHED_NON_UNIT,
                              make<T>(real_of<T>(1)), diagonal, panel);
    if (!status)
      status = products::syrk(ctx, f.uplo, lower ? BATCHED_NO_TRANS : BATCHED_CONJ_TRANS, true, make<T>(real_of<T>(-1)),
                              panel, make<T>(real_of<T>(1)), trailing);
    if (!status) status = factor_diagonal(k + nb, rest < nb ? rest : nb);
  }
  return status;
}

/* ------------------------------------------------------------------ rows */

enum { WARP_TC, LANES, REGISTERS, PANELS_TC, SHARED, PANELS, TILES_TC, BLOCKED, GREEDY, LAZY, NATIVE, KERNELS };

template <class T>
constexpr kernel<factorization<T>> potrf_kernels[KERNELS] = {
  {fits_warp_tc<T>, by_table, run_warp_tc<T>},
  {fits_lanes<T>, nullptr, run_lanes<T>},
  {fits_registers<T>, by_table, run_registers<T>},
  {fits_panels_tc<T>, by_table, run_panels_tc<T>},
  {fits_shared<T>, nullptr, run_shared<T>},
  {fits_panels<T>, by_table, run_panels<T>},
  {fits_tiles_tc<T>, by_table, run_tiles_tc<T>},
  {nullptr, nullptr, run_blocked<T>},
  {fits_panels<T>, nullptr, run_launches<T, false>},
  {fits_panels<T>, nullptr, run_launches<T, true>},
  {nullptr, nullptr, run_native<T>},
};

struct potrf {
  using args = batched_potrf_args;
  static batched_type type_of(const args &p)
  {
    return p.a.type;
  }
  template <class T> static factorization<T> typed(const args &p)
  {
    return {p.uplo, view<T>(p.a), p.info, 0};
  }
  template <class T> static const auto &kernels()
  {
    return potrf_kernels<T>;
  }
};

} // namespace
} // namespace batched_cuda::cholesky

using namespace batched_cuda;
using namespace batched_cuda::cholesky;

const batched_variant batched_potrf_cuda[] = {
  kernel_row<potrf, WARP_TC>("cuda.warp_tc"),
  kernel_row<potrf, LANES>("cuda.lanes"),
  kernel_row<potrf, REGISTERS>("cuda.registers"),
  kernel_row<potrf, PANELS_TC>("cuda.panels_tc"),
  kernel_row<potrf, SHARED>("cuda.shared"),
  kernel_row<potrf, PANELS>("cuda.panels"),
  kernel_row<potrf, TILES_TC>("cuda.tiles_tc"),
  kernel_row<potrf, BLOCKED>("cuda.blocked"),
  kernel_row<potrf, GREEDY, never>("cuda.panels_greedy"),
  kernel_row<potrf, LAZY, never>("cuda.panels_lazy"),
  kernel_row<potrf, NATIVE, batched_by_table>("cuda.native"),
  row<vendor_potrf_fits, never, vendor_potrf>("vendor.cusolver"),
  BATCHED_LAST_ROW,
};

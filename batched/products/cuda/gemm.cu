/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The kernels of products and the choice among them, for gemm, for the operations that are gemm with a triangle of C,
 * and for the blocked algorithms of other families.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"
#include "batched/products/cuda/gemm.cuh"
#include "batched/products/cuda/gemm_tile_bulk.cuh"
#include "batched/products/cuda/gemm_tuning.cuh"
#include "batched/products/cuda/gemm_warp.cuh"
#include "batched/products/cuda/gemm_wide_tc.cuh"

namespace batched_cuda::products
{

/* For fused multiply-adds, in single precision, ... */
using float_32 = tile_shape<32, 32, 8, 32, 16, 4, 12>;
using float_48 = tile_shape<48, 48, 16, 48, 16, 3, 6>;
using float_64x32 = tile_shape<64, 32, 16, 32, 32, 3, 10>;
using float_64 = tile_shape<64, 64, 16, 32, 32, 3, 5>;
using float_96 = tile_shape<96, 96, 16, 96, 16, 3, 3>;
using float_128x64 = tile_shape<128, 64, 16, 64, 32, 3, 4>;
using float_128 = tile_shape<128, 128, 16, 64, 32, 3, 2>;
/* ... in complex single precision, ... */
using complex_32 = tile_shape<32, 32, 16, 32, 16, 2, 9>;
using complex_48 = tile_shape<48, 48, 8, 48, 16, 3, 5>;
using complex_56 = tile_shape<56, 56, 8, 56, 28, 3, 4>;
using complex_64 = tile_shape<64, 64, 8, 32, 32, 3, 4>;
/* ... and in double precision, which the tensor cores do better. */
using double_32 = tile_shape<32, 32, 8, 16, 16, 3, 4>;
using double_64 = tile_shape<64, 64, 8, 16, 32, 3, 1>;

/* The tiles, and the time per element of C over that of the best ones of a type, as measured on an H200: where threads
 * copy the operands, and where the bulk copy engine does (all but 32 x 32 and 56 x 56); 0: not compiled. */
static const struct {
  const char *name;
  int bm, bn;
  double weight[BATCHED_Z + 1], bulk_weight[BATCHED_Z + 1];
} tiles[] = {
  {"32x32", 32, 32, {1.65, 1, 1.17, 1}, {1.7, 0, 1.21, 0}}, {"48x48", 48, 48, {1.36, 0, 1.13, 0}, {1.13, 0, 1.09, 0}},
  {"64x64", 64, 64, {1.18, 1, 1, 1}, {1, 0, 1, 0}},         {"96x96", 96, 96, {1.45, 0, 0, 0}, {1.15, 0, 0, 0}},
  {"128x64", 128, 64, {0.98, 0, 0, 0}, {1, 0, 0, 0}},       {"128x128", 128, 128, {1, 0, 0, 0}, {1, 0, 0, 0}},
  {"64x32", 64, 32, {0, 0, 0, 0}, {1.1, 0, 0, 0}},          {"56x56", 56, 56, {0, 0, 1.2, 0}, {0, 0, 1.25, 0}}};
enum { TILES = sizeof tiles / sizeof *tiles };

static const char *describe(int config)
{
  return tiles[config].name;
}

template <bool bulk> static double weight_of(int config, batched_type type)
{
  return (bulk ? tiles[config].bulk_weight : tiles[config].weight)[type];
}

template <bool bulk> static bool fits(int config, batched_type type, int m, int n, int)
{
  const int most = m > n ? m : n;
  return weight_of<bulk>(config, type) > 0 && tiles[config].bm <= 2 * most + 16;
}

template <bool bulk> static double cost(int config, batched_type type, int m, int n, int k)
{
  const bool whole = m % 128 == 0 && n % 64 == 0 && k % 16 == 0;
  const double edges = !bulk && !whole && tiles[config].bm == 128 && m <= 512 && n <= 512 ? 1.25 : 1;
  const double weight = weight_of<bulk>(config, type) * edges;
  return weight > 0 ? weight * covered(m, n, k, tiles[config].bm, tiles[config].bn, 8) : INFINITY;
}

} // namespace batched_cuda::products

/* Families of tiles: for products that the bulk copy engine can't do, or does not do faster; and for the others. */
extern "C" const batched_family batched_gemm_fma_family = {"gemm.fma",
                                                           &batched_gemm_op,
                                                           "cuda.tile",
                                                           batched_cuda::products::TILES,
                                                           batched_cuda::products::describe,
                                                           batched_cuda::products::fits<false>,
                                                           batched_cuda::products::cost<false>};
extern "C" const batched_family batched_gemm_fma_bulk_family = {"gemm.fma_bulk",
                                                                &batched_gemm_op,
                                                                "cuda.tile",
                                                                batched_cuda::products::TILES,
                                                                batched_cuda::products::describe,
                                                                batched_cuda::products::fits<true>,
                                                                batched_cuda::products::cost<true>};

namespace batched_cuda::products
{

/* ------------------------------------------------------------------ kernels */

/* The bulk copy engine is taken where it can fetch the operands, but in single precision where the largest tiles reach
 * over no edge: us of 300, by threads and by it (H200, 2026-11-30): 256, 384, 512 295, 932, 2169 and 307, 974, 2260. */
template <class T> static bool takes_bulk(const product<T> &p, int depth)
{
  const bool whole = p.c.m % 128 == 0 && p.c.n % 64 == 0 && depth % 16 == 0;
  return sizeof(real_of<T>) == 4 && !(whole && !is_complex<T>)&&bulk_fits(p, depth);
}

template <class T> static int multiply_tile(batched_ctx *ctx, const product<T> &p)
{
  const bool bulk = takes_bulk(p, p.transa ? p.a.m : p.a.n);
  const auto &tile = tiles[choose(ctx, bulk ? &batched_gemm_fma_bulk_family : &batched_gemm_fma_family, p)];
  if constexpr (std::is_same_v<T, float>) {
    switch (tile.bm) {
    case 32: return launch_tile<float_32, false>(ctx, p);
    case 48: return launch_tile<float_48, false>(ctx, p, bulk);
    case 64:
      return tile.bn == 32 ? launch_tile<float_64x32, false>(ctx, p, bulk) : launch_tile<float_64, false>(ctx, p, bulk);
    case 96: return launch_tile<float_96, false>(ctx, p, bulk);
    default:
      return tile.bn == 64 ? launch_tile<float_128x64, false>(ctx, p, bulk)
                           : launch_tile<float_128, false>(ctx, p, bulk);
    }
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    switch (tile.bm) {
    case 32: return launch_tile<complex_32, false>(ctx, p);
    case 48: return launch_tile<complex_48, false>(ctx, p, bulk);
    case 56: return launch_tile<complex_56, false>(ctx, p);
    default: return launch_tile<complex_64, false>(ctx, p, bulk);
    }
  } else {
    return tile.bm == 32 ? launch_tile<double_32, false>(ctx, p) : launch_tile<double_64, false>(ctx, p);
  }
}

namespace
{

template <class T> constexpr bool is_double = std::is_same_v<T, double>;

template <class T> bool fits_warp(const product<T> &p)
{
  return p.c.m <= 16 && p.c.n <= 16;
}
template <class T> int run_warp(batched_ctx *ctx, const product<T> &p)
{
  const int most = p.c.m > p.c.n ? p.c.m : p.c.n;
  return most <= 2   ? launch_warp<2>(ctx, p)
         : most <= 4 ? launch_warp<4>(ctx, p)
         : most <= 8 ? launch_warp<8>(ctx, p)
                     : launch_warp<16>(ctx, p);
}

template <class T> bool fits_packed(const product<T> &p)
{
  if constexpr (is_double<T>) return packed_fits(p);
  return false;
}
template <class T> int run_packed(batched_ctx *ctx, const product<T> &p)
{
  if constexpr (is_double<T>) return multiply_packed(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> bool fits_narrow_tc(const product<T> &p)
{
  if constexpr (is_double<T>) return narrow_fits(p);
  return false;
}
template <class T> int run_narrow_tc(batched_ctx *ctx, const product<T> &p)
{
  if constexpr (is_double<T>) return multiply_narrow(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> bool fits_wide_tc(const product<T> &p)
{
  if constexpr (is_double<T>) return wide_fits(p);
  return false;
}
template <class T> int run_wide_tc(batched_ctx *ctx, const product<T> &p)
{
  if constexpr (is_double<T>) return multiply_wide(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

template <class T> bool fits_tile_tc(const product<T> &)
{
  return is_double<real_of<T>>;
}
template <class T> int run_tile_tc(batched_ctx *ctx, const product<T> &p)
{
  if constexpr (is_double<real_of<T>>) return multiply_tile_tc(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

template <class T, int (*run)(batched_ctx *, const product<T> &)>
int unless_empty(batched_ctx *ctx, const product<T> &p)
{
  return p.c.count == 0 || p.c.m == 0 || p.c.n == 0 ? (int)BATCHED_SUCCESS : run(ctx, p);
}

template <class T>
constexpr kernel<product<T>> table[PRODUCT_KERNELS] = {{fits_warp<T>, nullptr, unless_empty<T, run_warp<T>>},
                                                       {fits_packed<T>, by_table, unless_empty<T, run_packed<T>>},
                                                       {fits_narrow_tc<T>, by_table, unless_empty<T, run_narrow_tc<T>>},
                                                       {fits_wide_tc<T>, by_table, unless_empty<T, run_wide_tc<T>>},
                                                       {fits_tile_tc<T>, nullptr, unless_empty<T, run_tile_tc<T>>},
                                                       {nullptr, nullptr, unless_empty<T, multiply_tile<T>>}};
constexpr kernel_names<PRODUCT_KERNELS> gemm_names = {
  "gemm", {"cuda.warp", "cuda.packed", "cuda.narrow_tc", "cuda.wide_tc", "cuda.tile_tc", "cuda.tile"}};
constexpr kernel_names<PRODUCT_KERNELS> syrk_names = {
  "syrk", {"cuda.warp", "cuda.packed", "cuda.narrow_tc", "cuda.wide_tc", "cuda.tile_tc", "cuda.tile"}};

} // namespace

template <class T> const kernel<product<T>> *product_kernels()
{
  return table<T>;
}

template <class T> int multiply(batched_ctx *ctx, const product<T> &p)
{
  return pick(ctx, p.which == WHOLE ? gemm_names : syrk_names, table<T>, p)->run(ctx, p);
}

template <class T>
int gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, T alpha, const batch<T> &a, const batch<T> &b,
         T beta, const batch<T> &c)
{
  return multiply(ctx, make_product(transa, transb, alpha, a, b, beta, c));
}

template <class T>
int syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, bool hermitian, T alpha, const batch<T> &a, T beta,
         const batch<T> &c)
{
  return multiply(ctx, make_square(uplo, trans, hermitian, alpha, a, beta, c));
}

#define INSTANTIATE(...) \
  template const kernel<product<__VA_ARGS__>> *product_kernels(); \
  template int multiply(batched_ctx *, const product<__VA_ARGS__> &); \
  template int gemm(batched_ctx *, batched_trans, batched_trans, __VA_ARGS__, const batch<__VA_ARGS__> &, \
                    const batch<__VA_ARGS__> &, __VA_ARGS__, const batch<__VA_ARGS__> &); \
  template int syrk(batched_ctx *, batched_uplo, batched_trans, bool, __VA_ARGS__, const batch<__VA_ARGS__> &, \
                    __VA_ARGS__, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

/* ------------------------------------------------------------------ rows */

namespace
{

struct gemm_kernels {
  using args = batched_gemm_args;
  static batched_type type_of(const args &g)
  {
    return g.c.type;
  }
  template <class T> static product<T> typed(const args &g)
  {
    return make_product(g.transa, g.transb, make<T>(g.alpha), view<T>(g.a), view<T>(g.b), make<T>(g.beta),
                        view<T>(g.c));
  }
  template <class T> static const auto *kernels()
  {
    return product_kernels<T>();
  }
};

bool fits_cublas(const batched_gemm_args &g)
{
  return !batched_is_variable(&g.a) && !batched_is_variable(&g.b) && !batched_is_variable(&g.c) && g.c.count <= INT_MAX;
}

/* alpha = 0 becomes k = 0, so that A and B are not read. */
template <class T> int run_cublas(batched_ctx *ctx, const batched_gemm_args &g)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  T alpha = make<T>(g.alpha), beta = make<T>(g.beta);
  const int k = alpha == make<T>(0) ? 0 : g.transa == BATCHED_NO_TRANS ? g.a.n : g.a.m, count = (int)g.c.count;
  const cublasOperation_t ta = vendor_trans(g.transa), tb = vendor_trans(g.transb);
  const batch<T> a = view<T>(g.a), b = view<T>(g.b), c = view<T>(g.c);
  if (!a.array && !b.array && !c.array)
    return status_of(VENDOR_CALL(T, cublas, gemmStridedBatched)(
      handle, ta, tb, c.m, c.n, k, vendor(&alpha), vendor(a.data), a.ld, a.stride, vendor(b.data), b.ld, b.stride,
      vendor(&beta), vendor(c.data), c.ld, c.stride, count));
  T **pointers[3] = {};
  const batch<T> *operands[3] = {&a, &b, &c};
  int pushed = 0;
  while (pushed < 3 && (pointers[pushed] = pointers_of(ctx, *operands[pushed]))) pushed++;
  int status = BATCHED_NO_MEMORY;
  if (pushed == 3) {
    using V = std::remove_pointer_t<decltype(vendor(&alpha))>;
    V **const *v = reinterpret_cast<V ***>(pointers);
    status = status_of(VENDOR_CALL(T, cublas, gemmBatched)(handle, ta, tb, c.m, c.n, k, vendor(&alpha), v[0], a.ld,
                                                           v[1], b.ld, vendor(&beta), v[2], c.ld, count));
  }
  while (pushed-- > 0) batched_scratch_pop(ctx);
  return status;
}

int cublas(batched_ctx *ctx, const batched_gemm_args &g)
{
  return with_type(g.c.type, [&](auto t) { return run_cublas<decltype(t)>(ctx, g); });
}

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_gemm_cuda[] = {
  kernel_row<gemm_kernels, WARP>("cuda.warp"),           kernel_row<gemm_kernels, PACKED>("cuda.packed"),
  kernel_row<gemm_kernels, NARROW_TC>("cuda.narrow_tc"), kernel_row<gemm_kernels, WIDE_TC>("cuda.wide_tc"),
  kernel_row<gemm_kernels, TILE_TC>("cuda.tile_tc"),     kernel_row<gemm_kernels, TILE>("cuda.tile"),
  row<fits_cublas, never, cublas>("vendor.cublas"),      BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/products/cuda/gemm_tuning.cuh"
#include "batched/products/cuda/gemm_tensor.cuh"
#include "batched/products/cuda/gemm_tile.cuh"
#include "batched/products/cuda/gemm_tiny.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

/* For fused multiply-adds, in single precision, ... */
using float_32 = tile_shape<32, 32, 8, 32, 16, 4, 12>;
using float_48 = tile_shape<48, 48, 16, 48, 16, 3, 6>;
using float_64 = tile_shape<64, 64, 16, 32, 32, 3, 5>;
using float_96 = tile_shape<96, 96, 16, 96, 16, 3, 3>;
using float_128 = tile_shape<128, 128, 16, 64, 32, 3, 2>;
/* ... in complex single precision, ... */
using complex_32 = tile_shape<32, 32, 16, 32, 16, 2, 9>;
using complex_48 = tile_shape<48, 48, 8, 48, 16, 3, 5>;
using complex_64 = tile_shape<64, 64, 8, 32, 32, 3, 4>;
/* ... and in double precision, which the tensor cores do better. */
using double_32 = tile_shape<32, 32, 8, 16, 16, 3, 4>;
using double_64 = tile_shape<64, 64, 8, 16, 32, 3, 1>;

/* The square tiles by their orders, and how much longer products of so much of C take with them than with the best
 * ones of a type, from times on an H200; 0: there is none. */
static const struct {
  const char *name;
  int order;
  double weight[BATCHED_Z + 1];
} tiles[] = {{"32x32", 32, {1.7, 1, 1.17, 1}},
             {"48x48", 48, {1.4, 0, 1.13, 0}},
             {"64x64", 64, {1.18, 1, 1, 1}},
             {"96x96", 96, {1.1, 0, 0, 0}},
             {"128x128", 128, {1, 0, 0, 0}}};

static const char *describe(int config)
{
  return tiles[config].name;
}

static bool fits(int config, batched_type type, int m, int n, int)
{
  const int most = m > n ? m : n;
  return tiles[config].weight[type] > 0 && tiles[config].order <= 2 * most + 16;
}

static double cost(int config, batched_type type, int m, int n, int k)
{
  const double weight = tiles[config].weight[type];
  return weight > 0 ? weight * covered(m, n, k, tiles[config].order, tiles[config].order, 8) : INFINITY;
}

} // namespace batched_cuda::products

extern "C" const batched_family batched_gemm_fma_family = {"gemm.fma",
                                                           &batched_gemm_op,
                                                           "cuda.tile",
                                                           sizeof batched_cuda::products::tiles /
                                                             sizeof *batched_cuda::products::tiles,
                                                           batched_cuda::products::describe,
                                                           batched_cuda::products::fits,
                                                           batched_cuda::products::cost};

namespace batched_cuda::products
{

template <class T> static int launch_any_tiny(batched_ctx *ctx, const product<T> &p)
{
  const int most = p.c.m > p.c.n ? p.c.m : p.c.n;
  return most <= 2   ? launch_tiny<2>(ctx, p)
         : most <= 4 ? launch_tiny<4>(ctx, p)
         : most <= 8 ? launch_tiny<8>(ctx, p)
                     : launch_tiny<16>(ctx, p);
}

bool can_multiply(way how, batched_type type, int m, int n)
{
  return how == TINY ? m <= 16 && n <= 16 : how == TENSOR ? batched_real_type(type) == BATCHED_D : true;
}

bool likes_multiply(way how, batched_type type, int m, int n)
{
  const way best = can_multiply(TINY, type, m, n) ? TINY : can_multiply(TENSOR, type, m, n) ? TENSOR : TILE;
  return how == best;
}

template <class T> static int multiply_tile(batched_ctx *ctx, const product<T> &p)
{
  const int order = tiles[choose(ctx, &batched_gemm_fma_family, p)].order;
  if constexpr (std::is_same_v<T, float>) {
    switch (order) {
    case 32: return launch_tile<float_32, false>(ctx, p);
    case 48: return launch_tile<float_48, false>(ctx, p);
    case 64: return launch_tile<float_64, false>(ctx, p);
    case 96: return launch_tile<float_96, false>(ctx, p);
    default: return launch_tile<float_128, false>(ctx, p);
    }
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    switch (order) {
    case 32: return launch_tile<complex_32, false>(ctx, p);
    case 48: return launch_tile<complex_48, false>(ctx, p);
    default: return launch_tile<complex_64, false>(ctx, p);
    }
  } else {
    return order == 32 ? launch_tile<double_32, false>(ctx, p) : launch_tile<double_64, false>(ctx, p);
  }
}

template <class T> int multiply(batched_ctx *ctx, const product<T> &p, way how)
{
  if (p.c.count == 0 || p.c.m == 0 || p.c.n == 0) return BATCHED_SUCCESS;
  const bool any = how == ANY_WAY;
  if (how == TINY || (any && can_multiply(TINY, BATCHED_D, p.c.m, p.c.n))) return launch_any_tiny(ctx, p);
  if constexpr (std::is_same_v<T, double>) {
    if (how == PACKED || (any && packed_is_best(p))) return multiply_packed(ctx, p);
    if (how == NARROW || (any && narrow_is_best(p))) return multiply_narrow(ctx, p);
  }
  if constexpr (std::is_same_v<real_of<T>, double>)
    if (how == TENSOR || any) return multiply_tensor(ctx, p);
  return multiply_tile(ctx, p);
}

template <class T>
int gemm(batched_ctx *ctx, batched_trans transa, batched_trans transb, T alpha, const batch<T> &a, const batch<T> &b,
         T beta, const batch<T> &c)
{
  return multiply(ctx, make_product(transa, transb, alpha, a, b, beta, c), ANY_WAY);
}

template <class T>
int syrk(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, bool hermitian, T alpha, const batch<T> &a, T beta,
         const batch<T> &c)
{
  return multiply(ctx, make_square(uplo, trans, hermitian, alpha, a, beta, c), ANY_WAY);
}

#define INSTANTIATE(type, T) \
  template int multiply(batched_ctx *, const product<T> &, way); \
  template int gemm(batched_ctx *, batched_trans, batched_trans, T, const batch<T> &, const batch<T> &, T, \
                    const batch<T> &); \
  template int syrk(batched_ctx *, batched_uplo, batched_trans, bool, T, const batch<T> &, T, const batch<T> &);
#if BATCHED_CUDA_TYPES & 1
INSTANTIATE(BATCHED_S, float)
#endif
#if BATCHED_CUDA_TYPES & 2
INSTANTIATE(BATCHED_D, double)
#endif
#if BATCHED_CUDA_TYPES & 4
INSTANTIATE(BATCHED_C, complex<float>)
#endif
#if BATCHED_CUDA_TYPES & 8
INSTANTIATE(BATCHED_Z, complex<double>)
#endif
#undef INSTANTIATE

/* ------------------------------------------------------------------ rows */

static const batched_gemm_args *args_of(const void *args)
{
  return static_cast<const batched_gemm_args *>(args);
}

template <way how> static bool fits(const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return can_multiply(how, g->c.type, g->c.m, g->c.n);
}

template <way how> static bool likes(const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return likes_multiply(how, g->c.type, g->c.m, g->c.n);
}

static product<double> product_of(const batched_gemm_args *g)
{
  return make_product(g->transa, g->transb, g->alpha.re, view<double>(g->a), view<double>(g->b), g->beta.re,
                      view<double>(g->c));
}

static bool fits_packed(const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return g->c.type == BATCHED_D && packed_fits(product_of(g));
}

static bool likes_packed(const void *args)
{
  return packed_is_best(product_of(args_of(args)));
}

static bool fits_narrow(const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return g->c.type == BATCHED_D && narrow_fits(product_of(g));
}

static bool likes_narrow(const void *args)
{
  return narrow_is_best(product_of(args_of(args)));
}

template <way how> static int run(batched_ctx *ctx, const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return with_type(g->c.type, [&](auto t) {
    using T = decltype(t);
    return multiply(ctx,
                    make_product(g->transa, g->transb, make<T>(g->alpha), view<T>(g->a), view<T>(g->b),
                                 make<T>(g->beta), view<T>(g->c)),
                    how);
  });
}

static bool fits_vendor(const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return !batched_is_variable(&g->a) && !batched_is_variable(&g->b) && !batched_is_variable(&g->c) &&
         g->c.count <= INT_MAX;
}

/* alpha = 0 becomes k = 0, so that A and B are not looked at. */
template <class T> static int run_cublas(batched_ctx *ctx, const batched_gemm_args *g)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  T alpha = make<T>(g->alpha), beta = make<T>(g->beta);
  const int k = alpha == make<T>(0) ? 0 : g->transa == BATCHED_NO_TRANS ? g->a.n : g->a.m, count = (int)g->c.count;
  const cublasOperation_t ta = vendor_trans(g->transa), tb = vendor_trans(g->transb);
  const batch<T> a = view<T>(g->a), b = view<T>(g->b), c = view<T>(g->c);
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

static int cublas(batched_ctx *ctx, const void *args)
{
  const batched_gemm_args *g = args_of(args);
  return with_type(g->c.type, [&](auto t) { return run_cublas<decltype(t)>(ctx, g); });
}

} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_gemm_cuda[] = {{"cuda.tiny", fits<TINY>, likes<TINY>, run<TINY>},
                                             {"cuda.packed", fits_packed, likes_packed, run<PACKED>},
                                             {"cuda.narrow", fits_narrow, likes_narrow, run<NARROW>},
                                             {"cuda.tensor", fits<TENSOR>, likes<TENSOR>, run<TENSOR>},
                                             {"cuda.tile", nullptr, nullptr, run<TILE>},
                                             {"vendor.cublas", fits_vendor, never, cublas},
                                             BATCHED_LAST_ROW};

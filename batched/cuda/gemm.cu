/* SPDX-License-Identifier: BSD-3-Clause */
#include "gemm_tile.cuh"
#include "gemm_tiny.cuh"
#include "vendor.cuh"

#include "../tuning.h"

namespace batched_cuda
{

/* ------------------------------------------------------------------ instances */

using fma_small = tile_shape<32, 32, 8, 16, 16, 3, 4>;
using fma_large = tile_shape<64, 64, 8, 16, 32, 3, 1>;

/* For double precision on the tensor cores.  The shallow ones lose less where k is not a multiple of 16. */
using tensor_32 = tile_shape<32, 32, 8, 16, 32, 4, 8>;
using tensor_48 = tile_shape<48, 48, 16, 48, 16, 3, 3>;
using tensor_64 = tile_shape<64, 64, 16, 32, 32, 3, 2>;
using tensor_64_shallow = tile_shape<64, 64, 8, 32, 32, 4, 2>;
using tensor_96 = tile_shape<96, 96, 16, 48, 48, 3, 2>;
using tensor_96_shallow = tile_shape<96, 96, 8, 48, 48, 4, 2>;
using tensor_112x64 = tile_shape<112, 64, 16, 112, 16, 3, 2>;
using tensor_128x64 = tile_shape<128, 64, 16, 64, 32, 3, 2>;
using tensor_128 = tile_shape<128, 128, 16, 64, 32, 4, 1>;
using tensor_96x8 = tile_shape<96, 8, 16, 16, 8, 4, 2>;
using tensor_96x32 = tile_shape<96, 32, 16, 32, 16, 4, 2>;

/* What an element of a tile costs, if one of 128 x 64 costs 1 (from times on an H100). */
static const struct {
  const char *name;
  int m, n, deep;
  double weight;
} tensor_shapes[] = {
  {"32x32x8", 32, 32, 0, 1.2},     {"48x48x16", 48, 48, 0, 1.1},   {"64x64x16", 64, 64, 1, 1.05},
  {"64x64x8", 64, 64, -1, 1.05},   {"96x96x16", 96, 96, 1, 1.0},   {"96x96x8", 96, 96, -1, 1.0},
  {"112x64x16", 112, 64, 0, 1.02}, {"128x64x16", 128, 64, 0, 1.0}, {"128x128x16", 128, 128, 0, 1.03},
  {"96x8x16", 96, 8, 0, 1.5},      {"96x32x16", 96, 32, 0, 1.08},
};
enum { NTENSOR = sizeof tensor_shapes / sizeof *tensor_shapes };

static const char *describe(int config)
{
  return tensor_shapes[config].name;
}

static bool fits_config(int config, batched_type type, int m, int n, int)
{
  return type == BATCHED_D && tensor_shapes[config].m <= 2 * m + 16 && tensor_shapes[config].n <= 2 * n + 8;
}

} // namespace batched_cuda

extern "C" const batched_family batched_gemm_family = {
  "gemm.tile",           &batched_gemm_op,       "cuda.tensor",
  batched_cuda::NTENSOR, batched_cuda::describe, batched_cuda::fits_config};

namespace batched_cuda
{

/* The tiles that cover C at the lowest cost; a matrix in one tile is worth a little. */
static int cheapest_config(int m, int n, int k)
{
  int best = 0;
  double least = 0;
  for (int c = 0; c < NTENSOR; c++) {
    const auto &s = tensor_shapes[c];
    if (s.deep && (s.deep > 0) != (k % 16 == 0)) continue;
    const int64_t tiles_m = ceil_div(m, s.m), tiles_n = ceil_div(n, s.n);
    const double cost =
      (double)(tiles_m * s.m) * (double)(tiles_n * s.n) * s.weight * (tiles_m * tiles_n == 1 ? 0.96 : 1);
    if (c > 0 && cost >= least) continue;
    best = c;
    least = cost;
  }
  return best;
}

static int launch_tensor(batched_ctx *ctx, const product<double> &p)
{
  const int m = p.c.m, n = p.c.n, k = p.transa ? p.a.m : p.a.n;
  switch (batched_tuned(ctx, &batched_gemm_family, BATCHED_D, m, n, k, cheapest_config(m, n, k))) {
  case 0: return launch_tile<tensor_32, true>(ctx, p);
  case 1: return launch_tile<tensor_48, true>(ctx, p);
  case 2: return launch_tile<tensor_64, true>(ctx, p);
  case 3: return launch_tile<tensor_64_shallow, true>(ctx, p);
  case 4: return launch_tile<tensor_96, true>(ctx, p);
  case 5: return launch_tile<tensor_96_shallow, true>(ctx, p);
  case 6: return launch_tile<tensor_112x64, true>(ctx, p);
  case 7: return launch_tile<tensor_128x64, true>(ctx, p);
  case 8: return launch_tile<tensor_128, true>(ctx, p);
  case 9: return launch_tile<tensor_96x8, true>(ctx, p);
  default: return launch_tile<tensor_96x32, true>(ctx, p);
  }
}

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
  return how == TINY ? m <= 16 && n <= 16 : how == TENSOR ? type == BATCHED_D : true;
}

bool likes_multiply(way how, batched_type type, int m, int n)
{
  const way best = can_multiply(TINY, type, m, n) ? TINY : type == BATCHED_D ? TENSOR : TILE;
  return how == best;
}

template <class T> int multiply(batched_ctx *ctx, const product<T> &p, way how)
{
  if (p.c.count == 0 || p.c.m == 0 || p.c.n == 0) return BATCHED_SUCCESS;
  const bool any = how == ANY_WAY;
  if (how == TINY || (any && can_multiply(TINY, BATCHED_D, p.c.m, p.c.n))) return launch_any_tiny(ctx, p);
  if constexpr (sizeof(T) == 8 && !is_complex<T>)
    if (how == TENSOR || any) return launch_tensor(ctx, p);
  return p.c.m <= 32 && p.c.n <= 32 ? launch_tile<fma_small, false>(ctx, p) : launch_tile<fma_large, false>(ctx, p);
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

} // namespace batched_cuda

using namespace batched_cuda;

const batched_variant batched_gemm_cuda[] = {{"cuda.tiny", fits<TINY>, likes<TINY>, run<TINY>},
                                             {"cuda.tensor", fits<TENSOR>, likes<TENSOR>, run<TENSOR>},
                                             {"cuda.tile", nullptr, nullptr, run<TILE>},
                                             {"vendor.cublas", fits_vendor, never, cublas},
                                             BATCHED_LAST_ROW};

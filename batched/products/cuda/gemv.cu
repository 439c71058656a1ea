/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gemv: eight matrices of order 8 a warp (`eight`), several a block, as one piece of memory (`packed`), a few lanes or
 * a warp a matrix (`warp`), a block a matrix (`tile`), several blocks a matrix (`classic`), the last two after Dong,
 * Haidar, Luszczek, Tomov, Abdelfattah, Dongarra, MAGMA Batched: A Batched BLAS Approach for Small Matrix
 * Factorizations and Applications on GPUs.  Sums have an order that the row, m and n alone decide.
 */
#include "batched/products/cuda/gemv_blocks.cuh"
#include "batched/products/cuda/gemv_eight.cuh"
#include "batched/products/cuda/gemv_packed.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/products/cuda/gemv_streams.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

static constexpr unsigned all_lanes = 0xffffffffu;
static constexpr int warp_threads = 128;

/* ------------------------------------------------------------------ warp */

/* R lanes of rows by `slices` of columns make a group, which does a matrix; there are 32 / (R slices) groups a warp.
 * The loops are as long as the largest matrix of the warp needs, so that the lanes stay together. */
template <class T, int R>
static __global__ void __launch_bounds__(warp_threads, 4) warp_plain(gemv_product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int i = r; i - r < m; i += R) {
      T sum[1] = {make<T>(0)};
      for (int j = c; j - c < n; j += U * slices) add_columns<1, U>(o, i, j, slices, o.n, sum);
      for (int lanes = R; lanes < group; lanes *= 2) sum[0] += shuffle_xor(sum[0], lanes);
      if (c == 0 && i < o.m) o.out(i, sum[0]);
    }
  }
}

template <class T, int R>
static __global__ void __launch_bounds__(warp_threads, 4) warp_transposed(gemv_product<T> p, int slices)
{
  constexpr int U = R < 8 ? R : 8;
  const int group = R * slices, r = threadIdx.x % R, c = threadIdx.x / R % slices, each = blockDim.x / group;
  for (int64_t first = (int64_t)blockIdx.x * each; first < p.y.count; first += (int64_t)gridDim.x * each) {
    const int64_t b = first + threadIdx.x / group;
    const one_product<T> o = b < p.y.count ? one_product<T>(p, b) : one_product<T>();
    const int m = __reduce_max_sync(all_lanes, o.m), n = __reduce_max_sync(all_lanes, o.n);
    for (int j = c; j - c < n; j += U * slices) {
      T sum[U] = {};
#pragma unroll 1
      for (int i = r; i - r < m; i += R) add_row<U>(o, p.conj, i, j, slices, sum);
      const T total = sum_transposed<U, R>(sum);
      const int column = j + r * slices;
      if (r < U && column < o.n) o.out(column, total);
    }
  }
}

/* Rows in as few lanes as waste little, and a lane has some 16 elements at least where there are slices of columns. */
template <class T, int R> static int warp_of(batched_ctx *ctx, const gemv_product<T> &p)
{
  int slices = 1;
  while (R * slices < 32 && (int64_t)p.a.m * p.a.n > 16 * R * slices) slices *= 2;
  const int64_t blocks = ceil_div(p.y.count, warp_threads / (R * slices));
  return p.plain ? launch(ctx, warp_plain<T, R>, blocks, warp_threads, 0, p, slices)
                 : launch(ctx, warp_transposed<T, R>, blocks, warp_threads, 0, p, slices);
}

static int warp(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) {
    using T = decltype(t);
    const gemv_product<T> p = product_of<T>(*g);
    const int m = p.a.m;
    if (m <= 4) return warp_of<T, 4>(ctx, p);
    if (m <= 8 || (m > 16 && m <= 24)) return warp_of<T, 8>(ctx, p);
    if (m <= 16) return warp_of<T, 16>(ctx, p);
    return warp_of<T, 32>(ctx, p);
  });
}

/* ------------------------------------------------------------------ blocks */

static int tile(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) {
    using T = decltype(t);
    const gemv_product<T> p = product_of<T>(*g);
    const int threads = tile_threads(p.plain, p.a.m, p.a.n);
    if (!p.plain) return launch(ctx, tile_transposed<T>, p.y.count, threads, 0, p);
    if (p.a.m <= 32) return launch(ctx, tile_plain<T, 1>, p.y.count, threads, threads * sizeof(T), p);
    if (p.a.m <= 64) return launch(ctx, tile_plain<T, 2>, p.y.count, threads, 2 * threads * sizeof(T), p);
    return launch(ctx, tile_plain<T, 4>, p.y.count, threads, 4 * threads * sizeof(T), p);
  });
}

static int classic(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return with_type(g->y.type, [&](auto t) -> int {
    using T = decltype(t);
    const gemv_product<T> p = product_of<T>(*g);
    const cut c = cut_of(p.plain, p.a.m, p.a.n);
    const int64_t blocks = p.y.count * c.chunks * c.slices, sums = p.y.count * c.slices * c.length;
    T *partial = nullptr;
    if (c.slices > 1) {
      partial = static_cast<T *>(batched_scratch_push(ctx, (size_t)sums * sizeof(T)));
      if (!partial) return BATCHED_NO_MEMORY;
    }
    int status = p.plain ? launch(ctx, classic_plain<T>, blocks, 256, 4 * 256 * sizeof(T), p, c, partial)
                         : launch(ctx, classic_transposed<T>, blocks, 256, 8 * dots * sizeof(T), p, c, partial);
    if (!partial) return status;
    if (!status)
      status = launch(ctx, add_slices<T>, p.y.count * ceil_div(c.length, 32), 256, 256 * sizeof(T), p, c, partial);
    batched_scratch_pop(ctx);
    return status;
  });
}

/* ------------------------------------------------------------------ eight, packed */

static bool fits_eight(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return g->y.type == BATCHED_D && eight_gemv_fits(product_of<double>(*g));
}

static int eight(batched_ctx *ctx, const void *args)
{
#if BATCHED_CUDA_TYPES & 2
  return launch_eight_gemv(ctx, product_of<double>(*static_cast<const batched_gemv_args *>(args)));
#else
  return BATCHED_NO_VARIANT;
#endif
}

static bool fits_packed(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return g->y.type == BATCHED_D && packed_gemv_fits(product_of<double>(*g));
}

/* Where the other rows leave lanes idle. */
static bool likes_packed(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  const int m = g->a.m, n = g->a.n;
  if (g->trans == BATCHED_NO_TRANS) return m > 32 && m <= 40 && n > 32 && n <= 40;
  return m > 8 && m % 16 != 0 && n > 8 && n <= 96;
}

static int packed(batched_ctx *ctx, const void *args)
{
#if BATCHED_CUDA_TYPES & 2
  return launch_packed_gemv(ctx, product_of<double>(*static_cast<const batched_gemv_args *>(args)));
#else
  return BATCHED_NO_VARIANT;
#endif
}

/* ------------------------------------------------------------------ cuBLAS */

static bool vendor_fits(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  const bool uniform = !batched_is_variable(&g->a) && !batched_is_variable(&g->x) && !batched_is_variable(&g->y);
  return uniform && g->a.m > 0 && g->a.n > 0 && g->y.count <= INT_MAX && !batched_is_zero(g->y.type, g->alpha);
}

static int vendor_gemv(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(g->y.type, [&](auto t) -> int {
    using T = decltype(t);
    gemv_product<T> p = product_of<T>(*g);
    const int incx = batched_increment(&g->x, 0), incy = batched_increment(&g->y, 0), count = (int)p.y.count;
    if (!p.a.array && !p.x.array && !p.y.array)
      return status_of(VENDOR_CALL(T, cublas, gemvStridedBatched)(
        handle, vendor_trans(g->trans), p.a.m, p.a.n, vendor(&p.alpha), vendor(p.a.data), p.a.ld, p.a.stride,
        vendor(p.x.data), incx, p.x.stride, vendor(&p.beta), vendor(p.y.data), incy, p.y.stride, count));
    T **a = pointers_of(ctx, p.a), **x = a ? pointers_of(ctx, p.x) : nullptr, **y = x ? pointers_of(ctx, p.y) : nullptr;
    int status = BATCHED_NO_MEMORY;
    using V = decltype(vendor(&p.alpha));
    if (y)
      status = status_of(VENDOR_CALL(T, cublas, gemvBatched)(
        handle, vendor_trans(g->trans), p.a.m, p.a.n, vendor(&p.alpha), reinterpret_cast<V *>(a), p.a.ld,
        reinterpret_cast<V *>(x), incx, vendor(&p.beta), reinterpret_cast<V *>(y), incy, count));
    for (int pushed = (a != nullptr) + (x != nullptr) + (y != nullptr); pushed > 0; pushed--) batched_scratch_pop(ctx);
    return status;
  });
}

/* ------------------------------------------------------------------ rows */

static bool is_small(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  const int64_t m = g->a.m, n = g->a.n;
  return m * n <= 128 || (m <= 20 && n <= 20) || (m <= 16 && m * n <= 1 << 15);
}

static bool is_medium(const void *args)
{
  const auto *g = static_cast<const batched_gemv_args *>(args);
  return (int64_t)g->a.m * g->a.n <= 512 * 512;
}

} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_gemv_cuda[] = {
  {"cuda.eight", fits_eight, nullptr, eight},
  {"cuda.packed", fits_packed, likes_packed, packed},
  {"cuda.warp", nullptr, is_small, warp},
  {"cuda.tile", nullptr, is_medium, tile},
  {"cuda.classic", nullptr, nullptr, classic},
  {"vendor.cublas", vendor_fits, never, vendor_gemv},
  {"vendor.streams", vendor_gemv_streams_fits, never, vendor_gemv_streams},
  BATCHED_LAST_ROW,
};

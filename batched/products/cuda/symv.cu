/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symv, hemv: each element of the triangle is read once, for its own row and, mirrored, for its column.  A strip of
 * columns keeps the sums of the mirrored half in registers on its way along the rows (after Abdelfattah, Keyes, Ltaief,
 * Systematic Approach in Optimizing Numerical Memory-Bound Kernels on GPU).
 */
#include "batched/products/cuda/symv.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"

namespace batched_cuda::products
{

template <class T> static symmetric_product<T> product_of(const batched_symv_args &s)
{
  return {
    s.uplo == BATCHED_LOWER, s.hermitian, make<T>(s.alpha), make<T>(s.beta), view<T>(s.a), view<T>(s.x), view<T>(s.y)};
}

static const batched_symv_args *args_of(const void *args)
{
  return static_cast<const batched_symv_args *>(args);
}

static int warp(batched_ctx *ctx, const void *args)
{
  return with_type(args_of(args)->y.type, [&](auto t) {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(*args_of(args));
    if (p.a.n <= 8) return launch(ctx, warp_product<T, 8>, ceil_div(p.y.count, 32), 256, 0, p);
    if (p.a.n <= 16) return launch(ctx, warp_product<T, 16>, ceil_div(p.y.count, 16), 256, 0, p);
    return launch(ctx, warp_product<T, 32>, ceil_div(p.y.count, 8), 256, 0, p);
  });
}

static int tile(batched_ctx *ctx, const void *args)
{
  return with_type(args_of(args)->y.type, [&](auto t) {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(*args_of(args));
    const int warps = p.a.n <= 48 ? 2 : p.a.n <= 128 ? 4 : 8;
    return launch(ctx, tile_product<T>, p.y.count, 32 * warps, (size_t)warps * p.a.n * sizeof(T), p);
  });
}

/* Small squares keep a GPU busy with one matrix of some thousand rows; larger ones have fewer sums to write. */
static int classic(batched_ctx *ctx, const void *args)
{
  return with_type(args_of(args)->y.type, [&](auto t) -> int {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(*args_of(args));
    squares s = {p.a.n <= 3072 ? 64 : 128, 0, 0};
    s.across = (int)ceil_div(p.a.n, s.edge);
    s.each = (int64_t)s.across * (s.across + 1) / 2;
    const int warps = s.edge / strip_width <= 8 ? s.edge / strip_width : 8;
    const size_t sums = (size_t)p.y.count * s.across * s.across * s.edge;
    T *partial = static_cast<T *>(batched_scratch_push(ctx, sums * sizeof(T)));
    if (!partial) return BATCHED_NO_MEMORY;
    int status = launch(ctx, square_product<T>, p.y.count * s.each, 32 * warps,
                        (size_t)(warps + 1) * s.edge * sizeof(T), p, s, partial);
    if (!status) status = launch(ctx, add_parts<T>, p.y.count * s.across * (s.edge / 32), 256, 0, p, s, partial);
    batched_scratch_pop(ctx);
    return status;
  });
}

/* ------------------------------------------------------------------ rows */

static bool fits_warp(const void *args)
{
  return args_of(args)->a.n <= 32;
}

static bool fits_tile(const void *args)
{
  return args_of(args)->a.n <= 1024;
}

static bool likes_tile(const void *args)
{
  return args_of(args)->a.n <= 512;
}

/* cuBLAS has no batches of these. */
static bool fits_vendor(const void *args)
{
  const batched_symv_args *s = args_of(args);
  return s->y.count == 1 && !s->a.array && !s->x.array && !s->y.array && !batched_is_variable(&s->a) &&
         !batched_is_variable(&s->x) && !batched_is_variable(&s->y) && !batched_is_zero(s->y.type, s->alpha);
}

template <class T> static auto vendor_routine(bool hermitian)
{
  if constexpr (!is_complex<T>)
    return VENDOR_CALL(T, cublas, symv);
  else if constexpr (sizeof(T) == 8)
    return hermitian ? cublasChemv : cublasCsymv;
  else
    return hermitian ? cublasZhemv : cublasZsymv;
}

static int vendor_symv(batched_ctx *ctx, const void *args)
{
  const batched_symv_args *s = args_of(args);
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(s->y.type, [&](auto t) {
    using T = decltype(t);
    symmetric_product<T> p = product_of<T>(*s);
    return status_of(vendor_routine<T>(s->hermitian)(
      handle, vendor_uplo(s->uplo), p.a.n, vendor(&p.alpha), vendor(p.a.data), p.a.ld, vendor(p.x.data),
      batched_increment(&s->x, 0), vendor(&p.beta), vendor(p.y.data), batched_increment(&s->y, 0)));
  });
}

} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_symv_cuda[] = {
  {"cuda.warp", fits_warp, nullptr, warp},
  {"cuda.tile", fits_tile, likes_tile, tile},
  {"cuda.classic", nullptr, nullptr, classic},
  {"vendor.cublas", fits_vendor, never, vendor_symv},
  BATCHED_LAST_ROW,
};

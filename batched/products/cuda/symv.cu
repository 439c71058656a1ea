/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symv, hemv: y = alpha A x + beta y, by the kernels of symv.cuh and symv_rows.cuh.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"
#include "batched/products/cuda/symv_rows.cuh"

namespace batched_cuda::products
{
namespace
{

template <class T> symmetric_product<T> product_of(const batched_symv_args &s)
{
  return {
    s.uplo == BATCHED_LOWER, s.hermitian, make<T>(s.alpha), make<T>(s.beta), view<T>(s.a), view<T>(s.x), view<T>(s.y)};
}

int lanes(batched_ctx *ctx, const batched_symv_args &s)
{
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(s);
    if (p.a.n <= 8) return launch(ctx, lanes_product<T, 8>, ceil_div(p.y.count, 32), 256, 0, p);
    if (p.a.n <= 16) return launch(ctx, lanes_product<T, 16>, ceil_div(p.y.count, 16), 256, 0, p);
    return launch(ctx, lanes_product<T, 32>, ceil_div(p.y.count, 8), 256, 0, p);
  });
}

int block(batched_ctx *ctx, const batched_symv_args &s)
{
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(s);
    /* A lane's rows that are on their way, where many follow, and warps: as measured on an H200. */
    constexpr int rows = sizeof(T) == 4 ? 2 : 1;
    const bool large = p.a.n > 96;
    const int warps = !large ? 2 : p.a.n <= 320 || sizeof(T) == 4 ? 4 : 8;
    const auto kernel = large ? block_product<T, rows> : block_product<T, 1>;
    return launch(ctx, kernel, p.y.count, 32 * warps, (size_t)warps * p.a.n * sizeof(T), p);
  });
}

/* Small squares keep a GPU busy with one matrix of some thousand rows; larger ones have fewer sums to write. */
int native(batched_ctx *ctx, const batched_symv_args &s)
{
  return with_type(s.y.type, [&](auto t) -> int {
    using T = decltype(t);
    const symmetric_product<T> p = product_of<T>(s);
    squares q = {p.a.n <= 3072 ? 64 : 128, 0, 0};
    q.across = (int)ceil_div(p.a.n, q.edge);
    q.each = (int64_t)q.across * (q.across + 1) / 2;
    const int warps = q.edge / strip_width <= 8 ? q.edge / strip_width : 8;
    const size_t sums = (size_t)p.y.count * q.across * q.across * q.edge;
    T *partial = static_cast<T *>(batched_scratch_push(ctx, sums * sizeof(T)));
    if (!partial) return BATCHED_NO_MEMORY;
    int status = launch_waiting(ctx, square_product<T>, p.y.count * q.each, 32 * warps,
                                (size_t)(warps + 1) * q.edge * sizeof(T), p, q, partial);
    if (!status)
      status = launch_waiting(ctx, add_parts<T>, p.y.count * q.across * (q.edge / 32), 256, 0, p, q, partial);
    batched_scratch_pop(ctx);
    return status;
  });
}

int rows(batched_ctx *ctx, const batched_symv_args &s)
{
  return with_type(s.y.type, [&](auto t) { return multiply_symmetric_rows(ctx, product_of<decltype(t)>(s)); });
}

/* ------------------------------------------------------------------ rows */

bool fits_lanes(const batched_symv_args &s)
{
  return s.a.n <= 32;
}

bool fits_block(const batched_symv_args &s)
{
  return s.a.n <= 1024;
}

/* cuBLAS has no batches of these. */
bool fits_cublas(const batched_symv_args &s)
{
  return s.y.count == 1 && !s.a.array && !s.x.array && !s.y.array && !batched_is_variable(&s.a) &&
         !batched_is_variable(&s.x) && !batched_is_variable(&s.y) && !batched_is_zero(s.y.type, s.alpha);
}

template <class T> auto cublas_routine(bool hermitian)
{
  if constexpr (!is_complex<T>)
    return VENDOR_CALL(T, cublas, symv);
  else if constexpr (sizeof(T) == 8)
    return hermitian ? cublasChemv : cublasCsymv;
  else
    return hermitian ? cublasZhemv : cublasZsymv;
}

int cublas(batched_ctx *ctx, const batched_symv_args &s)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(s.y.type, [&](auto t) {
    using T = decltype(t);
    symmetric_product<T> p = product_of<T>(s);
    return status_of(cublas_routine<T>(s.hermitian)(
      handle, vendor_uplo(s.uplo), p.a.n, vendor(&p.alpha), vendor(p.a.data), p.a.ld, vendor(p.x.data),
      batched_increment(&s.x, 0), vendor(&p.beta), vendor(p.y.data), batched_increment(&s.y, 0)));
  });
}

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_symv_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),     row<fits_block, batched_by_table, block>("cuda.block"),
  row<nullptr, batched_by_table, rows>("cuda.rows"), row<nullptr, nullptr, native>("cuda.native"),
  row<fits_cublas, never, cublas>("vendor.cublas"),  BATCHED_LAST_ROW,
};

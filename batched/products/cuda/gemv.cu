/* SPDX-License-Identifier: BSD-3-Clause
 *
 * y = alpha op(A) x + beta y.  Sums have an order that the row, m and n alone decide.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/products.h"
#include "batched/products/cuda/gemv_lanes.cuh"
#include "batched/products/cuda/gemv_lanes_8x8.cuh"
#include "batched/products/cuda/gemv_native.cuh"
#include "batched/products/cuda/gemv_packed.cuh"

namespace batched_cuda::products
{
namespace
{

template <class T> constexpr bool is_double = std::is_same_v<T, double>;

template <class T> bool fits_lanes_8x8(const gemv_product<T> &p)
{
  if constexpr (is_double<T>) return lanes_8x8_fits(p);
  return false;
}
template <class T> int run_lanes_8x8(batched_ctx *ctx, const gemv_product<T> &p)
{
  if constexpr (is_double<T>) return multiply_lanes_8x8(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

/* In double precision alone: in other types it was not measured. */
template <class T> bool fits_packed(const gemv_product<T> &p)
{
  if constexpr (is_double<T>) return packed_gemv_fits(p);
  return false;
}
template <class T> int run_packed(batched_ctx *ctx, const gemv_product<T> &p)
{
  if constexpr (is_double<T>) return multiply_packed_gemv(ctx, p);
  return BATCHED_DOES_NOT_FIT;
}

enum { LANES_8X8, PACKED_GEMV, LANES, BLOCK, ROWS, NATIVE };

template <class T>
constexpr kernel<gemv_product<T>> table[] = {
  {fits_lanes_8x8<T>, nullptr, run_lanes_8x8<T>}, {fits_packed<T>, by_table, run_packed<T>},
  {nullptr, by_table, multiply_lanes_of<T>},      {nullptr, by_table, multiply_blocks<T>},
  {rows_fit<T>, by_table, multiply_by_rows<T>},   {nullptr, nullptr, multiply_natively<T>}};

struct gemv_kernels {
  using args = batched_gemv_args;
  static batched_type type_of(const args &g)
  {
    return g.y.type;
  }
  template <class T> static gemv_product<T> typed(const args &g)
  {
    return product_of<T>(g);
  }
  template <class T> static const auto &kernels()
  {
    return table<T>;
  }
};

/* ------------------------------------------------------------------ cuBLAS */

bool fits_cublas(const batched_gemv_args &g)
{
  const bool uniform = !batched_is_variable(&g.a) && !batched_is_variable(&g.x) && !batched_is_variable(&g.y);
  return uniform && g.a.m > 0 && g.a.n > 0 && g.y.count <= INT_MAX && !batched_is_zero(g.y.type, g.alpha);
}

int cublas(batched_ctx *ctx, const batched_gemv_args &g)
{
  cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(g.y.type, [&](auto t) -> int {
    using T = decltype(t);
    gemv_product<T> p = product_of<T>(g);
    const int incx = batched_increment(&g.x, 0), incy = batched_increment(&g.y, 0), count = (int)p.y.count;
    if (!p.a.array && !p.x.array && !p.y.array)
      return status_of(VENDOR_CALL(T, cublas, gemvStridedBatched)(
        handle, vendor_trans(g.trans), p.a.m, p.a.n, vendor(&p.alpha), vendor(p.a.data), p.a.ld, p.a.stride,
        vendor(p.x.data), incx, p.x.stride, vendor(&p.beta), vendor(p.y.data), incy, p.y.stride, count));
    T **a = pointers_of(ctx, p.a), **x = a ? pointers_of(ctx, p.x) : nullptr, **y = x ? pointers_of(ctx, p.y) : nullptr;
    int status = BATCHED_NO_MEMORY;
    using V = decltype(vendor(&p.alpha));
    if (y)
      status = status_of(VENDOR_CALL(T, cublas, gemvBatched)(
        handle, vendor_trans(g.trans), p.a.m, p.a.n, vendor(&p.alpha), reinterpret_cast<V *>(a), p.a.ld,
        reinterpret_cast<V *>(x), incx, vendor(&p.beta), reinterpret_cast<V *>(y), incy, count));
    for (int pushed = (a != nullptr) + (x != nullptr) + (y != nullptr); pushed > 0; pushed--) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::products

using namespace batched_cuda;
using namespace batched_cuda::products;

const batched_variant batched_gemv_cuda[] = {
  kernel_row<gemv_kernels, LANES_8X8>("cuda.lanes_8x8"),
  kernel_row<gemv_kernels, PACKED_GEMV>("cuda.packed"),
  kernel_row<gemv_kernels, LANES>("cuda.lanes"),
  kernel_row<gemv_kernels, BLOCK>("cuda.block"),
  kernel_row<gemv_kernels, ROWS>("cuda.rows"),
  kernel_row<gemv_kernels, NATIVE>("cuda.native"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  row<vendor_gemv_streams_fits, never, vendor_gemv_streams>("vendor.streams"),
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * x = op(A) x, in place, by the kernels of trmv.cuh; a large triangle is halved, with a product of matrices in between.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/triangular/triangular.h"
#include "batched/triangular/cuda/trmv.cuh"

namespace batched_cuda::triangular
{
namespace
{

template <class T> bool fits_lanes(const vector_call<T> &s)
{
  return s.order() <= 32;
}
template <class T> int run_lanes(batched_ctx *ctx, const vector_call<T> &s)
{
  const int n = s.order(), lanes = n <= 8 ? 8 : n <= 16 ? 16 : 32;
  const auto kernel = n <= 8 ? multiply_in_lanes<T, 8> : n <= 16 ? multiply_in_lanes<T, 16> : multiply_in_lanes<T, 32>;
  return launch(ctx, kernel, ceil_div(s.x.count, 256 / lanes), 256, 0, s);
}

/* Triangles of at most this order are leaves. */
constexpr int recursion_end = 1024;

template <class T> bool fits_block(const vector_call<T> &s)
{
  return s.order() <= recursion_end;
}
template <class T> int run_block(batched_ctx *ctx, const vector_call<T> &s)
{
  const int n = s.order(), warps = n <= 48 ? 2 : n <= 128 ? 4 : 8;
  const size_t vectors = s.trans == BATCHED_NO_TRANS ? (size_t)warps + 1 : 1;
  return launch(ctx, multiply_in_block<T>, s.x.count, 32 * warps, vectors * (size_t)n * sizeof(T), s);
}

template <class T> int run_recursive(batched_ctx *ctx, const vector_call<T> &s);

enum { LANES, BLOCK, RECURSIVE };

template <class T>
constexpr kernel<vector_call<T>> table[] = {
  {fits_lanes<T>, nullptr, run_lanes<T>}, {fits_block<T>, nullptr, run_block<T>}, {nullptr, nullptr, run_recursive<T>}};
constexpr kernel_names<2> leaf_names = {"trmv", {"cuda.lanes", "cuda.block"}};

struct trmv_kernels {
  using args = batched_trmv_args;
  static batched_type type_of(const args &t)
  {
    return t.x.type;
  }
  template <class T> static vector_call<T> typed(const args &t)
  {
    return {t.uplo, t.trans, t.diag, view<T>(t.a), view<T>(t.x)};
  }
  template <class T> static const auto &kernels()
  {
    return table<T>;
  }
};

/* ------------------------------------------------------------------ recursive */

/* With E = [E1 0; E21 E2]: x2 = E2 x2, x2 += E21 x1, x1 = E1 x1, in this order: opposite to that of a solve. */
template <class T> int halve(batched_ctx *ctx, const vector_call<T> &s)
{
  if (s.order() <= recursion_end) return pick(ctx, leaf_names, table<T>, s)->run(ctx, s);
  const vector_halves<T> h(s, recursion_cut(recursion_end, s.order()));
  int status = halve(ctx, h.second);
  if (!status) status = h.couple(ctx, make<T>(1));
  return status ? status : halve(ctx, h.first);
}

/* Row cuda.recursive. */
template <class T> int run_recursive(batched_ctx *ctx, const vector_call<T> &s)
{
  return s.order() > recursion_end ? with_op(ctx, s, halve<T>) : halve(ctx, s);
}

/* ------------------------------------------------------------------ cuBLAS */

/* cuBLAS has no batches of these. */
bool fits_cublas(const batched_trmv_args &t)
{
  return t.x.count == 1 && !t.a.array && !t.x.array && !batched_is_variable(&t.a) && !batched_is_variable(&t.x);
}

int cublas(batched_ctx *ctx, const batched_trmv_args &t)
{
  const cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(t.x.type, [&](auto zero) {
    using T = decltype(zero);
    const batch<T> a = view<T>(t.a), x = view<T>(t.x);
    return status_of(VENDOR_CALL(T, cublas, trmv)(handle, vendor_uplo(t.uplo), vendor_trans(t.trans),
                                                  vendor_diag(t.diag), a.n, vendor(a.data), a.ld, vendor(x.data),
                                                  batched_increment(&t.x, 0)));
  });
}

} // namespace
} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trmv_cuda[] = {
  kernel_row<trmv_kernels, LANES>("cuda.lanes"),
  kernel_row<trmv_kernels, BLOCK>("cuda.block"),
  kernel_row<trmv_kernels, RECURSIVE>("cuda.recursive"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * op(A) X = alpha B, or X op(A) = alpha B, in place.  A large triangle is halved, with a product in between, until one
 * of the other kernels takes the leaves.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/triangular.h"
#include "batched/triangular/cuda/panels_tc.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/triangular/cuda/trsm_panels.cuh"
#include "batched/triangular/cuda/trsm_registers.cuh"
#include "batched/triangular/cuda/warp_stream.cuh"
#include "batched/triangular/cuda/warp_tc.cuh"

namespace batched_cuda::triangular
{
namespace
{

template <class T> constexpr bool has_tensor = std::is_same_v<T, double>;

/* Systems of at most this order are leaves: of cuda.shared, but in s and c from the right, where its threads read rows
 * of B from global memory, of cuda.panels. */
template <class T> int recursion_end(const triangular_system<T> &s)
{
  if (has_tensor<T>) return tensor_triangle::most;
  return sizeof(T) <= 8 && s.side == BATCHED_RIGHT ? 64 : shared_order;
}

/* ------------------------------------------------------------------ kernels */

/* One column on the right is trsv's. */
template <class T> bool fits_vector(const triangular_system<T> &s)
{
  return s.side == BATCHED_LEFT && s.b.n == 1 && !s.b.ns && s.alpha == make<T>(1);
}
template <class T> int run_vector(batched_ctx *ctx, const triangular_system<T> &s)
{
  return trsv(ctx, s.uplo, s.trans, s.diag, s.a, s.b);
}

template <class T> bool fits_shared(const triangular_system<T> &s)
{
  return s.order() <= shared_order;
}
template <class T> int run_shared(batched_ctx *ctx, const triangular_system<T> &s)
{
  return apply_shared<T, false>(ctx, s.form(), s.alpha, s.a, s.b);
}

template <class T> bool fits_warp_stream(const triangular_system<T> &s)
{
  return s.order() <= most_streamed<T>(10);
}
template <class T> int run_warp_stream(batched_ctx *ctx, const triangular_system<T> &s)
{
  return solve_columns_in_warp_stream<T, false>(ctx, s.form(), s.order(), s.nrhs(), s.alpha, s.a, s.b);
}

template <class T> bool fits_registers(const triangular_system<T> &s)
{
  return s.order() <= registers_order<T>;
}
template <class T> int run_registers(batched_ctx *ctx, const triangular_system<T> &s)
{
  return solve_registers(ctx, s.form(), s.order(), s.alpha, s.a, s.b);
}

template <class T> bool fits_warp_tc(const triangular_system<T> &s)
{
  constexpr int blocks = sizeof(T) == 16 ? 3 : 4;
  return warp_triangle<T, blocks, 4>::bytes(s.order()) <= 100 * 1024;
}
template <class T> int run_warp_tc(batched_ctx *ctx, const triangular_system<T> &s)
{
  return solve_warp_tc(ctx, s.form(), s.order(), s.nrhs(), s.alpha, s.a, s.b);
}

template <class T> bool fits_panels_tc(const triangular_system<T> &s)
{
  return has_tensor<T> && s.order() <= tensor_triangle::most;
}
template <class T> int run_panels_tc(batched_ctx *ctx, const triangular_system<T> &s)
{
  if constexpr (has_tensor<T>) return apply_panels_tc<false>(ctx, s.form(), s.alpha, s.a, s.b);
  return BATCHED_DOES_NOT_FIT;
}

/* Default where the order is too small to be halved. */
template <class T> bool likes_panels(const triangular_system<T> &s)
{
  return s.order() <= recursion_end(s);
}
template <class T> int run_panels(batched_ctx *ctx, const triangular_system<T> &s)
{
  return solve_panels(ctx, s.form(), s.alpha, s.a, s.b);
}

template <class T> int run_recursive(batched_ctx *ctx, const triangular_system<T> &s);

/* alpha = 0 sets B to zero, and reads nothing. */
template <class T, int (*run)(batched_ctx *, const triangular_system<T> &)>
int unless_zero(batched_ctx *ctx, const triangular_system<T> &s)
{
  return s.alpha == T{} ? launch(ctx, clear<T>, s.b.count, dim3(32, 4), 0, s.b) : run(ctx, s);
}

enum { VECTOR, REGISTERS, SHARED, WARP_STREAM, WARP_TC, PANELS_TC, PANELS, RECURSIVE, KERNELS };

template <class T>
constexpr kernel<triangular_system<T>> trsm_table[KERNELS] = {
  {fits_vector<T>, by_table, unless_zero<T, run_vector<T>>},
  {fits_registers<T>, by_table, unless_zero<T, run_registers<T>>},
  {fits_shared<T>, nullptr, unless_zero<T, run_shared<T>>},
  {fits_warp_stream<T>, by_table, unless_zero<T, run_warp_stream<T>>},
  {fits_warp_tc<T>, by_table, unless_zero<T, run_warp_tc<T>>},
  {fits_panels_tc<T>, nullptr, unless_zero<T, run_panels_tc<T>>},
  {nullptr, likes_panels<T>, unless_zero<T, run_panels<T>>},
  {nullptr, nullptr, unless_zero<T, run_recursive<T>>}};
constexpr kernel_names<7> leaf_names = {
  "trsm.leaf",
  {"cuda.trsv", "cuda.registers", "cuda.shared", "cuda.warp_stream", "cuda.warp_tc", "cuda.panels_tc", "cuda.panels"}};

struct trsm_kernels {
  using args = batched_trsm_args;
  static batched_type type_of(const args &t)
  {
    return t.b.type;
  }
  template <class T> static triangular_system<T> typed(const args &t)
  {
    return {t.side, t.uplo, t.trans, t.diag, make<T>(t.alpha), view<T>(t.a), view<T>(t.b)};
  }
  template <class T> static const auto &kernels()
  {
    return trsm_table<T>;
  }
};

/* ------------------------------------------------------------------ recursive */

/* Row cuda.recursive: X1 = E1^-1 B1, B2 -= E21 X1, X2 = E2^-1 B2, down to leaves that one of the kernels above
 * takes. */
template <class T> int run_recursive(batched_ctx *ctx, const triangular_system<T> &s)
{
  const auto *best = pick(ctx, leaf_names, trsm_table<T>, s);
  if (best != &trsm_table<T>[RECURSIVE]) return best->run(ctx, s);
  system_halves<T> h(s, recursion_cut(recursion_end(s), s.order()));
  int status = run_recursive(ctx, h.first);
  if (!status)
    status =
      s.side == BATCHED_LEFT
        ? products::gemm(ctx, s.trans, BATCHED_NO_TRANS, make<T>(-1), h.coupling, h.first.b, s.alpha, h.second.b)
        : products::gemm(ctx, BATCHED_NO_TRANS, s.trans, make<T>(-1), h.first.b, h.coupling, s.alpha, h.second.b);
  h.second.alpha = make<T>(1);
  return status ? status : run_recursive(ctx, h.second);
}

/* ------------------------------------------------------------------ cuBLAS */

int cublas(batched_ctx *ctx, const batched_trsm_args &t)
{
  return with_type(t.b.type, [&](auto zero) {
    using T = decltype(zero);
    T alpha = make<T>(t.alpha);
    using pointer = decltype(vendor(&alpha));
    cublasHandle_t handle = cublas_of(ctx);
    T **a = handle ? pointers_of(ctx, view<T>(t.a)) : nullptr, **b = a ? pointers_of(ctx, view<T>(t.b)) : nullptr;
    const int status = !b ? (int)BATCHED_NO_MEMORY
                          : status_of(VENDOR_CALL(T, cublas, trsmBatched)(
                              handle, vendor_side(t.side), vendor_uplo(t.uplo), vendor_trans(t.trans),
                              vendor_diag(t.diag), t.b.m, t.b.n, vendor(&alpha), reinterpret_cast<pointer *>(a), t.a.ld,
                              reinterpret_cast<pointer *>(b), t.b.ld, (int)t.b.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

/* cuBLAS reads A and B where alpha is zero, too, and takes what is not a number from there. */
bool fits_cublas(const batched_trsm_args &t)
{
  return !batched_is_zero(t.b.type, t.alpha) && !batched_is_variable(&t.a) && !batched_is_variable(&t.b) &&
         t.b.count <= INT_MAX;
}

} // namespace

template <class T>
int trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, T alpha,
         const batch<T> &a, const batch<T> &b)
{
  if (b.m == 0 || b.n == 0 || b.count == 0) return BATCHED_SUCCESS;
  const triangular_system<T> s = {side, uplo, trans, diag, alpha, a, b};
  return pick(ctx, leaf_names, trsm_table<T>, s)->run(ctx, s);
}

#define INSTANTIATE(...) \
  template int trsm(batched_ctx *, batched_side, batched_uplo, batched_trans, batched_diag, __VA_ARGS__, \
                    const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trsm_cuda[] = {
  kernel_row<trsm_kernels, RECURSIVE>("cuda.recursive"),
  kernel_row<trsm_kernels, REGISTERS, never>("cuda.registers"),
  kernel_row<trsm_kernels, SHARED, never>("cuda.shared"),
  kernel_row<trsm_kernels, WARP_STREAM, never>("cuda.warp_stream"),
  kernel_row<trsm_kernels, WARP_TC, never>("cuda.warp_tc"),
  kernel_row<trsm_kernels, PANELS_TC, never>("cuda.panels_tc"),
  kernel_row<trsm_kernels, PANELS, never>("cuda.panels"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};

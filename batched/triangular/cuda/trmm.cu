/* SPDX-License-Identifier: BSD-3-Clause
 *
 * B = alpha op(A) B, or alpha B op(A), in place.  A large triangle is halved, with a product of matrices in between.
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/triangular.h"
#include "batched/triangular/cuda/panels_tc.cuh"
#include "batched/triangular/cuda/shared.cuh"

namespace batched_cuda::triangular
{
namespace
{

template <class T> bool fits_shared(const triangular_system<T> &s)
{
  return s.order() <= shared_order;
}
template <class T> int run_shared(batched_ctx *ctx, const triangular_system<T> &s)
{
  return apply_shared<T, true>(ctx, s.form(), s.alpha, s.a, s.b);
}

template <class T> bool fits_panels_tc(const triangular_system<T> &s)
{
  return std::is_same_v<T, double> && s.order() <= tensor_triangle::most;
}
template <class T> int run_panels_tc(batched_ctx *ctx, const triangular_system<T> &s)
{
  if constexpr (std::is_same_v<T, double>) return apply_panels_tc<true>(ctx, s.form(), s.alpha, s.a, s.b);
  return BATCHED_DOES_NOT_FIT;
}

template <class T>
constexpr kernel<triangular_system<T>> leaves[] = {{fits_shared<T>, nullptr, run_shared<T>},
                                                   {fits_panels_tc<T>, nullptr, run_panels_tc<T>}};
constexpr kernel_names<2> leaf_names = {"trmm.leaf", {"cuda.shared", "cuda.panels_tc"}};

/* Products of at most this order are leaves. */
template <class T> constexpr int recursion_end = std::is_same_v<T, double> ? tensor_triangle::most : shared_order;

/* With E = [E1 0; E21 E2]: X2 = E2 X2, X2 += E21 X1, X1 = E1 X1, in this order: opposite to that of a solve. */
template <class T> int multiply(batched_ctx *ctx, const triangular_system<T> &s)
{
  if (const auto *leaf = pick(ctx, leaf_names, leaves<T>, s)) return leaf->run(ctx, s);
  const system_halves<T> h(s, recursion_cut(recursion_end<T>, s.order()));
  int status = multiply(ctx, h.second);
  if (!status)
    status = s.side == BATCHED_LEFT
               ? products::gemm(ctx, s.trans, BATCHED_NO_TRANS, s.alpha, h.coupling, h.first.b, make<T>(1), h.second.b)
               : products::gemm(ctx, BATCHED_NO_TRANS, s.trans, s.alpha, h.first.b, h.coupling, make<T>(1), h.second.b);
  return status ? status : multiply(ctx, h.first);
}

/* Row cuda.recursive; alpha = 0 sets B to zero, and reads nothing. */
int recursive(batched_ctx *ctx, const batched_trmm_args &t)
{
  return with_type(t.b.type, [&](auto zero) {
    using T = decltype(zero);
    const triangular_system<T> s = {t.side, t.uplo, t.trans, t.diag, make<T>(t.alpha), view<T>(t.a), view<T>(t.b)};
    return s.alpha == T{} ? launch(ctx, clear<T>, s.b.count, dim3(32, 4), 0, s.b) : multiply(ctx, s);
  });
}

} // namespace
} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trmm_cuda[] = {row<nullptr, nullptr, recursive>("cuda.recursive"), BATCHED_LAST_ROW};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * B = alpha op(A) B, or alpha B op(A), in place.  A large triangle is halved, with a product of matrices in between.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/small.cuh"
#include "batched/triangular/cuda/tensor.cuh"
#include "batched/triangular/triangular.h"

namespace batched_cuda::triangular
{

/* Products of at most this order are not halved any more. */
template <class T> constexpr int recursion_end = std::is_same_v<T, double> ? tensor_triangle::most : small_order;

/* With E = [E1 0; E21 E2]: X2 = E2 X2, X2 += E21 X1, X1 = E1 X1, in this order. */
template <class T>
static int multiply_halves(batched_ctx *ctx, const batched_trmm_args *t, T alpha, const batch<T> &a, const batch<T> &b)
{
  const triangle_form f = form_of(t->side, t->uplo, t->trans, t->diag);
  const int n = f.left ? b.m : b.n;
  if (n <= small_order) return apply_small<T, true>(ctx, f, alpha, a, b);
  if constexpr (std::is_same_v<T, double>)
    if (n <= recursion_end<T>) return launch_triangle_tensor<true>(ctx, f, alpha, a, b);
  int n1 = recursion_end<T>;
  while (2 * n1 < n) n1 *= 2;
  const int n2 = n - n1;
  const batch<T> b1 = f.left ? b.block(0, 0, n1, b.n) : b.block(0, 0, b.m, n1);
  const batch<T> b2 = f.left ? b.block(n1, 0, n2, b.n) : b.block(0, n1, b.m, n2);
  const batch<T> a1 = a.block(0, 0, n1, n1), a2 = a.block(n1, n1, n2, n2);
  const batch<T> off = t->uplo == BATCHED_LOWER ? a.block(n1, 0, n2, n1) : a.block(0, n1, n1, n2);
  const batch<T> &source = f.backward ? b2 : b1, &sum = f.backward ? b1 : b2;
  int status = multiply_halves(ctx, t, alpha, f.backward ? a1 : a2, sum);
  if (!status)
    status = f.left ? products::gemm(ctx, t->trans, BATCHED_NO_TRANS, alpha, off, source, make<T>(1), sum)
                    : products::gemm(ctx, BATCHED_NO_TRANS, t->trans, alpha, source, off, make<T>(1), sum);
  return status ? status : multiply_halves(ctx, t, alpha, f.backward ? a2 : a1, source);
}

static int run_trmm(batched_ctx *ctx, const void *args)
{
  const auto *t = static_cast<const batched_trmm_args *>(args);
  return with_type(t->b.type, [&](auto zero) {
    using T = decltype(zero);
    const T alpha = make<T>(t->alpha);
    const batch<T> b = view<T>(t->b);
    if (alpha == T{}) return launch(ctx, clear<T>, b.count, dim3(32, 4), 0, b);
    return multiply_halves<T>(ctx, t, alpha, view<T>(t->a), b);
  });
}

} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trmm_cuda[] = {{"cuda.recursive", nullptr, nullptr, run_trmm}, BATCHED_LAST_ROW};

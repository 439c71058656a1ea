/* SPDX-License-Identifier: BSD-3-Clause
 *
 * op(A) X = alpha B, or X op(A) = alpha B, in place.  A large triangle is halved, with a product in between, until one
 * of the kernels of the other rows takes what is left.
 */
#include <type_traits>

#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/triangular/cuda/tensor.cuh"
#include "batched/triangular/cuda/tiles.cuh"
#include "batched/triangular/cuda/trsm_fused.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/triangular/triangular.h"

namespace batched_cuda::triangular
{

/* The tensor cores' kernel is for double precision. */
template <class T> constexpr bool has_tensor = std::is_same_v<T, double>;

/* Up to this order the kernel that keeps X in registers is the better one, also in double precision. */
static constexpr int fused_end = 64;

/* Systems of at most this order are not halved any more. */
template <class T> constexpr int recursion_end = has_tensor<T> ? tensor_triangle::most : fused_end;

/* Columns of X that a warp takes through the tiles together; the most that are done so, and the order up to which all
 * are. */
static constexpr int tile_columns = 10, few_columns = 20, tiles_end = 48;

/* From this order on one column on the right is trsv's. */
static constexpr int one_column = 16;

template <class T>
static int solve_few(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  const int n = f.left ? b.m : b.n, nrhs = f.left ? b.n : b.m;
  return solve_by_tiles<T, tile_columns, false>(ctx, f, n, nrhs, alpha, a, b);
}

/* Orders from small_order to recursion_end. */
template <class T>
static int solve_many(batched_ctx *ctx, triangle_form f, T alpha, const batch<T> &a, const batch<T> &b)
{
  if constexpr (has_tensor<T>)
    if ((f.left ? b.m : b.n) > fused_end) return launch_triangle_tensor<false>(ctx, f, alpha, a, b);
  return solve_fused(ctx, f, alpha, a, b);
}

/* The halves of the system one after the other, with a product in between that takes the first one's unknowns out of
 * the second one. */
template <class T>
static int halves(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag,
                  T alpha, const batch<T> &a, const batch<T> &b)
{
  const triangle_form f = form_of(side, uplo, trans, diag);
  const int n = f.left ? b.m : b.n;
  if (f.left && b.n == 1 && !b.ns && n > one_column && alpha == make<T>(1)) return trsv(ctx, uplo, trans, diag, a, b);
  if (n <= small_order) return apply_small<T, false>(ctx, f, alpha, a, b);
  const bool few = (f.left ? b.n : b.m) <= few_columns || n <= tiles_end;
  if (few && n <= most_by_tiles<T, tile_columns>) return solve_few(ctx, f, alpha, a, b);
  if (n <= recursion_end<T>) return solve_many(ctx, f, alpha, a, b);
  int n1 = recursion_end<T>;
  while (2 * n1 < n) n1 *= 2;
  const int n2 = n - n1;
  const batch<T> b1 = f.left ? b.block(0, 0, n1, b.n) : b.block(0, 0, b.m, n1);
  const batch<T> b2 = f.left ? b.block(n1, 0, n2, b.n) : b.block(0, n1, b.m, n2);
  const batch<T> a1 = a.block(0, 0, n1, n1), a2 = a.block(n1, n1, n2, n2);
  const batch<T> off = uplo == BATCHED_LOWER ? a.block(n1, 0, n2, n1) : a.block(0, n1, n1, n2);
  const batch<T> &first = f.backward ? b2 : b1, &second = f.backward ? b1 : b2;
  int status = halves(ctx, side, uplo, trans, diag, alpha, f.backward ? a2 : a1, first);
  if (!status)
    status = f.left ? products::gemm(ctx, trans, BATCHED_NO_TRANS, make<T>(-1), off, first, alpha, second)
                    : products::gemm(ctx, BATCHED_NO_TRANS, trans, make<T>(-1), first, off, alpha, second);
  return status ? status : halves(ctx, side, uplo, trans, diag, make<T>(1), f.backward ? a1 : a2, second);
}

template <class T>
int trsm(batched_ctx *ctx, batched_side side, batched_uplo uplo, batched_trans trans, batched_diag diag, T alpha,
         const batch<T> &a, const batch<T> &b)
{
  if (b.m == 0 || b.n == 0 || b.count == 0) return BATCHED_SUCCESS;
  if (alpha == T{}) return launch(ctx, clear<T>, b.count, dim3(32, 4), 0, b);
  return halves(ctx, side, uplo, trans, diag, alpha, a, b);
}

#define INSTANTIATE(...) \
  template int trsm(batched_ctx *, batched_side, batched_uplo, batched_trans, batched_diag, __VA_ARGS__, \
                    const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

static bool fits_small(const void *args)
{
  return static_cast<const batched_trsm_args *>(args)->a.m <= small_order;
}

/* Is X small enough for a place in shared memory? */
static bool fits_few(const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return (size_t)t->a.m * tile_columns * batched_element_bytes(t->b.type) <= 32 * 1024;
}

static bool fits_tensor(const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return t->b.type == BATCHED_D && t->a.m <= tensor_triangle::most;
}

enum class design { small, few, fused, tensor, recursive };

template <design how> static int run(batched_ctx *ctx, const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return with_type(t->b.type, [&](auto zero) {
    using T = decltype(zero);
    const T alpha = make<T>(t->alpha);
    const batch<T> a = view<T>(t->a), b = view<T>(t->b);
    const triangle_form f = form_of(t->side, t->uplo, t->trans, t->diag);
    if (alpha == T{}) return launch(ctx, clear<T>, b.count, dim3(32, 4), 0, b);
    if constexpr (has_tensor<T>)
      if (how == design::tensor) return launch_triangle_tensor<false>(ctx, f, alpha, a, b);
    return how == design::small   ? apply_small<T, false>(ctx, f, alpha, a, b)
           : how == design::few   ? solve_few(ctx, f, alpha, a, b)
           : how == design::fused ? solve_fused(ctx, f, alpha, a, b)
                                  : halves(ctx, t->side, t->uplo, t->trans, t->diag, alpha, a, b);
  });
}

static int run_vendor(batched_ctx *ctx, const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return with_type(t->b.type, [&](auto zero) {
    using T = decltype(zero);
    T alpha = make<T>(t->alpha);
    using pointer = decltype(vendor(&alpha));
    cublasHandle_t handle = cublas_of(ctx);
    T **a = handle ? pointers_of(ctx, view<T>(t->a)) : nullptr, **b = a ? pointers_of(ctx, view<T>(t->b)) : nullptr;
    const int status = !b ? (int)BATCHED_NO_MEMORY
                          : status_of(VENDOR_CALL(T, cublas, trsmBatched)(
                              handle, vendor_side(t->side), vendor_uplo(t->uplo), vendor_trans(t->trans),
                              vendor_diag(t->diag), t->b.m, t->b.n, vendor(&alpha), reinterpret_cast<pointer *>(a),
                              t->a.ld, reinterpret_cast<pointer *>(b), t->b.ld, (int)t->b.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

/* cuBLAS reads A and B where alpha is zero, too, and takes what is not a number from there. */
static bool vendor_fits(const void *args)
{
  const auto *t = static_cast<const batched_trsm_args *>(args);
  return !batched_is_zero(t->b.type, t->alpha) && !batched_is_variable(&t->a) && !batched_is_variable(&t->b) &&
         t->b.count <= INT_MAX;
}

} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trsm_cuda[] = {
  {"cuda.small", fits_small, nullptr, run<design::small>},
  {"cuda.recursive", nullptr, nullptr, run<design::recursive>},
  {"cuda.tiles", fits_few, never, run<design::few>},
  {"cuda.tensor", fits_tensor, never, run<design::tensor>},
  {"cuda.fused", nullptr, never, run<design::fused>},
  {"vendor.cublas", vendor_fits, never, run_vendor},
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with one vector; the blocked, recursive and inverting designs are those of the batched TRSV of
 * T. Dong, A. Haidar, S. Tomov, J. Dongarra (batched bidiagonalisation and forward and backward substitution) and of
 * A. Charara, D. Keyes, H. Ltaief (KBLAS).
 */
#include "batched/products/cuda/gemm.cuh"
#include "batched/triangular/cuda/tiles.cuh"
#include "batched/triangular/cuda/trsv_columns.cuh"
#include "batched/triangular/cuda/trsv_lanes.cuh"
#include "batched/triangular/cuda/trsv_thread.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/triangular/triangular.h"

namespace batched_cuda::triangular
{

static const batched_trsv_args *args_of(const void *args)
{
  return static_cast<const batched_trsv_args *>(args);
}

static triangle_form form_of(const batched_trsv_args *t)
{
  return form_of(BATCHED_LEFT, t->uplo, t->trans, t->diag);
}

static bool is_column(const batched_trsv_args *t)
{
  return t->x.n == 1 && !t->x.ns;
}

static bool fits_threads(const void *args)
{
  return args_of(args)->a.m <= 8;
}

static bool likes_threads(const void *args)
{
  return args_of(args)->a.m <= 4;
}

static int run_threads(batched_ctx *ctx, const void *args)
{
  const auto *t = args_of(args);
  return with_type(t->x.type, [&](auto zero) {
    using T = decltype(zero);
    return trsv_by_threads<T>(ctx, form_of(t), view<T>(t->a), view<T>(t->x));
  });
}

static bool fits_columns(const void *args)
{
  return !form_of(args_of(args)).flip && args_of(args)->a.m <= 48;
}

static int run_columns(batched_ctx *ctx, const void *args)
{
  const auto *t = args_of(args);
  return with_type(t->x.type, [&](auto zero) {
    using T = decltype(zero);
    return trsv_by_columns<T>(ctx, form_of(t), view<T>(t->a), view<T>(t->x));
  });
}

static bool fits_lanes(const void *args)
{
  return args_of(args)->a.m <= 16;
}

static int run_lanes(batched_ctx *ctx, const void *args)
{
  const auto *t = args_of(args);
  return with_type(t->x.type, [&](auto zero) {
    using T = decltype(zero);
    return trsv_by_lanes<T>(ctx, form_of(t), view<T>(t->a), view<T>(t->x));
  });
}

static bool fits_tiles(const void *args)
{
  const auto *t = args_of(args);
  return (size_t)t->a.m * batched_element_bytes(t->x.type) <= 32 * 1024;
}

template <bool by_inverse> static int run_tiles(batched_ctx *ctx, const void *args)
{
  const auto *t = args_of(args);
  return with_type(t->x.type, [&](auto zero) {
    using T = decltype(zero);
    return solve_by_tiles<T, 1, by_inverse>(ctx, form_of(t), t->a.m, 1, make<T>(1), view<T>(t->a), view<T>(t->x));
  });
}

/* Vectors of at most this many elements are not halved any more (Dong et al.). */
static constexpr int recursion_end = 256;

/* Halves one after the other, and a product in between. */
template <class T> static int halve(batched_ctx *ctx, const batched_trsv_args *t, const batch<T> &a, const batch<T> &x)
{
  const triangle_form f = form_of(t);
  const bool column = is_column(t);
  const int n = a.m;
  if (n <= recursion_end) return solve_by_tiles<T, 1, false>(ctx, f, n, 1, make<T>(1), a, x);
  int n1 = recursion_end;
  while (2 * n1 < n) n1 *= 2;
  const int n2 = n - n1;
  const batch<T> a1 = a.block(0, 0, n1, n1), a2 = a.block(n1, n1, n2, n2);
  const batch<T> off = t->uplo == BATCHED_LOWER ? a.block(n1, 0, n2, n1) : a.block(0, n1, n1, n2);
  const batch<T> x1 = column ? x.block(0, 0, n1, 1) : x.block(0, 0, 1, n1);
  const batch<T> x2 = column ? x.block(n1, 0, n2, 1) : x.block(0, n1, 1, n2);
  const batch<T> &first = f.backward ? x2 : x1, &second = f.backward ? x1 : x2;
  int status = halve(ctx, t, f.backward ? a2 : a1, first);
  if (!status) {
    const batched_trans turned = t->trans == BATCHED_NO_TRANS ? BATCHED_TRANS : BATCHED_NO_TRANS;
    status = column ? products::gemm(ctx, t->trans, BATCHED_NO_TRANS, make<T>(-1), off, first, make<T>(1), second)
                    : products::gemm(ctx, BATCHED_NO_TRANS, turned, make<T>(-1), first, off, make<T>(1), second);
  }
  return status ? status : halve(ctx, t, f.backward ? a1 : a2, second);
}

template <class T>
int trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, const batch<T> &a,
         const batch<T> &x)
{
  batched_trsv_args t = {};
  t.uplo = uplo;
  t.trans = trans;
  t.diag = diag;
  t.x.n = 1;
  if ((size_t)a.m * sizeof(T) > 32 * 1024) return halve<T>(ctx, &t, a, x);
  return solve_by_tiles<T, 1, false>(ctx, form_of(&t), a.m, 1, make<T>(1), a, x);
}

#define INSTANTIATE(...) \
  template int trsv(batched_ctx *, batched_uplo, batched_trans, batched_diag, const batch<__VA_ARGS__> &, \
                    const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

template <class T> static __global__ void conjugate(batch<T> x)
{
  for (int64_t b = blockIdx.x; b < x.count; b += gridDim.x) {
    const int n = x.length(b);
    const int64_t inc = x.increment(b);
    T *const at = n > 0 ? x.at(b) : nullptr;
    for (int i = threadIdx.x; i < n; i += blockDim.x) at[i * inc] = conj(at[i * inc]);
  }
}

/* With x in rows the product in between is x^T op(A)^T, which no gemm has for A^H: then A^T conj(x) = conj(b) is
 * solved. */
static int run_recursion(batched_ctx *ctx, const void *args)
{
  batched_trsv_args t = *args_of(args);
  return with_type(t.x.type, [&](auto zero) {
    using T = decltype(zero);
    const batch<T> a = view<T>(t.a), x = view<T>(t.x);
    const bool turn = is_complex<T> && !is_column(&t) && t.trans == BATCHED_CONJ_TRANS && t.a.m > recursion_end;
    if (!turn) return halve<T>(ctx, &t, a, x);
    t.trans = BATCHED_TRANS;
    int status = launch(ctx, conjugate<T>, x.count, 128, 0, x);
    if (!status) status = halve<T>(ctx, &t, a, x);
    return status ? status : launch(ctx, conjugate<T>, x.count, 128, 0, x);
  });
}

static bool fits_vendor(const void *args)
{
  const auto *t = args_of(args);
  return is_column(t) && !batched_is_variable(&t->a) && !batched_is_variable(&t->x) && t->x.count <= INT_MAX;
}

/* cuBLAS has no batched trsv: trsm with one right-hand side. */
static int run_vendor(batched_ctx *ctx, const void *args)
{
  const auto *t = args_of(args);
  return with_type(t->x.type, [&](auto zero) {
    using T = decltype(zero);
    T one = make<T>(1);
    using pointer = decltype(vendor(&one));
    cublasHandle_t handle = cublas_of(ctx);
    T **a = handle ? pointers_of(ctx, view<T>(t->a)) : nullptr, **x = a ? pointers_of(ctx, view<T>(t->x)) : nullptr;
    const int status = !x ? (int)BATCHED_NO_MEMORY
                          : status_of(VENDOR_CALL(T, cublas, trsmBatched)(
                              handle, CUBLAS_SIDE_LEFT, vendor_uplo(t->uplo), vendor_trans(t->trans),
                              vendor_diag(t->diag), t->x.m, 1, vendor(&one), reinterpret_cast<pointer *>(a), t->a.ld,
                              reinterpret_cast<pointer *>(x), t->x.ld, (int)t->x.count));
    if (x) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trsv_cuda[] = {
  {"cuda.thread", fits_threads, likes_threads, run_threads},
  {"cuda.columns", fits_columns, nullptr, run_columns},
  {"cuda.lanes", fits_lanes, nullptr, run_lanes},
  {"cuda.blocked", fits_tiles, nullptr, run_tiles<false>},
  {"cuda.inverse", fits_tiles, never, run_tiles<true>},
  {"cuda.recursive", nullptr, nullptr, run_recursion},
  {"vendor.cublas", fits_vendor, never, run_vendor},
  BATCHED_LAST_ROW,
};

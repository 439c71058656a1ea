/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Triangular solves with one vector; one level of blocking, recursion and inverted diagonal blocks are the designs of
 * the batched TRSV of T. Dong, A. Haidar, S. Tomov, J. Dongarra (batched bidiagonalisation and forward and backward
 * substitution) and of A. Charara, D. Keyes, H. Ltaief (KBLAS).
 */
#include "batched/cuda/cublas.cuh"
#include "batched/triangular/triangular.h"
#include "batched/triangular/cuda/solve.cuh"
#include "batched/triangular/cuda/trsv_lanes.cuh"
#include "batched/triangular/cuda/trsv_thread.cuh"
#include "batched/triangular/cuda/vector_call.cuh"
#include "batched/triangular/cuda/warp_stream.cuh"

namespace batched_cuda::triangular
{
namespace
{

/* ------------------------------------------------------------------ kernels */

template <class T> bool fits_thread(const vector_call<T> &s)
{
  return s.order() <= 8;
}
template <class T> int run_thread(batched_ctx *ctx, const vector_call<T> &s)
{
  return solve_thread<T>(ctx, s.form(), s.a, s.x);
}

template <class T> bool takes_columns(const vector_call<T> &s)
{
  return !s.form().flip && s.order() <= 48;
}
template <class T> bool fits_lanes(const vector_call<T> &s)
{
  return takes_columns(s) || s.order() <= 16;
}
template <class T> int run_lanes(batched_ctx *ctx, const vector_call<T> &s)
{
  return takes_columns(s) ? solve_columns<T>(ctx, s.form(), s.a, s.x) : solve_turned<T>(ctx, s.form(), s.a, s.x);
}

template <class T> bool fits_warp_stream(const vector_call<T> &s)
{
  return s.order() <= most_streamed<T>(1);
}
template <class T, bool by_inverse> int run_warp_stream(batched_ctx *ctx, const vector_call<T> &s)
{
  return solve_warp_stream<T, 1, by_inverse>(ctx, s.form(), s.order(), 1, make<T>(1), s.a, s.x);
}

template <class T> int run_recursive(batched_ctx *ctx, const vector_call<T> &s);

enum { THREAD, LANES, WARP_STREAM, RECURSIVE, INVERSE, KERNELS };

template <class T>
constexpr kernel<vector_call<T>> trsv_table[KERNELS] = {{fits_thread<T>, by_table, run_thread<T>},
                                                        {fits_lanes<T>, nullptr, run_lanes<T>},
                                                        {fits_warp_stream<T>, nullptr, run_warp_stream<T, false>},
                                                        {nullptr, nullptr, run_recursive<T>},
                                                        {fits_warp_stream<T>, nullptr, run_warp_stream<T, true>}};
constexpr kernel_names<4> names = {"trsv", {"cuda.thread", "cuda.lanes", "cuda.warp_stream", "cuda.recursive"}};
constexpr kernel_names<3> leaf_names = {"trsv", {"cuda.thread", "cuda.lanes", "cuda.warp_stream"}};

struct trsv_kernels {
  using args = batched_trsv_args;
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
    return trsv_table<T>;
  }
};

/* ------------------------------------------------------------------ recursive */

/* Vectors of at most this many elements are leaves (Dong et al.). */
constexpr int recursion_end = 256;

/* One half after the other, and a product in between. */
template <class T> int halve(batched_ctx *ctx, const vector_call<T> &s)
{
  if (s.order() <= recursion_end) return pick(ctx, leaf_names, trsv_table<T>, s)->run(ctx, s);
  const vector_halves<T> h(s, recursion_cut(recursion_end, s.order()));
  int status = halve(ctx, h.first);
  if (!status) status = h.couple(ctx, make<T>(-1));
  return status ? status : halve(ctx, h.second);
}

/* Row cuda.recursive. */
template <class T> int run_recursive(batched_ctx *ctx, const vector_call<T> &s)
{
  return s.order() > recursion_end ? with_op(ctx, s, halve<T>) : halve(ctx, s);
}

/* ------------------------------------------------------------------ cuBLAS */

bool fits_cublas(const batched_trsv_args &t)
{
  return t.x.n == 1 && !batched_is_variable(&t.a) && !batched_is_variable(&t.x) && t.x.count <= INT_MAX;
}

/* cuBLAS has no batched trsv: trsm with one right-hand side. */
int cublas(batched_ctx *ctx, const batched_trsv_args &t)
{
  return with_type(t.x.type, [&](auto zero) {
    using T = decltype(zero);
    T one = make<T>(1);
    using pointer = decltype(vendor(&one));
    cublasHandle_t handle = cublas_of(ctx);
    T **a = handle ? pointers_of(ctx, view<T>(t.a)) : nullptr, **x = a ? pointers_of(ctx, view<T>(t.x)) : nullptr;
    const int status = !x ? (int)BATCHED_NO_MEMORY
                          : status_of(VENDOR_CALL(T, cublas, trsmBatched)(
                              handle, CUBLAS_SIDE_LEFT, vendor_uplo(t.uplo), vendor_trans(t.trans), vendor_diag(t.diag),
                              t.x.m, 1, vendor(&one), reinterpret_cast<pointer *>(a), t.a.ld,
                              reinterpret_cast<pointer *>(x), t.x.ld, (int)t.x.count));
    if (x) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace

template <class T>
int trsv(batched_ctx *ctx, batched_uplo uplo, batched_trans trans, batched_diag diag, const batch<T> &a,
         const batch<T> &x)
{
  const vector_call<T> s = {uplo, trans, diag, a, x};
  return pick(ctx, names, trsv_table<T>, s)->run(ctx, s);
}

#define INSTANTIATE(...) \
  template int trsv(batched_ctx *, batched_uplo, batched_trans, batched_diag, const batch<__VA_ARGS__> &, \
                    const batch<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANTIATE)
#undef INSTANTIATE

} // namespace batched_cuda::triangular

using namespace batched_cuda;
using namespace batched_cuda::triangular;

const batched_variant batched_trsv_cuda[] = {
  kernel_row<trsv_kernels, THREAD>("cuda.thread"),
  kernel_row<trsv_kernels, LANES>("cuda.lanes"),
  kernel_row<trsv_kernels, WARP_STREAM>("cuda.warp_stream"),
  kernel_row<trsv_kernels, RECURSIVE>("cuda.recursive"),
  kernel_row<trsv_kernels, INVERSE, never>("cuda.warp_stream_inverse"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * QR.
 */
#include "batched/qr/cuda/geqrf_lanes.cuh"
#include "batched/qr/cuda/geqrf_warp_tc.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/qr/qr.h"

namespace batched_cuda::qr
{

template <int M, class T> static int run_small(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  using shape = register_shape<M, T>;
  return launch(ctx, factor_in_registers<M, T>, ceil_div(a.count, shape::per_block), 32 * shape::warps, shape::bytes, a,
                tau);
}

static bool fits_registers(const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return g->a.m <= 32 && g->a.n <= 32;
}

template <class T> static int run_in_registers(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  const int most = a.m > a.n ? a.m : a.n;
  if (most <= 4) return run_small<4>(ctx, a, tau);
  if (most <= 8) return run_small<8>(ctx, a, tau);
  if (most <= 16) return run_small<16>(ctx, a, tau);
  if (most <= 24) return run_small<24>(ctx, a, tau);
  return run_small<32>(ctx, a, tau);
}

template <int R, int C, int ALL, int BLOCKS>
static int run_spread(batched_ctx *ctx, const batch<double> &a, const batch<double> &tau)
{
  return launch(ctx, factor_spread<R, C, ALL, BLOCKS>, a.count, 32, spread_shape<R, C, ALL>::bytes(a.m, a.n), a, tau);
}

static int run_spread(batched_ctx *ctx, const batch<double> &a, const batch<double> &tau)
{
  if (a.m <= 28 && a.n <= 32) return run_spread<7, 4, 4, 16>(ctx, a, tau);
  if (a.m <= 32 && a.n <= 32) return run_spread<8, 4, 4, 16>(ctx, a, tau);
  if (a.m <= 36 && a.n <= 40) return run_spread<9, 5, 5, 12>(ctx, a, tau);
  if (a.m <= 40 && a.n <= 40) return run_spread<10, 5, 5, 12>(ctx, a, tau);
  if (a.m <= 48 && a.n <= 48) return run_spread<12, 6, 6, 8>(ctx, a, tau);
  if (a.m <= 56 && a.n <= 56) return run_spread<14, 7, 7, 8>(ctx, a, tau);
  return run_spread<16, 6, 8, 8>(ctx, a, tau);
}

static bool fits_spread(const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return g->a.type == BATCHED_D && g->a.m <= 64 && g->a.n <= 64;
}

/* Is it the fastest? Of other shapes strips of 16 columns are, or cuda.register. */
static bool likes_spread(int m, int n)
{
  return (m > 24 || n > 24) && m <= 64 && (m - 1) / 16 == (n - 1) / 16;
}
static bool likes_spread(const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return likes_spread(g->a.m, g->a.n);
}

static int run_spread(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return run_spread(ctx, view<double>(g->a), view<double>(g->tau));
}

static int run_register(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    return run_in_registers(ctx, view<T>(g->a), view<T>(g->tau));
  });
}

template <class T> int geqrf(batched_ctx *ctx, const batch<T> &a, const batch<T> &tau)
{
  if constexpr (std::is_same_v<T, double>)
    if (likes_spread(a.m, a.n)) return run_spread(ctx, a, tau);
  if (a.m <= 32 && a.n <= 32) return run_in_registers(ctx, a, tau);
  return panels_fit<T>(a.m) ? run_panels(ctx, FACTOR, true, a, tau, a) : run_columns(ctx, FACTOR, true, a, tau, a);
}
#define INSTANCE(...) template int geqrf(batched_ctx *, const batch<__VA_ARGS__> &, const batch<__VA_ARGS__> &);
#if BATCHED_CUDA_TYPES & 1
INSTANCE(float)
#endif
#if BATCHED_CUDA_TYPES & 2
INSTANCE(double)
#endif
#if BATCHED_CUDA_TYPES & 4
INSTANCE(complex<float>)
#endif
#if BATCHED_CUDA_TYPES & 8
INSTANCE(complex<double>)
#endif
#undef INSTANCE

static bool fits_panels(const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return panels_fit(g->a.type, g->a.m);
}

static int run_panel(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(g->a);
    return run_panels<T>(ctx, FACTOR, true, a, view<T>(g->tau), a);
  });
}

static int run_global(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(g->a);
    return run_columns<T>(ctx, FACTOR, true, a, view<T>(g->tau), a);
  });
}

/* cuBLAS puts the tau of a matrix side by side. */
static bool vendor_fits(const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return !batched_is_variable(&g->a) && !batched_is_variable(&g->tau) && g->a.count <= INT_MAX &&
         batched_increment(&g->tau, 0) == 1;
}

static int run_vendor(batched_ctx *ctx, const void *args)
{
  const auto *g = static_cast<const batched_geqrf_args *>(args);
  return with_type(g->a.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor(static_cast<T *>(nullptr)));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(g->a)), **tau = a ? pointers_of(ctx, view<T>(g->tau)) : nullptr;
    int status = tau ? BATCHED_SUCCESS : BATCHED_NO_MEMORY, info = 0;
    if (tau)
      status = status_of(VENDOR_CALL(T, cublas, geqrfBatched)(handle, g->a.m, g->a.n, reinterpret_cast<V *>(a), g->a.ld,
                                                              reinterpret_cast<V *>(tau), &info, (int)g->a.count));
    if (tau) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_geqrf_cuda[] = {
  {"cuda.warp_tc", fits_spread, likes_spread, run_spread}, {"cuda.lanes", fits_registers, nullptr, run_register},
  {"cuda.panels", fits_panels, nullptr, run_panel},        {"cuda.blocked", nullptr, nullptr, run_global},
  {"vendor.cublas", vendor_fits, never, run_vendor},       BATCHED_LAST_ROW,
};

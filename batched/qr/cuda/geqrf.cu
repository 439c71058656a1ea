/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of geqrf.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/qr/cuda/geqrf_lanes.cuh"
#include "batched/qr/cuda/native.cuh"
#include "batched/qr/cuda/single.cuh"
#include "batched/qr/qr.h"
#include "batched/tuning/choice.h"

namespace batched_cuda::qr
{
namespace
{

bool within(const batched_matrix &a, int order)
{
  return a.m <= order && a.n <= order;
}

bool fits_warp_tc(const batched_geqrf_args &p)
{
  return warp_tc_fits(p.a.type, p.a.m, p.a.n);
}
int warp_tc(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return run_warp_tc(ctx, view<T>(p.a), view<T>(p.tau));
  });
}

bool fits_lanes(const batched_geqrf_args &p)
{
  return within(p.a, 32);
}
int lanes(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return launch_geqrf_lanes(ctx, view<T>(p.a), view<T>(p.tau));
  });
}

bool fits_registers(const batched_geqrf_args &p)
{
  return registers_fit(p.a.type, p.a.m);
}
int registers(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return run_registers(ctx, view<T>(p.a), view<T>(p.tau));
  });
}

bool fits_panels_shared(const batched_geqrf_args &p)
{
  return panels_shared_fit(p.a.type, p.a.m, p.a.n);
}
int panels_shared(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    return run_panels_shared(ctx, view<T>(p.a), view<T>(p.tau));
  });
}

bool fits_panels(const batched_geqrf_args &p)
{
  return panels_fit(p.a.type, p.a.m);
}
int panels(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p.a);
    return run_panels(ctx, FACTOR, true, a, view<decltype(t)>(p.tau), a);
  });
}

bool fits_panels_tc(const batched_geqrf_args &p)
{
  return panels_tc_fit(p.a.type, p.a.m);
}
int panels_tc(batched_ctx *ctx, const batched_geqrf_args &p)
{
  const batch<float> a = view<float>(p.a);
  return run_panels_tc(ctx, FACTOR, true, a, view<float>(p.tau), a);
}

int blocked(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p.a);
    return run_columns(ctx, FACTOR, true, a, view<decltype(t)>(p.tau), a);
  });
}

/* Each matrix has scratch memory for all of its products. */
constexpr int native_count = 64;
bool fits_native(const batched_geqrf_args &p)
{
  return p.a.count <= native_count && p.a.m <= QR_NATIVE_ROWS && !batched_is_variable(&p.a) &&
         !batched_is_variable(&p.tau);
}

/* cuBLAS wants the tau of a matrix side by side. */
bool fits_cublas(const batched_geqrf_args &p)
{
  return !batched_is_variable(&p.a) && !batched_is_variable(&p.tau) && p.a.count <= INT_MAX &&
         batched_increment(&p.tau, 0) == 1;
}
int cublas(batched_ctx *ctx, const batched_geqrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor(static_cast<T *>(nullptr)));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(p.a)), **tau = a ? pointers_of(ctx, view<T>(p.tau)) : nullptr;
    int status = tau ? BATCHED_SUCCESS : BATCHED_NO_MEMORY, info = 0;
    if (tau)
      status = status_of(VENDOR_CALL(T, cublas, geqrfBatched)(handle, p.a.m, p.a.n, reinterpret_cast<V *>(a), p.a.ld,
                                                              reinterpret_cast<V *>(tau), &info, (int)p.a.count));
    if (tau) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

/* cuSOLVER's of one large matrix.  For smaller ones, and for batches, cuBLAS is the peer. */
constexpr int least_order = 1024;

bool vendor_geqrf_fits(const batched_geqrf_args &p)
{
  return p.a.count == 1 && !p.a.array && !p.tau.array && !batched_is_variable(&p.a) && !batched_is_variable(&p.tau) &&
         batched_increment(&p.tau, 0) == 1 && p.a.m >= least_order && p.a.n >= least_order;
}

int vendor_geqrf(batched_ctx *ctx, const batched_geqrf_args &p)
{
  const cusolverDnHandle_t handle = cusolver_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p.a);
    int lwork = 0;
    int status =
      status_of(VENDOR_CALL(T, cusolverDn, geqrf_bufferSize)(handle, a.m, a.n, vendor(a.data), a.ld, &lwork));
    if (status) return status;
    T *work = static_cast<T *>(batched_scratch_push(ctx, ((size_t)lwork + 1) * sizeof(T)));
    int *info = static_cast<int *>(batched_scratch_push(ctx, sizeof(int)));
    status = !work || !info
               ? (int)BATCHED_NO_MEMORY
               : status_of(VENDOR_CALL(T, cusolverDn, geqrf)(handle, a.m, a.n, vendor(a.data), a.ld,
                                                             vendor(view<T>(p.tau).data), vendor(work), lwork, info));
    if (info) batched_scratch_pop(ctx);
    if (work) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::qr

using namespace batched_cuda;
using namespace batched_cuda::qr;

const batched_variant batched_geqrf_cuda[] = {
  row<fits_warp_tc, batched_by_table, warp_tc>("cuda.warp_tc"),
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_registers, batched_by_table, registers>("cuda.registers"),
  row<fits_panels_shared, batched_by_table, panels_shared>("cuda.panels_shared"),
  row<fits_panels_tc, batched_by_table, panels_tc>("cuda.panels_tc"),
  row<fits_panels, nullptr, panels>("cuda.panels"),
  row<nullptr, nullptr, blocked>("cuda.blocked"),
  row<fits_native, batched_by_table, geqrf_native>("cuda.native"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  row<vendor_geqrf_fits, never, vendor_geqrf>("vendor.cusolver"),
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of getrf.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/lu/cuda/cusolver.cuh"
#include "batched/lu/cuda/getrf_blocked.cuh"
#include "batched/lu/cuda/getrf_lanes.cuh"
#include "batched/lu/cuda/getrf_panels.cuh"
#include "batched/lu/cuda/getrf_panels_tc.cuh"
#include "batched/lu/cuda/getrf_recursive.cuh"

namespace batched_cuda::lu
{

/* getrf_warp_tc.cu */
bool fits_warp_tc(const batched_getrf_args &p);
bool likes_warp_tc(const batched_getrf_args &p);
int run_warp_tc(batched_ctx *ctx, const batched_getrf_args &p);

/* getrf_shared_tc.cu */
bool fits_shared_tc(const batched_getrf_args &p);
int run_shared_tc(batched_ctx *ctx, const batched_getrf_args &p);

/* getrf_panels_shared.cu */
bool fits_panels_shared(const batched_getrf_args &p);
int run_panels_shared(batched_ctx *ctx, const batched_getrf_args &p);

/* getrf_native.cu */
bool fits_native(const batched_getrf_args &p);
int run_native(batched_ctx *ctx, const batched_getrf_args &p);

namespace
{

bool within(const batched_matrix &a, int order)
{
  return a.m <= order && a.n <= order;
}

bool fits_lanes(const batched_getrf_args &p)
{
  return within(p.a, 32);
}
int lanes(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) { return launch_getrf_lanes<decltype(t)>(ctx, p); });
}

bool fits_panels_tc(const batched_getrf_args &p)
{
  return p.a.type == BATCHED_D && panels_tc_fit(p.a);
}
int panels_tc(batched_ctx *ctx, const batched_getrf_args &p)
{
  return launch_getrf_panels_tc(ctx, p);
}

/* True where `blocks` blocks of cuda.panels fit on an SM. */
bool fits_blocks(const batched_matrix &a, int blocks)
{
  return holds_for(a.type, [&](auto t) { return panels_fit<decltype(t)>(a.m, a.n, a.n, blocks); });
}
bool fits_panels(const batched_getrf_args &p)
{
  return fits_blocks(p.a, 1);
}
bool likes_panels(const batched_getrf_args &p)
{
  return fits_blocks(p.a, p.a.type == BATCHED_D ? 2 : lu_blocks(p.a.type, p.a.m));
}
int panels(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    const batch<decltype(t)> a = view<decltype(t)>(p.a);
    return launch_getrf_panels(ctx, a, a.n, 0, p.ipiv, a.m < a.n ? a.m : a.n, p.info);
  });
}

bool fits_blocked(const batched_getrf_args &p)
{
  return p.a.m <= LU_MOST_ROWS;
}
int blocked(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_getrf_blocked<decltype(t)>(ctx, p); });
}

/* Whatever the table says, where no panel has enough rows. */
bool likes_recursive(const batched_getrf_args &p)
{
  return !fits_blocked(p);
}
int recursive(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) { return run_getrf_recursive<decltype(t)>(ctx, p); });
}

bool fits_cublas(const batched_getrf_args &p)
{
  return p.a.m == p.a.n && p.a.m > 0 && !batched_is_variable(&p.a) && p.a.count <= INT_MAX;
}
int cublas(batched_ctx *ctx, const batched_getrf_args &p)
{
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    T **pointers = pointers_of<T>(ctx, view<T>(p.a));
    if (!pointers) return (int)BATCHED_NO_MEMORY;
    cublasHandle_t handle = cublas_of(ctx);
    const auto call = VENDOR_CALL(T, cublas, getrfBatched);
    const int status = !handle ? (int)BATCHED_NO_MEMORY
                               : status_of(call(handle, p.a.n, reinterpret_cast<decltype(vendor((T *)0)) *>(pointers),
                                                p.a.ld, p.ipiv, p.info, (int)p.a.count));
    batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::lu

using namespace batched_cuda;
using namespace batched_cuda::lu;

const batched_variant batched_getrf_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<fits_warp_tc, likes_warp_tc, run_warp_tc>("cuda.warp_tc"),
  row<fits_shared_tc, batched_by_table, run_shared_tc>("cuda.shared_tc"),
  row<fits_panels_tc, batched_by_table, panels_tc>("cuda.panels_tc"),
  row<fits_panels_shared, batched_by_table, run_panels_shared>("cuda.panels_shared"),
  row<fits_native, batched_by_table, run_native>("cuda.native"),
  row<nullptr, likes_recursive, recursive>("cuda.recursive"),
  row<fits_panels, likes_panels, panels>("cuda.panels"),
  row<fits_blocked, nullptr, blocked>("cuda.blocked"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  row<vendor_getrf_fits, never, vendor_getrf>("vendor.cusolver"),
  BATCHED_LAST_ROW,
};

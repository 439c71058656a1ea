/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows of getrs.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/lu/cuda/composed.cuh"
#include "batched/lu/cuda/lanes.cuh"

namespace batched_cuda::lu
{

template <class T> int solve_lu(batched_ctx *ctx, const lu_system<T> &s)
{
  return s.b.m <= LU_LANES_SOLVE ? launch_solve_lanes(ctx, s) : solve_composed(ctx, s);
}
#define INSTANCE(...) template int solve_lu(batched_ctx *, const lu_system<__VA_ARGS__> &);
BATCHED_WITH_TYPES(INSTANCE)
#undef INSTANCE

namespace
{

template <class T> lu_system<T> system_of(const batched_getrs_args &p)
{
  const int npivots = batched_is_shared(&p.a) ? 0 : p.a.n;
  return {p.trans, view<T>(p.a), view<T>(p.b), p.ipiv, nullptr, npivots, false, nullptr, nullptr};
}

bool fits_lanes(const batched_getrs_args &p)
{
  return p.b.m <= LU_LANES_SOLVE;
}
int lanes(batched_ctx *ctx, const batched_getrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return launch_solve_lanes(ctx, system_of<decltype(t)>(p)); });
}

int composed(batched_ctx *ctx, const batched_getrs_args &p)
{
  return with_type(p.b.type, [&](auto t) { return solve_composed(ctx, system_of<decltype(t)>(p)); });
}

bool fits_cublas(const batched_getrs_args &p)
{
  return !(batched_is_shared(&p.a) && p.a.count > 1) && !batched_is_variable(&p.a) && !batched_is_variable(&p.b) &&
         p.b.count <= INT_MAX;
}
int cublas(batched_ctx *ctx, const batched_getrs_args &p)
{
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor((T *)nullptr));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(p.a)), **b = a ? pointers_of(ctx, view<T>(p.b)) : nullptr;
    int status = BATCHED_NO_MEMORY, wrong = 0;
    if (b)
      status = status_of(
        VENDOR_CALL(T, cublas, getrsBatched)(handle, vendor_trans(p.trans), p.b.m, p.b.n, reinterpret_cast<V *>(a),
                                             p.a.ld, p.ipiv, reinterpret_cast<V *>(b), p.b.ld, &wrong, (int)p.b.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace
} // namespace batched_cuda::lu

using namespace batched_cuda;
using namespace batched_cuda::lu;

const batched_variant batched_getrs_cuda[] = {
  row<fits_lanes, nullptr, lanes>("cuda.lanes"),
  row<nullptr, nullptr, composed>("cuda.composed"),
  row<fits_cublas, never, cublas>("vendor.cublas"),
  BATCHED_LAST_ROW,
};

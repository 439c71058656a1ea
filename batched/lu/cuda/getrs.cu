/* SPDX-License-Identifier: BSD-3-Clause */
#include "batched/lu/cuda/composed.cuh"
#include "batched/lu/cuda/lanes.cuh"
#include "batched/cuda/cublas.cuh"
#include "batched/lu/lu.h"

using namespace batched_cuda;
using namespace batched_cuda::lu;

static const batched_getrs_args *getrs_args(const void *args)
{
  return static_cast<const batched_getrs_args *>(args);
}

template <class T> int batched_cuda::lu::solve_lu(batched_ctx *ctx, const lu_system<T> &s)
{
  return s.b.m <= LU_REGISTER_SOLVE ? launch_lu_solve_register(ctx, s) : solve_by_triangles(ctx, s);
}

template int batched_cuda::lu::solve_lu(batched_ctx *, const lu_system<float> &);
template int batched_cuda::lu::solve_lu(batched_ctx *, const lu_system<double> &);
template int batched_cuda::lu::solve_lu(batched_ctx *, const lu_system<complex<float>> &);
template int batched_cuda::lu::solve_lu(batched_ctx *, const lu_system<complex<double>> &);

template <class T> static lu_system<T> system_of(const batched_getrs_args *p)
{
  const bool one = !p->a.array && p->a.stride == 0;
  return {p->trans, view<T>(p->a), view<T>(p->b), p->ipiv, nullptr, one ? 0 : p->a.n, false, nullptr, nullptr};
}

static bool fits_registers(const void *args)
{
  return getrs_args(args)->b.m <= LU_REGISTER_SOLVE;
}

static int in_registers(batched_ctx *ctx, const void *args)
{
  const batched_getrs_args *p = getrs_args(args);
  return with_type(p->b.type, [&](auto t) { return launch_lu_solve_register(ctx, system_of<decltype(t)>(p)); });
}

static int by_triangles(batched_ctx *ctx, const void *args)
{
  const batched_getrs_args *p = getrs_args(args);
  return with_type(p->b.type, [&](auto t) { return solve_by_triangles(ctx, system_of<decltype(t)>(p)); });
}

bool batched_cuda::lu::fits_cublas_getrs(const batched_getrs_args *p)
{
  const bool one = !p->a.array && p->a.stride == 0 && p->a.count > 1;
  return !one && !batched_is_variable(&p->a) && !batched_is_variable(&p->b) && p->b.count <= INT_MAX;
}

int batched_cuda::lu::cublas_getrs(batched_ctx *ctx, const batched_getrs_args *p)
{
  return with_type(p->b.type, [&](auto t) {
    using T = decltype(t);
    using V = decltype(vendor((T *)nullptr));
    cublasHandle_t handle = cublas_of(ctx);
    if (!handle) return (int)BATCHED_NO_MEMORY;
    T **a = pointers_of(ctx, view<T>(p->a)), **b = a ? pointers_of(ctx, view<T>(p->b)) : nullptr;
    int status = BATCHED_NO_MEMORY, wrong = 0;
    if (b)
      status = status_of(VENDOR_CALL(T, cublas, getrsBatched)(
        handle, vendor_trans(p->trans), p->b.m, p->b.n, reinterpret_cast<V *>(a), p->a.ld, p->ipiv,
        reinterpret_cast<V *>(b), p->b.ld, &wrong, (int)p->b.count));
    if (b) batched_scratch_pop(ctx);
    if (a) batched_scratch_pop(ctx);
    return status;
  });
}

static bool fits_cublas(const void *args)
{
  return fits_cublas_getrs(getrs_args(args));
}

static int cublas(batched_ctx *ctx, const void *args)
{
  return cublas_getrs(ctx, getrs_args(args));
}

const batched_variant batched_getrs_cuda[] = {
  {"cuda.lanes", fits_registers, nullptr, in_registers},
  {"cuda.composed", nullptr, nullptr, by_triangles},
  {"vendor.cublas", fits_cublas, never, cublas},
  BATCHED_LAST_ROW,
};

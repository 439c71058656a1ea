/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's getrf of one large matrix.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/lu/cuda/cusolver.cuh"

namespace batched_cuda::lu
{

/* For smaller ones, and for batches, cuBLAS is the peer. */
static constexpr int least_order = 1024;

bool vendor_getrf_fits(const batched_getrf_args &p)
{
  return p.a.count == 1 && !p.a.array && !batched_is_variable(&p.a) && p.a.m >= least_order && p.a.n >= least_order;
}

int vendor_getrf(batched_ctx *ctx, const batched_getrf_args &p)
{
  const cusolverDnHandle_t handle = cusolver_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return with_type(p.a.type, [&](auto t) {
    using T = decltype(t);
    const batch<T> a = view<T>(p.a);
    int lwork = 0;
    int status =
      status_of(VENDOR_CALL(T, cusolverDn, getrf_bufferSize)(handle, a.m, a.n, vendor(a.data), a.ld, &lwork));
    if (status) return status;
    T *work = static_cast<T *>(batched_scratch_push(ctx, ((size_t)lwork + 1) * sizeof(T)));
    if (!work) return (int)BATCHED_NO_MEMORY;
    status = status_of(
      VENDOR_CALL(T, cusolverDn, getrf)(handle, a.m, a.n, vendor(a.data), a.ld, vendor(work), p.ipiv, p.info));
    batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace batched_cuda::lu

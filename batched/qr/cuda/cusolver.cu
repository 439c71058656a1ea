/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuSOLVER's geqrf of one large matrix.
 */
#include "batched/cuda/cublas.cuh"
#include "batched/qr/cuda/native.cuh"

namespace batched_cuda::qr
{

/* For smaller ones, and for batches, cuBLAS is the peer. */
static constexpr int least_order = 1024;

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

} // namespace batched_cuda::qr

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows vendor.cusolver of potrf and potrs: cuSOLVER's batched Cholesky, and the one for a single matrix where the
 * matrices are large.  The kernel of this file looks for NaNs on the diagonal, a thread per matrix.
 */
#include "batched/cholesky/cuda/cusolver.cuh"

#include "batched/cuda/cublas.cuh"
#include "batched/cholesky/cholesky.h"

namespace batched_cuda::cholesky
{

/* Beyond this order matrix by matrix is faster. */
static constexpr int batched_order = 1024;

bool vendor_potrf_fits(const batched_potrf_args &p)
{
  return !batched_is_variable(&p.a) && p.a.count <= INT_MAX && (p.a.n <= batched_order || !p.a.array);
}

/* A NaN for a pivot is not reported: it is found on the diagonal of the factor. */
template <class T> static __global__ void find_nan(batch<T> a, int *info)
{
  const int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (b >= a.count) return;
  const int n = info[b] > 0 ? info[b] - 1 : a.m;
  for (int j = 0; j < n; j++) {
    const T d = a.at(b)[j * (int64_t)(a.ld + 1)];
    if (d == d) continue;
    info[b] = j + 1;
    return;
  }
}

template <class T> static int factor_each(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  const cusolverDnHandle_t handle = cusolver_of(ctx);
  int lwork = 0;
  int status = status_of(
    VENDOR_CALL(T, cusolverDn, potrf_bufferSize)(handle, vendor_uplo(uplo), a.m, vendor(a.data), a.ld, &lwork));
  if (status) return status;
  T *work = static_cast<T *>(batched_scratch_push(ctx, (size_t)lwork * sizeof(T)));
  if (!work) return BATCHED_NO_MEMORY;
  for (int64_t b = 0; b < a.count && !status; b++)
    status = status_of(VENDOR_CALL(T, cusolverDn, potrf)(handle, vendor_uplo(uplo), a.m, vendor(a.data + b * a.stride),
                                                         a.ld, vendor(work), lwork, info + b));
  batched_scratch_pop(ctx);
  return status;
}

template <class T> static auto vendor_pointers(T **p)
{
  return reinterpret_cast<decltype(vendor(static_cast<T *>(nullptr))) *>(p);
}

template <class T> static int factor_batch(batched_ctx *ctx, batched_uplo uplo, const batch<T> &a, int *info)
{
  T **pointers = pointers_of(ctx, a);
  if (!pointers) return BATCHED_NO_MEMORY;
  const int status = status_of(VENDOR_CALL(T, cusolverDn, potrfBatched)(
    cusolver_of(ctx), vendor_uplo(uplo), a.m, vendor_pointers(pointers), a.ld, info, (int)a.count));
  batched_scratch_pop(ctx);
  return status;
}

int vendor_potrf(batched_ctx *ctx, const batched_potrf_args &p)
{
  if (p.a.n == 0) return status_of(cudaMemsetAsync(p.info, 0, (size_t)p.a.count * sizeof(int), stream_of(ctx)));
  if (!cusolver_of(ctx)) return BATCHED_NO_MEMORY;
  return with_type(p.a.type, [&](auto t) {
    const auto a = view<decltype(t)>(p.a);
    const int status = a.m > batched_order ? factor_each(ctx, p.uplo, a, p.info) : factor_batch(ctx, p.uplo, a, p.info);
    return status ? status : launch(ctx, find_nan<decltype(t)>, ceil_div(a.count, 128), 128, 0, a, p.info);
  });
}

bool vendor_potrs_fits(const batched_potrs_args &p)
{
  return !batched_is_variable(&p.a) && !batched_is_variable(&p.b) && p.b.n == 1 && p.b.count <= INT_MAX;
}

int vendor_potrs(batched_ctx *ctx, const batched_potrs_args &p)
{
  if (!cusolver_of(ctx)) return BATCHED_NO_MEMORY;
  return with_type(p.b.type, [&](auto t) {
    using T = decltype(t);
    const auto a = view<T>(p.a), b = view<T>(p.b);
    int *info = static_cast<int *>(batched_scratch_push(ctx, sizeof(int)));
    if (!info) return (int)BATCHED_NO_MEMORY;
    int status = BATCHED_NO_MEMORY;
    T **factors = pointers_of(ctx, a), **x = factors ? pointers_of(ctx, b) : nullptr;
    if (x)
      status = status_of(VENDOR_CALL(T, cusolverDn, potrsBatched)(cusolver_of(ctx), vendor_uplo(p.uplo), a.m, 1,
                                                                  vendor_pointers(factors), a.ld, vendor_pointers(x),
                                                                  b.ld, info, (int)b.count));
    if (x) batched_scratch_pop(ctx);
    if (factors) batched_scratch_pop(ctx);
    batched_scratch_pop(ctx);
    return status;
  });
}

} // namespace batched_cuda::cholesky

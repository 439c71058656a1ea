/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cuBLAS and cuSOLVER for the `vendor` rows: handles on the context's stream, and the translation of arguments.
 */
#ifndef BATCHED_CUDA_CUBLAS_CUH
#define BATCHED_CUDA_CUBLAS_CUH

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* The context's handles, made when first asked for; NULL if that fails.  cuBLAS works in memory of the context's. */
cublasHandle_t cublas_of(batched_ctx *ctx);
cusolverDnHandle_t cusolver_of(batched_ctx *ctx);
/* Puts cuBLAS back on the context's stream and memory, after a row has used others. */
void cublas_use_stream(batched_ctx *ctx);

static inline int status_of(cublasStatus_t status)
{
  return status == CUBLAS_STATUS_SUCCESS        ? BATCHED_SUCCESS
         : status == CUBLAS_STATUS_ALLOC_FAILED ? BATCHED_NO_MEMORY
                                                : BATCHED_DEVICE_FAILED;
}
static inline int status_of(cusolverStatus_t status)
{
  return status == CUSOLVER_STATUS_SUCCESS        ? BATCHED_SUCCESS
         : status == CUSOLVER_STATUS_ALLOC_FAILED ? BATCHED_NO_MEMORY
                                                  : BATCHED_DEVICE_FAILED;
}

static inline cublasOperation_t vendor_trans(batched_trans t)
{
  return t == BATCHED_NO_TRANS ? CUBLAS_OP_N : t == BATCHED_TRANS ? CUBLAS_OP_T : CUBLAS_OP_C;
}
static inline cublasFillMode_t vendor_uplo(batched_uplo u)
{
  return u == BATCHED_LOWER ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
}
static inline cublasSideMode_t vendor_side(batched_side s)
{
  return s == BATCHED_LEFT ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
static inline cublasDiagType_t vendor_diag(batched_diag d)
{
  return d == BATCHED_UNIT ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

/* cublasDgemm, ... by type: VENDOR_CALL(T, cublas, gemm)(handle, vendor(&alpha), vendor(a), ...) */
#define VENDOR_CALL(T, library, f) \
  (batched_cuda::vendor_pick<T>(library##S##f, library##D##f, library##C##f, library##Z##f))
template <class T, class S, class D, class C, class Z> constexpr auto vendor_pick(S s, D d, C c, Z z)
{
  if constexpr (is_complex<T>) {
    if constexpr (sizeof(real_of<T>) == 4)
      return c;
    else
      return z;
  } else if constexpr (sizeof(T) == 4) {
    return s;
  } else {
    return d;
  }
}
static inline float *vendor(float *p)
{
  return p;
}
static inline double *vendor(double *p)
{
  return p;
}
static inline cuComplex *vendor(complex<float> *p)
{
  return reinterpret_cast<cuComplex *>(p);
}
static inline cuDoubleComplex *vendor(complex<double> *p)
{
  return reinterpret_cast<cuDoubleComplex *>(p);
}

/* The pointers to a batch's matrices, as cuBLAS wants them: the batch's own, or made in scratch memory, which is the
 * caller's to pop (pushed in either case).  NULL when memory is out. */
template <class T> T **pointers_of(batched_ctx *ctx, const batch<T> &a);

} // namespace batched_cuda

#endif

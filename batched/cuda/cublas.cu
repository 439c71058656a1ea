/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The context's handles of cuBLAS and cuSOLVER, made when a vendor row first asks for them and closed with the context,
 * and a kernel that lists the addresses of a batch's matrices, which cuBLAS's batched functions want.
 *   grid       list: a thread per matrix, blocks of 256; no shared memory
 *   takes      s d c z; strided batches of any count, also cut down to blocks of the matrices
 *   memory     32 MiB of workspace with the handle of cuBLAS; list: writes 8 bytes per matrix, into scratch memory
 */
#include "batched/cuda/cublas.cuh"

#include "batched/context.h"

/* Workspace that NVIDIA recommends on Hopper (cuBLAS documentation, cublasSetWorkspace). */
static const size_t cublas_workspace_bytes = 32u << 20;

void batched_cuda_close_vendor(batched_ctx *ctx)
{
  if (ctx->cublas) cublasDestroy(static_cast<cublasHandle_t>(ctx->cublas));
  if (ctx->cusolver) cusolverDnDestroy(static_cast<cusolverDnHandle_t>(ctx->cusolver));
  batched_release(ctx, ctx->cublas_workspace);
}

namespace batched_cuda
{

void cublas_use_stream(batched_ctx *ctx)
{
  const auto handle = static_cast<cublasHandle_t>(ctx->cublas);
  cublasSetStream(handle, stream_of(ctx));
  cublasSetWorkspace(handle, ctx->cublas_workspace, cublas_workspace_bytes);
}

cublasHandle_t cublas_of(batched_ctx *ctx)
{
  if (ctx->cublas) return static_cast<cublasHandle_t>(ctx->cublas);
  cublasHandle_t handle;
  void *workspace = batched_allocate(ctx, cublas_workspace_bytes);
  if (!workspace) return nullptr;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) {
    batched_release(ctx, workspace);
    return nullptr;
  }
  ctx->cublas = handle;
  ctx->cublas_workspace = workspace;
  cublas_use_stream(ctx);
  return handle;
}

cusolverDnHandle_t cusolver_of(batched_ctx *ctx)
{
  if (ctx->cusolver) return static_cast<cusolverDnHandle_t>(ctx->cusolver);
  cusolverDnHandle_t handle;
  if (cusolverDnCreate(&handle) != CUSOLVER_STATUS_SUCCESS) return nullptr;
  ctx->cusolver = handle;
  cusolverDnSetStream(handle, stream_of(ctx));
  return handle;
}

/* The addresses of the matrices, a thread each. */
template <class T> static __global__ void list(batch<T> a, T **pointers)
{
  for (int64_t b = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; b < a.count; b += (int64_t)gridDim.x * blockDim.x)
    pointers[b] = a.at(b);
}

template <class T> T **pointers_of(batched_ctx *ctx, const batch<T> &a)
{
  auto **pointers = static_cast<T **>(batched_scratch_push(ctx, (size_t)a.count * sizeof(T *)));
  if (!pointers) return nullptr;
  if (launch(ctx, list<T>, ceil_div(a.count, 256), 256, 0, a, pointers) == BATCHED_SUCCESS) return pointers;
  batched_scratch_pop(ctx);
  return nullptr;
}

template float **pointers_of(batched_ctx *, const batch<float> &);
template double **pointers_of(batched_ctx *, const batch<double> &);
template complex<float> **pointers_of(batched_ctx *, const batch<complex<float>> &);
template complex<double> **pointers_of(batched_ctx *, const batch<complex<double>> &);

} // namespace batched_cuda

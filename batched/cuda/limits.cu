/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What this GPU gives: the triad's memory traffic, and the rate of fused multiply-adds of the vector units.
 */
#include <cuda_runtime.h>

#include "../context.h"

static const int triad_doubles = 1 << 24, fma_rounds = 2048, fma_blocks = 4096, block = 256;

static __global__ void triad(double *__restrict__ x, const double *__restrict__ y, const double *__restrict__ z, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = y[i] + 0.5 * z[i];
}

static __global__ void fma_chains(double *sink, int rounds)
{
  double a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int r = 0; r < rounds; r++) {
    a = a * 0.999 + 1e-3;
    b = b * 0.999 + 1e-3;
    c = c * 0.999 + 1e-3;
    d = d * 0.999 + 1e-3;
  }
  if (a + b + c + d == -1) *sink = a; /* never: keeps the loop */
}

/* Best of five, in seconds, by events on the context's stream. */
template <class F> static double best_seconds(cudaStream_t stream, F launch)
{
  cudaEvent_t start, stop;
  double best = 1e30;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  for (int run = 0; run < 5; run++) {
    float ms = 1e30f;
    cudaEventRecord(start, stream);
    launch();
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&ms, start, stop);
    if (1e-3 * ms < best) best = 1e-3 * ms;
  }
  cudaEventDestroy(start);
  cudaEventDestroy(stop);
  return best;
}

int batched_cuda_measure_limits(batched_ctx *ctx, double *bytes_per_second, double *flops_per_second)
{
  cudaStream_t stream = static_cast<cudaStream_t>(ctx->stream);
  double *x = static_cast<double *>(batched_scratch_push(ctx, 3 * sizeof(double) * triad_doubles));
  if (!x) return BATCHED_NO_MEMORY;
  int status = batched_cuda_fill_zero(ctx, x, 3 * sizeof(double) * triad_doubles);
  double t = best_seconds(stream, [&] {
    triad<<<triad_doubles / block, block, 0, stream>>>(x, x + triad_doubles, x + 2 * triad_doubles, triad_doubles);
  });
  double f = best_seconds(stream, [&] { fma_chains<<<fma_blocks, block, 0, stream>>>(x, fma_rounds); });
  batched_scratch_pop(ctx);
  *bytes_per_second = 3.0 * sizeof(double) * triad_doubles / t;
  *flops_per_second = 8.0 * fma_rounds * fma_blocks * block / f;
  if (status) return status;
  return cudaGetLastError() == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

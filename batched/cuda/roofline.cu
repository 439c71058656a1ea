/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What this GPU gives: memory traffic of the triad and of a copy, fused multiply-adds of the vector units, and products
 * of the tensor cores.
 *
 * grid      triad: a thread per number, 2^24 of them; multiply-adds, products: 4096 blocks
 * block     256 threads; no shared memory
 * takes     double precision
 * memory    triad: 24 bytes per number; the other two: none
 */
#include "batched/context.h"
#include "batched/cuda/launch.cuh"
#include "batched/cuda/mma.cuh"

static const int triad_doubles = 1 << 24, fma_rounds = 2048, mma_rounds = 1024, blocks = 4096, block = 256;

static __global__ void triad(double *__restrict__ x, const double *__restrict__ y, const double *__restrict__ z, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = y[i] + 0.5 * z[i];
}

/* Four chains of `rounds` fused multiply-adds per thread. */
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

/* Chains of 16 x 8 x 16 products in double precision, 4096 flops per warp and instruction: Hopper's fastest. */
static __global__ void mma_chains(double *sink, int rounds)
{
#if __CUDA_ARCH__ >= 900
  const double v = 1e-3 * threadIdx.x, a[8] = {v, v, v, v, v, v, v, v}, b[4] = {0.5, 0.5, 0.5, 0.5};
  double c[4][4] = {};
  for (int r = 0; r < rounds; r++) {
#pragma unroll
    for (double(&d)[4] : c) batched_cuda::multiply_16x8x16(d, a, b);
  }
  if (c[0][0] + c[1][1] + c[2][2] + c[3][3] == -1) *sink = c[0][0];
#else
  (void)sink, (void)rounds;
#endif
}

static bool has_mma()
{
  int device = 0, major = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess && major >= 9;
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

int batched_cuda_measure_limits(batched_ctx *ctx, batched_limits *limits)
{
  cudaStream_t stream = batched_cuda::stream_of(ctx);
  const size_t n = triad_doubles;
  double *x = static_cast<double *>(batched_scratch_push(ctx, 3 * sizeof(double) * n));
  if (!x) return BATCHED_NO_MEMORY;
  int status = batched_cuda_fill_zero(ctx, x, 3 * sizeof(double) * n);
  const double triad_time = best_seconds(
    stream, [&] { triad<<<triad_doubles / block, block, 0, stream>>>(x, x + n, x + 2 * n, triad_doubles); });
  const double copy_time = best_seconds(stream, [&] { batched_cuda_copy(ctx, x, x + n, n * sizeof(double)); });
  const double fma_time = best_seconds(stream, [&] { fma_chains<<<blocks, block, 0, stream>>>(x, fma_rounds); });
  const double mma_time = best_seconds(stream, [&] { mma_chains<<<blocks, block, 0, stream>>>(x, mma_rounds); });
  batched_scratch_pop(ctx);
  limits->triad = 3.0 * sizeof(double) * n / triad_time;
  limits->copy = 2.0 * sizeof(double) * n / copy_time;
  limits->vector = 8.0 * fma_rounds * blocks * block / fma_time;
  const double mma = 4.0 * 4096 * mma_rounds * blocks * (block / 32) / mma_time;
  limits->matrix = has_mma() && mma > limits->vector ? mma : limits->vector;
  if (status) return status;
  return cudaGetLastError() == cudaSuccess ? BATCHED_SUCCESS : BATCHED_DEVICE_FAILED;
}

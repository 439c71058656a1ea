/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The dot product of two long vectors on a GPU, as a number on the host.
 *   cuda.fused      each block adds the products of a stride of the grid, and one block adds the blocks' sums
 *   vendor.cublas   cublasDdot
 *
 * cuda.fused: grid      up to 1056 blocks of 256 threads, 4 entries or more per thread; then one block
 *             shared    256 bytes
 *             takes     any n; double precision
 *             memory    16 bytes per entry; 8 bytes per block, and 8 to the host, which waits
 *             accuracy  fused multiply-adds, two sums per thread, then trees; the order does not depend on the GPU: the
 *                       same bits on all of them
 */
#include "batched/cuda/cublas.cuh"
#include "solvers/solvers.h"
#include "solvers/tables.h"
#include "solvers/cuda/sums.cuh"

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int THREADS = 256, BLOCKS = 2 * MOST_BLOCKS;

static __global__ void __launch_bounds__(THREADS)
  dot_partial(int64_t n, const double *x, const double *y, double *partial)
{
  __shared__ double shared[32];
  const int64_t step = (int64_t)gridDim.x * THREADS;
  double v[1] = {0.0}, odd = 0.0;
  int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  for (; i + step < n; i += 2 * step) {
    v[0] = fma(x[i], y[i], v[0]);
    odd = fma(x[i + step], y[i + step], odd);
  }
  if (i < n) v[0] = fma(x[i], y[i], v[0]);
  v[0] += odd;
  const double sum = sum_block(v, shared);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

static int run_fused(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_dot_args *>(p);
  const int blocks = sum_blocks(a->n, 4 * THREADS, BLOCKS);
  auto *partial = static_cast<double *>(batched_scratch_push(ctx, (BLOCKS + 1) * sizeof(double)));
  if (!partial) return BATCHED_NO_MEMORY;
  int status = launch(ctx, dot_partial, blocks, THREADS, 0, a->n, a->x, a->y, partial + 1);
  if (!status) status = launch(ctx, add_partial<1>, 1, THREADS, 0, blocks, partial + 1, partial);
  if (!status) status = batched_copy_to_host(ctx, a->dot, partial, sizeof(double));
  batched_scratch_pop(ctx);
  return status;
}

static int run_cublas(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_dot_args *>(p);
  cublasHandle_t handle = cublas_of(ctx);
  if (!handle) return BATCHED_NO_MEMORY;
  return status_of(cublasDdot_64(handle, a->n, a->x, 1, a->y, 1, a->dot));
}

} // namespace solvers_cuda

extern "C" const batched_variant solver_cuda_dot[] = {
  {"cuda.fused", nullptr, nullptr, solvers_cuda::run_fused},
  {"vendor.cublas", nullptr, nullptr, solvers_cuda::run_cublas},
  BATCHED_LAST_ROW,
};

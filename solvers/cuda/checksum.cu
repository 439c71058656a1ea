/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.atomic of checksum: adds memory to *sum as 64-bit words modulo 2^64.  Each thread adds the words of a stride
 * of the grid, each warp adds its threads' sum to the result by one atomic operation.
 *   grid       up to 8 blocks of 256 threads per multiprocessor; no shared memory
 *   takes      any number of bytes from an address that 8 divides; the last 1 to 7 bytes count as a shorter word
 *   memory     reads each byte once; 8 bytes per warp to *sum
 *   accuracy   exact: integers give the same sum in any order
 */
#include "batched/cuda/launch.cuh"
#include "solvers/solvers.h"
#include "solvers/tables.h"

#include <algorithm>

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int THREADS = 256;

/* The first thread of the grid adds the `left` < 8 bytes behind the words. */
static __global__ void __launch_bounds__(THREADS)
  add_words(int64_t words, int left, const unsigned long long *data, unsigned long long *sum)
{
  const int64_t step = (int64_t)gridDim.x * THREADS, first = (int64_t)blockIdx.x * THREADS + threadIdx.x;
  unsigned long long mine = 0;
#pragma unroll 4
  for (int64_t i = first; i < words; i += step) mine += data[i];
  const auto *bytes = reinterpret_cast<const unsigned char *>(data + words);
  if (first == 0)
    for (int i = 0; i < left; i++) mine += (unsigned long long)bytes[i] << 8 * i;
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

static int run_atomic(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_checksum_args *>(p);
  const int64_t words = (int64_t)(a->bytes / 8), wanted = ceil_div(words, 4 * THREADS);
  const int64_t blocks = std::max<int64_t>(1, std::min(wanted, 8 * multiprocessors()));
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "atomicAdd takes the former");
  return launch(ctx, add_words, blocks, THREADS, 0, words, (int)(a->bytes % 8),
                static_cast<const unsigned long long *>(a->data), reinterpret_cast<unsigned long long *>(a->sum));
}

} // namespace solvers_cuda

extern "C" const batched_variant solver_cuda_checksum[] = {
  {"cuda.atomic", nullptr, nullptr, solvers_cuda::run_atomic},
  BATCHED_LAST_ROW,
};

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Row cuda.atomic of checksum: adds memory to *sum as 64-bit words modulo 2^64, up to SOLVER_MOST_CHECKSUMS such sums
 * at once.  Each thread adds the words of a stride of its sum's blocks, each warp its threads' sum to the result by
 * one atomic operation.
 *   grid       for each sum, one behind the other, up to 8 blocks of 256 threads per multiprocessor; no shared memory
 *   takes      any number of bytes from an address that 8 divides; the last 1 to 7 bytes count as a shorter word
 *   memory     reads each byte once; 8 bytes per warp to *sum
 *   accuracy   exact: integers give the same sum in any order
 */
#include "batched/cuda/launch.cuh"
#include "solvers/checksums.h"
#include "solvers/tables.h"

#include <algorithm>

namespace solvers_cuda
{

using namespace batched_cuda;

static constexpr int THREADS = 256;

struct words_to_add {
  int64_t words;
  int left; /* bytes behind them, < 8 */
  const unsigned long long *data;
  unsigned long long *sum;
};

struct all_words {
  int blocks; /* of each sum */
  words_to_add of[SOLVER_MOST_CHECKSUMS];
};

/* The first thread of a sum adds the bytes behind the words. */
static __global__ void __launch_bounds__(THREADS) add_words(const __grid_constant__ all_words all)
{
  const words_to_add &a = all.of[blockIdx.x / all.blocks];
  const int64_t step = (int64_t)all.blocks * THREADS,
                first = (int64_t)(blockIdx.x % all.blocks) * THREADS + threadIdx.x;
  unsigned long long mine = 0;
#pragma unroll 4
  for (int64_t i = first; i < a.words; i += step) mine += a.data[i];
  const auto *bytes = reinterpret_cast<const unsigned char *>(a.data + a.words);
  if (first == 0)
    for (int i = 0; i < a.left; i++) mine += (unsigned long long)bytes[i] << 8 * i;
  for (int lane = 16; lane > 0; lane /= 2) mine += __shfl_down_sync(0xffffffffu, mine, lane);
  if (threadIdx.x % 32 == 0) atomicAdd(a.sum, mine);
}

static int run_atomic(batched_ctx *ctx, const void *p)
{
  const auto *a = static_cast<const solver_checksums_args *>(p);
  static_assert(sizeof(unsigned long long) == sizeof(uint64_t), "atomicAdd takes the former");
  all_words all = {};
  int64_t most = 0;
  for (int i = 0; i < a->n; i++) {
    const solver_checksum_args &s = a->each[i];
    all.of[i] = {(int64_t)(s.bytes / 8), (int)(s.bytes % 8), static_cast<const unsigned long long *>(s.data),
                 reinterpret_cast<unsigned long long *>(s.sum)};
    most = std::max(most, all.of[i].words);
  }
  const int64_t wanted = ceil_div(most, 4 * THREADS);
  all.blocks = (int)std::max<int64_t>(1, std::min(wanted, 8 * multiprocessors()));
  return launch(ctx, add_words, (int64_t)all.blocks * a->n, THREADS, 0, all);
}

} // namespace solvers_cuda

extern "C" const batched_variant solver_cuda_checksum[] = {
  {"cuda.atomic", nullptr, nullptr, solvers_cuda::run_atomic},
  BATCHED_LAST_ROW,
};

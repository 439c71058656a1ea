/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Shared memory beyond what kernels have without being asked for.
 */
#include <mutex>

#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

int allow_shared(const void *kernel, size_t bytes)
{
  /* 48 KB may be the limit that nobody has set; static arrays count towards that one. */
  constexpr size_t least = 49 * 1024;
  static std::mutex one_at_a_time;
  const std::lock_guard<std::mutex> guard(one_at_a_time);
  cudaFuncAttributes now;
  const int status = status_of(cudaFuncGetAttributes(&now, kernel));
  if (status) return status;
  const size_t most = bytes > least ? bytes : least;
  if ((size_t)now.maxDynamicSharedSizeBytes >= most) return BATCHED_SUCCESS;
  return status_of(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
}

} // namespace batched_cuda

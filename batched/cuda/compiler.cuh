/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the optimiser is told in kernels that are short of registers.  None of these makes an instruction.
 */
#ifndef BATCHED_CUDA_COMPILER_CUH
#define BATCHED_CUDA_COMPILER_CUH

namespace batched_cuda
{

/* Hides integers and pointers from the optimiser: values derived from them are computed again from here on, instead of
 * being held in registers since their last use. */
template <class X> __device__ __forceinline__ void recompute(X &x)
{
  static_assert(sizeof(X) == 4 || sizeof(X) == 8, "a register, or two");
  if constexpr (sizeof(X) == 4)
    asm volatile("" : "+r"(x));
  else
    asm volatile("" : "+l"(x));
}
template <class X, class... Y> __device__ __forceinline__ void recompute(X &x, Y &...y)
{
  recompute(x);
  recompute(y...);
}

/* The optimiser moves no access to memory across this; values read before it are read again, instead of being held in
 * registers. */
__device__ __forceinline__ void compiler_fence()
{
  asm volatile("" ::: "memory");
}

/* The thread's lane of its warp, computed again from here on. */
__device__ __forceinline__ unsigned recomputed_lane()
{
  unsigned lane = threadIdx.x % 32;
  recompute(lane);
  return lane;
}

/* Inside an `if`: a jump, instead of a select for each value that it sets. */
__device__ __forceinline__ void keep_branch()
{
  asm volatile("");
}

} // namespace batched_cuda

#endif

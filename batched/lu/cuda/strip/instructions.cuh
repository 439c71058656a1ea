/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Instructions of getrf's panels in shared memory that have no name in CUDA C++.
 */
#ifndef BATCHED_LU_CUDA_STRIP_INSTRUCTIONS_CUH
#define BATCHED_LU_CUDA_STRIP_INSTRUCTIONS_CUH

#include "batched/cuda/access.cuh"

namespace batched_cuda::lu
{

/* Elements x[0 .. size - 1] to shared memory, at 16 bytes, if `yes`; predicated, as a branch would stop instructions
 * from being scheduled across it. */
template <class T> static __device__ __forceinline__ void store_pack_if(bool yes, unsigned to, const T *x)
{
  unsigned w[4];
  if constexpr (sizeof(real_of<T>) == 4) {
#pragma unroll
    for (int e = 0; e < 4; e++) {
      if constexpr (is_complex<T>)
        w[e] = __float_as_uint(e % 2 ? x[e / 2].im : x[e / 2].re);
      else
        w[e] = __float_as_uint(x[e]);
    }
  } else {
    const double low = real(x[0]), high = is_complex<T> ? imag(x[0]) : real(x[sizeof(T) == 8]);
    w[0] = (unsigned)__double2loint(low);
    w[1] = (unsigned)__double2hiint(low);
    w[2] = (unsigned)__double2loint(high);
    w[3] = (unsigned)__double2hiint(high);
  }
  asm volatile("{ .reg .pred q; setp.ne.s32 q, %5, 0; @q st.shared.v4.b32 [%0], {%1, %2, %3, %4}; }" ::"r"(to),
               "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"((int)yes)
               : "memory");
}

/* Barrier `number` of so many threads. */
__device__ __forceinline__ void named_sync(int number, int threads)
{
  asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

} // namespace batched_cuda::lu

#endif

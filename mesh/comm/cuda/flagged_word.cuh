/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that GPUs of one machine hand each other through memory that both see, without messages, fences or flags:
 * each half of a number has its date beside it, and memory, also the host's, reads and writes these 8 bytes as a whole.
 * Who finds the date that it awaits in both has the number.  NCCL's protocol LL does the same.
 */
#ifndef MESH_CUDA_LETTER_CUH
#define MESH_CUDA_LETTER_CUH

#include <cstdint>

namespace mesh_cuda
{

struct alignas(16) letter {
  uint32_t low, low_date, high, high_date;
};

__device__ __forceinline__ void post(letter *to, double value, uint32_t date)
{
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(__double2loint(value)), "r"(date),
               "r"(__double2hiint(value))
               : "memory");
}

__device__ __forceinline__ double await(const letter *from, uint32_t date)
{
  letter l;
  do
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(l.low), "=r"(l.low_date), "=r"(l.high), "=r"(l.high_date)
                 : "l"(from)
                 : "memory");
  while (l.low_date != date || l.high_date != date);
  return __hiloint2double((int)l.high, (int)l.low);
}

} // namespace mesh_cuda

#endif

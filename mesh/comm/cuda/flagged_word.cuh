/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that GPUs of one machine send each other through memory that both see, without messages or fences: each half
 * of a number has a sequence number beside it, and the 8 bytes are read and written atomically, in the host's memory,
 * too.  A reader that sees the expected sequence number in both halves sees the number.  This is NCCL's protocol LL.
 */
#ifndef MESH_CUDA_FLAGGED_WORD_CUH
#define MESH_CUDA_FLAGGED_WORD_CUH

#include <cstdint>

namespace mesh_cuda
{

struct alignas(16) flagged_word {
  uint32_t low, low_sequence, high, high_sequence;
};

__device__ __forceinline__ void post(flagged_word *to, double value, uint32_t sequence)
{
  asm volatile("st.volatile.global.v4.u32 [%0], {%1, %2, %3, %2};" ::"l"(to), "r"(__double2loint(value)), "r"(sequence),
               "r"(__double2hiint(value))
               : "memory");
}

__device__ __forceinline__ double await(const flagged_word *from, uint32_t sequence)
{
  flagged_word l;
  do
    asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(l.low), "=r"(l.low_sequence), "=r"(l.high), "=r"(l.high_sequence)
                 : "l"(from)
                 : "memory");
  while (l.low_sequence != sequence || l.high_sequence != sequence);
  return __hiloint2double((int)l.high, (int)l.low);
}

} // namespace mesh_cuda

#endif

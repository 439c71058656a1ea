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

__device__ __forceinline__ flagged_word look(const flagged_word *from)
{
  flagged_word l;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(l.low), "=r"(l.low_sequence), "=r"(l.high), "=r"(l.high_sequence)
               : "l"(from)
               : "memory");
  return l;
}

/* Waits for the words from(0), ..., from(COUNT - 1) at the same time; a NULL stands for 0. */
template <int COUNT, class F> __device__ __forceinline__ void await(uint32_t sequence, double (&values)[COUNT], F from)
{
  flagged_word l[COUNT];
  bool all;
  do {
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
      const flagged_word *at = from(j);
      l[j] = {0, sequence, 0, sequence};
      if (at) l[j] = look(at);
    }
    all = true;
#pragma unroll
    for (int j = 0; j < COUNT; j++) all = all && l[j].low_sequence == sequence && l[j].high_sequence == sequence;
  } while (!all);
#pragma unroll
  for (int j = 0; j < COUNT; j++) values[j] = __hiloint2double((int)l[j].high, (int)l[j].low);
}

__device__ __forceinline__ double await(const flagged_word *from, uint32_t sequence)
{
  double value[1];
  await(sequence, value, [from](int) { return from; });
  return value[0];
}

} // namespace mesh_cuda

#endif

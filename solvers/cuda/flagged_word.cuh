/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that blocks of one kernel send each other without a barrier: a number and its sequence number are one word of
 * 128 bits, whose loads and stores are atomic (PTX, .b128), so that a reader that sees the expected sequence number
 * sees the number, too.  The blocks have to be resident together.
 */
#ifndef SOLVERS_CUDA_FLAGGED_WORD_CUH
#define SOLVERS_CUDA_FLAGGED_WORD_CUH

#include <cstdint>

namespace solvers_cuda
{

struct alignas(16) flagged_word {
  int64_t bits; /* of a double */
  uint64_t sequence;
};

__device__ __forceinline__ void leave(flagged_word *to, double value, uint64_t sequence)
{
  asm volatile("{\n"
               ".reg .b128 word;\n"
               "mov.b128 word, {%1, %2};\n"
               "st.relaxed.gpu.global.b128 [%0], word;\n"
               "}" ::"l"(to),
               "l"(__double_as_longlong(value)), "l"(sequence)
               : "memory");
}

__device__ __forceinline__ flagged_word look(const flagged_word *from)
{
  flagged_word d;
  asm volatile("{\n"
               ".reg .b128 word;\n"
               "ld.relaxed.gpu.global.b128 word, [%2];\n"
               "mov.b128 {%0, %1}, word;\n"
               "}"
               : "=l"(d.bits), "=l"(d.sequence)
               : "l"(from)
               : "memory");
  return d;
}

/* Waits for the words from(0), ..., from(COUNT - 1) at the same time; a NULL stands for 0.  Only those that are not
 * there are looked at again. */
template <int COUNT, class F> __device__ __forceinline__ void await(uint64_t sequence, double (&values)[COUNT], F from)
{
  flagged_word d[COUNT];
#pragma unroll
  for (int j = 0; j < COUNT; j++) d[j] = {0, from(j) ? ~sequence : sequence};
  bool all;
  do {
#pragma unroll
    for (int j = 0; j < COUNT; j++)
      if (d[j].sequence != sequence) d[j] = look(from(j));
    all = true;
#pragma unroll
    for (int j = 0; j < COUNT; j++) all = all && d[j].sequence == sequence;
  } while (!all);
#pragma unroll
  for (int j = 0; j < COUNT; j++) values[j] = __longlong_as_double(d[j].bits);
}

} // namespace solvers_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that blocks of one kernel hand each other without a barrier: a number and its date are one word of 16 bytes,
 * which memory reads and writes as a whole (PTX, .b128), so that who finds the date that it awaits has the number, too.
 * The blocks have to be resident together.
 */
#ifndef SOLVERS_CUDA_DATED_CUH
#define SOLVERS_CUDA_DATED_CUH

#include <cstdint>

namespace solvers_cuda
{

struct alignas(16) dated {
  int64_t bits; /* of a double */
  uint64_t date;
};

__device__ __forceinline__ void leave(dated *to, double value, uint64_t date)
{
  asm volatile("{\n"
               ".reg .b128 word;\n"
               "mov.b128 word, {%1, %2};\n"
               "st.relaxed.gpu.global.b128 [%0], word;\n"
               "}" ::"l"(to),
               "l"(__double_as_longlong(value)), "l"(date)
               : "memory");
}

__device__ __forceinline__ dated look(const dated *from)
{
  dated d;
  asm volatile("{\n"
               ".reg .b128 word;\n"
               "ld.relaxed.gpu.global.b128 word, [%2];\n"
               "mov.b128 {%0, %1}, word;\n"
               "}"
               : "=l"(d.bits), "=l"(d.date)
               : "l"(from)
               : "memory");
  return d;
}

/* Awaits the words from(0), ..., from(COUNT - 1) side by side; NULL: there is none, and the number is 0. */
template <int COUNT, class F> __device__ __forceinline__ void await(uint64_t date, double (&values)[COUNT], F from)
{
  dated d[COUNT];
  bool all;
  do {
#pragma unroll
    for (int j = 0; j < COUNT; j++) {
      const dated *at = from(j);
      d[j] = {0, date};
      if (at) d[j] = look(at);
    }
    all = true;
#pragma unroll
    for (int j = 0; j < COUNT; j++) all = all && d[j].date == date;
  } while (!all);
#pragma unroll
  for (int j = 0; j < COUNT; j++) values[j] = __longlong_as_double(d[j].bits);
}

} // namespace solvers_cuda

#endif

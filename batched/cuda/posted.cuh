/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers that blocks of one launch hand to each other in global memory, each with a tag beside every four bytes: a
 * reader sees by the tags that they have come, so that there is no barrier, no fence and no flag, and a number takes
 * one way through the L2 cache (protocol LL of NVIDIA's NCCL).  Eight bytes are written at once.
 *
 * Memory begins with tags that nobody waits for, 0; tags grow.  A place may be written again once all that wait for
 * the number before have it, which its writer knows from what they posted since.
 */
#ifndef BATCHED_CUDA_POSTED_CUH
#define BATCHED_CUDA_POSTED_CUH

#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

template <class T> struct alignas(sizeof(T) == 4 ? 8 : 16) posted {
  static constexpr int words = sizeof(T) / 4;
  uint64_t word[words]; /* four bytes, and the tag in the upper half */

  __device__ __forceinline__ bool has(unsigned tag) const
  {
    bool all = true;
#pragma unroll
    for (int i = 0; i < words; i++) all = all && (unsigned)(word[i] >> 32) == tag;
    return all;
  }
  __device__ __forceinline__ T value() const
  {
    union {
      T x;
      unsigned w[words];
    } both = {};
#pragma unroll
    for (int i = 0; i < words; i++) both.w[i] = (unsigned)word[i];
    return both.x;
  }
  __device__ __forceinline__ static posted read(const posted *from)
  {
    posted p;
    if constexpr (words == 1)
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(p.word[0]) : "l"(from) : "memory");
    else
#pragma unroll
      for (int i = 0; i < words; i += 2)
        asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
                     : "=l"(p.word[i]), "=l"(p.word[i + 1])
                     : "l"(from->word + i)
                     : "memory");
    return p;
  }
};

template <class T> __device__ __forceinline__ void post(posted<T> *to, T x, unsigned tag)
{
  union {
    T x;
    unsigned w[posted<T>::words];
  } both = {x};
  uint64_t word[posted<T>::words];
#pragma unroll
  for (int i = 0; i < posted<T>::words; i++) word[i] = (uint64_t)tag << 32 | both.w[i];
  if constexpr (posted<T>::words == 1)
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word[0]) : "memory");
  else
#pragma unroll
    for (int i = 0; i < posted<T>::words; i += 2)
      asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(to->word + i), "l"(word[i]), "l"(word[i + 1])
                   : "memory");
}

/* x[i] = the number at place(i), or 0 where that is nullptr, once all have the tag: by a thread, with all loads under
 * way at once. */
template <int N, class T, class F> __device__ __forceinline__ void await(T (&x)[N], unsigned tag, F place)
{
  posted<T> got[N];
  bool all;
#pragma unroll
  for (int i = 0; i < N; i++)
    if (const posted<T> *const at = place(i)) got[i] = posted<T>::read(at);
  do {
    all = true;
#pragma unroll
    for (int i = 0; i < N; i++) {
      const posted<T> *const at = place(i);
      if (!at || got[i].has(tag)) continue;
      got[i] = posted<T>::read(at);
      all = false;
    }
  } while (!all);
#pragma unroll
  for (int i = 0; i < N; i++) x[i] = place(i) ? got[i].value() : make<T>(0);
}

} // namespace batched_cuda

#endif

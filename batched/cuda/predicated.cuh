/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads, stores and multiply-adds under a predicate, y = ... if `yes`: a branch would stop instructions from being
 * scheduled across it.  With a second value, two neighbours at 16 bytes.
 */
#ifndef BATCHED_CUDA_PREDICATED_CUH
#define BATCHED_CUDA_PREDICATED_CUH

namespace batched_cuda
{

/* The cache's policy: `once` is for numbers that are not used again, and are the first to leave the cache (.cs). */
enum class use { again, once };

#define BATCHED_IF_(n, instruction) "{ .reg .pred q; setp.ne.s32 q, %" #n ", 0; @q " instruction " }"

template <use policy = use::again> __device__ __forceinline__ void load_if(bool yes, const double *from, double &y)
{
  if constexpr (policy == use::once)
    asm volatile(BATCHED_IF_(2, "ld.global.cs.f64 %0, [%1];") : "+d"(y) : "l"(from), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_IF_(2, "ld.global.f64 %0, [%1];") : "+d"(y) : "l"(from), "r"((int)yes) : "memory");
}
template <use policy = use::again>
__device__ __forceinline__ void load_if(bool yes, const double *from, double &y, double &z)
{
  if constexpr (policy == use::once)
    asm volatile(BATCHED_IF_(3, "ld.global.cs.v2.f64 {%0, %1}, [%2];")
                 : "+d"(y), "+d"(z)
                 : "l"(from), "r"((int)yes)
                 : "memory");
  else
    asm volatile(BATCHED_IF_(3, "ld.global.v2.f64 {%0, %1}, [%2];")
                 : "+d"(y), "+d"(z)
                 : "l"(from), "r"((int)yes)
                 : "memory");
}

template <use policy = use::again> __device__ __forceinline__ void store_if(bool yes, double *to, double y)
{
  if constexpr (policy == use::once)
    asm volatile(BATCHED_IF_(2, "st.global.cs.f64 [%0], %1;")::"l"(to), "d"(y), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_IF_(2, "st.global.f64 [%0], %1;")::"l"(to), "d"(y), "r"((int)yes) : "memory");
}
template <use policy = use::again> __device__ __forceinline__ void store_if(bool yes, double *to, double y, double z)
{
  if constexpr (policy == use::once)
    asm volatile(BATCHED_IF_(3, "st.global.cs.v2.f64 [%0], {%1, %2};")::"l"(to), "d"(y), "d"(z), "r"((int)yes)
                 : "memory");
  else
    asm volatile(BATCHED_IF_(3, "st.global.v2.f64 [%0], {%1, %2};")::"l"(to), "d"(y), "d"(z), "r"((int)yes) : "memory");
}

/* To shared memory, at the address that shared_address() gives. */
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, double y)
{
  asm volatile(BATCHED_IF_(2, "st.shared.f64 [%0], %1;")::"r"(to), "d"(y), "r"((int)yes) : "memory");
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, double y, double z)
{
  asm volatile(BATCHED_IF_(3, "st.shared.v2.f64 [%0], {%1, %2};")::"r"(to), "d"(y), "d"(z), "r"((int)yes) : "memory");
}

/* Starts to copy an element from global to shared memory; see start_copy() of access.cuh. */
template <class T> __device__ __forceinline__ void start_copy_if(bool yes, T *to, const T *from)
{
  asm volatile(BATCHED_IF_(3, "cp.async.ca.shared.global [%0], [%1], %2;")::"r"(
                 static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from), "n"(sizeof(T)), "r"((int)yes)
               : "memory");
}

/* y += a b */
__device__ __forceinline__ void fma_if(unsigned yes, double a, double b, double &y)
{
  asm(BATCHED_IF_(3, "fma.rn.f64 %0, %1, %2, %0;") : "+d"(y) : "d"(a), "d"(b), "r"(yes));
}

#undef BATCHED_IF_

} // namespace batched_cuda

#endif

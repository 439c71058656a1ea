/* SPDX-License-Identifier: BSD-3-Clause
 *
 * As predicated.cuh, for single precision: global numbers that are computed with in double precision, so that kernels
 * on the FP64 tensor cores take matrices of floats; and shared ones as they are, complex ones of both precisions, too.
 */
#ifndef BATCHED_CUDA_PREDICATED_SINGLE_CUH
#define BATCHED_CUDA_PREDICATED_SINGLE_CUH

#include "batched/cuda/predicated.cuh"
#include "batched/cuda/scalar.cuh"

namespace batched_cuda
{

/* y, which holds a float already, is converted in any case, so that until then a float alone takes a register. */
#define BATCHED_LOAD_IF_(words) "{ .reg .pred q; setp.ne.s32 q, %2, 0; @q " words " %0, [%1]; }"
#define BATCHED_LOAD_TWO_IF_(words) "{ .reg .pred q; setp.ne.s32 q, %3, 0; @q " words " {%0, %1}, [%2]; }"

template <use policy = use::again> __device__ __forceinline__ void load_if(bool yes, const float *from, double &y)
{
  float x = (float)y;
  if constexpr (policy == use::once)
    asm volatile(BATCHED_LOAD_IF_("ld.global.cs.f32") : "+f"(x) : "l"(from), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_LOAD_IF_("ld.global.f32") : "+f"(x) : "l"(from), "r"((int)yes) : "memory");
  y = x;
}
template <use policy = use::again>
__device__ __forceinline__ void load_if(bool yes, const float *from, double &y, double &z)
{
  float u = (float)y, v = (float)z;
  if constexpr (policy == use::once)
    asm volatile(BATCHED_LOAD_TWO_IF_("ld.global.cs.v2.f32") : "+f"(u), "+f"(v) : "l"(from), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_LOAD_TWO_IF_("ld.global.v2.f32") : "+f"(u), "+f"(v) : "l"(from), "r"((int)yes) : "memory");
  y = u;
  z = v;
}

#undef BATCHED_LOAD_IF_
#undef BATCHED_LOAD_TWO_IF_

#define BATCHED_STORE_IF_(words) "{ .reg .pred q; setp.ne.s32 q, %2, 0; @q " words " [%0], %1; }"
#define BATCHED_STORE_TWO_IF_(words) "{ .reg .pred q; setp.ne.s32 q, %3, 0; @q " words " [%0], {%1, %2}; }"

template <use policy = use::again> __device__ __forceinline__ void store_if(bool yes, float *to, double y)
{
  const float x = (float)y;
  if constexpr (policy == use::once)
    asm volatile(BATCHED_STORE_IF_("st.global.cs.f32")::"l"(to), "f"(x), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_STORE_IF_("st.global.f32")::"l"(to), "f"(x), "r"((int)yes) : "memory");
}
template <use policy = use::again> __device__ __forceinline__ void store_if(bool yes, float *to, double y, double z)
{
  const float u = (float)y, v = (float)z;
  if constexpr (policy == use::once)
    asm volatile(BATCHED_STORE_TWO_IF_("st.global.cs.v2.f32")::"l"(to), "f"(u), "f"(v), "r"((int)yes) : "memory");
  else
    asm volatile(BATCHED_STORE_TWO_IF_("st.global.v2.f32")::"l"(to), "f"(u), "f"(v), "r"((int)yes) : "memory");
}

/* To shared memory, at the address that shared_address() gives. */
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, float y)
{
  asm volatile(BATCHED_STORE_IF_("st.shared.f32")::"r"(to), "f"(y), "r"((int)yes) : "memory");
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, float y, float z)
{
  asm volatile(BATCHED_STORE_TWO_IF_("st.shared.v2.f32")::"r"(to), "f"(y), "f"(z), "r"((int)yes) : "memory");
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, complex<float> y)
{
  store_shared_if(yes, to, y.re, y.im);
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, complex<float> y, complex<float> z)
{
  asm volatile("{ .reg .pred q; setp.ne.s32 q, %5, 0; @q st.shared.v4.f32 [%0], {%1, %2, %3, %4}; }" ::"r"(to),
               "f"(y.re), "f"(y.im), "f"(z.re), "f"(z.im), "r"((int)yes)
               : "memory");
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, complex<double> y)
{
  store_shared_if(yes, to, y.re, y.im);
}
__device__ __forceinline__ void store_shared_if(bool yes, unsigned to, complex<double> y, complex<double> z)
{
  store_shared_if(yes, to, y);
  store_shared_if(yes, to + (unsigned)sizeof y, z);
}

#undef BATCHED_STORE_IF_
#undef BATCHED_STORE_TWO_IF_

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bulk copy engine and the barriers in shared memory that it reports to (PTX ISA: mbarrier, cp.async.bulk).
 * Addresses in shared memory are 32-bit numbers.
 */
#ifndef BATCHED_CUDA_BULK_COPY_CUH
#define BATCHED_CUDA_BULK_COPY_CUH

#include <cuda.h>

namespace batched_cuda
{

__device__ __forceinline__ unsigned shared_address(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}

/* A phase ends after `arrivals` arrivals, and when the bytes expected so far have come. */
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals)
{
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/* After the inits, before the block's barrier behind which copies use them. */
__device__ __forceinline__ void barrier_init_fence()
{
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void barrier_arrive(unsigned barrier)
{
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void barrier_arrive_expecting(unsigned barrier, int bytes)
{
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/* Once this thread's copies by copy_async have come. */
__device__ __forceinline__ void barrier_arrive_copied(unsigned barrier)
{
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
/* Until the phase of that parity has ended. */
__device__ __forceinline__ void barrier_wait(unsigned barrier, int parity)
{
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

/* The T at `to` in shared memory = *from, or 0, in the background. */
template <class T> __device__ __forceinline__ void copy_async(unsigned to, const T *from, bool inside)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(sizeof(T)),
               "r"(inside ? (int)sizeof(T) : 0)
               : "memory");
}

/* A thread's copies up to here are a group; until all its groups but the last `pending` have come. */
__device__ __forceinline__ void copy_commit()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int pending> __device__ __forceinline__ void copy_wait()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/* `bytes` (a multiple of 16) between places aligned at 16 bytes. */
__device__ __forceinline__ void bulk_load(unsigned to, const void *from, int bytes, unsigned barrier)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
__device__ __forceinline__ void bulk_store(void *to, unsigned from, int bytes)
{
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes)
               : "memory");
}
/* Until this thread's stores have read shared memory. */
__device__ __forceinline__ void bulk_store_wait()
{
  asm volatile("cp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group.read 0;" ::
                 : "memory");
}
/* Until they are done. */
__device__ __forceinline__ void bulk_store_finish()
{
  asm volatile("cp.async.bulk.commit_group;\n"
               "cp.async.bulk.wait_group 0;" ::
                 : "memory");
}
/* Makes this thread's writes to shared memory visible to bulk copies that are started after the next barrier. */
__device__ __forceinline__ void bulk_fence()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/* The same for its writes to any memory. */
__device__ __forceinline__ void bulk_fence_all()
{
  asm volatile("fence.proxy.async;" ::: "memory");
}
/* Prefetches `count` numbers into L2; the last, incomplete 16 bytes may be left out. */
template <class T> __device__ __forceinline__ void prefetch(const T *from, int count)
{
  const uint64_t begin = reinterpret_cast<uint64_t>(from) / 16 * 16,
                 end = reinterpret_cast<uint64_t>(from + count) / 16 * 16;
  if (end > begin)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(begin), "r"((unsigned)(end - begin)) : "memory");
}
/* The box at (x, y, z) of a tensor. */
__device__ __forceinline__ void bulk_load_box(unsigned to, const CUtensorMap *map, int x, int y, int z,
                                              unsigned barrier)
{
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
               "[%5];" ::"r"(to),
               "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
               : "memory");
}

} // namespace batched_cuda

#endif

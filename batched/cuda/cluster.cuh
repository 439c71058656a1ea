/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Thread block clusters (PTX ISA: mapa, st.async, barrier.cluster): blocks that see each other's shared memory, and
 * how they hand each other small messages.
 *
 * A message goes to all blocks of the cluster and brings its own signal, so that a step of an algorithm whose state is
 * spread over the cluster (a pivot, a sum) costs one flight through the network and no barrier.  Steps alternate
 * between two mailboxes; a block sends for step s + 2 only after all blocks have sent for s + 1, as they do when they
 * have read step s: nothing is overwritten early.
 */
#ifndef BATCHED_CUDA_CLUSTER_CUH
#define BATCHED_CUDA_CLUSTER_CUH

#include "batched/cuda/bulk_copy.cuh"
#include "batched/cuda/launch.cuh"

namespace batched_cuda
{

/* Most blocks of a cluster: more than 8 have to be asked for. */
enum { MOST_CLUSTER = 16 };

__device__ __forceinline__ int cluster_rank()
{
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return (int)rank;
}

/* All threads of all blocks; what each wrote before is seen by all behind. */
__device__ __forceinline__ void cluster_arrive()
{
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait()
{
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ void cluster_sync()
{
  cluster_arrive();
  cluster_wait();
}

/* The address of a place in this block's shared memory in that of block `rank`. */
__device__ __forceinline__ unsigned in_block(unsigned shared, int rank)
{
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared), "r"(rank));
  return there;
}

/* *from in another block's shared memory; behind cluster_wait(). */
template <class T> __device__ __forceinline__ T load_from_block(const T *from, int rank)
{
  const unsigned at = in_block(shared_address(from), rank);
  T x;
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(reinterpret_cast<float &>(x)) : "r"(at) : "memory");
  } else if constexpr (sizeof(T) == 8 && !is_complex<T>) {
    asm volatile("ld.shared::cluster.f64 %0, [%1];" : "=d"(x) : "r"(at) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.shared::cluster.v2.f32 {%0, %1}, [%2];" : "=f"(x.re), "=f"(x.im) : "r"(at) : "memory");
  } else {
    asm volatile("ld.shared::cluster.v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im) : "r"(at) : "memory");
  }
  return x;
}

/* *to in another block's shared memory = x; seen there behind cluster_wait(). */
__device__ __forceinline__ void store_to_block(double *to, int rank, double x)
{
  asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(in_block(shared_address(to), rank)), "d"(x) : "memory");
}

struct alignas(16) message_part {
  unsigned long long x, y;
};

/* Stores a part at `to`, in the block that has it, and counts it at that block's barrier; both by in_block(). */
__device__ __forceinline__ void send_part(unsigned to, message_part p, unsigned barrier)
{
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to), "l"(p.x),
               "l"(p.y), "r"(barrier)
               : "memory");
}
/* Until the phase of that parity has ended, and what other blocks sent is seen. */
__device__ __forceinline__ void cluster_barrier_wait(unsigned barrier, int parity)
{
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}" ::"r"(barrier),
               "r"(parity)
               : "memory");
}
/* *from, written before the last barrier by whatever block. */
template <class T> __device__ __forceinline__ T load_written(const T *from)
{
  T x;
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(reinterpret_cast<float &>(x)) : "l"(from) : "memory");
  } else if constexpr (sizeof(T) == 8 && !is_complex<T>) {
    asm volatile("ld.global.cg.f64 %0, [%1];" : "=d"(x) : "l"(from) : "memory");
  } else if constexpr (sizeof(T) == 8) {
    asm volatile("ld.global.cg.v2.f32 {%0, %1}, [%2];" : "=f"(x.re), "=f"(x.im) : "l"(from) : "memory");
  } else {
    asm volatile("ld.global.cg.v2.f64 {%0, %1}, [%2];" : "=d"(x.re), "=d"(x.im) : "l"(from) : "memory");
  }
  return x;
}

/* Mailboxes of a block for messages of `parts` 16-byte parts, one from each of up to 16 blocks. */
template <int parts> struct cluster_mail {
  message_part box[2][MOST_CLUSTER][parts];
  unsigned long long arrived[2]; /* barriers */
};

template <int parts> struct cluster_post {
  cluster_mail<parts> *mail; /* shared */
  int blocks, rank, step = 0;

  /* Called by all threads; a cluster barrier has to follow before the first message. */
  __device__ __forceinline__ void open()
  {
    if (threadIdx.x == 0) {
      barrier_init(shared_address(&mail->arrived[0]), 1);
      barrier_init(shared_address(&mail->arrived[1]), 1);
      barrier_init_fence();
    }
  }
  /* Sends part(i), i < parts, to all blocks, and waits for the messages of all; all threads of the block call it behind
   * a barrier of the block that follows their last reading of the step before. */
  template <class F> __device__ __forceinline__ const message_part (*exchange(F part))[parts]
  {
    const int at = step % 2, phase = step / 2 % 2;
    const unsigned arrived = shared_address(&mail->arrived[at]);
    if (threadIdx.x == 0) barrier_arrive_expecting(arrived, blocks * parts * (int)sizeof(message_part));
    for (int e = threadIdx.x; e < blocks * parts; e += blockDim.x) {
      const int to = e / parts, i = e % parts;
      const message_part p = part(i);
      send_part(in_block(shared_address(&mail->box[at][rank][i]), to), p, in_block(arrived, to));
    }
    cluster_barrier_wait(arrived, phase);
    step++;
    return mail->box[at];
  }
};

/* Launches clusters of `blocks` blocks each; as launch() otherwise.  early: while the kernel before in the stream still
 * runs, for which it waits by itself (cudaGridDependencySynchronize()). */
template <bool early, class... P, class... A>
int launch_in_clusters(const batched_ctx *ctx, void (*kernel)(P...), int64_t clusters, int blocks, int threads,
                       size_t shared, A... args)
{
  if (clusters <= 0) return BATCHED_SUCCESS;
  const void *function = reinterpret_cast<const void *>(kernel);
  int status = shared > shared_unasked ? allow_shared(function, shared) : BATCHED_SUCCESS;
  if (!status && blocks > 8)
    status = status_of(cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  if (status) return status;
  const int64_t most = INT_MAX / blocks;
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim.x = (unsigned)blocks;
  attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
  attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attributes[1].val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = (unsigned)((clusters < most ? clusters : most) * blocks);
  config.blockDim = (unsigned)threads;
  config.dynamicSmemBytes = shared;
  config.stream = stream_of(ctx);
  config.attrs = attributes;
  config.numAttrs = early ? 2 : 1;
  status = status_of(cudaLaunchKernelEx(&config, kernel, P(args)...));
  return status ? status : status_of(cudaGetLastError());
}
template <class... P, class... A>
int launch_clusters(const batched_ctx *ctx, void (*kernel)(P...), int64_t clusters, int blocks, int threads,
                    size_t shared, A... args)
{
  return launch_in_clusters<false>(ctx, kernel, clusters, blocks, threads, shared, args...);
}

} // namespace batched_cuda

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What kernels share that do a patch of zones (fem/patches.h) at a time: its nodes come in, its sums over zones go out.
 */
#ifndef FEM_CUDA_VELOCITY_PATCH_CUH
#define FEM_CUDA_VELOCITY_PATCH_CUH

#include "solvers/cuda/sums.cuh"
#include "velocity_sumfact.cuh"

namespace fem_cuda
{

/* The basis [Q][N] as a kernel's argument: the constant bank serves it to multiplications as an operand. */
template <int N, int Q> struct basis_table {
  double b[Q * N];
};

template <int N, int Q> basis_table<N, Q> basis_of(const fem_space *s)
{
  basis_table<N, Q> t;
  for (int i = 0; i < Q * N; i++) t.b[i] = s->b[i];
  return t;
}

/* A block's patch in shared memory: its dofs [most_nodes], and x at its nodes [dim][node_address(most_nodes)]. */
struct patch_nodes {
  int *dof;
  double *x;
  int stride; /* of components of x */
};

/* Brings the nodes in.  The first dofs of a thread are looked up while the patch before is being done. */
template <int DIM, int THREADS, int AHEAD> struct node_loader {
  int dof[AHEAD];

  __device__ __forceinline__ void look_up(const patch_view &v, const patch_head &head)
  {
#pragma unroll
    for (int j = 0; j < AHEAD; j++) {
      const int i = (int)threadIdx.x + j * THREADS;
      dof[j] = i < head.nnodes ? v.node[head.first_node + i] : -1;
    }
  }
  /* A barrier has to follow. */
  __device__ __forceinline__ void load(const product_arguments &a, const patch_head &head, const patch_nodes &to) const
  {
    double value[AHEAD][DIM];
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
#pragma unroll
      for (int c = 0; c < DIM; c++) value[j][c] = dof[j] >= 0 ? a.x[c * a.ndofs + dof[j]] : 0.0;
#pragma unroll
    for (int j = 0; j < AHEAD; j++)
      if (dof[j] >= 0) store(to, (int)threadIdx.x + j * THREADS, dof[j], value[j]);
    for (int i = (int)threadIdx.x + AHEAD * THREADS; i < head.nnodes; i += THREADS) {
      const int at = a.patches.node[head.first_node + i];
#pragma unroll
      for (int c = 0; c < DIM; c++) value[0][c] = a.x[c * a.ndofs + at];
      store(to, i, at, value[0]);
    }
  }
  static __device__ __forceinline__ void store(const patch_nodes &to, int i, int dof, const double (&value)[DIM])
  {
    to.dof[i] = dof;
#pragma unroll
    for (int c = 0; c < DIM; c++) to.x[c * to.stride + node_address(i)] = value[c];
  }
};

/* Sums what the zones left in their places, for C components from `c0` on, by THREADS threads of which this is number t: complete
 * sums to y, others to the slots.  With DOTS also adds to the dot products. */
template <int C, int THREADS, bool DOTS>
__device__ __forceinline__ void sum_zones(const product_arguments &a, const patch_head &head, int c0, int t,
                                          const patch_nodes &nodes, const double *zones, int zones_stride,
                                          double (&dots)[C * SOLVER_DOTS])
{
  const patch_view &v = a.patches;
  const uint16_t *start = v.place_start + (int64_t)head.numbering * (v.most_nodes + 1);
  const uint16_t *place = v.place + (int64_t)head.numbering * v.places;
#pragma unroll(C == 1 ? 2 : 1)
  for (int i = t; i < head.nnodes; i += THREADS) {
    const bool inner = i < head.ninner;
    const int first = start[i], last = start[i + 1];
    const int64_t dof = nodes.dof[i];
    const int essential = DOTS && inner ? a.dots.essential[dof] : 0;
    const double d = DOTS && inner ? a.dots.inverse_diagonal[dof] : 0.0;
    double r[C], sum[C] = {};
#pragma unroll
    for (int c = 0; c < C; c++) r[c] = DOTS && inner ? a.dots.r[(c0 + c) * a.ndofs + dof] : 0.0;
    for (int j = first; j < last; j++) {
      const int at = place[j];
#pragma unroll
      for (int c = 0; c < C; c++) sum[c] += zones[(c0 + c) * zones_stride + at];
    }
#pragma unroll
    for (int c = 0; c < C; c++) {
      if (!inner) {
        a.slots[(c0 + c) * a.nslots + head.first_slot + i - head.ninner] = sum[c];
        continue;
      }
      const double w = essential >> (c0 + c) & 1 ? 0.0 : sum[c];
      if (DOTS) add_dots(dots + c * SOLVER_DOTS, r[c], nodes.x[(c0 + c) * nodes.stride + node_address(i)], w, d);
      a.y[(c0 + c) * a.ndofs + dof] = w;
    }
  }
}

/* Asynchronous copies from global to shared memory by the bulk copy engine, which a barrier in shared memory awaits. */
struct bulk_copy {
  uint64_t *barrier; /* in shared memory */
  unsigned phase;

  static __device__ __forceinline__ unsigned address(const void *p)
  {
    return (unsigned)__cvta_generic_to_shared(p);
  }
  /* One thread; a barrier of the block has to follow. */
  __device__ __forceinline__ void init() const
  {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  /* One thread; 16 divides the addresses and `bytes`. */
  __device__ __forceinline__ void start(void *to, const void *from, unsigned bytes) const
  {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes)
                 : "memory");
    asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
      "l"(from), "r"(bytes), "r"(address(barrier))
      : "memory");
  }
  /* All threads. */
  __device__ __forceinline__ void wait()
  {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again;\n"
                 "}" ::"r"(address(barrier)),
                 "r"(phase)
                 : "memory");
    phase ^= 1;
  }
};

} // namespace fem_cuda

#endif
